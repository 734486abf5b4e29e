//! What workers say that they did, held against what was written.

use std::collections::{HashMap, HashSet};

use super::workers::Done;
use crate::orders::Written;

/// One run of a job.
#[derive(Debug)]
struct JobRun {
    pid: u64,
    ended: bool,
    /// BullMQ has told the worker that the job is completed.
    recorded: bool,
}

/// Every job ran to its end. One ran again only if each run before was cut off by the death of its worker, and no message of a key began
/// before the one before it had ended. Returns how many ran again.
#[track_caller]
pub(super) fn assert_each_done_once_and_in_order(done: &[Done], written: &[Written], killed: &HashSet<u64>) -> usize {
    let numbers: HashMap<&str, &Written> = written.iter().map(|event| (event.id.as_str(), event)).collect();
    let mut runs: HashMap<&str, Vec<JobRun>> = HashMap::new();
    let mut newest: HashMap<&str, &Written> = HashMap::new();
    for line in done {
        let event = numbers[line.message.as_str()];
        let earlier = runs.entry(&line.message).or_default();
        match line.event.as_str() {
            "begin" => {
                let cut_off = |run: &JobRun| killed.contains(&run.pid) && !run.recorded;
                assert!(earlier.iter().all(cut_off), "{event:?} ran twice: {earlier:?}, then in {}", line.pid);
                earlier.push(JobRun { pid: line.pid, ended: false, recorded: false });
                if let Some(before) = newest.insert(&event.key, event).filter(|before| *before != event) {
                    assert_eq!(event.number, before.number + 1, "of {}", event.key);
                    assert!(
                        runs[before.id.as_str()].iter().any(|run| run.ended),
                        "{event:?} began before {before:?} ended"
                    );
                }
            }
            said => {
                let run = earlier.iter_mut().rfind(|run| run.pid == line.pid).expect("it has begun");
                run.ended = true;
                run.recorded |= said == "recorded";
            }
        }
    }
    let lost =
        written.iter().find(|event| !runs.get(event.id.as_str()).is_some_and(|runs| runs.iter().any(|run| run.ended)));
    assert_eq!(lost, None, "it never ran to its end");
    runs.values().filter(|runs| runs.len() > 1).count()
}
