//! What operators do, and what is written down about it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What an operator asks to be done with deliveries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// Deliver again: dead ones from the start of their attempts and in order, retrying ones and those that wait for an answer now,
    /// delivered ones once more.
    Replay,
    /// Give up: dead, retrying, scheduled, throttled, paused, awaited and replayed ones are never delivered.
    Discard,
}

/// Whether an operation only counts or also acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Counts.
    DryRun,
    /// Acts, and counts what it did.
    Apply,
}

/// What an operation did, or would do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct OperationReport {
    /// Deliveries it applies to.
    pub affected: u64,
    /// Deliveries matched by the filter whose status the operation does not apply to (pending, waiting, …).
    pub not_applicable: u64,
    /// Replay only: of these, newer messages of the same key were delivered already, so they arrive out of order.
    pub overtaken: u64,
}

/// A change that someone made, for the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The user of a command line, the name of a token, a worker.
    pub who: String,
    /// `replay`, `discard`, `pause`, `resume`, `pause tenant`, `resume tenant`, `purge`.
    pub action: String,
    /// To what: a destination, or a selection in words.
    pub target: String,
    /// Deliveries, messages or destinations that it changed.
    pub affected: u64,
}

/// A line of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditEntry {
    /// Grows with every entry.
    pub number: u64,
    /// By the store's clock.
    pub at: Timestamp,
    /// What was changed.
    #[serde(flatten)]
    pub change: Change,
}

/// What is wrong with a store or its surroundings: a setting that costs, a privilege that is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Problem {
    /// No relay should run before this is put right; otherwise it is a warning.
    pub refuses: bool,
    /// What is wrong, and what to do about it.
    pub text: String,
}

impl Problem {
    /// A problem because of which no relay should run.
    pub fn refusal(text: impl Into<String>) -> Self {
        Self { refuses: true, text: text.into() }
    }

    /// A problem that a person should know about, and that a relay can run with.
    pub fn warning(text: impl Into<String>) -> Self {
        Self { refuses: false, text: text.into() }
    }
}
