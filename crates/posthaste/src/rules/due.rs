//! When a delivery is due.

use std::time::Duration;

use jiff::Timestamp;

use crate::inspect::Status;
use crate::journal::ParkedState;

/// How long from `now` until `at`; zero when that is over. Both are milliseconds of one clock, which is the store's.
pub fn due_in(at: i64, now: i64) -> Duration {
    Duration::from_millis(u64::try_from(at.saturating_sub(now)).unwrap_or_default())
}

/// How long a message that is scheduled for `at` still has to wait; `None` once its time has come, and for any other message.
/// Both are milliseconds of one clock, which is the store's.
pub fn scheduled_in(at: Option<i64>, now: i64) -> Option<Duration> {
    at.filter(|&at| at > now).map(|at| due_in(at, now))
}

/// After how long a delivery is due that a lane parks in this state with this delay. A dead or discarded one never is, one that
/// is being discarded is due at once so that its lane takes note, and for any other one the lane says when.
pub fn parked_due_in(state: ParkedState, due_in: Option<Duration>) -> Option<Duration> {
    match state {
        ParkedState::Dead | ParkedState::Discarded => None,
        ParkedState::Discarding => Some(Duration::ZERO),
        ParkedState::Retrying
        | ParkedState::Scheduled
        | ParkedState::Throttled
        | ParkedState::Paused
        | ParkedState::Awaiting
        | ParkedState::Replay => due_in,
    }
}

/// When a delivery is tried next, where that is known. A parked delivery has a time of its own, or never; a pending one has that
/// of its message, if it is scheduled; any other one waits for something else than time.
pub fn due_at(status: Status, parked: Option<Option<Timestamp>>, message: Option<Timestamp>) -> Option<Timestamp> {
    match parked {
        Some(due_at) => due_at,
        None if status == Status::Pending => message,
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn what_is_over_is_due_now() {
        assert_eq!(due_in(3_000, 2_000), SECOND);
        assert_eq!(due_in(2_000, 2_000), Duration::ZERO);
        assert_eq!(due_in(i64::MIN, i64::MAX), Duration::ZERO);
        assert_eq!(scheduled_in(Some(3_000), 2_000), Some(SECOND));
        assert_eq!(scheduled_in(Some(2_000), 2_000), None, "its time has come");
        assert_eq!(scheduled_in(None, 2_000), None, "it was never scheduled");
    }

    #[test]
    fn the_dead_and_the_discarded_are_never_due() {
        for state in ParkedState::ALL {
            let expected = match state {
                ParkedState::Dead | ParkedState::Discarded => None,
                ParkedState::Discarding => Some(Duration::ZERO),
                _ => Some(SECOND),
            };
            assert_eq!(parked_due_in(state, Some(SECOND)), expected, "{state:?}");
        }
        assert_eq!(parked_due_in(ParkedState::Retrying, None), None, "the lane said never");
    }

    #[test]
    fn a_parked_delivery_has_a_time_of_its_own_and_a_pending_one_that_of_its_message() {
        let [own, of_message] = [1, 2].map(|second| Timestamp::from_second(second).ok());
        assert_eq!(due_at(Status::Retrying, Some(own), of_message), own);
        assert_eq!(due_at(Status::Dead, Some(None), of_message), None);
        assert_eq!(due_at(Status::Pending, None, of_message), of_message);
        for status in [Status::Delivered, Status::Waiting] {
            assert_eq!(due_at(status, None, of_message), None, "{status:?}");
        }
    }
}
