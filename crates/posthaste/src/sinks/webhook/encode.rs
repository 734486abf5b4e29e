//! A message as a request: its headers; the body is as [`Format`](crate::sink::format::Format) makes it.

use std::collections::BTreeMap;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::endpoint::without_template;
use super::signature::Signer;
use crate::sink::format::{Dialect, Formatted};
use crate::sink::template::{Field, Rule, Template};
use crate::sink::{Delivery, Error, Run};

/// Names that the connection or the signature owns.
pub(super) const DIALECT: Dialect = Dialect {
    cloudevents_prefix: "ce-",
    cloudevents_encoded: true,
    reserved: &[
        "connection",
        "content-encoding",
        "content-length",
        "host",
        "idempotency-key",
        "keep-alive",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "user-agent",
        "webhook-id",
        "webhook-signature",
        "webhook-timestamp",
    ],
};

/// The headers of the config.
pub(super) struct OwnHeaders(Vec<(HeaderName, Template)>);

impl OwnHeaders {
    pub(super) fn new(written: BTreeMap<String, Template>) -> Result<Self, String> {
        let header = |(name, template): (String, Template)| {
            let parsed: HeaderName =
                name.parse().map_err(|_| format!("contains `{name}`, which is no name of a header"))?;
            if DIALECT.reserved.contains(&parsed.as_str()) || parsed == "content-type" {
                return Err(format!("contains `{name}`, which the sink sets itself"));
            }
            template.check(&HeaderRule).map_err(|why| format!("contains `{name}`, whose value {why}"))?;
            Ok((parsed, template))
        };
        Ok(Self(written.into_iter().map(header).collect::<Result<_, _>>()?))
    }

    /// Everything about a message, and the config's own.
    pub(super) fn of(&self, run: &Run, delivery: &Delivery, formatted: &Formatted<'_>) -> Result<HeaderMap, Error> {
        let mut headers = HeaderMap::new();
        append(&mut headers, "content-type", formatted.content_type)?;
        for (name, value) in formatted.all_headers() {
            if self.0.iter().any(|(own, _)| own.as_str().eq_ignore_ascii_case(name)) {
                return Err(Error::reject(format_args!("the message has a header {name:?}, which the config sets")));
            }
            append(&mut headers, name, value)?;
        }
        for (name, template) in &self.0 {
            let value = template.render(&HeaderRule, run, delivery);
            let value = value.map_err(|error| without_template(&error, &format!("header {name}")))?;
            append(&mut headers, name.as_str(), &value)?;
        }
        Ok(headers)
    }
}

/// What tells this message from all others, at every attempt alike; with a signer also the proof that it came from here. The time is that
/// of the attempt.
pub(super) fn identify(
    headers: &mut HeaderMap,
    delivery: &Delivery,
    body: &[u8],
    signer: Option<&Signer>,
) -> Result<(), Error> {
    let (id, timestamp) = (delivery.message.id.to_string(), crate::clock::now().as_second());
    put(headers, "idempotency-key", &id)?;
    put(headers, "webhook-id", &id)?;
    put(headers, "webhook-timestamp", &timestamp.to_string())?;
    match signer {
        Some(signer) => put(headers, "webhook-signature", &signer.sign(&id, timestamp, body)),
        None => Ok(()),
    }
}

fn put(headers: &mut HeaderMap, name: &'static str, value: &str) -> Result<(), Error> {
    let value = HeaderValue::from_str(value).map_err(|_| Error::reject(format_args!("{name} cannot be sent")))?;
    headers.insert(HeaderName::from_static(name), value);
    Ok(())
}

/// Text other than ASCII goes out as UTF-8, which HTTP lets pass.
fn append(headers: &mut HeaderMap, name: &str, value: &str) -> Result<(), Error> {
    let refused = || Error::reject(format_args!("the header {name:?} of this message cannot be sent by HTTP"));
    let parsed: HeaderName = name.parse().map_err(|_| refused())?;
    headers.append(parsed, HeaderValue::from_bytes(value.as_bytes()).map_err(|_| refused())?);
    Ok(())
}

/// A value ends where its line ends, so nothing in it may end the line.
struct HeaderRule;

impl Rule for HeaderRule {
    fn field(&self, _: Field, value: &str, name: &mut String) -> Result<(), String> {
        name.push_str(value);
        Ok(())
    }

    fn name(&self, name: &str) -> Result<(), String> {
        let sendable = HeaderValue::from_bytes(name.as_bytes()).is_ok();
        if sendable { Ok(()) } else { Err("contains a control character".into()) }
    }
}
