//! Getting in, and being refused.

use posthaste::conformance::sink_suite::block_on;
use posthaste::sink::{Sink, Verdict};
use posthaste::sinks::rabbitmq::{Rabbitmq, Settings};

use super::consumer;
use crate::sinks::key;

fn settings(credentials: &str, vhost: Option<&str>) -> Settings {
    let mut settings = Settings::at(format!("amqp://{credentials}@{}", consumer::server()));
    settings.vhost = vhost.map(Into::into);
    settings
}

#[test]
fn a_wrong_password_is_an_outage_and_is_not_shown() {
    block_on(async {
        let sink = Rabbitmq::new(settings("guest:s3cret-canary", None)).unwrap();
        let (confirmed, error) = key::refused(&sink, &key::messages("1", 1)).await;
        assert_eq!((confirmed, error.verdict), (0, Verdict::Unreachable));
        assert!(error.text().contains("ACCESS_REFUSED"), "{error}");
        assert!(!format!("{error:?} {sink:?}").contains("s3cret-canary"), "{error:?} {sink:?}");
    });
}

#[test]
fn a_vhost_that_is_not_there_is_an_outage() {
    block_on(async {
        let sink = Rabbitmq::new(settings("guest:guest", Some("no-such-vhost"))).unwrap();
        let error = sink.check().await.unwrap_err();
        assert_eq!(error.verdict, Verdict::Unreachable);
        assert!(error.text().contains("vhost no-such-vhost not found"), "{error}");
        let sink = Rabbitmq::new(settings("guest:guest", Some("/"))).unwrap();
        assert_eq!(sink.check().await, Ok(()));
    });
}

#[test]
fn an_address_that_is_none_is_refused_without_being_shown() {
    for url in ["http://guest:s3cret-canary@host", "guest:s3cret-canary@host", "amqp://guest:s3cret-canary@[::1]:5672"]
    {
        let misfit = Rabbitmq::new(Settings::at(url)).unwrap_err();
        assert_eq!(misfit.setting, "url");
        assert!(!format!("{misfit} {misfit:?}").contains("s3cret-canary"), "{misfit}");
    }
}
