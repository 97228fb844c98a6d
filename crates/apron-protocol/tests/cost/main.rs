//! What words cost: allocations on the hot path, and work and memory that a peer can cause.
//!
//! Allocations and peak memory are exact. Time is only ever compared with time of the same run.

#[cfg(test)]
mod delta;
#[cfg(test)]
mod request;
