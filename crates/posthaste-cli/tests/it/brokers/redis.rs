//! Redis streams.

use self::server::Server;
use super::Broker;

#[path = "../../../../posthaste/tests/it/servers/redis.rs"]
pub(crate) mod server;

impl Broker for Server {
    const DROPS_REPEATS: bool = true;

    fn destination(&self) -> String {
        format!("type = 'redis', redis = {{ url = '{}', stream = 'orders' }}", self.url())
    }

    fn arrived(&self) -> Vec<String> {
        self.entries("orders").iter().map(|entry| entry.text("posthaste-id").unwrap()).collect()
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
    super::relays_that_are_killed_lose_nothing(&Server::start(&[]));
}

#[test]
fn an_outage_spends_no_attempt_and_loses_nothing() {
    super::an_outage_spends_no_attempt_and_loses_nothing(&mut Server::start(&[]));
}
