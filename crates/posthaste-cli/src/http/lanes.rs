//! A message or a key among its like.

use axum::Json;
use axum::extract::{Path, Query as RawQuery, State};

use super::App;
use super::messages::message_id;
use super::problem::Problem;
use super::query::{Nothing, Pairs, Query};
use crate::operator::Lane;

pub async fn of_message(
    State(app): State<App>,
    Path(id): Path<String>,
    RawQuery(pairs): Pairs,
) -> Result<Json<Lane>, Problem> {
    let mut query = Query::new(pairs)?;
    let destination = query.take_text("destination")?;
    query.rest::<Nothing>()?;
    let operator = app.operator();
    let (report, _) = operator.examine(message_id(&id)?).await?;
    Ok(Json(operator.lane(&report, destination.as_deref()).await?))
}

pub async fn of_key(State(app): State<App>, RawQuery(pairs): Pairs) -> Result<Json<Lane>, Problem> {
    let mut query = Query::new(pairs)?;
    let key = query.take_text("key")?.ok_or_else(|| Problem::bad_request("`key` is missing"))?;
    let (tenant, destination) = (query.take_text("tenant")?, query.take_text("destination")?);
    query.rest::<Nothing>()?;
    let operator = app.operator();
    let head = operator.head(&key, tenant.as_deref(), destination.as_deref()).await?;
    let (report, _) = operator.examine(head.id).await?;
    let destination = destination.or(head.destination);
    Ok(Json(operator.lane(&report, destination.as_deref()).await?))
}
