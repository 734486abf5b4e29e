//! Settings from the environment: `POSTHASTE_STORE__PATH` stands for `store.path`, and wins over the file.

use serde_json::{Map, Value};

use super::Env;
use super::problem::Problem;
use super::tree::{Provenance, Tree};

const PREFIX: &str = "POSTHASTE_";
const SEPARATOR: &str = "__";

/// Whether the environment sets anything at all. `POSTHASTE_CONFIG` and the like, without `__`, are no settings.
pub fn any(env: &Env) -> bool {
    env.keys().any(|variable| segments(variable).is_some())
}

/// Writes every override into the tree.
pub fn apply(tree: &mut Tree, env: &Env) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (variable, text) in env {
        let Some(segments) = segments(variable) else { continue };
        match insert(&mut tree.value, &segments, value_of(text)) {
            Some(key) => {
                tree.provenances.insert(key, Provenance::Override(variable.clone()));
            }
            None => problems.push(Problem::new(
                segments.join("."),
                format!("cannot be set inside a plain value (set by {variable})"),
            )),
        }
    }
    problems
}

fn segments(variable: &str) -> Option<Vec<String>> {
    let name = variable.strip_prefix(PREFIX)?;
    name.contains(SEPARATOR).then(|| name.to_lowercase().split(SEPARATOR).map(str::to_owned).collect())
}

/// Numbers, booleans, lists and tables are written as in TOML; everything else is text. Quotes make text of a number.
fn value_of(text: &str) -> Value {
    let parsed: Option<toml::Value> = toml::from_str(&format!("value = {text}")).ok().and_then(only_value);
    match parsed {
        None | Some(toml::Value::Datetime(_)) => Value::String(text.to_owned()),
        Some(value) => serde_json::to_value(value).unwrap_or_else(|_| Value::String(text.to_owned())),
    }
}

/// `None` if the text holds a second line that sets something else.
fn only_value(mut table: toml::Table) -> Option<toml::Value> {
    table.remove("value").filter(|_| table.is_empty())
}

/// Returns the key in the spelling of the file: a variable cannot say `my-crm`, only `MY_CRM`.
fn insert(tree: &mut Value, segments: &[String], value: Value) -> Option<String> {
    let [first, rest @ ..] = segments else {
        *tree = value;
        return Some(String::new());
    };
    let table = tree.as_object_mut()?;
    let spelled = |key: &&String| key.to_lowercase().replace('-', "_") == *first;
    let key = table.keys().find(spelled).cloned().unwrap_or_else(|| first.clone());
    let child = table.entry(key.clone()).or_insert_with(|| Value::Object(Map::new()));
    match insert(child, rest, value)? {
        below if below.is_empty() => Some(key),
        below => Some(format!("{key}.{below}")),
    }
}
