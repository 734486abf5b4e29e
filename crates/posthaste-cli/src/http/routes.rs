//! Every route: what it is, who may call it, who answers.

use axum::routing::{MethodRouter, get, post};

use super::{App, answers, changes, health, metrics, openapi};
pub use crate::config::Role;

/// One route. Paths are axum's and OpenAPI's alike.
pub struct Route {
    pub method: &'static str,
    pub path: &'static str,
    /// `None`: everyone, also without a token.
    pub role: Option<Role>,
    pub summary: &'static str,
    /// Query parameters, with what they mean.
    pub query: &'static [(&'static str, &'static str)],
    /// Whether a JSON document of this name is expected.
    pub body: Option<&'static str>,
    pub handler: fn() -> MethodRouter<App>,
}

const VIEWER: Option<Role> = Some(Role::Viewer);
const OPERATOR: Option<Role> = Some(Role::Operator);

/// The filters of a list.
const SELECTION: &[(&str, &str)] = &[
    ("status", "Only with one of these statuses, separated by commas"),
    ("destination", "Only to this destination"),
    ("event_type", "Only of this event type; `*` stands for any text"),
    ("key", "Only with this key"),
    ("aggregate", "Only of this aggregate (TYPE/ID), or of all of a type (TYPE)"),
    ("tenant", "Only of this tenant"),
    ("since", "Only what occurred at this time or later: 2h (ago), 2026-11-02T03:04Z"),
    ("before", "Only what occurred before this time"),
    ("after", "Only what comes after this position; `next` of the page before"),
    ("limit", "How many at most, 1 to 1000"),
];

const PAGE: &[(&str, &str)] =
    &[("before", "Only entries before this number"), ("limit", "How many at most, 1 to 1000, the latest first")];

#[rustfmt::skip]
pub static ROUTES: [Route; 15] = [
    route("GET", "/livez", None, "Whether the process works", &[], None, || get(health::livez)),
    route("GET", "/readyz", None, "Whether the relay keeps up; 503 while it does not, or stops", &[], None, || get(health::readyz)),
    route("GET", "/openapi.json", None, "This document", &[], None, || get(openapi::serve)),
    route("GET", "/metrics", VIEWER, "Figures for Prometheus", &[], None, || get(metrics::serve)),
    route("GET", "/api/v1/status", VIEWER, "Destinations, workers, and what needs a person", &[], None, || get(answers::status)),
    route("GET", "/api/v1/deliveries", VIEWER, "Deliveries, page by page", SELECTION, None, || get(answers::list)),
    route("GET", "/api/v1/messages/{id}", VIEWER, "Everything about one message",
        &[("payload", "`true` shows payload and header values too, to operators only")], None, || get(answers::show)),
    route("GET", "/api/v1/messages/{id}/explain", VIEWER, "Why a message is not delivered", &[], None, || get(answers::explain)),
    route("GET", "/api/v1/history", VIEWER, "The events of one aggregate, in order",
        &[("aggregate", "TYPE/ID"), ("tenant", "Only of this tenant")], None, || get(answers::history)),
    route("GET", "/api/v1/audit", VIEWER, "Who changed what", PAGE, None, || get(answers::audit)),
    route("POST", "/api/v1/replay", OPERATOR, "Deliver again; a dry run unless told otherwise", &[], Some("Operation"), || post(changes::replay)),
    route("POST", "/api/v1/discard", OPERATOR, "Discard deliveries: they are never delivered; a dry run unless told otherwise", &[], Some("Operation"), || post(changes::discard)),
    route("POST", "/api/v1/destinations/{name}/pause", OPERATOR, "Stop all deliveries to a destination until it is resumed", &[], None, || post(changes::pause)),
    route("POST", "/api/v1/destinations/{name}/resume", OPERATOR, "Resume deliveries to a paused destination", &[], None, || post(changes::resume)),
    route("POST", "/api/v1/purge", OPERATOR, "Remove old delivered messages; a dry run unless told otherwise", &[], Some("Purge"), || post(changes::purge)),
];

const fn route(
    method: &'static str,
    path: &'static str,
    role: Option<Role>,
    summary: &'static str,
    query: &'static [(&'static str, &'static str)],
    body: Option<&'static str>,
    handler: fn() -> MethodRouter<App>,
) -> Route {
    Route { method, path, role, summary, query, body, handler }
}
