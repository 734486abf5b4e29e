//! Values from JSON and to JSON.

use jaq_json::{Num, Val};

use super::value::{MAX_DEPTH, Value};

/// The largest number that jq writes for what is infinite.
const INFINITE: &str = "1.7976931348623157e308";

/// Reads what every parser of JSON reads; `None` for anything else. Numbers keep the digits that they are written with.
pub(super) fn read(json: &[u8]) -> Option<Value> {
    // The parser that keeps digits also takes what is not JSON, and nests as deep as its input does.
    serde_json::from_slice::<serde::de::IgnoredAny>(json).ok()?;
    if depth(json) > MAX_DEPTH {
        return None;
    }
    jaq_json::read::parse_single(json).ok().map(Value::weighed)
}

/// How deep a JSON text is nested.
fn depth(json: &[u8]) -> usize {
    let (mut depth, mut deepest, mut quoted, mut escaped) = (0_usize, 0, false, false);
    for byte in json {
        match (quoted, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => quoted = !quoted,
            (false, b'[' | b'{') => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            (false, b']' | b'}') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Writes a value as JSON, without blanks.
pub(super) fn write(value: &Value) -> Vec<u8> {
    let mut json = Vec::with_capacity(128);
    write_to(&value.0, &mut json);
    json
}

fn write_to(value: &Val, json: &mut Vec<u8>) {
    match value {
        Val::Null => json.extend_from_slice(b"null"),
        Val::Bool(true) => json.extend_from_slice(b"true"),
        Val::Bool(false) => json.extend_from_slice(b"false"),
        Val::Num(number) => write_number(number, json),
        Val::BStr(text) | Val::TStr(text) => write_text(text, json),
        Val::Arr(items) => {
            json.push(b'[');
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    json.push(b',');
                }
                write_to(item, json);
            }
            json.push(b']');
        }
        Val::Obj(fields) => {
            json.push(b'{');
            for (n, (name, value)) in fields.iter().enumerate() {
                if n > 0 {
                    json.push(b',');
                }
                write_to(name, json);
                json.push(b':');
                write_to(value, json);
            }
            json.push(b'}');
        }
    }
}

/// JSON knows no number that is infinite or none; jq writes the largest, and `null`. A whole number has no point.
fn write_number(number: &Num, json: &mut Vec<u8>) {
    let written = match number {
        Num::Float(number) if number.is_nan() => "null".to_owned(),
        Num::Float(number) if number.is_infinite() => format!("{}{INFINITE}", if *number < 0.0 { "-" } else { "" }),
        Num::Float(number) if number.trunc() == *number && number.abs() < 1e17 => format!("{number:.0}"),
        Num::Float(number) => {
            serde_json::Number::from_f64(*number).map_or_else(String::new, |number| number.to_string())
        }
        number => number.to_string(),
    };
    json.extend_from_slice(written.as_bytes());
}

fn write_text(text: &[u8], json: &mut Vec<u8>) {
    let text = String::from_utf8_lossy(text);
    // Writing a text into memory does not fail.
    let _ = serde_json::to_writer(json, &text);
}
