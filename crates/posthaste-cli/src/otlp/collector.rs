//! The HTTP client that sends spans to the collector.

use std::error::Error as StdError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use opentelemetry_http::{HttpClient, HttpError, Request, Response};
use reqwest::{Client, redirect};
use tokio::runtime::Handle;

use crate::config::OtlpPlan;

/// Sends requests to the collector. The thread that exports spans has no runtime, so requests run on the program's.
#[derive(Debug)]
pub struct Collector {
    client: Client,
    runtime: Handle,
    /// Whether the last request failed, so that a collector that does not answer is logged once and not every few seconds.
    failing: AtomicBool,
}

impl Collector {
    /// Must be called within the runtime.
    pub fn new(timeout: Duration) -> reqwest::Result<Self> {
        // A redirect would send the headers, which may hold a token, to another address.
        let client = Client::builder().timeout(timeout).redirect(redirect::Policy::none()).build()?;
        Ok(Self { client, runtime: Handle::current(), failing: AtomicBool::new(false) })
    }

    /// Sends a request without spans, which every collector takes.
    pub async fn check(&self, plan: &OtlpPlan) -> Result<(), String> {
        let request = self.client.post(plan.endpoint.expose()).header("content-type", "application/x-protobuf");
        let request = plan.headers.iter().fold(request, |request, (name, value)| request.header(name, value.expose()));
        match request.send().await {
            Ok(answer) if answer.status().is_success() => Ok(()),
            Ok(answer) => Err(format!("answered {}", answer.status())),
            Err(error) => Err(reason(&error)),
        }
    }

    fn log_change(&self, failure: Option<String>) {
        let was_failing = self.failing.swap(failure.is_some(), Ordering::Relaxed);
        match failure {
            Some(error) if !was_failing => tracing::warn!(error, "the collector does not take spans; they are dropped"),
            None if was_failing => tracing::info!("the collector takes spans again"),
            _ => {}
        }
    }
}

#[async_trait]
impl HttpClient for Collector {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        let answer = self.runtime.spawn(exchange(client, request)).await?;
        self.log_change(match &answer {
            Ok(answer) if answer.status().is_success() => None,
            Ok(answer) => Some(format!("answered {}", answer.status())),
            Err(error) => Some(reason(error)),
        });
        Ok(answer?)
    }
}

async fn exchange(client: Client, request: Request<Bytes>) -> reqwest::Result<Response<Bytes>> {
    let answer = client.execute(request.try_into()?).await?;
    let (status, headers) = (answer.status(), answer.headers().clone());
    let mut response = Response::new(answer.bytes().await?);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    Ok(response)
}

/// The innermost cause: the words around it show the address, which may contain a token.
fn reason(error: &reqwest::Error) -> String {
    let mut cause: &dyn StdError = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    match cause.downcast_ref::<reqwest::Error>() {
        Some(error) if error.is_timeout() => "no answer in time".into(),
        Some(_) => "the request failed".into(),
        None => cause.to_string(),
    }
}
