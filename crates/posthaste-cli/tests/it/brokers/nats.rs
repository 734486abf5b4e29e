//! NATS JetStream.

use self::server::Server;
use super::Broker;

#[cfg(all(feature = "http", feature = "webhook"))]
mod callbacks;
// With base64, which JetStream wraps payloads in.
#[path = "../../../../posthaste/tests/it/sinks/nats/server.rs"]
#[expect(dead_code, reason = "other tests need more of it")]
mod server;

fn server() -> Server {
    let server = Server::start("");
    server.create_stream("ORDERS", "orders.>", "");
    server
}

impl Broker for Server {
    const DROPS_REPEATS: bool = true;

    fn destination(&self) -> String {
        format!("type = 'nats', nats = {{ url = '{}', subject = 'orders.{{event_type}}' }}", self.url())
    }

    fn arrived(&self) -> Vec<String> {
        self.stored("ORDERS").iter().map(|stored| stored.header("posthaste-id").unwrap().to_owned()).collect()
    }

    fn kill(&mut self) {
        Server::kill(self);
    }

    fn start_again(&mut self) {
        Server::start_again(self);
    }
}

#[test]
fn relays_that_are_killed_lose_and_repeat_nothing() {
    super::relays_that_are_killed_lose_nothing(&server());
}

#[test]
fn an_outage_spends_no_attempt_and_loses_nothing() {
    super::an_outage_spends_no_attempt_and_loses_nothing(&mut server());
}
