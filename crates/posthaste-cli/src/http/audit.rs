//! Who changed what.

use axum::Json;
use axum::extract::{Query as RawQuery, State};
use serde_json::{Value, json};

use super::App;
use super::problem::Problem;
use super::query::{Nothing, Pairs, Query};

pub async fn list(State(app): State<App>, RawQuery(pairs): Pairs) -> Result<Json<Value>, Problem> {
    let mut query = Query::new(pairs)?;
    let limit = query.take_limit()?;
    let before = query.take_number("before")?;
    query.rest::<Nothing>()?;
    let entries = app.operator().audit(before, limit).await?;
    let next = entries.last().filter(|_| entries.len() == limit).map(|entry| entry.number);
    Ok(Json(json!({ "entries": entries, "next": next })))
}
