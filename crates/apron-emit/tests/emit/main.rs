//! The emitter through its public names.

mod agreement;
mod client;
mod ordering;
mod script;
mod words;
