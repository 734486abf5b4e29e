//! Long lists of deliveries, and which of them are meant.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Status;
use crate::destination::Name;
use crate::journal::Position;
use crate::message::{Message, MessageId};

/// One (message, destination) as `list` shows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Listed {
    /// Where the message is.
    pub position: Position,
    /// The id of the message; the fields below are the message's too.
    pub id: MessageId,
    /// What happened.
    pub event_type: String,
    /// To which kind of thing.
    pub aggregate_type: String,
    /// To which one of them.
    pub aggregate_id: String,
    /// The ordering scope.
    pub key: Option<String>,
    /// Whose it is.
    pub tenant: Option<String>,
    /// When it happened.
    pub occurred_at: Timestamp,
    /// `None` when no destination takes the message.
    pub destination: Option<String>,
    /// `None` when no destination takes the message.
    pub status: Option<Status>,
    /// Failed attempts so far.
    pub attempts: u32,
    /// Why the last attempt failed.
    pub error: Option<String>,
    /// When it is tried next, where that is known.
    pub due_at: Option<Timestamp>,
}

impl Listed {
    /// A message that no destination takes: what is said about its delivery is still to be filled in.
    pub fn new(position: Position, message: &Message) -> Self {
        Self {
            position,
            id: message.id,
            event_type: message.event_type.to_string(),
            aggregate_type: message.aggregate_type.to_string(),
            aggregate_id: message.aggregate_id.to_string(),
            key: message.key.as_ref().map(ToString::to_string),
            tenant: message.tenant.as_ref().map(ToString::to_string),
            occurred_at: message.occurred_at,
            destination: None,
            status: None,
            attempts: 0,
            error: None,
            due_at: None,
        }
    }
}

/// Which deliveries are meant. Empty fields do not restrict.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Filter {
    /// Only these messages.
    pub ids: Vec<MessageId>,
    /// Only deliveries of these statuses.
    pub statuses: Vec<Status>,
    /// Only deliveries to this destination.
    pub destination: Option<Name>,
    /// A pattern as in a route (`order.*`).
    pub event_type: Option<String>,
    /// Only messages of this key.
    pub key: Option<String>,
    /// Only messages about this kind of thing.
    pub aggregate_type: Option<String>,
    /// Only messages about this thing.
    pub aggregate_id: Option<String>,
    /// Only messages of this tenant.
    pub tenant: Option<String>,
    /// By `occurred_at`, inclusive.
    pub since: Option<Timestamp>,
    /// By `occurred_at`, exclusive.
    pub before: Option<Timestamp>,
    /// Only deliveries whose last error matches this pattern, in which `*` stands for any text.
    pub error: Option<String>,
}

/// A part of a long list, in journal order. The deliveries of one message are never split, so a page may be a little longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Only what lies beyond this position: after it, or before it where the newest come first.
    pub beyond: Position,
    /// So many deliveries, and the rest of the last message's.
    pub limit: usize,
    /// Which come first.
    pub order: Order,
}

/// Which deliveries of a list come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// In journal order.
    OldestFirst,
    /// Backwards.
    NewestFirst,
}

impl Page {
    /// What lies after a position, in journal order.
    pub fn after(position: Position, limit: usize) -> Self {
        Self { beyond: position, limit, order: Order::OldestFirst }
    }

    /// What lies before a position, backwards. [`Position::END`] is behind everything.
    pub fn before(position: Position, limit: usize) -> Self {
        Self { beyond: position, limit, order: Order::NewestFirst }
    }
}

/// Answer to [`Inspect::list`](super::Inspect::list).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Listing {
    /// What was found; with a filter that selects little, often less than the page could hold.
    pub rows: Vec<Listed>,
    /// Where the next page begins; `None` when everything was looked at.
    pub next: Option<Position>,
}

/// A page while a store fills it, chunk by chunk. It ends when it is full, and also when many messages were looked at: however little
/// a filter selects, one question never reads the whole journal.
#[derive(Debug)]
pub struct Filling {
    page: Page,
    listing: Listing,
    looked_at: usize,
}

impl Filling {
    /// Messages that are looked at for one page, give or take a chunk.
    pub const MOST: usize = 5_000;

    /// Nothing is on the page yet.
    pub fn new(page: Page) -> Self {
        Self { page, listing: Listing::default(), looked_at: 0 }
    }

    /// Whether another chunk is to be read.
    pub fn wants_more(&self) -> bool {
        self.listing.rows.len() < self.page.limit && self.looked_at < Self::MOST
    }

    /// Adds what was found among so many messages, up to a position. Chunks come in the order of the page.
    pub fn add(&mut self, found: Vec<Listed>, looked_at: usize, upto: Position) {
        self.looked_at += looked_at;
        for one in found {
            let last = self.listing.rows.last().map(|last| last.position);
            if self.listing.rows.len() >= self.page.limit && last.is_none_or(|last| last != one.position) {
                self.listing.next = last.or(Some(self.page.beyond));
                return;
            }
            self.listing.rows.push(one);
        }
        self.listing.next = Some(upto);
    }

    /// The page, after the last chunk that there is.
    pub fn end(mut self) -> Listing {
        self.listing.next = None;
        self.listing
    }

    /// The page, while there may be more.
    pub fn stop(self) -> Listing {
        self.listing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(seqs: &[u64]) -> Vec<Listed> {
        let message = Message::builder("order.paid", "order", "1").build().expect("a valid message");
        seqs.iter().map(|&seq| Listed::new(Position::seq(seq), &message)).collect()
    }

    fn seqs(listing: &Listing) -> Vec<u64> {
        listing.rows.iter().map(|row| row.position.seq).collect()
    }

    #[test]
    fn a_page_ends_after_all_deliveries_of_its_last_message() {
        let mut filling = Filling::new(Page::after(Position::START, 2));
        filling.add(found(&[1, 2, 2, 3]), 3, Position::seq(3));
        assert!(!filling.wants_more());
        let listing = filling.stop();
        assert_eq!((seqs(&listing), listing.next), (vec![1, 2, 2], Some(Position::seq(2))));
    }

    #[test]
    fn a_page_ends_when_much_was_looked_at_and_says_where_to_go_on() {
        let mut filling = Filling::new(Page::after(Position::START, 2));
        filling.add(found(&[7]), Filling::MOST, Position::seq(9_000));
        assert!(!filling.wants_more(), "though there is room on it");
        let listing = filling.stop();
        assert_eq!((seqs(&listing), listing.next), (vec![7], Some(Position::seq(9_000))));
    }

    #[test]
    fn the_last_page_has_no_next_one() {
        let mut filling = Filling::new(Page::before(Position::END, 2));
        filling.add(found(&[7]), 1, Position::seq(7));
        assert_eq!(filling.end().next, None);
    }
}
