//! Jobs: bulk operations piece by piece. A piece and its progress are one transaction.

use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, named_params};

use super::{Sqlite, advance, audit, codec, operate};
use crate::error::Result;
use crate::inspect::{Job, NewJob};
use crate::journal::WorkerId;
use crate::rules::job;
use crate::stores::values;

pub(super) async fn create_job(store: &Sqlite, new: &NewJob) -> Result<Job> {
    let new = new.clone();
    store
        .writing(move |transaction| {
            let mut job = job::begin(&new, advance::newest(transaction)?, now());
            let document = named_params! { ":document": values::document(&job)? };
            transaction.prepare_cached(include_str!("sql/jobs/create.sql"))?.execute(document)?;
            job.number = values::unsigned(transaction.last_insert_rowid());
            Ok(job)
        })
        .await
}

pub(super) async fn jobs(store: &Sqlite, before: Option<u64>, limit: usize) -> Result<Vec<Job>> {
    store.inspecting(move |connection| list(connection, before.map_or(i64::MAX, values::signed), limit)).await
}

/// Most of the time there is nothing to do, and to find that out nothing is locked.
pub(super) async fn work(store: &Sqlite, worker: &WorkerId, ttl: Duration, only: Option<u64>) -> Result<Option<Job>> {
    let (first, second) = (worker.clone(), worker.clone());
    let found = store.inspecting(move |connection| find(connection, &first, ttl, only)).await?;
    if found.is_none() {
        return Ok(None);
    }
    let worked = store.writing(move |transaction| {
        let Some(mut job) = find(transaction, &second, ttl, only)? else { return Ok(None) };
        let (report, upto) = operate::piece(transaction, &job)?;
        job::carried(&mut job, &report, upto, now());
        if !job.is_open() {
            audit::append(transaction, &job.change())?;
        }
        save(transaction, &job)?;
        Ok(Some(job))
    });
    let job = worked.await?;
    store.wake();
    Ok(job)
}

pub(super) async fn stop_job(store: &Sqlite, number: u64, who: &str) -> Result<Option<Job>> {
    let who = who.to_owned();
    store
        .writing(move |transaction| {
            let before = values::signed(number).saturating_add(1);
            let found = list(transaction, before, 1)?.pop().filter(|job| job.number == number);
            let Some(mut job) = found else { return Ok(None) };
            if let Some(change) = job::stop(&mut job, &who, now()) {
                audit::append(transaction, &job.change())?;
                audit::append(transaction, &change)?;
                save(transaction, &job)?;
            }
            Ok(Some(job))
        })
        .await
}

/// The oldest open job that this worker may carry out, as taken.
fn find(connection: &Connection, worker: &WorkerId, ttl: Duration, only: Option<u64>) -> Result<Option<Job>> {
    let mut statement = connection.prepare_cached(include_str!("sql/jobs/any.sql"))?;
    let mut rows = statement.query(named_params! { ":only": only.map(values::signed) })?;
    while let Some(row) = rows.next()? {
        let mut job = values::job(row.get("number")?, &row.get::<_, String>("document")?)?;
        if job::take(&mut job, worker, ttl, now()) {
            return Ok(Some(job));
        }
    }
    Ok(None)
}

fn list(connection: &Connection, before: i64, limit: usize) -> Result<Vec<Job>> {
    let mut statement = connection.prepare_cached(include_str!("sql/jobs/list.sql"))?;
    let rows = statement.query(named_params! { ":before": before, ":limit": values::signed(limit) })?;
    rows.and_then(|row| values::job(row.get("number")?, &row.get::<_, String>("document")?)).collect()
}

fn save(connection: &Connection, job: &Job) -> Result<()> {
    let mut statement = connection.prepare_cached(include_str!("sql/jobs/save.sql"))?;
    let number = values::signed(job.number);
    statement
        .execute(named_params! { ":number": number, ":is_open": job.is_open(), ":document": values::document(job)? })?;
    Ok(())
}

fn now() -> Timestamp {
    values::timestamp(codec::now())
}
