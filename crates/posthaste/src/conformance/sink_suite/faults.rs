//! What a sink says when the destination does not take a message.

use std::time::Duration;

use futures_util::FutureExt;

use super::SinkUnderTest;
use super::fixture::{CANARY, answer, arrived, arrived_ids, deliver, ids, messages, possible, reachable, run};
use crate::retry::Verdict;
use crate::sink::{Error, MAX_ERROR_BYTES};

/// Long enough to believe that no answer comes, when none must.
const SILENCE: Duration = Duration::from_millis(100);

/// The messages before the refused one are confirmed and there; it and those after it are neither. The verdict is about the
/// message, not the destination: whoever comes next is served.
pub async fn a_run_stops_at_a_refused_message(subject: &impl SinkUnderTest) {
    let (sink, mut refused, others) = (subject.sink(), messages("1", 5), messages("2", 3));
    if !possible(subject.refuse(&mut refused[2]).await) {
        return;
    }
    let outcome = answer(&*sink, &refused).await;
    assert_eq!(outcome.confirmed, 2);
    let verdict = outcome.error.map(|error| error.verdict);
    assert!(!matches!(verdict, None | Some(Verdict::Unreachable)), "{verdict:?} is not about the message");

    deliver(&*sink, &others).await;
    let expected = [ids(&refused[..2]), ids(&others)].concat();
    assert_eq!(arrived_ids(&arrived(subject, &others).await), expected);
}

/// With the destination gone nothing is confirmed, nobody's message is blamed, and the check says so; when it is back, both work.
pub async fn an_outage_is_unreachable_until_it_ends(subject: &impl SinkUnderTest) {
    let (sink, messages) = (subject.sink(), messages("1", 6));
    deliver(&*sink, &messages[..2]).await;
    assert_eq!(sink.check().await, Ok(()));
    if !possible(subject.stop().await) {
        return;
    }
    for _ in 0..3 {
        let outcome = answer(&*sink, &messages[2..]).await;
        assert_eq!(outcome.confirmed, 0);
        assert_eq!(outcome.error.map(|error| error.verdict), Some(Verdict::Unreachable));
    }
    assert!(sink.check().await.is_err());

    subject.start().await;
    reachable(&*sink).await;
    deliver(&*sink, &messages[2..]).await;
    assert_eq!(arrived_ids(&arrived(subject, &messages).await), ids(&messages));
}

/// The engine drops a delivery that takes too long. Wherever it is dropped, the same run and others can be delivered after it.
pub async fn a_delivery_that_is_dropped_leaves_the_sink_usable(subject: &impl SinkUnderTest) {
    let (sink, all) = (subject.sink(), messages("1", 12));
    let (first, second) = all.split_at(6);
    // Many, so that a sink that loses a connection or a permit each time runs out of them.
    for _ in 0..100 {
        let _ = sink.deliver(&run(first)).now_or_never();
    }
    deliver(&*sink, first).await;

    if possible(subject.stall().await) {
        let hanging = tokio::time::timeout(SILENCE, answer(&*sink, second)).await;
        assert!(hanging.is_err(), "no answer, no confirmation: {hanging:?}");
        subject.resume().await;
        reachable(&*sink).await;
    }
    deliver(&*sink, second).await;
    assert_eq!(arrived_ids(&arrived(subject, &all).await), ids(&all));
}

/// Sent is not confirmed.
pub async fn nothing_is_confirmed_before_the_destination_answers(subject: &impl SinkUnderTest) {
    let (sink, messages) = (subject.sink(), messages("1", 3));
    deliver(&*sink, &messages[..1]).await;
    if !possible(subject.stall().await) {
        return;
    }
    let pending = run(&messages[1..]);
    let mut delivery = sink.deliver(&pending);
    let early = tokio::time::timeout(SILENCE, &mut delivery).await;
    assert!(early.is_err(), "claimed without an answer: {early:?}");
    subject.resume().await;
    let outcome = delivery.await;
    let claimed = &messages[..1 + outcome.confirmed];
    let there = arrived_ids(&arrived(subject, claimed).await);
    assert_eq!(there[..claimed.len()], ids(claimed));
}

/// Errors and `Debug` may end up in logs, tables and tickets.
pub async fn no_error_shows_a_secret_or_goes_on_forever(subject: &impl SinkUnderTest) {
    let (sink, mut messages) = (subject.sink(), messages("1", 2));
    let mut errors: Vec<Error> = Vec::new();
    if possible(subject.refuse(&mut messages[0]).await) {
        errors.extend(answer(&*sink, &messages).await.error);
    }
    if possible(subject.stop().await) {
        errors.extend(answer(&*sink, &messages[1..]).await.error);
        errors.extend(sink.check().await.err());
    }
    for error in &errors {
        assert!(error.text().len() <= MAX_ERROR_BYTES);
        assert!(!error.text().trim().is_empty(), "an error says what happened");
    }
    let secret = subject.secret().unwrap_or_else(|_| CANARY.into());
    for shown in errors.iter().map(|error| format!("{error} {error:?}")).chain([format!("{sink:?}")]) {
        assert!(!shown.contains(CANARY), "a payload or header: {shown}");
        assert!(!shown.contains(&secret), "a credential: {shown}");
    }
}
