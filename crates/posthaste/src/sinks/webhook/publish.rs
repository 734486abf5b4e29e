//! One request for one message, and the answer to it.

use super::{Webhook, encode, verdict};
use crate::sink::{Delivery, Error, MAX_ANSWER_BYTES, Run};

impl Webhook {
    /// Sends one message; `Ok` is a confirmation.
    pub(super) async fn send(&self, run: &Run, delivery: &Delivery) -> Result<(), Error> {
        let url = self.endpoint.url(run, delivery)?;
        let formatted = self.format.apply(encode::DIALECT, run, delivery)?;
        let mut headers = self.headers.of(run, delivery, &formatted)?;
        encode::identify(&mut headers, delivery, &formatted.body, self.signer.as_ref())?;
        let request = self.client.request(self.method.clone(), url.clone()).headers(headers).body(formatted.body);
        let exchange =
            async { self.judge(request.send().await.map_err(|error| verdict::of_transport(&url, &error))?).await };
        let late = || Error::retry(format_args!("{} gave no answer within {:?}", verdict::place(&url), self.timeout));
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
