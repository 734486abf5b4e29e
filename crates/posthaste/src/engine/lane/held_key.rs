//! Reading on behind a held key.

use super::key_queue::{Place, QueuedMessage};
use super::{Lane, QueueId};
use crate::journal::{Entry, HeldKey, Position};

impl Lane {
    /// What to ask the store for: the messages that wait behind a held key. The answer goes to [`Lane::take_waiting`].
    pub(in crate::engine) fn key_to_read(&self, queue: QueueId) -> Option<HeldKey> {
        let target = self.queues.get(queue)?;
        let hold = target.hold.as_ref().filter(|hold| hold.reading)?;
        Some(HeldKey { key: target.key.clone()?, after: hold.loaded_to, until: hold.until })
    }

    /// Takes what waits behind a held key up to `upto`, each with why the destination's filter cannot be asked about it. `commits` is
    /// the number of commits known when it was asked for.
    pub(in crate::engine) fn take_waiting(
        &mut self,
        queue: QueueId,
        upto: Position,
        entries: impl Iterator<Item = (Entry, Option<String>)>,
        commits: u64,
    ) {
        let Some(hold) = self.queues.get_mut(queue).and_then(|queue| queue.hold.as_mut()) else { return };
        hold.reading = false;
        hold.loaded_to = upto;
        // What was passed as due stays due, also if the store's clock has jumped back since.
        for (entry, unfit) in entries {
            if !self.is_touched(entry.position, commits) {
                self.admit(queue, QueuedMessage::new(entry, Place::HeldKey).unfit(unfit));
            }
        }
        self.go_on(queue);
    }

    /// What waits behind a held key could not be read; it is to be read again.
    pub(in crate::engine) fn waiting_not_read(&mut self, queue: QueueId) {
        let Some(target) = self.queues.get_mut(queue) else { return };
        if let Some(hold) = &mut target.hold {
            hold.reading = false;
        }
        self.go_on(queue);
    }
}
