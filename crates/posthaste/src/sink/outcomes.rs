//! The answers to the runs of one hand-over.

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

use super::{Outcome, Run, Sink};

/// What the runs of one hand-over came to, each on its own. What a sink does not answer counts as not delivered.
#[derive(Debug)]
pub struct Outcomes(Vec<Option<Outcome>>);

impl Outcomes {
    /// What one run comes to, for a sink that takes several at once anyway.
    pub async fn of_one<S: Sink + ?Sized>(sink: &S, run: &Run) -> Outcome {
        let mut outcomes = Self::awaited(1);
        sink.deliver_all(std::slice::from_ref(run), &mut outcomes).await;
        outcomes.0.pop().flatten().unwrap_or_else(Outcome::unanswered)
    }

    /// So many runs are handed over, and none is answered yet.
    pub fn awaited(runs: usize) -> Self {
        Self(std::iter::repeat_with(|| None).take(runs).collect())
    }

    /// The n-th run of the hand-over, counted from zero, came to this. What is said first counts.
    pub fn answer(&mut self, run: usize, outcome: Outcome) {
        if let Some(awaited) = self.0.get_mut(run) {
            awaited.get_or_insert(outcome);
        }
    }

    /// What the n-th run came to; `None` while it is not answered.
    pub fn of(&self, run: usize) -> Option<&Outcome> {
        self.0.get(run)?.as_ref()
    }

    /// What each run came to, in the order of the hand-over, with the words of `unanswered` for those that got no answer.
    pub fn or_else(self, unanswered: impl Fn() -> Outcome) -> Vec<Outcome> {
        self.0.into_iter().map(|outcome| outcome.unwrap_or_else(&unanswered)).collect()
    }
}

/// Delivers runs as a sink does that takes one at a time, and answers each when it is done.
pub(super) async fn beside_each_other<S: Sink + ?Sized>(sink: &S, runs: &[Run], outcomes: &mut Outcomes) {
    if let [run] = runs {
        return outcomes.answer(0, sink.deliver(run).await);
    }
    let deliver = |(nth, run)| async move { (nth, sink.deliver(run).await) };
    let mut under_way: FuturesUnordered<_> = runs.iter().enumerate().map(deliver).collect();
    while let Some((nth, outcome)) = under_way.next().await {
        outcomes.answer(nth, outcome);
    }
}
