//! The one place of the program that reads the wall clock: for times that people type and read.

use jiff::Timestamp;

#[expect(clippy::disallowed_methods, reason = "only for what people type and read; no decision depends on it")]
pub fn now() -> Timestamp {
    Timestamp::now()
}
