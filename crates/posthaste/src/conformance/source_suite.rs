//! What every source must hold, one named test per guarantee.
//!
//! Implement [`SourceUnderTest`] for a source together with its log, and [`source_suite!`](crate::source_suite) makes a test of each
//! guarantee, on a subject of its own. A log that cannot be started is a failed test, never a skipped one.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::sink_suite::Impossible;
use crate::source::{Batch, Checkpoint, Error, Event, Reading, Source};

/// Waiting for what must happen; long, because it only costs when a test fails.
const DEADLINE: Duration = Duration::from_secs(30);

/// Long enough for something to come that should not.
const A_MOMENT: Duration = Duration::from_millis(50);

/// A source and the log behind it. A fault that the nature of the log rules out is [`Impossible`], with the reason.
#[async_trait]
pub trait SourceUnderTest: Send + Sync {
    /// The source, set up to read the log from its beginning.
    fn source(&self) -> Arc<dyn Source>;

    /// Appends an event to a stream that the source reads, with this text somewhere in its data. Returns the event's id.
    async fn append(&self, stream: &str, text: &str) -> String;

    /// Appends something that the source is set to leave out.
    async fn append_foreign(&self) -> Result<(), Impossible>;

    /// Whether the position is kept here and not by the log.
    fn has_checkpoints(&self) -> Result<(), Impossible>;

    /// A credential the source was given, which must never be shown.
    fn secret(&self) -> Result<String, Impossible>;

    /// Takes the log out of reach.
    async fn stop(&self) -> Result<(), Impossible>;

    /// Brings it back, with what it had.
    async fn start(&self);

    /// Makes the log accept what comes and answer nothing.
    async fn stall(&self) -> Result<(), Impossible>;
}

