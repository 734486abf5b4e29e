//! Jobs: bulk operations piece by piece. A piece and its progress are one transaction.

use std::time::Duration;

use jiff::Timestamp;
use mysql_async::prelude::Queryable;
use mysql_async::{Row, Transaction, params};

use super::retry::again;
use super::{MySql, audit, codec, connection, operate, sequencer};
use crate::error::Result;
use crate::inspect::{Job, NewJob};
use crate::journal::WorkerId;
use crate::rules::job;
use crate::stores::values;

pub(super) async fn create_job(store: &MySql, new: &NewJob) -> Result<Job> {
    sequencer::place_new(store).await?;
    let mut connection = store.connection().await?;
    let newest: Option<Row> = connection.exec_first(include_str!("sql/jobs/newest.sql"), ()).await?;
    let newest = newest.ok_or_else(super::seam::no_journal)?;
    let mut job = job::begin(new, codec::position(&newest, "newest")?, now(&newest)?);
    let document = params! { "document" => values::document(&job)? };
    connection.exec_drop(include_str!("sql/jobs/create.sql"), document).await?;
    job.number = connection.last_insert_id().unwrap_or_default();
    Ok(job)
}

pub(super) async fn jobs(store: &MySql, before: Option<u64>, limit: usize) -> Result<Vec<Job>> {
    let latest = params! { "before" => before.map_or(i64::MAX, values::signed), "limit" => values::signed(limit) };
    let rows: Vec<Row> = store.connection().await?.exec(include_str!("sql/jobs/list.sql"), latest).await?;
    rows.iter().map(read).collect()
}

/// Most of the time there is nothing to do, and to find that out nothing is locked.
pub(super) async fn work(store: &MySql, worker: &WorkerId, ttl: Duration, only: Option<u64>) -> Result<Option<Job>> {
    let wanted = params! { "only" => only.map(values::signed) };
    let rows: Vec<Row> = store.connection().await?.exec(include_str!("sql/jobs/any.sql"), wanted).await?;
    let Some(number) = first(&rows, worker, ttl)? else { return Ok(None) };
    let job = again!(piece(store, worker, ttl, number))?;
    store.wake();
    Ok(job)
}

async fn piece(store: &MySql, worker: &WorkerId, ttl: Duration, number: i64) -> Result<Option<Job>> {
    let mut connection = store.connection().await?;
    let mut transaction = connection::begin(&mut connection).await?;
    let found = lock(&mut transaction, number).await?;
    let taken = found.filter(|(job, now)| job::take(&mut job.clone(), worker, ttl, *now));
    let Some((mut job, now)) = taken else {
        transaction.rollback().await?;
        return Ok(None);
    };
    job::take(&mut job, worker, ttl, now);
    let (report, upto) = operate::piece(&mut transaction, &job).await?;
    job::carried(&mut job, &report, upto, now);
    if !job.is_open() {
        audit::append(&mut transaction, &job.change()).await?;
    }
    save(&mut transaction, &job).await?;
    transaction.query_drop(include_str!("sql/wake.sql")).await?;
    transaction.commit().await?;
    Ok(Some(job))
}

pub(super) async fn stop_job(store: &MySql, number: u64, who: &str) -> Result<Option<Job>> {
    again!(stop(store, values::signed(number), who))
}

async fn stop(store: &MySql, number: i64, who: &str) -> Result<Option<Job>> {
    let mut connection = store.connection().await?;
    let mut transaction = connection::begin(&mut connection).await?;
    let Some((mut job, now)) = lock(&mut transaction, number).await? else {
        transaction.rollback().await?;
        return Ok(None);
    };
    if let Some(change) = job::stop(&mut job, who, now) {
        audit::append(&mut transaction, &job.change()).await?;
        audit::append(&mut transaction, &change).await?;
        save(&mut transaction, &job).await?;
    }
    transaction.commit().await?;
    Ok(Some(job))
}

/// The number of the oldest open job that this worker may carry out, as it seems.
fn first(rows: &[Row], worker: &WorkerId, ttl: Duration) -> Result<Option<i64>> {
    for row in rows {
        if job::take(&mut read(row)?, worker, ttl, now(row)?) {
            return Ok(Some(codec::get(row, "number")?));
        }
    }
    Ok(None)
}

/// A job that nobody else changes until the end of the transaction, and the time.
async fn lock(transaction: &mut Transaction<'_>, number: i64) -> Result<Option<(Job, Timestamp)>> {
    let wanted = params! { "number" => number };
    let row: Option<Row> = transaction.exec_first(include_str!("sql/jobs/one.sql"), wanted).await?;
    row.map(|row| Ok((read(&row)?, now(&row)?))).transpose()
}

async fn save(transaction: &mut Transaction<'_>, job: &Job) -> Result<()> {
    let saved = params! {
        "number" => values::signed(job.number),
        "is_open" => job.is_open(),
        "document" => values::document(job)?,
    };
    Ok(transaction.exec_drop(include_str!("sql/jobs/save.sql"), saved).await?)
}

fn read(row: &Row) -> Result<Job> {
    values::job(codec::get(row, "number")?, &codec::get::<String>(row, "document")?)
}

fn now(row: &Row) -> Result<Timestamp> {
    Ok(codec::timestamp(row, "now")?.unwrap_or_default())
}
