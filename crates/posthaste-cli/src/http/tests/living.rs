//! What is shown live.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{Place, VIEWER};
use crate::http::live::recorder::second;
use crate::http::live::series::{Sample, Traffic};

/// Asks for the state of now whenever the recorder has looked, until it is as expected.
async fn eventually(place: &Place, is_so: impl Fn(&Value) -> bool) -> Value {
    let mut looks = place.server.app.looks_for_test();
    loop {
        let answer = place.ask("GET", "/api/v1/now", Some(VIEWER)).await.json();
        if is_so(&answer) {
            return answer;
        }
        let next = tokio::time::timeout(Duration::from_secs(30), looks.changed()).await;
        assert!(next.is_ok(), "did not happen: {answer}");
    }
}

#[tokio::test]
async fn the_state_of_now_follows_the_store() {
    let place = Place::new().await;
    let now = place.ask("GET", "/api/v1/now", Some(VIEWER)).await.json();
    assert_eq!((&now["well"], &now["destinations"][0]["destination"]), (&json!(true), &json!("crm")));
    assert_eq!(now["sentence"], "All is well: everything is delivered");
    place.write(3).await;
    assert_eq!(place.post("/api/v1/destinations/crm/pause", "").await.status, 200);
    let now = eventually(&place, |now| now["problems"].as_array().unwrap().len() == 2).await;
    assert_eq!((&now["problems"][0]["kind"], &now["problems"][1]["kind"]), (&json!("no_worker"), &json!("paused")));
    assert_eq!((&now["problems"][1]["action"], &now["destinations"][0]["pending"]), (&json!("resume"), &json!(3)));
    assert!(now["age_seconds"].as_f64().unwrap() < 30.0);
}

#[tokio::test]
async fn the_sentence_says_since_when_keys_are_blocked() {
    let place = Place::new().await;
    place.write_held(3).await;
    let now = eventually(&place, |now| now["sentence"].as_str().is_some_and(|said| said.contains("blocked"))).await;
    let sentence = now["sentence"].as_str().unwrap();
    assert!(sentence.starts_with("crm: 1 key blocked for "), "{sentence}");
    assert!(sentence.ends_with(", 2 messages wait"), "{sentence}");
}

#[tokio::test]
async fn a_stream_begins_with_the_state_of_now() {
    let place = Place::new().await;
    let events = place.ask("GET", "/api/v1/stream", Some(VIEWER)).await;
    assert_eq!(events.status, 200);
    let event = events.body.lines().find_map(|line| line.strip_prefix("data: ")).expect("an event has data");
    let now: Value = serde_json::from_str(event).expect("it is the document of now");
    assert_eq!(now["destinations"][0]["destination"], "crm");
    assert!(events.body.contains("event: now"), "{}", events.body);
}

#[tokio::test]
async fn however_many_watch_the_store_is_asked_once_a_second() {
    let place = Place::new().await;
    let (began, mut times) = (Instant::now(), std::collections::HashSet::new());
    for _ in 0..50 {
        let now = place.ask("GET", "/api/v1/now", Some(VIEWER)).await.json();
        times.insert(now["at"].as_str().unwrap().to_owned());
    }
    let seconds = began.elapsed().as_secs_f64();
    assert!(times.len() as f64 <= seconds + 2.0, "{} looks at the store in {seconds} seconds", times.len());
}

#[tokio::test]
async fn figures_over_time_come_from_memory() {
    let place = Place::new().await;
    let traffic = Traffic { seconds: 1.0, delivered: 7, ..Traffic::default() };
    place.server.app.record_for_test(second() - 3, "crm", Sample { traffic: Some(traffic), state: None });
    let series = place.ask("GET", "/api/v1/series?destination=crm&window=10m", Some(VIEWER)).await.json();
    assert_eq!((&series["step_seconds"], &series["points"]), (&json!(1), &json!(600)));
    let rates = series["destinations"][0]["delivered_per_second"].as_array().unwrap();
    assert_eq!((rates.len(), rates.iter().filter(|rate| **rate == json!(7.0)).count()), (600, 1));
    for window in ["1h", "24h"] {
        let series = place.ask("GET", &format!("/api/v1/series?window={window}"), Some(VIEWER)).await.json();
        assert_eq!(series["destinations"][0]["destination"], "crm");
    }
    assert_eq!(place.ask("GET", "/api/v1/series?window=1y", Some(VIEWER)).await.status, 400);
}

#[tokio::test]
async fn without_failures_there_are_no_groups() {
    let place = Place::new().await;
    place.write(2).await;
    let failures = place.ask("GET", "/api/v1/failures?destination=crm", Some(VIEWER)).await.json();
    assert_eq!(
        (&failures["groups"], &failures["complete"], &failures["examined"]),
        (&json!([]), &json!(true), &json!(0))
    );
}
