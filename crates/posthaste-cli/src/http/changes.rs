//! Routes that change something. Each is a dry run unless its document says `"dry_run": false`.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Extension, Path, State};
use axum::http::HeaderMap;
use posthaste::inspect::{Filter, Mode, Operation};
use posthaste::message::MessageId;
use serde::Deserialize;
use serde_json::{Value, json};

use super::App;
use super::access::Caller;
use super::problem::Problem;
use super::query;
use crate::operator::{OperationAnswer, PauseAnswer, PurgeAnswer};
use crate::selection::{Selection, line};
use crate::{clock, expressions};

/// Deliveries that one request changes at most.
const AT_ONCE: u64 = 1_000;

/// Unknown names are refused: a typing mistake would select more than was meant.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Wanted {
    ids: Vec<MessageId>,
    selection: Selection,
    query: Option<String>,
    dry_run: Option<bool>,
}

/// What is selected; a query line stands for a selection.
pub fn filter_of(query: Option<String>, selection: Selection, ids: Vec<MessageId>) -> Result<Filter, Problem> {
    let selection = match query {
        None => selection,
        Some(line) if selection == Selection::default() => *line::parse(&line).map_err(Problem::bad_request)?,
        Some(_) => return Err(Problem::bad_request("`query` and `selection` are two ways to say the same: give one")),
    };
    let mut filter = selection.filter(clock::now());
    filter.ids.extend(ids);
    Ok(filter)
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Purge {
    older_than: Option<String>,
    dry_run: Option<bool>,
}

pub(super) fn mode(dry_run: Option<bool>) -> Mode {
    if dry_run.unwrap_or(true) { Mode::DryRun } else { Mode::Apply }
}

pub async fn replay(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<OperationAnswer>, Problem> {
    operate(&app, &caller, Operation::Replay, query::body(&headers, &body)?).await
}

pub async fn discard(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<OperationAnswer>, Problem> {
    operate(&app, &caller, Operation::Discard, query::body(&headers, &body)?).await
}

async fn operate(
    app: &App,
    caller: &Caller,
    operation: Operation,
    wanted: Wanted,
) -> Result<Json<OperationAnswer>, Problem> {
    let mode = mode(wanted.dry_run);
    let filter = filter_of(wanted.query, wanted.selection, wanted.ids)?;
    if filter == Filter::default() {
        return Err(Problem::bad_request(
            "say which deliveries: `ids`, or a `query` such as \"status:dead destination:billing\"",
        ));
    }
    if mode == Mode::Apply {
        refuse_many(app, operation, &filter).await?;
    }
    let report = app.operator().operate(&caller.who, operation, &filter, mode).await?;
    Ok(Json(OperationAnswer::new(operation, mode, report)))
}

/// One request never has to last: many deliveries are a job.
async fn refuse_many(app: &App, operation: Operation, filter: &Filter) -> Result<(), Problem> {
    let preview = app.operator().preview(operation, filter).await?;
    if preview.complete && preview.affected <= AT_ONCE {
        return Ok(());
    }
    let text = format!("this is about more than {AT_ONCE} deliveries: make a job of it, with POST /api/v1/jobs");
    Err(Problem::new(409, text))
}

/// Unknown names are refused: all tenants would be paused in place of one.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Paused {
    tenant: Option<String>,
}

pub async fn pause(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Value>, Problem> {
    set_paused(&app, &caller, &name, query::body(&headers, &body)?, true).await
}

pub async fn resume(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Value>, Problem> {
    set_paused(&app, &caller, &name, query::body(&headers, &body)?, false).await
}

async fn set_paused(
    app: &App,
    caller: &Caller,
    name: &str,
    wanted: Paused,
    paused: bool,
) -> Result<Json<Value>, Problem> {
    let (operator, tenant) = (app.operator(), wanted.tenant.as_deref());
    let changed = match tenant {
        Some("") => return Err(Problem::bad_request("`tenant` is empty: name the one that is meant")),
        Some(tenant) => operator.set_tenant_paused(&caller.who, name, tenant, paused).await,
        None => operator.set_paused(&caller.who, name, paused).await,
    };
    Ok(Json(json!(PauseAnswer { destination: name, tenant, paused, changed: changed.map_err(not_found)? })))
}

/// A name that nobody knows is not a bad request.
pub(super) fn not_found(error: anyhow::Error) -> Problem {
    match error.downcast::<crate::exit::Misuse>() {
        Ok(unknown) => Problem::new(404, unknown.0),
        Err(other) => other.into(),
    }
}

/// Unknown names are refused.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct TryOut {
    filter: Option<String>,
    transform: Option<String>,
    limit: Option<usize>,
    selection: Selection,
}

/// Changes nothing, but shows payloads: who looked goes to the audit log.
pub async fn try_out(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(destination): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Value>, Problem> {
    let TryOut { filter, transform, limit, selection } = query::body(&headers, &body)?;
    let limit = limit.unwrap_or(expressions::DEFAULT_LIMIT);
    if !(1..=expressions::MAX_LIMIT).contains(&limit) {
        return Err(Problem::bad_request(format!("`limit`: write a number from 1 to {}", expressions::MAX_LIMIT)));
    }
    let wanted = expressions::Wanted { destination, filter, transform, limit };
    let tried = app.operator().try_out(&caller.who, &wanted, selection.filter(clock::now())).await?;
    Ok(Json(json!({ "messages": tried })))
}

pub async fn purge(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<PurgeAnswer>, Problem> {
    let Purge { older_than, dry_run } = query::body(&headers, &body)?;
    let asked = older_than.map(|text| posthaste::duration::parse(&text)).transpose();
    let operator = app.operator();
    let older_than = operator.purge_age(asked.map_err(|why| Problem::bad_request(format!("`older_than`: {why}")))?)?;
    let answer = match mode(dry_run) {
        Mode::DryRun => PurgeAnswer { messages: operator.purgeable(older_than).await?, removed: 0, dry_run: true },
        Mode::Apply => {
            let removed = operator.purge(&caller.who, older_than, |_| {}).await?;
            PurgeAnswer { messages: removed, removed, dry_run: false }
        }
    };
    Ok(Json(answer))
}
