//! What is stored of an event.

use super::{Event, OnError, Unmappable};
use crate::message::{Invalid, Message, Origin};

/// The event type of what [`OnError::Dead`] stores.
pub const REFUSED: &str = "posthaste.source.refused";

/// What was made of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Made {
    /// These messages; none if the event is to be ignored.
    Messages(Vec<Message>),
    /// Nothing, and nothing more is read before a person has seen to it.
    Stop(Unmappable),
    /// Nothing, and reading goes on. What is kept of it, if anything, and why.
    Refused(Option<Box<Message>>, Unmappable),
}

/// What is stored of an event by what a mapper made of it. Each message has the event's origin; a second one to the same destination has a
/// number with it, so that it is no repeat of the first.
pub fn made(event: &Event, mapped: Result<Vec<Message>, Unmappable>, on_error: OnError) -> Made {
    match (mapped, on_error) {
        (Ok(mut messages), _) => {
            for at in 0..messages.len() {
                let same = messages[..at].iter().filter(|other| other.destination == messages[at].destination);
                messages[at].origin = Some(origin(event, same.count()));
            }
            Made::Messages(messages)
        }
        (Err(reason), OnError::Stop) => Made::Stop(reason),
        (Err(reason), OnError::Skip) => Made::Refused(None, reason),
        (Err(reason), OnError::Dead) => match kept(event, &reason) {
            Ok(message) => Made::Refused(Some(Box::new(message)), reason),
            Err(invalid) => Made::Stop(Unmappable::new(format_args!("{reason}; and it cannot be kept: {invalid}"))),
        },
    }
}

fn origin(event: &Event, earlier: usize) -> Origin {
    let mut origin = event.origin();
    if earlier > 0 {
        origin.event = compact_str::format_compact!("{}#{}", origin.event, earlier + 1);
    }
    origin
}

/// The event as it is, for whoever takes what was refused.
fn kept(event: &Event, reason: &Unmappable) -> Result<Message, Invalid> {
    let mut kept = Message::builder(REFUSED, "source", event.stream.as_str())
        .key(event.stream.as_str())
        .payload(event.data.clone(), event.content_type.as_str())
        .header("source-event-type", event.event_type.as_str())
        .header("source-error", reason.to_string().replace(|c: char| c.is_control(), " "))
        .origin(event.stream.as_str(), event.id.as_str());
    if let Some(at) = event.recorded_at {
        kept = kept.occurred_at(at);
    }
    kept.build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Checkpoint;

    fn event() -> Event {
        let checkpoint = Checkpoint::new("1").unwrap();
        Event::new(checkpoint, "payment-1", "e1", "payment.completed.v1").data("{}", "application/json")
    }

    fn message(destination: &str) -> Message {
        Message::builder("t", "a", "1").destination(destination).build().unwrap()
    }

    #[test]
    fn every_message_of_an_event_has_an_origin_of_its_own() {
        let messages = vec![message("kafka"), message("webhook"), message("kafka")];
        let Made::Messages(messages) = made(&event(), Ok(messages), OnError::Stop) else { panic!("they are messages") };
        let origins: Vec<_> = messages.iter().map(|one| one.origin.as_ref().unwrap().event.as_str()).collect();
        assert_eq!(origins, ["e1", "e1", "e1#2"]);
    }

    #[test]
    fn what_nothing_can_be_made_of_is_kept_as_the_policy_says() {
        let refused = || Err(Unmappable::new("no amount\nin it"));
        assert!(matches!(made(&event(), refused(), OnError::Stop), Made::Stop(_)));
        assert!(matches!(made(&event(), refused(), OnError::Skip), Made::Refused(None, _)));
        let Made::Refused(Some(kept), _) = made(&event(), refused(), OnError::Dead) else { panic!("it is kept") };
        assert_eq!((kept.event_type.as_str(), kept.payload.as_ref()), (REFUSED, &b"{}"[..]));
        assert_eq!(kept.headers.get("source-error"), Some("no amount in it"));
        assert_eq!(kept.origin, Some(event().origin()));
    }
}
