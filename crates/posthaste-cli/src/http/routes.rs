//! Every route: what it is, who may call it, who answers, and what the answer looks like.

use axum::routing::{MethodRouter, delete, get, post};

use self::parameters::{
    AGGREGATE, COMPLETE, COUNT, FAILURES, KEY_LANE, LANE, LINE, PAGE, Parameter, SELECTION, SERIES, SHOW,
};
use super::{
    App, audit, changes, destinations, failures, health, jobs, lanes, live, messages, metrics, openapi, selections,
    session, settle, setup, source_changes, status, workers,
};
pub use crate::config::Role;

pub mod parameters;

/// One route. Paths are axum's and OpenAPI's alike.
pub struct Route {
    pub method: &'static str,
    pub path: &'static str,
    /// `None`: everyone, also without a token.
    pub role: Option<Role>,
    pub summary: &'static str,
    pub query: &'static [Parameter],
    /// The schema of the JSON document that is expected, if any.
    pub body: Option<&'static str>,
    /// The schema of the answer.
    pub answer: &'static str,
    /// Further answers that are no problems: a status and its schema.
    pub also: Option<(&'static str, &'static str)>,
    pub handler: fn() -> MethodRouter<App>,
}

const EVERYONE: Option<Role> = None;
const VIEWER: Option<Role> = Some(Role::Viewer);
const OPERATOR: Option<Role> = Some(Role::Operator);
const SETTLER: Option<Role> = Some(Role::Settler);

