//! What a lane has done beyond its cursor, as SQL stores keep it: offsets from the cursor in hexadecimal, each between commas. That is
//! short, and a status query can look a position up in it.

use std::fmt::Write;

use super::values;
use crate::error::{Error, Kind, Result};
use crate::journal::{Cursor, Position};

/// What is done beyond the cursor: `,1,a,2f,`.
pub(super) fn encode(cursor: &Cursor) -> String {
    let mut text = String::new();
    for done in cursor.done.iter().filter(|done| **done > cursor.low) {
        let comma = if text.is_empty() { "," } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(text, "{comma}{:x},", done.seq - cursor.low.seq);
    }
    text
}

/// The inverse of [`encode`], with the position it counts from.
pub(super) fn decode(low: i64, done: &str) -> Result<Cursor> {
    let low = values::position(low);
    let offsets = done.split(',').filter(|offset| !offset.is_empty()).map(|offset| u64::from_str_radix(offset, 16));
    let done = offsets.map(|offset| offset.map(|offset| Position::seq(low.seq.saturating_add(offset))));
    let done = done.collect::<Result<_, _>>();
    let done = done.map_err(|error| Error::new(Kind::Corrupt, "a cursor is damaged").caused_by(error))?;
    Ok(Cursor { low, done })
}
