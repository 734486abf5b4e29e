//! The one place that reads the wall clock: to stamp what an application writes. The engine never does.

use jiff::Timestamp;

/// Now, cut to milliseconds, which is what every store keeps.
#[expect(clippy::disallowed_methods, reason = "the one place that may")]
pub(crate) fn now() -> Timestamp {
    let now = Timestamp::now();
    Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
}
