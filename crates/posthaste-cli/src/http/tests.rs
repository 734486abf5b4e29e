//! The routes, from their own list: who may call what, and whether the document says so.

use serde_json::Value;

use self::client::{OPERATOR, Place, SETTLER, VIEWER};
use super::routes::Role;
use super::*;

mod client;
mod hostile;
mod jobs;
mod living;
mod pages;
mod selecting;
mod sessions;
mod settling;
mod valid;

#[test]
fn the_openapi_document_has_every_route_and_no_other() {
    let document = openapi::document();
    let mut documented: Vec<(String, String)> = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            documented.push((method.to_uppercase(), path.clone()));
        }
    }
    let mut routed: Vec<(String, String)> =
        routes::ROUTES.iter().map(|route| (route.method.to_owned(), route.path.to_owned())).collect();
    documented.sort();
    routed.sort();
    assert_eq!(documented, routed);
    for route in routes::ROUTES {
        let operation = &document["paths"][route.path][route.method.to_lowercase()];
        assert_eq!(operation["security"].as_array().unwrap().is_empty(), route.role.is_none(), "{}", route.path);
        for schema in route.body.into_iter().chain([route.answer]).chain(route.also.map(|(_, schema)| schema)) {
            assert!(document["components"]["schemas"].get(schema).is_some(), "{schema}");
        }
    }
}

#[test]
fn every_route_that_changes_something_is_for_operators() {
    for route in routes::ROUTES {
        // Logging in and out changes nothing but one's own browser.
        let changes = route.method != "GET" && route.path != "/api/v1/session";
        let answers = route.path.ends_with("/settle");
        let needs = if answers { Role::Settler } else { Role::Operator };
        assert_eq!(route.role == Some(needs), changes, "{} {}", route.method, route.path);
    }
}

/// A path with something in the place of its parameters.
fn concrete(path: &str) -> String {
    let id = "01890a5d-ac96-774b-bcce-b302099a8057";
    let path = path.replace("{id}", id).replace("{message}", id).replace("{destination}", "nobody");
    path.replace("{name}", "nobody").replace("{number}", "1")
}

#[tokio::test]
async fn every_route_asks_for_the_role_that_its_list_says() {
    let place = Place::new().await;
    for route in routes::ROUTES {
        for (token, has) in [
            (None, None),
            (Some("wrong-token-0123456789"), None),
            (Some(VIEWER), Some(Role::Viewer)),
            (Some(OPERATOR), Some(Role::Operator)),
            (Some(SETTLER), Some(Role::Settler)),
        ] {
            let answer = place.ask(route.method, &concrete(route.path), token).await;
            let (path, status) = (route.path, answer.status);
            match (route.role, has) {
                (Some(_), None) => assert_eq!(status, 401, "{path} without a good token"),
                (Some(needs), Some(has)) if !has.may(needs) => assert_eq!(status, 403, "{path} as {has:?}"),
                _ => assert!(
                    ![401, 403, 404, 405].contains(&status) || path.contains('{'),
                    "{path} as {has:?}: {status}"
                ),
            }
            assert!(status < 400 || status == 503 || answer.is_problem(), "{path}: {}", answer.body);
        }
    }
}

#[tokio::test]
async fn without_tokens_whoever_reaches_loopback_is_an_operator() {
    let place = Place::with("").await;
    assert_eq!(place.ask("GET", "/api/v1/status", None).await.status, 200);
    assert_eq!(place.ask("POST", "/api/v1/destinations/crm/pause", None).await.status, 200);
}

#[tokio::test]
async fn a_page_of_someone_else_gets_no_answer() {
    let place = Place::with("hosts = ['relay.internal']").await;
    let ours = place.server.address.to_string();
    let origin = format!("http://{ours}");
    let cases: [(&[(&str, &str)], u16); 7] = [
        (&[("host", "evil.example")], 421),
        (&[("host", "evil.example"), ("origin", "http://evil.example")], 421),
        (&[("host", &ours), ("origin", "http://evil.example")], 403),
        (&[("host", &ours), ("origin", "null")], 403),
        (&[("host", &ours), ("origin", &origin)], 200),
        (&[("host", "relay.internal:7700")], 200),
        (&[("host", "localhost")], 200),
    ];
    for (headers, status) in cases {
        assert_eq!(place.send("GET", "/api/v1/status", headers, "").await.status, status, "{headers:?}");
    }
    let form = [("content-type", "application/x-www-form-urlencoded")];
    assert_eq!(place.send("POST", "/api/v1/replay", &form, "ids=1").await.status, 415);
}

