//! What answers from outside mean, and what it means if none comes.

use super::sink_answers::carry_out;
use super::{DestinationState, Heard, LaneId};
use crate::engine::lane::Failure;
use crate::journal::Due;
use crate::rules::callback::Ended;
use crate::sink;

impl DestinationState {
    /// The wait of a delivery for its answer is over.
    pub(super) fn answer_ended(&mut self, lane: LaneId, due: Due, commits: u64, heard: &mut Heard<'_>) {
        let Some(lane) = self.lanes.get_mut(lane) else { return };
        let (judge, dest, handed_over) = (&mut self.judge, &self.dest, self.totals.handed_over);
        let taken = lane.take_answer(due, commits, |message, Ended { failure, took }| {
            let (verdict, text) = failure.unwrap_or((sink::Verdict::Retry, String::new()));
            let decision = judge.decide(dest, message, verdict, handed_over);
            carry_out(decision, message, Failure { error: sink::Error::new(verdict, text), progress: None, took })
        });
        match taken {
            None => {}
            Some(Ok(())) => {
                self.totals.delivered += 1;
                self.committer.settled(1);
            }
            Some(Err(failed)) => self.failed(failed, heard),
        }
    }
}
