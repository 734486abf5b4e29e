//! Event types that nobody handles.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// After so many types there is no point in naming more.
const MAX_TYPES: usize = 1_000;

/// Warns once per event type, not once per message.
#[derive(Debug, Default)]
pub(super) struct Unhandled(Mutex<BTreeSet<String>>);

impl Unhandled {
    pub(super) fn warn_once(&self, event_type: &str) {
        let mut warned = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if warned.contains(event_type) || warned.len() >= MAX_TYPES {
            return;
        }
        warned.insert(event_type.into());
        tracing::warn!(event_type, "no handler is registered for this event type; its messages count as delivered");
    }
}
