//! What a dead-letter destination gets of a message that died elsewhere.
//!
//! A letter is a message like any other: the dead one's payload, key and headers, addressed to the dead-letter destination, with what is
//! known of the death in headers of its own. It is stored by the very commit that declares the message dead.

use uuid::Uuid;

use crate::destination::Name;
use crate::journal::{Epoch, Partition, Position};
use crate::message::{Message, MessageId, Origin};

/// The headers of a letter. What the dead message had under these names is left out.
pub mod header {
    /// All of them start so.
    pub const PREFIX: &str = "dead-letter-";
    /// The id of the message that died.
    pub const ID: &str = "dead-letter-id";
    /// Where it could not be delivered.
    pub const DESTINATION: &str = "dead-letter-destination";
    /// Its place in the journal.
    pub const POSITION: &str = "dead-letter-position";
    /// Why it is dead: `rejected`, `attempts` or `killed-workers`.
    pub const REASON: &str = "dead-letter-reason";
    /// How often it was tried.
    pub const ATTEMPTS: &str = "dead-letter-attempts";
    /// The last error, on one line.
    pub const ERROR: &str = "dead-letter-error";
    /// When the event happened; the letter's own time is that of the death.
    pub const OCCURRED_AT: &str = "dead-letter-occurred-at";
    /// The origin of the message, if it has one.
    pub const SOURCE_STREAM: &str = "dead-letter-source-stream";
    /// The origin of the message, if it has one.
    pub const SOURCE_EVENT: &str = "dead-letter-source-event";
}

/// What a header holds of an error.
const MAX_ERROR_CHARS: usize = 1_000;
/// Before the name of the destination in the origin of a letter.
const ORIGIN: &str = "posthaste.dead";

/// Why a message is dead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The destination will never take it.
    Rejected,
    /// Its last attempt has failed.
    Attempts,
    /// Worker after worker died while delivering it.
    KilledWorkers,
}

impl Reason {
    fn as_str(self) -> &'static str {
        match self {
            Self::Rejected => "rejected",
            Self::Attempts => "attempts",
            Self::KilledWorkers => "killed-workers",
        }
    }
}

/// Tells one death from all others, also from another one of the same message: the lease under which it was decided, and a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeathId {
    /// The lane's partition.
    pub partition: Partition,
    /// The lane's lease; no two are the same.
    pub epoch: Epoch,
    /// Counts the deaths of the lane under this lease.
    pub number: u64,
}

/// What is known of a death.
#[derive(Debug, Clone, Copy)]
pub struct Death<'a> {
    /// Which one.
    pub id: DeathId,
    /// Where the message could not be delivered.
    pub destination: &'a Name,
    /// Its place in the journal.
    pub position: Position,
    /// Why it is dead.
    pub reason: Reason,
    /// How often it was tried.
    pub attempts: u32,
    /// The last error.
    pub error: &'a str,
}

/// The letter about a death. The same death always makes the same letter, and its origin keeps it from being stored twice. Its time is
/// that of the dead message until whoever has a clock sets it.
pub fn letter(message: &Message, to: &Name, death: &Death<'_>) -> Message {
    let DeathId { partition, epoch, number } = death.id;
    let event = format!("{partition}-{}-{number}", epoch.number());
    let stream = format!("{ORIGIN}.{}", death.destination);
    Message {
        id: derived(message.id, &format!("{stream}/{event}")),
        destination: Some(to.as_str().into()),
        origin: Some(Origin { stream: stream.into(), event: event.into() }),
        headers: headers(message, death),
        due_at: None,
        max_attempts: None,
        ..message.clone()
    }
}

fn headers(message: &Message, death: &Death<'_>) -> crate::message::Headers {
    let own = message.headers.iter().filter(|(name, _)| !name.to_ascii_lowercase().starts_with(header::PREFIX));
    let mut headers: crate::message::Headers = own.collect();
    headers.push(header::ID, message.id.to_string());
    headers.push(header::DESTINATION, death.destination.as_str());
    headers.push(header::POSITION, death.position.to_string());
    headers.push(header::REASON, death.reason.as_str());
    headers.push(header::ATTEMPTS, death.attempts.to_string());
    headers.push(header::ERROR, one_line(death.error));
    headers.push(header::OCCURRED_AT, message.occurred_at.to_string());
    if let Some(origin) = &message.origin {
        headers.push(header::SOURCE_STREAM, origin.stream.as_str());
        headers.push(header::SOURCE_EVENT, origin.event.as_str());
    }
    headers
}

