//! Somebody who pauses, resumes and rewinds the source.

use std::time::Duration;

use super::{Event, FAULTS_UNTIL, SourceWorld};
use crate::inspect::SourceChange;

/// How long somebody looks after the source once all faults are over.
const LOOKS_FOR: Duration = Duration::from_secs(10);

impl SourceWorld {
    pub(super) fn operate(&mut self) {
        // Whoever goes ahead of the checkpoint wants to miss something.
        let current = self.store.sources().into_iter().find_map(|status| status.checkpoint);
        let changes = [
            SourceChange::Pause,
            SourceChange::Rewind(None),
            SourceChange::Rewind(self.log.somewhere(&mut self.dice, current.as_ref())),
            SourceChange::Resume,
        ];
        let which = if self.has_faults() { self.dice.below(4) as usize } else { 3 };
        self.rewound |= (1..3).contains(&which);
        // Before anybody has read it there is nothing to change.
        let _ = self.store.change_source(&self.source, &changes[which]);
        if which == 0 {
            let at = self.now + self.dice.millis(100, 2_000);
            self.at(at, 0, Event::Operate);
        }
        // A source that has stopped can be resumed once its worker has said so to the store, which may take another renewal.
        if (FAULTS_UNTIL..FAULTS_UNTIL + LOOKS_FOR).contains(&self.now) {
            self.at(self.now + Duration::from_secs(1), 0, Event::Operate);
        }
    }
}
