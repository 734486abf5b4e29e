//! An application that writes numbered events about a few orders, several in each transaction.

use posthaste::Message;
use posthaste::stores::sqlite::{Options, Outbox, connect};
use rusqlite::{Connection, TransactionBehavior};

use crate::application::Application;
use crate::program::Place;

/// How many orders there are; each is a key.
const ORDERS: usize = 12;
const PER_TRANSACTION: usize = 10;

/// One event that was committed. Numbers count from zero within an order, without gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub id: String,
    pub key: String,
    pub number: u64,
}

pub struct Orders {
    connection: Connection,
    pub written: Vec<Written>,
}

impl Orders {
    pub fn at(place: &Place) -> Self {
        let connection = connect(place.path("posthaste.db"), &Options::default()).unwrap();
        Self { connection, written: Vec::new() }
    }

    /// Commits so many further events, to the orders in turn.
    pub fn write(&mut self, count: usize) {
        for begin in (0..count).step_by(PER_TRANSACTION) {
            let first = self.written.len();
            let events = (first..first + PER_TRANSACTION.min(count - begin)).map(event);
            let (messages, written): (Vec<Message>, Vec<Written>) = events.unzip();
            self.commit(&messages);
            self.written.extend(written);
        }
    }

    /// Whether nobody is in the middle of a write.
    pub fn can_write(&mut self) -> bool {
        self.connection.transaction_with_behavior(TransactionBehavior::Immediate).is_ok()
    }
}

impl Application for Orders {
    fn commit(&mut self, messages: &[Message]) {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
        Outbox::new().enqueue(&transaction, messages).unwrap();
        transaction.commit().unwrap();
    }
}

/// The event of this number over all orders, which take turns.
pub fn event(index: usize) -> (Message, Written) {
    let (order, number) = (index % ORDERS, (index / ORDERS) as u64);
    let message = Message::builder("order.changed", "order", order.to_string())
        .json(&serde_json::json!({ "number": number }))
        .build()
        .unwrap();
    let written = Written { id: message.id.to_string(), key: format!("order/{order}"), number };
    (message, written)
}
