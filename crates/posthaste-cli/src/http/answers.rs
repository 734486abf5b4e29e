//! Routes that only read.

use axum::extract::{Extension, Path, Query as RawQuery, State};
use axum::{Json, http::StatusCode};
use posthaste::journal::Position;
use serde_json::{Value, json};

use super::App;
use super::access::Caller;
use super::problem::Problem;
use super::query::Query;
use crate::config::Role;
use crate::operator::{self, StatusAnswer};
use crate::selection::{self, Selection};
use crate::{clock, output};

type Pairs = RawQuery<Vec<(String, String)>>;

pub async fn status(State(app): State<App>) -> Result<Json<StatusAnswer>, Problem> {
    Ok(Json(app.operator().status().await?))
}

pub async fn list(State(app): State<App>, RawQuery(pairs): Pairs) -> Result<Json<Value>, Problem> {
    let mut query = Query::new(pairs)?;
    let limit = query.take_limit()?;
    let after = query.take("after", selection::position)?.unwrap_or(Position::START);
    let filter = query.rest::<Selection>()?.filter(clock::now());
    let page = app.operator().list(&filter, after, limit).await?;
    Ok(Json(json!({ "deliveries": page.rows, "next": page.next.map(|next| next.to_string()) })))
}

pub async fn show(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    RawQuery(pairs): Pairs,
) -> Result<Json<Value>, Problem> {
    let mut query = Query::new(pairs)?;
    let truth = |text: &str| text.parse::<bool>().map_err(|_| "write true or false".to_owned());
    let payload = query.take("payload", truth)?.unwrap_or(false);
    query.rest::<Nothing>()?;
    if payload && caller.role < Role::Operator {
        return Err(Problem::new(403, "payloads may be personal or secret: an operator's token is needed"));
    }
    let (report, explanations) = app.operator().examine(message_id(&id)?).await?;
    Ok(Json(operator::show(&report, &explanations, payload)))
}

pub async fn explain(State(app): State<App>, Path(id): Path<String>) -> Result<Json<Value>, Problem> {
    let id = message_id(&id)?;
    let (_, explanations) = app.operator().examine(id).await?;
    Ok(Json(json!({ "id": id, "explanations": explanations })))
}

pub async fn history(State(app): State<App>, RawQuery(pairs): Pairs) -> Result<Json<Value>, Problem> {
    let mut query = Query::new(pairs)?;
    let aggregate = query.take("aggregate", selection::aggregate)?;
    let (kind, id) = aggregate.ok_or_else(|| Problem::bad_request("`aggregate` is missing: write TYPE/ID"))?;
    let tenant = query.take("tenant", |text| Ok(text.to_owned()))?;
    query.rest::<Nothing>()?;
    let rows = app.operator().history(&kind, &id, tenant.as_deref()).await?;
    Ok(Json(json!({ "deliveries": rows })))
}

pub async fn audit(State(app): State<App>, RawQuery(pairs): Pairs) -> Result<(StatusCode, Json<Value>), Problem> {
    let mut query = Query::new(pairs)?;
    let limit = query.take_limit()?;
    let before = query.take("before", |text| text.parse().map_err(|_| "write a number".to_owned()))?;
    query.rest::<Nothing>()?;
    let entries = app.operator().audit(before, limit).await?;
    let next = entries.last().filter(|_| entries.len() == limit).map(|entry| entry.number);
    Ok((StatusCode::OK, Json(json!({ "entries": entries, "next": next }))))
}

/// For what takes no further parameters.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

fn message_id(text: &str) -> Result<posthaste::message::MessageId, Problem> {
    selection::message_id(&output::plain::cut(text, 80)).map_err(Problem::bad_request)
}
