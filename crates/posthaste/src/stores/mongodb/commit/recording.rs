//! A lane's commit that says more than how far its cursor got.

use mongodb::ClientSession;
use mongodb::bson::spec::BinarySubtype;
use mongodb::bson::{Binary, Bson, Document, doc};
use mongodb::options::Hint;

use super::super::codec::{self, date};
use super::super::db::Db;
use super::super::rows;
use crate::error::Result;
use crate::journal::{HeldKey, LaneCommit, Park, ParkedState};
use crate::rules::due::parked_due_in;

/// One lane's commit on its way into the collections. Sets after it removes, so that a repeated commit changes nothing.
pub(super) struct Recording<'a> {
    pub(super) db: &'a Db,
    pub(super) commit: &'a LaneCommit,
    pub(super) worker: String,
    pub(super) now: i64,
}

impl Recording<'_> {
    pub(super) async fn parked(&self, session: &mut ClientSession) -> Result<()> {
        let destination = self.commit.destination.as_str();
        let unpark = self.commit.unpark.iter().map(|position| {
            doc! { "q": { "_id": codec::parked_id(codec::seq(*position), destination) }, "limit": 1 }
        });
        self.db.delete_all("outbox_parked", unpark.collect(), session).await?;
        let discard = self.commit.discard.iter().map(|position| {
            let id = codec::parked_id(codec::seq(*position), destination);
            let gone = doc! { "state": "discarded", "holds": false, "dueAt": Bson::Null };
            doc! { "q": { "_id": id, "state": "discarding" }, "u": { "$set": gone } }
        });
        self.db.update_all("outbox_parked", discard.collect(), Some(&mut *session)).await?;
        let park = self.commit.park.iter().map(|park| {
            // What someone discarded stays so, and what waits for its answer goes on waiting as it was: a commit that is repeated takes
            // no answer away.
            let mut stays = vec!["discarding", "discarded"];
            stays.extend((park.state == ParkedState::Awaiting).then_some("awaiting"));
            let unwanted = doc! { "$in": ["$state", stays] };
            let unless = doc! { "$cond": [unwanted, "$$ROOT", { "$literal": self.park(park) }] };
            let id = codec::parked_id(codec::seq(park.position), destination);
            doc! { "q": { "_id": id }, "u": [{ "$replaceWith": unless }], "upsert": true }
        });
        self.db.update_all("outbox_parked", park.collect(), Some(&mut *session)).await?;
        let touched = self.commit.park.iter().map(|park| &park.position);
        let touched = touched.chain(&self.commit.unpark).chain(&self.commit.discard);
        let touched: Vec<i64> = touched.map(|position| codec::seq(*position)).collect();
        self.restamp(session, doc! { "posthaste.seq": { "$in": touched } }, "outbox_journal").await
    }

    fn park(&self, park: &Park) -> Document {
        let due_at = parked_due_in(park.state, park.due_in);
        let due_at = due_at.map(|due_in| self.now.saturating_add(codec::millis(due_in)));
        let destination = self.commit.destination.as_str();
        let progress = park.progress.clone().map(|bytes| Binary { subtype: BinarySubtype::Generic, bytes });
        doc! {
            "_id": codec::parked_id(codec::seq(park.position), destination),
            "seq": codec::seq(park.position),
            "destination": destination,
            "partition": i64::from(self.commit.partition.number()),
            "message": codec::uuid(park.message),
            "scope": park.key.as_ref().map_or(Bson::Null, |key| codec::scope(destination, key).into()),
            "state": park.state.as_str(),
            "holds": park.holds,
            "attempts": i64::from(park.attempts),
            "kills": i64::from(park.suspicion),
            "dueAt": due_at.map_or(Bson::Null, |at| date(at).into()),
            "worker": &self.worker,
            "error": park.error.as_ref().map_or(Bson::Null, Bson::from),
            "progress": progress.map_or(Bson::Null, Bson::Binary),
        }
    }

    pub(super) async fn held(&self, session: &mut ClientSession) -> Result<()> {
        let destination = self.commit.destination.as_str();
        for key in &self.commit.free {
            let before = self.db.held_keys.find_one_and_delete(doc! { "_id": codec::scope(destination, key) });
            self.passed(before.session(&mut *session).await?, None, session).await?;
        }
        for held in &self.commit.hold {
            let place = doc! {
                "_id": codec::scope(destination, &held.key),
                "destination": destination,
                "partition": i64::from(self.commit.partition.number()),
                "after": codec::seq(held.after),
                "until": codec::seq(held.until),
            };
            let replace =
                self.db.held_keys.find_one_and_replace(doc! { "_id": codec::scope(destination, &held.key) }, place);
            let before = replace.upsert(true).session(&mut *session).await?;
            self.passed(before, Some(held), session).await?;
        }
        Ok(())
    }

    /// A held key's messages that wait no longer get another stamp.
    async fn passed(&self, before: Option<Document>, now: Option<&HeldKey>, session: &mut ClientSession) -> Result<()> {
        let Some(before) = before else { return Ok(()) };
        let before = codec::held_key(&before)?;
        let upto = now.map_or(before.until, |now| now.after);
        if upto <= before.after {
            return Ok(());
        }
        let mut messages = rows::of_key(self.db, &before.key);
        messages.insert("posthaste.seq", doc! { "$gt": codec::seq(before.after), "$lte": codec::seq(upto) });
        self.restamp(session, messages, "outbox_key").await
    }

    async fn restamp(&self, session: &mut ClientSession, messages: Document, index: &str) -> Result<()> {
        if self.db.options.stamp_status {
            let stale = doc! { "$set": { "posthaste.restamp": true } };
            let mark = self.db.events.update_many(messages, stale).hint(Hint::Name(index.into()));
            mark.session(session).await?;
        }
        Ok(())
    }

    pub(super) async fn attempts(&self, session: &mut ClientSession) -> Result<()> {
        let destination = self.commit.destination.as_str();
        let attempts = self.commit.attempts.iter().map(|attempt| {
            let seq = codec::seq(attempt.position);
            let id = doc! { "s": seq, "d": destination, "n": i64::from(attempt.number) };
            let tried = doc! {
                "_id": &id,
                "seq": seq,
                "destination": destination,
                "number": i64::from(attempt.number),
                "at": date(self.now),
                "tookMs": codec::millis(attempt.took),
                "worker": &self.worker,
                "error": attempt.error.as_ref().map_or(Bson::Null, Bson::from),
                "reply": attempt.reply.as_ref().map_or(Bson::Null, Bson::from),
            };
            doc! { "q": { "_id": id }, "u": tried, "upsert": true }
        });
        self.db.update_all("outbox_attempts", attempts.collect(), Some(session)).await?;
        Ok(())
    }
}
