//! Handles: independent owned values that speak one kind of item each.
//!
//! Several may be open at once, in several tasks. `end` takes the handle, so use after the end
//! does not compile; a handle that is dropped closes its item at once.

mod push;
mod reasoning;
mod step;
mod text;
mod tool_call;

pub use self::push::{Emit, Open, Push};
pub use self::reasoning::{Attach, Reasoning};
pub use self::step::Step;
pub use self::text::TextMessage;
pub use self::tool_call::{EndedToolCall, ToolCall};
