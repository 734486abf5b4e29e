//! What goes wrong with a server and on the way to it.

use std::time::Duration;

use posthaste::conformance::fault_proxy::{Fault, FaultProxy};
use posthaste::sink::{Sink, Verdict};
use posthaste::sinks::redis::Redis;

use super::settings;
use crate::servers::redis::Server;
use crate::sinks::changed;
use crate::sinks::runs::{deliver, delivered, insist, insist_during, order, orders};

fn positions(server: &Server, stream: &str) -> Vec<u64> {
    let position = |entry: &super::Entry| entry.text("posthaste-position").unwrap().parse().unwrap();
    server.entries(stream).iter().map(position).collect()
}

#[tokio::test]
async fn a_run_whose_answer_was_lost_is_there_once_after_it_was_sent_again() {
    let server = Server::start(&[]);
    let proxy = FaultProxy::to(server.address).await.unwrap();
    let sink = Redis::new(settings(&format!("redis://{}", proxy.address()), "orders")).unwrap();
    let messages = orders("1", 1, 30);
    delivered(&sink, &messages[..10]).await;

    proxy.set(Fault::DropAnswers).await;
    let run = crate::sinks::runs::run(&messages[10..20]);
    let mut unanswered = sink.deliver(&run);
    let there = async {
        while positions(&server, "orders").len() < 20 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        outcome = &mut unanswered => panic!("confirmed without an answer: {outcome:?}"),
        () = there => {}
    }
    // Ends the connections first, so that no answer slips through.
    proxy.set(Fault::Refuse).await;
    proxy.set(Fault::Pass).await;
    let outcome = unanswered.await;
    assert_eq!(outcome.confirmed, 0);
    assert_eq!(outcome.error.unwrap().verdict, Verdict::Unreachable);

    insist(&sink, &messages[10..]).await;
    assert_eq!(positions(&server, "orders"), (1..=30).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_dies_and_comes_back_has_every_key_once_and_in_order() {
    let mut server = Server::start(&[]);
    let sink = Redis::new(settings(&server.url(), "{aggregate_id}")).unwrap();
    let keys: Vec<_> = (0..64).map(|key| orders(&format!("key-{key}"), 1, 60)).collect();
    let crash = || {
        server.kill();
        server.start_again();
    };
    insist_during(&sink, &keys, crash).await;
    for key in 0..64 {
        assert_eq!(positions(&server, &format!("key-{key}")), (1..=60).collect::<Vec<_>>(), "key {key}");
    }
}

#[tokio::test]
async fn a_server_without_memory_is_an_outage_and_not_the_fault_of_a_message() {
    let server = Server::start(&["--maxmemory-policy", "noeviction"]);
    let sink = Redis::new(settings(&server.url(), "orders")).unwrap();
    delivered(&sink, &orders("1", 1, 2)).await;
    server.command(&["CONFIG", "SET", "maxmemory", "1"]);
    let messages = orders("1", 3, 5);
    let outcome = deliver(&sink, &messages).await;
    assert_eq!(outcome.confirmed, 0);
    let error = outcome.error.unwrap();
    assert_eq!(error.verdict, Verdict::Unreachable);
    assert!(error.text().contains("OOM"), "{error}");
    server.command(&["CONFIG", "SET", "maxmemory", "0"]);
    delivered(&sink, &messages).await;
    assert_eq!(positions(&server, "orders"), [1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn a_replica_is_an_outage_until_it_is_the_master() {
    let master = Server::start(&[]);
    let replica = Server::start(&["--replicaof", "127.0.0.1", &master.address.port().to_string()]);
    let sink = Redis::new(settings(&replica.url(), "orders")).unwrap();
    let error = deliver(&sink, &orders("1", 1, 2)).await.error.unwrap();
    assert_eq!(error.verdict, Verdict::Unreachable, "{error}");
    replica.command(&["REPLICAOF", "NO", "ONE"]);
    insist(&sink, &orders("1", 1, 2)).await;
}

#[tokio::test]
async fn a_wrong_password_is_an_outage_that_says_so_and_does_not_show_it() {
    let server = Server::start(&["--requirepass", super::PASSWORD]);
    for (user, expected) in [(":not-the-password@", "user or password in `url` are wrong"), ("", "it wants a password")]
    {
        let url = format!("redis://{user}{}", server.address);
        let sink = Redis::new(settings(&url, "orders")).unwrap();
        let error = deliver(&sink, &orders("1", 1, 1)).await.error.unwrap();
        assert_eq!(error.verdict, Verdict::Unreachable, "{error}");
        assert!(error.text().contains(expected), "{error}");
        for shown in [error.to_string(), format!("{sink:?}"), sink.check().await.unwrap_err().to_string()] {
            assert!(!shown.contains("not-the-password"), "{shown}");
        }
    }
}

#[tokio::test]
async fn a_stream_that_is_forbidden_concerns_its_messages_only() {
    let server = Server::start(&[]);
    server.command(&["ACL", "SETUSER", "app", "on", ">secret", "~order", "~posthaste:*", "+@all"]);
    let url = format!("redis://app:secret@{}", server.address);
    let sink = Redis::new(settings(&url, "{aggregate_type}")).unwrap();
    delivered(&sink, &orders("1", 1, 1)).await;
    let mut forbidden = orders("2", 2, 2);
    forbidden[0].1.aggregate_type = "account".into();
    let error = deliver(&sink, &forbidden).await.error.unwrap();
    assert_eq!(error.verdict, Verdict::Retry, "{error}");
}

#[tokio::test]
async fn a_payload_arrives_whole_up_to_the_limit_and_is_rejected_beyond_it() {
    let server = Server::start(&["--proto-max-bulk-len", "4mb"]);
    let settings = changed(settings(&server.url(), "orders"), |settings| settings.max_message_bytes = 4 << 20);
    let sink = Redis::new(settings).unwrap();
    let limits = posthaste::message::Limits { payload_bytes: 16 << 20, ..Default::default() };
    let sized = |bytes: usize| {
        let payload: Vec<u8> = (0..bytes).map(|n| (n % 251) as u8).collect();
        order("1", 1).payload(payload, "application/octet-stream").limits(limits.clone()).build().unwrap()
    };
    let fits = sized(4 << 20);
    delivered(&sink, &[(1, fits.clone())]).await;
    assert!(server.entries("orders").remove(0).take("payload").unwrap() == fits.payload);

    let error = deliver(&sink, &[(2, sized((4 << 20) + 1))]).await.error.unwrap();
    assert_eq!(error.verdict, Verdict::Reject, "{error}");
    delivered(&sink, &orders("1", 3, 3)).await;
}
