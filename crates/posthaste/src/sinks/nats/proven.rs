//! What the server is known to take: per subject, up to which size.
//!
//! Whether a stream takes a subject and a size is decided for each message by itself. Was one refused for that and the next one
//! not, the next would be stored in front of it; so whatever is not known to be taken travels alone. The first acknowledgement
//! names the stream behind a subject, and the stream says what its limit is.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_nats::jetstream::Context;
use serde_json::Value;

/// With more subjects than this, some travel alone again.
const MAX_SUBJECTS: usize = 50_000;

#[derive(Debug, Default)]
pub(super) struct Proven(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// The largest message of each subject.
    subjects: HashMap<String, usize>,
    /// The largest message of each stream.
    streams: HashMap<String, usize>,
}

impl Proven {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn covers(&self, subject: &str, bytes: usize) -> bool {
        self.known().subjects.get(subject).is_some_and(|largest| bytes <= *largest)
    }

    /// The stream has taken a message of this subject and size.
    pub(super) async fn learn(&self, context: &Context, stream: &str, subject: String, bytes: usize) {
        if self.covers(&subject, bytes) {
            return;
        }
        let limit = self.known().streams.get(stream).copied();
        let limit = match limit {
            Some(limit) => limit,
            // Who may not ask for it has to go by what was taken so far.
            None => max_message_bytes(context, stream).await.unwrap_or(0),
        };
        let mut known = self.known();
        if known.subjects.len() >= MAX_SUBJECTS {
            known.subjects.clear();
        }
        known.streams.insert(stream.to_owned(), limit);
        known.subjects.insert(subject, bytes.max(limit));
    }

    /// What was known is wrong: the stream has changed, or is another one.
    pub(super) fn forget(&self, subject: &str) {
        let mut known = self.known();
        known.subjects.remove(subject);
        known.streams.clear();
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
