//! The real program, killed or frozen in the middle of a transaction, which to MongoDB does not end with the program.

use mongodb::bson::{Document, doc};

use super::InDatabase;
use crate::application::Application;
use crate::lives::{self, Life};
use crate::orders::{Written, event};
use crate::processes::assert_no_repeats;
use crate::program::{Place, until};
use crate::servers::{Private, block_on};

/// A journal on a server that by itself ends a transaction only after an hour: a test in which nobody else does fails.
struct Scene {
    place: Place,
    application: InDatabase,
    written: Vec<Written>,
    _server: Private,
}

impl Scene {
    fn new() -> Self {
        let parameters = ["enableTestCommands=1", "transactionLifetimeLimitSeconds=3600"];
        let options = parameters.map(|parameter| ["--setParameter", parameter]);
        let server = block_on(Private::start_with("mongodb", options.as_flattened()));
        let (place, application) = InDatabase::on(&server.address());
        Self { place, application, written: Vec::new(), _server: server }
    }

    fn worker(&self, name: &str) -> Life {
        let url = format!("{}&appName={name}", self.application.url);
        Life::begin(&self.place, [("POSTHASTE_RELAY__WORKER", name), ("POSTHASTE_STORE__URL", &url)])
    }

    fn write(&mut self, count: usize) {
        let all = (self.written.len()..self.written.len() + count).map(event);
        let (messages, written): (Vec<_>, Vec<Written>) = all.unzip();
        self.application.commit(&messages);
        self.written.extend(written);
    }

    fn command(&self, command: Document) -> Document {
        let admin = self.application.client.database("admin");
        let mut answer = None;
        until("the server answers", || {
            let asked = async { admin.run_command(command.clone()).await };
            answer = self.application.runtime.block_on(asked).ok();
            answer.is_some()
        });
        answer.unwrap()
    }

    /// Nothing that this worker begins comes to an end, and it is in the middle of something.
    fn catch_within_a_transaction(&mut self, worker: &str) {
        let data = doc! { "failCommands": ["commitTransaction", "abortTransaction"], "appName": worker, "closeConnection": true };
        self.command(doc! { "configureFailPoint": "failCommand", "mode": "alwaysOn", "data": data });
        self.write(20);
        until("it is in the middle of a transaction", || self.open_transactions() > 0);
    }

    fn open_transactions(&self) -> i64 {
        let status = self.command(doc! { "serverStatus": 1 });
        status.get_document("transactions").unwrap().get_i64("currentOpen").unwrap()
    }

    fn let_go(&self) {
        self.command(doc! { "configureFailPoint": "failCommand", "mode": "off" });
    }

    /// When all have stopped. Nothing of what the first worker was caught in was known to anyone, so nothing comes twice.
    #[track_caller]
    fn assert_all_well(&self, printed: &[lives::Printed]) {
        assert_eq!(self.open_transactions(), 0);
        assert_no_repeats(printed);
        lives::assert_first_deliveries_in_order(printed);
        lives::assert_all_well(&self.place, &self.written);
    }
}

#[test]
fn a_relay_that_is_killed_within_a_transaction_holds_nobody_up_longer_than_its_lease() {
    let mut scene = Scene::new();
    let one = scene.worker("one");
    scene.write(20);
    one.prints_lines(20);
    scene.catch_within_a_transaction("one");
    let by_one = one.kill();
    let two = scene.worker("two");
    until("the other one delivers the rest", || lives::has_all(&scene.written, by_one.iter().chain(&two.printed())));
    until("everything is recorded", || lives::recorded(&scene.place).len() == scene.written.len());
    scene.assert_all_well(&[by_one, two.stop()].concat());
}

#[test]
fn a_relay_that_is_frozen_within_a_transaction_holds_nobody_up_and_goes_on_when_it_wakes() {
    let mut scene = Scene::new();
    let one = scene.worker("one");
    scene.write(20);
    one.prints_lines(20);
    scene.catch_within_a_transaction("one");
    one.relay.signal("STOP");
    let by_one = one.printed();
    let two = scene.worker("two");
    until("the other one delivers the rest", || lives::has_all(&scene.written, by_one.iter().chain(&two.printed())));

    scene.let_go();
    one.relay.signal("CONT");
    until("it knows that its leases are gone", || one.relay.logged().contains("leases lost"));
    scene.write(100);
    until("everything is delivered", || lives::has_all(&scene.written, one.printed().iter().chain(&two.printed())));
    // A key that changed hands went to the second worker and back.
    let by_two = two.stop();
    scene.write(20);
    until("it delivers again", || lives::has_all(&scene.written, one.printed().iter().chain(&by_two)));
    until("everything is recorded", || lives::recorded(&scene.place).len() == scene.written.len());
    let later = one.stop().split_off(by_one.len());
    scene.assert_all_well(&[by_one, by_two, later].concat());
}
