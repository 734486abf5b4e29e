//! The store at a glance.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use super::App;
use super::problem::Problem;
use crate::operator::StatusAnswer;

pub async fn status(State(app): State<App>) -> Result<Json<StatusAnswer>, Problem> {
    Ok(Json(app.operator().status().await?))
}

pub async fn sources(State(app): State<App>) -> Result<Json<Value>, Problem> {
    Ok(Json(json!({ "sources": app.operator().sources().await? })))
}
