//! Waiting on the server until somebody writes a message, on a connection of its own that sees what is not committed yet.

use std::time::Duration;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Row, params};
use tokio::time::Instant;

use super::super::family::Family;
use super::super::seam::no_journal;
use super::super::sequencer::has_gaps;
use super::super::{MySql, codec};
use crate::error::Result;
use crate::stores::question::{FORGOTTEN, Question, looks};

/// What a worker that waited has seen.
#[derive(Debug)]
pub(super) struct Seen {
    /// When it was asked, which is when the state was read.
    pub(super) asked: Instant,
    pub(super) newest: i64,
    pub(super) wakes: i64,
    changes: i64,
    head: i64,
    number: i64,
}

impl Seen {
    /// Whether nothing can have been committed that has no position, as far as it was written when this was asked.
    pub(super) fn is_all_placed(&self, store: &MySql) -> bool {
        self.number <= self.head && !has_gaps(store, self.changes)
    }
}

#[derive(Debug, Default)]
pub(super) struct Waiting {
    question: Question<(Conn, Seen)>,
    /// The connection, while nobody asks.
    connection: Option<Conn>,
    used: Option<Instant>,
    /// The newest number that is known.
    number: i64,
}

impl Waiting {
    /// Begins to wait, for so long at most, or goes on with it. Says whether that is possible: one of a process can, where a session can
    /// see what is not committed.
    pub(super) fn begins(&mut self, store: &MySql, most: Duration) -> bool {
        if !store.shared.pools.known_family().is_some_and(Family::shows_uncommitted) {
            return false;
        }
        let Self { question, connection, used, number } = self;
        // An answer that is not there in time would be taken for silence.
        let (number, most) = (*number, most.min(store.shared.options.answer_timeout / 2));
        question.is_asked(&store.shared.waiting, || {
            let kept = connection.take().filter(|_| used.is_some_and(|used| used.elapsed() < FORGOTTEN));
            let store = store.clone();
            async move { store.in_time("wait", ask(&store, kept, number, looks(most))).await }
        })
    }

    /// What was seen, and whether something was written since the last time: as soon as it is, or when the time is over.
    pub(super) async fn answer(&mut self) -> Result<(Seen, bool)> {
        let (connection, seen) = self.question.answer().await?;
        (self.connection, self.used) = (Some(connection), Some(Instant::now()));
        let moved = seen.number > self.number;
        self.number = self.number.max(seen.number);
        Ok((seen, moved))
    }
}

async fn ask(store: &MySql, kept: Option<Conn>, number: i64, looks: i32) -> Result<(Conn, Seen)> {
    let mut connection = match kept {
        Some(connection) => connection,
        None => store.uncommitted_connection().await?,
    };
    store.shared.queries.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let (asked, params) = (Instant::now(), params! { "number" => number, "looks" => looks });
    let row: Option<Row> = connection.exec_first(include_str!("../sql/wait.sql"), params).await?;
    let row = row.ok_or_else(no_journal)?;
    let seen = Seen {
        asked,
        newest: codec::get(&row, "newest")?,
        wakes: codec::get(&row, "wakes")?,
        changes: codec::get(&row, "changes")?,
        head: codec::get(&row, "head")?,
        number: codec::get(&row, "number")?,
    };
    Ok((connection, seen))
}
