//! What can be said about an endpoint.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use reqwest::Method;
use serde::Deserialize;

use crate::duration;
use crate::secret::Secret;
use crate::sink::format::Format;
use crate::sink::template::Template;

/// The settings of a webhook: `[destinations.NAME.webhook]`.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// Where to; fields of the message in braces, percent-encoded.
    pub url: Template,
    /// POST, PUT or PATCH.
    #[serde(default = "post")]
    pub method: String,
    /// Keys to sign with, `whsec_` and base64; several while they are being changed. None leaves messages unsigned.
    #[serde(default)]
    pub secrets: Vec<Secret>,
    /// Sent with every message; fields of the message in braces.
    #[serde(default)]
    pub headers: BTreeMap<String, Template>,
    /// What a message looks like there.
    #[serde(default)]
    pub format: Format,
    /// A request that takes longer has failed.
    #[serde(default = "ten_seconds", with = "duration")]
    pub timeout: Duration,
    /// An endpoint that cannot be connected to for so long is out of reach.
    #[serde(default = "five_seconds", with = "duration")]
    pub connect_timeout: Duration,
    /// A connection that nobody used for so long is closed.
    #[serde(default = "minute", with = "duration")]
    pub idle_timeout: Duration,
    /// What `Retry-After` can ask for at most.
    #[serde(default = "hour", with = "duration")]
    pub retry_after_cap: Duration,
    /// What a status means where the defaults do not suit: `404 = "retry"`, `3xx = "reject"`.
    #[serde(default)]
    pub statuses: BTreeMap<String, StatusVerdict>,
    /// Networks that may be called although they are not public: `10.1.0.0/16`, `127.0.0.1/32`.
    #[serde(default)]
    pub allow: Vec<String>,
}

/// What a status can mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StatusVerdict {
    /// The endpoint has it.
    Delivered,
    /// Later it may take it.
    Retry,
    /// It will never take this message.
    Reject,
    /// Nobody is there who could; an outage.
    Unreachable,
    /// It wants no more: the destination is paused.
    Pause,
}

impl Settings {
    /// An endpoint with the usual settings.
    pub fn new(url: Template) -> Self {
        Self {
            url,
            method: post(),
            secrets: Vec::new(),
            headers: BTreeMap::new(),
            format: Format::default(),
            timeout: ten_seconds(),
            connect_timeout: five_seconds(),
            idle_timeout: minute(),
            retry_after_cap: hour(),
            statuses: BTreeMap::new(),
            allow: Vec::new(),
        }
    }
}

/// Neither the URL nor a header's value, which may contain a token.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("method", &self.method)
            .field("secrets", &self.secrets.len())
            .field("headers", &self.headers.keys())
            .field("format", &self.format)
            .field("timeout", &self.timeout)
            .field("statuses", &self.statuses)
            .field("allow", &self.allow)
            .finish_non_exhaustive()
    }
}

/// Requests with a body that endpoints expect.
pub(super) fn method(name: &str) -> Result<Method, String> {
    match name {
        "POST" | "PUT" | "PATCH" => Method::from_bytes(name.as_bytes()).map_err(|error| error.to_string()),
        _ => Err(format!("cannot be {name:?}: expected POST, PUT or PATCH")),
    }
}

fn post() -> String {
    "POST".into()
}

fn ten_seconds() -> Duration {
    Duration::from_secs(10)
}

fn five_seconds() -> Duration {
    Duration::from_secs(5)
}

fn minute() -> Duration {
    Duration::from_secs(60)
}

fn hour() -> Duration {
    Duration::from_secs(3600)
}
