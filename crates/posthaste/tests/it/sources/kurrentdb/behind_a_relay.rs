//! From the log into the journal, while leaders and relays die.

use std::sync::Arc;
use std::time::Duration;

use posthaste::conformance::kurrentdb::StandIn;
use posthaste::inspect::{Filter as Wanted, Inspect, Page, SourceChange, SourceStatus};
use posthaste::journal::{Position, SourceState};
use posthaste::relay::Settings as Worker;
use posthaste::source::{Event, Feed, Mapper, OnError, Unmappable};
use posthaste::stores::memory::Memory;
use posthaste::testkit::waiting::eventually;
use posthaste::{Message, Relay, Result};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Takes every event as it is.
#[derive(Debug)]
struct AsItIs;

impl Mapper for AsItIs {
    fn map(&self, event: &Event) -> std::result::Result<Vec<Message>, Unmappable> {
        if event.data.as_ref() == b"broken" {
            return Err(Unmappable::new("it is broken"));
        }
        let message = Message::builder(event.event_type.as_str(), "account", event.stream.as_str());
        Ok(vec![message.payload(event.data.clone(), "application/json").build()?])
    }
}

struct Running {
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<Result<()>>,
}

fn run(store: &Memory, server: &StandIn, feed: Feed) -> Running {
    run_with(store, server, feed, Arc::new(AsItIs))
}

#[expect(clippy::disallowed_methods, reason = "the relay of a test, which ends with it")]
fn run_with(store: &Memory, server: &StandIn, feed: Feed, mapper: Arc<dyn Mapper>) -> Running {
    let settings = Worker { lease_ttl: Duration::from_millis(500), ..Worker::default() };
    let source = Arc::new(super::source(server));
    let relay = Relay::builder(Arc::new(store.clone())).settings(settings).source(feed, source, mapper);
    let (stop, stopped) = oneshot::channel();
    let relay = relay.build();
    let task = tokio::spawn(relay.run(async move { drop(stopped.await) }));
    Running { stop: Some(stop), task }
}

impl Running {
    async fn stop(mut self) -> Result<()> {
        drop(self.stop.take());
        self.task.await.expect("the relay does not panic")
    }
}

fn feed() -> Feed {
    Feed::new("accounts").retry(Duration::from_millis(5), Duration::from_millis(50)).max_batch(50)
}

async fn stored(store: &Memory) -> Result<Vec<String>> {
    let listed = store.list(&Wanted::default(), Page::after(Position::START, 1_000_000)).await?;
    Ok(listed.rows.iter().map(|one| one.aggregate_id.to_string()).collect())
}

async fn status(store: &Memory) -> Result<SourceStatus> {
    Ok(store.sources().await?.into_iter().next().unwrap_or_default())
}

