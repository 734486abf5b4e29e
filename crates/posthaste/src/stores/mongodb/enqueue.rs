//! The application's side: messages written in its own transaction.

use std::collections::HashSet;

use mongodb::bson::{Bson, Document, doc};
use mongodb::{ClientSession, Collection};

use super::session::transaction;
use super::{MongoDb, chunks, codec, document};
use crate::error::Result;
use crate::journal::Enqueued;
use crate::message::{Message, MessageId, Origin, Text};
use crate::stores::telemetry::Writing;

/// What makes a second message a repeat of the first: the event it was made from, and where it goes.
type Fence = (Origin, Option<Text>);

impl MongoDb {
    /// Writes messages in the caller's transaction: they are delivered if it commits, and never were if it does not. A message
    /// whose origin or id is stored already is left out quietly. After an error the transaction is to be aborted; one with the
    /// label `TransientTransactionError`, or of the kind [`Unavailable`](crate::error::Kind::Unavailable), is to be tried again
    /// from its start, as always with MongoDB.
    ///
    /// The session may come from any client that reaches the same database.
    pub async fn enqueue(&self, session: &mut ClientSession, messages: &[Message]) -> Result<Enqueued> {
        Ok(count(&self.enqueue_each(session, messages).await?))
    }

    /// As [`MongoDb::enqueue`]; for each message whether it was stored, or known before.
    pub async fn enqueue_each(&self, session: &mut ClientSession, messages: &[Message]) -> Result<Vec<bool>> {
        let writing = Writing::begin(messages);
        let stored = self.insert_new(session, messages).await;
        writing.tell(stored.as_deref().map(count));
        stored
    }

    async fn insert_new(&self, session: &mut ClientSession, messages: &[Message]) -> Result<Vec<bool>> {
        if messages.is_empty() {
            return Ok(Vec::new());
        }
        self.count_partitions().await?;
        // By the session's own client: a session is of no use to another one.
        let database = session.client().database(self.db().database.name());
        let events: Collection<Document> = database.collection(self.collection());
        let mut known = self.known(&events, session, messages).await?;
        let (mut documents, mut large, mut stored) = (Vec::new(), Vec::new(), Vec::new());
        for message in messages {
            let is_new = known.take(message);
            stored.push(is_new);
            if is_new {
                documents.push(document::of(message, &self.db().options));
                large.extend(chunks::of(message));
            }
        }
        for chunk in large {
            database.collection::<Document>("outbox_chunks").insert_one(chunk).session(&mut *session).await?;
        }
        if !documents.is_empty() {
            events.insert_many(documents).session(&mut *session).await?;
        }
        Ok(stored)
    }

    /// Writes messages in a transaction of their own, for whoever has none. For each: whether it was stored, or known before.
    pub async fn write(&self, messages: &[Message]) -> Result<Vec<bool>> {
        let db = self.db();
        transaction!(db, session => self.enqueue_each(&mut session, messages))
    }

    /// What is stored already of these messages. An insert that meets a repeat would end the whole transaction, so look first;
    /// by `_id` and by `outbox_source`.
    async fn known(
        &self,
        events: &Collection<Document>,
        session: &mut ClientSession,
        messages: &[Message],
    ) -> Result<Known> {
        let fields = &self.db().options.fields;
        let ids: Vec<Bson> = messages.iter().map(|message| codec::uuid(message.id).into()).collect();
        let mut either = vec![doc! { "_id": { "$in": ids } }];
        for message in messages {
            if let Some(origin) = &message.origin {
                either.push(doc! {
                    &fields.source_stream: origin.stream.as_str(),
                    &fields.source_event: origin.event.as_str(),
                    &fields.destination: message.destination.as_deref().map_or(Bson::Null, Bson::from),
                });
            }
        }
        let only = doc! { &fields.source_stream: 1, &fields.source_event: 1, &fields.destination: 1 };
        let mut cursor = events.find(doc! { "$or": either }).projection(only).session(&mut *session).await?;
        let mut known = Known::default();
        while let Some(found) = cursor.next(session).await.transpose()? {
            let text = |name: &String| found.get_str(name).ok().map(Text::from);
            known.ids.extend(found.get("_id").and_then(document::id_of).map(MessageId));
            if let Some((stream, event)) = text(&fields.source_stream).zip(text(&fields.source_event)) {
                known.origins.insert((Origin { stream, event }, text(&fields.destination)));
            }
        }
        Ok(known)
    }
}

fn count(stored: &[bool]) -> Enqueued {
    let new = stored.iter().filter(|stored| **stored).count();
    Enqueued { stored: new, duplicates: stored.len() - new }
}

/// What is stored, and what the batch has so far.
#[derive(Default)]
struct Known {
    ids: HashSet<MessageId>,
    origins: HashSet<Fence>,
}

impl Known {
    /// Takes note of a message and says whether it is new.
    fn take(&mut self, message: &Message) -> bool {
        let fence = message.origin.clone().map(|origin| (origin, message.destination.clone()));
        if self.ids.contains(&message.id) || fence.as_ref().is_some_and(|fence| self.origins.contains(fence)) {
            return false;
        }
        self.ids.insert(message.id);
        self.origins.extend(fence);
        true
    }
}
