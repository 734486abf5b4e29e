//! Messages from JSON lines.

use jiff::Timestamp;
use posthaste::Message;
use posthaste::message::MessageId;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::draft::Draft;
use crate::output::plain;

pub const HELP: &str = r#"JSON lines (--from-jsonl):
  One object per line; all lines are stored in one transaction, or none.
    {"event_type":"order.paid","aggregate_type":"order","aggregate_id":"4711","payload":{"cents":990}}
  Required: event_type, aggregate_type, aggregate_id. Optional: id, key, unordered, payload,
  content_type, headers ([["name","value"], …]), tenant, user, correlation_id, occurred_at, due_at,
  destination, max_attempts, origin_stream with origin_event.
  A payload is kept as it is written; left out, it is {}. With a content_type, a payload that is a string is the text in it."#;

/// More than this many bad lines are counted, not shown.
const SHOWN_PROBLEMS: usize = 20;
/// What is shown of each.
const SHOWN_CHARS: usize = 500;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    id: Option<MessageId>,
    event_type: String,
    aggregate_type: String,
    aggregate_id: String,
    key: Option<String>,
    #[serde(default)]
    unordered: bool,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
    content_type: Option<String>,
    #[serde(default)]
    headers: Vec<(String, String)>,
    tenant: Option<String>,
    user: Option<String>,
    correlation_id: Option<String>,
    occurred_at: Option<Timestamp>,
    due_at: Option<Timestamp>,
    destination: Option<String>,
    max_attempts: Option<u32>,
    // The columns of SQL stores have the names with `source`.
    #[serde(alias = "source_stream")]
    origin_stream: Option<String>,
    #[serde(alias = "source_event")]
    origin_event: Option<String>,
}

/// All messages, or everything that is wrong, by line.
pub fn messages(text: &str) -> Result<Vec<Message>, String> {
    let (mut messages, mut problems) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match message(line) {
            Ok(message) => messages.push(message),
            // What is wrong may be told in the words of the line, which somebody else wrote.
            Err(text) => problems.push(format!("  line {}: {}", number + 1, plain::cut(&text, SHOWN_CHARS))),
        }
    }
    if problems.is_empty() {
        return Ok(messages);
    }
    let count = problems.len();
    let mut text = format!("nothing was stored: {}\n\n", crate::output::count(count as u64, "bad line"));
    text.push_str(&problems[..count.min(SHOWN_PROBLEMS)].join("\n"));
    if count > SHOWN_PROBLEMS {
        text.push_str(&format!("\n  … and {} more", count - SHOWN_PROBLEMS));
    }
    Err(text)
}

fn message(line: &str) -> Result<Message, String> {
    let line: Line<'_> = serde_json::from_str(line).map_err(|error| error.to_string())?;
    if line.key.is_some() && line.unordered {
        return Err("has both `key` and `unordered`: leave one out".into());
    }
    let origin = match (line.origin_stream, line.origin_event) {
        (Some(stream), Some(event)) => Some((stream, event)),
        (None, None) => None,
        _ => return Err("has only one of `origin_stream` and `origin_event`: give both".into()),
    };
    let draft = Draft {
        id: line.id,
        event_type: line.event_type,
        aggregate: (line.aggregate_type, line.aggregate_id),
        key: line.key,
        unordered: line.unordered,
        payload: payload(line.payload, line.content_type.is_some())?,
        content_type: line.content_type.unwrap_or_else(|| "application/json".into()),
        headers: line.headers,
        tenant: line.tenant,
        user: line.user,
        correlation_id: line.correlation_id,
        occurred_at: line.occurred_at,
        due_at: line.due_at,
        destination: line.destination,
        max_attempts: line.max_attempts,
        origin,
    };
    draft.message().map_err(|invalid| invalid.to_string())
}

/// The bytes as they stand in the line; or, if the line says that they are something else than JSON, the text in the string.
fn payload(written: Option<&RawValue>, typed: bool) -> Result<Vec<u8>, String> {
    let Some(written) = written else { return Ok(b"{}".to_vec()) };
    let is_text = typed && written.get().starts_with('"');
    if !is_text {
        return Ok(written.get().as_bytes().to_vec());
    }
    serde_json::from_str::<String>(written.get()).map(String::into_bytes).map_err(|error| format!("payload: {error}"))
}

#[cfg(test)]
mod hostile;

#[cfg(test)]
mod tests {
    use super::*;

    const MINIMAL: &str = r#""event_type":"order.paid","aggregate_type":"order","aggregate_id":"1""#;

    fn one(fields: &str) -> Message {
        let line = format!("{{{MINIMAL}{fields}}}");
        messages(&line).unwrap().remove(0)
    }

    #[test]
    fn a_json_payload_is_kept_byte_for_byte() {
        let message = one(r#","payload":{"b": 1.0,  "a":"\u00e9"}"#);
        assert_eq!(message.payload, r#"{"b": 1.0,  "a":"\u00e9"}"#);
        assert_eq!(message.content_type, "application/json");
    }

    #[test]
    fn a_string_with_a_content_type_is_the_text_in_it() {
        assert_eq!(one(r#","payload":"<a>\n</a>","content_type":"text/xml""#).payload, "<a>\n</a>");
        assert_eq!(one(r#","payload":"text""#).payload, r#""text""#);
    }

    #[test]
    fn every_bad_line_is_named_and_nothing_is_stored() {
        let text = format!("{{{MINIMAL}}}\n\n{{}}\n{{{MINIMAL},\"tenant\":\"\"}}\n");
        let text = messages(&text).unwrap_err();
        assert!(text.starts_with("nothing was stored: 2 bad lines"), "{text}");
        assert!(text.contains("line 3: missing field `event_type`"), "{text}");
        assert!(text.contains("line 4: message refused: tenant is empty"), "{text}");
    }

    #[test]
    fn a_bad_line_cannot_paint_the_screen() {
        let text = messages(&format!("{{{MINIMAL},\"\\u001b[2J\":1}}")).unwrap_err();
        assert!(text.contains("unknown field") && !text.contains('\u{1b}'), "{text:?}");
    }

    #[test]
    fn half_an_origin_is_refused_under_either_name() {
        for field in ["origin_stream", "origin_event", "source_stream", "source_event"] {
            assert!(messages(&format!(r#"{{{MINIMAL},"{field}":"s"}}"#)).unwrap_err().contains("give both"), "{field}");
        }
    }
}
