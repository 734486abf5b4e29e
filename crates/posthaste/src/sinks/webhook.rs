//! HTTP requests to an endpoint of someone else, signed as Standard Webhooks says.
//!
//! One request per message; a 2xx confirms it. What is not trusted about an endpoint, and which addresses are never called, is in
//! [`http`](crate::sink::http).

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::Method;

use self::encode::OwnHeaders;
use self::endpoint::Endpoint;
pub use self::settings::{Settings, StatusVerdict};
use self::signature::Signer;
use self::verdict::Verdicts;
use crate::sink::format::Format;
use crate::sink::http::{Http, Times};
pub use crate::sink::http::{Lookup, System};
use crate::sink::settings::Problem;
use crate::sink::{Error, Outcome, Run, Sink};

mod encode;
mod endpoint;
#[cfg(test)]
mod hostile;
mod publish;
mod settings;
mod signature;
mod verdict;

/// An endpoint that takes messages by HTTP.
pub struct Webhook {
    http: Http,
    endpoint: Endpoint,
    method: Method,
    format: Format,
    headers: OwnHeaders,
    signer: Option<Signer>,
    verdicts: Verdicts,
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
        let times =
            Times { exchange: settings.timeout, connect: settings.connect_timeout, idle: settings.idle_timeout };
        let http = Http::new(times, &settings.allow, lookup)?;
        Ok(Self {
            endpoint: Endpoint::new(settings.url, &http).map_err(problem("url"))?,
            http,
            method: settings::method(&settings.method).map_err(problem("method"))?,
            format: settings.format,
            headers: OwnHeaders::new(settings.headers).map_err(problem("headers"))?,
            signer: Signer::new(&settings.secrets).map_err(problem("secrets"))?,
            verdicts: Verdicts::new(&settings.statuses, settings.retry_after_cap).map_err(problem("statuses"))?,
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
        self.http.reach(&url).await
    }
}

#[cfg(test)]
mod tests;
