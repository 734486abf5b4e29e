//! HTTP as sinks use it: one client, one guard, one way to read an answer and to say why there is none.
//!
//! The endpoint is on the far side of a boundary, so nothing it says is trusted: no redirects, no cookies, no more than 20 kB of its
//! answer, and no address of our own networks ([`guard`]). Proxies that the environment names are not used, because they would connect
//! in our place, past the guard.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Client, RequestBuilder, StatusCode, Url};

#[cfg(feature = "sms")]
pub(crate) use self::bodies::with_form;
#[cfg(any(feature = "slack", feature = "sms"))]
pub(crate) use self::bodies::with_json;
use self::guard::Guard;
pub(crate) use self::resolver::Refused;
pub use self::resolver::{Lookup, System};
use self::transport::{of_transport, place};
use crate::error::shown;
use crate::retry::Verdict;
use crate::sink::settings::Problem;
use crate::sink::{Error, MAX_ANSWER_BYTES};

#[cfg(any(feature = "slack", feature = "sms"))]
mod bodies;
mod client;
pub mod guard;
#[cfg(test)]
mod hostile;
mod resolver;
mod retry_after;
#[cfg(test)]
mod tests;
mod transport;

/// What is read of an answer that is more than a line about an error.
#[cfg(feature = "slack")]
const MAX_WHOLE_BYTES: usize = 8 << 20;

/// How long the parts of an exchange may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    /// From the request to the end of the answer.
    pub(crate) exchange: Duration,
    /// Until a connection stands.
    pub(crate) connect: Duration,
    /// How long a connection that nobody uses is kept.
    pub(crate) idle: Duration,
}

/// A client that reaches no address that its guard refuses.
pub(crate) struct Http {
    client: Client,
    guard: Arc<Guard>,
    times: Times,
}

/// What an endpoint said.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    /// The beginning of it.
    pub(crate) body: Vec<u8>,
}

impl Http {
    /// `allow` are networks that may be called although they are not public.
    pub(crate) fn new(times: Times, allow: &[String], lookup: Arc<dyn Lookup>) -> Result<Self, Problem> {
        let guard = Arc::new(Guard::allowing(allow).map_err(|text| Problem::new("allow", text))?);
        Ok(Self { client: client::client(times, guard.clone(), lookup)?, guard, times })
    }

    /// The client, to make a request with.
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// An address in a URL never meets the resolver.
    pub(crate) fn admit(&self, url: &Url) -> Result<(), Refused> {
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        match host.parse::<IpAddr>() {
            Ok(address) => self.guard.admit(address).map_err(|kind| Refused::new(address, kind)),
            Err(_) => Ok(()),
        }
    }

    /// Sends a request and reads what comes back, to its end or to a limit, so that the connection can be used again or is closed.
    pub(crate) async fn exchange(&self, url: &Url, request: RequestBuilder) -> Result<Answer, Error> {
        self.exchange_up_to(MAX_ANSWER_BYTES, url, request).await
    }

    /// The same for an answer that is longer than an error may be.
    #[cfg(feature = "slack")]
    pub(crate) async fn exchange_whole(&self, url: &Url, request: RequestBuilder) -> Result<Answer, Error> {
        self.exchange_up_to(MAX_WHOLE_BYTES, url, request).await
    }

    async fn exchange_up_to(&self, most: usize, url: &Url, request: RequestBuilder) -> Result<Answer, Error> {
        let exchange = async {
            let mut response = request.send().await.map_err(|error| of_transport(url, &error))?;
            let body = beginning(&mut response, most).await;
            Ok(Answer { status: response.status(), headers: response.headers().clone(), body })
        };
        let late = || Error::retry(format_args!("{} gave no answer within {:?}", place(url), self.times.exchange));
        tokio::time::timeout(self.times.exchange, exchange).await.unwrap_or_else(|_| Err(late()))
    }

    /// Asks for nothing but an answer, by `HEAD`: whichever comes, there is someone.
    pub(crate) async fn reach(&self, url: &Url) -> Result<(), Error> {
        self.exchange(url, self.client.head(url.clone())).await.map(drop).map_err(|error| match error.verdict {
            Verdict::Retry => Error::unreachable(error),
            _ => error,
        })
    }
}

impl Answer {
    /// `Retry`, or when `Retry-After` says to come back, up to `cap`.
    pub(crate) fn retry(&self, cap: Duration) -> Verdict {
        let asked = self.headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let wait = asked.and_then(|text| retry_after::parse(text, crate::clock::now()));
        match wait.filter(|wait| !wait.is_zero()) {
            Some(wait) => Verdict::RetryAfter(wait.min(cap)),
            None => Verdict::Retry,
        }
    }

    /// The status in words: `answered 404 Not Found`.
    pub(crate) fn status_line(&self) -> String {
        let reason = self.status.canonical_reason().unwrap_or_default();
        format!("answered {} {reason}", self.status.as_u16()).trim_end().to_owned()
    }
}

async fn beginning(response: &mut reqwest::Response, most: usize) -> Vec<u8> {
    let mut body = Vec::new();
    while body.len() < most {
        match response.chunk().await {
            Ok(Some(chunk)) => body.extend_from_slice(&chunk[..chunk.len().min(most - body.len())]),
            // The status has been said; an answer that is cut off later changes nothing about it.
            Ok(None) | Err(_) => break,
        }
    }
    body
}

/// A URL as a config may write it. An `Err` goes on after the name of the setting.
pub(crate) fn parse_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("cannot be parsed: {error}"))?;
    match url.scheme() {
        "http" | "https" => {}
        other => return Err(format!("has the scheme `{}`: expected https or http", shown(other))),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("contains a user or password: put them into the header `authorization`".into());
    }
    Ok(url)
}
