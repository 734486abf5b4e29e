//! A selection in one line: `status:dead destination:billing type:invoice.* key:order/42 since:2h`.
//!
//! ```text
//!   line = word*      word = name ':' value | id      value = plain text | '"' text '"' with \" and \\
//! ```
//!
//! What is read and written again is the same selection; [`write()`] has the words in one order, so equal selections are equal lines.

use posthaste::inspect::Status;

use super::{Selection, message_id, moment, status};

/// The names of a line, in the order in which they are written.
pub const NAMES: [&str; 10] =
    ["status", "destination", "type", "key", "aggregate", "tenant", "error", "since", "before", "id"];

/// Reads a line; an empty one selects everything.
pub fn parse(line: &str) -> Result<Box<Selection>, String> {
    let mut selection = Selection::default();
    for word in words(line)? {
        match word.name.as_deref() {
            Some(name) => selection.add(name, word.value)?,
            None => selection.ids.push(message_id(&word.value).map_err(|_| no_name(&word.value))?),
        }
    }
    Ok(Box::new(selection))
}

fn no_name(word: &str) -> String {
    format!("`{word}` has no name: write one of {} before it, as in key:{word}", NAMES.map(colon).join(", "))
}

fn colon(name: &str) -> String {
    format!("{name}:")
}

impl Selection {
    fn add(&mut self, name: &str, value: String) -> Result<(), String> {
        if value.is_empty() {
            return Err(format!("`{name}:` has no value: write one behind the colon, without a blank"));
        }
        let place = match name {
            "status" | "state" => {
                for name in value.split(',') {
                    self.statuses.push(status(name)?);
                }
                return Ok(());
            }
            "id" => return value.split(',').try_for_each(|id| message_id(id).map(|id| self.ids.push(id))),
            "since" => return once(&mut self.since, name, moment(&value)?),
            "before" => return once(&mut self.before, name, moment(&value)?),
            "destination" => &mut self.destination,
            "type" | "event_type" => &mut self.event_type,
            "key" => &mut self.key,
            "aggregate" => &mut self.aggregate,
            "tenant" => &mut self.tenant,
            "error" => &mut self.error,
            _ => return Err(format!("`{name}:` is unknown: write one of {}", NAMES.map(colon).join(", "))),
        };
        once(place, name, value)
    }
}

fn once<T>(place: &mut Option<T>, name: &str, value: T) -> Result<(), String> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(format!("`{name}:` is given twice")),
    }
}

/// The line that means this selection.
pub fn write(selection: &Selection) -> String {
    if let Some(query) = &selection.query {
        return write(query);
    }
    let list = |items: Vec<String>| Some(items.join(",")).filter(|text| !text.is_empty());
    let values = [
        list(selection.statuses.iter().map(|status: &Status| status.as_str().to_owned()).collect()),
        selection.destination.clone(),
        selection.event_type.clone(),
        selection.key.clone(),
        selection.aggregate.clone(),
        selection.tenant.clone(),
        selection.error.clone(),
        selection.since.map(|moment| moment.to_string()),
        selection.before.map(|moment| moment.to_string()),
        list(selection.ids.iter().map(ToString::to_string).collect()),
    ];
    let words = NAMES.into_iter().zip(values).filter_map(|(name, value)| Some(format!("{name}:{}", quoted(&value?))));
    words.collect::<Vec<_>>().join(" ")
}

/// In quotes where it has to be.
pub fn quoted(value: &str) -> String {
    if value.contains(|c: char| c.is_whitespace() || c == '"') || value.is_empty() {
        format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
    } else {
        value.to_owned()
    }
}

/// A word of a line, without quotes, and which characters of the line it takes up.
#[derive(Debug, PartialEq, Eq)]
pub struct Word {
    pub name: Option<String>,
    pub value: String,
    pub from: usize,
    pub to: usize,
}

/// The words of a line.
pub fn words(line: &str) -> Result<Vec<Word>, String> {
    let characters: Vec<char> = line.chars().collect();
    let (mut words, mut at) = (Vec::new(), 0);
    while at < characters.len() {
        if characters[at].is_whitespace() {
            at += 1;
            continue;
        }
        let from = at;
        let (mut name, mut value) = (None, String::new());
        while at < characters.len() && !characters[at].is_whitespace() {
            match characters[at] {
                ':' if name.is_none() => name = Some(std::mem::take(&mut value)),
                '"' if value.is_empty() => at = within_quotes(&characters, at, &mut value)?,
                c => value.push(c),
            }
            at += 1;
        }
        words.push(Word { name, value, from, to: at });
    }
    Ok(words)
}

/// Reads what stands in quotes from `at`, and returns where they end.
fn within_quotes(characters: &[char], at: usize, value: &mut String) -> Result<usize, String> {
    let mut at = at + 1;
    while let Some(&c) = characters.get(at) {
        match c {
            '"' => return Ok(at),
            '\\' => {
                at += 1;
                value.extend(characters.get(at));
            }
            c => value.push(c),
        }
        at += 1;
    }
    Err("a quote is not closed: write \" at its end".into())
}

#[cfg(test)]
mod tests;
