//! Payloads that are too large for one document: MongoDB's limit is 16 MB, field names and all.

use mongodb::ClientSession;
use mongodb::bson::{Binary, Bson, Document, doc, spec::BinarySubtype};

use super::super::db::Db;
use super::{Row, corrupt, signed, whole};
use crate::error::Result;
use crate::message::Message;

/// What one document holds at most of a payload.
pub(super) const CHUNK_BYTES: usize = 8 << 20;

/// The further documents of a message, none for nearly all.
pub(in crate::stores::mongodb) fn encode(message: &Message) -> Vec<Document> {
    if message.payload.len() <= CHUNK_BYTES {
        return Vec::new();
    }
    let id = message.id.to_string();
    let chunk = |(n, bytes): (usize, &[u8])| {
        let bytes = Binary { subtype: BinarySubtype::Generic, bytes: bytes.to_vec() };
        doc! { "_id": format!("{id}/{n}"), "message": &id, "n": signed(n), "bytes": bytes }
    };
    message.payload.chunks(CHUNK_BYTES).enumerate().map(chunk).collect()
}

/// Puts the payload together again, by `outbox_chunks_message`.
pub(in crate::stores::mongodb) async fn fill(db: &Db, session: &mut ClientSession, row: &mut Row) -> Result<()> {
    if row.chunks == 0 {
        return Ok(());
    }
    let of_message = doc! { "message": row.message.id.to_string() };
    let mut cursor = db.chunks.find(of_message).sort(doc! { "n": 1 }).batch_size(1).session(&mut *session).await?;
    let mut payload = Vec::new();
    let mut found = 0;
    while let Some(chunk) = cursor.next(session).await.transpose()? {
        if whole(&chunk, "n")? != found {
            break;
        }
        payload.extend_from_slice(
            chunk.get_binary_generic("bytes").map_err(|_| corrupt("a part of a payload is damaged"))?,
        );
        found += 1;
    }
    if found != row.chunks {
        return Err(corrupt(format!("of the payload of message {} only {found} parts are there", row.message.id)));
    }
    row.message.payload = payload.into();
    Ok(())
}

/// The messages a chunk belongs to, as they are named in it.
pub(in crate::stores::mongodb) fn names(rows: &[Row]) -> Vec<Bson> {
    rows.iter().filter(|row| row.chunks > 0).map(|row| row.message.id.to_string().into()).collect()
}
