//! What can be said about short messages and who takes them.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

use crate::duration;
use crate::secret::Secret;
use crate::sink::payload_template::Written;

/// The settings of short messages: `[destinations.NAME.sms]`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// The number, in international form: `+15551234567`.
    pub to: Written,
    /// What is said.
    pub text: Written,
    /// Parts that a text may need; a longer one is a reject.
    #[serde(default = "three")]
    pub max_parts: usize,
    /// Twilio, or whoever speaks as it does.
    #[serde(default)]
    pub twilio: Option<Twilio>,
    /// Any other provider that takes a request by HTTP.
    #[serde(default)]
    pub form: Option<Form>,
    /// A request that takes longer has failed.
    #[serde(default = "ten_seconds", with = "duration")]
    pub timeout: Duration,
    /// A provider that cannot be connected to for so long is out of reach.
    #[serde(default = "five_seconds", with = "duration")]
    pub connect_timeout: Duration,
    /// A connection that nobody used for so long is closed.
    #[serde(default = "minute", with = "duration")]
    pub idle_timeout: Duration,
    /// What `Retry-After` can ask for at most.
    #[serde(default = "hour", with = "duration")]
    pub retry_after_cap: Duration,
    /// Networks that may be called although they are not public.
    #[serde(default)]
    pub allow: Vec<String>,
}

/// An account at Twilio: `[destinations.NAME.sms.twilio]`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Twilio {
    /// `AC` and 32 digits.
    pub account: String,
    /// The account's token, or the secret of the key.
    pub token: Secret,
    /// The name of an API key, in place of the account itself.
    #[serde(default)]
    pub api_key: Option<String>,
    /// The number that sends.
    #[serde(default)]
    pub from: Option<String>,
    /// The messaging service that chooses one.
    #[serde(default)]
    pub messaging_service: Option<String>,
    /// Whom Twilio tells what became of the text.
    #[serde(default)]
    pub status_callback: Option<String>,
    /// Where Twilio is.
    #[serde(default = "twilio")]
    pub url: String,
}

/// A provider's own form: `[destinations.NAME.sms.form]`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Form {
    /// Where the request goes; it may contain a token.
    pub url: Secret,
    /// How the fields are written.
    #[serde(default)]
    pub format: BodyFormat,
    /// Templates of the fields; beside all others they can name `to` and `text`.
    pub fields: BTreeMap<String, Written>,
    /// Sent with every request, such as `Authorization`.
    #[serde(default)]
    pub headers: BTreeMap<String, Secret>,
}

/// How the fields of a request are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BodyFormat {
    /// As a browser sends them.
    #[default]
    Form,
    /// As a JSON object of texts.
    Json,
}

impl Settings {
    /// The usual settings; a provider has to be added.
    pub fn new(to: Written, text: Written) -> Self {
        Self {
            to,
            text,
            max_parts: three(),
            twilio: None,
            form: None,
            timeout: ten_seconds(),
            connect_timeout: five_seconds(),
            idle_timeout: minute(),
            retry_after_cap: hour(),
            allow: Vec::new(),
        }
    }
}

impl Twilio {
    /// An account that sends from a number.
    pub fn new(account: impl Into<String>, token: impl Into<Secret>, from: impl Into<String>) -> Self {
        Self {
            account: account.into(),
            token: token.into(),
            api_key: None,
            from: Some(from.into()),
            messaging_service: None,
            status_callback: None,
            url: twilio(),
        }
    }
}

fn twilio() -> String {
    "https://api.twilio.com".into()
}

fn three() -> usize {
    3
}

fn five_seconds() -> Duration {
    Duration::from_secs(5)
}

fn ten_seconds() -> Duration {
    Duration::from_secs(10)
}

fn minute() -> Duration {
    Duration::from_secs(60)
}

fn hour() -> Duration {
    Duration::from_secs(3600)
}
