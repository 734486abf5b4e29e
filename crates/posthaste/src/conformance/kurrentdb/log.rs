//! The log of the stand-in: positions as a server gives them.

use std::collections::HashMap;

use bytes::Bytes;
use uuid::Uuid;

use crate::sources::kurrentdb::protocol::streams::{Expression, FilterBy, FilterOptions, ReadEvent};
use crate::sources::kurrentdb::protocol::{self, RecordedEvent, StreamIdentifier};

/// Between two positions, more or less.
const STEP: u64 = 117;

/// 2026-01-01 in tenths of a microsecond since 1970.
const CREATED: u64 = 17_672_256_000_000_000;

#[derive(Debug, Default)]
pub(super) struct Log {
    entries: Vec<RecordedEvent>,
    revisions: HashMap<String, u64>,
}

impl Log {
    /// As of a server that has just started: its own events come first.
    pub(super) fn with_system_events() -> Self {
        let mut log = Self::default();
        for _ in 0..3 {
            log.append("$stats", "$stats-collected", Uuid::now_v7(), Bytes::new(), Bytes::new());
        }
        log
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn get(&self, at: usize) -> Option<&RecordedEvent> {
        self.entries.get(at)
    }

    pub(super) fn append(&mut self, stream: &str, event_type: &str, id: Uuid, data: Bytes, metadata: Bytes) {
        let next = self.revisions.entry(stream.to_owned()).or_default();
        let revision = std::mem::replace(next, *next + 1);
        let position = 64 + self.entries.len() as u64 * STEP;
        let created = CREATED + self.entries.len() as u64 * 10_000;
        let said = [
            ("type", event_type.to_owned()),
            ("content-type", "application/json".to_owned()),
            ("created", created.to_string()),
        ];
        self.entries.push(RecordedEvent {
            id: Some(protocol::Uuid::new(id)),
            stream_identifier: Some(StreamIdentifier::new(stream)),
            stream_revision: revision,
            prepare_position: position,
            commit_position: position,
            metadata: said.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            custom_metadata: metadata,
            data,
        });
    }

    pub(super) fn link(&mut self, stream: &str, to_stream: &str, revision: u64) {
        self.append(stream, "$>", Uuid::now_v7(), format!("{revision}@{to_stream}").into(), Bytes::new());
    }

    /// The first entry after a position, by the commit alone: the prepare of a checkpoint may be zero.
    pub(super) fn after(&self, commit: u64) -> usize {
        self.entries.partition_point(|entry| entry.commit_position <= commit)
    }

    /// An entry as it is sent: with the event that it links to, if that is wanted.
    pub(super) fn read(&self, at: usize, resolve_links: bool) -> ReadEvent {
        let entry = self.entries[at].clone();
        let commit_position = Some(entry.commit_position);
        if !resolve_links || kind(&entry) != "$>" {
            return ReadEvent { event: Some(entry), link: None, commit_position };
        }
        let target = String::from_utf8_lossy(&entry.data).into_owned();
        let event = target.split_once('@').and_then(|(revision, stream)| {
            let is_it = |one: &&RecordedEvent| name(one) == stream && one.stream_revision.to_string() == revision;
            self.entries.iter().find(is_it).cloned()
        });
        ReadEvent { event, link: Some(entry), commit_position }
    }
}

pub(super) fn kind(entry: &RecordedEvent) -> &str {
    entry.metadata.get("type").map(String::as_str).unwrap_or_default()
}

pub(super) fn name(entry: &RecordedEvent) -> String {
    entry.stream_identifier.as_ref().map(StreamIdentifier::text).unwrap_or_default()
}

/// Whether a filter lets an entry through. Of regular expressions it knows the ones that tests use: `^` and a text.
pub(super) fn matches(filter: &FilterOptions, entry: &RecordedEvent) -> bool {
    let (expression, text) = match &filter.by {
        Some(FilterBy::EventType(expression)) => (expression, kind(entry).to_owned()),
        Some(FilterBy::Stream(expression)) => (expression, name(entry)),
        None => return true,
    };
    let Expression { regex, prefix } = expression;
    match regex.as_str() {
        "" => prefix.iter().any(|prefix| text.starts_with(prefix.as_str())),
        "^[^\\$].*" => !text.starts_with('$'),
        regex => text.starts_with(regex.trim_start_matches('^')),
    }
}
