//! Messages to documents.

use mongodb::bson::oid::ObjectId;
use mongodb::bson::spec::BinarySubtype;
use mongodb::bson::{Binary, Bson, Document, Timestamp, doc};
use uuid::Uuid;

use super::chunks::CHUNK_BYTES;
use super::options::Options;
use super::{codec, date};
use crate::message::Message;

/// The document of a message; what is too large for it goes to further ones (see `chunks`).
pub(super) fn of(message: &Message, options: &Options) -> Document {
    let fields = &options.fields;
    let mut document = doc! {
        "_id": codec::uuid(message.id),
        &fields.event_type: message.event_type.as_str(),
        &fields.aggregate_type: message.aggregate_type.as_str(),
        &fields.aggregate_id: message.aggregate_id.as_str(),
        &fields.payload: payload(message),
        &fields.content_type: message.content_type.as_str(),
    };
    let mut put = |name: &String, value: Option<Bson>| {
        if let Some(value) = value {
            document.insert(name, value);
        }
    };
    put(&fields.headers, headers(message));
    put(&fields.tenant, message.tenant.as_deref().map(Bson::from));
    put(&fields.user, message.user.as_deref().map(Bson::from));
    put(&fields.correlation_id, message.correlation_id.as_deref().map(Bson::from));
    put(&fields.due_at, message.due_at.map(|at| date(at.as_millisecond()).into()));
    put(&fields.destination, message.destination.as_deref().map(Bson::from));
    put(&fields.max_attempts, message.max_attempts.map(|limit| i64::from(limit).into()));
    put(&fields.source_stream, message.origin.as_ref().map(|origin| Bson::from(origin.stream.as_str())));
    put(&fields.source_event, message.origin.as_ref().map(|origin| Bson::from(origin.event.as_str())));
    put(&fields.occurred_at, Some(date(message.occurred_at.as_millisecond()).into()));
    // The server puts its logical clock in the place of an empty timestamp: the order in which documents were written.
    put(&fields.recorded_at, Some(Timestamp { time: 0, increment: 0 }.into()));
    if options.stamp_status {
        put(&fields.status, Some(Bson::from(&options.status.pending)));
        put(&fields.published_at, Some(Bson::Null));
        put(&fields.retry_count, Some(Bson::Int32(0)));
        put(&fields.last_error, Some(Bson::Null));
        put(&fields.processed_at, Some(Bson::Null));
    }
    let mut own = doc! { "key": message.key.as_deref().map_or(Bson::Null, Bson::from) };
    if message.payload.len() > CHUNK_BYTES {
        own.insert("chunks", i64::try_from(message.payload.len().div_ceil(CHUNK_BYTES)).unwrap_or(i64::MAX));
    }
    document.insert("posthaste", own);
    document
}

/// As text where it is text, so that people can read it; either way it comes back byte for byte.
fn payload(message: &Message) -> Bson {
    if message.payload.len() > CHUNK_BYTES {
        return Bson::Null;
    }
    let essence = message.content_type.split(';').next().unwrap_or_default().trim();
    let is_text = essence == "application/json" || essence.ends_with("+json") || essence.starts_with("text/");
    match std::str::from_utf8(&message.payload) {
        Ok(text) if is_text => Bson::String(text.to_owned()),
        _ => Bson::Binary(Binary { subtype: BinarySubtype::Generic, bytes: message.payload.to_vec() }),
    }
}

fn headers(message: &Message) -> Option<Bson> {
    let pair = |(name, value): (&str, &str)| Bson::Array(vec![name.into(), value.into()]);
    (!message.headers.is_empty()).then(|| Bson::Array(message.headers.iter().map(pair).collect()))
}

/// The message id that an `_id` stands for: itself if it is a UUID, or one made of an ObjectId.
pub(super) fn id_of(id: &Bson) -> Option<Uuid> {
    match id {
        Bson::Binary(binary) if matches!(binary.subtype, BinarySubtype::Uuid | BinarySubtype::UuidOld) => {
            Uuid::from_slice(&binary.bytes).ok()
        }
        Bson::String(text) => Uuid::try_parse(text).ok(),
        Bson::ObjectId(id) => Some(from_object_id(*id)),
        _ => None,
    }
}

/// Every `_id` that a message id may stand for.
pub(super) fn ids_of(id: Uuid) -> Vec<Bson> {
    let binary = |subtype| Bson::Binary(Binary { subtype, bytes: id.as_bytes().to_vec() });
    let mut ids = vec![binary(BinarySubtype::Uuid), binary(BinarySubtype::UuidOld), Bson::String(id.to_string())];
    ids.extend(to_object_id(id).map(Bson::ObjectId));
    ids
}

/// A UUIDv7 of the same second that holds the rest of the ObjectId where others have chance, and ends in ten zero bits.
fn from_object_id(id: ObjectId) -> Uuid {
    let bytes = id.bytes();
    let seconds = u64::from(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    let rest = u64::from_be_bytes([bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9], bytes[10], bytes[11]]);
    let high = (seconds * 1_000) << 16 | 0x7000 | rest >> 52;
    let low = 0x8000_0000_0000_0000 | (rest & 0x000f_ffff_ffff_ffff) << 10;
    Uuid::from_u64_pair(high, low)
}

/// The inverse of [`from_object_id`], if `id` can be one.
fn to_object_id(id: Uuid) -> Option<ObjectId> {
    let (high, low) = id.as_u64_pair();
    let millisecond = high >> 16;
    let seconds = u32::try_from(millisecond / 1_000).ok()?;
    if high & 0xf000 != 0x7000 || low >> 62 != 2 || low & 0x3ff != 0 || !millisecond.is_multiple_of(1_000) {
        return None;
    }
    let rest = (high & 0xfff) << 52 | (low << 2) >> 12;
    let mut bytes = [0; 12];
    bytes[..4].copy_from_slice(&seconds.to_be_bytes());
    bytes[4..].copy_from_slice(&rest.to_be_bytes());
    Some(ObjectId::from_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_id_becomes_a_uuid_of_its_second_and_comes_back() {
        for _ in 0..1_000 {
            let id = ObjectId::new();
            let uuid = from_object_id(id);
            assert_eq!(uuid.get_version_num(), 7);
            assert_eq!(to_object_id(uuid), Some(id));
        }
        let all = ObjectId::from_bytes([0xff; 12]);
        assert_eq!(to_object_id(from_object_id(all)), Some(all));
        assert_eq!(to_object_id(Uuid::from_u128(0x0192_0000_0000_4000_8000_0000_0000_0000)), None);
    }
}
