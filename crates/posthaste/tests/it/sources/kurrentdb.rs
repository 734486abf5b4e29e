//! EventStoreDB and KurrentDB, by the stand-in of the conformance kit.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use posthaste::conformance::kurrentdb::StandIn;
use posthaste::conformance::sink_suite::Impossible;
use posthaste::conformance::source_suite::SourceUnderTest;
use posthaste::source::{Checkpoint, Event, Reading, Settled, Source};
use posthaste::sources::kurrentdb::{Filter, KurrentDb, Persistent, Settings};

mod behind_a_relay;
#[cfg(all(feature = "kafka", feature = "postgres", feature = "webhook"))]
mod payments;
mod secured;
mod slow_journal;

posthaste::source_suite!(fresh);

const PATIENCE: Duration = Duration::from_secs(30);

struct Filtered {
    server: StandIn,
    source: Arc<KurrentDb>,
}

async fn fresh() -> Filtered {
    let server = StandIn::single().await;
    Filtered { source: Arc::new(source(&server)), server }
}

fn source(server: &StandIn) -> KurrentDb {
    let string = server.connection_string().replacen("esdb://", "esdb://ann:s3cret-canary@", 1);
    let mut settings = Settings::new(string);
    settings.filter = Filter { event_type_prefix: vec!["account.".into()], ..Filter::default() };
    settings.checkpoint_every = 10;
    KurrentDb::new(settings).expect("the settings are right")
}

#[async_trait]
impl SourceUnderTest for Filtered {
    fn source(&self) -> Arc<dyn Source> {
        self.source.clone()
    }

    async fn append(&self, stream: &str, text: &str) -> String {
        self.server.append(stream, "account.changed", format!("{{\"text\":\"{text}\"}}"), "").to_string()
    }

    async fn append_foreign(&self) -> Result<(), Impossible> {
        self.server.append("order-1", "order.created", "{}", "");
        Ok(())
    }

    fn has_checkpoints(&self) -> Result<(), Impossible> {
        Ok(())
    }

    fn secret(&self) -> Result<String, Impossible> {
        Ok("s3cret-canary".into())
    }

    async fn stop(&self) -> Result<(), Impossible> {
        self.server.kill_leader().await;
        Ok(())
    }

    async fn start(&self) {
        self.server.revive(0).await;
    }

    async fn stall(&self) -> Result<(), Impossible> {
        self.server.silence_leader().await;
        Ok(())
    }
}

