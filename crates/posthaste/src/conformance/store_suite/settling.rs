//! Answers from outside: kept until the lane takes note of them, and never taken away again.

use std::time::Duration;

use super::Fixture;
use super::making::{lane, lease_of, order, park, parked};
use crate::error::{Kind, Result};
use crate::inspect::{Answer, Filter, Mode, Operation, Refusal, Says, Settled, Status};
use crate::journal::{Due, Entry, LaneCommit, Lease, Park, ParkedState};
use crate::message::MessageId;
use crate::rules::callback::Awaited;

const HOUR: Duration = Duration::from_secs(3_600);

/// An answer reaches the lane at once, with all that it says.
pub async fn an_answer_is_due_at_once_with_what_it_says(t: Fixture) -> Result<()> {
    let (entry, leases) = one_order(&t).await?;
    for says in [Says::Sent, failed(true), failed(false)] {
        t.commit(&[parked("a", awaiting(&entry, "1-1", HOUR), &entry, &leases)]).await?;
        let until = t.inspect.get(entry.message.id).await?.and_then(|report| report.deliveries[0].due_at);
        assert!(until.is_some(), "until when it waits");
        assert!(t.due_ids("a").await?.is_empty(), "it waits");
        assert_eq!(settle(&t, &entry, Some("1-1"), says.clone()).await?, Settled::Taken);
        let due = due_one(&t).await?;
        assert_eq!((due.state, due.entry.position, due.holds), (ParkedState::Awaiting, entry.position, true));
        let ended = Awaited::stored(due.progress.as_deref()).expect("a record").end();
        assert_eq!(ended.failure.is_some(), says != Says::Sent);
        assert!(ended.took < HOUR, "{:?}", ended.took);
        t.commit(&[LaneCommit { unpark: vec![entry.position], ..lane("a", lease_of(&entry, &leases)) }]).await?;
    }
    Ok(())
}

/// Whoever answers twice changes nothing, and whoever contradicts is told.
pub async fn the_first_answer_counts(t: Fixture) -> Result<()> {
    let (entry, leases) = handed_over(&t, "1-1").await?;
    assert_eq!(settle(&t, &entry, None, Says::Sent).await?, Settled::Taken);
    assert_eq!(settle(&t, &entry, None, Says::Sent).await?, Settled::Repeated);
    assert_eq!(settle(&t, &entry, None, failed(true)).await?, Settled::Refused(Refusal::Contradicts));
    t.commit(&[LaneCommit { unpark: vec![entry.position], ..lane("a", lease_of(&entry, &leases)) }]).await?;
    assert_eq!(settle(&t, &entry, None, Says::Sent).await?, Settled::Repeated, "the lane has taken note");
    assert_eq!(settle(&t, &entry, None, failed(false)).await?, Settled::Refused(Refusal::Contradicts));
    Ok(())
}

/// Many receivers that answer at once are told the same, but for one.
pub async fn of_answers_at_the_same_time_one_is_taken(t: Fixture) -> Result<()> {
    let (entry, _) = handed_over(&t, "1-1").await?;
    let answers = (0..6).map(|_| settle(&t, &entry, None, Says::Sent));
    let settled: Vec<Settled> = futures_util::future::try_join_all(answers).await?;
    let taken = settled.iter().filter(|settled| **settled == Settled::Taken).count();
    let repeated = settled.iter().filter(|settled| **settled == Settled::Repeated).count();
    assert_eq!((taken, repeated), (1, 5), "{settled:?}");
    Ok(())
}

/// A commit that is repeated, because its answer was lost, must not undo an answer that came between.
pub async fn a_commit_that_is_repeated_takes_no_answer_away(t: Fixture) -> Result<()> {
    let (entry, leases) = handed_over(&t, "1-1").await?;
    settle(&t, &entry, None, Says::Sent).await?;
    t.commit(&[LaneCommit { park: vec![awaiting(&entry, "1-1", HOUR)], ..lane("a", lease_of(&entry, &leases)) }])
        .await?;
    assert!(Awaited::stored(due_one(&t).await?.progress.as_deref()).expect("a record").end().failure.is_none());
    let again = Park { attempts: 1, ..park(&entry, ParkedState::Retrying) };
    t.commit(&[LaneCommit { park: vec![again], ..lane("a", lease_of(&entry, &leases)) }]).await?;
    assert_eq!(due_one(&t).await?.state, ParkedState::Retrying, "what the lane decides afterwards counts");
    Ok(())
}

