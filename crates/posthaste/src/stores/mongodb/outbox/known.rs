//! Which messages are stored already.

use std::collections::HashSet;

use mongodb::bson::{Bson, Document, doc};
use mongodb::{ClientSession, Collection};

use super::super::codec::{self, id};
use super::super::options::Fields;
use crate::error::Result;
use crate::message::{Message, MessageId, Origin, Text};

/// What makes a second message a repeat of the first: the event it was made from, and where it goes.
type Fence = (Origin, Option<Text>);

/// What is stored, and what the batch has so far.
#[derive(Default)]
pub(super) struct Known {
    ids: HashSet<MessageId>,
    origins: HashSet<Fence>,
}

impl Known {
    /// What is stored already of these messages, by `_id` and by `outbox_source`. An insert that meets a repeat would end the
    /// whole transaction, so this is asked first.
    pub(super) async fn load(
        events: &Collection<Document>,
        fields: &Fields,
        session: &mut ClientSession,
        messages: &[Message],
    ) -> Result<Self> {
        let only = doc! { &fields.source_stream: 1, &fields.source_event: 1, &fields.destination: 1 };
        let mut cursor = events.find(repeats(fields, messages)).projection(only).session(&mut *session).await?;
        let mut known = Self::default();
        while let Some(found) = cursor.next(session).await.transpose()? {
            known.add(&found, fields);
        }
        Ok(known)
    }

    fn add(&mut self, found: &Document, fields: &Fields) {
        let text = |name: &String| found.get_str(name).ok().map(Text::from);
        self.ids.extend(found.get("_id").and_then(id::decode).map(MessageId));
        if let Some((stream, event)) = text(&fields.source_stream).zip(text(&fields.source_event)) {
            self.origins.insert((Origin { stream, event }, text(&fields.destination)));
        }
    }

    /// Takes note of a message and says whether it is new.
    pub(super) fn take(&mut self, message: &Message) -> bool {
        let fence = message.origin.clone().map(|origin| (origin, message.destination.clone()));
        if self.ids.contains(&message.id) || fence.as_ref().is_some_and(|fence| self.origins.contains(fence)) {
            return false;
        }
        self.ids.insert(message.id);
        self.origins.extend(fence);
        true
    }
}

/// The documents that one of these messages would be a repeat of.
fn repeats(fields: &Fields, messages: &[Message]) -> Document {
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
    doc! { "$or": either }
}
