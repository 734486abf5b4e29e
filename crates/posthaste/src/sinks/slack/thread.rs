//! The threads of keys: which post opened one.
//!
//! A post says in its metadata which key it is about, so that a worker that has just started finds the thread that another one opened. It
//! looks at the latest posts of the channel only; an older thread is left alone and a new one begins.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Slack;
use crate::message::{OrderKey, Text};
use crate::sink::bounded_map::BoundedMap;
use crate::sink::http::with_json;

/// What our metadata is called.
const EVENT_TYPE: &str = "posthaste_thread";
/// Posts that are looked at: as many as Slack gives in one answer.
const LOOKED_AT: usize = 200;

/// When a post was made: what Slack knows it by, `1700000000.000100`. Short, so that it costs no allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp([u8; 24], u8);

/// Which post opened the thread of a key.
#[derive(Debug, Default)]
pub(super) struct Threads(BoundedMap<String, Option<Stamp>>);

impl Threads {
    /// The post, or `None` if the key has none; the outer `None` if nobody has looked.
    fn get(&self, channel: &str, key: &OrderKey) -> Option<Option<String>> {
        let known = self.0.get(place(channel, key).as_str())?;
        Some(known.map(|Stamp(bytes, length)| String::from_utf8_lossy(&bytes[..usize::from(length)]).into_owned()))
    }

    /// Nobody has opened a thread for the key yet, as far as is known.
    pub(super) fn is_new(&self, channel: &str, key: &OrderKey) -> bool {
        self.get(channel, key).flatten().is_none()
    }

    pub(super) fn learn(&self, channel: &str, key: &OrderKey, stamp: Option<&str>) {
        let stamp = stamp.filter(|stamp| stamp.len() <= 24).map(|stamp| {
            let mut bytes = [0; 24];
            bytes[..stamp.len()].copy_from_slice(stamp.as_bytes());
            Stamp(bytes, stamp.len() as u8)
        });
        self.0.learn(place(channel, key).as_str(), stamp);
    }
}

fn place(channel: &str, key: &OrderKey) -> String {
    format!("{channel}\n{}\n{}", key.tenant.as_ref().map_or("", Text::as_str), key.key)
}

/// What a post says about its key, for whoever looks for the thread later.
pub(super) fn metadata(key: &OrderKey) -> Value {
    let mut about = json!({ "key": key.key.as_str() });
    if let Some(tenant) = &key.tenant {
        about["tenant"] = tenant.as_str().into();
    }
    json!({ "event_type": EVENT_TYPE, "event_payload": about })
}

#[derive(Debug, Deserialize)]
struct History {
    #[serde(default)]
    messages: Vec<Posted>,
}

#[derive(Debug, Deserialize)]
struct Posted {
    ts: String,
    thread_ts: Option<String>,
    metadata: Option<Value>,
}

impl Slack {
    /// The post that opened the thread of a key, if there is one.
    pub(super) async fn thread_of(&self, threads: &Threads, channel: &str, key: &OrderKey) -> Option<String> {
        if let Some(known) = threads.get(channel, key) {
            return known;
        }
        let found = self.look_for_thread(channel, key).await;
        threads.learn(channel, key, found.as_deref());
        found
    }

    /// Without the right to read the channel nothing is found, and a new thread begins.
    async fn look_for_thread(&self, channel: &str, key: &OrderKey) -> Option<String> {
        let (url, request) = self.service.request(&self.http, "conversations.history");
        let question = json!({ "channel": channel, "limit": LOOKED_AT, "include_all_metadata": true });
        let answer = self.http.exchange_whole(&url, with_json(request, &question)).await.ok()?;
        let history: History = serde_json::from_slice(&answer.body).ok()?;
        let ours = metadata(key);
        // Newest first; the opener of a thread is its oldest post.
        let opened = history.messages.into_iter().rfind(|post| post.metadata.as_ref() == Some(&ours))?;
        Some(opened.thread_ts.unwrap_or(opened.ts))
    }
}
