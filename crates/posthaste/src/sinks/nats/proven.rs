//! What the server is known to take: per subject, up to which size.
//!
//! Whether a stream takes a subject and a size is decided for each message by itself. Was one refused for that and the next one
//! not, the next would be stored in front of it; so whatever is not known to be taken travels alone. The first acknowledgement
//! names the stream behind a subject, and the stream says what its limit is.

use async_nats::jetstream::Context;
use serde_json::Value;

use crate::sink::bounded_map::BoundedMap;

/// The largest message of each subject, and of each stream.
#[derive(Debug, Default)]
pub(super) struct Proven {
    subjects: BoundedMap<String, usize>,
    streams: BoundedMap<String, usize>,
}

impl Proven {
    pub(super) fn covers(&self, subject: &str, bytes: usize) -> bool {
        self.subjects.get(subject).is_some_and(|largest| bytes <= largest)
    }

    /// The stream has taken a message of this subject and size.
    pub(super) async fn learn(&self, context: &Context, stream: &str, subject: &str, bytes: usize) {
        if self.covers(subject, bytes) {
            return;
        }
        let limit = match self.streams.get(stream) {
            Some(limit) => limit,
            // Who may not ask for it has to go by what was taken so far.
            None => max_message_bytes(context, stream).await.unwrap_or(0),
        };
        self.streams.learn(stream, limit);
        self.subjects.learn(subject, bytes.max(limit));
    }

    /// What was known is wrong: the stream has changed, or is another one.
    pub(super) fn forget(&self, subject: &str) {
        self.subjects.forget(subject);
        self.streams.forget_all();
    }
}

async fn max_message_bytes(context: &Context, stream: &str) -> Option<usize> {
    let info: Value = context.request(format!("STREAM.INFO.{stream}"), &()).await.ok()?;
    match info["config"]["max_msg_size"].as_i64() {
        Some(limit) if limit >= 0 => usize::try_from(limit).ok(),
        // None, which is written as -1.
        Some(_) => Some(usize::MAX),
        None => None,
    }
}
