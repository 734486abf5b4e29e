//! Several runs in one hand-over: what each came to is its own.

use futures_util::FutureExt;

use super::SinkUnderTest;
use super::fixture::{
    answers, arrived, arrived_ids, build, deliver_together, ids, message, messages, possible, reachable, run,
};
use crate::message::Message;
use crate::retry::Verdict;
use crate::sink::{Outcome, Outcomes, Run, Sink};

/// Outages that one refusal may cause.
const MOST_OUTAGES: usize = 5;

/// Runs of many keys, short and long, and messages without key, in hand-overs of forty: all arrive, each key in its order.
pub async fn runs_that_go_together_arrive_in_their_order(subject: &impl SinkUnderTest) {
    let sink = subject.sink();
    let keys: Vec<Vec<Message>> = (0..30).map(|n| messages(&n.to_string(), 12)).collect();
    let share = |n: usize| if n % 2 == 1 { 3 } else { 1 };
    for round in 0..4 {
        let part = |(n, messages): (usize, &'_ Vec<Message>)| messages[share(n) * round..][..share(n)].to_vec();
        let ordered: Vec<Vec<Message>> = keys.iter().enumerate().map(part).collect();
        let alone: Vec<Message> = (0..10).map(|n| build(message("none", n).unordered())).collect();
        let runs: Vec<&[Message]> = ordered.iter().map(Vec::as_slice).chain(alone.chunks(1)).collect();
        deliver_together(&*sink, &runs).await;
        arrived(subject, &runs.concat()).await;
    }
    let all = arrived(subject, &[]).await;
    for (n, messages) in keys.iter().enumerate() {
        let sent = &messages[..share(n) * 4];
        let of_key: Vec<_> = arrived_ids(&all).into_iter().filter(|id| ids(messages).contains(id)).collect();
        assert_eq!(of_key, ids(sent), "key {n}");
    }
}

/// A refused message stops its run and no other.
pub async fn a_refused_message_stops_no_other_run(subject: &impl SinkUnderTest) {
    let sink = subject.sink();
    let mut keys: Vec<Vec<Message>> = (0..9).map(|n| messages(&n.to_string(), 1 + n % 4)).collect();
    if !possible(subject.refuse(&mut keys[3][2]).await) {
        return;
    }
    let runs: Vec<&[Message]> = keys.iter().map(Vec::as_slice).collect();
    let outcomes = in_the_end(&*sink, &runs).await;
    let confirmed: Vec<usize> = outcomes.iter().map(|outcome| outcome.confirmed).collect();
    let expected: Vec<usize> = (0..9).map(|n| if n == 3 { 2 } else { 1 + n % 4 }).collect();
    assert_eq!(confirmed, expected);
    let verdict = outcomes[3].error.as_ref().map(|error| error.verdict);
    assert!(!matches!(verdict, None | Some(Verdict::Unreachable)), "{verdict:?} is not about the message");

    let claimed: Vec<Message> =
        runs.iter().zip(&confirmed).flat_map(|(run, confirmed)| run[..*confirmed].to_vec()).collect();
    let there = arrived_ids(&arrived(subject, &claimed).await);
    let late: Vec<_> = ids(&keys[3][2..]).into_iter().filter(|id| there.contains(id)).collect();
    assert!(late.is_empty(), "not confirmed, and there: {late:?}");
}

/// What becomes of runs, as an engine would see it: what an outage meets is handed over again from the first message that was not
/// confirmed. A refusal may cost a client its connection, and that is an outage for everybody who shares it.
async fn in_the_end(sink: &dyn Sink, runs: &[&[Message]]) -> Vec<Outcome> {
    let mut outcomes = answers(sink, runs).await;
    for _ in 0..MOST_OUTAGES {
        let is_met =
            |outcome: &Outcome| outcome.error.as_ref().is_some_and(|error| error.verdict == Verdict::Unreachable);
        let met: Vec<usize> = (0..runs.len()).filter(|nth| is_met(&outcomes[*nth])).collect();
        if met.is_empty() {
            break;
        }
        reachable(sink).await;
        let rest: Vec<&[Message]> = met.iter().map(|nth| &runs[*nth][outcomes[*nth].confirmed..]).collect();
        for (nth, mut outcome) in met.into_iter().zip(answers(sink, &rest).await) {
            outcome.confirmed += outcomes[nth].confirmed;
            outcomes[nth] = outcome;
        }
    }
    outcomes
}

/// With the destination gone, every run hears so; when it is back, all of them can be delivered.
pub async fn an_outage_meets_every_run(subject: &impl SinkUnderTest) {
    let (sink, keys) = (subject.sink(), (0..6).map(|n| messages(&n.to_string(), 2)).collect::<Vec<_>>());
    let runs: Vec<&[Message]> = keys.iter().map(Vec::as_slice).collect();
    if !possible(subject.stop().await) {
        return;
    }
    for outcome in answers(&*sink, &runs).await {
        assert_eq!(outcome.confirmed, 0);
        assert_eq!(outcome.error.map(|error| error.verdict), Some(Verdict::Unreachable));
    }
    subject.start().await;
    reachable(&*sink).await;
    deliver_together(&*sink, &runs).await;
    arrived(subject, &keys.concat()).await;
}

/// The engine drops a hand-over that takes too long. Wherever it is dropped, the same runs can be delivered after it.
pub async fn a_hand_over_that_is_dropped_leaves_the_sink_usable(subject: &impl SinkUnderTest) {
    let (sink, keys) = (subject.sink(), (0..6).map(|n| messages(&n.to_string(), 3)).collect::<Vec<_>>());
    let runs: Vec<&[Message]> = keys.iter().map(Vec::as_slice).collect();
    let given: Vec<Run> = runs.iter().map(|messages| run(messages)).collect();
    for _ in 0..100 {
        let mut outcomes = Outcomes::awaited(given.len());
        let _ = sink.deliver_all(&given, &mut outcomes).now_or_never();
    }
    deliver_together(&*sink, &runs).await;
    let there = arrived_ids(&arrived(subject, &keys.concat()).await);
    for messages in &keys {
        let of_key: Vec<_> = there.iter().copied().filter(|id| ids(messages).contains(id)).collect();
        assert_eq!(of_key, ids(messages));
    }
}
