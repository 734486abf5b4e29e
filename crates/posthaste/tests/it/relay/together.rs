//! Several keys in one hand-over.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use posthaste::Result;
use posthaste::inspect::Status;
use posthaste::sink::{Error, Outcome, Outcomes, Run, Sink};

use super::making::{destination, ids, interleaved};
use super::outbox::Outbox;
use super::receiver::Receiver;

on_every_store! {
    keys_reach_a_sink_that_wants_them_together_and_stay_in_order,
    what_was_answered_before_a_time_out_is_not_repeated,
    what_was_answered_before_a_panic_is_not_repeated,
}

#[derive(Debug, Clone, Copy)]
enum Habit {
    None,
    HangOnce,
    PanicOnce,
}

/// Takes eight keys together. What it does once, it does after it has answered the first of several runs.
#[derive(Debug)]
struct Together {
    inner: Arc<dyn Sink>,
    habit: Habit,
    done: AtomicBool,
    /// How many runs each hand-over had.
    sizes: Mutex<Vec<usize>>,
}

impl Together {
    fn new(receiver: &Receiver, habit: Habit) -> Arc<Self> {
        Arc::new(Self { inner: receiver.sink(), habit, done: AtomicBool::new(false), sizes: Mutex::default() })
    }
}

#[async_trait]
impl Sink for Together {
    async fn deliver(&self, run: &Run) -> Outcome {
        self.inner.deliver(run).await
    }

    fn runs_at_once(&self) -> usize {
        8
    }

    async fn deliver_all(&self, runs: &[Run], outcomes: &mut Outcomes) {
        let keys: HashSet<_> = runs.iter().map(Run::key).collect();
        assert_eq!(keys.len(), runs.len(), "two runs of one key");
        self.sizes.lock().unwrap().push(runs.len());
        for (nth, run) in runs.iter().enumerate() {
            if nth == 1 && !self.done.swap(true, Ordering::SeqCst) {
                match self.habit {
                    Habit::None => {}
                    Habit::HangOnce => std::future::pending().await,
                    Habit::PanicOnce => panic!("a bug in a sink"),
                }
            }
            outcomes.answer(nth, self.inner.deliver(run).await);
        }
    }

    async fn check(&self) -> Result<(), Error> {
        self.inner.check().await
    }
}

async fn keys_reach_a_sink_that_wants_them_together_and_stay_in_order(outbox: Outbox) -> Result<()> {
    let sizes = all_arrive(&outbox, Habit::None).await?;
    assert!(sizes.iter().any(|size| *size > 1) && sizes.iter().all(|size| *size <= 8), "{sizes:?}");
    Ok(())
}

async fn what_was_answered_before_a_time_out_is_not_repeated(outbox: Outbox) -> Result<()> {
    all_arrive(&outbox, Habit::HangOnce).await.map(drop)
}

async fn what_was_answered_before_a_panic_is_not_repeated(outbox: Outbox) -> Result<()> {
    all_arrive(&outbox, Habit::PanicOnce).await.map(drop)
}

/// Each message once, and each key in its order. Returns how many runs the hand-overs had.
async fn all_arrive(outbox: &Outbox, habit: Habit) -> Result<Vec<usize>> {
    let (receiver, messages) = (Receiver::new(), interleaved(40, 5));
    outbox.write(&messages).await?;
    let mut app = destination("app");
    app.timeout = Duration::from_millis(500);
    let sink = Together::new(&receiver, habit);
    let relay = outbox.start(app, sink.clone());
    receiver.until_has(&ids(&messages)).await;
    for message in &messages {
        outbox.until_status("app", message.id, Status::Delivered).await?;
    }
    relay.stop().await?;
    receiver.assert_got(&messages);
    let sizes = sink.sizes.lock().unwrap().clone();
    Ok(sizes)
}
