//! Compiles every Rust block of the README and of `docs/` as a doctest.
//!
//! They lie outside every published package, so no crate of their own could do it.

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../../crates/apron/README.md")]
struct FrontDesk;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/ARCHITECTURE.md")]
struct Architecture;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/DECISIONS.md")]
struct Decisions;
