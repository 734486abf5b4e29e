//! What happens to order when the way to a broker breaks, on every broker behind a proxy.

use std::time::Duration;

use futures_util::future::join_all;
use posthaste::Message;
use posthaste::conformance::fault_proxy::{Fault, FaultProxy};
use posthaste::conformance::sink_suite::SinkUnderTest;
use posthaste::message::MessageId;
use posthaste::sink::{Sink, Verdict};

use super::key::{self, first_arrivals};
use super::runs::{deliver, delivered, insist};

/// A broker and the way to it.
pub(crate) trait BehindAProxy: SinkUnderTest {
    fn proxy(&self) -> &FaultProxy;
}

/// Makes a test of every guarantee. Takes the names of two `async fn`: a subject, and one that waits a second or two for an answer.
macro_rules! order_suite {
    ($fresh:path, $impatient:path) => {
        crate::sinks::order::order_suite! { $fresh;
            links_cut_anywhere_in_a_run_lose_nothing_and_keep_the_order,
            many_keys_keep_their_order_while_the_link_breaks_and_heals,
            a_slow_broker_is_waited_for,
        }
        crate::sinks::order::order_suite! { $impatient;
            what_was_not_confirmed_when_the_answers_are_lost_is_sent_again_in_order,
            a_broker_that_does_not_answer_is_out_of_reach_until_it_does,
            a_broker_whose_machine_is_gone_is_reached_anew,
        }
    };
    ($subject:path; $($test:ident,)*) => {$(
        #[test]
        fn $test() {
            posthaste::conformance::sink_suite::block_on(async {
                crate::sinks::order::$test(&$subject().await).await;
            });
        }
    )*};
}

pub(crate) use order_suite;

type Numbered = (u64, Message);

/// So many messages about one account, with their positions.
fn account(id: &str, count: usize) -> Vec<Numbered> {
    (1..).zip(key::messages(id, count)).collect()
}

fn ids(messages: &[Numbered]) -> Vec<MessageId> {
    messages.iter().map(|(_, message)| message.id).collect()
}

/// As an engine would: each run from the first that was not confirmed on.
async fn deliver_all(sink: &dyn Sink, messages: &[Numbered]) {
    for run in messages.chunks(100) {
        insist(sink, run).await;
    }
}

/// Each key has all of its messages, in order; repeats do not count.
async fn assert_in_order(subject: &impl BehindAProxy, keys: &[Vec<Numbered>]) {
    let arrived = subject.arrived().await;
    for messages in keys {
        let key = messages[0].1.key.as_deref();
        let of_key = arrived.iter().filter(|one| one.key.as_deref() == key).map(|one| one.id);
        assert_eq!(first_arrivals(of_key), ids(messages));
    }
}

pub(crate) async fn links_cut_anywhere_in_a_run_lose_nothing_and_keep_the_order(subject: &impl BehindAProxy) {
    let messages = account("1", 400);
    let sink = subject.sink();
    let cutting = async {
        // Bytes towards the broker: in the middle of the handshake, of headers, of bodies.
        for after in [100, 300, 1_000, 2_000, 5_000, 20_000, 60_000] {
            subject.proxy().set(Fault::CutAfter(after)).await;
            tokio::time::sleep(Duration::from_millis(400)).await;
        }
        subject.proxy().set(Fault::Pass).await;
    };
    tokio::join!(deliver_all(&*sink, &messages), cutting);
    assert_in_order(subject, &[messages]).await;
}

pub(crate) async fn many_keys_keep_their_order_while_the_link_breaks_and_heals(subject: &impl BehindAProxy) {
    let keys: Vec<_> = (0..64).map(|n| account(&n.to_string(), 60)).collect();
    let sink = subject.sink();
    let delivering = join_all(keys.iter().map(|messages| deliver_all(&*sink, messages)));
    let breaking = async {
        for _ in 0..3 {
            tokio::time::sleep(Duration::from_millis(150)).await;
            subject.proxy().set(Fault::Reset).await;
            subject.proxy().set(Fault::Refuse).await;
            tokio::time::sleep(Duration::from_millis(1_200)).await;
            subject.proxy().set(Fault::Pass).await;
        }
    };
    tokio::join!(delivering, breaking);
    assert_in_order(subject, &keys).await;
}

pub(crate) async fn a_slow_broker_is_waited_for(subject: &impl BehindAProxy) {
    subject.proxy().set(Fault::Delay(Duration::from_millis(50))).await;
    let messages = account("1", 50);
    for run in messages.chunks(25) {
        delivered(&*subject.sink(), run).await;
    }
    let arrived: Vec<_> = subject.arrived().await.iter().map(|one| one.id).collect();
    assert_eq!(arrived, ids(&messages));
}

pub(crate) async fn what_was_not_confirmed_when_the_answers_are_lost_is_sent_again_in_order(
    subject: &impl BehindAProxy,
) {
    fails_while_the_link_is(Fault::DropAnswers, subject).await;
}

pub(crate) async fn a_broker_that_does_not_answer_is_out_of_reach_until_it_does(subject: &impl BehindAProxy) {
    fails_while_the_link_is(Fault::BlackHole, subject).await;
}

pub(crate) async fn a_broker_whose_machine_is_gone_is_reached_anew(subject: &impl BehindAProxy) {
    super::vanished::is_reached_anew(subject, subject.proxy()).await;
}

async fn fails_while_the_link_is(faulty: Fault, subject: &impl BehindAProxy) {
    let (sink, messages) = (subject.sink(), account("1", 100));
    delivered(&*sink, &messages[..10]).await;
    subject.proxy().set(faulty).await;
    let outcome = deliver(&*sink, &messages[10..]).await;
    let error = outcome.error.expect("nothing can be confirmed");
    assert_eq!((outcome.confirmed, error.verdict), (0, Verdict::Unreachable), "{error}");
    assert!(error.text().contains("not answer") || error.text().contains("not acknowledge"), "{error}");
    assert_eq!(sink.check().await.unwrap_err().verdict, Verdict::Unreachable);
    subject.proxy().set(Fault::Pass).await;
    deliver_all(&*sink, &messages[10..]).await;
    assert_in_order(subject, &[messages]).await;
}
