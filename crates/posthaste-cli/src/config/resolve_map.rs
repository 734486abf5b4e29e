//! What makes messages of the events of a source: an expression, or rules.

use std::sync::Arc;

use posthaste::source::Mapper;
use posthaste::source::rules::{Rule, Rules};
use serde_json::Value;

use super::fit::fit;
use super::parse_source as parse;
use super::problem::Problem;
use crate::expressions;

/// A mapper as the config wants it.
#[derive(Debug, Clone)]
pub struct MapPlan {
    written: Option<Value>,
    pub mapper: Arc<dyn Mapper>,
}

/// Mappers are the same if they are written so.
impl PartialEq for MapPlan {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

/// Compiles what stands at the key. Without anything every event is taken as it is.
pub fn resolve(key: &str, written: Option<Value>, problems: &mut Vec<Problem>) -> Option<MapPlan> {
    let mapper = match written.clone() {
        None => Arc::new(Rules::new([])),
        Some(Value::String(expression)) => match expressions::mapping(&expression) {
            Ok(mapping) => mapping,
            Err(wrong) => {
                problems.push(Problem::new(key, wrong));
                return None;
            }
        },
        Some(list) => Arc::new(rules(key, list, problems)?),
    };
    Some(MapPlan { written, mapper })
}

fn rules(key: &str, list: Value, problems: &mut Vec<Problem>) -> Option<Rules> {
    let Value::Array(written) = list else {
        problems.push(Problem::new(key, "is neither an expression nor a list of rules: write '…' or [[…]]"));
        return None;
    };
    let rule = |(n, written)| rule(&format!("{key}[{n}]"), written, problems);
    let rules: Option<Vec<Rule>> = written.into_iter().enumerate().map(rule).collect();
    rules.map(Rules::new)
}

fn rule(key: &str, written: Value, problems: &mut Vec<Problem>) -> Option<Rule> {
    let written: parse::Rule = fit(written, key, problems)?;
    if written.r#type.is_empty() {
        let text = "is empty: write the event types the rule is for, such as \"*\"";
        problems.push(Problem::new(format!("{key}.type"), text));
    }
    let mut rule = Rule::new(written.r#type);
    rule.event_type = written.event_type;
    rule.destinations = written.destinations;
    (rule.key, rule.tenant, rule.headers) = (written.key, written.tenant, written.headers);
    if let Some(expression) = written.payload {
        match expressions::payload(&expression) {
            Ok(payload) => rule.payload = Some(payload),
            Err(wrong) => problems.push(Problem::new(format!("{key}.payload"), wrong)),
        }
    }
    Some(rule)
}
