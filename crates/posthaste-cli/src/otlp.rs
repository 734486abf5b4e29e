//! A span for each attempt, sent to a collector by OTLP over HTTP.
//!
//! A message whose headers hold the W3C trace context of its writer continues that trace: the attempt is a child of the writer's span,
//! and the message leaves with the attempt as its parent. A thread of its own gathers and sends spans, and drops them when the
//! collector does not keep up: deliveries do not wait for it.

use std::collections::HashMap;
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};

use self::attempt::Attempts;
use self::collector::Collector;
use crate::config::OtlpPlan;

mod attempt;
mod collector;

/// How long the end of the program waits for the last spans to be sent.
const LAST_SPANS_TIMEOUT: Duration = Duration::from_secs(5);

/// Makes spans and sends them.
pub struct Otlp {
    provider: SdkTracerProvider,
}

impl Otlp {
    pub fn start(plan: &OtlpPlan, worker: &str) -> anyhow::Result<Self> {
        let headers = plan.headers.iter().map(|(name, value)| (name.clone(), value.expose().to_owned()));
        let exporter = SpanExporter::builder()
            .with_http()
            .with_endpoint(plan.endpoint.expose())
            .with_timeout(plan.timeout)
            .with_headers(headers.collect::<HashMap<_, _>>())
            .with_http_client(Collector::new(plan.timeout)?)
            .build()?;
        let resource = Resource::builder().with_service_name(plan.service_name.clone()).with_attributes([
            KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
            KeyValue::new("service.instance.id", worker.to_owned()),
        ]);
        let sampler = Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(plan.sample)));
        let provider = SdkTracerProvider::builder()
            .with_resource(resource.build())
            .with_sampler(sampler)
            .with_batch_exporter(exporter)
            .build();
        Ok(Self { provider })
    }

    /// Makes the spans of a relay.
    pub fn tracer(&self) -> Attempts {
        Attempts::new(self.provider.tracer("posthaste"))
    }

    /// Sends what is left, for [`LAST_SPANS_TIMEOUT`] at most.
    pub async fn stop(self) {
        let ended = tokio::task::spawn_blocking(move || self.provider.shutdown_with_timeout(LAST_SPANS_TIMEOUT)).await;
        if !matches!(ended, Ok(Ok(()))) {
            tracing::warn!("the last spans may not have reached the collector");
        }
    }
}

/// Whether the collector takes spans, tried with a request that holds none.
pub async fn check(plan: &OtlpPlan) -> Result<(), String> {
    Collector::new(plan.timeout).map_err(|error| error.to_string())?.check(plan).await
}
