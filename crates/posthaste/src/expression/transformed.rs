//! A sink behind a transformation.

use std::sync::Arc;

use async_trait::async_trait;

use super::Transform;
use crate::sink::{Delivery, Error, Outcome, Outcomes, Run, Sink};

/// A sink that gets transformed messages.
#[derive(Debug)]
pub struct Transformed {
    transform: Transform,
    sink: Arc<dyn Sink>,
}

impl Transformed {
    /// Puts a transformation before a sink.
    pub fn new(transform: Transform, sink: Arc<dyn Sink>) -> Self {
        Self { transform, sink }
    }

    /// What can be transformed of a run, and what stopped that.
    fn transformed(&self, run: &Run) -> (Run, Option<Error>) {
        let (mut deliveries, mut stopped) = (Vec::with_capacity(run.deliveries.len()), None);
        for delivery in &run.deliveries {
            match self.transform.apply(&delivery.message) {
                Ok(message) => deliveries.push(Delivery { message: message.into(), ..delivery.clone() }),
                Err(why) => {
                    stopped = Some(Error::reject(why));
                    break;
                }
            }
        }
        (Run { deliveries, ..run.clone() }, stopped)
    }
}

#[async_trait]
impl Sink for Transformed {
    async fn deliver(&self, run: &Run) -> Outcome {
        Outcomes::of_one(self, run).await
    }

    fn runs_at_once(&self) -> usize {
        self.sink.runs_at_once()
    }

    async fn deliver_all(&self, runs: &[Run], outcomes: &mut Outcomes) {
        let (mut sent, mut cuts) = (Vec::with_capacity(runs.len()), Vec::with_capacity(runs.len()));
        for (place, run) in runs.iter().enumerate() {
            let (run, stopped) = self.transformed(run);
            match stopped {
                Some(error) if run.deliveries.is_empty() => outcomes.answer(place, Outcome::stopped(0, error)),
                stopped => {
                    cuts.push(Cut { place, length: run.deliveries.len(), stopped });
                    sent.push(run);
                }
            }
        }
        if !sent.is_empty() {
            let mut answers = Answers { of_sink: Outcomes::awaited(sent.len()), cuts, outcomes };
            self.sink.deliver_all(&sent, &mut answers.of_sink).await;
        }
    }

    async fn check(&self) -> Result<(), Error> {
        self.sink.check().await
    }

    async fn describe(&self) -> Vec<String> {
        self.sink.describe().await
    }

    fn resumes(&self) -> bool {
        self.sink.resumes()
    }
}

/// What was handed on of a run.
struct Cut {
    /// The place of the run in its hand-over.
    place: usize,
    length: usize,
    /// Why no more of it was.
    stopped: Option<Error>,
}

/// What the sink answers becomes the answer, also if nobody waits for the rest of the hand-over any more.
struct Answers<'a> {
    of_sink: Outcomes,
    cuts: Vec<Cut>,
    outcomes: &'a mut Outcomes,
}

impl Drop for Answers<'_> {
    fn drop(&mut self) {
        for (nth, cut) in self.cuts.iter_mut().enumerate() {
            let Some(answer) = self.of_sink.of(nth) else { continue };
            let complete = answer.error.is_none() && answer.confirmed == cut.length;
            let error = if complete { cut.stopped.take() } else { answer.error.clone() };
            let (progress, replies) = (answer.progress.clone(), answer.replies.clone());
            let outcome = Outcome { confirmed: answer.confirmed, error, progress, replies };
            self.outcomes.answer(cut.place, outcome);
        }
    }
}
