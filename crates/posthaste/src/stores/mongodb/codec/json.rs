//! A payload that is a document, as JSON: relaxed Extended JSON, which is what MongoDB's own tools write. Numbers, texts, lists and
//! documents are what they are in JSON, in their order; the rest says what it is (`{"$date":…}`, `{"$oid":…}`).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mongodb::bson::{Bson, RawArray, RawBsonRef, RawDocument};

use super::corrupt;
use crate::error::Result;

/// The JSON of a value, as bytes.
pub(super) fn encode(value: RawBsonRef<'_>) -> Result<Vec<u8>> {
    let mut json = String::new();
    write(value, &mut json)?;
    Ok(json.into_bytes())
}

fn write(value: RawBsonRef<'_>, json: &mut String) -> Result<()> {
    match value {
        RawBsonRef::Document(document) => write_document(document, json)?,
        RawBsonRef::Array(array) => write_array(array, json)?,
        RawBsonRef::String(text) => json.push_str(&quoted(text)),
        RawBsonRef::Null => json.push_str("null"),
        RawBsonRef::Boolean(yes) => json.push_str(if yes { "true" } else { "false" }),
        RawBsonRef::Int32(number) => json.push_str(&number.to_string()),
        RawBsonRef::Int64(number) => json.push_str(&number.to_string()),
        RawBsonRef::Double(number) if number.is_finite() => json.push_str(&double(number)),
        RawBsonRef::Double(number) => {
            let name = if number.is_nan() {
                "NaN"
            } else if number > 0.0 {
                "Infinity"
            } else {
                "-Infinity"
            };
            wrap("$numberDouble", &quoted(name), json);
        }
        RawBsonRef::DateTime(at) => wrap("$date", &date(at.timestamp_millis()), json),
        RawBsonRef::ObjectId(id) => wrap("$oid", &quoted(&id.to_hex()), json),
        RawBsonRef::Decimal128(number) => wrap("$numberDecimal", &quoted(&number.to_string()), json),
        RawBsonRef::Binary(binary) => {
            let subtype = u8::from(binary.subtype);
            let inner = format!("{{\"base64\":\"{}\",\"subType\":\"{subtype:02x}\"}}", STANDARD.encode(binary.bytes));
            wrap("$binary", &inner, json);
        }
        RawBsonRef::Timestamp(at) => wrap("$timestamp", &format!("{{\"t\":{},\"i\":{}}}", at.time, at.increment), json),
        // Code, regular expressions and the like have no business in an event; they are shown, not interpreted.
        other => {
            let value = Bson::try_from(other).map_err(|_| corrupt("a payload is damaged"))?;
            json.push_str(&quoted(&value.to_string()));
        }
    }
    Ok(())
}

fn write_document(document: &RawDocument, json: &mut String) -> Result<()> {
    json.push('{');
    for (n, element) in document.iter().enumerate() {
        let (name, value) = element.map_err(|_| corrupt("a payload is damaged"))?;
        if n > 0 {
            json.push(',');
        }
        json.push_str(&quoted(name.as_str()));
        json.push(':');
        write(value, json)?;
    }
    json.push('}');
    Ok(())
}

fn write_array(array: &RawArray, json: &mut String) -> Result<()> {
    json.push('[');
    for (n, value) in array.into_iter().enumerate() {
        if n > 0 {
            json.push(',');
        }
        write(value.map_err(|_| corrupt("a payload is damaged"))?, json)?;
    }
    json.push(']');
    Ok(())
}

fn wrap(name: &str, value: &str, json: &mut String) {
    json.push_str("{\"");
    json.push_str(name);
    json.push_str("\":");
    json.push_str(value);
    json.push('}');
}

fn quoted(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string()
}

/// With its point, so that it stays a double.
fn double(number: f64) -> String {
    let text = number.to_string();
    if text.contains(['.', 'e']) { text } else { format!("{text}.0") }
}

/// As text between 1970 and 9999, else as the number of milliseconds.
fn date(millisecond: i64) -> String {
    let at = jiff::Timestamp::from_millisecond(millisecond).ok().filter(|_| millisecond >= 0);
    at.map_or_else(|| format!("{{\"$numberLong\":\"{millisecond}\"}}"), |at| quoted(&at.to_string()))
}
