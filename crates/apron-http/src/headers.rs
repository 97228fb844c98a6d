//! What a response says about itself.

/// The headers of a response with an [`EventBody`](crate::EventBody); its status is 200.
///
/// Nothing between server and client may store, buffer, compress or sniff the stream, or serve it
/// to a client that asked for something else.
#[must_use]
pub fn headers() -> &'static [(&'static str, &'static str)] {
    &[
        ("content-type", "text/event-stream"),
        // `no-transform` keeps compressing proxies from holding frames back.
        ("cache-control", "no-cache, no-store, no-transform"),
        // nginx buffers responses unless told not to.
        ("x-accel-buffering", "no"),
        ("x-content-type-options", "nosniff"),
        ("vary", "accept"),
    ]
}
