//! Turns values into structures, and notes every value that does not fit, with its key.

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::{Path, Segment};

use super::problem::Problem;

/// Reads the tree, which stands at the key `under`. Serde stops at the first value that does not fit, so that one is noted and taken
/// out of the tree, and the rest is tried again. `None` if it cannot be taken out.
pub fn fit<T: DeserializeOwned>(mut tree: Value, under: &str, problems: &mut Vec<Problem>) -> Option<T> {
    let before = problems.len();
    loop {
        let error = match serde_path_to_error::deserialize::<_, T>(&tree) {
            Ok(value) => return Some(value),
            Err(error) => error,
        };
        let mut keys = keys_of(error.path());
        let (missing, text) = reword(&error.inner().to_string());
        let left_out = missing.is_none() && remove(&mut tree, &keys);
        keys.extend(missing);
        // What was taken out may be what is missing now.
        let key = [under, &keys.join(".")].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".");
        if !problems[before..].iter().any(|problem| problem.key == key) {
            problems.push(Problem::new(key, text));
        }
        if !left_out {
            return None;
        }
    }
}

/// The keys down to the value that does not fit. If it is an item of a list, the keys down to the list.
fn keys_of(path: &Path) -> Vec<String> {
    let key = |segment: &Segment| match segment {
        Segment::Map { key } => Some(key.clone()),
        _ => None,
    };
    path.iter().map_while(key).collect()
}

fn remove(tree: &mut Value, keys: &[String]) -> bool {
    match keys {
        [] => false,
        [last] => tree.as_object_mut().is_some_and(|table| table.remove(last).is_some()),
        [first, rest @ ..] => tree.get_mut(first).is_some_and(|child| remove(child, rest)),
    }
}

/// Serde's words in ours, and the field that is missing if that is what they say.
pub(super) fn reword(text: &str) -> (Option<String>, String) {
    const WORDS: [(&str, &str); 6] = [
        ("unknown variant ", "cannot be "),
        ("invalid type: ", "has the wrong type: "),
        ("invalid value: ", "has the wrong value: "),
        ("expected usize", "expected a whole number from 0"),
        ("expected u32", "expected a whole number from 0 to 4294967295"),
        ("expected u16", "expected a whole number from 0 to 65535"),
    ];
    if let Some(field) = text.strip_prefix("missing field ") {
        return (Some(field.trim_matches('`').to_owned()), "is missing".into());
    }
    let text = match text.strip_prefix("unknown field ").and_then(|rest| rest.split_once(", expected ")) {
        Some((_, expected)) => format!("is not a setting: expected {expected}"),
        None => WORDS.iter().fold(text.to_owned(), |text, (theirs, ours)| text.replacen(theirs, ours, 1)),
    };
    (None, text)
}
