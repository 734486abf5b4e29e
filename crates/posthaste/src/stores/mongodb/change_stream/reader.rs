//! Reading the change stream.
//!
//! Whatever happens to it (a lost connection, a token that the oplog no longer reaches, an `invalidate`, a fatal error) has one
//! answer: note that something may have been missed, which makes everyone read, and open another one, first where the last one
//! was, then from now on. When it is open, everyone reads once more: what was written in between is in the collection.

use std::sync::Arc;
use std::time::Duration;

use mongodb::bson::{RawDocumentBuf, doc};
use mongodb::change_stream::ChangeStream;
use mongodb::change_stream::event::ResumeToken;
use mongodb::options::ReadConcern;
use tokio::time::{Instant, sleep, timeout};

use super::super::codec::corrupt;
use super::super::db::Db;
use super::super::error;
use super::feed::{Feed, StreamState};
use super::resume_token;
use crate::error::{Error, Result};

/// How long the server waits before it says that there is nothing; each answer moves the token on.
const AWAIT: Duration = Duration::from_millis(1_000);

/// A stream that says nothing at all for this long, not even that there is nothing, is dead.
const SILENCE: Duration = Duration::from_secs(10);

const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Reads the stream for as long as the store is there.
pub(super) async fn follow(db: Db, feed: Arc<Feed>) {
    let mut pause = FIRST_PAUSE;
    let mut resume = resume_token::load(&db).await.unwrap_or_default();
    loop {
        let opened = Instant::now();
        let state = if resume.is_some() { StreamState::CatchingUp } else { StreamState::Live };
        let error = match open(&db, resume.take()).await {
            Ok(stream) => {
                // Whatever happened before is not in this stream: everyone looks for it in the collection.
                feed.note_state(state);
                read(&db, &feed, stream).await
            }
            Err(error) => error,
        };
        feed.note_restart();
        feed.note_state(StreamState::Broken);
        // From where it was if it can be resumed from there, else from now on.
        resume = if is_fatal(&error) { None } else { feed.token() };
        pause = if opened.elapsed() > LONGEST_PAUSE { FIRST_PAUSE } else { (pause * 2).min(LONGEST_PAUSE) };
        sleep(pause).await;
    }
}

/// Errors after which a stream can go on where it was: those of the drivers' specification (a lost connection, a primary that
/// steps down, a cursor that is gone), and those of a cursor that somebody ended (237, 11601).
const RESUMABLE: [i32; 20] =
    [6, 7, 43, 63, 89, 91, 133, 150, 189, 234, 237, 262, 9_001, 10_107, 11_600, 11_601, 11_602, 13_388, 13_435, 13_436];

/// Whether the same token would meet the same error: the oplog no longer reaches back to it (286), it is not understood (260), the
/// stream cannot be resumed (280), or what it watched is gone.
fn is_fatal(error: &Error) -> bool {
    let code = error::failure_of(error).and_then(|failure| failure.code);
    code.is_some_and(|code| !RESUMABLE.contains(&code))
}

async fn open(db: &Db, resume: Option<ResumeToken>) -> Result<ChangeStream<RawDocumentBuf>> {
    let events = &db.options.collection;
    let ended = ["drop", "rename", "dropDatabase", "invalidate"];
    let wanted = doc! { "$match": { "$or": [
        { "ns.coll": events, "operationType": "insert" },
        { "ns.coll": "outbox_state", "operationType": { "$in": ["insert", "update", "replace"] } },
        { "operationType": { "$in": ended.to_vec() } },
    ] } };
    // Not the documents: whoever needs them reads them, and they can be too large for an event.
    let stamp = format!("$fullDocument.{}", db.options.fields.recorded_at);
    let stamped = doc! { "$eq": [{ "$type": stamp }, "timestamp"] };
    let only = doc! { "$project": {
        "_id": 1, "operationType": 1, "ns": 1, "clusterTime": 1, "documentKey": 1, "stamped": stamped,
    } };
    let watch =
        db.database.watch().pipeline([wanted, only]).read_concern(ReadConcern::majority()).max_await_time(AWAIT);
    let watch = match resume {
        // Also goes on after an `invalidate`, which `resume_after` does not.
        Some(token) => watch.start_after(token),
        None => watch,
    };
    let stream = timeout(SILENCE, async { watch.await }).await;
    Ok(stream.map_err(|_| error::too_slow())??.with_type())
}

/// Until it ends, and why. An end is announced with the last batch, which is still to be read: the `invalidate` in it is where
/// the next stream starts.
async fn read(db: &Db, feed: &Feed, mut stream: ChangeStream<RawDocumentBuf>) -> Error {
    loop {
        let event = match timeout(SILENCE, stream.next_if_any()).await {
            Ok(Ok(event)) => event,
            Ok(Err(error)) => return error.into(),
            Err(_) => return error::too_slow(),
        };
        feed.note_event(event.as_deref(), stream.resume_token(), &db.options.collection);
        match event {
            Some(_) => feed.announce(),
            None if stream.is_alive() => feed.has_caught_up(),
            None => return corrupt("the change stream was invalidated"),
        }
    }
}
