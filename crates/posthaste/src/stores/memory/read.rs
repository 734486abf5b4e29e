//! Reading on.

use std::ops::Bound::{Excluded, Included};

use super::core::{Core, Stored};
use crate::journal::{Batch, Entry, Position, ReadRequest};

impl Core {
    /// See [`crate::journal::Journal::read`].
    pub fn read(&self, request: &ReadRequest) -> Batch {
        let mut entries = Vec::new();
        let mut bytes = 0;
        for (&position, stored) in self.span(request.after, request.until) {
            if request.partitions.binary_search(&stored.partition).is_err() {
                continue;
            }
            if entries.len() >= request.limit || bytes >= request.max_bytes && !entries.is_empty() {
                let upto = entries.last().map_or(request.after, |entry: &Entry| entry.position);
                return Batch { entries, upto };
            }
            bytes += stored.message.weight();
            entries.push(self.entry(position, stored));
        }
        Batch { entries, upto: self.newest.min(request.until).max(request.after) }
    }

    /// What lies in `(after, until]`.
    pub(super) fn span(&self, after: Position, until: Position) -> impl Iterator<Item = (&Position, &Stored)> {
        // `range` refuses an end before its start.
        let until = until.max(after);
        self.journal.range((Excluded(after), Included(until)))
    }
}
