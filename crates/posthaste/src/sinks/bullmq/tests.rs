use serde_json::{Value, json};

use super::encode::Job;
use super::*;
use crate::journal::{Partition, Position};
use crate::message::Message;
use crate::sink::Delivery;

fn settings(more: Value) -> Settings {
    let mut settings = json!({ "url": "redis://:hunter2@localhost" });
    settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    serde_json::from_value(settings).unwrap()
}

fn run(destination: &str, message: Message) -> Run {
    Run::new(destination, Partition::new(0), vec![Delivery::new(message, Position::seq(7))])
}

#[test]
fn what_cannot_be_meant_is_refused_with_a_remedy() {
    let cases = [
        (json!({ "queue": "outbox:payments" }), "queue makes a name that has a `:`"),
        (json!({ "cluster": true }), "prefix has no part in braces"),
        (json!({ "prefix": "" }), "prefix is empty"),
        (json!({ "priority": 2_097_152 }), "priority is more than BullMQ takes"),
        (json!({ "keep_completed": "5s" }), "keep_completed is less than 1m"),
        (json!({ "url": "localhost" }), "url is no address"),
    ];
    for (more, expected) in cases {
        let says = Bullmq::new(settings(more)).unwrap_err().to_string();
        assert!(says.starts_with(expected), "{says}");
        assert!(!says.contains("hunter2"), "{says}");
    }
    assert!(Bullmq::new(settings(json!({ "cluster": true, "prefix": "{bull}" }))).is_ok());
}

#[test]
fn queue_and_job_are_named_by_destination_and_message() {
    let message = Message::builder("payment.completed.v1", "payment", "1").tenant("a:b").build().unwrap();
    let (id, run) = (message.id, run("kafka:payments", message));
    let named = |template: &str| {
        let settings = settings(json!({ "queue": template }));
        let job = Job::of(&settings, &run, &run.deliveries[0]).unwrap();
        (job.queue.to_string(), job.id)
    };
    assert_eq!(named("outbox-{destination}"), ("outbox-kafka-payments".into(), format!("{id}-kafka%3Apayments")));
    assert_eq!(named("outbox-{destination}-{tenant|shared}").0, "outbox-kafka-payments-a%3Ab");
}

#[test]
fn a_job_says_all_about_its_message() {
    let message = Message::builder("payment.completed.v1", "payment", "1")
        .origin("payments-1", "evt-9")
        .tenant("acme")
        .correlation_id("c-1")
        .header("x", "1")
        .header("x", "2")
        .header("y", "3")
        .payload(&b"{\"total\": 1.50}"[..], "application/json");
    let run = run("payments", message.build().unwrap());
    let settings = settings(json!({ "delay": "2s", "priority": 5 }));
    let job = Job::of(&settings, &run, &run.deliveries[0]).unwrap();
    assert!(job.data.contains(r#""payload":{"total": 1.50}"#), "as it was written: {}", job.data);
    let data: Value = serde_json::from_str(&job.data).unwrap();
    let expected = json!({ "outboxId": run.deliveries[0].message.id, "eventType": "payment.completed.v1", "tenantId": "acme",
        "correlationId": "c-1", "sourceEventId": "evt-9", "headers": { "x": ["1", "2"], "y": "3" }, "position": "7", "attempt": 1 });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&data[name], value, "{name}");
    }
    let options: Value = serde_json::from_str(&job.options).unwrap();
    let kept = json!({ "jobId": job.id, "attempts": 1, "delay": 2000, "priority": 5,
        "removeOnComplete": { "age": 86400 }, "removeOnFail": { "age": 604_800 } });
    assert_eq!(options, kept);
}

#[test]
fn a_payload_may_stay_at_home_and_one_that_is_too_large_has_to() {
    let message = Message::builder("a.b", "a", "1").payload(vec![0xff; 100], "image/png").build().unwrap();
    let run = run("a", message);
    let job = |more: Value| {
        let settings = settings(more);
        Job::of(&settings, &run, &run.deliveries[0]).map(|job| serde_json::from_str::<Value>(&job.data).unwrap())
    };
    assert_eq!(job(json!({})).unwrap()["payloadEncoding"], "base64");
    assert_eq!(job(json!({ "payload": "none", "max_message_bytes": 10 })).unwrap().get("payload"), None);
    let error = job(json!({ "max_message_bytes": 10 })).unwrap_err();
    assert!(error.text().contains("payload = \"none\""), "{error}");
}

#[test]
fn every_attempt_after_a_known_failure_is_another_run_of_the_job() {
    let mut run = run("a", Message::builder("a.b", "a", "1").build().unwrap());
    let settings = settings(json!({}));
    let number = |run: &Run| Job::of(&settings, run, &run.deliveries[0]).unwrap().number;
    assert_eq!(number(&run), 1);
    run.deliveries[0].progress = Some(Job::of(&settings, &run, &run.deliveries[0]).unwrap().progress());
    assert_eq!(number(&run), 2);
}

#[test]
fn no_password_is_shown() {
    let settings = settings(json!({}));
    let shown = format!("{settings:?} {:?}", Bullmq::new(settings.clone()).unwrap());
    assert!(shown.contains("localhost") && !shown.contains("hunter2"), "{shown}");
}
