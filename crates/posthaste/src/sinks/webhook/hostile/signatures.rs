//! Secrets and what they sign.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use posthaste_hostile::{Outcome, Target, fields};
use sha2::{Digest, Sha256};

use crate::secret::Secret;
use crate::sinks::webhook::Signer;

/// HMAC as RFC 2104 writes it, with nothing but the hash.
fn hmac(key: &[u8], text: &[u8]) -> Vec<u8> {
    let mut block = [0_u8; 64];
    block[..key.len()].copy_from_slice(key);
    let inner = Sha256::digest([&block.map(|byte| byte ^ 0x36)[..], text].concat());
    Sha256::digest([&block.map(|byte| byte ^ 0x5c)[..], &inner[..]].concat()).to_vec()
}

#[test]
fn a_signature_is_that_of_rfc_2104_and_a_secret_that_is_none_is_not_repeated() {
    const WORDS: &[&str] = &[
        "whsec_",
        "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
        "=",
        "==",
        " ",
        "\x1f",
        "{}",
        "AAAA",
        "\n",
    ];
    Target::new("signatures", WORDS).run(|input| {
        let [secret, other, body] = fields::<3>(input);
        let secrets = [secret, other].map(|bytes| Secret::new(String::from_utf8_lossy(bytes)));
        let made = Signer::new(&secrets);
        match &made {
            Ok(signer) => {
                let signed = signer.as_ref().expect("two secrets").sign("msg_1", -1, body);
                let text = [b"msg_1.-1.", body].concat();
                let expected = secrets.map(|secret| {
                    let key = secret.expose().trim();
                    let key = BASE64_STANDARD.decode(key.strip_prefix("whsec_").unwrap_or(key)).expect("it was taken");
                    assert!((24..=64).contains(&key.len()));
                    format!("v1,{}", BASE64_STANDARD.encode(hmac(&key, &text)))
                });
                assert_eq!(signed, expected.join(" "));
            }
            Err(why) => {
                let shown = secrets.iter().any(|secret| secret.expose().len() > 12 && why.contains(secret.expose()));
                assert!(why.contains("24 to 64 bytes") && !shown, "{why}");
            }
        }
        Outcome::of(&made)
    });
}
