//! Jobs, lanes, destinations and workers over HTTP.

use serde_json::{Value, json};

use super::client::{Place, VIEWER};

#[tokio::test]
async fn a_job_begins_as_a_dry_run_and_is_carried_out_by_whoever_works() {
    let place = Place::new().await;
    place.write_dead(4, "answered 503: request 17").await;
    let dry = place.post("/api/v1/jobs", r#"{"operation": "replay", "query": "status:dead destination:crm"}"#).await;
    let dry = dry.json();
    assert_eq!((&dry["affected"], &dry["keys"], &dry["complete"]), (&json!(4), &json!(4), &json!(true)));
    assert_eq!(place.ask("GET", "/api/v1/jobs", Some(VIEWER)).await.json()["jobs"], json!([]), "nothing was begun");
    let body = r#"{"operation": "replay", "query": "status:dead", "dry_run": false, "expected": 4}"#;
    let answer = place.post("/api/v1/jobs", body).await;
    assert_eq!((answer.status, &answer.json()["state"]), (201, &json!("waiting")));
    let path = format!("/api/v1/jobs/{}", answer.json()["id"]);
    place.work().await;
    let done = place.ask("GET", &path, Some(VIEWER)).await.json();
    assert_eq!((&done["state"], &done["affected"], &done["expected"]), (&json!("done"), &json!(4), &json!(4)));
    let stopped = place.post(&format!("{path}/stop"), "").await.json();
    assert_eq!(stopped["state"], "done", "it is too late to stop it");
    let log = place.ask("GET", "/api/v1/audit", Some(VIEWER)).await.json();
    let actions: Vec<&Value> = log["entries"].as_array().unwrap().iter().map(|entry| &entry["action"]).collect();
    assert_eq!(actions, ["replay", "job"]);
}

#[tokio::test]
async fn what_a_job_needs_is_asked_for() {
    let place = Place::new().await;
    for body in [
        "{}",
        r#"{"operation": "replay"}"#,
        r#"{"operation": "resend", "query": "status:dead"}"#,
        r#"{"operation": "replay", "query": "x"}"#,
    ] {
        assert_eq!(place.post("/api/v1/jobs", body).await.status, 400, "{body}");
    }
    for (path, status) in [("jobs/1", 404), ("jobs/one", 400)] {
        assert_eq!(place.ask("GET", &format!("/api/v1/{path}"), Some(VIEWER)).await.status, status, "{path}");
    }
    assert_eq!(place.post("/api/v1/jobs/7/stop", "").await.status, 404);
}

#[tokio::test]
async fn failures_are_grouped_and_a_group_can_be_acted_on() {
    let place = Place::new().await;
    place.write_dead(3, "answered 503: request 17 failed").await;
    let failures = place.ask("GET", "/api/v1/failures", Some(VIEWER)).await.json();
    let group = &failures["groups"][0];
    assert_eq!(
        (&group["error"], &group["count"], &group["keys"]),
        (&json!("answered 503: request * failed"), &json!(3), &json!(3))
    );
    let body = json!({ "operation": "discard", "query": group["query"] }).to_string();
    assert_eq!(place.post("/api/v1/jobs", &body).await.json()["affected"], 3);
}

#[tokio::test]
async fn what_was_discarded_has_a_way_back() {
    let place = Place::new().await;
    let ids = place.write_dead(1, "no").await;
    let body = format!(r#"{{"query": "status:dead id:{}", "dry_run": false}}"#, ids[0]);
    assert_eq!(place.post("/api/v1/discard", &body).await.json()["affected"], 1);
    let log = place.ask("GET", "/api/v1/audit", Some(VIEWER)).await.json();
    let undo = &log["entries"][0]["undo"];
    assert_eq!(
        (&undo["action"], &undo["query"]),
        (&json!("replay"), &json!(format!("status:discarded id:{}", ids[0])))
    );
}

#[tokio::test]
async fn a_key_is_drawn_as_a_lane() {
    let place = Place::new().await;
    let ids = place.write_held(3).await;
    let lane = place.ask("GET", &format!("/api/v1/messages/{}/lane", ids[1]), Some(VIEWER)).await.json();
    assert_eq!(
        (&lane["held"], &lane["blocked_by"]["id"], &lane["this"]["id"]),
        (&json!(true), &json!(ids[0]), &json!(ids[1]))
    );
    let shown = |rows: &Value| {
        rows.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!((shown(&lane["before"]), shown(&lane["behind"])), (ids[..1].to_vec(), ids[2..].to_vec()));
    assert_eq!(lane["if_discarded"]["follow"], 2);
    let head = place.ask("GET", "/api/v1/keys?key=order/7", Some(VIEWER)).await.json();
    assert_eq!((&head["this"]["id"], &head["blocked_by"]["status"]), (&json!(ids[0]), &json!("dead")));
    assert_eq!(place.ask("GET", "/api/v1/keys?key=nobody", Some(VIEWER)).await.status, 404);
}

#[tokio::test]
async fn destinations_and_workers_say_how_they_are() {
    let place = Place::new().await;
    place.write_dead(1, "no").await;
    let crm = place.ask("GET", "/api/v1/destinations/crm", Some(VIEWER)).await.json();
    assert_eq!(
        (&crm["counts"]["dead"], &crm["served"]["route"], &crm["breaker"]["state"]),
        (&json!(1), &json!(["*"]), &json!("closed"))
    );
    assert_eq!(place.ask("GET", "/api/v1/destinations/nobody", Some(VIEWER)).await.status, 404);
    let workers = place.ask("GET", "/api/v1/workers", Some(VIEWER)).await.json();
    let partitions = workers["partitions"].as_array().unwrap();
    assert_eq!((partitions.len(), &partitions[0]["worker"], &partitions[0]["epoch"]), (64, &json!("test"), &json!(1)));
    assert_eq!(workers["dangers"][0]["name"], "wal_bytes");
}
