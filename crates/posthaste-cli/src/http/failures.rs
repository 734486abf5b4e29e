//! Failures in groups.

use axum::Json;
use axum::extract::{Query as RawQuery, State};

use super::App;
use super::problem::Problem;
use super::query::{Pairs, Query};
use crate::clock;
use crate::failures::{self, Failures};
use crate::selection::Selection;

pub async fn find(State(app): State<App>, RawQuery(pairs): Pairs) -> Result<Json<Failures>, Problem> {
    let filter = Query::new(pairs)?.rest::<Selection>()?.filter(clock::now());
    Ok(Json(failures::find(&app.operator(), &filter, clock::now()).await?))
}
