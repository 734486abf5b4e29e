//! Who changed what, and the way back where there is one.

use axum::Json;
use axum::extract::{Query as RawQuery, State};
use posthaste::inspect::{AuditEntry, Change, Status};
use serde::Serialize;
use serde_json::{Value, json};

use super::App;
use super::problem::Problem;
use super::query::{Nothing, Pairs, Query};
use crate::selection::line;

#[derive(Serialize)]
struct Entry {
    #[serde(flatten)]
    entry: AuditEntry,
    undo: Option<Undo>,
}

/// What takes a change back.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Undo {
    action: &'static str,
    destination: Option<String>,
    query: Option<String>,
}

pub async fn list(State(app): State<App>, RawQuery(pairs): Pairs) -> Result<Json<Value>, Problem> {
    let mut query = Query::new(pairs)?;
    let limit = query.take_limit()?;
    let before = query.take_number("before")?;
    query.rest::<Nothing>()?;
    let entries = app.operator().audit(before, limit).await?;
    let next = entries.last().filter(|_| entries.len() == limit).map(|entry| entry.number);
    let entries: Vec<Entry> = entries.into_iter().map(|entry| Entry { undo: undo(&entry.change), entry }).collect();
    Ok(Json(json!({ "entries": entries, "next": next })))
}

/// A pause is ended, and begun again; what was discarded is delivered after all, for as long as it is kept.
fn undo(change: &Change) -> Option<Undo> {
    let at = |action| Undo { action, destination: Some(change.target.clone()), query: None };
    match change.action.as_str() {
        "pause" => Some(at("resume")),
        "resume" => Some(at("pause")),
        "discard" if change.affected > 0 => {
            let selection = line::parse(&change.target).ok()?.with_status(Status::Discarded);
            Some(Undo { action: "replay", destination: None, query: Some(line::write(&selection)) })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back(action: &str, target: &str) -> Option<Undo> {
        undo(&Change { who: "ann".into(), action: action.into(), target: target.into(), affected: 3 })
    }

    #[test]
    fn there_is_a_way_back_from_pauses_and_discards() {
        assert_eq!(back("pause", "crm").map(|undo| undo.action), Some("resume"));
        let replay = back("discard", "status:dead destination:crm").unwrap();
        assert_eq!((replay.action, replay.query.as_deref()), ("replay", Some("status:discarded destination:crm")));
        assert_eq!(back("replay", "status:dead"), None, "what was sent is sent");
        assert_eq!(back("discard", "state dead; destination crm"), None, "an entry of an older version");
    }
}
