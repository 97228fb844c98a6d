//! stub, being written
mod failure;
mod ids;
mod source;

pub use self::failure::{BoxError, Failure};
pub use self::ids::{CountingIds, Ids};
pub use self::source::{Source, SourceStart};
