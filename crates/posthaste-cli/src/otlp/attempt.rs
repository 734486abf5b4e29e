//! The span of one attempt.

use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry::trace::{Span, SpanKind, Status, Tracer as _};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{SdkTracer, Span as SdkSpan};
use posthaste::destination::Name;
use posthaste::message::Headers;
use posthaste::relay::{AttemptSpan, Tracer};
use posthaste::sink::Delivery;

/// Makes the spans of a relay.
#[derive(Debug)]
pub struct Attempts {
    tracer: SdkTracer,
    propagator: TraceContextPropagator,
}

impl Attempts {
    pub fn new(tracer: SdkTracer) -> Self {
        Self { tracer, propagator: TraceContextPropagator::new() }
    }
}

impl Tracer for Attempts {
    fn begin(&self, destination: &Name, delivery: &Delivery) -> Box<dyn AttemptSpan> {
        let parent = self.propagator.extract_with_context(&Context::new(), &Carried(&delivery.message.headers));
        let span = self.tracer.span_builder(format!("deliver {destination}")).with_kind(SpanKind::Producer);
        let span = span.with_attributes(attributes(destination, delivery));
        Box::new(Attempt { span: span.start_with_context(&self.tracer, &parent), answered: false })
    }
}

/// With the names of OpenTelemetry where it has some. Payload and header values are left out.
fn attributes(destination: &Name, delivery: &Delivery) -> Vec<KeyValue> {
    let message = &delivery.message;
    let always = [
        KeyValue::new("messaging.system", "posthaste"),
        KeyValue::new("messaging.operation.type", "send"),
        KeyValue::new("messaging.operation.name", "deliver"),
        KeyValue::new("messaging.destination.name", destination.to_string()),
        KeyValue::new("messaging.message.id", message.id.to_string()),
        KeyValue::new("posthaste.event_type", message.event_type.to_string()),
        KeyValue::new("posthaste.attempt", i64::from(delivery.attempt)),
    ];
    let if_given =
        [("messaging.message.conversation_id", &message.correlation_id), ("posthaste.tenant", &message.tenant)];
    let given = if_given.into_iter().filter_map(|(name, value)| Some(KeyValue::new(name, value.as_ref()?.to_string())));
    always.into_iter().chain(given).collect()
}

struct Attempt {
    span: SdkSpan,
    answered: bool,
}

impl AttemptSpan for Attempt {
    /// `None` if the trace is not sampled: then the header of the message stays as it is.
    fn traceparent(&self) -> Option<String> {
        let context = self.span.span_context();
        let (trace, span, flags) = (context.trace_id(), context.span_id(), context.trace_flags().to_u8());
        context.is_sampled().then(|| format!("00-{trace}-{span}-{flags:02x}"))
    }

    fn end(mut self: Box<Self>, result: Result<(), &str>) {
        self.answered = true;
        if let Err(why) = result {
            self.span.set_status(Status::error(why.to_owned()));
        }
    }
}

/// The span itself ends when it is dropped.
impl Drop for Attempt {
    fn drop(&mut self) {
        if !self.answered {
            self.span.set_status(Status::error("cancelled, or no answer in time"));
        }
    }
}

/// The headers of a message, as a propagator reads them.
struct Carried<'a>(&'a Headers);

impl Extractor for Carried<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)
    }

    fn keys(&self) -> Vec<&str> {
        self.0.iter().map(|(name, _)| name).collect()
    }
}
