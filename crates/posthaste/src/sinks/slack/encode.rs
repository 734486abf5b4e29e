//! A message as a post, in the language of the service.

use serde_json::{Value, json};

use super::service::Service;
use super::settings::{Settings, Speaks};
use crate::sink::payload_template::{Context, Escape, PayloadTemplate};
use crate::sink::settings::Problem;
use crate::sink::{Delivery, Error, Run};

/// Slack cuts what is longer; so do we, and say it by an ellipsis.
const MAX_SLACK_CHARS: usize = 40_000;
const MAX_DISCORD_CHARS: usize = 2_000;
/// Teams takes 28 kB for a whole message.
const MAX_TEAMS_CHARS: usize = 6_000;
/// `SUPPRESS_EMBEDS`: no preview of what a link leads to.
const DISCORD_NO_PREVIEWS: u32 = 4;

/// Makes posts.
#[derive(Debug)]
pub(super) struct Encoder {
    text: PayloadTemplate,
    blocks: Option<PayloadTemplate>,
    channel: Option<PayloadTemplate>,
    formatting: bool,
    /// No message decides the channel, so that what is wrong with it is wrong for all.
    pub(super) channel_is_fixed: bool,
}

/// A post, and where it goes.
pub(super) struct Post {
    pub(super) channel: String,
    pub(super) document: Value,
}

impl Encoder {
    pub(super) fn new(settings: &Settings) -> Result<Self, Problem> {
        let slack = settings.token.is_some() || settings.speaks == Speaks::Slack;
        if settings.blocks.is_some() && !slack {
            return Err(Problem::new("blocks", "are Slack's: write `text` alone for others"));
        }
        let escape: fn(&str) -> String = match settings.speaks {
            _ if slack => for_slack,
            Speaks::Discord => for_discord,
            _ => str::to_owned,
        };
        Ok(Self {
            text: settings.text.ready("text", Escape::With(escape)),
            blocks: settings.blocks.as_ref().map(|blocks| blocks.ready("blocks", Escape::Json(for_slack))),
            channel: settings.channel.as_ref().map(|channel| channel.ready("channel", Escape::Line)),
            formatting: settings.formatting,
            channel_is_fixed: settings.channel.as_ref().is_none_or(|channel| channel.is_fixed()),
        })
    }

    /// An error is a reject.
    pub(super) fn post(&self, service: &Service, run: &Run, delivery: &Delivery) -> Result<Post, Error> {
        let context = Context::of(run, delivery);
        let text = self.text.render(&context)?.trim().to_owned();
        if text.is_empty() {
            return Err(Error::reject("text: there is nothing to say"));
        }
        let channel = self.channel.as_ref().map(|channel| channel.render(&context)).transpose()?.unwrap_or_default();
        let channel = channel.trim().to_owned();
        let document = match service {
            Service::Webhook { speaks: Speaks::Discord, .. } => discord(&text),
            Service::Webhook { speaks: Speaks::Teams, .. } => teams(&text),
            _ => self.slack(&text, &context)?,
        };
        Ok(Post { document: with_channel(document, &channel), channel })
    }

    fn slack(&self, text: &str, context: &Context) -> Result<Value, Error> {
        let mut post = json!({
            "text": cut(text, MAX_SLACK_CHARS),
            "mrkdwn": self.formatting,
            "unfurl_links": false,
            "unfurl_media": false,
            "link_names": false,
            "parse": "none",
        });
        if let Some(blocks) = &self.blocks {
            let blocks: Value = serde_json::from_str(&blocks.render(context)?)
                .map_err(|error| Error::reject(format_args!("blocks: this is no JSON in line {}", error.line())))?;
            if !blocks.is_array() {
                return Err(Error::reject("blocks: this is no list"));
            }
            post["blocks"] = blocks;
        }
        Ok(post)
    }
}

fn with_channel(mut document: Value, channel: &str) -> Value {
    if !channel.is_empty() {
        document["channel"] = channel.into();
    }
    document
}

/// Nobody is mentioned, whatever the text says.
fn discord(text: &str) -> Value {
    json!({
        "content": cut(text, MAX_DISCORD_CHARS),
        "allowed_mentions": { "parse": [] },
        "flags": DISCORD_NO_PREVIEWS,
    })
}

/// An adaptive card of text runs, in which nothing is formatted.
fn teams(text: &str) -> Value {
    let lines = cut(text, MAX_TEAMS_CHARS);
    let paragraph = |line: &str| json!({ "type": "RichTextBlock", "spacing": "None", "inlines": [{ "type": "TextRun", "text": line }] });
    let body: Vec<Value> = lines.lines().map(paragraph).collect();
    let card = json!({
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": body,
    });
    json!({
        "type": "message",
        "attachments": [{ "contentType": "application/vnd.microsoft.card.adaptive", "content": card }],
    })
}

/// Slack reads commands between `<` and `>`: mentions, links, dates.
fn for_slack(value: &str) -> String {
    value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A backslash takes the meaning from a mark. A zero-width space does so where a backslash does not help: in mentions.
fn for_discord(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for c in value.chars() {
        if "\\*_~`|>#-[]()<:".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
        if c == '@' {
            escaped.push('\u{200b}');
        }
    }
    escaped
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most - 1) {
        Some((end, _)) if text[end..].chars().count() > 1 => format!("{}…", &text[..end]),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_mentions_nobody_and_links_to_nothing() {
        assert_eq!(for_slack("<!channel> & <https://x|y>"), "&lt;!channel&gt; &amp; &lt;https://x|y&gt;");
        assert_eq!(for_discord("*b* @everyone <@1>"), "\\*b\\* @\u{200b}everyone \\<@\u{200b}1\\>");
    }

    #[test]
    fn what_is_too_long_is_cut_and_says_so() {
        assert_eq!((cut("abc", 3), cut("abcd", 3), cut("äöüß", 4)), ("abc".into(), "ab…".into(), "äöüß".into()));
    }
}
