//! A payload as a part of a JSON document, so that its bytes can always be got back.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::message::Message;

/// Whether the content type says that the payload is JSON.
pub(crate) fn claims_json(content_type: &str) -> bool {
    let media_type = content_type.split(';').next().unwrap_or_default().trim_end();
    media_type == "application/json" || media_type.ends_with("+json")
}

/// The payload as JSON that a usual parser accepts. Parsing it to the end keeps what is nested 50,000 deep, or no JSON at all,
/// from spoiling the document around it.
pub(crate) fn json(message: &Message) -> Option<&RawValue> {
    let text = std::str::from_utf8(&message.payload).ok()?;
    if !claims_json(&message.content_type) || text.trim() != text {
        return None;
    }
    serde_json::from_str::<Value>(text).and_then(|_| serde_json::from_str(text)).ok()
}

pub(crate) fn base64(message: &Message) -> String {
    BASE64_STANDARD.encode(&message.payload)
}
