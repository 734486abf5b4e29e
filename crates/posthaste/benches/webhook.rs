//! Webhooks: how much of a slow endpoint's capacity is used, and what a dead one costs the others. See `xtask/src/bench.rs`.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use posthaste::relay::Settings;
use posthaste::sink::template::Template;
use posthaste::sinks::webhook::{self, Webhook};
use posthaste::stores::memory::Memory;
use posthaste::{Destination, Message, Relay};
use tokio::net::TcpListener;

/// What the endpoint takes for an answer, and how many it is asked at once.
const ANSWER: Duration = Duration::from_millis(200);
const IN_FLIGHT: usize = 64;

#[tokio::main(flavor = "multi_thread")]
#[expect(clippy::print_stdout, reason = "the last line is the result")]
async fn main() {
    let case = std::env::args().skip(1).find(|arg| !arg.starts_with("--")).unwrap_or_default();
    let per_second = match case.as_str() {
        // What nobody can exceed.
        "slow-ideal" => IN_FLIGHT as f64 / ANSWER.as_secs_f64(),
        "slow" => slow(false).await,
        "slow-beside-a-dead-one" => slow(true).await,
        other => panic!("no case is called {other:?}"),
    };
    println!("{per_second}");
}

#[expect(clippy::disallowed_methods, reason = "the server of a benchmark, which ends with it")]
async fn endpoint() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("it has an address");
    let app = Router::new().fallback(async || tokio::time::sleep(ANSWER).await);
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}

fn destination(name: &str, address: SocketAddr) -> (Destination, Arc<Webhook>) {
    let url = Template::parse(&format!("http://{address}/hooks")).expect("a template");
    let mut settings = webhook::Settings::new(url);
    settings.allow = vec!["127.0.0.0/8".into()];
    settings.secrets = vec!["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".into()];
    let destination = Destination::new(name).max_in_flight(IN_FLIGHT).max_run(1);
    (destination, Arc::new(Webhook::new(settings).expect("the settings are good")))
}

/// Messages of many keys, so that order holds nobody up.
fn messages(count: usize) -> Vec<Message> {
    let payload = vec![b'x'; 500];
    let one = |n: usize| {
        let order = Message::builder("order.created", "order", n.to_string()).payload(payload.clone(), "text/plain");
        order.build().expect("the message is valid")
    };
    (0..count).map(one).collect()
}

/// Delivers everything to the first destination and says how many a second that were, from the first to the last.
#[expect(clippy::disallowed_methods, reason = "the relay of a benchmark, which is waited for")]
async fn drain(destinations: Vec<(Destination, Arc<Webhook>)>, count: usize) -> f64 {
    let store = Memory::new();
    let mut transaction = store.begin();
    transaction.enqueue(&messages(count));
    transaction.commit();
    let mut builder = Relay::builder(Arc::new(store)).settings(Settings::default());
    for (destination, sink) in destinations {
        builder = builder.destination(destination, sink);
    }
    let relay = builder.build();
    let monitor = relay.monitor();
    let delivered = || monitor.snapshot().destinations.first().map_or(0, |seen| seen.delivered);
    let measure = async {
        while delivered() == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let (started, first) = (Instant::now(), delivered());
        while delivered() < count as u64 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        (count as u64 - first) as f64 / started.elapsed().as_secs_f64()
    };
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = tokio::spawn(relay.run(async { drop(stopped.await) }));
    let rate = measure.await;
    drop(stop);
    running.await.expect("the relay does not panic").expect("the relay ends well");
    rate
}

async fn slow(beside_a_dead_one: bool) -> f64 {
    let mut destinations = vec![destination("slow", endpoint().await)];
    if beside_a_dead_one {
        // Nobody listens on this port of this machine.
        destinations.push(destination("dead", SocketAddr::from(([127, 0, 0, 1], 1))));
    }
    drain(destinations, 3_000).await
}
