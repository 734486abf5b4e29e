//! The query line: what it means, what it is on the command line, and how it can go on.

use axum::Json;
use axum::extract::{Query as RawQuery, State};
use serde_json::{Value, json};

use super::App;
use super::problem::Problem;
use super::query::{Nothing, Pairs, Query};
use crate::selection::complete::{Known, complete};
use crate::selection::line;

/// Commands that take a selection.
const COMMANDS: [&str; 3] = ["list", "replay", "discard"];

pub async fn read(RawQuery(pairs): Pairs) -> Result<Json<Value>, Problem> {
    let mut query = Query::new(pairs)?;
    let command = |text: &str| COMMANDS.into_iter().find(|known| *known == text);
    let command = |text: &str| command(text).ok_or_else(|| format!("write one of {}", COMMANDS.join(", ")));
    let command = query.take("for", command)?.unwrap_or("list");
    let selection = query.take("query", line::parse)?.unwrap_or_default();
    query.rest::<Nothing>()?;
    Ok(Json(json!({
        "query": line::write(&selection),
        "selection": selection,
        "command": selection.command(command),
    })))
}

pub async fn go_on(State(app): State<App>, RawQuery(pairs): Pairs) -> Result<Json<Value>, Problem> {
    let mut query = Query::new(pairs)?;
    let text = query.take_text("query")?.unwrap_or_default();
    let number = |text: &str| text.parse::<usize>().map_err(|_| "write a number of characters".to_owned());
    let at = query.take("at", number)?.unwrap_or(usize::MAX);
    query.rest::<Nothing>()?;
    let overview = app.overview().await?;
    let known = Known { overview: &overview, event_types: app.operator().event_types().await? };
    Ok(Json(json!(complete(&text, at, &known))))
}
