//! Standard Webhooks: HMAC-SHA256 over id, timestamp and body.

use std::fmt::Write;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::secret::Secret;

/// As the specification asks: long enough not to be guessed, short enough to be a key.
const KEY_BYTES: std::ops::RangeInclusive<usize> = 24..=64;

/// Signs with every key, so that a receiver can change over from one to the next.
pub(super) struct Signer {
    keys: Vec<Hmac<Sha256>>,
}

impl Signer {
    /// `None` if there is nothing to sign with.
    pub(super) fn new(secrets: &[Secret]) -> Result<Option<Self>, String> {
        let keys = secrets.iter().map(key).collect::<Result<Vec<_>, _>>()?;
        Ok(Some(Self { keys }).filter(|signer| !signer.keys.is_empty()))
    }

    /// The value of `webhook-signature`.
    pub(super) fn sign(&self, id: &str, timestamp: i64, body: &[u8]) -> String {
        let mut signatures = String::new();
        for key in &self.keys {
            let mut mac = key.clone();
            mac.update(format!("{id}.{timestamp}.").as_bytes());
            mac.update(body);
            let separator = if signatures.is_empty() { "" } else { " " };
            // Writing to a string cannot fail.
            let _ = write!(signatures, "{separator}v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes()));
        }
        signatures
    }
}

fn key(secret: &Secret) -> Result<Hmac<Sha256>, String> {
    let text = secret.expose().trim();
    let wrong = "must each be `whsec_` and 24 to 64 bytes in base64 (make one with `openssl rand -base64 32`)";
    let bytes = BASE64_STANDARD.decode(text.strip_prefix("whsec_").unwrap_or(text)).map_err(|_| wrong)?;
    if !KEY_BYTES.contains(&bytes.len()) {
        return Err(wrong.into());
    }
    Hmac::new_from_slice(&bytes).map_err(|_| wrong.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const OTHER: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
    const SIGNATURE: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    fn signed(secrets: &[&str], id: &str, timestamp: i64, body: &str) -> String {
        let secrets: Vec<Secret> = secrets.iter().map(|&secret| secret.into()).collect();
        Signer::new(&secrets).unwrap().unwrap().sign(id, timestamp, body.as_bytes())
    }

    #[test]
    fn the_published_vector_of_standard_webhooks_is_met() {
        let (id, timestamp, body) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, r#"{"test": 2432232314}"#);
        assert_eq!(signed(&[SECRET], id, timestamp, body), SIGNATURE);
        assert_eq!(signed(&[SECRET.trim_start_matches("whsec_")], id, timestamp, body), SIGNATURE);
        let both = signed(&[OTHER, SECRET], id, timestamp, body);
        let (other, ours) = both.split_once(' ').expect("one for each secret");
        assert_eq!((other.starts_with("v1,"), ours), (true, SIGNATURE));
        for (id, timestamp, body) in [("msg_x", timestamp, body), (id, 1, body), (id, timestamp, "{}")] {
            assert_ne!(signed(&[SECRET], id, timestamp, body), SIGNATURE);
        }
    }

    #[test]
    fn what_is_no_key_is_refused_without_being_shown() {
        for secret in
            ["", "whsec_", "whsec_c2hvcnQ=", "whsec_not base64 at all, but long enough to be one", &"QUFB".repeat(30)]
        {
            let error = Signer::new(&[secret.into()]).err().expect("it is no key");
            assert!(!error.contains("not base64 at all") && error.contains("24 to 64"), "{error}");
        }
        assert!(Signer::new(&[]).unwrap().is_none());
    }
}
