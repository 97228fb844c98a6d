//! The `apron` command as a library: what `apron serve` and `apron replay` are made of.
//!
//! The binary only reads its arguments and calls [`run`]. Everything else is here, so that tests
//! and examples can use the pieces; the one most worth having elsewhere is the scripted
//! [`Provider`](provider::Provider), an OpenAI-compatible server that needs no network:
//!
//! ```
//! use apron_cli::{provider::Provider, scenarios};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! let provider = Provider::builder().pace(0.0).start().await?;
//! assert!(provider.base_url().ends_with("/v1")); // give this to any OpenAI client
//!
//! let names: Vec<_> = scenarios::all().iter().map(|scenario| scenario.name).collect();
//! assert!(names.contains(&"tools")); // its `prompt` makes the provider call two tools
//! # Ok(())
//! # }
//! ```
//!
//! - [`args`]: the command line.
//! - [`serve`]: the server behind `apron serve`, and [`upstream`], which provider it talks to.
//! - [`page`]: the chat page at `/`.
//! - [`scenarios`]: the scripted answers, by name.
//! - [`provider`]: the embedded provider that plays them.
//!
//! Nothing here is a stable interface: it may change with the command.

pub mod args;
pub mod page;
pub mod provider;
pub mod scenarios;
pub mod serve;
pub mod upstream;

mod error;
mod replay;
mod run;

pub use error::Error;
pub use run::run;
