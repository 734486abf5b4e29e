//! How a job goes on: who may carry it out, and what a piece of it changes. A store does the rest in one transaction.
//!
//! ```text
//!   waiting ──take──► running ──carried, more──► running ──carried, no more──► done
//!      └───────────────┴── stop ──► stopped
//! ```

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::inspect::{Change, Job, JobState, NewJob, OperationReport};
use crate::journal::{Position, WorkerId};

/// Deliveries of one piece, give or take those that are found together: a transaction short enough that nobody has to wait for it.
pub const PIECE: usize = 500;

/// Messages that are looked at for one piece, so that a job that selects little stays in short transactions too.
const LOOKED_AT: usize = 5_000;

/// How much of a piece is done.
#[derive(Debug, Default)]
pub struct Piece {
    deliveries: usize,
    looked_at: usize,
}

impl Piece {
    /// Whether there is room for more.
    pub fn goes_on(&self) -> bool {
        self.deliveries < PIECE && self.looked_at < LOOKED_AT
    }

    /// So many deliveries were found among so many messages.
    pub fn add(&mut self, deliveries: usize, looked_at: usize) {
        self.deliveries += deliveries;
        self.looked_at += looked_at;
    }
}

/// A job that nobody has begun. It ends at `until`, the newest position when it was asked for.
pub fn begin(new: &NewJob, until: Position, now: Timestamp) -> Job {
    Job {
        number: 0,
        operation: new.operation,
        query: new.query.clone(),
        who: new.who.clone(),
        state: JobState::Waiting,
        created_at: now,
        started_at: None,
        ended_at: None,
        affected: 0,
        not_applicable: 0,
        overtaken: 0,
        expected: new.expected,
        worker: None,
        filter: new.filter.clone(),
        upto: Position::START,
        until,
        leased_until: None,
    }
}

/// Takes a job, or goes on with it, unless somebody else is at it. Returns whether that succeeded.
pub fn take(job: &mut Job, worker: &WorkerId, ttl: Duration, now: Timestamp) -> bool {
    let ours = job.worker.as_deref() == Some(worker.0.as_str());
    let free = job.leased_until.is_none_or(|until| until <= now);
    if !job.is_open() || !(ours || free) {
        return false;
    }
    job.worker = Some(worker.0.clone());
    let ttl = SignedDuration::try_from(ttl).unwrap_or(SignedDuration::MAX);
    job.leased_until = Some(now.checked_add(ttl).unwrap_or(Timestamp::MAX));
    job.started_at = job.started_at.or(Some(now));
    job.state = JobState::Running;
    true
}

/// Takes note of a piece that reached up to `upto`; `None` if it came to the end of what there is.
pub fn carried(job: &mut Job, report: &OperationReport, upto: Option<Position>, now: Timestamp) {
    job.affected += report.affected;
    job.not_applicable += report.not_applicable;
    job.overtaken += report.overtaken;
    match upto.filter(|upto| upto.seq < job.until.seq) {
        Some(upto) => job.upto = upto,
        None => {
            job.upto = job.until;
            end(job, JobState::Done, now);
        }
    }
}

/// Stops a job, and returns what the audit log says of that; `None` if there is nothing to stop.
pub fn stop(job: &mut Job, who: &str, now: Timestamp) -> Option<Change> {
    if !job.is_open() {
        return None;
    }
    end(job, JobState::Stopped, now);
    let target = format!("job {}", job.number);
    Some(Change { who: who.into(), action: "stop".into(), target, affected: job.affected })
}

fn end(job: &mut Job, state: JobState, now: Timestamp) {
    job.state = state;
    job.ended_at = Some(now);
    job.leased_until = None;
}

/// Whether a delivery at this place is part of a job.
pub fn is_part(job: &Job, position: Position) -> bool {
    position.seq <= job.until.seq
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::{Filter, Operation};

    const TTL: Duration = Duration::from_secs(30);

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("a time in range")
    }

    fn job() -> Job {
        let new = NewJob {
            who: "ann".into(),
            operation: Operation::Replay,
            filter: Filter::default(),
            query: String::new(),
            expected: None,
        };
        begin(&new, Position::seq(10), at(0))
    }

    fn worker(name: &str) -> WorkerId {
        WorkerId(name.into())
    }

    #[test]
    fn one_worker_has_a_job_until_its_time_is_up() {
        let mut job = job();
        assert!(take(&mut job, &worker("a"), TTL, at(0)));
        assert!(!take(&mut job, &worker("b"), TTL, at(29)));
        assert!(take(&mut job, &worker("a"), TTL, at(29)), "who has it goes on");
        assert!(!take(&mut job, &worker("b"), TTL, at(58)));
        assert!(take(&mut job, &worker("b"), TTL, at(59)), "the other one died");
        assert_eq!(job.started_at, Some(at(0)));
    }

    #[test]
    fn a_job_ends_where_the_journal_ended_when_it_was_asked_for() {
        let mut job = job();
        let report = OperationReport { affected: 3, ..OperationReport::default() };
        carried(&mut job, &report, Some(Position::seq(9)), at(1));
        assert_eq!((job.affected, job.is_open(), job.upto), (3, true, Position::seq(9)));
        carried(&mut job, &report, Some(Position::seq(12)), at(2));
        assert_eq!((job.affected, job.state, job.ended_at), (6, JobState::Done, Some(at(2))));
        assert!(!take(&mut job, &worker("a"), TTL, at(3)));
        assert!(is_part(&job, Position::seq(10)) && !is_part(&job, Position::seq(11)));
    }

    #[test]
    fn a_piece_that_reaches_the_end_is_the_last_one() {
        let mut job = job();
        let report = OperationReport { affected: 1, not_applicable: 2, overtaken: 3 };
        take(&mut job, &worker("a"), TTL, at(0));
        carried(&mut job, &report, Some(Position::seq(4)), at(1));
        carried(&mut job, &report, Some(Position::seq(10)), at(2));
        assert_eq!((job.affected, job.not_applicable, job.overtaken), (2, 4, 6));
        assert_eq!((job.state, job.upto, job.leased_until), (JobState::Done, Position::seq(10), None));
    }

    #[test]
    fn a_piece_is_full_with_500_deliveries_or_5_000_messages_looked_at() {
        let goes_on = |deliveries: usize, looked_at: usize| {
            let mut piece = Piece::default();
            piece.add(1, 1);
            piece.add(deliveries - 1, looked_at - 1);
            piece.goes_on()
        };
        assert!(goes_on(499, 4_999) && !goes_on(500, 500) && !goes_on(1, 5_000) && !goes_on(501, 5_001));
    }

    #[test]
    fn a_job_is_stopped_once() {
        let mut job = job();
        take(&mut job, &worker("a"), TTL, at(0));
        let change = stop(&mut job, "bob", at(1)).unwrap();
        assert_eq!((change.who.as_str(), change.action.as_str(), change.target.as_str()), ("bob", "stop", "job 0"));
        assert_eq!((job.ended_at, job.leased_until), (Some(at(1)), None));
        assert_eq!((job.state, stop(&mut job, "bob", at(2))), (JobState::Stopped, None));
    }
}
