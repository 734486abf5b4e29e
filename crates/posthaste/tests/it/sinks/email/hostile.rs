//! Payloads that want to be more than text.

use posthaste::sink::Verdict;
use posthaste::sinks::email::{Email, OneOrMany};
use serde_json::json;

use super::mailpit::Mailpit;
use super::{nobodys, settings};
use crate::sinks::changed;
use crate::sinks::everything::{HOSTILE, deliver, order, refusal, written};

#[tokio::test]
async fn nothing_is_injected_into_a_mail_by_any_field() {
    let (mailpit, to) = (Mailpit::shared(), nobodys());
    let hostile = changed(settings(&mailpit.smtp, &format!("{{{{ payload.x }}}} <{to}>")), |settings| {
        settings.from = written("{{ payload.x }} <shop@example.com>");
        settings.cc = OneOrMany::One(written("{{ payload.x }} <cc@example.org>"));
        settings.reply_to = Some(written("{{ payload.x }} <help@example.com>"));
        settings.subject = written("S {{ payload.x }} E");
        settings.text = Some(written("T {{ payload.x }} E"));
        settings.html = Some(written("<p title=\"{{ payload.x }}\">{{ payload.x }}</p>"));
        settings.headers = [("X-Note".to_owned(), written("H {{ payload.x }} E"))].into();
        settings.attachments = Some("files".into());
    });
    let files = json!([{ "name": HOSTILE, "type": HOSTILE, "content": "YQ==" }]);
    let message = order(&json!({ "x": HOSTILE, "files": files })).build().unwrap();
    let outcome = deliver(&Email::new(hostile).expect("the settings are good"), &message, None).await;
    assert!(outcome.error.is_none(), "{outcome:?}");

    let mails = mailpit.mails_to(&to).await;
    let [mail] = mails.as_slice() else { panic!("{} mails", mails.len()) };
    assert_eq!(mail.addresses("To"), [to.as_str()]);
    assert_eq!(mail.addresses("Cc"), ["cc@example.org"]);
    assert_eq!(mail.addresses("ReplyTo"), ["help@example.com"]);
    assert_eq!((mail.addresses("Bcc"), mail.header("Bcc")), (vec![], vec![]), "no header was added");
    assert_eq!(mail.message["From"]["Address"], "shop@example.com");
    assert!(mail.subject().starts_with("S x Bcc: evil@example.com <script>") && mail.subject().ends_with(" E"));
    assert!(!mail.html().contains("<script") && !mail.html().contains("<b>"), "{}", mail.html());
    assert!(mail.html().matches('<').count() == 2, "only the template's own tags: {}", mail.html());
    assert_eq!(mail.files.len(), 1);
    let everything = format!("{}{}{}{}", mail.message, mail.headers, mail.text(), mail.html());
    for mark in ['\u{202e}', '\u{2066}', '\u{200f}', '\u{0}', '\u{1b}'] {
        assert!(!everything.contains(mark), "{mark:?}");
    }
    assert!(mail.text().contains("{{ id }}{% raw %}"), "a value is no template");
    assert!(mailpit.mails_to("evil@example.com").await.is_empty());
}

#[tokio::test]
async fn a_value_in_an_address_adds_no_recipient() {
    let mailpit = Mailpit::shared();
    let sink = Email::new(settings(&mailpit.smtp, "{{ payload.to }}")).expect("the settings are good");
    let victim = nobodys();
    for to in [
        format!("a@example.com, {victim}"),
        format!("a@example.com\r\n{victim}"),
        format!("<{victim}>\r\nRCPT TO:<{victim}>"),
        HOSTILE.into(),
    ] {
        let error = refusal(&sink, &order(&json!({ "to": to })).build().unwrap()).await;
        assert_eq!(error.verdict, Verdict::Reject, "{error}");
        assert!(!error.text().contains(&victim), "{error}");
    }
    assert!(mailpit.mails_to(&victim).await.is_empty());
}
