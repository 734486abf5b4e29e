//! What lanes record: one transaction for all of them, and the only write of the hot path.
//!
//! Cursors alone are one statement that does not wait for the disk: if it is lost, deliveries are repeated. Whatever else a lane
//! has to say waits, because a cursor that is written later would pass over a parked delivery that was lost.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use deadpool_postgres::Client;
use tokio::time::Instant;
use tokio_postgres::{GenericClient, Statement};

use self::columns::{Attempts, Cursors, Holds, Parks};
use super::{Postgres, register};
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{LaneCommit, Partition};

mod columns;

/// Between two marks of a lane: how exactly the time of a delivery is known.
const MARK_INTERVAL: Duration = Duration::from_secs(10);

/// When each lane was marked last, so that most commits need not ask.
#[derive(Debug, Default)]
pub(super) struct Marks(Mutex<HashMap<(Name, Partition), Instant>>);

impl Marks {
    /// Whether one of the lanes wants a mark; the others of the same commit do not mind.
    fn are_due(&self, commits: &[&LaneCommit]) -> bool {
        let mut marked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let mut any = false;
        for commit in commits.iter().filter(|commit| commit.cursor.is_some()) {
            let last = marked.entry((commit.destination.clone(), commit.partition)).or_insert(now);
            if now.duration_since(*last) >= MARK_INTERVAL {
                *last = now;
                any = true;
            }
        }
        any
    }
}

impl Postgres {
    pub(super) async fn record(&self, commits: &[LaneCommit]) -> Result<Vec<Partition>> {
        if commits.is_empty() {
            return Ok(Vec::new());
        }
        let mut client = self.client().await?;
        let mut refused = HashSet::new();
        for round in rounds(commits) {
            let mark = self.shared.marks.are_due(&round);
            let taken = if round.iter().all(|commit| commit.is_cursor_only()) {
                let statement = client.prepare_cached(include_str!("commit_cursor.sql")).await?;
                move_cursors(&**client, &statement, &round, mark, true).await?
            } else {
                record_all(&mut client, &round, mark).await?
            };
            for lost in round.iter().filter(|commit| !taken.contains(&lane(commit))) {
                // Refused, unless there is no such lane at all.
                register::known(&client, &lost.destination).await?;
                refused.insert(lost.partition);
            }
        }
        let mut refused: Vec<_> = refused.into_iter().collect();
        refused.sort_unstable();
        Ok(refused)
    }
}

type Lane<'a> = (&'a str, Partition);

fn lane(commit: &LaneCommit) -> Lane<'_> {
    (commit.destination.as_str(), commit.partition)
}

/// Commits of which no two are for the same lane, in order.
fn rounds(commits: &[LaneCommit]) -> Vec<Vec<&LaneCommit>> {
    let mut rounds: Vec<Vec<&LaneCommit>> = Vec::new();
    let mut seen: HashMap<Lane<'_>, usize> = HashMap::new();
    for commit in commits {
        let round = seen.entry(lane(commit)).and_modify(|round| *round += 1).or_insert(0);
        if *round == rounds.len() {
            rounds.push(Vec::new());
        }
        rounds[*round].push(commit);
    }
    rounds
}

/// Moves the cursors of the lanes that are still held, and returns those.
async fn move_cursors<'a>(
    client: &impl GenericClient,
    statement: &Statement,
    commits: &[&'a LaneCommit],
    mark: bool,
    quick: bool,
) -> Result<HashSet<Lane<'a>>> {
    let cursors = Cursors::of(commits);
    let rows = client.query(statement, &cursors.params(&mark, &quick)).await?;
    let mut taken = HashSet::new();
    for row in rows {
        let place: i64 = row.try_get(0)?;
        taken.extend(usize::try_from(place - 1).ok().and_then(|place| commits.get(place)).map(|commit| lane(commit)));
    }
    Ok(taken)
}

/// Everything, in one transaction. Sets after it removes, so that a repeated commit changes nothing.
async fn record_all<'a>(client: &mut Client, commits: &[&'a LaneCommit], mark: bool) -> Result<HashSet<Lane<'a>>> {
    let transaction = client.transaction().await?;
    let cursor = transaction.prepare_cached(include_str!("commit_cursor.sql")).await?;
    let taken = move_cursors(&*transaction, &cursor, commits, mark, false).await?;
    let accepted: Vec<_> = commits.iter().copied().filter(|commit| taken.contains(&lane(commit))).collect();
    let freed = columns::freed(&accepted);
    let unparked = columns::deliveries(&accepted, |commit| &commit.unpark);
    let let_go = columns::deliveries(&accepted, |commit| &commit.let_go);
    let removed = [(unparked, include_str!("commit_unpark.sql")), (let_go, include_str!("commit_let_go.sql"))];
    for ((seqs, destinations), sql) in removed.iter().filter(|((seqs, _), _)| !seqs.is_empty()) {
        let statement = transaction.prepare_cached(sql).await?;
        transaction.execute(&statement, &[seqs, destinations]).await?;
    }
    let parks = Parks::of(&accepted);
    if !parks.is_empty() {
        let statement = transaction.prepare_cached(include_str!("commit_park.sql")).await?;
        transaction.execute(&statement, &parks.params()).await?;
    }
    if !freed.0.is_empty() {
        let statement = transaction.prepare_cached(include_str!("commit_free.sql")).await?;
        transaction.execute(&statement, &[&freed.0, &freed.1, &freed.2]).await?;
    }
    let holds = Holds::of(&accepted);
    if !holds.is_empty() {
        let statement = transaction.prepare_cached(include_str!("commit_hold.sql")).await?;
        transaction.execute(&statement, &holds.params()).await?;
    }
    let attempts = Attempts::of(&accepted);
    if !attempts.is_empty() {
        let statement = transaction.prepare_cached(include_str!("commit_attempt.sql")).await?;
        transaction.execute(&statement, &attempts.params()).await?;
    }
    transaction.commit().await?;
    Ok(taken)
}
