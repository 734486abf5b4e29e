//! What `[otlp]` means: the collector that gets the spans.

use std::collections::BTreeMap;
use std::time::Duration;

use posthaste::Secret;

use super::parse;
use super::problem::Problem;
use super::resolve::or;

/// A collector on this machine, at the port on which collectors listen.
const DEFAULT_ENDPOINT: &str = "http://localhost:4318";
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, PartialEq)]
pub struct OtlpPlan {
    /// May hold a token, like every address.
    pub endpoint: Secret,
    pub headers: BTreeMap<String, Secret>,
    /// Of messages that bring no trace context, the share that starts a trace of its own.
    pub sample: f64,
    pub service_name: String,
    pub timeout: Duration,
}

/// `None` unless the config has the section.
pub(super) fn resolve(written: Option<parse::Otlp>, problems: &mut Vec<Problem>) -> Option<OtlpPlan> {
    let written = written?;
    if !cfg!(feature = "otlp") {
        problems.push(Problem::new("otlp", crate::store::built_without("otlp")));
    }
    let endpoint = traces(written.endpoint.as_deref().unwrap_or(DEFAULT_ENDPOINT));
    if endpoint.is_none() {
        let text = format!("is not an address of a collector: write one such as \"{DEFAULT_ENDPOINT}\"");
        problems.push(Problem::new("otlp.endpoint", text));
    }
    let sample = written.sample.unwrap_or(1.0);
    if !(0.0..=1.0).contains(&sample) {
        problems.push(Problem::new("otlp.sample", format!("is {sample}: write a share between 0.0 and 1.0")));
    }
    for (name, value) in &written.headers {
        let token = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || !name.chars().all(token) || value.chars().any(char::is_control) {
            let text = "cannot be sent: names have letters, digits and -, values no control characters";
            problems.push(Problem::new(format!("otlp.headers.{name}"), text));
        }
    }
    Some(OtlpPlan {
        endpoint: Secret::new(endpoint?),
        headers: written.headers.into_iter().map(|(name, value)| (name, Secret::new(value))).collect(),
        sample,
        service_name: written.service_name.unwrap_or_else(|| "posthaste".into()),
        timeout: or(written.timeout, DEFAULT_TIMEOUT),
    })
}

/// An address without a path gets the one that every collector knows.
fn traces(endpoint: &str) -> Option<String> {
    let (scheme, rest) = endpoint.split_once("://")?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let possible = ["http", "https"].contains(&scheme) && !host.is_empty();
    let blank = |c: char| c.is_whitespace() || c.is_control();
    (possible && !endpoint.contains(blank)).then(|| match path {
        "" => format!("{scheme}://{host}/v1/traces"),
        _ => endpoint.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_a_path_gets_the_one_for_traces() {
        assert_eq!(traces("http://localhost:4318").as_deref(), Some("http://localhost:4318/v1/traces"));
        assert_eq!(traces("https://otlp.example/").as_deref(), Some("https://otlp.example/v1/traces"));
        assert_eq!(traces("https://otlp.example/otlp/x").as_deref(), Some("https://otlp.example/otlp/x"));
        for wrong in ["localhost:4318", "grpc://localhost:4317", "http://", "http://a b/", ""] {
            assert_eq!(traces(wrong), None, "{wrong}");
        }
    }
}
