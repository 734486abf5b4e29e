//! When a delivery is due.

use std::time::Duration;

use jiff::Timestamp;

use crate::inspect::Status;
use crate::journal::ParkedState;

/// How long from `now` until `at`; zero when that is over. Both are times of one clock, which is the store's.
pub fn due_in(at: Duration, now: Duration) -> Duration {
    at.saturating_sub(now)
}

/// When a delivery is tried next, where that is known. A parked delivery has its own time; a pending one has that of its message,
/// if it is scheduled; any other one waits for something else than time.
pub fn due_at(status: Status, parked: Option<Option<Timestamp>>, message: Option<Timestamp>) -> Option<Timestamp> {
    match parked {
        Some(due_at) => due_at,
        None if status == Status::Pending => message,
        None => None,
    }
}

/// Whether a parked delivery in this state is ever due by itself.
pub fn waits_for_time(state: ParkedState) -> bool {
    !matches!(state, ParkedState::Dead | ParkedState::Discarded)
}
