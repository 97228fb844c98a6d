//! The command's parts from outside: the provider over a socket, the server's routes, the command
//! line.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "the helpers of a test fail the way a test does"
)]

mod command_line;
mod disconnects;
mod http;
mod provider;
mod server;
mod upstream;
