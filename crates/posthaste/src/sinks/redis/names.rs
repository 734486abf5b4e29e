//! What streams, channels and fields may be called, and where it is kept what is known of a key.

use crate::message::OrderKey;
use crate::sink::Run;
use crate::sink::template::{Field, Rule, percent_encode};

/// Far below what Redis takes, far above what anyone means.
const MAX_BYTES: usize = 4_096;

/// Names of streams. `:` is what people put between the parts of a name, so a part does not contain one; an event type may,
/// it has levels of its own. Braces make Redis Cluster look at what is between them only.
#[derive(Debug)]
pub(super) struct StreamRule;

impl Rule for StreamRule {
    fn field(&self, field: Field, value: &str, name: &mut String) -> Result<(), String> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte);
        percent_encode(value, |byte| plain(byte) || field == Field::EventType && byte == b':', name);
        Ok(())
    }

    fn name(&self, name: &str) -> Result<(), String> {
        match name.len() {
            0 => return Err("is empty".into()),
            1..=MAX_BYTES => {}
            _ => return Err(format!("is longer than {MAX_BYTES} bytes")),
        }
        if name.contains(['{', '}']) && hash_tag(name) == name {
            return Err("has braces without a text between them".into());
        }
        Ok(())
    }
}

/// Names of channels. The same, so that a pattern of one tenant cannot be made to match another's.
#[derive(Debug)]
pub(super) struct ChannelRule;

impl Rule for ChannelRule {
    fn field(&self, field: Field, value: &str, name: &mut String) -> Result<(), String> {
        StreamRule.field(field, value, name)
    }

    fn name(&self, name: &str) -> Result<(), String> {
        if name.is_empty() { Err("is empty".into()) } else { Ok(()) }
    }
}

/// Values of fields. They travel with their length, so nothing can be smuggled into one.
#[derive(Debug)]
pub(super) struct ValueRule;

impl Rule for ValueRule {
    fn field(&self, _: Field, value: &str, text: &mut String) -> Result<(), String> {
        text.push_str(value);
        Ok(())
    }

    fn name(&self, _: &str) -> Result<(), String> {
        Ok(())
    }
}

/// The part of a name by which Redis Cluster chooses the node.
fn hash_tag(name: &str) -> &str {
    let between = name.split_once('{').and_then(|(_, rest)| rest.split_once('}')).map(|(tag, _)| tag);
    between.filter(|tag| !tag.is_empty()).unwrap_or(name)
}

/// Where it is kept what is known of a key in a stream: on the node that has the stream.
pub(super) fn memory(run: &Run, key: &OrderKey, stream: &str) -> String {
    let mut name = format!("posthaste:{{{}}}:{}:", hash_tag(stream), run.destination);
    // The stream is told from others with the same tag, the tenant from the key.
    for part in [stream, key.tenant.as_deref().unwrap_or_default()] {
        percent_encode(part, |byte| byte.is_ascii_graphic() && byte != b':', &mut name);
        name.push(':');
    }
    name + &key.key
}
