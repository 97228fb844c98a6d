//! Those who decide whether a stream is right, none of them written for Apron but the ledger.

pub mod ledger;
pub mod live;
pub mod official;
pub mod peer;
pub mod schema;
