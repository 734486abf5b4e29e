//! Messages and their deliveries.

use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::{Extension, Path, Query as RawQuery, State};
use posthaste::inspect::{Filter, Order, Page, Status};
use posthaste::journal::Position;
use posthaste::message::MessageId;
use serde_json::{Value, json};

use super::App;
use super::access::Caller;
use super::problem::Problem;
use super::query::{Nothing, Pairs, Query};
use crate::config::Role;
use crate::selection::{self, Selection};
use crate::{clock, operator, output};

/// How long one request looks for deliveries that match. Its answer says where to go on.
const PATIENCE: Duration = Duration::from_millis(400);

/// Deliveries that are looked at together when they are counted.
const COUNTED_AT_ONCE: usize = 1_000;

pub async fn list(State(app): State<App>, RawQuery(pairs): Pairs) -> Result<Json<Value>, Problem> {
    let mut query = Query::new(pairs)?;
    let limit = query.take_limit()?;
    let order = query.take("order", order)?.unwrap_or(Order::OldestFirst);
    let beyond = query.take("after", selection::position)?;
    let filter = query.rest::<Selection>()?.filter(clock::now());
    let page = match order {
        Order::OldestFirst => Page::after(beyond.unwrap_or(Position::START), limit),
        Order::NewestFirst => Page::before(beyond.unwrap_or(Position::END), limit),
    };
    let listing = app.operator().list(&filter, page, Some(PATIENCE)).await?;
    Ok(Json(json!({ "deliveries": listing.rows, "next": listing.next.map(|next| next.to_string()) })))
}

fn order(text: &str) -> Result<Order, String> {
    match text {
        "oldest" => Ok(Order::OldestFirst),
        "newest" => Ok(Order::NewestFirst),
        _ => Err("write oldest or newest".into()),
    }
}

/// Counts for a moment. What the overview has counted already is taken from there.
pub async fn count(State(app): State<App>, RawQuery(pairs): Pairs) -> Result<Json<Value>, Problem> {
    let mut query = Query::new(pairs)?;
    let mut after = query.take("after", selection::position)?.unwrap_or(Position::START);
    let filter = query.rest::<Selection>()?.filter(clock::now());
    if after == Position::START
        && let Some(count) = counted(&app, &filter).await?
    {
        return Ok(Json(json!({ "count": count.0, "estimated": count.1, "next": null })));
    }
    let (began, mut count) = (Instant::now(), 0);
    loop {
        let page = Page::after(after, COUNTED_AT_ONCE);
        let listing = app.operator().list(&filter, page, Some(Duration::ZERO)).await?;
        count += listing.rows.len();
        match listing.next {
            Some(next) if began.elapsed() < PATIENCE => after = next,
            next => {
                let next = next.map(|next| next.to_string());
                return Ok(Json(json!({ "count": count, "estimated": false, "next": next })));
            }
        }
    }
}

/// From the overview, if the filter is nothing but statuses that it counts, perhaps at one destination; and whether that is an estimate.
async fn counted(app: &App, filter: &Filter) -> posthaste::Result<Option<(u64, bool)>> {
    let Filter { statuses, destination, .. } = filter;
    let plain = Filter { statuses: statuses.clone(), destination: destination.clone(), ..Filter::default() };
    let uncounted = |status: &Status| matches!(status, Status::Delivered | Status::Discarding | Status::Discarded);
    if plain != *filter || statuses.is_empty() || statuses.iter().any(uncounted) {
        return Ok(None);
    }
    let overview = app.overview().await?;
    let meant = |name: &str| destination.as_ref().is_none_or(|wanted| wanted.as_str() == name);
    let at = || overview.destinations.iter().filter(|counts| meant(&counts.destination));
    let many = statuses.iter().any(|status| matches!(status, Status::Pending | Status::Waiting));
    let count = at().map(|counts| statuses.iter().map(|status| counts.of(*status)).sum::<u64>()).sum();
    Ok(Some((count, many && at().any(|counts| counts.estimated))))
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
    if payload && !caller.role.may(Role::Operator) {
        return Err(Problem::new(403, "payloads may be personal or secret: an operator's token is needed"));
    }
    let (operator, id) = (app.operator(), message_id(&id)?);
    let (report, explanations) = operator.examine(id).await?;
    if payload {
        operator.looked_at_payload(&caller.who, id).await?;
    }
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
    let tenant = query.take_text("tenant")?;
    query.rest::<Nothing>()?;
    let rows = app.operator().history(&kind, &id, tenant.as_deref()).await?;
    Ok(Json(json!({ "deliveries": rows })))
}

pub fn message_id(text: &str) -> Result<MessageId, Problem> {
    selection::message_id(&output::plain::cut(text, 80)).map_err(Problem::bad_request)
}
