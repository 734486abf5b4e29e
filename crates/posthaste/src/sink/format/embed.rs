//! A payload as a part of a JSON document, so that its bytes can always be got back.

use std::fmt;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
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
    serde_json::from_str::<Accepted>(text).and_then(|_| serde_json::from_str(text)).ok()
}

pub(crate) fn base64(message: &Message) -> String {
    BASE64_STANDARD.encode(&message.payload)
}

/// JSON that a usual parser accepts. Nothing of it is kept: to make values of every payload would cost more than the rest of its line.
struct Accepted;

impl<'de> Deserialize<'de> for Accepted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Accepted {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self, A::Error> {
        while object.next_entry::<Self, Self>()?.is_some() {}
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn what_is_accepted_is_what_becomes_a_value() {
        let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        let texts = [
            r#"{"a":[1,-2,3.5e7,true,null,"x"],"b":{"":"\u00e9\n"}}"#,
            r#""\ud83d\ude00""#,
            r#""\ud83d""#,
            r#""\x""#,
            "\"a\nb\"",
            "1e999",
            "-0",
            "123456789012345678901234567890",
            "01",
            "[1,]",
            r#"{"a":1,"a":2}"#,
            "{1:2}",
            "nul",
            "1 2",
            "",
        ];
        for text in texts.into_iter().map(str::to_owned).chain([deep(127), deep(128), deep(50_000)]) {
            let accepted = serde_json::from_str::<Accepted>(&text).is_ok();
            assert_eq!(accepted, serde_json::from_str::<Value>(&text).is_ok(), "{}", &text[..text.len().min(80)]);
        }
    }
}