async fn events(reading: &mut Box<dyn Reading>, count: usize) -> Vec<Event> {
    let mut events = Vec::new();
    while events.len() < count {
        let batch = tokio::time::timeout(PATIENCE, reading.next(100)).await.expect("something comes");
        events.extend(batch.expect("the server is there").events);
    }
    events
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_leader_is_found_after_the_old_one_died() {
    let server = StandIn::cluster().await;
    let source = source(&server);
    server.append("account-1", "account.changed", "{}", "");
    let mut reading = source.read_after(None).await.expect("there is a leader");
    let first = events(&mut reading, 1).await;
    server.kill_leader().await;
    while tokio::time::timeout(PATIENCE, reading.next(10)).await.expect("it ends").is_ok() {}
    let second = server.append("account-1", "account.changed", "{}", "");
    let mut reading = source.read_after(Some(&first[0].checkpoint)).await.expect("there is a new leader");
    assert_eq!(events(&mut reading, 1).await[0].id, second.to_string());
}

/// The gossip of a moment ago may be wrong by now.
#[tokio::test(flavor = "multi_thread")]
async fn a_follower_that_names_the_leader_sends_us_there_at_once() {
    let server = StandIn::cluster().await;
    let first = server.connection_string().split(',').next().expect("a host").to_owned();
    let source = KurrentDb::new(Settings::new(format!("{first}?tls=false"))).expect("the settings are right");
    server.append("account-1", "account.changed", "{}", "");
    server.elect(2);
    let refused = source.read_after(None).await.expect_err("it is no leader");
    assert_eq!(refused.pause(), Some(Duration::ZERO), "{refused}");
    let mut reading = source.read_after(None).await.expect("the leader was named");
    assert_eq!(events(&mut reading, 1).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_says_is_told_for_a_person() {
    let server = StandIn::single().await;
    let source = source(&server);
    for (status, wanted) in [
        (tonic::Status::unavailable("Server Is Not Ready"), "not ready"),
        (tonic::Status::unknown("Leader info unavailable"), "no leader"),
        (tonic::Status::failed_precondition("Event stream 'a' is deleted."), "deleted"),
        (tonic::Status::deadline_exceeded("too late"), "too long"),
        (tonic::Status::permission_denied("Access Denied"), "connection_string"),
    ] {
        server.refuse(Some(status));
        let error = source.read_after(None).await.expect_err("it is refused").to_string();
        assert!(error.contains(wanted) && !error.contains("s3cret"), "{error}");
    }
    server.refuse(None);
    assert!(source.read_after(None).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_is_followed_and_one_to_nothing_is_passed_over() {
    let server = StandIn::single().await;
    let id = server.append("order-1", "order.created", "{\"n\":1}", "");
    server.link("by-category-order", "order-1", 0);
    server.link("by-category-order", "order-1", 99);
    let last = server.append("by-category-order", "order.closed", "{}", "");
    let mut settings = Settings::new(server.connection_string());
    settings.filter = Filter { stream_prefix: vec!["by-category-".into()], ..Filter::default() };
    let source = KurrentDb::new(settings).expect("the settings are right");
    let mut reading = source.read_after(None).await.expect("the server is there");
    let read = events(&mut reading, 2).await;
    assert_eq!([&*read[0].id, &*read[1].id], [id.to_string(), last.to_string()]);
    assert_eq!((read[0].stream.as_str(), read[0].event_type.as_str()), ("order-1", "order.created"));
    let mut again = source.read_after(Some(&read[0].checkpoint)).await.expect("the server is there");
    assert_eq!(events(&mut again, 1).await[0].id, last.to_string(), "the place is that of the link");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_persistent_subscription_is_told_what_became_of_events_and_sends_the_others_again() {
    let server = StandIn::single().await;
    server.create_group(Some("account-1"), "posthaste");
    let ids: Vec<_> = (0..4).map(|_| server.append("account-1", "account.changed", "{}", "").to_string()).collect();
    let mut settings = Settings::new(server.connection_string());
    settings.subscription = Some(Persistent::new("posthaste").stream("account-1"));
    let source = KurrentDb::new(settings).expect("the settings are right");
    let mut reading = source.read_after(None).await.expect("the group is there");
    assert!(reading.wants_settled());
    let read = events(&mut reading, 4).await;
    let settled = [(read[0].clone(), Settled::Done), (read[1].clone(), Settled::Refused)];
    reading.settled(&settled).await.expect("it is heard");
    let parked = || server.group(Some("account-1"), "posthaste");
    posthaste::testkit::waiting::until("both are settled", || parked() == (1, vec![ids[1].parse().unwrap()])).await;
    drop(reading);
    let mut again = source.read_after(None).await.expect("the group is there");
    let rest: Vec<_> = events(&mut again, 2).await.iter().map(|event| event.id.to_string()).collect();
    assert_eq!(rest, ids[2..]);
    assert!(source.parse("7/7").is_err(), "its position is the server's");
}

#[test]
fn a_position_is_understood_as_people_write_it() {
    let source = KurrentDb::new(Settings::new("esdb://a?tls=false")).expect("the settings are right");
    assert_eq!(source.parse("C:537/P:537"), Checkpoint::new("537/537"));
    assert!(source.parse("tomorrow").is_err_and(|wrong| wrong.contains("537/537")));
    let wrong = KurrentDb::new(Settings::new("http://ann:s3cret@a")).expect_err("no such scheme");
    assert!(wrong.setting == "connection_string" && !wrong.to_string().contains("s3cret"), "{wrong}");
}
