//! The door over real sockets, with a client that writes and reads bytes.

#[cfg(test)]
mod client;
#[cfg(test)]
mod requests;
#[cfg(test)]
mod responses;
#[cfg(test)]
mod stalls;
