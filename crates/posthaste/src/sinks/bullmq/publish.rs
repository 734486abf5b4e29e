//! Putting jobs into a queue, and waiting until they have ended.

use std::sync::{Arc, LazyLock};

use redis::Cmd;

use super::Bullmq;
use super::encode::Job;
use super::queue::Queue;
use super::verdict::{Ended, of_job, read};
use crate::sink::redis_client::{Connection, Script};
use crate::sink::{Delivery, Error, Outcome, Run};

static ADD: LazyLock<Script> =
    LazyLock::new(|| Script::new(concat!(include_str!("finished.lua"), include_str!("add.lua"))));
static LOOK: LazyLock<Script> =
    LazyLock::new(|| Script::new(concat!(include_str!("finished.lua"), include_str!("look.lua"))));

/// While a script runs nobody else is served, so it is not given more than a moment's work.
const MAX_BYTES: usize = 2 << 20;

impl Bullmq {
    /// One job after the other, each when the one before has been completed.
    pub(super) async fn hand_off(&self, run: &Run) -> Outcome {
        let mut replies = Vec::new();
        for (confirmed, delivery) in run.deliveries.iter().enumerate() {
            match self.have_done(run, delivery).await {
                Ok(reply) => replies.push(reply),
                Err((error, progress)) => {
                    return Outcome { progress, ..Outcome::stopped(confirmed, error).with_replies(replies) };
                }
            }
        }
        Outcome::delivered(run).with_replies(replies)
    }

    /// Has a worker do the job of a message, unless one is at it or has done it; its reply. A failure comes with what the next attempt
    /// must know.
    async fn have_done(&self, run: &Run, delivery: &Delivery) -> Result<Option<String>, (Error, Option<Vec<u8>>)> {
        let job = Job::of(&self.settings, run, delivery).map_err(|error| (error, None))?;
        let ended = self.end(&job).await.map_err(|error| (error, None))?;
        let failed = matches!(ended, Ended::Failed { .. });
        of_job(&job, ended).map_err(|error| (error, failed.then(|| job.progress())))
    }

    async fn end(&self, job: &Job<'_>) -> Result<Ended, Error> {
        let queue = self.queues.get(&job.queue)?;
        let ticket = queue.expect(&job.id);
        queue.listen().await?;
        let added = self.add(&queue, std::slice::from_ref(job)).await?;
        match added.into_iter().next().flatten() {
            Some(ended) => Ok(ended),
            None => ticket.wait().await,
        }
    }

    /// Leaves the jobs in their queues, as many at once as go to the same one.
    pub(super) async fn leave(&self, run: &Run) -> Outcome {
        let mut confirmed = 0;
        while confirmed < run.deliveries.len() {
            match self.leave_some(run, &run.deliveries[confirmed..]).await {
                Ok(left) => confirmed += left,
                Err(error) => return Outcome::stopped(confirmed, error),
            }
        }
        Outcome::delivered(run)
    }

    /// The first of `deliveries`, and those after it that go along. An error is about the first.
    async fn leave_some(&self, run: &Run, deliveries: &[Delivery]) -> Result<usize, Error> {
        let mut jobs = vec![Job::of(&self.settings, run, &deliveries[0])?];
        let mut bytes = jobs[0].data.len();
        for delivery in &deliveries[1..] {
            match Job::of(&self.settings, run, delivery) {
                Ok(job) if job.queue == jobs[0].queue && bytes + job.data.len() <= MAX_BYTES => {
                    bytes += job.data.len();
                    jobs.push(job);
                }
                _ => break,
            }
        }
        let queue = self.queues.get(&jobs[0].queue)?;
        self.add(&queue, &jobs).await?;
        Ok(jobs.len())
    }

    /// Adds jobs; those of them that have ended, how.
    async fn add(&self, queue: &Arc<Queue>, jobs: &[Job<'_>]) -> Result<Vec<Option<Ended>>, Error> {
        let mut command = call(&ADD, &queue.base);
        command.arg(self.settings.delay.as_millis() as u64).arg(self.settings.priority);
        for job in jobs {
            command.arg(&job.id).arg(job.name).arg(&job.data).arg(&job.options);
            command.arg(job.number).arg(if job.again { "again" } else { "" });
        }
        self.commands.call(&ADD, &command, |answer| read(answer, jobs.len())).await
    }
}

/// What became of jobs: those of them that have ended, how.
pub(super) async fn look(commands: &Connection, base: &str, ids: &[String]) -> Result<Vec<Option<Ended>>, Error> {
    let mut command = call(&LOOK, base);
    command.arg(ids);
    commands.call(&LOOK, &command, |answer| read(answer, ids.len())).await
}

fn call(script: &Script, base: &str) -> Cmd {
    let mut command = redis::cmd("EVALSHA");
    command.arg(script.hash()).arg(1).arg(format!("{base}meta")).arg(base);
    command
}
