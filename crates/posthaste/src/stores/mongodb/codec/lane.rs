//! A lane in its partition's document: under which name, and its cursor.

use mongodb::bson::spec::BinarySubtype;
use mongodb::bson::{Binary, Bson, Document, doc};

use super::{corrupt, date, position, whole};
use crate::error::Result;
use crate::journal::{Cursor, Position};

/// Where a partition's document keeps the lane of a destination. A name with a dot or a dollar would be a path.
pub(in crate::stores::mongodb) fn path(destination: &str) -> String {
    format!("lanes.{}", name(destination))
}

/// What the lane of a destination is called among the lanes of its partition.
pub(in crate::stores::mongodb) fn name(destination: &str) -> String {
    destination.replace('%', "%25").replace('.', "%2E").replace('$', "%24")
}

/// A lane of a destination that has not begun.
pub(in crate::stores::mongodb) fn new(low: i64, now: i64) -> Document {
    doc! { "low": low, "done": encode_done(&Cursor::default()), "at": date(now), "worker": Bson::Null }
}

/// What is done beyond a cursor: the gaps, seven bits at a time.
pub(in crate::stores::mongodb) fn encode_done(cursor: &Cursor) -> Binary {
    let (mut bytes, mut last) = (Vec::new(), cursor.low.seq);
    for done in cursor.done.iter().filter(|done| **done > cursor.low) {
        let mut gap = done.seq - last;
        last = done.seq;
        while gap >= 0x80 {
            bytes.push((gap & 0x7f) as u8 | 0x80);
            gap >>= 7;
        }
        bytes.push(gap as u8);
    }
    Binary { subtype: BinarySubtype::Generic, bytes }
}

pub(in crate::stores::mongodb) fn decode_cursor(lane: &Document) -> Result<Cursor> {
    let low = position(whole(lane, "low")?);
    let (mut done, mut at, mut gap, mut shift) = (Vec::new(), low.seq, 0u64, 0);
    for &byte in lane.get_binary_generic("done").map_err(|_| corrupt("a cursor is damaged"))? {
        gap |= u64::from(byte & 0x7f).checked_shl(shift).ok_or_else(|| corrupt("a cursor is damaged"))?;
        shift += 7;
        if byte & 0x80 == 0 {
            at = at.saturating_add(gap);
            done.push(Position::seq(at));
            (gap, shift) = (0, 0);
        }
    }
    Ok(Cursor { low, done })
}
