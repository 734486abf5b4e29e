//! The suite itself: a sink with one mistake fails the test of the guarantee it breaks.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use posthaste::conformance::sink_suite::{self, Arrived, Impossible, SinkUnderTest};
use posthaste::message::{Message, MessageId};
use posthaste::sink::{Error, Outcome, Outcomes, Run, Sink};
use tokio::sync::{Semaphore, watch};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mistake {
    None,
    Reverse,
    TrimPayload,
    ForgetCorrelation,
    Buffer,
    MixKeys,
    GoOnAfterRefusal,
    BlameTheMessage,
    CheckIsBlind,
    WedgeWhenDropped,
    ClaimWhenSent,
    ShowPassword,
    ShowPayload,
    OneStopsAll,
    OutcomesMixedUp,
    ForgetsTheLast,
}

const PASSWORD: &str = "hunter2-and-more";

#[derive(Debug)]
struct Planted {
    mistake: Mistake,
    arrived: Mutex<Vec<Arrived>>,
    refused: Mutex<HashSet<MessageId>>,
    down: watch::Sender<bool>,
    stalled: watch::Sender<bool>,
    permit: Semaphore,
}

impl Planted {
    fn with(mistake: Mistake) -> Subject {
        Subject(Arc::new(Self {
            mistake,
            arrived: Mutex::default(),
            refused: Mutex::default(),
            down: watch::Sender::default(),
            stalled: watch::Sender::default(),
            permit: Semaphore::new(64),
        }))
    }

    fn makes(&self, mistake: Mistake) -> bool {
        self.mistake == mistake
    }

    fn refusal(&self, message: &Message) -> Option<Error> {
        let refused = self.refused.lock().unwrap().contains(&message.id);
        let payload =
            if self.makes(Mistake::ShowPayload) { String::from_utf8_lossy(&message.payload) } else { "".into() };
        refused.then(|| Error::reject(format!("not this one {payload}")))
    }

    fn outage(&self) -> Error {
        match self.mistake {
            Mistake::BlameTheMessage => Error::retry("connection refused"),
            Mistake::ShowPassword => Error::unreachable(format!("cannot log in with {PASSWORD}")),
            _ => Error::unreachable("connection refused"),
        }
    }

    fn keep(&self, mut arrived: Arrived) {
        if self.makes(Mistake::TrimPayload) {
            arrived.payload = arrived.payload.trim_ascii().to_vec();
        }
        if self.makes(Mistake::ForgetCorrelation) {
            arrived.correlation_id = None;
        }
        let mut all = self.arrived.lock().unwrap();
        let place = if self.makes(Mistake::Reverse) { 0 } else { all.len() };
        all.insert(place, arrived);
    }
}

#[async_trait]
impl Sink for Planted {
    async fn deliver(&self, run: &Run) -> Outcome {
        let permit = self.permit.acquire().await.unwrap();
        if self.makes(Mistake::WedgeWhenDropped) {
            permit.forget();
        }
        if *self.down.borrow() {
            return Outcome::stopped(0, self.outage());
        }
        if self.makes(Mistake::MixKeys) && run.deliveries[0].message.aggregate_id == "7" {
            run.deliveries.iter().rev().for_each(|delivery| self.keep(Arrived::from(&*delivery.message)));
        }
        tokio::task::yield_now().await;
        if !self.makes(Mistake::ClaimWhenSent) {
            let _ = self.stalled.subscribe().wait_for(|stalled| !stalled).await;
        }
        let mut stopped = None;
        for (confirmed, delivery) in run.deliveries.iter().enumerate() {
            if let Some(error) = self.refusal(&delivery.message) {
                stopped.get_or_insert((confirmed, error));
                if !self.makes(Mistake::GoOnAfterRefusal) {
                    break;
                }
            } else if !(self.makes(Mistake::Buffer) && confirmed == 9) {
                self.keep(Arrived::from(&*delivery.message));
            }
        }
        if self.makes(Mistake::WedgeWhenDropped) {
            self.permit.add_permits(1);
        }
        stopped.map_or_else(|| Outcome::delivered(run), |(confirmed, error)| Outcome::stopped(confirmed, error))
    }

