//! Where a delivery stands, derived from what its lane has recorded. Nothing of it is stored.
//!
//! SQL stores say the same in their view `outbox_status`, for people who use SQL; the store suite compares the two.

use crate::inspect::Status;
use crate::journal::{Cursor, HeldKey, ParkedState, Position};

/// The status of the delivery at `position`: parked, or behind a held key, or on one side of its lane's cursor.
///
/// `held` is the held key of the message, if its key is held. `cursor` is the lane's; a lane that has none has passed nothing.
pub fn status(
    position: Position,
    parked: Option<ParkedState>,
    held: Option<&HeldKey>,
    cursor: Option<&Cursor>,
) -> Status {
    match (parked, held) {
        (Some(state), _) => state.into(),
        (None, Some(held)) if position <= held.after => Status::Delivered,
        (None, Some(held)) if position <= held.until => Status::Waiting,
        _ if cursor.is_some_and(|cursor| has_passed(cursor, position)) => Status::Delivered,
        _ => Status::Pending,
    }
}

/// Whether the lane with this cursor is done with `position`.
pub fn has_passed(cursor: &Cursor, position: Position) -> bool {
    position <= cursor.low || cursor.done.binary_search(&position).is_ok()
}

/// Whether a delivery of this status is parked: only then a store has a record of its own for it.
pub fn is_parked(status: Status) -> bool {
    !matches!(status, Status::Pending | Status::Delivered | Status::Waiting)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::OrderKey;

    fn cursor() -> Cursor {
        Cursor { low: Position::seq(10), done: vec![Position::seq(12), Position::seq(15)] }
    }

    fn held() -> HeldKey {
        let key = OrderKey { tenant: None, key: "order/1".into() };
        HeldKey { key, after: Position::seq(3), until: Position::seq(20) }
    }

    fn at(seq: u64, held: Option<&HeldKey>) -> Status {
        status(Position::seq(seq), None, held, Some(&cursor()))
    }

    #[test]
    fn what_the_cursor_has_passed_is_delivered_and_the_rest_is_pending() {
        let statuses: Vec<Status> = [9, 10, 11, 12, 13, 15, 16].map(|seq| at(seq, None)).into();
        let (delivered, pending) = (Status::Delivered, Status::Pending);
        assert_eq!(statuses, [delivered, delivered, pending, delivered, pending, delivered, pending]);
        assert_eq!(status(Position::seq(1), None, None, None), Status::Pending, "no lane has passed it");
    }

    #[test]
    fn a_held_key_has_a_cursor_of_its_own() {
        assert_eq!(at(3, Some(&held())), Status::Delivered);
        assert_eq!(at(4, Some(&held())), Status::Waiting, "though the lane's cursor has passed it");
        assert_eq!(at(20, Some(&held())), Status::Waiting);
        assert_eq!(at(21, Some(&held())), Status::Pending, "the lane has not come to it");
    }

    #[test]
    fn whatever_is_parked_has_the_status_of_its_state() {
        for state in ParkedState::ALL {
            let status = status(Position::seq(4), Some(state), Some(&held()), Some(&cursor()));
            assert_eq!(status, Status::from(state));
            assert!(is_parked(status), "{state:?}");
        }
        let others: Vec<Status> = Status::ALL.into_iter().filter(|status| !is_parked(*status)).collect();
        assert_eq!(others, [Status::Pending, Status::Delivered, Status::Waiting]);
    }
}
