//! The emitter through its public names.

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod check;
#[cfg(test)]
mod client;
#[cfg(test)]
mod ends;
#[cfg(test)]
mod failures;
#[cfg(test)]
mod handles;
#[cfg(test)]
mod handoff;
#[cfg(test)]
mod ids;
#[cfg(test)]
mod ordering;
#[cfg(test)]
mod program;
#[cfg(test)]
mod programs;
#[cfg(test)]
mod relay;
#[cfg(test)]
mod relay_stalls;
#[cfg(test)]
mod script;
#[cfg(test)]
mod stops;
#[cfg(test)]
mod support;
#[cfg(test)]
mod wakers;
#[cfg(test)]
mod words;
