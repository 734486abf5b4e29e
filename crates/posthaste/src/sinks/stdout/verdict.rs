//! What errors mean.

use std::io;

use crate::sink::Error;

/// The stream is everybody's: no message is at fault, and none gets through.
pub(super) fn of_stream(error: &io::Error) -> Error {
    Error::unreachable(format_args!("standard output does not take any more: {error}"))
}

/// It will not become JSON by waiting.
pub(super) fn of_encoding(error: &serde_json::Error) -> Error {
    Error::reject(format_args!("cannot be written as JSON: {error}"))
}
