//! One request for one message, and the answer to it.

use super::{Webhook, encode};
use crate::sink::{Delivery, Error, Run};

impl Webhook {
    /// Sends one message; `Ok` is a confirmation.
    pub(super) async fn send(&self, run: &Run, delivery: &Delivery) -> Result<(), Error> {
        let url = self.endpoint.url(&self.http, run, delivery)?;
        let formatted = self.format.apply(encode::DIALECT, run, delivery)?;
        let mut headers = self.headers.of(run, delivery, &formatted)?;
        encode::identify(&mut headers, delivery, &formatted.body, self.signer.as_ref())?;
        let client = self.http.client();
        let request = client.request(self.method.clone(), url.clone()).headers(headers).body(formatted.body);
        self.verdicts.judge(&self.http.exchange(&url, request).await?)
    }
}
