//! Message ids and the `_id`s they stand for.

use mongodb::bson::oid::ObjectId;
use mongodb::bson::spec::BinarySubtype;
use mongodb::bson::{Binary, Bson};
use uuid::Uuid;

/// The message id that an `_id` stands for: itself if it is a UUID, or one made of an ObjectId.
pub(in crate::stores::mongodb) fn decode(id: &Bson) -> Option<Uuid> {
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
pub(in crate::stores::mongodb) fn candidates(id: Uuid) -> Vec<Bson> {
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
