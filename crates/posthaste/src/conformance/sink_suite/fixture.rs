//! What the tests of the suite are made of.

use std::time::Duration;

use super::{Arrived, Impossible, SinkUnderTest};
use crate::journal::{Partition, Position};
use crate::message::{Builder, Message, MessageId};
use crate::sink::{Delivery, Outcome, Outcomes, Run, Sink};

/// Stands in every payload and header value, and must not show up anywhere else.
pub(super) const CANARY: &str = "canary-7d1f0c";

/// Waiting for what must happen; long, because it only costs when a test fails.
const DEADLINE: Duration = Duration::from_secs(30);

/// The `n`-th message about an account.
pub(super) fn message(account: &str, n: usize) -> Builder {
    Message::builder("account.changed", "account", account)
        .json(&serde_json::json!({ "account": account, "n": n, "note": CANARY }))
        .header("x-note", CANARY)
}

/// So many messages about one account.
pub(super) fn messages(account: &str, count: usize) -> Vec<Message> {
    (0..count).map(|n| build(message(account, n))).collect()
}

pub(super) fn build(builder: Builder) -> Message {
    builder.build().expect("the suite's messages are valid")
}

/// A run of these messages.
pub(super) fn run(messages: &[Message]) -> Run {
    let delivery = |message: &Message| Delivery::new(message.clone(), position(message));
    Run::new("suite", Partition::default(), messages.iter().map(delivery).collect())
}

/// As in a journal: a message always has the same one, and later ones have higher ones. Ids grow like that.
fn position(message: &Message) -> Position {
    let (tick, seq) = message.id.0.as_u64_pair();
    Position { tick, seq }
}

/// Delivers a run that must be confirmed as a whole.
pub(super) async fn deliver(sink: &dyn Sink, messages: &[Message]) {
    let outcome = answer(sink, messages).await;
    assert_eq!(outcome.error, None);
    assert_eq!(outcome.confirmed, messages.len(), "without an error all are confirmed");
}

/// Delivers a run and returns what the sink says.
pub(super) async fn answer(sink: &dyn Sink, messages: &[Message]) -> Outcome {
    let run = run(messages);
    let outcome = tokio::time::timeout(DEADLINE, sink.deliver(&run)).await.expect("the sink answers in time");
    assert!(outcome.confirmed <= messages.len(), "not more can be confirmed than was given");
    assert_eq!(outcome.error.is_none(), outcome.confirmed == messages.len(), "an error, or all confirmed");
    outcome
}

/// Delivers runs in one hand-over, all of which must be confirmed.
pub(super) async fn deliver_together(sink: &dyn Sink, runs: &[&[Message]]) {
    for (outcome, messages) in answers(sink, runs).await.into_iter().zip(runs) {
        assert_eq!(outcome.error, None);
        assert_eq!(outcome.confirmed, messages.len());
    }
}

/// Delivers runs in one hand-over and returns what the sink says to each.
pub(super) async fn answers(sink: &dyn Sink, runs: &[&[Message]]) -> Vec<Outcome> {
    let given: Vec<Run> = runs.iter().map(|messages| run(messages)).collect();
    let mut outcomes = Outcomes::awaited(given.len());
    tokio::time::timeout(DEADLINE, sink.deliver_all(&given, &mut outcomes)).await.expect("the sink answers in time");
    let outcomes = outcomes.or_else(|| panic!("the sink answers to every run"));
    for (outcome, messages) in outcomes.iter().zip(runs) {
        assert!(outcome.confirmed <= messages.len(), "not more can be confirmed than was given");
        assert_eq!(outcome.error.is_none(), outcome.confirmed == messages.len(), "an error, or all confirmed");
    }
    outcomes
}

/// What has arrived, each message once, where it came first; waits until all of `expected` have.
pub(super) async fn arrived(subject: &impl SinkUnderTest, expected: &[Message]) -> Vec<Arrived> {
    let wait = async {
        loop {
            let seen = without_repeats(subject.arrived().await);
            if expected.iter().all(|message| seen.iter().any(|arrived| arrived.id == message.id)) {
                return seen;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(DEADLINE, wait).await.expect("everything that was confirmed arrives")
}

fn without_repeats(mut arrived: Vec<Arrived>) -> Vec<Arrived> {
    let mut seen = std::collections::HashSet::new();
    arrived.retain(|message| seen.insert(message.id));
    arrived
}

pub(super) fn ids<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Vec<MessageId> {
    messages.into_iter().map(|message| message.id).collect()
}

pub(super) fn arrived_ids(arrived: &[Arrived]) -> Vec<MessageId> {
    arrived.iter().map(|message| message.id).collect()
}

/// Waits until the sink says that its destination is there.
pub(super) async fn reachable(sink: &dyn Sink) {
    let wait = async {
        while sink.check().await.is_err() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(DEADLINE, wait).await.expect("the sink finds its destination again");
}

/// Whether the fault is in force; if it cannot befall the sink, says why.
#[expect(clippy::print_stdout, reason = "belongs to the output of a test")]
pub(super) fn possible(fault: Result<(), Impossible>) -> bool {
    fault.inspect_err(|Impossible(why)| println!("nothing shown: {why}")).is_ok()
}
