//! What goes wrong with a server and on the way to it.

use std::time::Duration;

use posthaste::conformance::fault_proxy::{Fault, FaultProxy};
use posthaste::sink::{Sink, Verdict};
use posthaste::sinks::nats::Nats;

use super::server::{PASSWORD, Server};
use super::settings;
use crate::sinks::runs::{deliver, delivered, insist, insist_during, orders, run};

fn server() -> Server {
    let server = Server::start("");
    server.create_stream("ORDERS", "orders.>", "");
    server
}

async fn behind_a_proxy(server: &Server) -> (FaultProxy, Nats) {
    let proxy = FaultProxy::to(server.address).await.unwrap();
    let url = format!("nats://ann:{PASSWORD}@{}", proxy.address());
    (proxy, Nats::new(settings(&url, "orders.{aggregate_id}")).unwrap())
}

#[tokio::test]
async fn a_run_whose_acknowledgements_were_lost_is_there_once_after_it_was_sent_again() {
    let server = server();
    let (proxy, sink) = behind_a_proxy(&server).await;
    let messages = orders("1", 1, 30);
    delivered(&sink, &messages[..10]).await;

    proxy.set(Fault::DropAnswers).await;
    let lost = run(&messages[10..20]);
    let mut unanswered = sink.deliver(&lost);
    let there = async {
        while server.positions("ORDERS").len() < 20 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        outcome = &mut unanswered => panic!("confirmed without an answer: {outcome:?}"),
        () = there => {}
    }
    // Ends the connections first, so that no acknowledgement slips through.
    proxy.set(Fault::Refuse).await;
    proxy.set(Fault::Pass).await;
    let outcome = unanswered.await;
    assert_eq!(outcome.confirmed, 0);
    assert_eq!(outcome.error.unwrap().verdict, Verdict::Unreachable);

    insist(&sink, &messages[10..]).await;
    assert_eq!(server.positions("ORDERS"), (1..=30).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_connection_that_is_cut_anywhere_in_a_run_puts_nothing_out_of_order() {
    let server = server();
    let (proxy, sink) = behind_a_proxy(&server).await;
    let messages = orders("1", 1, 400);
    let mut next = 0;
    for run in messages.chunks(40) {
        // A message is about 600 bytes, so that each run is cut somewhere else. What it cost to log in counts, too.
        next += 1_700;
        proxy.set(Fault::CutAfter(next)).await;
        let confirmed = deliver(&sink, run).await.confirmed;
        proxy.set(Fault::Pass).await;
        insist(&sink, &run[confirmed..]).await;
    }
    assert_eq!(server.positions("ORDERS"), (1..=400).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_dies_and_comes_back_has_every_key_once_and_in_order() {
    let mut server = server();
    let sink = Nats::new(settings(&server.url(), "orders.{aggregate_id}")).unwrap();
    let keys: Vec<_> = (0..64).map(|key| orders(&format!("key-{key}"), 1, 60)).collect();
    let crash = || {
        server.kill();
        server.start_again();
    };
    insist_during(&sink, &keys, crash).await;
    let stored = server.stored("ORDERS");
    for key in 0..64 {
        let of_key = stored.iter().filter(|stored| stored.subject == format!("orders.key-{key}"));
        let positions: Vec<u64> =
            of_key.map(|stored| stored.header("posthaste-position").unwrap().parse().unwrap()).collect();
        assert_eq!(positions, (1..=60).collect::<Vec<_>>(), "key {key}");
    }
}
