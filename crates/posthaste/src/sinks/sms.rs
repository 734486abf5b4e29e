//! Short messages to telephones, through Twilio or whoever takes a request by HTTP.
//!
//! One request per message; the provider's answer that it has taken the text confirms it. Whether a telephone showed it is another
//! matter, which providers tell later and elsewhere. Neither a number nor a text is ever shown in an error.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use self::encode::Encoder;
use self::provider::Provider;
pub use self::settings::{BodyFormat, Form, Settings, Twilio};
use crate::sink::http::{Http, System, Times};
use crate::sink::settings::Problem;
use crate::sink::{Error, Outcome, Run, Sink};

mod encode;
mod length;
mod provider;
mod publish;
mod settings;
mod verdict;

/// A provider that takes short messages.
pub struct Sms {
    http: Http,
    encoder: Encoder,
    provider: Provider,
    retry_after_cap: std::time::Duration,
}

impl fmt::Debug for Sms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sms").field("provider", &self.provider.name()).finish_non_exhaustive()
    }
}

impl Sms {
    /// Checks the settings. Connects when there is something to deliver.
    pub fn new(settings: Settings) -> Result<Self, Problem> {
        let times =
            Times { exchange: settings.timeout, connect: settings.connect_timeout, idle: settings.idle_timeout };
        let http = Http::new(times, &settings.allow, Arc::new(System))?;
        Ok(Self {
            provider: Provider::new(&settings, &http)?,
            retry_after_cap: settings.retry_after_cap,
            encoder: Encoder::new(&settings)?,
            http,
        })
    }
}

#[async_trait]
impl Sink for Sms {
    async fn deliver(&self, run: &Run) -> Outcome {
        for (confirmed, delivery) in run.deliveries.iter().enumerate() {
            if let Err(error) = self.send(run, delivery).await {
                return Outcome::stopped(confirmed, error);
            }
        }
        Outcome::delivered(run)
    }

    /// Twilio is asked about the account, which needs the login; of others only an answer is asked, by `HEAD` at the root.
    async fn check(&self) -> Result<(), Error> {
        self.ask().await
    }
}

#[cfg(test)]
mod tests;
