//! How long messages waited: from when their commit was acknowledged to when they were handled.

use std::collections::HashMap;

use anyhow::{Context, Result, bail};

/// When something happened to a message: its number, and microseconds since 1970.
pub type At = (i64, i64);

/// Median, and the worst but for one in a hundred, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Waits {
    pub p50: f64,
    pub p99: f64,
}

impl Waits {
    /// Every message that was acknowledged must have been handled.
    pub fn between(acknowledged: &[At], handled: &[At]) -> Result<Self> {
        let handled: HashMap<i64, i64> = handled.iter().copied().collect();
        let mut waits = Vec::with_capacity(acknowledged.len());
        for (message, at) in acknowledged {
            let handled = handled.get(message).with_context(|| format!("message {message} was never handled"))?;
            // Now and then a message is handled before its writer hears that it is stored.
            waits.push((handled - at).max(0) as f64 / 1_000.0);
        }
        if waits.is_empty() {
            bail!("nothing was written");
        }
        waits.sort_by(f64::total_cmp);
        let at = |share: f64| waits[((waits.len() as f64 * share) as usize).min(waits.len() - 1)];
        Ok(Self { p50: at(0.5), p99: at(0.99) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_found_by_their_number() {
        let acknowledged: Vec<At> = (0..100).map(|n| (n, 1_000 * n)).collect();
        let mut handled: Vec<At> = (0..100).map(|n| (n, 1_000 * n + 2_000 + 10 * n)).collect();
        handled.reverse();
        assert_eq!(Waits::between(&acknowledged, &handled).unwrap(), Waits { p50: 2.5, p99: 2.99 });
    }

    #[test]
    fn a_message_that_is_handled_before_the_acknowledgement_did_not_wait() {
        assert_eq!(Waits::between(&[(1, 5_000)], &[(1, 4_000)]).unwrap(), Waits { p50: 0.0, p99: 0.0 });
    }

    #[test]
    fn a_message_that_is_lost_is_an_error() {
        assert!(Waits::between(&[(1, 0), (2, 0)], &[(1, 1)]).unwrap_err().to_string().contains("message 2"));
        assert!(Waits::between(&[], &[]).is_err());
    }
}
