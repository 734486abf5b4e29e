//! Lane commits turned on their side: one array for each column.

use std::collections::BTreeMap;
use std::fmt::Write;

use tokio_postgres::types::ToSql;

use crate::journal::{LaneCommit, Position};
use crate::rules::due::parked_due_in;
use crate::stores::postgres::codec::micros;
use crate::stores::values::{signed, tenant};

type Params<'a, const N: usize> = [&'a (dyn ToSql + Sync); N];

#[derive(Default)]
pub(super) struct Cursors<'a> {
    destination: Vec<&'a str>,
    partition: Vec<i32>,
    epoch: Vec<i64>,
    low_tick: Vec<Option<i64>>,
    low_seq: Vec<Option<i64>>,
    /// Arrays as text: an array of arrays would have to be a rectangle.
    done_tick: Vec<Option<String>>,
    done_seq: Vec<Option<String>>,
}

impl<'a> Cursors<'a> {
    pub(super) fn of(commits: &[&'a LaneCommit]) -> Self {
        let mut columns = Self::default();
        for commit in commits {
            columns.destination.push(commit.destination.as_str());
            columns.partition.push(i32::from(commit.partition.number()));
            columns.epoch.push(signed(commit.epoch.number()));
            let cursor = commit.cursor.as_ref();
            columns.low_tick.push(cursor.map(|cursor| signed(cursor.low.tick)));
            columns.low_seq.push(cursor.map(|cursor| signed(cursor.low.seq)));
            let done: &[Position] = cursor.map_or(&[], |cursor| &cursor.done);
            columns.done_tick.push(array(done, |position| position.tick));
            columns.done_seq.push(array(done, |position| position.seq));
        }
        columns
    }

    pub(super) fn params<'b>(&'b self, mark: &'b bool, quick: &'b bool) -> Params<'b, 9> {
        [
            &self.destination,
            &self.partition,
            &self.epoch,
            &self.low_tick,
            &self.low_seq,
            &self.done_tick,
            &self.done_seq,
            mark,
            quick,
        ]
    }
}

fn array(positions: &[Position], part: impl Fn(&Position) -> u64) -> Option<String> {
    let (first, rest) = positions.split_first()?;
    let mut text = format!("{{{}", part(first));
    for position in rest {
        // Writing to a string cannot fail.
        let _ = write!(text, ",{}", part(position));
    }
    text.push('}');
    Some(text)
}

#[derive(Default)]
pub(super) struct Parks<'a> {
    seq: Vec<i64>,
    destination: Vec<&'a str>,
    tick: Vec<i64>,
    partition: Vec<i32>,
    tenant: Vec<&'a str>,
    key: Vec<Option<&'a str>>,
    state: Vec<&'a str>,
    holds: Vec<bool>,
    attempts: Vec<i32>,
    suspicion: Vec<i32>,
    due_in: Vec<Option<i64>>,
    error: Vec<Option<&'a str>>,
    progress: Vec<Option<&'a [u8]>>,
}

impl<'a> Parks<'a> {
    pub(super) fn of(commits: &[&'a LaneCommit]) -> Self {
        let mut columns = Self::default();
        for (commit, park) in commits.iter().flat_map(|commit| commit.park.iter().map(move |park| (commit, park))) {
            columns.seq.push(signed(park.position.seq));
            columns.destination.push(commit.destination.as_str());
            columns.tick.push(signed(park.position.tick));
            columns.partition.push(i32::from(commit.partition.number()));
            columns.tenant.push(park.key.as_ref().map_or("", tenant));
            columns.key.push(park.key.as_ref().map(|key| key.key.as_str()));
            columns.state.push(park.state.as_str());
            columns.holds.push(park.holds);
            columns.attempts.push(i32::try_from(park.attempts).unwrap_or(i32::MAX));
            columns.suspicion.push(i32::try_from(park.suspicion).unwrap_or(i32::MAX));
            columns.due_in.push(parked_due_in(park.state, park.due_in).map(micros));
            columns.error.push(park.error.as_deref());
            columns.progress.push(park.progress.as_deref());
        }
        columns
    }

    /// `None` if there is nothing to write.
    pub(super) fn params(&self) -> Option<Params<'_, 13>> {
        (!self.seq.is_empty()).then_some([
            &self.seq,
            &self.destination,
            &self.tick,
            &self.partition,
            &self.tenant,
            &self.key,
            &self.state,
            &self.holds,
            &self.attempts,
            &self.suspicion,
            &self.due_in,
            &self.error,
            &self.progress,
        ])
    }
}

#[derive(Default)]
pub(super) struct Holds<'a> {
    destination: Vec<&'a str>,
    partition: Vec<i32>,
    key: Vec<&'a str>,
    tenant: Vec<&'a str>,
    after_tick: Vec<i64>,
    after_seq: Vec<i64>,
    until_tick: Vec<i64>,
    until_seq: Vec<i64>,
}

