//! Routes that change a source.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Extension, Path, State};
use axum::http::HeaderMap;
use posthaste::inspect::{Mode, SourceChange};
use serde::Deserialize;
use serde_json::{Value, json};

use super::App;
use super::access::Caller;
use super::changes::{mode, not_found};
use super::problem::Problem;
use super::query;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Rewind {
    to: Option<String>,
    dry_run: Option<bool>,
}

pub async fn pause(app: State<App>, caller: Extension<Caller>, name: Path<String>) -> Result<Json<Value>, Problem> {
    change(&app, &caller, &name, &SourceChange::Pause).await
}

pub async fn resume(app: State<App>, caller: Extension<Caller>, name: Path<String>) -> Result<Json<Value>, Problem> {
    change(&app, &caller, &name, &SourceChange::Resume).await
}

pub async fn rewind(
    app: State<App>,
    caller: Extension<Caller>,
    name: Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Value>, Problem> {
    let Rewind { to, dry_run } = query::body(&headers, &body)?;
    let to = to.ok_or_else(|| Problem::bad_request("`to` is missing: write a position, or \"beginning\""))?;
    let to = app.operator().checkpoint(&name, &to).map_err(|wrong| Problem::bad_request(wrong.0))?;
    if mode(dry_run) == Mode::Apply {
        return change(&app, &caller, &name, &SourceChange::Rewind(to)).await;
    }
    let source = app.operator().source(&name).await.map_err(not_found)?;
    Ok(Json(json!({ "source": &*name, "changed": source.checkpoint != to, "dry_run": true })))
}

async fn change(app: &App, caller: &Caller, name: &str, change: &SourceChange) -> Result<Json<Value>, Problem> {
    let changed = app.operator().change_source(&caller.who, name, change).await.map_err(not_found)?;
    Ok(Json(json!({ "source": name, "changed": changed, "dry_run": false })))
}
