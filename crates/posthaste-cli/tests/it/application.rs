//! Applications that write numbered events about a few orders to a journal.

use posthaste::Message;

use crate::orders::{Written, event};
use crate::program::Place;

const PER_TRANSACTION: usize = 10;

/// Writes to a journal of its own, which is gone when the test is.
pub trait Application {
    /// In one transaction.
    fn commit(&mut self, messages: &[Message]);
}

/// A journal, and what was written to it.
pub struct World<A> {
    pub place: Place,
    application: A,
    pub written: Vec<Written>,
}

impl<A: Application> World<A> {
    pub fn new(place: Place, application: A) -> Self {
        Self { place, application, written: Vec::new() }
    }

    /// Commits so many further events, to the orders in turn.
    pub fn write(&mut self, count: usize) {
        let all: Vec<usize> = (self.written.len()..self.written.len() + count).collect();
        for batch in all.chunks(PER_TRANSACTION) {
            let (messages, written): (Vec<Message>, Vec<Written>) = batch.iter().map(|index| event(*index)).unzip();
            self.application.commit(&messages);
            self.written.extend(written);
        }
    }
}
