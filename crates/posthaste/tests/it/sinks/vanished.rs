//! Machines that are gone without a word: connections stay open, and nothing comes through them ever again.

use std::time::{Duration, Instant};

use posthaste::conformance::fault_proxy::{Fault, FaultProxy};
use posthaste::conformance::sink_suite::SinkUnderTest;

use super::key::{self, first_arrivals};
use super::runs::{deliver, delivered};

/// Longest wait on a machine that is busy with other things; what the default settings promise is 15 s.
const DEADLINE: Duration = Duration::from_secs(120);

/// Deliveries go on over new connections; nothing is lost, and the order of the key stays.
#[expect(clippy::print_stdout, reason = "a figure for docs/performance.md, seen with --nocapture")]
pub(crate) async fn is_reached_anew(subject: &impl SinkUnderTest, proxy: &FaultProxy) {
    let sink = subject.sink();
    let messages: Vec<_> = (1..).zip(key::messages("1", 20)).collect();
    delivered(&*sink, &messages[..10]).await;
    proxy.set(Fault::Vanish).await;
    let (begun, mut confirmed) = (Instant::now(), 10);
    while confirmed < messages.len() {
        assert!(begun.elapsed() < DEADLINE, "only {confirmed} are confirmed");
        confirmed += deliver(&*sink, &messages[confirmed..]).await.confirmed;
    }
    println!("goes on {:?} after the machine was gone", begun.elapsed());
    let arrived = first_arrivals(subject.arrived().await.iter().map(|one| one.id));
    assert_eq!(arrived, messages.iter().map(|(_, message)| message.id).collect::<Vec<_>>());
}

/// Nobody waits for an answer longer than this by default: an outage of a machine that is gone has 15 s to be over.
#[cfg(any(feature = "kafka", feature = "rabbitmq"))]
#[test]
fn brokers_are_not_waited_for_longer_than_ten_seconds_unless_told_to() {
    let most = Duration::from_secs(10);
    #[cfg(feature = "rabbitmq")]
    assert!(posthaste::sinks::rabbitmq::Settings::at("amqp://localhost").timeout <= most);
    #[cfg(feature = "kafka")]
    assert!(posthaste::sinks::kafka::Settings::at("localhost:9092").timeout <= most);
}
