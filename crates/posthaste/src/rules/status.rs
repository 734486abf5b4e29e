//! Where a delivery stands, derived from what its lane has recorded. Nothing of it is stored.

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