    async fn deliver_all(&self, runs: &[Run], outcomes: &mut Outcomes) {
        let given = if self.makes(Mistake::ForgetsTheLast) { &runs[..runs.len() - 1] } else { runs };
        for (nth, run) in given.iter().enumerate() {
            let outcome = self.deliver(run).await;
            let mixed_up = if self.makes(Mistake::OutcomesMixedUp) { (nth + 1) % runs.len() } else { nth };
            if outcome.error.is_some() && self.makes(Mistake::OneStopsAll) {
                let stop = |nth| outcomes.answer(nth, Outcome::stopped(0, Error::retry("another run failed")));
                return (0..runs.len()).for_each(stop);
            }
            outcomes.answer(mixed_up, outcome);
        }
    }

    async fn check(&self) -> Result<(), Error> {
        if *self.down.borrow() && !self.makes(Mistake::CheckIsBlind) { Err(self.outage()) } else { Ok(()) }
    }
}

struct Subject(Arc<Planted>);

#[async_trait]
impl SinkUnderTest for Subject {
    fn sink(&self) -> Arc<dyn Sink> {
        self.0.clone()
    }

    async fn arrived(&self) -> Vec<Arrived> {
        self.0.arrived.lock().unwrap().clone()
    }

    fn secret(&self) -> Result<String, Impossible> {
        Ok(PASSWORD.into())
    }

    async fn refuse(&self, message: &mut Message) -> Result<(), Impossible> {
        self.0.refused.lock().unwrap().insert(message.id);
        Ok(())
    }

    async fn stop(&self) -> Result<(), Impossible> {
        self.0.down.send_replace(true);
        Ok(())
    }

    async fn start(&self) {
        self.0.down.send_replace(false);
    }

    async fn stall(&self) -> Result<(), Impossible> {
        self.0.stalled.send_replace(true);
        Ok(())
    }

    async fn resume(&self) {
        self.0.stalled.send_replace(false);
    }
}

posthaste::sink_suite!(without_mistake);

async fn without_mistake() -> Subject {
    Planted::with(Mistake::None)
}

/// Each mistake with the test that must catch it. Time is virtual, so that a sink that hangs costs nothing.
macro_rules! caught {
    ($($name:ident: $mistake:ident by $test:ident)*) => {$(
        #[tokio::test(start_paused = true)]
        #[should_panic]
        async fn $name() {
            sink_suite::$test(&Planted::with(Mistake::$mistake)).await;
        }
    )*};
}

caught! {
    a_reversed_run_is_caught: Reverse by a_run_arrives_in_order
    a_trimmed_payload_is_caught: TrimPayload by payloads_arrive_byte_for_byte
    a_forgotten_field_is_caught: ForgetCorrelation by every_field_arrives
    a_claim_for_what_is_only_buffered_is_caught: Buffer by what_is_confirmed_is_there
    a_key_out_of_order_is_caught: MixKeys by many_keys_at_once_keep_their_order
    going_on_after_a_refusal_is_caught: GoOnAfterRefusal by a_run_stops_at_a_refused_message
    blaming_a_message_for_an_outage_is_caught: BlameTheMessage by an_outage_is_unreachable_until_it_ends
    a_check_that_sees_no_outage_is_caught: CheckIsBlind by an_outage_is_unreachable_until_it_ends
    a_sink_wedged_by_dropped_deliveries_is_caught: WedgeWhenDropped by a_delivery_that_is_dropped_leaves_the_sink_usable
    a_claim_without_an_answer_is_caught: ClaimWhenSent by nothing_is_confirmed_before_the_destination_answers
    a_password_in_an_error_is_caught: ShowPassword by no_error_shows_a_secret_or_goes_on_forever
    a_payload_in_an_error_is_caught: ShowPayload by no_error_shows_a_secret_or_goes_on_forever
    a_run_without_an_answer_is_caught: ForgetsTheLast by runs_that_go_together_arrive_in_their_order
    a_run_out_of_order_beside_others_is_caught: MixKeys by runs_that_go_together_arrive_in_their_order
    a_run_that_stops_the_others_is_caught: OneStopsAll by a_refused_message_stops_no_other_run
    an_outcome_of_another_run_is_caught: OutcomesMixedUp by a_refused_message_stops_no_other_run
    blaming_a_message_of_many_for_an_outage_is_caught: BlameTheMessage by an_outage_meets_every_run
    a_sink_wedged_by_dropped_hand_overs_is_caught: WedgeWhenDropped by a_hand_over_that_is_dropped_leaves_the_sink_usable
}
