//! A table that is being read.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::future::BoxFuture;

use super::database::Database;
use super::layout::Layout;
use super::marker::{RowMarker, ids};
use super::row::{Row, Template, event};
use super::settings::Settings;
use crate::source::{Batch, Error, Event, Marker, Reading, Settled};

/// Rows that nothing could be made of stay in a table that has no mark for them. More of them are a matter for a person.
const MAX_LEFT: usize = 1_000;

type Fetching = BoxFuture<'static, (Database, crate::Result<Vec<Row>>)>;

pub(super) struct TableReading {
    /// Not there while it fetches.
    database: Option<Database>,
    /// Goes on when nobody waits for it: a connection whose answer is not heard is of no more use.
    fetching: Option<Fetching>,
    layout: Arc<Layout>,
    marker: Arc<RowMarker>,
    /// Whether rows are marked only after their messages are in the journal.
    mark_apart: bool,
    template: Template,
    poll_interval: Duration,
    /// Rows that were given out, by their ids, and not marked yet.
    given_out: HashSet<String>,
    /// Rows that nothing could be made of, and that have no mark.
    left: HashSet<String>,
    /// Rows that were marked last, which must not be found again.
    marked: HashSet<String>,
    /// What was fetched and not given out.
    fetched: VecDeque<Event>,
    /// The last fetch found less than it asked for.
    is_at_end: bool,
}

impl TableReading {
    pub(super) fn new(database: Database, layout: Layout, template: Template, settings: &Settings) -> Self {
        let layout = Arc::new(layout);
        let (dialect, place) = (database.dialect(), database.transactions());
        Self {
            database: Some(database),
            fetching: None,
            marker: Arc::new(RowMarker { layout: Arc::clone(&layout), dialect, place }),
            layout,
            template,
            mark_apart: settings.mark_apart,
            poll_interval: settings.poll_interval,
            given_out: HashSet::new(),
            left: HashSet::new(),
            marked: HashSet::new(),
            fetched: VecDeque::new(),
            is_at_end: false,
        }
    }

    fn begin_to_fetch(&mut self, limit: usize) {
        let Some(mut database) = self.database.take() else { return };
        let without: Vec<String> = self.given_out.iter().chain(&self.left).cloned().collect();
        let statement = database.dialect().fetch(&self.layout, &without, limit);
        self.fetching = Some(Box::pin(async move {
            let rows = database.query(&statement).await;
            (database, rows)
        }));
    }

    /// Waits for the fetch that is under way, if there is one.
    async fn fetch(&mut self) -> Result<(), Error> {
        let Some(fetching) = &mut self.fetching else { return Ok(()) };
        let (database, rows) = fetching.await;
        (self.fetching, self.database) = (None, Some(database));
        for row in rows? {
            let event = event(&self.layout, &self.template, row).map_err(Error::new)?;
            if self.marked.contains(event.checkpoint.as_str()) {
                return Err(Error::new(format_args!(
                    "the row {} was marked as taken, and is pending again: who changes it back?",
                    event.id
                )));
            }
            self.fetched.push_back(event);
        }
        Ok(())
    }

    async fn mark(&mut self, rows: &[(&Event, Settled)]) -> Result<(), Error> {
        self.fetch().await?;
        let Some(database) = &mut self.database else { return Err(Error::new("the connection is gone")) };
        for statement in self.marker.statements(rows) {
            database.execute(&statement).await?;
        }
        Ok(())
    }

    /// These are done with: marked, or left where they are.
    fn done(&mut self, rows: &[(&Event, Settled)]) -> Result<(), Error> {
        self.marked = ids(rows, Settled::Done).collect();
        for (event, _) in rows {
            self.given_out.remove(event.checkpoint.as_str());
        }
        if self.marker.leaves_refused() { self.leave(ids(rows, Settled::Refused)) } else { Ok(()) }
    }

    /// Where there is no mark for what was refused, it stays, and is not read again by this reading.
    fn leave(&mut self, ids: impl Iterator<Item = String>) -> Result<(), Error> {
        self.left.extend(ids);
        if self.left.len() > MAX_LEFT {
            let count = self.left.len();
            return Err(Error::new(format_args!(
                "nothing could be made of {count} rows, and they stay in the table: mend the mapping, or set `refused`"
            )));
        }
        Ok(())
    }
}

#[async_trait]
impl Reading for TableReading {
    async fn next(&mut self, limit: usize) -> Result<Batch, Error> {
        loop {
            if self.fetching.is_none() && self.fetched.is_empty() {
                if self.is_at_end {
                    tokio::time::sleep(self.poll_interval).await;
                }
                self.begin_to_fetch(limit.max(1));
            }
            self.fetch().await?;
            let events: Vec<Event> = self.fetched.drain(..limit.max(1).min(self.fetched.len())).collect();
            let was_at_end = std::mem::replace(&mut self.is_at_end, events.is_empty());
            if !events.is_empty() || !was_at_end {
                self.given_out.extend(events.iter().map(|event| event.checkpoint.as_str().to_owned()));
                return Ok(Batch { at_end: Some(events.is_empty()), events, beyond: None });
            }
        }
    }

    fn wants_settled(&self) -> bool {
        true
    }

    /// After the commit: a crash before it leaves the row pending, and its origin makes the repeat a quiet no-op.
    async fn settled(&mut self, events: &[(Event, Settled)]) -> Result<(), Error> {
        let rows = borrowed(events);
        self.mark(&rows).await?;
        self.done(&rows)
    }

    fn marker(&self) -> Option<Arc<dyn Marker>> {
        (!self.mark_apart).then(|| Arc::clone(&self.marker) as _)
    }

    async fn marked(&mut self, events: &[(Event, Settled)]) -> Result<(), Error> {
        self.done(&borrowed(events))
    }
}

fn borrowed(events: &[(Event, Settled)]) -> Vec<(&Event, Settled)> {
    events.iter().map(|(event, settled)| (event, *settled)).collect()
}

impl fmt::Debug for TableReading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableReading")
            .field("table", &self.layout.table.name)
            .field("given_out", &self.given_out.len())
            .finish_non_exhaustive()
    }
}
