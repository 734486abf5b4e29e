//! One value of a document, whoever wrote it.

use jiff::Timestamp;
use mongodb::bson::RawBsonRef;
use mongodb::bson::spec::BinarySubtype;
use uuid::Uuid;

use super::{corrupt, json};
use crate::error::Result;
use crate::message::{Headers, Text};

/// Text, or what people use in its place as an id.
pub(super) fn text(value: RawBsonRef<'_>) -> Option<Text> {
    match value {
        RawBsonRef::String(text) => Some(text.into()),
        RawBsonRef::ObjectId(id) => Some(id.to_hex().into()),
        RawBsonRef::Int32(number) => Some(number.to_string().into()),
        RawBsonRef::Int64(number) => Some(number.to_string().into()),
        RawBsonRef::Binary(_) => uuid(value).map(|id| id.to_string().into()),
        _ => None,
    }
}

pub(super) fn whole(value: RawBsonRef<'_>) -> Option<i64> {
    match value {
        RawBsonRef::Int32(number) => Some(number.into()),
        RawBsonRef::Int64(number) => Some(number),
        #[expect(clippy::cast_possible_truncation, reason = "JavaScript writes whole numbers as doubles")]
        RawBsonRef::Double(number) => Some(number as i64),
        _ => None,
    }
}

/// A date, or its text in ISO 8601.
pub(super) fn moment(value: RawBsonRef<'_>) -> Option<i64> {
    match value {
        RawBsonRef::DateTime(at) => Some(at.timestamp_millis()),
        RawBsonRef::String(text) => text.parse::<Timestamp>().ok().map(|at| at.as_millisecond()),
        RawBsonRef::Timestamp(at) => Some(i64::from(at.time) * 1_000),
        _ => None,
    }
}

pub(super) fn uuid(value: RawBsonRef<'_>) -> Option<Uuid> {
    match value {
        RawBsonRef::Binary(binary) if matches!(binary.subtype, BinarySubtype::Uuid | BinarySubtype::UuidOld) => {
            Uuid::from_slice(binary.bytes).ok()
        }
        RawBsonRef::String(text) => Uuid::try_parse(text).ok(),
        _ => None,
    }
}

/// `[["name", "value"], …]` as the library writes it, or `{name: value, …}` as people do.
pub(super) fn headers(value: RawBsonRef<'_>) -> Result<Headers> {
    let mut headers = Headers::default();
    if let Some(object) = value.as_document() {
        for element in object {
            let (name, value) = element.map_err(|_| corrupt("the headers of a message are damaged"))?;
            headers.push(name.as_str(), plain(value)?);
        }
    }
    for pair in value.as_array().into_iter().flatten() {
        let pair = pair.map_err(|_| corrupt("the headers of a message are damaged"))?;
        let Some(pair) = pair.as_array() else { continue };
        let mut parts = pair.into_iter().filter_map(Result::ok);
        if let (Some(RawBsonRef::String(name)), Some(value)) = (parts.next(), parts.next()) {
            headers.push(name, plain(value)?);
        }
    }
    Ok(headers)
}

fn plain(value: RawBsonRef<'_>) -> Result<String> {
    match value.as_str() {
        Some(text) => Ok(text.to_owned()),
        None => Ok(String::from_utf8_lossy(&json::encode(value)?).into_owned()),
    }
}
