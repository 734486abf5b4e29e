//! What of a run is confirmed when the broker refuses some of it.

use lapin::types::{AMQPValue, FieldTable};
use posthaste::conformance::sink_suite::{SinkUnderTest, block_on};
use posthaste::message::Message;
use posthaste::sink::Verdict;

use super::{RabbitmqUnderTest, ids};
use crate::sinks::key;

/// A queue with room for so many messages that says no to more.
async fn with_room_for(messages: i32, pipeline: bool) -> RabbitmqUnderTest {
    let mut arguments = FieldTable::default();
    arguments.insert("x-max-length".into(), AMQPValue::LongInt(messages));
    arguments.insert("x-overflow".into(), AMQPValue::LongString("reject-publish".into()));
    RabbitmqUnderTest::on_queue(arguments, |settings| settings.pipeline = pipeline).await
}

#[test]
fn a_full_queue_refuses_and_the_rest_of_the_run_is_reported() {
    block_on(async {
        let subject = with_room_for(5, false).await;
        let messages = key::messages("1", 12);
        let (confirmed, error) = key::refused(&*subject.sink, &messages).await;
        assert_eq!(error.verdict, Verdict::Retry);
        assert!(error.text().starts_with("the broker refused it (a full queue"), "{error}");
        assert_eq!(ids(&subject.arrived().await), key::ids(&messages[..confirmed]));
        key::deliver(&*subject.sink, &messages[confirmed..confirmed + 3]).await;
    });
}

#[test]
fn a_refusal_in_the_middle_of_a_pipelined_run_is_put_to_the_right_message() {
    block_on(async {
        let subject = super::fresh().await;
        for refused in [0, 1, 7, 19] {
            let mut messages: Vec<Message> = key::messages("1", 20);
            messages[refused].event_type = "nobody.listens".into();
            let before = subject.arrived().await.len();
            let (confirmed, error) = key::refused(&*subject.sink, &messages).await;
            assert_eq!((confirmed, error.verdict), (refused, Verdict::Retry));
            assert_eq!(ids(&subject.arrived().await)[before..], key::ids(&messages[..refused]));
        }
    });
}

#[test]
fn a_message_that_cannot_be_written_is_rejected_after_those_before_it() {
    block_on(async {
        let subject = super::fresh().await;
        let forged = Message::builder("account.changed", "account", "1").header("CC", "elsewhere").build().unwrap();
        let messages = [key::messages("1", 3), vec![forged], key::messages("1", 3)].concat();
        let (confirmed, error) = key::refused(&*subject.sink, &messages).await;
        assert_eq!((confirmed, error.verdict), (3, Verdict::Reject));
        assert_eq!(ids(&subject.arrived().await), key::ids(&messages[..3]));
    });
}
