//! What is served, what a body hands over, and when.

#[cfg(test)]
mod batching;
#[cfg(test)]
mod common;
#[cfg(test)]
mod dialect;
#[cfg(test)]
mod heartbeat;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod request;
