//! What the settings of sinks have in common: what is wrong with one, addresses, certificates. How durations are written is in
//! [`crate::duration`].

use std::fmt;
use std::path::PathBuf;

use serde::Deserialize;

use crate::Secret;

/// A setting that cannot be meant, and what to write instead. Never shows a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Its name in the config.
    pub setting: &'static str,
    /// What is wrong with it, and what to do about it.
    pub text: String,
}

impl Problem {
    /// `text` goes on after the name of the setting, as in "is empty: write …".
    pub fn new(setting: &'static str, text: impl Into<String>) -> Self {
        Self { setting, text: text.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.setting, self.text)
    }
}

impl std::error::Error for Problem {}

/// One address, or a list. Each may contain a login.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged, expecting = "must be a text or a list of texts")]
pub enum Urls {
    /// `url = "…"`
    One(Secret),
    /// `url = ["…", "…"]`
    Many(Vec<Secret>),
}

#[cfg(any(feature = "bullmq", feature = "nats", feature = "redis"))]
impl Urls {
    pub(crate) fn as_slice(&self) -> &[Secret] {
        match self {
            Self::One(url) => std::slice::from_ref(url),
            Self::Many(urls) => urls,
        }
    }
}

/// Files in PEM format. Without them, the system's roots decide whom to trust.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tls {
    /// Whom to trust.
    pub ca: Option<PathBuf>,
    /// Who we are, to a server that wants to know.
    pub certificate: Option<PathBuf>,
    /// The key of that certificate.
    pub key: Option<PathBuf>,
}

#[cfg(any(feature = "bullmq", feature = "email", feature = "nats", feature = "redis"))]
impl Tls {
    /// Certificate and key, if we show any.
    pub(crate) fn identity(&self) -> Result<Option<(&PathBuf, &PathBuf)>, Problem> {
        match (&self.certificate, &self.key) {
            (Some(certificate), Some(key)) => Ok(Some((certificate, key))),
            (None, None) => Ok(None),
            _ => Err(Problem::new("tls", "needs both of `certificate` and `key`, or none")),
        }
    }
}
