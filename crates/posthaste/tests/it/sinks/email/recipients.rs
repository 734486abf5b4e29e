//! Mails to several people: each has it once, whatever becomes of the others.

use std::time::Duration;

use posthaste::sink::Verdict;
use posthaste::sinks::email::{Email, OneOrMany};
use serde_json::json;

use super::mailpit::Mailpit;
use super::{nobodys, settings};
use crate::servers::{Private, block_on};
use crate::sinks::changed;
use crate::sinks::everything::{deliver, order, written};

#[tokio::test]
async fn a_recipient_that_is_refused_keeps_the_mail_from_nobody_and_is_not_shown() {
    let (mailpit, good, bad) = (Mailpit::shared(), nobodys(), "somebody@refused.example.net");
    let both = changed(settings(&mailpit.smtp, bad), |settings| settings.cc = OneOrMany::One(written(&good)));
    let sink = Email::new(both).expect("the settings are good");
    let message = order(&json!({})).build().unwrap();
    let outcome = deliver(&sink, &message, None).await;
    let error = outcome.error.expect("one was refused");
    assert_eq!((outcome.confirmed, error.verdict), (0, Verdict::Reject), "{error}");
    assert!(error.text().starts_with("the server refused 1 of 2 recipients with 5"), "{error}");
    assert!(!error.text().contains('@'), "{error}");
    assert_eq!(mailpit.mails_to(&good).await.len(), 1);

    let again = deliver(&sink, &message, outcome.progress).await;
    assert!(again.error.is_some());
    assert_eq!(mailpit.mails_to(&good).await.len(), 1, "who has it does not get it again");
}

#[tokio::test]
async fn many_recipients_are_split_into_several_transactions() {
    let (mailpit, mark) = (Mailpit::shared(), uuid::Uuid::now_v7().simple().to_string());
    let everyone: Vec<String> = (0..130).map(|n| format!("u-{mark}-{n}@example.com")).collect();
    let sink = Email::new(settings(&mailpit.smtp, "{% for to in payload.to %}{{ to }},{% endfor %}"));
    let message = order(&json!({ "to": everyone })).build().unwrap();
    let outcome = deliver(&sink.expect("the settings are good"), &message, None).await;
    assert!(outcome.error.is_none(), "{outcome:?}");
    assert_eq!(mailpit.mails_to(&everyone[0]).await.len(), 3, "50, 50 and 30: the same mail to all of them");
}

#[test]
fn a_server_that_takes_fewer_recipients_gets_more_transactions() {
    block_on(async {
        let server = Private::start_with("mailpit", &["--smtp-max-recipients", "3"]).await;
        let mailpit = Mailpit::of(&server);
        let everyone: Vec<String> = (0..8).map(|n| format!("u-{n}@example.com")).collect();
        let sink = Email::new(settings(&mailpit.smtp, "{% for to in payload.to %}{{ to }},{% endfor %}"));
        let message = order(&json!({ "to": everyone })).build().unwrap();
        let outcome = deliver(&sink.expect("the settings are good"), &message, None).await;
        assert!(outcome.error.is_none(), "{outcome:?}");
        assert_eq!(mailpit.mails_to("u-7@example.com").await.len(), 3);
    });
}

#[test]
fn replies_of_the_server_have_their_verdicts() {
    block_on(async {
        let server = Private::start("mailpit").await;
        let mailpit = Mailpit::of(&server);
        let sink = Email::new(settings(&mailpit.smtp, "u-1@example.com")).expect("the settings are good");
        let greylisted = Verdict::RetryAfter(Duration::from_secs(300));
        let cases = [
            ("Recipient", 451, greylisted),
            ("Recipient", 450, greylisted),
            ("Recipient", 452, Verdict::Retry),
            ("Recipient", 550, Verdict::Reject),
            ("Recipient", 421, Verdict::Unreachable),
            ("Sender", 451, greylisted),
            ("Sender", 550, Verdict::Reject),
            ("Authentication", 535, Verdict::Unreachable),
        ];
        for (step, code, verdict) in cases {
            mailpit.chaos(&json!({ step: { "ErrorCode": code, "Probability": 100 } })).await;
            // A new connection for each: the login is asked once.
            let sink = Email::new(settings(&mailpit.smtp, "u-1@example.com")).expect("the settings are good");
            let outcome = deliver(&sink, &order(&json!({})).build().unwrap(), None).await;
            let error = outcome.error.expect("it was refused");
            assert_eq!(error.verdict, verdict, "{step} {code}: {error}");
            assert!(error.text().contains(&code.to_string()) && !error.text().contains('@'), "{error}");
        }
        mailpit.chaos(&json!({})).await;
        assert!(deliver(&sink, &order(&json!({})).build().unwrap(), None).await.error.is_none());
        assert_eq!(mailpit.mails_to("u-1@example.com").await.len(), 1);
    });
}
