//! Headers that the config adds to a mail.

use std::collections::BTreeMap;

use lettre::message::header::{HeaderName, HeaderValue};

use crate::sink::Error;
use crate::sink::payload_template::{Context, Escape, PayloadTemplate, Written};

/// Names that the sink or the mail servers on the way own; so do all that start with `content-`.
const RESERVED: &[&str] = &[
    "bcc",
    "cc",
    "date",
    "dkim-signature",
    "from",
    "list-unsubscribe",
    "list-unsubscribe-post",
    "message-id",
    "mime-version",
    "received",
    "reply-to",
    "return-path",
    "sender",
    "subject",
    "to",
];
const UNSUBSCRIBE: &str = "List-Unsubscribe";
/// RFC 8058: the mail program may unsubscribe by itself.
const ONE_CLICK: (&str, &str) = ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click");

/// The headers of the config.
#[derive(Debug)]
pub(super) struct OwnHeaders {
    named: Vec<(HeaderName, PayloadTemplate)>,
    unsubscribe: Option<PayloadTemplate>,
}

impl OwnHeaders {
    /// An `Err` goes on after `headers`.
    pub(super) fn new(written: &BTreeMap<String, Written>, unsubscribe: Option<&Written>) -> Result<Self, String> {
        let named = |(name, value): (&String, &Written)| {
            let lower = name.to_lowercase();
            let token = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b':');
            if RESERVED.contains(&lower.as_str()) || lower.starts_with("content-") {
                return Err(format!("contains `{name}`, which the sink sets itself"));
            }
            let parsed = HeaderName::new_from_ascii(name.clone()).ok().filter(|_| token);
            let parsed = parsed.ok_or_else(|| format!("contains `{name}`, which is no name of a header"))?;
            Ok((parsed, value.ready(format!("header {name}"), Escape::Line)))
        };
        let unsubscribe = unsubscribe.map(|written| written.ready("list_unsubscribe", Escape::Line));
        Ok(Self { named: written.iter().map(named).collect::<Result<_, _>>()?, unsubscribe })
    }

    /// What they are for one message.
    pub(super) fn of(&self, context: &Context) -> Result<Vec<HeaderValue>, Error> {
        let mut headers = Vec::new();
        for (name, template) in &self.named {
            headers.push(HeaderValue::new(name.clone(), one_line(&template.render(context)?)));
        }
        if let Some(template) = &self.unsubscribe {
            let url = template.render(context)?.trim().to_owned();
            let fit = |c: char| c.is_ascii_graphic() && !matches!(c, '<' | '>' | ',' | '"');
            let known = url.starts_with("https://") || url.starts_with("mailto:");
            if !known || !url.chars().all(fit) {
                return Err(Error::reject("list_unsubscribe: this is no address that starts with https:// or mailto:"));
            }
            headers.push(value(UNSUBSCRIBE, format!("<{url}>")));
            if url.starts_with("https://") {
                headers.push(value(ONE_CLICK.0, ONE_CLICK.1.into()));
            }
        }
        Ok(headers)
    }
}

fn value(name: &'static str, value: String) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value)
}

/// A template of several lines is still one header.
pub(super) fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_control()).map(str::trim).filter(|piece| !piece.is_empty()).collect::<Vec<_>>().join(" ")
}
