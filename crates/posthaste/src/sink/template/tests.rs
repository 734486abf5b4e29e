use super::*;
use crate::journal::{Partition, Position};
use crate::message::Message;

/// Encodes all but letters, digits and dots; refuses spaces; at most 20 characters.
struct Strict;

impl Rule for Strict {
    fn field(&self, _: Field, value: &str, name: &mut String) -> Result<(), String> {
        if value.contains(' ') {
            return Err("contains a space".into());
        }
        percent_encode(value, |byte| byte.is_ascii_alphanumeric() || byte == b'.', name);
        Ok(())
    }

    fn name(&self, name: &str) -> Result<(), String> {
        if name.len() > 20 { Err("is longer than 20 bytes".into()) } else { Ok(()) }
    }
}

fn run(message: Message) -> Run {
    let delivery = Delivery::new(message, Position::seq(7));
    Run::new("bus", Partition::new(3), vec![delivery])
}

fn render(written: &str, message: Message) -> Result<String, Error> {
    let run = run(message);
    let template = Template::parse(written).unwrap();
    template.render(&Strict, &run, &run.deliveries[0]).map(Cow::into_owned)
}

fn order(id: &str) -> Message {
    Message::builder("order.placed", "order", id).build().unwrap()
}

#[test]
fn fields_stand_for_what_the_message_has() {
    assert_eq!(render("x:{event_type}", order("1")).unwrap(), "x:order.placed");
    assert_eq!(render("{destination}-{partition}-{position}", order("1")).unwrap(), "bus-3-7");
    assert_eq!(render("plain", order("1")).unwrap(), "plain");
    assert_eq!(render("{{{aggregate_id}}}", order("1")).unwrap(), "{1}");
}

#[test]
fn every_field_can_be_written_and_knows_its_name() {
    for (name, field) in Field::ALL {
        assert_eq!(Template::parse(&format!("{{{name}}}")).unwrap(), Template::of(field));
    }
}

#[test]
fn what_a_message_brings_is_encoded_or_refused_and_what_the_template_says_is_not() {
    assert_eq!(render("a/{aggregate_id}", order("b/é%")).unwrap(), "a/b%2F%C3%A9%25");
    let error = render("a {aggregate_id}", order("b c")).unwrap_err();
    assert_eq!(
        error,
        Error::reject("`a {aggregate_id}` makes no name: {aggregate_id} of this message contains a space")
    );
    let error = render("{aggregate_id}", order(&"1".repeat(21))).unwrap_err();
    assert_eq!(error, Error::reject("`{aggregate_id}` makes no name: it is longer than 20 bytes"));
}

#[test]
fn a_field_that_the_message_lacks_is_a_reject_unless_the_template_says_what_to_take() {
    assert_eq!(
        render("t.{tenant}", order("1")).unwrap_err().text(),
        "`t.{tenant}` makes no name: this message has no {tenant}"
    );
    assert_eq!(render("t.{tenant|no one}", order("1")).unwrap(), "t.no one");
}

#[test]
fn a_template_that_cannot_be_meant_is_refused_with_a_remedy() {
    let says = |written| Template::parse(written).unwrap_err();
    assert!(says("{type}").starts_with("knows no {type}: use {id} {event_type} "), "{}", says("{type}"));
    for broken in ["{", "}", "{event_type", "event_type}", "a}b{c"] {
        assert!(says(broken).contains("without its partner"), "{broken}");
    }
    assert!(Template::parse(&"x".repeat(30)).unwrap().check(&Strict).is_err());
    assert!(Template::parse("{aggregate_id}").unwrap().check(&Strict).is_ok());
}

#[test]
fn what_was_encoded_can_be_decoded() {
    for text in ["", "plain", "p@ss%w:rd/é%%41", "%", "100%"] {
        let mut encoded = String::new();
        percent_encode(text, |byte| byte.is_ascii_alphanumeric(), &mut encoded);
        assert_eq!(percent_decode(&encoded), text);
    }
    assert_eq!(percent_decode("50% of %zz"), "50% of %zz");
}
