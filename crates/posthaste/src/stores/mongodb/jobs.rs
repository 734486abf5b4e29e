//! Jobs: bulk operations piece by piece. A piece and its progress are one transaction; of two that change the same job, one is begun anew.

use std::time::Duration;

use mongodb::ClientSession;
use mongodb::bson::{Document, doc};
use mongodb::options::ReturnDocument;

use super::codec::{self, signed, text, timestamp, unsigned, whole};
use super::db::{Db, found, found_in};
use super::retry::in_transaction;
use super::state::{JOURNAL, State};
use super::{MongoDb, audit, error, operate, sequencer};
use crate::error::Result;
use crate::inspect::{Job, NewJob};
use crate::journal::WorkerId;
use crate::rules::job;
use crate::stores::values;

pub(super) async fn create_job(store: &MongoDb, new: &NewJob) -> Result<Job> {
    sequencer::number_new(store).await?;
    let db = store.db();
    in_transaction!(db, session => create(db, &mut session, new))
}

/// The number comes from the one document that all who make jobs write to, so it grows.
async fn create(db: &Db, session: &mut ClientSession, new: &NewJob) -> Result<Job> {
    let state = State::load(db, session).await?;
    let next = db.state.find_one_and_update(doc! { "_id": JOURNAL }, doc! { "$inc": { "jobs": 1i64 } });
    let counted = next.return_document(ReturnDocument::After).session(&mut *session).await?;
    let number = whole(&counted.ok_or_else(error::no_journal)?, "jobs")?;
    let begun = job::begin(new, codec::position(state.newest), timestamp(state.now));
    let job = Job { number: unsigned(number), ..begun };
    db.jobs
        .insert_one(doc! { "_id": number, "isOpen": true, "document": values::document(&job)? })
        .session(session)
        .await?;
    Ok(job)
}

pub(super) async fn jobs(store: &MongoDb, before: Option<u64>, limit: usize) -> Result<Vec<Job>> {
    let (before, limit) = (before.map_or(i64::MAX, signed), signed(limit));
    if limit == 0 {
        return Ok(Vec::new());
    }
    let older = store.db().jobs.find(doc! { "_id": { "$lt": before } }).sort(doc! { "_id": -1 });
    found(older.limit(limit).await?).await?.iter().map(read).collect()
}

/// Most of the time there is nothing to do, and to find that out nothing is written.
pub(super) async fn work(store: &MongoDb, worker: &WorkerId, ttl: Duration, only: Option<u64>) -> Result<Option<Job>> {
    let db = store.db();
    if db.jobs.find_one(open(only)).await?.is_none() {
        return Ok(None);
    }
    let job = in_transaction!(db, session => piece(db, &mut session, worker, ttl, only))?;
    store.shared.change_stream.feed().announce();
    Ok(job)
}

async fn piece(
    db: &Db,
    session: &mut ClientSession,
    worker: &WorkerId,
    ttl: Duration,
    only: Option<u64>,
) -> Result<Option<Job>> {
    let now = State::load(db, session).await?.now;
    let candidates = db.jobs.find(open(only)).sort(doc! { "_id": 1 }).limit(100).session(&mut *session).await?;
    let candidates = found_in(candidates, session).await?.iter().map(read).collect::<Result<Vec<Job>>>()?;
    let taken = candidates.into_iter().find_map(|mut job| {
        let taken = job::take(&mut job, worker, ttl, timestamp(now));
        taken.then_some(job)
    });
    let Some(mut job) = taken else { return Ok(None) };
    let (report, upto) = operate::piece(db, session, &job, now).await?;
    job::carried(&mut job, &report, upto, timestamp(now));
    if !job.is_open() {
        audit::append(db, session, &job.change()).await?;
    }
    save(db, session, &job).await?;
    Ok(Some(job))
}

pub(super) async fn stop_job(store: &MongoDb, number: u64, who: &str) -> Result<Option<Job>> {
    let db = store.db();
    in_transaction!(db, session => stop(db, &mut session, number, who))
}

async fn stop(db: &Db, session: &mut ClientSession, number: u64, who: &str) -> Result<Option<Job>> {
    let now = State::load(db, session).await?.now;
    let found = db.jobs.find_one(doc! { "_id": signed(number) }).session(&mut *session).await?;
    let Some(mut job) = found.map(|found| read(&found)).transpose()? else { return Ok(None) };
    if let Some(change) = job::stop(&mut job, who, timestamp(now)) {
        audit::append(db, session, &job.change()).await?;
        audit::append(db, session, &change).await?;
        save(db, session, &job).await?;
    }
    Ok(Some(job))
}

fn open(only: Option<u64>) -> Document {
    let mut wanted = doc! { "isOpen": true };
    wanted.extend(only.map(|number| ("_id".to_owned(), signed(number).into())));
    wanted
}

async fn save(db: &Db, session: &mut ClientSession, job: &Job) -> Result<()> {
    let saved = doc! { "$set": { "isOpen": job.is_open(), "document": values::document(job)? } };
    db.jobs.update_one(doc! { "_id": signed(job.number) }, saved).session(session).await?;
    Ok(())
}

fn read(document: &Document) -> Result<Job> {
    values::job(whole(document, "_id")?, &text(document, "document")?)
}
