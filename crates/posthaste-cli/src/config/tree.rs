//! The config as a tree of values, and where a value came from if it was not in the file.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value};

use super::Error;
use super::problem::Problem;

/// Where a value came from, if not from the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Provenance {
    /// This variable of the environment overrides the file.
    Override(String),
    /// The file only says where to find it; as written there. The value may be a secret.
    Reference(String),
}

/// Values by dotted key.
#[derive(Debug, Clone)]
pub struct Tree {
    pub value: Value,
    pub provenances: BTreeMap<String, Provenance>,
}

impl Default for Tree {
    fn default() -> Self {
        Self { value: Value::Object(Map::new()), provenances: BTreeMap::new() }
    }
}

impl Tree {
    /// Reads TOML, or YAML if the name ends in `.yaml` or `.yml`.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Error::Unreadable { path: path.to_owned(), why: error.to_string() })?;
        let is_yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
        let parsed = if is_yaml { Self::from_yaml(&text) } else { Self::from_toml(&text) };
        parsed.map_err(|why| Error::Syntax { path: path.to_owned(), why })
    }

    pub fn from_toml(text: &str) -> Result<Self, String> {
        let value = toml::from_str(text).map_err(|error| match error.span() {
            Some(span) => at(text, span.start, error.message()),
            None => error.message().to_owned(),
        })?;
        Ok(Self { value, ..Self::default() })
    }

    pub fn from_yaml(text: &str) -> Result<Self, String> {
        let options = serde_saphyr::options! { with_snippet: false };
        match serde_saphyr::from_str_with_options(text, options).map_err(|error| error.to_string())? {
            // A file of nothing but comments.
            Value::Null => Ok(Self::default()),
            value => Ok(Self { value, ..Self::default() }),
        }
    }

    /// Adds where the wrong value came from, and does not show what may be a secret.
    pub fn with_provenance(&self, problem: Problem) -> Problem {
        let within =
            |key: &str| problem.key.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        match self.provenances.iter().find(|(key, _)| within(key)) {
            Some((_, Provenance::Override(variable))) => {
                Problem::new(problem.key, format!("{} (set by {variable})", problem.text))
            }
            Some((_, Provenance::Reference(reference))) => Problem::new(
                problem.key,
                format!("does not accept the value that {reference} points to (not shown here)"),
            ),
            None => problem,
        }
    }
}

/// What is wrong, with its place. Not with the line itself: what is wrong may be the quotes of a password.
fn at(text: &str, place: usize, what: &str) -> String {
    let before = &text[..text.floor_char_boundary(place)];
    let (line, begin) = (before.matches('\n').count() + 1, before.rfind('\n').map_or(0, |end| end + 1));
    format!("line {line}, column {}: {what}", before[begin..].chars().count() + 1)
}
