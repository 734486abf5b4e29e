//! The audit log: writing an entry, and reading the latest.

use super::core::{Core, timestamp};
use crate::inspect::{AuditEntry, Change};

impl Core {
    /// See [`crate::inspect::Inspect::record`].
    pub fn record(&mut self, change: Change) {
        let number = self.audit.len() as u64 + 1;
        self.audit.push(AuditEntry { number, at: timestamp(self.now), change });
    }

    /// See [`crate::inspect::Inspect::audit`].
    pub fn audit(&self, before: Option<u64>, limit: usize) -> Vec<AuditEntry> {
        let older = |entry: &&AuditEntry| before.is_none_or(|before| entry.number < before);
        self.audit.iter().rev().filter(older).take(limit).cloned().collect()
    }
}
