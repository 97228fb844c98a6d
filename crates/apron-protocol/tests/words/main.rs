//! The words of AG-UI 1.0, seen from outside: their exact JSON, and how other people's is read.
//!
//! Tests that need the reference material read its folder from `APRON_CORPUS`; without it they say
//! that they are skipped.

#[cfg(test)]
mod builders;
#[cfg(test)]
mod cases;
#[cfg(test)]
mod corpus;
#[cfg(test)]
mod decode;
#[cfg(test)]
mod docs_table;
#[cfg(test)]
mod encode;
#[cfg(test)]
mod ids;
#[cfg(test)]
mod input;
#[cfg(test)]
mod members;
#[cfg(test)]
mod messages;
#[cfg(test)]
mod patch;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod shapes;
