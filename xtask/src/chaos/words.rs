//! What a relay says of itself while it runs, as far as that explains why something came twice: on a busy machine leases end and answers
//! come late without a fault of ours. Noted by our clock, since that of the relay may be wrong.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;

use serde_json::Value;

use super::fault_log::{Entry, now_micros};

/// Its leases have ended although it lived.
pub const LEASE_EXPIRED: &str = "lease_expired";
/// It took a destination for gone.
pub const OUT_OF_REACH: &str = "out_of_reach";
/// An answer did not come in time; the target is the message.
pub const UNANSWERED: &str = "unanswered";

/// Follows the log of a relay.
#[derive(Debug)]
pub struct Words {
    log: PathBuf,
    relay: String,
    read_to: u64,
    looked_at: u64,
    pub heard: Vec<Entry>,
}

impl Words {
    pub fn of(relay: &str, log: PathBuf) -> Self {
        Self { log, relay: relay.to_owned(), read_to: 0, looked_at: now_micros(), heard: Vec::new() }
    }

    /// Reads what was said since the last time. A line that is not complete is left for the next.
    pub fn listen(&mut self) {
        let (from, to) = (self.looked_at, now_micros());
        self.looked_at = to;
        let mut said = Vec::new();
        let read = File::open(&self.log).and_then(|mut log| {
            log.seek(SeekFrom::Start(self.read_to))?;
            log.read_to_end(&mut said)
        });
        let Some(end) = read.ok().and_then(|_| said.iter().rposition(|byte| *byte == b'\n')) else { return };
        self.read_to += end as u64 + 1;
        for line in String::from_utf8_lossy(&said[..end]).lines() {
            let heard = serde_json::from_str(line).ok().and_then(|line| meaning(&line, &self.relay));
            self.heard.extend(heard.map(|(kind, target)| Entry { from, to, kind, scene: None, target }));
        }
    }
}

fn meaning(line: &Value, relay: &str) -> Option<(&'static str, String)> {
    let text = |name: &str| line[name].as_str().unwrap_or_default();
    let message = text("message");
    if message.starts_with("leases lost") {
        return Some((LEASE_EXPIRED, relay.to_owned()));
    }
    if message.starts_with("destination is out of reach") {
        return Some((OUT_OF_REACH, text("destination").to_owned()));
    }
    let unanswered = message == "delivery failed" && text("error").contains("no answer");
    unanswered.then(|| (UNANSWERED, text("message_id").to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_relay_says_is_understood() {
        let of = |line: Value| meaning(&line, "relay-1");
        let lost = json!({ "message": "leases lost: they expired, for the store did not renew them in time" });
        assert_eq!(of(lost), Some((LEASE_EXPIRED, "relay-1".into())));
        let late = json!({ "message": "delivery failed", "message_id": "m", "error": "a gave no answer within 2s" });
        assert_eq!(of(late), Some((UNANSWERED, "m".into())));
        let refused = json!({ "message": "delivery failed", "message_id": "m", "error": "answered 503" });
        assert_eq!(of(refused), None);
    }
}
