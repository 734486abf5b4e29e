//! What a collector understands of what it was sent.

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, Span};
use prost::Message;

use crate::listener::Heard;

fn resources(heard: &[Heard]) -> Vec<ResourceSpans> {
    let decoded = heard.iter().map(|heard| ExportTraceServiceRequest::decode(heard.body.as_slice()).unwrap());
    decoded.flat_map(|request| request.resource_spans).collect()
}

/// All spans, in the order in which they began.
pub fn spans(heard: &[Heard]) -> Vec<Span> {
    let scopes = resources(heard).into_iter().flat_map(|resource| resource.scope_spans);
    let mut spans: Vec<Span> = scopes.flat_map(|scope| scope.spans).collect();
    spans.sort_by_key(|span| span.start_time_unix_nano);
    spans
}

pub fn service(heard: &[Heard]) -> String {
    let attributes: Vec<KeyValue> =
        resources(heard).into_iter().filter_map(|of| of.resource).flat_map(|resource| resource.attributes).collect();
    match value(&attributes, "service.name") {
        Some(Value::StringValue(text)) => text,
        other => panic!("service.name is {other:?}"),
    }
}

pub fn text(span: &Span, attribute: &str) -> Option<String> {
    match value(&span.attributes, attribute)? {
        Value::StringValue(text) => Some(text),
        other => panic!("{attribute} is {other:?}"),
    }
}

pub fn number(span: &Span, attribute: &str) -> Option<i64> {
    match value(&span.attributes, attribute)? {
        Value::IntValue(number) => Some(number),
        other => panic!("{attribute} is {other:?}"),
    }
}

fn value(attributes: &[KeyValue], name: &str) -> Option<Value> {
    attributes.iter().find(|pair| pair.key == name)?.value.clone()?.value
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
