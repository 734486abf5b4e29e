//! Values that are read from elsewhere: `{ env = "NAME" }` or `{ file = "path" }` in place of any text, so that no secret is in the config.

use std::path::Path;

use serde_json::Value;

use super::Env;
use super::problem::Problem;
use super::tree::{Provenance, Tree};

/// Replaces every reference with the value that it points to.
pub fn replace(tree: &mut Tree, env: &Env, folder: &Path) -> Vec<Problem> {
    let mut search = Search { env, folder, found: Vec::new(), problems: Vec::new() };
    search.visit(&mut tree.value, String::new());
    tree.provenances.extend(search.found.into_iter().map(|(key, reference)| (key, Provenance::Reference(reference))));
    search.problems
}

struct Search<'a> {
    env: &'a Env,
    folder: &'a Path,
    found: Vec<(String, String)>,
    problems: Vec<Problem>,
}

impl Search<'_> {
    fn visit(&mut self, value: &mut Value, key: String) {
        if let Some((kind, place)) = reference(value) {
            let written = format!("{{ {kind} = {place:?} }}");
            match self.look_up(kind, &place) {
                Ok(text) => {
                    *value = Value::String(text);
                    self.found.push((key, written));
                }
                Err(text) => {
                    *value = Value::Null;
                    self.problems.push(Problem::new(key, text));
                }
            }
        } else if let Value::Object(table) = value {
            for (name, child) in table {
                self.visit(child, if key.is_empty() { name.clone() } else { format!("{key}.{name}") });
            }
        } else if let Value::Array(items) = value {
            // A problem with an item is noted at the key of the list.
            items.iter_mut().for_each(|item| self.visit(item, key.clone()));
        }
    }

    fn look_up(&self, kind: &str, place: &str) -> Result<String, String> {
        if kind == "env" {
            return match self.env.get(place) {
                Some(text) => Ok(text.clone()),
                None => {
                    Err(format!("is read from the variable {place}, which is not set: set it, or write the value here"))
                }
            };
        }
        let path = self.folder.join(place);
        // Editors and `echo` end a file with a newline that nobody means.
        let text = std::fs::read_to_string(&path).map(|text| text.trim_end_matches(['\r', '\n']).to_owned());
        text.map_err(|error| format!("is read from the file {}, which cannot be read: {error}", path.display()))
    }
}

/// A table with nothing but `env` or `file`.
fn reference(value: &Value) -> Option<(&'static str, String)> {
    let table = value.as_object().filter(|table| table.len() == 1)?;
    ["env", "file"].into_iter().find_map(|kind| Some((kind, table.get(kind)?.as_str()?.to_owned())))
}