/// Makes a test of every guarantee of a source. Takes the name of an `async fn` that returns a fresh [`SourceUnderTest`]; the calling crate
/// needs `tokio` with its macros.
#[macro_export]
macro_rules! source_suite {
    ($fresh:path) => {
        $crate::source_suite_tests! { $fresh;
            events_come_in_the_order_of_the_log,
            what_is_appended_while_it_is_read_comes_too,
            reading_goes_on_after_a_checkpoint,
            no_more_comes_at_once_than_is_asked_for,
            a_read_that_is_given_up_loses_nothing,
            what_is_left_out_moves_the_checkpoint,
            a_log_out_of_reach_is_an_error_and_reading_goes_on_where_it_was,
            a_log_that_falls_silent_is_an_error,
            neither_data_nor_secrets_are_shown,
            a_check_says_whether_the_log_is_there,
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! source_suite_tests {
    ($fresh:path; $($guarantee:ident,)+) => {$(
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $guarantee() {
            $crate::conformance::source_suite::$guarantee(&$fresh().await).await;
        }
    )+};
}

/// What was appended comes once, in order, with stream and id.
pub async fn events_come_in_the_order_of_the_log(t: &impl SourceUnderTest) {
    let mut wanted = Vec::new();
    for n in 0..20 {
        let stream = format!("account-{}", n % 3);
        let id = t.append(&stream, &format!("n{n}")).await;
        wanted.push((stream, id));
    }
    let (_, events) = read(t, None, 20).await;
    let read: Vec<_> = events.iter().map(|event| (event.stream.to_string(), event.id.to_string())).collect();
    assert_eq!(read, wanted);
    assert!(events.iter().enumerate().all(|(n, event)| contains(&event.data, &format!("n{n}"))));
}

/// A reading that has come to the end goes on when there is more.
pub async fn what_is_appended_while_it_is_read_comes_too(t: &impl SourceUnderTest) {
    let first = t.append("account-1", "first").await;
    let (mut reading, events) = read(t, None, 1).await;
    assert_eq!(events[0].id, first);
    let second = t.append("account-1", "second").await;
    assert_eq!(ids(&gather(&mut reading, 1).await), [second]);
}

/// The checkpoint of an event is exclusive: the next one is the first that comes.
pub async fn reading_goes_on_after_a_checkpoint(t: &impl SourceUnderTest) {
    if t.has_checkpoints().is_err() {
        return;
    }
    let mut appended = Vec::new();
    for n in 0..6 {
        appended.push(t.append("account-1", &n.to_string()).await);
    }
    let (_, events) = read(t, None, 6).await;
    for at in [0, 2, 4] {
        let (_, rest) = read(t, Some(&events[at].checkpoint), 5 - at).await;
        assert_eq!(ids(&rest), appended[at + 1..], "after event {at}");
    }
}

/// Memory is bounded by what is asked for.
pub async fn no_more_comes_at_once_than_is_asked_for(t: &impl SourceUnderTest) {
    for n in 0..10 {
        t.append("account-1", &n.to_string()).await;
    }
    let mut reading = open(t, None).await;
    let mut seen = 0;
    while seen < 10 {
        let batch = next(&mut reading, 3).await.expect("the log is there");
        assert!(batch.events.len() <= 3, "{} events", batch.events.len());
        seen += batch.events.len();
    }
}

/// A read may be dropped while it waits, as often as one likes.
pub async fn a_read_that_is_given_up_loses_nothing(t: &impl SourceUnderTest) {
    let mut reading = open(t, None).await;
    let (mut appended, mut read) = (Vec::new(), Vec::new());
    for n in 0..10 {
        appended.push(t.append("account-1", &n.to_string()).await);
        for _ in 0..5 {
            if let Ok(batch) = tokio::time::timeout(Duration::from_micros(200), reading.next(2)).await {
                read.extend(ids(&batch.expect("the log is there").events));
            }
        }
    }
    read.extend(ids(&gather(&mut reading, appended.len() - read.len()).await));
    assert_eq!(read, appended);
}

/// A long stretch that has nothing for us need not be read again.
pub async fn what_is_left_out_moves_the_checkpoint(t: &impl SourceUnderTest) {
    t.append("account-1", "one").await;
    let (mut reading, events) = read(t, None, 1).await;
    if t.append_foreign().await.is_err() || t.has_checkpoints().is_err() {
        return;
    }
    let mut beyond = None;
    while beyond.as_ref().is_none_or(|beyond| *beyond == events[0].checkpoint) {
        beyond = next(&mut reading, 10).await.expect("the log is there").beyond;
    }
    let last = t.append("account-1", "two").await;
    assert_eq!(ids(&read_after(t, beyond.as_ref(), 1).await), [last]);
}

/// Nobody waits for ever for a log that is gone, and nothing is missing when it is back.
pub async fn a_log_out_of_reach_is_an_error_and_reading_goes_on_where_it_was(t: &impl SourceUnderTest) {
    t.append("account-1", "one").await;
    let (mut reading, events) = read(t, None, 1).await;
    if t.stop().await.is_err() {
        return;
    }
    fails(&mut reading).await;
    assert!(within(t.source().read_after(None)).await.is_err(), "nobody is there");
    t.start().await;
    let second = t.append("account-1", "two").await;
    let after = t.has_checkpoints().is_ok().then(|| events[0].checkpoint.clone());
    let rest = read_after(t, after.as_ref(), 1).await;
    assert!(ids(&rest).contains(&second) || after.is_none(), "{rest:?}");
}

/// A connection can be dead without anyone saying so.
pub async fn a_log_that_falls_silent_is_an_error(t: &impl SourceUnderTest) {
    t.append("account-1", "one").await;
    let (mut reading, _) = read(t, None, 1).await;
    if t.stall().await.is_ok() {
        fails(&mut reading).await;
    }
}

/// Not in an error, and not by `Debug`.
pub async fn neither_data_nor_secrets_are_shown(t: &impl SourceUnderTest) {
    const CANARY: &str = "canary-51c2";
    t.append("account-1", CANARY).await;
    let (reading, events) = read(t, None, 1).await;
    let mut shown = format!("{:?} {reading:?} {events:?}", t.source());
    if t.stop().await.is_ok() {
        shown += &format!("{:?}", within(t.source().check()).await);
    }
    assert!(!shown.contains(CANARY), "{shown}");
    if let Ok(secret) = t.secret() {
        assert!(!shown.contains(&secret), "{shown}");
    }
}

/// What `posthaste check` tells.
pub async fn a_check_says_whether_the_log_is_there(t: &impl SourceUnderTest) {
    within(t.source().check()).await.expect("it is there");
    if t.stop().await.is_ok() {
        within(t.source().check()).await.expect_err("it is gone");
    }
}

async fn open(t: &impl SourceUnderTest, after: Option<&Checkpoint>) -> Box<dyn Reading> {
    within(t.source().read_after(after)).await.expect("the log is there")
}

async fn read(t: &impl SourceUnderTest, after: Option<&Checkpoint>, count: usize) -> (Box<dyn Reading>, Vec<Event>) {
    let mut reading = open(t, after).await;
    let events = gather(&mut reading, count).await;
    (reading, events)
}

async fn read_after(t: &impl SourceUnderTest, after: Option<&Checkpoint>, count: usize) -> Vec<Event> {
    read(t, after, count).await.1
}

/// So many events, and none more in the next moment.
async fn gather(reading: &mut Box<dyn Reading>, count: usize) -> Vec<Event> {
    let mut events = Vec::new();
    while events.len() < count {
        events.extend(next(reading, 100).await.expect("the log is there").events);
    }
    if let Ok(Ok(more)) = tokio::time::timeout(A_MOMENT, reading.next(100)).await {
        events.extend(more.events);
    }
    assert_eq!(events.len(), count, "{events:?}");
    events
}

async fn next(reading: &mut Box<dyn Reading>, limit: usize) -> Result<Batch, Error> {
    within(reading.next(limit)).await
}

/// The reading ends with an error, perhaps after what was on its way.
async fn fails(reading: &mut Box<dyn Reading>) {
    while next(reading, 10).await.is_ok() {}
}

async fn within<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, what).await.expect("it happens in time")
}

fn ids(events: &[Event]) -> Vec<String> {
    events.iter().map(|event| event.id.to_string()).collect()
}

fn contains(data: &[u8], text: &str) -> bool {
    data.windows(text.len()).any(|window| window == text.as_bytes())
}