#[rustfmt::skip]
pub static ROUTES: &[Route] = &[
    read("/livez", EVERYONE, "Whether the process works", &[], "Alive", || get(health::livez)).or("503", "Alive"),
    read("/readyz", EVERYONE, "Whether the relay keeps up; 503 while it does not, or stops", &[], "Readiness", || get(health::readyz)).or("503", "Readiness"),
    read("/openapi.json", EVERYONE, "This document", &[], "OpenApi", || get(openapi::serve)),
    read("/api/v1/session", EVERYONE, "Who the caller is, by cookie or token", &[], "Session", || get(session::show)),
    Route { role: EVERYONE, ..change("/api/v1/session", "Log in: a token for a cookie, for browsers", Some("Login"), "Session", || post(session::begin)) },
    Route { role: EVERYONE, method: "DELETE", ..change("/api/v1/session", "Log out", None, "Session", || delete(session::end)) },
    read("/api/v1/setup", VIEWER, "The config in force: where the journal is, and how each destination is served", &[], "Setup", || get(setup::show)),
    read("/metrics", VIEWER, "Figures for Prometheus", &[], "Metrics", || get(metrics::serve)),
    read("/api/v1/status", VIEWER, "Destinations, workers, and what needs a person", &[], "Status", || get(status::status)),
    read("/api/v1/now", VIEWER, "The state of now: one sentence, what needs a person, destinations; as old as it says", &[], "Now", || get(live::now)),
    read("/api/v1/stream", VIEWER, "The state of now once a second, as server-sent events", &[], "Stream", || get(live::stream)),
    read("/api/v1/series", VIEWER, "Figures over time, as this process has seen them", SERIES, "Series", || get(live::series)),
    read("/api/v1/failures", VIEWER, "Failures in groups: at the same destination, in the same way", FAILURES, "Failures", || get(failures::find)),
    read("/api/v1/query", VIEWER, "What a query line means, and the command line of it", LINE, "QueryLine", || get(selections::read)),
    read("/api/v1/query/complete", VIEWER, "How a query line can go on", COMPLETE, "Completion", || get(selections::go_on)),
    read("/api/v1/deliveries", VIEWER, "Deliveries, page by page", SELECTION, "Deliveries", || get(messages::list)),
    read("/api/v1/deliveries/count", VIEWER, "How many deliveries match; counts for a moment, and says where to go on", COUNT, "Count", || get(messages::count)),
    read("/api/v1/messages/{id}", VIEWER, "Everything about one message", SHOW, "Message", || get(messages::show)),
    read("/api/v1/messages/{id}/explain", VIEWER, "Why a message is not delivered", &[], "Explained", || get(messages::explain)),
    read("/api/v1/messages/{id}/lane", VIEWER, "A message among those of its key: before, behind, who blocks whom", LANE, "Lane", || get(lanes::of_message)),
    read("/api/v1/keys", VIEWER, "A key: its first message that is not done, or its newest, among the others", KEY_LANE, "Lane", || get(lanes::of_key)),
    read("/api/v1/destinations/{name}", VIEWER, "One destination: how it is, how it is served, how fast it answers", &[], "Destination", || get(destinations::show)),
    read("/api/v1/workers", VIEWER, "Workers and partitions: who holds what, what has moved, what endangers the store", &[], "Workers", || get(workers::list)),
    read("/api/v1/jobs", VIEWER, "Replays and discards of many, the latest first", PAGE, "Jobs", || get(jobs::list)),
    read("/api/v1/jobs/{number}", VIEWER, "One job", &[], "Job", || get(jobs::show)),
    read("/api/v1/history", VIEWER, "The events of one aggregate, in order", AGGREGATE, "History", || get(messages::history)),
    read("/api/v1/audit", VIEWER, "Who changed what", PAGE, "Audit", || get(audit::list)),
    change("/api/v1/jobs", "Replay or discard many deliveries, piece by piece; a dry run unless told otherwise", Some("NewJob"), "JobPreview", || post(jobs::create)).or("201", "Job"),
    change("/api/v1/jobs/{number}/stop", "Stop a job; what it has done stays", None, "Job", || post(jobs::stop)),
    change("/api/v1/replay", "Deliver again; a dry run unless told otherwise", Some("Operation"), "Operated", || post(changes::replay)),
    change("/api/v1/discard", "Discard deliveries: they are never delivered; a dry run unless told otherwise", Some("Operation"), "Operated", || post(changes::discard)),
    Route { role: SETTLER, ..change("/api/v1/deliveries/{message}/{destination}/settle", "Say what became of a message that was handed over (mode = \"callback\")", Some("Settle"), "Settled", || post(settle::settle)) },
    change("/api/v1/destinations/{name}/pause", "Stop all deliveries to a destination, or those of one tenant, until it is resumed", Some("Pause"), "Paused", || post(changes::pause)),
    change("/api/v1/destinations/{name}/resume", "Resume deliveries to a paused destination, or those of a paused tenant", Some("Pause"), "Paused", || post(changes::resume)),
    change("/api/v1/destinations/{name}/try", "What filter and transform do to real messages; nothing is delivered", Some("Try"), "Tried", || post(changes::try_out)),
    read("/api/v1/sources", VIEWER, "Foreign logs that are read into the journal", &[], "Sources", || get(status::sources)),
    change("/api/v1/sources/{source}/pause", "Read no more of a source until it is resumed", None, "SourceChanged", || post(source_changes::pause)),
    change("/api/v1/sources/{source}/resume", "Read a source on that is paused or has stopped", None, "SourceChanged", || post(source_changes::resume)),
    change("/api/v1/sources/{source}/rewind", "Read a source again from a position; a dry run unless told otherwise", Some("Rewind"), "SourceChanged", || post(source_changes::rewind)),
    change("/api/v1/purge", "Remove old delivered messages; a dry run unless told otherwise", Some("Purge"), "Purged", || post(changes::purge)),
];

const fn read(
    path: &'static str,
    role: Option<Role>,
    summary: &'static str,
    query: &'static [Parameter],
    answer: &'static str,
    handler: fn() -> MethodRouter<App>,
) -> Route {
    Route { method: "GET", path, role, summary, query, body: None, answer, also: None, handler }
}

const fn change(
    path: &'static str,
    summary: &'static str,
    body: Option<&'static str>,
    answer: &'static str,
    handler: fn() -> MethodRouter<App>,
) -> Route {
    Route { method: "POST", path, role: OPERATOR, summary, query: &[], body, answer, also: None, handler }
}

impl Route {
    const fn or(self, status: &'static str, answer: &'static str) -> Self {
        Self { also: Some((status, answer)), ..self }
    }
}