/// Leaders are killed and relays are aborted while events flow: each event is stored once, in order.
#[tokio::test(flavor = "multi_thread")]
async fn each_event_is_stored_once_and_in_order_while_leaders_and_relays_die() -> Result<()> {
    const EVENTS: usize = 3_000;
    const KILLS: usize = 30;
    let (store, server) = (Memory::new(), StandIn::cluster().await);
    let mut relay = run(&store, &server, feed());
    for kill in 0..KILLS {
        for n in 0..EVENTS / KILLS {
            server.append("account-1", "account.changed", format!("{}", kill * (EVENTS / KILLS) + n), "");
            server.append("order-1", "order.created", "{}", "");
        }
        if kill % 3 == 2 {
            relay.task.abort();
            relay = run(&store, &server, feed());
        } else {
            let dead = server.kill_leader().await;
            tokio::time::sleep(Duration::from_millis(10)).await;
            server.revive(dead).await;
        }
    }
    eventually("everything is stored", async || Ok(store.overview().await?.messages >= EVENTS as u64)).await?;
    relay.stop().await?;
    let mut read = Vec::new();
    let mut next = Some(Position::START);
    while let Some(after) = next {
        let listed = store.list(&Wanted::default(), Page::after(after, 500)).await?;
        next = listed.next;
        for one in &listed.rows {
            let report = store.get(one.id).await?.expect("it is stored");
            read.push(String::from_utf8_lossy(&report.message.payload).into_owned());
        }
    }
    assert_eq!(read, (0..EVENTS).map(|n| n.to_string()).collect::<Vec<_>>());
    assert!(!status(&store).await?.held, "it was given back");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_nothing_can_be_made_of_stops_the_source_until_a_person_resumes_it() -> Result<()> {
    let (store, server) = (Memory::new(), StandIn::single().await);
    server.append("account-1", "account.changed", "1", "");
    server.append("account-1", "account.changed", "broken", "");
    server.append("account-1", "account.changed", "3", "");
    let relay = run(&store, &server, feed());
    let has_stopped = |status: SourceStatus| status.report.is_some_and(|report| report.state == SourceState::Stopped);
    eventually("it has stopped", async || Ok(has_stopped(status(&store).await?))).await?;
    assert_eq!(stored(&store).await?.len(), 1, "what came before it");
    let why = status(&store).await?.report.and_then(|report| report.error).unwrap_or_default();
    assert!(why.contains("it is broken") && why.contains("account-1"), "{why}");
    let epoch = status(&store).await?.epoch;
    assert!(store.change_source(&"accounts".into(), &SourceChange::Resume).await?);
    eventually("it has tried again", async || Ok(status(&store).await?.epoch > epoch)).await?;
    relay.stop().await?;
    let relay = run(&store, &server, feed().on_error(OnError::Dead));
    eventually("all is stored", async || Ok(stored(&store).await?.len() == 3)).await?;
    assert_eq!(status(&store).await?.refused, 1);
    relay.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_is_rewound_stores_nothing_twice_and_one_that_is_paused_nothing_at_all() -> Result<()> {
    let (store, server) = (Memory::new(), StandIn::single().await);
    server.append("account-1", "account.changed", "1", "");
    let relay = run(&store, &server, feed());
    eventually("it is stored", async || Ok(stored(&store).await?.len() == 1)).await?;
    assert!(store.change_source(&"accounts".into(), &SourceChange::Rewind(None)).await?);
    eventually("it was read again", async || Ok(status(&store).await?.duplicates == 1)).await?;
    assert!(store.change_source(&"accounts".into(), &SourceChange::Pause).await?);
    server.append("account-1", "account.changed", "2", "");
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(stored(&store).await?.len(), 1);
    assert!(store.change_source(&"accounts".into(), &SourceChange::Resume).await?);
    eventually("it goes on", async || Ok(stored(&store).await?.len() == 2)).await?;
    relay.stop().await
}

/// By the policy of the source: it stops and says so, or goes on and keeps what was refused.
#[cfg(feature = "jq")]
#[tokio::test(flavor = "multi_thread")]
async fn what_an_expression_fails_for_is_said_and_others_go_on_as_the_policy_has_it() -> Result<()> {
    let (store, server) = (Memory::new(), StandIn::single().await);
    let map = r#"select(.data.kind != "noise") | {event_type: "account.seen", aggregate_id: .data.owner.name}"#;
    let mapping = || Arc::new(posthaste::expression::Mapping::new(map).expect("an expression"));
    for data in
        [r#"{"owner":{"name":"ann"}}"#, r#"{"kind":"noise"}"#, r#"{"owner":"canary"}"#, r#"{"owner":{"name":"bob"}}"#]
    {
        server.append("account-1", "account.changed", data, "");
    }
    let relay = run_with(&store, &server, feed(), mapping());
    eventually("it stops", async || {
        Ok(status(&store).await?.report.is_some_and(|report| report.state == SourceState::Stopped))
    })
    .await?;
    assert_eq!(stored(&store).await?, ["ann"], "what came before is stored");
    let error = status(&store).await?.report.and_then(|report| report.error).unwrap_or_default();
    assert!(error.contains("map: cannot index a text") && !error.contains("canary"), "{error}");
    relay.stop().await?;

    let relay = run_with(&store, &server, feed().on_error(OnError::Dead), mapping());
    eventually("it goes on", async || Ok(stored(&store).await?.len() >= 3)).await?;
    relay.stop().await?;
    assert_eq!(stored(&store).await?, ["ann", "account-1", "bob"], "the second is what was refused");
    let seen = status(&store).await?;
    assert_eq!((seen.events, seen.ignored, seen.refused), (4, 1, 1));
    Ok(())
}
