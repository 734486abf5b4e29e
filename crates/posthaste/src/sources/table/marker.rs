//! How rows are marked: the statements, for whoever runs them.

use std::sync::Arc;

use super::layout::{Layout, Mark};
use super::statement::Dialect;
use crate::source::{Event, Marker, Marking, Place, Settled, Statement};

/// Ids in one statement.
const IDS: usize = 500;

/// Says how the rows of one table are marked.
#[derive(Debug)]
pub(super) struct RowMarker {
    pub(super) layout: Arc<Layout>,
    pub(super) dialect: Dialect,
    pub(super) place: Place,
}

impl RowMarker {
    /// The marks for these rows. Those that nothing could be made of have none where what was taken is deleted.
    pub(super) fn statements(&self, rows: &[(&Event, Settled)]) -> Vec<Statement> {
        let (taken, refused) = (Some(&self.layout.taken), self.layout.refused.as_ref());
        let refused = refused.or(taken.filter(|taken| **taken != Mark::Delete));
        let of = |how, mark: Option<&Mark>| -> Vec<Statement> {
            let ids: Vec<String> = ids(rows, how).collect();
            let statement = |mark, ids: &[String]| self.dialect.mark(&self.layout, mark, ids).into();
            mark.map(|mark| ids.chunks(IDS).map(|ids| statement(mark, ids)).collect()).unwrap_or_default()
        };
        [of(Settled::Done, taken), of(Settled::Refused, refused)].concat()
    }

    /// Whether a row that nothing could be made of stays as it is.
    pub(super) fn leaves_refused(&self) -> bool {
        self.layout.refused.is_none() && self.layout.taken == Mark::Delete
    }
}

impl Marker for RowMarker {
    fn marking(&self, events: &[(&Event, Settled)]) -> Option<Marking> {
        let statements = self.statements(events);
        (!statements.is_empty()).then(|| Marking { place: self.place.clone(), statements })
    }
}

/// The ids of the rows that ended so.
pub(super) fn ids(rows: &[(&Event, Settled)], how: Settled) -> impl Iterator<Item = String> {
    rows.iter().filter(move |(_, settled)| *settled == how).map(|(event, _)| event.checkpoint.as_str().to_owned())
}
