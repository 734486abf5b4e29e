//! The query line over HTTP.

use super::client::{OPERATOR, Place, VIEWER};
use serde_json::json;

#[tokio::test]
async fn a_query_line_is_the_selection_of_every_route_that_takes_one() {
    let place = Place::new().await;
    let ids = place.write(3).await;
    let listed = place.ask("GET", "/api/v1/deliveries?query=key:order/1%20status:pending", Some(VIEWER)).await.json();
    assert_eq!((listed["deliveries"].as_array().unwrap().len(), &listed["deliveries"][0]["id"]), (1, &json!(ids[1])));
    let by_filters = place.ask("GET", "/api/v1/deliveries?key=order/1&status=pending", Some(VIEWER)).await.json();
    assert_eq!(listed, by_filters);
    let dry = place.post("/api/v1/replay", r#"{"query": "key:order/1"}"#).await.json();
    assert_eq!((&dry["not_applicable"], &dry["dry_run"]), (&json!(1), &json!(true)));
    for path in [
        "deliveries?query=key:a&status=dead",
        "deliveries?query=colour:red",
        "query?query=key:",
        "deliveries/count?query=x",
    ] {
        assert_eq!(place.ask("GET", &format!("/api/v1/{path}"), Some(VIEWER)).await.status, 400, "{path}");
    }
    let both = r#"{"query": "key:a", "selection": {"key": "b"}}"#;
    assert_eq!(place.post("/api/v1/replay", both).await.status, 400);
}

#[tokio::test]
async fn a_query_line_can_be_copied_as_a_command_and_completed() {
    let place = Place::new().await;
    place.write(1).await;
    let read = place
        .ask("GET", "/api/v1/query?for=replay&query=since:120m%20state:dead%20key:it%27s", Some(VIEWER))
        .await
        .json();
    assert_eq!(read["query"], "status:dead key:it's since:2h");
    assert_eq!(read["command"], r"posthaste replay --query 'status:dead key:it'\''s since:2h'");
    assert_eq!(read["selection"], json!({ "status": ["dead"], "key": "it's", "since": "2h" }));
    let completed = place.ask("GET", "/api/v1/query/complete?query=type:ord", Some(VIEWER)).await.json();
    assert_eq!(completed["candidates"], json!([{ "text": "type:order.paid", "about": "" }]));
}

#[tokio::test]
async fn totals_are_counted_apart_from_lists() {
    let place = Place::new().await;
    place.write(5).await;
    for (query, count) in [
        ("status:pending", 5),
        ("status:pending%20destination:crm", 5),
        ("key:order/1", 1),
        ("", 5),
        ("status:dead", 0),
    ] {
        let counted = place.ask("GET", &format!("/api/v1/deliveries/count?query={query}"), Some(VIEWER)).await.json();
        assert_eq!(counted, json!({ "count": count, "estimated": false, "next": null }), "{query}");
    }
}

#[tokio::test]
async fn the_newest_can_come_first() {
    let place = Place::new().await;
    let mut ids = place.write(5).await;
    let path = "/api/v1/deliveries?order=newest&limit=2";
    let first = place.ask("GET", path, Some(VIEWER)).await.json();
    let next = first["next"].as_str().unwrap();
    let second = place.ask("GET", &format!("{path}&after={next}"), Some(VIEWER)).await.json();
    let rows = [&first, &second].map(|page| page["deliveries"].as_array().unwrap().clone()).concat();
    ids.reverse();
    assert_eq!(rows.iter().map(|row| row["id"].as_str().unwrap()).collect::<Vec<_>>(), ids[..4]);
}

#[tokio::test]
async fn each_look_at_a_payload_is_written_down() {
    let place = Place::new().await;
    let id = place.write(1).await.remove(0);
    place.ask("GET", &format!("/api/v1/messages/{id}"), Some(OPERATOR)).await;
    place.ask("GET", &format!("/api/v1/messages/{id}?payload=true"), Some(VIEWER)).await;
    place.ask("GET", &format!("/api/v1/messages/{id}?payload=true"), Some(OPERATOR)).await;
    let log = place.ask("GET", "/api/v1/audit", Some(VIEWER)).await.json();
    let entries = log["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 1);
    assert_eq!(
        (&entries[0]["who"], &entries[0]["action"], &entries[0]["target"]),
        (&json!("ann"), &json!("payload"), &json!(format!("id:{id}")))
    );
}