#[tokio::test]
async fn what_is_not_understood_is_refused_and_changes_nothing() {
    let place = Place::new().await;
    let wrong = [
        ("/api/v1/discard", "{}", 400),
        ("/api/v1/discard", r#"{"destnation": "crm", "dry_run": false}"#, 400),
        ("/api/v1/discard", r#"{"selection": {"destnation": "crm"}, "dry_run": false}"#, 400),
        ("/api/v1/discard", r#"{"selection": {"status": ["dad"]}}"#, 400),
        ("/api/v1/replay", "not json", 400),
        ("/api/v1/discard", r#"{"selection": {"status": ["dead"], "destination": null}, "dry_run": false}"#, 400),
        ("/api/v1/purge", "[null, null]", 400),
        ("/api/v1/purge", r#"{"older_than": null}"#, 400),
        ("/api/v1/purge", r#"{"older_than": "soon"}"#, 400),
        ("/api/v1/destinations/nobody/pause", "", 404),
    ];
    for (path, body, status) in wrong {
        let answer = place.post(path, body).await;
        assert_eq!(answer.status, status, "{body}: {}", answer.body);
        assert!(answer.is_problem(), "{}", answer.body);
    }
    for path in [
        "deliveries?destnation=crm",
        "deliveries?limit=0",
        "deliveries?key=a&key=b",
        "deliveries?since=then",
        "history",
        "messages/1",
    ] {
        let answer = place.ask("GET", &format!("/api/v1/{path}"), Some(VIEWER)).await;
        assert_eq!(answer.status, 400, "{path}: {}", answer.body);
    }
    assert_eq!(place.ask("GET", "/api/v1/audit", Some(VIEWER)).await.json()["entries"], serde_json::json!([]));
}

#[tokio::test]
async fn a_change_is_a_dry_run_unless_told_otherwise_and_goes_to_the_audit_log() {
    let place = Place::new().await;
    let dry = place.post("/api/v1/replay", r#"{"selection": {"status": "dead,retrying"}}"#).await.json();
    assert_eq!((&dry["dry_run"], &dry["affected"]), (&true.into(), &0.into()));
    let before = place.post("/api/v1/replay", r#"{"selection": {"state": ["dead"]}}"#).await.json();
    assert_eq!(before["dry_run"], true, "the name that `status` had before is understood");
    assert_eq!(place.post("/api/v1/purge", "").await.json()["dry_run"], true);
    for (path, body) in [
        ("replay", r#"{"selection": {"status": ["dead"], "destination": "crm"}, "dry_run": false}"#),
        ("destinations/crm/pause", ""),
        ("destinations/crm/pause", ""),
        ("destinations/crm/pause", r#"{"tenant": "acme"}"#),
        ("purge", r#"{"older_than": "30d", "dry_run": false}"#),
    ] {
        assert_eq!(place.post(&format!("/api/v1/{path}"), body).await.status, 200, "{path}");
    }
    let log = place.ask("GET", "/api/v1/audit", Some(VIEWER)).await.json();
    let said: Vec<String> = log["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| format!("{} {} {} {}", entry["who"], entry["action"], entry["affected"], entry["target"]))
        .collect();
    let expected = [
        r#""ann" "purge" 0 "delivered messages older than 30d""#,
        r#""ann" "pause tenant" 1 "acme at crm""#,
        r#""ann" "pause" 1 "crm""#,
        r#""ann" "replay" 0 "status:dead destination:crm""#,
    ];
    assert_eq!(said, expected);
}

#[tokio::test]
async fn a_relay_that_stops_is_not_ready() {
    let place = Place::new().await;
    let ready = place.ask("GET", "/readyz", None).await;
    assert_eq!((ready.status, &ready.json()["destinations"][0]["destination"]), (200, &"crm".into()));
    assert_eq!(place.ask("GET", "/livez", None).await.status, 200);
    place.server.app.stopping();
    let answer = place.ask("GET", "/readyz", None).await;
    assert_eq!((answer.status, &answer.json()["reasons"][0]), (503, &"the relay stops".into()));
}

#[tokio::test]
async fn a_backlog_beyond_its_threshold_is_not_ready_and_says_whose_it_is() {
    let place = Place::new().await;
    place.write(2).await;
    let answer = place.ask("GET", "/readyz", None).await;
    assert_eq!((answer.status, &answer.json()["reasons"][0]), (503, &"crm has 2 pending messages".into()));
    assert_eq!(answer.json()["destinations"][0]["pending"], 2);
}

/// Asks for page after page until there is no next one.
async fn pages(place: &Place, path: &str, rows: &str, next: &str) -> Vec<Vec<Value>> {
    let (mut pages, mut from) = (Vec::new(), String::new());
    loop {
        let page = place.ask("GET", &format!("/api/v1/{path}?limit=2{from}"), Some(VIEWER)).await.json();
        pages.push(page[rows].as_array().unwrap().clone());
        match &page["next"] {
            Value::Null => return pages,
            Value::String(text) => from = format!("&{next}={text}"),
            number => from = format!("&{next}={number}"),
        }
    }
}

#[tokio::test]
async fn long_lists_come_in_pages_that_add_up() {
    let place = Place::new().await;
    let written = place.write(5).await;
    let listed = pages(&place, "deliveries", "deliveries", "after").await;
    assert_eq!(listed.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 1]);
    assert_eq!(listed.concat().iter().map(|row| row["id"].as_str().unwrap()).collect::<Vec<_>>(), written);

    for change in ["pause", "resume", "pause"] {
        assert_eq!(place.post(&format!("/api/v1/destinations/crm/{change}"), "").await.status, 200);
    }
    let entries = pages(&place, "audit", "entries", "before").await.concat();
    let actions: Vec<_> = entries.iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["pause", "resume", "pause"], "the latest first, none twice");
}

#[tokio::test]
async fn payloads_are_for_operators() {
    let place = Place::new().await;
    let id = place.write(1).await.remove(0);
    let (plain, with_payload) = (format!("/api/v1/messages/{id}"), format!("/api/v1/messages/{id}?payload=true"));
    assert!(!place.ask("GET", &plain, Some(OPERATOR)).await.body.contains(r#"{"n":0}"#), "unless they are asked for");
    assert_eq!(place.ask("GET", &with_payload, Some(VIEWER)).await.status, 403);
    let shown = place.ask("GET", &with_payload, Some(OPERATOR)).await;
    assert!(shown.body.contains(r#"{"n":0}"#) || shown.body.contains(r#"{\"n\":0}"#), "{}", shown.body);
}

#[cfg(feature = "jq")]
#[tokio::test]
async fn expressions_are_tried_by_operators_and_that_is_on_record() {
    let place = Place::new().await;
    place.write(3).await;
    let path = "/api/v1/destinations/crm/try";
    assert_eq!(place.ask("POST", path, Some(VIEWER)).await.status, 403);
    let wanted = r#"{"filter":".payload.n > 1","transform":".payload = {m: .payload.n}","limit":2}"#;
    let tried = place.post(path, wanted).await;
    assert_eq!(tried.status, 200, "{}", tried.body);
    let messages = &tried.json()["messages"];
    assert_eq!((messages.as_array().unwrap().len(), &messages[1]["outcome"]), (2, &"filtered_out".into()));
    assert_eq!((&messages[0]["before"]["payload"]["n"], &messages[0]["after"]["payload"]["m"]), (&2.into(), &2.into()));
    for (body, status) in
        [(r#"{"filter":".a |"}"#, 400), (r#"{"limit":0}"#, 400), (r#"{"filtre":"."}"#, 400), ("", 200)]
    {
        assert_eq!(place.post(path, body).await.status, status, "{body}");
    }
    let audit = place.ask("GET", "/api/v1/audit", Some(VIEWER)).await.json();
    let last = &audit["entries"][1];
    assert_eq!(
        (&last["who"], &last["action"], &last["target"]),
        (&"ann".into(), &"try".into(), &"destination:crm".into())
    );
}

#[tokio::test]
async fn unknown_routes_and_methods_are_problems_too() {
    let place = Place::new().await;
    for (method, path, status) in
        [("GET", "/nothing", 404), ("GET", "/api/v1/nothing", 404), ("DELETE", "/metrics", 405)]
    {
        let answer = place.ask(method, path, Some(OPERATOR)).await;
        assert_eq!(answer.status, status, "{method} {path}");
        assert!(answer.is_problem());
    }
}