/// What was answered too late, or about another hand-over, is not settled by it.
pub async fn an_answer_to_another_hand_over_or_after_its_time_is_refused(t: Fixture) -> Result<()> {
    let (entry, leases) = handed_over(&t, "2-7").await?;
    assert_eq!(settle(&t, &entry, Some("2-6"), Says::Sent).await?, Settled::Refused(Refusal::OtherHandOver));
    assert!(t.due_ids("a").await?.is_empty());
    let lease = lease_of(&entry, &leases);
    t.commit(&[LaneCommit { unpark: vec![entry.position], ..lane("a", lease) }]).await?;
    t.commit(&[LaneCommit { park: vec![awaiting(&entry, "2-8", Duration::ZERO)], ..lane("a", lease) }]).await?;
    assert_eq!(settle(&t, &entry, Some("2-8"), Says::Sent).await?, Settled::Refused(Refusal::Late));
    assert!(Awaited::stored(due_one(&t).await?.progress.as_deref()).expect("a record").end().failure.is_some());
    Ok(())
}

/// An answer that nobody waits for says why.
pub async fn an_answer_that_nobody_waits_for_is_refused(t: Fixture) -> Result<()> {
    let (entry, leases) = one_order(&t).await?;
    assert_eq!(settle(&t, &entry, None, Says::Sent).await?, Settled::Refused(Refusal::NotAwaited), "it is pending");
    let unknown = Answer { hand_over: None, says: Says::Sent };
    let nobody = t.inspect.settle(MessageId::generate(), &"a".into(), &unknown).await?;
    assert_eq!(nobody, Settled::Refused(Refusal::Unknown));
    let nowhere = t.inspect.settle(entry.message.id, &"b".into(), &unknown).await;
    assert_eq!(nowhere.map_err(|error| error.kind()), Err(Kind::NotFound));
    let lease = lease_of(&entry, &leases);
    t.commit(&[parked("a", awaiting(&entry, "1-1", HOUR), &entry, &leases)]).await?;
    let only = Filter { ids: vec![entry.message.id], ..Filter::default() };
    t.inspect.operate(Operation::Discard, &only, Mode::Apply).await?;
    assert_eq!(settle(&t, &entry, None, Says::Sent).await?, Settled::Refused(Refusal::Discarded));
    t.commit(&[LaneCommit { discard: vec![entry.position], ..lane("a", lease) }]).await?;
    assert_eq!(settle(&t, &entry, None, Says::Sent).await?, Settled::Refused(Refusal::Discarded));
    t.inspect.operate(Operation::Replay, &only, Mode::Apply).await?;
    assert_eq!(t.status("a", entry.message.id).await?, Some(Status::Retrying));
    assert_eq!(settle(&t, &entry, None, Says::Sent).await?, Settled::Refused(Refusal::NotAwaited));
    Ok(())
}

fn failed(retry: bool) -> Says {
    Says::Failed { retry, reason: "no \0 stock: \u{1F4E6}".into() }
}

fn awaiting(entry: &Entry, hand_over: &str, within: Duration) -> Park {
    let progress = Some(Awaited::new(hand_over.into(), within).record());
    Park { holds: true, due_in: Some(within), progress, ..park(entry, ParkedState::Awaiting) }
}

async fn one_order(t: &Fixture) -> Result<(Entry, Vec<Lease>)> {
    t.serve(&["a"]).await?;
    Ok((t.written_one(order("1")).await?, t.lease_all("w").await?))
}

async fn handed_over(t: &Fixture, hand_over: &str) -> Result<(Entry, Vec<Lease>)> {
    let (entry, leases) = one_order(t).await?;
    t.commit(&[parked("a", awaiting(&entry, hand_over, HOUR), &entry, &leases)]).await?;
    Ok((entry, leases))
}

async fn settle(t: &Fixture, entry: &Entry, hand_over: Option<&str>, says: Says) -> Result<Settled> {
    let answer = Answer { hand_over: hand_over.map(str::to_owned), says };
    t.inspect.settle(entry.message.id, &"a".into(), &answer).await
}

async fn due_one(t: &Fixture) -> Result<Due> {
    let mut due = t.due("a").await?.deliveries;
    assert_eq!(due.len(), 1, "one is due");
    Ok(due.remove(0))
}
