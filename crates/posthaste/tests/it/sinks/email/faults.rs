//! A server that fails at each step of a transaction, and what is known afterwards.

use posthaste::sink::{Sink, Verdict};
use posthaste::sinks::email::{Email, OneOrMany, Settings};
use serde_json::json;

use super::settings;
use crate::servers::{Private, block_on};
use crate::sinks::changed;
use crate::sinks::everything::{deliver, order, written};

/// `smtp-sink` knows no login.
fn open(smtp: &str) -> Settings {
    changed(settings(smtp, "u-1@example.com"), |settings| settings.url = format!("smtp://{smtp}").into())
}

#[test]
fn each_step_that_is_refused_has_its_verdict() {
    block_on(async {
        let cases = [
            (["-r", "RCPT"], Verdict::RetryAfter(std::time::Duration::from_secs(300))),
            (["-f", "RCPT"], Verdict::Reject),
            (["-f", "MAIL"], Verdict::Reject),
            (["-r", "DATA"], Verdict::RetryAfter(std::time::Duration::from_secs(300))),
            (["-f", "."], Verdict::Reject),
            (["-r", "."], Verdict::RetryAfter(std::time::Duration::from_secs(300))),
            (["-Q", "RCPT"], Verdict::Unreachable),
            (["-q", "."], Verdict::Unreachable),
            (["-q", "RCPT"], Verdict::Unreachable),
        ];
        for (options, verdict) in cases {
            let server = Private::start_with("smtp-sink", &options).await;
            let sink = Email::new(open(&server.address())).expect("the settings are good");
            let outcome = deliver(&sink, &order(&json!({})).build().unwrap(), None).await;
            let error = outcome.error.unwrap_or_else(|| panic!("{options:?}: it was not refused"));
            assert_eq!((outcome.confirmed, error.verdict), (0, verdict), "{options:?}: {error}");
        }
    });
}

#[test]
fn what_is_confirmed_was_written_down_by_the_server_with_its_envelope() {
    block_on(async {
        let server = Private::start("smtp-sink").await;
        let settings = changed(open(&server.address()), |settings| {
            settings.bcc = OneOrMany::One(written("hidden@example.org"));
        });
        let sink = Email::new(settings).expect("the settings are good");
        assert_eq!(sink.check().await, Ok(()));
        let message = order(&json!({ "dots": "line\n.\n..\nend" })).build().unwrap();
        assert!(deliver(&sink, &message, None).await.error.is_none());
        let folder = server.folder(0).join("mail");
        let files: Vec<_> =
            std::fs::read_dir(folder).expect("it writes there").map(|file| file.unwrap().path()).collect();
        let [file] = files.as_slice() else { panic!("{files:?}") };
        let text = std::fs::read_to_string(file).expect("it is text");
        assert!(
            text.contains("X-Rcpt-Args: <u-1@example.com>") && text.contains("X-Rcpt-Args: <hidden@example.org>"),
            "{text}"
        );
        assert_eq!(text.matches("hidden@example.org").count(), 1, "in the envelope and nowhere else: {text}");
        assert!(text.contains(&format!("Message-ID: <{}@example.com>", message.id)), "{text}");
    });
}

#[test]
fn a_connection_that_the_server_closed_meanwhile_costs_no_attempt() {
    block_on(async {
        let mut server = Private::start("smtp-sink").await;
        let sink = Email::new(open(&server.address())).expect("the settings are good");
        let message = order(&json!({})).build().unwrap();
        assert!(deliver(&sink, &message, None).await.error.is_none());
        server.kill();
        server.restart().await;
        assert!(deliver(&sink, &message, None).await.error.is_none(), "it connects anew");
    });
}
