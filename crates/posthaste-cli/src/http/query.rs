//! The parameters and the body of a request.

use axum::body::Bytes;
use axum::http::{HeaderMap, header};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::problem::Problem;

/// A query as axum hands it over.
pub type Pairs = axum::extract::Query<Vec<(String, String)>>;

/// For what takes no further parameters.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// A query as a table. A name that comes twice is refused: one of the two would be ignored.
#[derive(Debug)]
pub struct Query(Map<String, Value>);

impl Query {
    pub fn new(pairs: Vec<(String, String)>) -> Result<Self, Problem> {
        let mut table = Map::new();
        for (name, value) in pairs {
            if table.insert(name.clone(), Value::String(value)).is_some() {
                return Err(Problem::bad_request(format!("`{name}` is given twice")));
            }
        }
        Ok(Self(table))
    }

    /// Takes one parameter out.
    pub fn take<T>(&mut self, name: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, Problem> {
        let Some(Value::String(text)) = self.0.remove(name) else { return Ok(None) };
        parse(&text).map(Some).map_err(|why| Problem::bad_request(format!("`{name}`: {why}")))
    }

    /// How many rows a page has.
    pub fn take_limit(&mut self) -> Result<usize, Problem> {
        let parse = |text: &str| match text.parse() {
            Ok(limit) if (1..=1_000).contains(&limit) => Ok(limit),
            _ => Err("write a number from 1 to 1000".to_owned()),
        };
        Ok(self.take("limit", parse)?.unwrap_or(100))
    }

    /// Text, if it is given.
    pub fn take_text(&mut self, name: &str) -> Result<Option<String>, Problem> {
        self.take(name, |text| Ok(text.to_owned()))
    }

    /// A whole number, if it is given.
    pub fn take_number(&mut self, name: &str) -> Result<Option<u64>, Problem> {
        self.take(name, |text| text.parse().map_err(|_| "write a number".to_owned()))
    }

    /// Everything that is left; whatever is unknown is refused.
    pub fn rest<T: DeserializeOwned>(self) -> Result<T, Problem> {
        serde_json::from_value(Value::Object(self.0)).map_err(|error| Problem::bad_request(error.to_string()))
    }
}

/// A JSON document, said to be one: a form of another site cannot say that.
pub fn body<T: DeserializeOwned + Default>(headers: &HeaderMap, bytes: &Bytes) -> Result<T, Problem> {
    if bytes.is_empty() {
        return Ok(T::default());
    }
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if kind.split(';').next().is_none_or(|kind| kind.trim() != "application/json") {
        return Err(Problem::new(415, "send a document of type application/json"));
    }
    // A list would be read as the fields in their order.
    let document: Map<String, Value> =
        serde_json::from_slice(bytes).map_err(|error| Problem::bad_request(format!("send a JSON object: {error}")))?;
    let document = Value::Object(document);
    if let Some(name) = null_in(&document) {
        return Err(Problem::bad_request(format!("`{name}` is null: leave it out, or say what is meant")));
    }
    serde_json::from_value(document).map_err(|error| Problem::bad_request(error.to_string()))
}

/// The first field that is null. A caller whose variable was empty would otherwise select more than was meant.
fn null_in(value: &Value) -> Option<String> {
    let Value::Object(fields) = value else { return None };
    fields.iter().find_map(|(name, value)| match value {
        Value::Null => Some(name.clone()),
        inner => null_in(inner).map(|inner| format!("{name}.{inner}")),
    })
}
