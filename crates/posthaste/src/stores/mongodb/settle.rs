//! What receivers say about what they were handed. Never touches a cursor: the holder of the lane picks the answer up by `due`.

use mongodb::ClientSession;
use mongodb::bson::spec::BinarySubtype;
use mongodb::bson::{Binary, doc};

use super::MongoDb;
use super::codec::{self, date, moment};
use super::db::Db;
use super::get::{by_id, get};
use super::operate::wake;
use super::register::known;
use super::retry::in_transaction;
use super::state::State;
use crate::destination::Name;
use crate::error::Result;
use crate::inspect::{Answer, Settled};
use crate::message::MessageId;
use crate::rules::callback;
use crate::rules::due::due_in;

pub(super) async fn settle(store: &MongoDb, id: MessageId, destination: &Name, answer: &Answer) -> Result<Settled> {
    let db = store.db();
    let settled = in_transaction!(db, session => take(db, &mut session, id, destination, answer))?;
    if settled == Some(Settled::Taken) {
        store.shared.change_stream.feed().announce();
    }
    let Some(settled) = settled else {
        let report = get(store, id).await?;
        return Ok(callback::unawaited(report.and_then(|report| report.status_at(destination)), &answer.says));
    };
    Ok(settled)
}

/// `None` if no hand-over waits. The message is found by its id, what is parked by `_id`.
async fn take(
    db: &Db,
    session: &mut ClientSession,
    id: MessageId,
    destination: &Name,
    answer: &Answer,
) -> Result<Option<Settled>> {
    known(db, session, destination).await?;
    let now = State::load(db, session).await?.now;
    let only = doc! { "posthaste.seq": 1 };
    let message = db.events.find_one(by_id(id)).projection(only).session(&mut *session).await?;
    let place = message.as_ref().and_then(|message| message.get_document("posthaste").ok());
    let Some(seq) = place.and_then(|place| place.get_i64("seq").ok()) else { return Ok(None) };
    let awaiting = doc! { "_id": codec::parked_id(seq, destination.as_str()), "state": "awaiting" };
    let Some(parked) = db.parked.find_one(awaiting.clone()).session(&mut *session).await? else { return Ok(None) };
    let before = parked.get_binary_generic("progress").ok().map(Vec::as_slice);
    let left = due_in(moment(&parked, "dueAt").unwrap_or_default(), now);
    let bytes = match callback::answer(before, left, answer) {
        Ok(record) => record,
        Err(settled) => return Ok(Some(settled)),
    };
    let record = Binary { subtype: BinarySubtype::Generic, bytes };
    let update = doc! { "$set": { "progress": record, "dueAt": date(now) } };
    db.parked.update_one(awaiting, update).session(&mut *session).await?;
    wake(db, session).await?;
    Ok(Some(Settled::Taken))
}
