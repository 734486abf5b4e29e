//! One request for one text, and the answer to it.

use super::provider::Provider;
use super::{Sms, verdict};
use crate::sink::{Delivery, Error, Run};

impl Sms {
    /// Sends one text; `Ok` is a confirmation.
    pub(super) async fn send(&self, run: &Run, delivery: &Delivery) -> Result<(), Error> {
        let short = self.encoder.short(run, delivery)?;
        let request = self.provider.request(&self.http, delivery, &short)?;
        let answer = self.http.exchange(self.provider.url(), request).await?;
        match &self.provider {
            Provider::Twilio { .. } => verdict::of_twilio(&answer, self.retry_after_cap),
            Provider::Form { .. } => verdict::of_status(&answer, self.retry_after_cap),
        }
    }

    pub(super) async fn ask(&self) -> Result<(), Error> {
        match self.provider.question(&self.http) {
            None => {
                let mut root = self.provider.url().clone();
                root.set_path("/");
                root.set_query(None);
                self.http.reach(&root).await
            }
            Some((url, request)) => {
                let answer = self.http.exchange(&url, request).await.map_err(Error::unreachable)?;
                verdict::of_twilio(&answer, self.retry_after_cap).map_err(Error::unreachable)
            }
        }
    }
}
