//! HTTP requests to an endpoint of someone else, signed as Standard Webhooks says.
//!
//! One request per message; a 2xx confirms it. The endpoint is on the far side of a boundary, so nothing it says is trusted: no
//! redirects, no cookies, no more than 20 kB of its answer, and no address of our own networks (`guard`). Proxies that the
//! environment names are not used, because they would connect in our place, past the guard.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::{Client, Method};

use self::encode::OwnHeaders;
use self::endpoint::Endpoint;
use self::guard::Guard;
pub use self::resolver::{Lookup, System};
pub use self::settings::{Settings, StatusVerdict};
use self::signature::Signer;
use self::verdict::Verdicts;
use crate::sink::format::Format;
use crate::sink::settings::Problem;
use crate::sink::{Error, Outcome, Run, Sink, Verdict};

mod connection;
mod encode;
mod endpoint;
pub mod guard;
mod publish;
mod resolver;
mod retry_after;
mod settings;
mod signature;
mod verdict;

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
    /// Checks the settings. Connects when there is something to deliver.
    pub fn new(settings: Settings) -> Result<Self, Problem> {
        Self::with_lookup(settings, Arc::new(System))
    }

    /// Finds addresses by other means than the system's. What they find passes the guard like everything else.
    pub fn with_lookup(settings: Settings, lookup: Arc<dyn Lookup>) -> Result<Self, Problem> {
        let problem = |setting| move |text: String| Problem::new(setting, text);
        let guard = Arc::new(Guard::allowing(&settings.allow).map_err(problem("allow"))?);
        Ok(Self {
            client: connection::client(&settings, guard.clone(), lookup)?,
            endpoint: Endpoint::new(settings.url, guard).map_err(problem("url"))?,
            method: settings::method(&settings.method).map_err(problem("method"))?,
            format: settings.format,
            headers: OwnHeaders::new(settings.headers).map_err(problem("headers"))?,
            signer: Signer::new(&settings.secrets).map_err(problem("secrets"))?,
            verdicts: Verdicts::new(&settings.statuses, settings.retry_after_cap).map_err(problem("statuses"))?,
            timeout: settings.timeout,
        })
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
        answer.map(drop).map_err(|error| match verdict::of_transport(&url, &error) {
            error if error.verdict == Verdict::Retry => Error::unreachable(error),
            error => error,
        })
    }
}

#[cfg(test)]
mod tests;
