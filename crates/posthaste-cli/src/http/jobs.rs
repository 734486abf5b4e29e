//! Jobs: replays and discards of many, which workers carry out.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Extension, Path, Query as RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use posthaste::inspect::Operation;
use posthaste::message::MessageId;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::App;
use super::access::Caller;
use super::changes::filter_of;
use super::problem::Problem;
use super::query::{self, Nothing, Pairs, Query};
use crate::operator::{JobAnswer, Preview};
use crate::selection::{Selection, line};

/// Unknown names are refused: a typing mistake would select more than was meant.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Wanted {
    operation: Option<Operation>,
    ids: Vec<MessageId>,
    selection: Selection,
    query: Option<String>,
    dry_run: Option<bool>,
    expected: Option<u64>,
}

#[derive(Serialize)]
struct PreviewAnswer {
    dry_run: bool,
    operation: Operation,
    query: String,
    #[serde(flatten)]
    preview: Preview,
}

pub async fn create(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let wanted: Wanted = query::body(&headers, &body)?;
    let operation =
        wanted.operation.ok_or_else(|| Problem::bad_request("`operation` is missing: write replay or discard"))?;
    let filter = filter_of(wanted.query, wanted.selection, wanted.ids)?;
    if wanted.dry_run.unwrap_or(true) {
        let preview = app.operator().preview(operation, &filter).await?;
        let query = line::write(&Selection::from(&filter));
        return Ok(Json(PreviewAnswer { dry_run: true, operation, query, preview }).into_response());
    }
    let job = app.operator().create_job(&caller.who, operation, &filter, wanted.expected).await?;
    Ok((StatusCode::CREATED, Json(JobAnswer::from(job))).into_response())
}

pub async fn list(State(app): State<App>, RawQuery(pairs): Pairs) -> Result<Json<Value>, Problem> {
    let mut query = Query::new(pairs)?;
    let limit = query.take_limit()?;
    let before = query.take_number("before")?;
    query.rest::<Nothing>()?;
    let jobs = app.operator().jobs(before, limit).await?;
    let next = jobs.last().filter(|_| jobs.len() == limit).map(|job| job.number);
    let jobs: Vec<JobAnswer> = jobs.into_iter().map(JobAnswer::from).collect();
    Ok(Json(json!({ "jobs": jobs, "next": next })))
}

pub async fn show(State(app): State<App>, Path(number): Path<String>) -> Result<Json<JobAnswer>, Problem> {
    Ok(Json(app.operator().job(parse(&number)?).await?.into()))
}

pub async fn stop(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(number): Path<String>,
) -> Result<Json<JobAnswer>, Problem> {
    Ok(Json(app.operator().stop_job(&caller.who, parse(&number)?).await?.into()))
}

fn parse(number: &str) -> Result<u64, Problem> {
    number.parse().map_err(|_| Problem::bad_request("a job has a number: `/api/v1/jobs` lists them"))
}
