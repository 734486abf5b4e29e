//! Messages in a chat: Slack, and by incoming webhooks also Discord and Microsoft Teams.
//!
//! One post per message, confirmed by the service's answer. With a token, the messages of a key can stand in one thread: the first one
//! opens it, the others answer to it. Which post that was is remembered, and found again in the channel after a restart.
//!
//! Whatever a message brings is text: it mentions nobody, links to nothing and formats nothing unless the config asks for it.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use self::encode::Encoder;
use self::service::Service;
pub use self::settings::{Settings, Speaks};
use self::thread::Threads;
use crate::sink::http::{Http, System, Times};
use crate::sink::settings::Problem;
use crate::sink::{Error, Outcome, Run, Sink};

mod encode;
mod publish;
mod service;
mod settings;
mod thread;
mod verdict;

/// A channel of a chat.
pub struct Slack {
    http: Http,
    service: Service,
    encoder: Encoder,
    threads: Option<Threads>,
    retry_after_cap: std::time::Duration,
}

impl fmt::Debug for Slack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address of a webhook is a secret.
        f.debug_struct("Slack").field("service", &self.service.name()).finish_non_exhaustive()
    }
}

impl Slack {
    /// Checks the settings. Connects when there is something to deliver.
    pub fn new(settings: Settings) -> Result<Self, Problem> {
        let times =
            Times { exchange: settings.timeout, connect: settings.connect_timeout, idle: settings.idle_timeout };
        let http = Http::new(times, &settings.allow, Arc::new(System))?;
        let service = Service::new(&settings, &http)?;
        if settings.thread && !service.has_threads() {
            return Err(Problem::new("thread", "needs a `token`: a webhook does not say where its post stands"));
        }
        Ok(Self {
            encoder: Encoder::new(&settings)?,
            threads: settings.thread.then(Threads::default),
            retry_after_cap: settings.retry_after_cap,
            service,
            http,
        })
    }
}

#[async_trait]
impl Sink for Slack {
    async fn deliver(&self, run: &Run) -> Outcome {
        for (confirmed, delivery) in run.deliveries.iter().enumerate() {
            if let Err(error) = self.post(run, delivery).await {
                return Outcome::stopped(confirmed, error);
            }
        }
        Outcome::delivered(run)
    }

    /// With a token, `auth.test`; of a webhook only an answer is asked, by `HEAD` at the root, because anything else would be a post.
    async fn check(&self) -> Result<(), Error> {
        self.ask().await
    }
}

#[cfg(test)]
mod tests;
