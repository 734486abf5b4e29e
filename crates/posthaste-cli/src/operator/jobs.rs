//! Replays and discards of many: jobs, which workers carry out.

use std::time::Duration;

use posthaste::inspect::{Change, Filter, Job, NewJob, Operation};
use posthaste::journal::WorkerId;
use serde::Serialize;

use super::Operator;
use crate::exit::Misuse;
use crate::selection::{Selection, line};

/// How long a job is left to a command of which nothing is heard.
const LEASE: Duration = Duration::from_secs(15);

/// Between two looks at a job that a worker carries out.
const WATCHING: Duration = Duration::from_millis(300);

impl Operator {
    /// Puts a job on record, for workers to carry out.
    pub async fn create_job(
        &self,
        who: &str,
        operation: Operation,
        filter: &Filter,
        expected: Option<u64>,
    ) -> anyhow::Result<Job> {
        refuse_everything(filter)?;
        let query = line::write(&Selection::from(filter));
        let new = NewJob { who: who.into(), operation, filter: filter.clone(), query, expected };
        let job = self.store.create_job(&new).await?;
        let Change { action, target, .. } = job.change();
        self.record(who, "job", format!("{}: {action} {target}", job.number), 0).await?;
        Ok(job)
    }

    /// Carries a job out here and now, or watches whoever does, until it has ended.
    pub async fn carry_out(&self, who: &str, number: u64, step: impl Fn(&Job)) -> anyhow::Result<Job> {
        let worker = WorkerId(who.to_owned());
        loop {
            let job = match self.store.work(&worker, LEASE, Some(number)).await? {
                Some(job) => job,
                None => {
                    tokio::time::sleep(WATCHING).await;
                    self.job(number).await?
                }
            };
            if !job.is_open() {
                return Ok(job);
            }
            step(&job);
        }
    }

    pub async fn jobs(&self, before: Option<u64>, limit: usize) -> posthaste::Result<Vec<Job>> {
        self.store.jobs(before, limit).await
    }

    pub async fn job(&self, number: u64) -> anyhow::Result<Job> {
        let found = self.store.jobs(number.checked_add(1), 1).await?.pop().filter(|job| job.number == number);
        found.ok_or_else(|| unknown(number).into())
    }

    /// Stops a job; one that has ended is left as it is.
    pub async fn stop_job(&self, who: &str, number: u64) -> anyhow::Result<Job> {
        self.store.stop_job(number, who).await?.ok_or_else(|| unknown(number).into())
    }
}

fn unknown(number: u64) -> posthaste::Error {
    posthaste::Error::new(
        posthaste::error::Kind::NotFound,
        format!("there is no job {number}: `posthaste jobs` lists them"),
    )
}

/// A selection of everything is more likely a mistake.
pub fn refuse_everything(filter: &Filter) -> Result<(), Misuse> {
    if *filter == Filter::default() {
        let text = "say which deliveries: ids, or filters such as --status dead --destination NAME";
        return Err(Misuse(text.into()));
    }
    Ok(())
}

/// A job as programs see it.
#[derive(Debug, Serialize)]
pub struct JobAnswer {
    pub id: u64,
    pub operation: Operation,
    pub query: String,
    pub who: String,
    pub state: posthaste::inspect::JobState,
    pub created_at: jiff::Timestamp,
    pub started_at: Option<jiff::Timestamp>,
    pub ended_at: Option<jiff::Timestamp>,
    pub affected: u64,
    pub not_applicable: u64,
    pub overtaken: u64,
    pub expected: Option<u64>,
    pub worker: Option<String>,
}

impl From<Job> for JobAnswer {
    fn from(job: Job) -> Self {
        Self {
            id: job.number,
            operation: job.operation,
            query: job.query,
            who: job.who,
            state: job.state,
            created_at: job.created_at,
            started_at: job.started_at,
            ended_at: job.ended_at,
            affected: job.affected,
            not_applicable: job.not_applicable,
            overtaken: job.overtaken,
            expected: job.expected,
            worker: job.worker,
        }
    }
}
