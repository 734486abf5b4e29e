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

    /// Puts a header in the place of all that have its name, or appends it.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        let is_it = |(candidate, _): &(String, String)| candidate.eq_ignore_ascii_case(name);
        let place = self.0.iter().position(is_it).unwrap_or(self.0.len());
        self.0.retain(|pair| !is_it(pair));
        self.0.insert(place, (name.to_owned(), value.into()));
    }

    /// First value under `name`, compared without case as HTTP does.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(candidate, _)| candidate.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// All headers, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// How many there are, repeats included.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Headers {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_that_is_set_replaces_all_of_its_name_in_place() {
        let mut headers: Headers =
            [("a", "1"), ("TraceParent", "old"), ("b", "2"), ("traceparent", "older")].into_iter().collect();
        headers.set(Headers::TRACEPARENT, "new");
        headers.set("c", "3");
        let expected = [("a", "1"), ("traceparent", "new"), ("b", "2"), ("c", "3")];
        assert_eq!(headers.iter().collect::<Vec<_>>(), expected);
    }
}
