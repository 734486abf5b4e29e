//! Templates that somebody wrote, and messages that want to leave their place in a name, by the million.

use posthaste_hostile::{Outcome, Target, texts};

use super::*;
use crate::journal::{Partition, Position};
use crate::message::Message;

const WORDS: &[&str] = &[
    "{key}",
    "{tenant}",
    "{tenant|public}",
    "{event_type}",
    "{user|}",
    "{id}",
    "orders.",
    "\x1f",
    "{{",
    "}}",
    "{",
    "}",
    "|",
    "{position}",
    "{destination}",
    "{a}",
    "%2E",
    "%",
];

/// A name of plain letters between dots, in which a message adds no dot.
struct Encoded;

impl Rule for Encoded {
    fn field(&self, _: Field, value: &str, name: &mut String) -> Result<(), String> {
        percent_encode(value, |byte| byte.is_ascii_alphanumeric(), name);
        Ok(())
    }

    fn name(&self, name: &str) -> Result<(), String> {
        if name.len() > 1_000 { Err("is too long".into()) } else { Ok(()) }
    }
}

fn run(value: &str) -> Run {
    let message = Message::builder("order.created", "order", "1").build().expect("it is valid");
    let message = Message { key: Some(value.into()), tenant: Some(value.into()), ..message };
    Run::new("billing", Partition::new(3), vec![Delivery::new(message, Position::seq(7))])
}

#[test]
fn a_template_is_read_as_it_is_written_and_a_message_adds_no_level_to_its_name() {
    Target::new("names", WORDS).run(|input| {
        let [written, value] = texts::<2>(input);
        let parsed = Template::parse(&written);
        match &parsed {
            Ok(template) => {
                assert_eq!(Template::parse(&template.to_string()).as_ref(), Ok(template));
                assert_eq!(template.fixed().is_some(), template.parts.iter().all(|part| matches!(part, Part::Text(_))));
                let of = |value| template.render(&Encoded, &run(value), &run(value).deliveries[0]).map(Cow::into_owned);
                let dots =
                    |name: String| name.bytes().filter(|byte| !byte.is_ascii_alphanumeric() && *byte != b'%').count();
                if let (Ok(harmless), Ok(hostile)) = (of("x"), of(&value)) {
                    let ids = ["{id}", "{event_type}", "{destination}"].iter().any(|field| written.contains(field));
                    assert!(ids || dots(harmless) == dots(hostile));
                }
            }
            Err(why) => assert!(why.len() < 800 && !why.chars().any(char::is_control), "{} bytes: {why:?}", why.len()),
        }
        let mut encoded = String::new();
        percent_encode(&value, |byte| byte.is_ascii_alphanumeric(), &mut encoded);
        assert_eq!(percent_decode(&encoded), value);
        let literal = Template::literal(&value);
        assert_eq!(
            (literal.fixed(), Template::parse(&literal.to_string()).as_ref()),
            (Some(value.as_str()), Ok(&literal))
        );
        Outcome::of(&parsed)
    });
}

#[test]
fn what_percent_signs_mean_is_what_two_digits_say() {
    Target::new("percent_signs", &["%", "%2", "%4a", "%E2%82%AC", "%+f", "+", "%-1", "a", "f", "%%"]).run(|input| {
        let text = String::from_utf8_lossy(input);
        let (bytes, mut expected) = (text.as_bytes(), Vec::new());
        let mut at = 0;
        while at < bytes.len() {
            let digit = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
            match (bytes[at], digit(at + 1), digit(at + 2)) {
                (b'%', Some(high), Some(low)) => {
                    expected.push((high * 16 + low) as u8);
                    at += 3;
                }
                (byte, ..) => {
                    expected.push(byte);
                    at += 1;
                }
            }
        }
        assert_eq!(percent_decode(&text), String::from_utf8_lossy(&expected));
        if expected == bytes { Outcome::Refused } else { Outcome::Taken }
    });
}
