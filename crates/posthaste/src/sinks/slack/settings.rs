//! What can be said about a chat.

use std::time::Duration;

use serde::Deserialize;

use crate::duration;
use crate::secret::Secret;
use crate::sink::payload_template::Written;

/// The settings of a chat: `[destinations.NAME.slack]`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// The address of an incoming webhook, which is a secret.
    #[serde(default)]
    pub webhook: Option<Secret>,
    /// Whose webhook it is.
    #[serde(default)]
    pub speaks: Speaks,
    /// A token that may post, in place of a webhook: `xoxb-…`.
    #[serde(default)]
    pub token: Option<Secret>,
    /// With a token: where to post, by name or id.
    #[serde(default)]
    pub channel: Option<Written>,
    /// With a token: the messages of a key stand in one thread.
    #[serde(default)]
    pub thread: bool,
    /// What is said; with blocks, what notifications show.
    pub text: Written,
    /// Blocks as Slack describes them, a JSON list. Every value in it is written as `{{ … }}` without quotes.
    #[serde(default)]
    pub blocks: Option<Written>,
    /// Whether the text is formatted (`*bold*`, `<https://…|links>`).
    #[serde(default)]
    pub formatting: bool,
    /// A request that takes longer has failed.
    #[serde(default = "ten_seconds", with = "duration")]
    pub timeout: Duration,
    /// A service that cannot be connected to for so long is out of reach.
    #[serde(default = "five_seconds", with = "duration")]
    pub connect_timeout: Duration,
    /// A connection that nobody used for so long is closed.
    #[serde(default = "minute", with = "duration")]
    pub idle_timeout: Duration,
    /// What `Retry-After` can ask for at most.
    #[serde(default = "hour", with = "duration")]
    pub retry_after_cap: Duration,
    /// Where Slack is, with a token.
    #[serde(default = "slack")]
    pub url: String,
    /// Networks that may be called although they are not public.
    #[serde(default)]
    pub allow: Vec<String>,
}

/// Whose language a webhook speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaks {
    /// Slack, and what imitates it (Mattermost, Rocket.Chat).
    #[default]
    Slack,
    /// Discord.
    Discord,
    /// Microsoft Teams, through a workflow that posts what it receives.
    Teams,
}

impl Settings {
    /// The usual settings; a webhook, or a token and a channel, has to be added.
    pub fn new(text: Written) -> Self {
        Self {
            webhook: None,
            speaks: Speaks::Slack,
            token: None,
            channel: None,
            thread: false,
            text,
            blocks: None,
            formatting: false,
            timeout: ten_seconds(),
            connect_timeout: five_seconds(),
            idle_timeout: minute(),
            retry_after_cap: hour(),
            url: slack(),
            allow: Vec::new(),
        }
    }
}

fn slack() -> String {
    "https://slack.com".into()
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
