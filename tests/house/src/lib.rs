//! Tests of the house itself: see `tests/`.
