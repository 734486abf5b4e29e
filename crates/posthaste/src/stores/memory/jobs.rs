//! Jobs: bulk operations piece by piece.

use std::time::Duration;

use super::core::{Core, timestamp};
use crate::inspect::{Job, Mode, NewJob, OperationReport};
use crate::journal::{Position, WorkerId};
use crate::rules::job;

impl Core {
    /// See [`crate::inspect::Inspect::create_job`].
    pub fn create_job(&mut self, new: &NewJob) -> Job {
        let number = self.jobs.len() as u64 + 1;
        let job = Job { number, ..job::begin(new, self.newest, timestamp(self.now)) };
        self.jobs.push(job.clone());
        job
    }

    /// See [`crate::inspect::Inspect::jobs`].
    pub fn jobs(&self, before: Option<u64>, limit: usize) -> Vec<Job> {
        let older = |job: &&Job| before.is_none_or(|before| job.number < before);
        self.jobs.iter().rev().filter(older).take(limit).cloned().collect()
    }

    /// See [`crate::inspect::Inspect::work`].
    pub fn work(&mut self, worker: &WorkerId, ttl: Duration, only: Option<u64>) -> Option<Job> {
        let now = timestamp(self.now);
        let wanted = |job: &Job| only.is_none_or(|only| job.number == only);
        let mut job = self.jobs.iter().filter(|job| wanted(job)).cloned().find_map(|mut job| {
            let taken = job::take(&mut job, worker, ttl, now);
            taken.then_some(job)
        })?;
        let (report, upto) = self.piece(&job);
        job::carried(&mut job, &report, upto, now);
        if !job.is_open() {
            self.record(job.change());
        }
        self.save(&job);
        Some(job)
    }

    /// See [`crate::inspect::Inspect::stop_job`].
    pub fn stop_job(&mut self, number: u64, who: &str) -> Option<Job> {
        let mut job = self.jobs.iter().find(|job| job.number == number).cloned()?;
        if let Some(change) = job::stop(&mut job, who, timestamp(self.now)) {
            self.record(job.change());
            self.record(change);
            self.save(&job);
        }
        Some(job)
    }

    fn save(&mut self, job: &Job) {
        if let Some(place) = self.jobs.iter_mut().find(|one| one.number == job.number) {
            place.clone_from(job);
        }
    }

    /// Carries out the next piece, and says up to where that was, unless it was the end.
    fn piece(&mut self, job: &Job) -> (OperationReport, Option<Position>) {
        let mut piece = job::Piece::default();
        let (mut upto, mut total) = (job.upto, OperationReport::default());
        let places: Vec<Position> = self.journal.keys().filter(|place| **place > job.upto).copied().collect();
        for position in places {
            if !piece.goes_on() {
                return (total, Some(upto));
            }
            if job::is_part(job, position) {
                let report = self.operate_at(job.operation, &job.filter, Mode::Apply, Some(position));
                piece.add((report.affected + report.not_applicable) as usize, 1);
                total.affected += report.affected;
                total.not_applicable += report.not_applicable;
                total.overtaken += report.overtaken;
            }
            upto = position;
        }
        (total, None)
    }
}
