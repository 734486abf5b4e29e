//! The change stream of the store's database: read by one task, whose news everyone shares.
//!
//! `reader` reads the stream, `feed` is what it has told, and `resume_token` is where it goes on after a restart.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::task::JoinSet;

use super::MongoDb;

mod feed;
mod reader;
pub(super) mod resume_token;

use self::feed::StreamState;
pub(super) use self::feed::{Feed, id_text};

/// What a store has of the stream.
#[derive(Debug, Default)]
pub(super) struct ChangeStream {
    feed: Arc<Feed>,
    /// The task that reads; ends with the store.
    reader: Mutex<JoinSet<()>>,
    saved: Mutex<resume_token::Saved>,
}

impl ChangeStream {
    /// What the stream has told.
    pub(super) fn feed(&self) -> &Arc<Feed> {
        &self.feed
    }

    /// How often the stream had to be opened anew.
    pub(super) fn restarts(&self) -> u64 {
        self.feed.restarts()
    }

    fn saved(&self) -> MutexGuard<'_, resume_token::Saved> {
        self.saved.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Starts to read the stream, once, when someone first needs it.
pub(super) fn follow(store: &MongoDb) {
    if !store.db().options.change_stream {
        return;
    }
    let stream = &store.shared.change_stream;
    let mut reader = stream.reader.lock().unwrap_or_else(PoisonError::into_inner);
    if reader.is_empty() {
        stream.feed.note_state(StreamState::Opening);
        reader.spawn(reader::follow(store.db().clone(), Arc::clone(&stream.feed)));
    }
}
