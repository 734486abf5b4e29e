//! The expressions of destinations and sources: compiling what the config says, and trying those of destinations on messages.

use std::sync::Arc;

use posthaste::Message;
use posthaste::destination::Filter;
use posthaste::inspect::Report;
use posthaste::sink::Sink;
use posthaste::source::Mapper;
use posthaste::source::rules::Payload;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

#[cfg(feature = "jq")]
pub use self::built_in::*;
#[cfg(not(feature = "jq"))]
pub use self::built_without::*;

/// How many messages are tried unless told otherwise, and at most.
pub const DEFAULT_LIMIT: usize = 20;
pub const MAX_LIMIT: usize = 100;

/// What to try, where.
#[derive(Debug)]
pub struct Wanted {
    pub destination: String,
    /// In place of the destination's.
    pub filter: Option<String>,
    /// In place of the destination's.
    pub transform: Option<String>,
    pub limit: usize,
}

/// What became of one message.
#[derive(Debug, Serialize)]
pub struct Tried {
    pub id: String,
    pub position: String,
    pub event_type: String,
    pub aggregate: String,
    pub outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub before: Content,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Content>,
}

pub const DELIVERED: &str = "delivered";
pub const FILTERED_OUT: &str = "filtered_out";
pub const REJECTED: &str = "rejected";

/// What a destination sees of a message, as far as an expression can change it.
#[derive(Debug, Serialize)]
pub struct Content {
    pub headers: Vec<(String, String)>,
    /// JSON as it is, any other text as a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Box<RawValue>>,
    /// Bytes that are no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload_hex: Option<String>,
}

impl Content {
    fn of(message: &Message) -> Self {
        let headers = message.headers.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let text = std::str::from_utf8(&message.payload).ok();
        // What stands on several lines goes on one: within JSON a line ends only between tokens.
        let one_line = |text: &str| RawValue::from_string(text.trim().replace(['\n', '\r'], " ")).ok();
        let json = |text: &str| serde_json::from_str::<Value>(text).ok().and_then(|_| one_line(text));
        let quoted = |text: &str| RawValue::from_string(Value::from(text).to_string()).ok();
        Self {
            headers,
            payload: text.and_then(|text| json(text).or_else(|| quoted(text))),
            payload_hex: text.is_none().then(|| crate::operator::hex(&message.payload)),
        }
    }
}

#[cfg(feature = "jq")]
mod built_in {
    use posthaste::expression::{self, Expression, Transform, Transformed};

    use super::*;
    use crate::exit::Misuse;

    /// The filter of a destination.
    pub fn filter(source: &str) -> Result<Filter, String> {
        expression::filter(source).map_err(|wrong| wrong.to_string())
    }

    /// Whether a transformation can be compiled.
    pub fn check_transform(source: &str) -> Result<String, String> {
        Transform::new(source).map(|_| source.to_owned()).map_err(|wrong| wrong.to_string())
    }

    /// A sink behind a transformation.
    pub fn transformed(source: &str, sink: Arc<dyn Sink>) -> Result<Arc<dyn Sink>, String> {
        let transform = Transform::new(source).map_err(|wrong| wrong.to_string())?;
        Ok(Arc::new(Transformed::new(transform, sink)))
    }

    /// What makes messages of the events of a source.
    pub fn mapping(source: &str) -> Result<Arc<dyn Mapper>, String> {
        Ok(Arc::new(expression::Mapping::new(source).map_err(|wrong| wrong.to_string())?))
    }

    /// What a rule of a source makes of the data of an event.
    pub fn payload(source: &str) -> Result<Payload, String> {
        expression::payload(source).map_err(|wrong| wrong.to_string())
    }

    /// A filter and a transformation that are tried.
    pub struct Trial {
        filter: Option<Expression>,
        transform: Option<Transform>,
    }

    impl Trial {
        pub fn new(filter: Option<&str>, transform: Option<&str>) -> Result<Self, Misuse> {
            let misuse = |setting: &str, wrong: expression::Wrong| Misuse(format!("{setting}: {wrong}"));
            Ok(Self {
                filter: filter.map(Expression::new).transpose().map_err(|wrong| misuse("filter", wrong))?,
                transform: transform.map(Transform::new).transpose().map_err(|wrong| misuse("transform", wrong))?,
            })
        }

        pub fn run(&self, report: &Report) -> Tried {
            let message = &report.message;
            let trial = expression::attempt(self.filter.as_ref(), self.transform.as_ref(), message);
            let (outcome, error, after) = match trial {
                expression::Trial::FilteredOut => (FILTERED_OUT, None, None),
                expression::Trial::Rejected(error) => (REJECTED, Some(error), None),
                expression::Trial::Delivered(after) => (DELIVERED, None, Some(Content::of(&after))),
            };
            Tried {
                id: message.id.to_string(),
                position: report.position.to_string(),
                event_type: message.event_type.to_string(),
                aggregate: format!("{}/{}", message.aggregate_type, message.aggregate_id),
                outcome,
                error,
                before: Content::of(message),
                after,
            }
        }
    }
}

#[cfg(not(feature = "jq"))]
mod built_without {
    use super::*;
    use crate::exit::Misuse;
    use crate::store::built_without;

    pub fn filter(_: &str) -> Result<Filter, String> {
        Err(built_without("jq"))
    }

    pub fn check_transform(_: &str) -> Result<String, String> {
        Err(built_without("jq"))
    }

    pub fn transformed(_: &str, _: Arc<dyn Sink>) -> Result<Arc<dyn Sink>, String> {
        Err(built_without("jq"))
    }

    pub fn mapping(_: &str) -> Result<Arc<dyn Mapper>, String> {
        Err(built_without("jq"))
    }

    pub fn payload(_: &str) -> Result<Payload, String> {
        Err(built_without("jq"))
    }

    /// Nothing can be tried.
    pub struct Trial;

    impl Trial {
        pub fn new(_: Option<&str>, _: Option<&str>) -> Result<Self, Misuse> {
            Err(Misuse(built_without("jq")))
        }

        pub fn run(&self, report: &Report) -> Tried {
            let before = Content::of(&report.message);
            let (id, position) = (report.message.id.to_string(), report.position.to_string());
            let error = Some(built_without("jq"));
            Tried {
                id,
                position,
                event_type: String::new(),
                aggregate: String::new(),
                outcome: REJECTED,
                error,
                before,
                after: None,
            }
        }
    }
}
