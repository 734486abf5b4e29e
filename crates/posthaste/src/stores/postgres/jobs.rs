//! Jobs: bulk operations piece by piece. A piece and its progress are one transaction.

use std::time::Duration;

use jiff::Timestamp;
use tokio_postgres::Row;

use super::session::{Statements, Transaction};
use super::{Postgres, audit, codec, operate};
use crate::error::Result;
use crate::inspect::{Job, NewJob};
use crate::journal::WorkerId;
use crate::rules::job;
use crate::stores::values::{self, signed, unsigned};

pub(super) async fn create_job(store: &Postgres, new: &NewJob) -> Result<Job> {
    let client = store.client().await?;
    let newest = client.query_one(include_str!("sql/jobs/newest.sql"), &[]).await?;
    let until = codec::position(newest.try_get("n")?, newest.try_get("end_seq")?);
    let mut job = job::begin(new, until, now(&newest)?);
    let row = client.query_one(include_str!("sql/jobs/create.sql"), &[&values::document(&job)?]).await?;
    job.number = unsigned(row.try_get("number")?);
    Ok(job)
}

pub(super) async fn jobs(store: &Postgres, before: Option<u64>, limit: usize) -> Result<Vec<Job>> {
    let client = store.client().await?;
    let rows =
        client.query(include_str!("sql/jobs/list.sql"), &[&before.map_or(i64::MAX, signed), &signed(limit)]).await?;
    rows.iter().map(read).collect()
}

/// Most of the time there is nothing to do, and to find that out nothing is locked.
pub(super) async fn work(store: &Postgres, worker: &WorkerId, ttl: Duration, only: Option<u64>) -> Result<Option<Job>> {
    let mut client = store.client().await?;
    let rows = client.query(include_str!("sql/jobs/any.sql"), &[&only.map(signed)]).await?;
    let Some(number) = first(&rows, worker, ttl)? else { return Ok(None) };
    let transaction = client.unhurried().await?;
    let Some((mut job, now)) = lock(&transaction, number).await? else { return Ok(None) };
    if !job::take(&mut job, worker, ttl, now) {
        return Ok(None);
    }
    let (report, upto) = operate::piece(&transaction, &job).await?;
    job::carried(&mut job, &report, upto, now);
    if !job.is_open() {
        audit::append(&transaction, &job.change()).await?;
    }
    save(&transaction, &job).await?;
    transaction.execute(include_str!("sql/wake.sql"), &[]).await?;
    transaction.commit().await?;
    store.wake();
    Ok(Some(job))
}

pub(super) async fn stop_job(store: &Postgres, number: u64, who: &str) -> Result<Option<Job>> {
    let mut client = store.client().await?;
    let transaction = client.unhurried().await?;
    let Some((mut job, now)) = lock(&transaction, signed(number)).await? else { return Ok(None) };
    if let Some(change) = job::stop(&mut job, who, now) {
        audit::append(&transaction, &job.change()).await?;
        audit::append(&transaction, &change).await?;
        save(&transaction, &job).await?;
    }
    transaction.commit().await?;
    Ok(Some(job))
}

/// The number of the oldest open job that this worker may carry out, as it seems.
fn first(rows: &[Row], worker: &WorkerId, ttl: Duration) -> Result<Option<i64>> {
    for row in rows {
        if job::take(&mut read(row)?, worker, ttl, now(row)?) {
            return Ok(Some(row.try_get("number")?));
        }
    }
    Ok(None)
}

/// A job that nobody else changes until the end of the transaction, and the time.
async fn lock(transaction: &Transaction<'_>, number: i64) -> Result<Option<(Job, Timestamp)>> {
    let row = transaction.query_opt(include_str!("sql/jobs/one.sql"), &[&number]).await?;
    row.map(|row| Ok((read(&row)?, now(&row)?))).transpose()
}

async fn save(transaction: &Transaction<'_>, job: &Job) -> Result<()> {
    transaction
        .execute(include_str!("sql/jobs/save.sql"), &[&signed(job.number), &job.is_open(), &values::document(job)?])
        .await?;
    Ok(())
}

fn read(row: &Row) -> Result<Job> {
    values::job(row.try_get("number")?, row.try_get("document")?)
}

fn now(row: &Row) -> Result<Timestamp> {
    Ok(codec::timestamp(row, "now")?.unwrap_or_default())
}
