//! Who has a mail already, kept with a delivery that failed for the others.
//!
//! What is kept is a number for each address, not the address: it tells one recipient of a mail from another, and nothing more.

use lettre::Address;

/// The recipients that have the mail.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Received(Vec<u64>);

impl Received {
    /// As it was kept; what cannot be read is nothing.
    pub(super) fn from_progress(progress: Option<&[u8]>) -> Self {
        let numbers = progress.unwrap_or_default().as_chunks::<8>().0;
        Self(numbers.iter().map(|bytes| u64::from_be_bytes(*bytes)).collect())
    }

    /// What is kept; nothing if nobody has it.
    pub(super) fn progress(&self) -> Option<Vec<u8>> {
        (!self.0.is_empty()).then(|| self.0.iter().flat_map(|number| number.to_be_bytes()).collect())
    }

    pub(super) fn contains(&self, address: &Address) -> bool {
        self.0.contains(&number(address))
    }

    pub(super) fn add(&mut self, address: &Address) {
        if !self.contains(address) {
            self.0.push(number(address));
        }
    }
}

/// FNV-1a: the same on every machine and in every version.
fn number(address: &Address) -> u64 {
    let text: &str = address.as_ref();
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.to_lowercase().bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_a_mail_is_known_after_a_restart() {
        let [ann, bob]: [Address; 2] = ["ann@x.org", "Bob@x.org"].map(|text| text.parse().unwrap());
        let mut received = Received::from_progress(None);
        assert_eq!(received.progress(), None);
        received.add(&bob);
        received.add(&"bob@X.org".parse().unwrap());
        let kept = received.progress().unwrap();
        assert_eq!(kept.len(), 8);
        let again = Received::from_progress(Some(&kept));
        assert!(again.contains(&bob) && !again.contains(&ann));
        assert_eq!(Received::from_progress(Some(b"short")), Received::default());
    }
}
