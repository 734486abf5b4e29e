//! What a message may look like, checked before it reaches a database.

use std::fmt;

use super::Message;
use crate::error::shown;

/// Bounds a message must keep. The defaults suit every store and sink.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Longest payload; large blobs belong into object storage, their address into the event.
    pub payload_bytes: usize,
    /// Longest name, key, tenant or other identifying text.
    pub name_bytes: usize,
    /// Names and values of all headers together.
    pub headers_bytes: usize,
    /// Number of headers.
    pub headers: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { payload_bytes: 1 << 20, name_bytes: 255, headers_bytes: 16 << 10, headers: 64 }
    }
}

/// Everything that is wrong with a message, each with what to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// Everything that is wrong with the message.
    pub problems: Vec<Problem>,
}

/// One field and what to change about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub field: &'static str,
    pub remedy: String,
}

impl Invalid {
    pub(super) fn payload(remedy: String) -> Self {
        Self { problems: vec![Problem { field: "payload", remedy }] }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("message refused")?;
        for (n, problem) in self.problems.iter().enumerate() {
            let separator = if n == 0 { ": " } else { "; " };
            write!(f, "{separator}{} {}", problem.field, problem.remedy)?;
        }
        Ok(())
    }
}

impl std::error::Error for Invalid {}

impl Limits {
    /// Checks every field, so that a caller sees all problems at once.
    pub fn check(&self, message: &Message) -> Result<(), Invalid> {
        let mut checker = Checker { limits: self, problems: Vec::new() };
        checker.event_type(&message.event_type);
        checker.name("aggregate_type", &message.aggregate_type);
        checker.name("aggregate_id", &message.aggregate_id);
        checker.name("content_type", &message.content_type);
        let optional = [
            ("key", &message.key),
            ("tenant", &message.tenant),
            ("user", &message.user),
            ("correlation_id", &message.correlation_id),
            ("destination", &message.destination),
        ];
        for (field, value) in optional {
            if let Some(value) = value {
                checker.name(field, value);
            }
        }
        if let Some(origin) = &message.origin {
            checker.name("source_stream", &origin.stream);
            checker.name("source_event", &origin.event);
        }
        if message.max_attempts == Some(0) {
            checker.problem("max_attempts", "must be at least 1".into());
        }
        checker.payload(message.payload.len());
        checker.headers(message);
        if checker.problems.is_empty() { Ok(()) } else { Err(Invalid { problems: checker.problems }) }
    }
}

struct Checker<'a> {
    limits: &'a Limits,
    problems: Vec<Problem>,
}

impl Checker<'_> {
    fn problem(&mut self, field: &'static str, remedy: String) {
        self.problems.push(Problem { field, remedy });
    }

    fn name(&mut self, field: &'static str, text: &str) {
        if text.is_empty() {
            self.problem(field, "is empty: give it a value or leave it out".into());
        }
        if text.len() > self.limits.name_bytes {
            self.problem(field, format!("is {} bytes long: shorten it to {}", text.len(), self.limits.name_bytes));
        }
        if text.chars().any(char::is_control) {
            self.problem(field, "contains a control character (NUL, CR, LF, …): remove it".into());
        }
    }

    /// Event types are matched by patterns and become topics and subjects, so they keep to a plain alphabet.
    fn event_type(&mut self, text: &str) {
        self.name("event_type", text);
        let plain = |c: char| c.is_ascii_alphanumeric() || "._:/-".contains(c);
        if !text.chars().all(plain) {
            self.problem("event_type", "may contain only letters, digits and . _ : / -".into());
        }
    }

    fn payload(&mut self, bytes: usize) {
        let limit = self.limits.payload_bytes;
        if bytes > limit {
            self.problem(
                "payload",
                format!("is {bytes} bytes: the limit is {limit} (raise `payload_bytes`, or store the blob elsewhere and send its address)"),
            );
        }
    }

    fn headers(&mut self, message: &Message) {
        let headers = &message.headers;
        if headers.len() > self.limits.headers {
            self.problem("headers", format!("has {} entries: keep to {}", headers.len(), self.limits.headers));
        }
        let bytes: usize = headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        if bytes > self.limits.headers_bytes {
            self.problem("headers", format!("take {bytes} bytes: keep to {}", self.limits.headers_bytes));
        }
        let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        for (name, value) in headers.iter().take(self.limits.headers) {
            if name.is_empty() || !name.chars().all(token) {
                self.problem("headers", format!("has the name `{}`: use letters, digits and -_. only", shown(name)));
            }
            if value.chars().any(char::is_control) {
                self.problem(
                    "headers",
                    format!("has a control character in the value of `{}`: remove it", shown(name)),
                );
            }
        }
    }
}
