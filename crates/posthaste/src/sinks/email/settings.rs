//! What can be said about mails and the server that takes them.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

use crate::duration;
use crate::secret::Secret;
use crate::sink::payload_template::Written;
use crate::sink::settings::Tls;

/// The settings of mails: `[destinations.NAME.email]`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// `smtps://login:password@host:465`, or `smtp://…:587` for a connection that is encrypted by STARTTLS.
    pub url: Secret,
    /// How the connection is encrypted, where the scheme of the URL does not say it.
    #[serde(default)]
    pub encryption: Option<Encryption>,
    /// Certificates, in place of the system's.
    #[serde(default)]
    pub tls: Tls,
    /// How the relay calls itself to the server.
    #[serde(default)]
    pub hello: Option<String>,
    /// Who writes: `Shop <orders@example.com>`.
    pub from: Written,
    /// To whom: one address or a list, each with a name before it or without.
    pub to: OneOrMany,
    /// Who gets a copy.
    #[serde(default)]
    pub cc: OneOrMany,
    /// Who gets a copy that nobody else knows of.
    #[serde(default)]
    pub bcc: OneOrMany,
    /// Who gets answers, if that is not who writes.
    #[serde(default)]
    pub reply_to: Option<Written>,
    /// The subject.
    pub subject: Written,
    /// The body as plain text.
    #[serde(default)]
    pub text: Option<Written>,
    /// The body as HTML; every value is escaped.
    #[serde(default)]
    pub html: Option<Written>,
    /// More headers.
    #[serde(default)]
    pub headers: BTreeMap<String, Written>,
    /// Where to unsubscribe: a `https:` or `mailto:` address. One with `https:` is also offered as a single click.
    #[serde(default)]
    pub list_unsubscribe: Option<Written>,
    /// Where the payload has a list of files, such as `invoice.files`; each is `{ name, type, content }` with the content in base64.
    #[serde(default)]
    pub attachments: Option<String>,
    /// The file name under which the payload itself is attached.
    #[serde(default)]
    pub attach_payload: Option<Written>,
    /// More files than these are a reject.
    #[serde(default = "ten")]
    pub max_attachments: usize,
    /// A mail that is larger is a reject.
    #[serde(default = "twenty_megabytes")]
    pub max_bytes: usize,
    /// Recipients of one transaction; more are split into several.
    #[serde(default = "fifty")]
    pub max_recipients: usize,
    /// How long to wait after a server said that it wants to be asked again (450, 451).
    #[serde(default = "five_minutes", with = "duration")]
    pub greylist_wait: Duration,
    /// Connections at once.
    #[serde(default = "ten")]
    pub max_connections: usize,
    /// A mail that takes longer has failed.
    #[serde(default = "minute", with = "duration")]
    pub timeout: Duration,
    /// A server that cannot be connected to for so long is out of reach.
    #[serde(default = "ten_seconds", with = "duration")]
    pub connect_timeout: Duration,
    /// A connection that nobody used for so long is not used again.
    #[serde(default = "half_a_minute", with = "duration")]
    pub idle_timeout: Duration,
}

/// How a connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encryption {
    /// From the first byte.
    Tls,
    /// From the command STARTTLS on; without it nothing is sent.
    Starttls,
    /// Not at all; a login is then sent only to this machine.
    None,
}

/// One address, or a list.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(untagged, expecting = "must be a template or a list of templates")]
pub enum OneOrMany {
    /// Nobody.
    #[default]
    Nobody,
    /// `to = "…"`
    One(Written),
    /// `to = ["…", "…"]`
    Many(Vec<Written>),
}

impl OneOrMany {
    pub(super) fn as_slice(&self) -> &[Written] {
        match self {
            Self::Nobody => &[],
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}

impl Settings {
    /// Mails with the usual settings and a body of plain text.
    pub fn new(url: impl Into<Secret>, from: Written, to: Written, subject: Written, text: Written) -> Self {
        Self {
            url: url.into(),
            encryption: None,
            tls: Tls::default(),
            hello: None,
            from,
            to: OneOrMany::One(to),
            cc: OneOrMany::Nobody,
            bcc: OneOrMany::Nobody,
            reply_to: None,
            subject,
            text: Some(text),
            html: None,
            headers: BTreeMap::new(),
            list_unsubscribe: None,
            attachments: None,
            attach_payload: None,
            max_attachments: ten(),
            max_bytes: twenty_megabytes(),
            max_recipients: fifty(),
            greylist_wait: five_minutes(),
            max_connections: ten(),
            timeout: minute(),
            connect_timeout: ten_seconds(),
            idle_timeout: half_a_minute(),
        }
    }
}

fn ten() -> usize {
    10
}

fn fifty() -> usize {
    50
}

fn twenty_megabytes() -> usize {
    20 << 20
}

fn ten_seconds() -> Duration {
    Duration::from_secs(10)
}

fn half_a_minute() -> Duration {
    Duration::from_secs(30)
}

fn minute() -> Duration {
    Duration::from_secs(60)
}

fn five_minutes() -> Duration {
    Duration::from_secs(300)
}