fn one_line(error: &str) -> String {
    let printable: String = error.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_ERROR_CHARS).collect();
    printable.trim().to_owned()
}

/// An id with the time of the dead message's, and the rest from the death. FNV-1a: the same on every machine and in every version.
fn derived(id: MessageId, death: &str) -> MessageId {
    let bytes = id.0.as_bytes().iter().copied().chain(death.bytes());
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let (time, _) = id.0.as_u64_pair();
    // The first two bits say which kind of id it is.
    MessageId(Uuid::from_u64_pair(time, (hash >> 2) | (1 << 63)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn death(number: u64, destination: &Name) -> Death<'_> {
        let id = DeathId { partition: Partition::new(3), epoch: Epoch::new(7), number };
        let error = "answered 422\nno\tsuch \u{1b}order";
        Death { id, destination, position: Position::seq(9), reason: Reason::Attempts, attempts: 3, error }
    }

    #[test]
    fn a_letter_is_the_dead_message_and_says_where_and_why_it_died() {
        let (crm, dead) = (Name::from("crm"), Name::from("dead"));
        let message = Message::builder("order.created", "order", "1")
            .json(&serde_json::json!({ "total": 1 }))
            .tenant("acme")
            .header("x-shop", "north")
            .header("Dead-Letter-Id", "forged")
            .max_attempts(2)
            .due_at(jiff::Timestamp::UNIX_EPOCH)
            .origin("orders", "4711")
            .build()
            .unwrap();
        let letter = letter(&message, &dead, &death(1, &crm));
        assert_eq!((letter.destination.as_deref(), letter.max_attempts, letter.due_at), (Some("dead"), None, None));
        assert_eq!((&letter.payload, &letter.key, &letter.tenant), (&message.payload, &message.key, &message.tenant));
        let header = |name| letter.headers.get(name).unwrap();
        assert_eq!(header("x-shop"), "north");
        assert_eq!(header(header::ID), message.id.to_string());
        assert_eq!((header(header::DESTINATION), header(header::POSITION)), ("crm", "9"));
        assert_eq!((header(header::REASON), header(header::ATTEMPTS)), ("attempts", "3"));
        assert_eq!(header(header::ERROR), "answered 422 no such  order");
        assert_eq!((header(header::SOURCE_STREAM), header(header::SOURCE_EVENT)), ("orders", "4711"));
        assert_eq!(header(header::OCCURRED_AT), message.occurred_at.to_string());
    }

    #[test]
    fn one_death_makes_one_letter_and_another_death_another() {
        let (crm, dead) = (Name::from("crm"), Name::from("dead"));
        let message = Message::builder("order.created", "order", "1").build().unwrap();
        let made = |number| letter(&message, &dead, &death(number, &crm));
        assert_eq!(made(1), made(1));
        assert!(made(1).id != made(2).id && made(1).origin != made(2).origin && made(1).id != message.id);
        assert_eq!(made(1).id.0.get_version_num(), message.id.0.get_version_num());
    }

    /// Another worker, or the next release, makes the same letter of the same death.
    #[test]
    fn the_id_of_a_letter_is_the_same_on_every_machine_and_in_every_version() {
        let id = MessageId("01890a5d-ac96-774b-bcce-b302099a8057".parse().expect("an id"));
        assert_eq!(derived(id, "posthaste.dead.crm/3-7-1").to_string(), "01890a5d-ac96-774b-9328-e5fe595eeb5d");
    }

    #[test]
    fn a_letter_names_the_reason_of_the_death_and_keeps_1_000_characters_of_its_error() {
        let (crm, dead) = (Name::from("crm"), Name::from("dead"));
        let message = Message::builder("order.created", "order", "1").build().unwrap();
        let error = "€".repeat(2_000);
        for (reason, told) in [(Reason::Rejected, "rejected"), (Reason::KilledWorkers, "killed-workers")] {
            let letter = letter(&message, &dead, &Death { reason, error: &error, ..death(1, &crm) });
            assert_eq!(letter.headers.get(header::REASON), Some(told));
            assert_eq!(letter.headers.get(header::ERROR).map(|error| error.chars().count()), Some(1_000));
            assert_eq!(letter.headers.get(header::SOURCE_STREAM), None, "it was born here");
        }
    }
}
