//! Where a message goes: a URL with fields of the message in it.

use reqwest::Url;

use crate::sink::http::{Http, parse_url};
use crate::sink::template::{Field, Rule, Template, percent_encode};
use crate::sink::{Delivery, Error, Run};

pub(super) struct Endpoint {
    template: Template,
    /// Scheme and host, where no message decides them.
    root: Option<Url>,
}

impl Endpoint {
    pub(super) fn new(template: Template, http: &Http) -> Result<Self, String> {
        template.check(&UrlRule)?;
        let written = template.to_string();
        let authority =
            written.split_once("://").map_or("", |(_, rest)| rest.split(['/', '?', '#']).next().unwrap_or(""));
        let root = (!authority.contains('{')).then(|| parse_url(&written.replace(['{', '}', '|'], "x"))).transpose()?;
        let root = root.map(|mut url| {
            url.set_path("/");
            url.set_query(None);
            url
        });
        if let Some(url) = &root {
            http.admit(url).map_err(|refused| format!("points to an address that is not public: {refused}"))?;
        }
        Ok(Self { template, root })
    }

    /// Without what may be a secret: path and query.
    pub(super) fn root(&self) -> Option<Url> {
        self.root.clone()
    }

    pub(super) fn url(&self, http: &Http, run: &Run, delivery: &Delivery) -> Result<Url, Error> {
        let text = self.template.render(&UrlRule, run, delivery).map_err(|error| without_template(&error, "url"))?;
        let url = parse_url(&text).map_err(|why| Error::reject(format_args!("the URL of this message {why}")))?;
        http.admit(&url).map_err(Error::reject)?;
        Ok(url)
    }
}

/// What a template says about a message it cannot be filled with, but for the template itself, which may contain a token.
pub(super) fn without_template(error: &Error, which: &str) -> Error {
    let why = error.text().split_once(" makes no name: ").map_or("cannot be filled", |(_, why)| why);
    Error::new(error.verdict, format_args!("{which}: {why}"))
}

/// What a message may add to a URL: one piece of a path, a query or a host, never a boundary between them.
struct UrlRule;

impl Rule for UrlRule {
    fn field(&self, _: Field, value: &str, name: &mut String) -> Result<(), String> {
        let in_host = name.split_once("://").is_none_or(|(_, rest)| !rest.contains(['/', '?', '#']));
        let label = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if in_host && !value.bytes().all(label) {
            return Err("cannot stand in a host name".into());
        }
        percent_encode(value, |byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte), name);
        Ok(())
    }

    fn name(&self, name: &str) -> Result<(), String> {
        let path = name.split(['?', '#']).next().unwrap_or_default().replace("%2e", ".").replace("%2E", ".");
        if path.split(['/', '\\']).any(|piece| piece == "." || piece == "..") {
            return Err("steps out of its path (`.` or `..`)".into());
        }
        parse_url(name).map(drop)
    }
}
