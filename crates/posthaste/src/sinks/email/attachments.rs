//! Files that a mail carries: those that the payload lists, or the payload itself.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use lettre::message::header::{ContentTransferEncoding, ContentType};
use lettre::message::{Attachment, Body, SinglePart};
use serde_json::Value;

use super::settings::Settings;
use crate::sink::payload_template::{Context, Escape, PayloadTemplate, clean};
use crate::sink::settings::Problem;
use crate::sink::{Delivery, Error};

const MAX_NAME_CHARS: usize = 120;

/// Which files a mail carries.
#[derive(Debug)]
pub(super) struct Attachments {
    /// Where in the payload they are listed.
    listed: Option<String>,
    /// The name under which the payload is attached.
    payload: Option<PayloadTemplate>,
    most: usize,
}

impl Attachments {
    pub(super) fn new(settings: &Settings) -> Result<Self, Problem> {
        if settings.attachments.as_deref().is_some_and(|path| path.split('.').any(str::is_empty)) {
            return Err(Problem::new(
                "attachments",
                "is no path into the payload: write it as `files` or `invoice.files`",
            ));
        }
        let payload = settings.attach_payload.as_ref();
        Ok(Self {
            listed: settings.attachments.clone(),
            payload: payload.map(|name| name.ready("attach_payload", Escape::Line)),
            most: settings.max_attachments,
        })
    }

    /// The parts of a mail.
    pub(super) fn of(&self, delivery: &Delivery, context: &Context) -> Result<Vec<SinglePart>, Error> {
        let mut parts = match &self.listed {
            Some(path) => self.listed(path, context)?,
            None => Vec::new(),
        };
        if let Some(name) = &self.payload {
            let message = &delivery.message;
            parts.push(part(&name.render(context)?, Some(&message.content_type), message.payload.to_vec()));
        }
        Ok(parts)
    }

    fn listed(&self, path: &str, context: &Context) -> Result<Vec<SinglePart>, Error> {
        let files = match context.at(path) {
            None => return Ok(Vec::new()),
            Some(Value::Array(files)) => files,
            Some(_) => return Err(Error::reject(format_args!("attachments: `payload.{path}` is no list"))),
        };
        if files.len() > self.most {
            let text =
                format!("attachments: `payload.{path}` has {} files: at most {} are sent", files.len(), self.most);
            return Err(Error::reject(text));
        }
        files.iter().enumerate().map(|(n, file)| listed_file(path, n, file)).collect()
    }
}

fn listed_file(path: &str, n: usize, file: &Value) -> Result<SinglePart, Error> {
    let text = |name: &str| file.get(name).and_then(Value::as_str);
    let wrong = |what: &str| Error::reject(format_args!("attachments: `payload.{path}[{n}]` {what}"));
    let name = text("name").ok_or_else(|| wrong("has no `name`"))?;
    let content = text("content").ok_or_else(|| wrong("has no `content`"))?;
    let content = BASE64_STANDARD.decode(content).map_err(|_| wrong("has a `content` that is not base64"))?;
    Ok(part(name, text("type"), content))
}

fn part(name: &str, media_type: Option<&str>, content: Vec<u8>) -> SinglePart {
    let media_type = media_type.and_then(|text| ContentType::parse(text).ok()).unwrap_or(OCTETS.clone());
    // In base64 whatever it is, so that no line end of it is changed on the way.
    let body = Body::new_with_encoding(content, ContentTransferEncoding::Base64);
    let body = body.unwrap_or_else(Body::new);
    Attachment::new(file_name(name)).body(body, media_type)
}

static OCTETS: std::sync::LazyLock<ContentType> =
    std::sync::LazyLock::new(|| ContentType::parse("application/octet-stream").unwrap_or(ContentType::TEXT_PLAIN));

/// A name without folders and without what a file system or a header would stumble over.
fn file_name(name: &str) -> String {
    let name = clean(name);
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain = |c: &char| !matches!(c, '"' | '<' | '>' | ':' | '|' | '?' | '*' | '\n' | '\t');
    let name: String = last.chars().filter(plain).take(MAX_NAME_CHARS).collect();
    let name = name.trim().trim_start_matches('.');
    if name.is_empty() { "attachment".into() } else { name.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_is_a_name_and_nothing_else() {
        for (given, expected) in [
            ("invoice 7.pdf", "invoice 7.pdf"),
            ("../../etc/passwd", "passwd"),
            ("C:\\x\\y.txt", "y.txt"),
            ("a\"\r\nX-Evil: 1", "aX-Evil 1"),
            ("exe.\u{202e}fdp\u{2066}", "exe.fdp"),
            ("", "attachment"),
            (".bashrc", "bashrc"),
        ] {
            assert_eq!(file_name(given), expected);
        }
        assert_eq!(file_name(&"x".repeat(500)).len(), MAX_NAME_CHARS);
    }
}
