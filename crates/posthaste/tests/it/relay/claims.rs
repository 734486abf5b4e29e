//! A relay says when it asks for partitions and what it gets.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use posthaste::Result;
use posthaste::error::{Error, Kind};
use serde_json::Value;
use tracing::level_filters::LevelFilter;

use super::making::destination;
use super::meddled::Meddle;
use super::outbox::{Outbox, until};
use super::receiver::Receiver;
use crate::logs::Log;

/// Grants nothing the first time.
#[derive(Debug, Default)]
struct Hesitant(AtomicUsize);

impl Meddle for Hesitant {
    fn before(&self, call: &str) -> Result<()> {
        match call == "lease" && self.0.fetch_add(1, Ordering::SeqCst) == 0 {
            true => Err(Error::new(Kind::Unavailable, "not yet")),
            false => Ok(()),
        }
    }
}

#[tokio::test]
async fn every_lease_that_is_asked_for_is_told_with_its_answer() -> Result<()> {
    let log = Log::at(LevelFilter::TRACE);
    let outbox = Outbox::in_memory().await.meddled(Arc::<Hesitant>::default());
    let relay = outbox.start(destination("app"), Receiver::new().sink());
    until("it has partitions", || relay.partitions() > 0).await;
    relay.stop().await?;

    let lines = log.take("OUTBOX_CLAIM");
    let phases: Vec<&str> = lines.iter().filter_map(|line| line["phase"].as_str()).collect();
    assert_eq!(phases[..4], ["START", "ERROR", "START", "SUCCESS"]);
    let [asked, failed, _, got] = &lines[..4] else { panic!("four lines") };
    assert_eq!((&asked["worker"], &asked["level"]), (&Value::from("worker"), &Value::from("TRACE")));
    assert!(asked["want"].as_u64().is_some_and(|want| want > 0), "{asked}");
    assert!(failed["level"] == "WARN" && failed["error"].as_str().is_some_and(|e| e.contains("not yet")), "{failed}");
    assert!(got["level"] == "DEBUG" && got["partitions"].as_u64().is_some_and(|count| count > 0), "{got}");
    Ok(())
}
