//! `[notify]` as it is written. `resolve_notify` knows what it means.

use posthaste::notify::Severity;
use serde::Deserialize;

use super::parse::Span;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Notify {
    pub to: Option<Names>,
    pub interval: Option<Span>,
    pub dead_after: Option<Span>,
    pub blocked_after: Option<Span>,
    pub paused_after: Option<Span>,
    pub outage_after: Option<Span>,
    pub no_worker_after: Option<Span>,
    pub source_after: Option<Span>,
    pub lag_over: Option<Span>,
    pub never: Option<Vec<NoticeKind>>,
    pub remind_after: Option<Span>,
    pub max_per_hour: Option<usize>,
    pub quiet: Option<Quiet>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    Dead,
    Blocked,
    Paused,
    Outage,
    Lag,
    NoWorker,
    Source,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Quiet {
    pub from: Option<String>,
    pub to: Option<String>,
    pub time_zone: Option<String>,
    pub except: Option<Severity>,
}

/// One name, or a list.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "must be a name or a list of names")]
pub enum Names {
    One(String),
    Many(Vec<String>),
}

impl Names {
    pub fn into_vec(self) -> Vec<String> {
        match self {
            Self::One(name) => vec![name],
            Self::Many(names) => names,
        }
    }

    pub fn contains(&self, name: &str) -> bool {
        match self {
            Self::One(one) => one == name,
            Self::Many(names) => names.iter().any(|one| one == name),
        }
    }
}
