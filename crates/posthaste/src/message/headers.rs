//! Headers: ordered, repeatable, free of control characters.

use serde::{Deserialize, Serialize};

/// Name and value pairs in the order they were added. Written as a JSON array of pairs wherever a store needs text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Headers(Vec<(String, String)>);

impl Headers {
    /// W3C trace context.
    pub const TRACEPARENT: &str = "traceparent";

    /// Appends a header.
    pub fn push(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.push((name.into(), value.into()));
    }

    /// First value under `name`, compared without case as HTTP does.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(candidate, _)| candidate.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// All headers, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Headers {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}
