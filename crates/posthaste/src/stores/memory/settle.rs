//! What receivers say about what they were handed. Never touches a cursor: the holder of the lane picks the answer up by `due`.

use super::core::Core;
use crate::destination::Name;
use crate::error::Result;
use crate::inspect::{Answer, Settled};
use crate::journal::ParkedState;
use crate::message::MessageId;
use crate::rules::callback;

impl Core {
    /// See [`crate::inspect::Inspect::settle`].
    pub fn settle(&mut self, id: MessageId, destination: &Name, answer: &Answer) -> Result<Settled> {
        self.known(destination)?;
        let now = self.now;
        let place = self.by_id.get(&id).and_then(|at| Some((*at, self.journal.get(at)?.partition)));
        if let Some((position, partition)) = place {
            let lane = self.known_mut(destination)?.lane_mut(partition);
            let awaiting = lane.parked.get_mut(&position).filter(|parked| parked.state == ParkedState::Awaiting);
            if let Some(parked) = awaiting {
                let left = parked.due_at.unwrap_or_default().saturating_sub(now);
                return Ok(match callback::answer(parked.progress.as_deref(), left, answer) {
                    Ok(record) => {
                        (parked.progress, parked.due_at) = (Some(record), Some(now));
                        Settled::Taken
                    }
                    Err(settled) => settled,
                });
            }
        }
        Ok(callback::unawaited(self.get(id).as_ref().and_then(|report| report.status_at(destination)), &answer.says))
    }

    /// The record of a delivery that waits for its answer.
    #[cfg(feature = "simulator")]
    pub(crate) fn awaited(&self, destination: &Name, position: crate::journal::Position) -> Option<callback::Awaited> {
        let partition = self.journal.get(&position)?.partition;
        let parked = self.destinations.get(destination)?.lane(partition).parked.get(&position)?;
        let awaiting = Some(parked).filter(|parked| parked.state == ParkedState::Awaiting)?;
        callback::Awaited::stored(awaiting.progress.as_deref())
    }
}