impl<'a> Holds<'a> {
    pub(super) fn of(commits: &[&'a LaneCommit]) -> Self {
        let mut columns = Self::default();
        for (commit, held) in commits.iter().flat_map(|commit| commit.hold.iter().map(move |held| (commit, held))) {
            columns.destination.push(commit.destination.as_str());
            columns.partition.push(i32::from(commit.partition.number()));
            columns.key.push(&held.key.key);
            columns.tenant.push(tenant(&held.key));
            columns.after_tick.push(signed(held.after.tick));
            columns.after_seq.push(signed(held.after.seq));
            columns.until_tick.push(signed(held.until.tick));
            columns.until_seq.push(signed(held.until.seq));
        }
        columns
    }

    /// `None` if there is nothing to write.
    pub(super) fn params(&self) -> Option<Params<'_, 8>> {
        (!self.key.is_empty()).then_some([
            &self.destination,
            &self.partition,
            &self.key,
            &self.tenant,
            &self.after_tick,
            &self.after_seq,
            &self.until_tick,
            &self.until_seq,
        ])
    }
}

#[derive(Default)]
pub(super) struct Attempts<'a> {
    seq: Vec<i64>,
    destination: Vec<&'a str>,
    partition: Vec<i32>,
    number: Vec<i32>,
    took_ms: Vec<i64>,
    error: Vec<Option<&'a str>>,
    reply: Vec<Option<&'a str>>,
}

impl<'a> Attempts<'a> {
    pub(super) fn of(commits: &[&'a LaneCommit]) -> Self {
        // A replay counts from one again: of two attempts with the same number the later one stands.
        let all = commits.iter().flat_map(|commit| commit.attempts.iter().map(move |tried| (commit, tried)));
        let last: BTreeMap<_, _> =
            all.map(|(commit, tried)| ((tried.position, &commit.destination, tried.number), (commit, tried))).collect();
        let mut columns = Self::default();
        for (commit, tried) in last.into_values() {
            columns.seq.push(signed(tried.position.seq));
            columns.destination.push(commit.destination.as_str());
            columns.partition.push(i32::from(commit.partition.number()));
            columns.number.push(i32::try_from(tried.number).unwrap_or(i32::MAX));
            columns.took_ms.push(i64::try_from(tried.took.as_millis()).unwrap_or(i64::MAX));
            columns.error.push(tried.error.as_deref());
            columns.reply.push(tried.reply.as_deref());
        }
        columns
    }

    /// `None` if there is nothing to write.
    pub(super) fn params(&self) -> Option<Params<'_, 7>> {
        (!self.seq.is_empty()).then_some([
            &self.seq,
            &self.destination,
            &self.partition,
            &self.number,
            &self.took_ms,
            &self.error,
            &self.reply,
        ])
    }
}

/// The deliveries at some of each commit's positions.
pub(super) struct Deliveries<'a> {
    seq: Vec<i64>,
    destination: Vec<&'a str>,
}

impl<'a> Deliveries<'a> {
    pub(super) fn of(commits: &[&'a LaneCommit], which: impl Fn(&'a LaneCommit) -> &'a Vec<Position>) -> Self {
        let of = |commit: &&'a LaneCommit| {
            let commit = *commit;
            which(commit).iter().map(move |position| (signed(position.seq), commit.destination.as_str()))
        };
        let (seq, destination) = commits.iter().flat_map(of).unzip();
        Self { seq, destination }
    }

    /// `None` if there is nothing to write.
    pub(super) fn params(&self) -> Option<Params<'_, 2>> {
        (!self.seq.is_empty()).then_some([&self.seq, &self.destination])
    }
}

/// Keys that have caught up.
#[derive(Default)]
pub(super) struct Freed<'a> {
    destination: Vec<&'a str>,
    key: Vec<&'a str>,
    tenant: Vec<&'a str>,
}

impl<'a> Freed<'a> {
    pub(super) fn of(commits: &[&'a LaneCommit]) -> Self {
        let mut columns = Self::default();
        for (commit, key) in commits.iter().flat_map(|commit| commit.free.iter().map(move |key| (commit, key))) {
            columns.destination.push(commit.destination.as_str());
            columns.key.push(key.key.as_str());
            columns.tenant.push(tenant(key));
        }
        columns
    }

    /// `None` if there is nothing to write.
    pub(super) fn params(&self) -> Option<Params<'_, 3>> {
        (!self.key.is_empty()).then_some([&self.destination, &self.key, &self.tenant])
    }
}

/// Lanes in which what waits for a paused tenant is looked at again.
pub(super) struct Recalled<'a> {
    destination: Vec<&'a str>,
    partition: Vec<i32>,
}

impl<'a> Recalled<'a> {
    pub(super) fn of(commits: &[&'a LaneCommit]) -> Self {
        let recalled = commits.iter().filter(|commit| commit.recall);
        let lane = |commit: &&'a LaneCommit| (commit.destination.as_str(), i32::from(commit.partition.number()));
        let (destination, partition) = recalled.map(lane).unzip();
        Self { destination, partition }
    }

    /// `None` if there is nothing to write.
    pub(super) fn params(&self) -> Option<Params<'_, 2>> {
        (!self.destination.is_empty()).then_some([&self.destination, &self.partition])
    }
}
