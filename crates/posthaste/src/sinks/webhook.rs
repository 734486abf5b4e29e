//! HTTP requests to an endpoint of someone else, signed as Standard Webhooks says.
//!
//! One request per message; a 2xx confirms it. The endpoint is on the far side of a boundary, so nothing it says is trusted: no
//! redirects, no cookies, no more than 20 kB of its answer, and no address of our own networks (`guard`). Proxies that the
//! environment names are not used, because they would connect in our place, past the guard.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, Url, redirect};

use self::endpoint::Endpoint;
use self::guard::Guard;
use self::headers::OwnHeaders;
pub use self::resolver::{Lookup, System};
pub use self::settings::{Settings, StatusVerdict};
use self::signature::Signer;
use self::verdicts::Verdicts;
use super::format::Format;
use super::settings::Misfit;
use crate::sink::{Delivery, Error, MAX_ANSWER_BYTES, Outcome, Run, Sink};

mod endpoint;
pub mod guard;
mod headers;
mod resolver;
mod retry_after;
mod settings;
mod signature;
mod transport;
mod verdicts;

const USER_AGENT: &str = concat!("posthaste/", env!("CARGO_PKG_VERSION"));

/// An endpoint that takes messages by HTTP.
pub struct Webhook {
    client: Client,
    endpoint: Endpoint,
    method: Method,
    format: Format,
    headers: OwnHeaders,
    signer: Option<Signer>,
    verdicts: Verdicts,
    timeout: Duration,
}

impl fmt::Debug for Webhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A URL may contain a token.
        f.debug_struct("Webhook").field("method", &self.method).field("format", &self.format).finish_non_exhaustive()
    }
}

impl Webhook {
    pub fn new(settings: Settings) -> Result<Self, Misfit> {
        Self::with_lookup(settings, Arc::new(System))
    }

    /// Finds addresses by other means than the system's. What they find passes the guard like everything else.
    pub fn with_lookup(settings: Settings, lookup: Arc<dyn Lookup>) -> Result<Self, Misfit> {
        let misfit = |setting| move |says: String| Misfit::new(setting, says);
        let guard = Arc::new(Guard::allowing(&settings.allow).map_err(misfit("allow"))?);
        let client = Client::builder()
            .user_agent(USER_AGENT)
            .redirect(redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .referer(false)
            .connect_timeout(settings.connect_timeout)
            .tcp_nodelay(true)
            .pool_idle_timeout(settings.idle_timeout)
            .dns_resolver(Arc::new(resolver::Guarded { guard: guard.clone(), lookup }))
            .build();
        Ok(Self {
            client: client.map_err(|error| {
                Misfit::new("url", format!("finds no HTTP client: {}", transport::innermost(&error)))
            })?,
            endpoint: Endpoint::new(settings.url, guard).map_err(misfit("url"))?,
            method: method(&settings.method).map_err(misfit("method"))?,
            format: settings.format,
            headers: OwnHeaders::new(settings.headers).map_err(misfit("headers"))?,
            signer: Signer::new(&settings.secrets).map_err(misfit("secrets"))?,
            verdicts: Verdicts::new(&settings.statuses, settings.retry_after_cap).map_err(misfit("statuses"))?,
            timeout: settings.timeout,
        })
    }

    async fn send(&self, run: &Run, delivery: &Delivery) -> Result<(), Error> {
        let url = self.endpoint.url(run, delivery)?;
        let formatted = self.format.apply(headers::DIALECT, run, delivery)?;
        let mut headers = self.headers.of(run, delivery, &formatted)?;
        let id = delivery.message.id.to_string();
        put(&mut headers, "idempotency-key", &id)?;
        if let Some(signer) = &self.signer {
            let timestamp = crate::clock::now().as_second();
            put(&mut headers, "webhook-id", &id)?;
            put(&mut headers, "webhook-timestamp", &timestamp.to_string())?;
            put(&mut headers, "webhook-signature", &signer.sign(&id, timestamp, &formatted.body))?;
        }
        let request = self.client.request(self.method.clone(), url.clone()).headers(headers).body(formatted.body);
        let exchange =
            async { self.judge(request.send().await.map_err(|error| transport::error(&url, &error))?).await };
        let late = || Error::retry(format_args!("{} gave no answer within {:?}", place(&url), self.timeout));
        tokio::time::timeout(self.timeout, exchange).await.unwrap_or_else(|_| Err(late()))
    }

    /// What an answer means. Its body is read to the end or to a limit, so that the connection can be used again or is closed.
    async fn judge(&self, mut response: reqwest::Response) -> Result<(), Error> {
        let mut body = Vec::new();
        while body.len() < MAX_ANSWER_BYTES {
            match response.chunk().await {
                Ok(Some(chunk)) => body.extend_from_slice(&chunk[..chunk.len().min(MAX_ANSWER_BYTES - body.len())]),
                // The status has been said; an answer that is cut off later changes nothing about it.
                Ok(None) | Err(_) => break,
            }
        }
        self.verdicts.judge(response.status(), response.headers(), &body)
    }
}

#[async_trait]
impl Sink for Webhook {
    async fn deliver(&self, run: &Run) -> Outcome {
        for (confirmed, delivery) in run.deliveries.iter().enumerate() {
            if let Err(error) = self.send(run, delivery).await {
                return Outcome::stopped(confirmed, error);
            }
        }
        Outcome::delivered(run)
    }

    /// Asks for nothing but an answer, by `HEAD` at the root: whichever comes, there is someone. Where messages decide the host
    /// there is nobody to ask.
    async fn check(&self) -> Result<(), Error> {
        let Some(url) = self.endpoint.root() else { return Ok(()) };
        let answer = self.client.head(url.clone()).timeout(self.timeout).send().await;
        answer.map(drop).map_err(|error| match transport::error(&url, &error) {
            error if error.verdict == crate::retry::Verdict::Retry => Error::unreachable(error),
            error => error,
        })
    }
}

fn method(name: &str) -> Result<Method, String> {
    match name {
        "POST" | "PUT" | "PATCH" => Method::from_bytes(name.as_bytes()).map_err(|error| error.to_string()),
        _ => Err(format!("cannot be {name:?}: expected POST, PUT or PATCH")),
    }
}

/// Where the endpoint is: of a URL, what holds no token.
fn place(url: &Url) -> String {
    match (url.host_str(), url.port()) {
        (Some(host), Some(port)) => format!("{host}:{port}"),
        (Some(host), None) => host.to_owned(),
        (None, _) => "the endpoint".into(),
    }
}

fn put(headers: &mut HeaderMap, name: &'static str, value: &str) -> Result<(), Error> {
    let value = HeaderValue::from_str(value).map_err(|_| Error::reject(format_args!("{name} cannot be sent")))?;
    headers.insert(HeaderName::from_static(name), value);
    Ok(())
}

#[cfg(test)]
mod tests;
