//! What an operation of an operator does to a delivery, by its status.

use crate::inspect::{Operation, Status};

/// What a store writes to carry out an operation on one delivery. No effect touches a cursor: the lane's holder finds the
/// changed delivery when it asks for what is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The parked delivery is tried again now, as if it had never failed: no attempts, no error.
    Restart,
    /// The parked delivery is due now; everything else about it stays.
    Hasten,
    /// A delivery that is settled is parked as [`Status::Replay`]: due now, holding nobody.
    Repeat,
    /// The parked delivery becomes [`Status::Discarding`], due now, so that its lane takes note.
    Discard,
}

/// What `operation` does to a delivery of this status; `None` where it does not apply.
pub fn effect(operation: Operation, status: Status) -> Option<Effect> {
    match (operation, status) {
        (Operation::Replay, Status::Dead | Status::Retrying | Status::Awaiting | Status::Discarded) => {
            Some(Effect::Restart)
        }
        (Operation::Replay, Status::Scheduled | Status::Throttled | Status::Paused) => Some(Effect::Hasten),
        (Operation::Replay, Status::Delivered) => Some(Effect::Repeat),
        (Operation::Replay, Status::Pending | Status::Waiting | Status::Replay | Status::Discarding) => None,
        (
            Operation::Discard,
            Status::Dead
            | Status::Retrying
            | Status::Scheduled
            | Status::Throttled
            | Status::Paused
            | Status::Awaiting
            | Status::Replay,
        ) => Some(Effect::Discard),
        (
            Operation::Discard,
            Status::Pending | Status::Delivered | Status::Waiting | Status::Discarding | Status::Discarded,
        ) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_done_to_what_a_lane_has_not_come_to_yet() {
        for operation in [Operation::Replay, Operation::Discard] {
            for status in [Status::Pending, Status::Waiting, Status::Discarding] {
                assert_eq!(effect(operation, status), None, "{operation:?} of {status:?}");
            }
        }
    }

    #[test]
    fn a_replay_starts_failures_anew_hastens_what_waits_for_time_and_repeats_what_was_delivered() {
        let replayed = |status| effect(Operation::Replay, status);
        for status in [Status::Dead, Status::Retrying, Status::Awaiting, Status::Discarded] {
            assert_eq!(replayed(status), Some(Effect::Restart), "{status:?}");
        }
        for status in [Status::Scheduled, Status::Throttled, Status::Paused] {
            assert_eq!(replayed(status), Some(Effect::Hasten), "{status:?}");
        }
        assert_eq!(replayed(Status::Delivered), Some(Effect::Repeat));
        assert_eq!(replayed(Status::Replay), None, "it is on its way already");
    }

    #[test]
    fn only_what_is_parked_and_not_discarded_yet_can_be_discarded() {
        let discarded: Vec<Status> =
            Status::ALL.into_iter().filter(|status| effect(Operation::Discard, *status).is_some()).collect();
        let expected = [
            Status::Retrying,
            Status::Scheduled,
            Status::Throttled,
            Status::Paused,
            Status::Awaiting,
            Status::Dead,
            Status::Replay,
        ];
        assert_eq!(discarded, expected);
    }
}
