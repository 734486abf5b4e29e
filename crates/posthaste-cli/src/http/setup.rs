//! The config in force.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::App;
use crate::operator::Setup;

pub async fn show(State(app): State<App>) -> Json<Arc<Setup>> {
    Json(app.operator().setup())
}
