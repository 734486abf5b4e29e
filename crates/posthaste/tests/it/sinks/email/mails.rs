//! What a mail looks like to whoever gets it.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use posthaste::message::Message;
use posthaste::sink::Verdict;
use posthaste::sinks::email::{Email, OneOrMany, Settings};
use serde_json::json;

use super::mailpit::{Mail, Mailpit};
use super::{nobodys, settings};
use crate::sinks::changed;
use crate::sinks::everything::{deliver, order, refusal, written};

async fn sent(change: impl FnOnce(&mut Settings), message: &Message) -> Vec<Mail> {
    let (mailpit, to) = (Mailpit::shared(), nobodys());
    let sink = Email::new(changed(settings(&mailpit.smtp, &to), change)).expect("the settings are good");
    let outcome = deliver(&sink, message, None).await;
    assert!(outcome.error.is_none(), "{outcome:?}");
    mailpit.mails_to(&to).await
}

#[tokio::test]
async fn a_mail_has_everything_that_the_config_writes_and_the_id_of_its_message() {
    let message = order(&json!({ "name": "Zoë & Sons", "items": ["a", "b"] })).build().unwrap();
    let mails = sent(
        |settings| {
            settings.subject = written("Order {{ aggregate_id }} for {{ payload.name }}");
            settings.text =
                Some(written("Dear {{ payload.name }},\nshipped:{% for i in payload.items %} {{ i }}{% endfor %}\n"));
            settings.html = Some(written("<p>Dear <b>{{ payload.name }}</b></p>"));
            settings.reply_to = Some(written("Help <help@example.com>"));
            settings.cc = OneOrMany::One(written("{{ payload.name }} <cc@example.org>"));
            settings.bcc = OneOrMany::Many(vec![written("bcc@example.org")]);
            settings.list_unsubscribe = Some(written("https://example.com/u?o={{ aggregate_id }}"));
            settings.headers = [("X-Event".to_owned(), written("{{ event_type }} ü"))].into();
        },
        &message,
    )
    .await;
    let [mail] = mails.as_slice() else { panic!("{} mails", mails.len()) };
    assert_eq!(mail.subject(), "Order 42 for Zoë & Sons");
    assert_eq!(mail.text().trim().replace("\r\n", "\n"), "Dear Zoë & Sons,\nshipped: a b");
    assert_eq!(mail.html().trim(), "<p>Dear <b>Zoë &amp; Sons</b></p>");
    assert_eq!(mail.message["From"]["Name"], "Shop");
    assert_eq!((mail.addresses("ReplyTo"), mail.addresses("Cc")), (vec!["help@example.com"], vec!["cc@example.org"]));
    assert_eq!(mail.message["MessageID"], format!("{}@example.com", message.id));
    assert_eq!(mail.header("List-Unsubscribe"), ["<https://example.com/u?o=42>"]);
    assert_eq!(mail.header("List-Unsubscribe-Post"), ["List-Unsubscribe=One-Click"]);
    assert_eq!(mail.header("X-Event").len(), 1);
    assert_eq!(mail.addresses("Bcc"), ["bcc@example.org"], "the server knows it from the envelope");
}

#[tokio::test]
async fn a_repeat_is_the_same_mail_byte_for_byte() {
    let message = order(&json!({ "name": "x" })).build().unwrap();
    let (mailpit, to) = (Mailpit::shared(), nobodys());
    let both = changed(settings(&mailpit.smtp, &to), |settings| settings.html = Some(written("<p>{{ id }}</p>")));
    let sink = Email::new(both).expect("the settings are good");
    for _ in 0..2 {
        assert!(deliver(&sink, &message, None).await.error.is_none());
    }
    let mails = mailpit.mails_to(&to).await;
    assert_eq!(mails.len(), 2);
    let what =
        |mail: &Mail| (mail.message["MessageID"].clone(), mail.message["Date"].clone(), mail.message["Size"].clone());
    assert_eq!(what(&mails[0]), what(&mails[1]));
}

#[tokio::test]
async fn files_of_the_payload_are_attached_byte_for_byte() {
    let content: Vec<u8> = (0..=255).cycle().take(10_000).collect();
    let files = json!([
        { "name": "../invoice 7.pdf", "type": "application/pdf", "content": BASE64_STANDARD.encode(&content) },
        { "name": "notes.txt", "content": BASE64_STANDARD.encode("a\nb\r\n") },
    ]);
    let message = order(&json!({ "bill": { "files": files } })).build().unwrap();
    let mails = sent(|settings| settings.attachments = Some("bill.files".into()), &message).await;
    let expected = [
        ("invoice 7.pdf".to_owned(), "application/pdf".to_owned(), content),
        ("notes.txt".to_owned(), "application/octet-stream".to_owned(), b"a\nb\r\n".to_vec()),
    ];
    assert_eq!(mails[0].files, expected);
}

#[tokio::test]
async fn what_cannot_be_a_mail_is_a_reject_that_names_the_setting() {
    let mailpit = Mailpit::shared();
    let large = BASE64_STANDARD.encode(vec![7; 100_000]);
    let file = |content: &str| json!({ "name": "a", "content": content });
    let cases = [
        (json!({ "name": "x" }), "text: `payload.total` is missing in this message"),
        (json!({ "total": 1, "to": "nobody" }), "to: address 1 is none"),
        (json!({ "total": 1, "to": "" }), "to: this message has no recipient"),
        (json!({ "total": 1, "files": "x" }), "attachments: `payload.files` is no list"),
        (json!({ "total": 1, "files": [file("a"), file("b"), file("c")] }), "attachments: `payload.files` has 3 files"),
        (
            json!({ "total": 1, "files": [file("%")] }),
            "attachments: `payload.files[0]` has a `content` that is not base64",
        ),
        (json!({ "total": 1, "files": [file(&large)] }), "bytes: at most 50000 are sent (max_bytes)"),
    ];
    let choice = "{{ payload.to | default('somebody@example.com') }}";
    let sink = Email::new(changed(settings(&mailpit.smtp, choice), |settings| {
        settings.text = Some(written("{{ payload.total }}"));
        settings.attachments = Some("files".into());
        (settings.max_attachments, settings.max_bytes) = (2, 50_000);
    }));
    let sink = sink.expect("the settings are good");
    for (payload, says) in cases {
        let error = refusal(&sink, &order(&payload).build().unwrap()).await;
        assert_eq!(error.verdict, Verdict::Reject);
        assert!(error.text().contains(says), "{error}");
    }
}
