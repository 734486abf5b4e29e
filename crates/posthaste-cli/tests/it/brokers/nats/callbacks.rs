//! Whoever reads the stream says what became of what is in it.

use super::server::Server;
use crate::callbacks::{self, Receiver};

impl Receiver for Server {
    fn settings(&self) -> String {
        let table = format!("url = '{}'\nsubject = 'orders.{{event_type}}'\n", self.url());
        format!("type = 'nats'\n[destinations.crm.nats]\n{table}")
    }

    fn hand_overs(&self) -> Vec<String> {
        self.stored("ORDERS").iter().map(|stored| stored.header("posthaste-hand-over").unwrap().to_owned()).collect()
    }
}

#[test]
fn a_message_is_delivered_when_its_receiver_calls_back() {
    callbacks::a_message_is_delivered_when_its_receiver_calls_back(&super::server());
}

/// The server drops what it has stored already; each hand-over is something else to it.
#[test]
fn what_fails_or_is_not_answered_is_handed_over_again() {
    callbacks::what_fails_or_is_not_answered_is_handed_over_again(&super::server());
}
