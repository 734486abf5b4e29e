//! What every sink must hold, one named test per guarantee.
//!
//! Implement [`SinkUnderTest`] for a sink together with its destination, and [`sink_suite!`](crate::sink_suite) makes a test of
//! each guarantee, on a subject of its own. A destination that cannot be started is a failed test, never a skipped one.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::message::{Headers, Message, MessageId};
use crate::sink::Sink;

pub use self::content::*;
pub use self::faults::*;
pub use self::together::*;

mod content;
mod faults;
mod fixture;
mod together;

/// A sink and the destination behind it.
///
/// Every method is obligatory. The faults answer [`Impossible`] with the reason where the sink's nature rules one out, and only
/// there: the test of that guarantee then passes without having shown anything. [`FaultProxy`](super::fault_proxy::FaultProxy)
/// gives `stop` and `stall` to everything that speaks TCP.
#[async_trait]
pub trait SinkUnderTest: Send + Sync {
    /// The sink, set up to reach the destination.
    fn sink(&self) -> Arc<dyn Sink>;

    /// What has arrived at this subject's destination so far, in order of arrival, repeats included. Read by other means than
    /// the sink's, so that both cannot be wrong in the same way.
    async fn arrived(&self) -> Vec<Arrived>;

    /// A credential the sink was given, which must never be shown.
    fn secret(&self) -> Result<String, Impossible>;

    /// Sees to it that the destination refuses this message and no other, by a change of either.
    async fn refuse(&self, message: &mut Message) -> Result<(), Impossible>;

    /// Takes the destination out of reach.
    async fn stop(&self) -> Result<(), Impossible>;

    /// Brings it back, with what it had.
    async fn start(&self);

    /// Makes the destination accept what comes and answer nothing.
    async fn stall(&self) -> Result<(), Impossible>;

    /// Makes it answer again.
    async fn resume(&self);
}

/// The reason why a fault cannot befall a sink.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Impossible(pub &'static str);

/// One message as the destination has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrived {
    /// The message's id.
    pub id: MessageId,
    /// What happened.
    pub event_type: String,
    /// The key by which it is ordered, if it has one of its own.
    pub key: Option<String>,
    /// Whose it is.
    pub tenant: Option<String>,
    /// What it belongs to.
    pub correlation_id: Option<String>,
    /// The message's own headers; what the sink adds for itself is left out. Only the order of those with the same name counts:
    /// many destinations keep no other.
    pub headers: Headers,
    /// The payload, byte for byte.
    pub payload: Vec<u8>,
}

impl From<&Message> for Arrived {
    fn from(message: &Message) -> Self {
        Self {
            id: message.id,
            event_type: message.event_type.to_string(),
            key: message.key.clone().map(String::from),
            tenant: message.tenant.clone().map(String::from),
            correlation_id: message.correlation_id.clone().map(String::from),
            headers: message.headers.clone(),
            payload: message.payload.to_vec(),
        }
    }
}

/// Makes a test of every guarantee of a sink. Takes the name of an `async fn` that returns a
/// [`SinkUnderTest`](crate::conformance::sink_suite::SinkUnderTest) with an empty destination.
#[macro_export]
macro_rules! sink_suite {
    ($fresh:path) => {
        $crate::sink_suite! { $fresh;
            a_run_arrives_in_order,
            payloads_arrive_byte_for_byte,
            every_field_arrives,
            what_is_confirmed_is_there,
            many_keys_at_once_keep_their_order,
            a_run_stops_at_a_refused_message,
            an_outage_is_unreachable_until_it_ends,
            a_delivery_that_is_dropped_leaves_the_sink_usable,
            nothing_is_confirmed_before_the_destination_answers,
            no_error_shows_a_secret_or_goes_on_forever,
            runs_that_go_together_arrive_in_their_order,
            a_refused_message_stops_no_other_run,
            an_outage_meets_every_run,
            a_hand_over_that_is_dropped_leaves_the_sink_usable,
        }
    };
    ($fresh:path; $($test:ident,)*) => {$(
        #[test]
        fn $test() {
            $crate::conformance::sink_suite::block_on(async {
                let subject = $fresh().await;
                $crate::conformance::sink_suite::$test(&subject).await;
            });
        }
    )*};
}

/// Runs a test on a runtime of its own; a test that hangs is a failed one.
#[doc(hidden)]
pub fn block_on(test: impl Future<Output = ()>) {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build().expect("a runtime can be started");
    runtime
        .block_on(async { tokio::time::timeout(Duration::from_secs(120), test).await })
        .expect("the test ends in time");
}
