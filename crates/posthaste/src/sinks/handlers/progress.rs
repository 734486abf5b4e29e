//! Which handlers are done with a message, as it is kept beside the parked delivery: a JSON array of their names.
//!
//! Names, not places: handlers come, go and change their order between two attempts. Names that this process does not know
//! are carried on, because in a rolling update the next attempt may be made by a process that does.

use std::collections::BTreeSet;

/// So many unknown names are carried on; beyond that, someone else's handlers may run once more.
const MAX_UNKNOWN: usize = 64;

/// What cannot be read counts as nothing done: to handle twice is allowed, to skip is not.
pub(super) fn decode(progress: Option<&[u8]>) -> BTreeSet<String> {
    progress.and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default()
}

pub(super) fn encode(done: &BTreeSet<String>, known: impl Fn(&str) -> bool) -> Vec<u8> {
    let (ours, foreign): (Vec<_>, Vec<_>) = done.iter().partition(|name| known(name));
    let names: Vec<_> = ours.into_iter().chain(foreign.into_iter().take(MAX_UNKNOWN)).collect();
    // A list of strings always serialises; an empty answer would only mean that everything runs again.
    serde_json::to_vec(&names).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_encoded_is_decoded_whatever_the_names_look_like() {
        let done: BTreeSet<String> = ["mail", "lager, süd", "\"[\n"].map(String::from).into();
        assert_eq!(decode(Some(&encode(&done, |_| true))), done);
    }

    #[test]
    fn garbage_counts_as_nothing_done() {
        for garbage in [&b""[..], b"\xff\0", b"{}", b"[1]", b"[\"mail\"", &[b'['; 100_000]] {
            assert!(decode(Some(garbage)).is_empty());
        }
        assert!(decode(None).is_empty());
    }

    #[test]
    fn unknown_names_are_carried_on_but_not_without_bound() {
        let done: BTreeSet<String> = (0..1_000).map(|n| format!("old-{n:04}")).chain(["mail".into()]).collect();
        let kept = decode(Some(&encode(&done, |name| name == "mail")));
        assert_eq!(kept.len(), MAX_UNKNOWN + 1);
        assert!(kept.contains("mail"));
    }
}
