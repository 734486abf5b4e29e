//! Certificates of one test, and what has to be refused for want of the right ones.

use std::path::{Path, PathBuf};
use std::process::Command;

use posthaste::sink::{Sink, Verdict};

/// In a folder of their own: an authority, one for both sides that it has signed, and an authority that has signed nothing.
pub(crate) struct Certificates(PathBuf);

impl Certificates {
    pub(crate) fn make() -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tls-{}", uuid::Uuid::now_v7().simple()));
        std::fs::create_dir_all(&folder).unwrap();
        let made = Self(folder);
        made.openssl(&["-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=authority"]);
        made.openssl(&["-keyout", "stranger.key", "-out", "stranger.pem", "-subj", "/CN=stranger"]);
        let signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-extensions", "usr_cert", "-subj", "/CN=localhost"];
        let names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
        made.openssl(&[&signed[..], &names, &["-keyout", "own.key", "-out", "own.pem"]].concat());
        made
    }

    fn openssl(&self, arguments: &[&str]) {
        let new = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
        let output = Command::new("openssl").args(new).args(arguments).current_dir(&self.0).output();
        let output = output.expect("openssl is installed");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Whom to trust.
    pub(crate) fn authority(&self) -> PathBuf {
        self.0.join("ca.pem")
    }

    /// Whom it is wrong to trust.
    pub(crate) fn stranger(&self) -> PathBuf {
        self.0.join("stranger.pem")
    }

    pub(crate) fn certificate(&self) -> PathBuf {
        self.0.join("own.pem")
    }

    pub(crate) fn key(&self) -> PathBuf {
        self.0.join("own.key")
    }
}

impl Drop for Certificates {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// An outage, whose error has these words, and shows no secret.
pub(crate) async fn assert_turned_away(sink: &dyn Sink, words: &str, secret: &str) {
    let checked = sink.check().await.unwrap_err();
    let (confirmed, delivered) = super::key::refused(sink, &super::key::messages("1", 1)).await;
    assert_eq!(confirmed, 0);
    for error in [checked, delivered] {
        assert_eq!(error.verdict, Verdict::Unreachable, "{error}");
        assert!(error.text().contains(words), "{error}");
        assert!(!format!("{error:?} {sink:?}").contains(secret), "{error:?} {sink:?}");
    }
}
