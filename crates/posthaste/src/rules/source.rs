//! What an operator's change does to a source.

use crate::inspect::{SourceChange, SourceStatus};
use crate::journal::SourceState;

/// The source after a change, or `None` if that changes nothing.
pub fn changed(source: &SourceStatus, change: &SourceChange) -> Option<SourceStatus> {
    let has_stopped = source.report.as_ref().is_some_and(|report| report.state == SourceState::Stopped);
    let mut after = SourceStatus { worker: None, held: false, ..source.clone() };
    let changes = match change {
        SourceChange::Pause => !std::mem::replace(&mut after.paused, true),
        SourceChange::Resume => std::mem::replace(&mut after.paused, false) || has_stopped,
        SourceChange::Rewind(to) => {
            after.checkpoint.clone_from(to);
            source.checkpoint != *to
        }
    };
    if matches!(change, SourceChange::Resume) {
        after.report = None;
    }
    changes.then_some(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::SourceReport;
    use crate::source::Checkpoint;

    #[test]
    fn a_change_takes_the_source_away_from_its_reader_and_one_without_effect_does_nothing() {
        let held = SourceStatus { worker: Some("w".into()), held: true, ..SourceStatus::default() };
        assert_eq!(changed(&held, &SourceChange::Resume), None);
        let paused = changed(&held, &SourceChange::Pause).unwrap();
        assert!(paused.paused && paused.worker.is_none() && !paused.held);
        assert_eq!(changed(&paused, &SourceChange::Pause), None);
        assert!(!changed(&paused, &SourceChange::Resume).unwrap().paused);
        let to = Checkpoint::new("7").ok();
        assert_eq!(changed(&held, &SourceChange::Rewind(to.clone())).unwrap().checkpoint, to);
        assert_eq!(changed(&held, &SourceChange::Rewind(None)), None);
        let stopped = SourceReport { state: SourceState::Stopped, ..SourceReport::default() };
        let stopped = SourceStatus { report: Some(stopped), ..held };
        let resumed = changed(&stopped, &SourceChange::Resume).expect("so that it tries again");
        assert_eq!(resumed.report, None, "nothing is known of it until it has tried");
        let paused = changed(&stopped, &SourceChange::Pause).unwrap();
        assert_eq!(paused.report, stopped.report, "why it stopped stays known");
    }
}
