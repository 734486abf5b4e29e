//! An outbox in memory for the tests of an application: what its aggregates published, and a relay that drains without waiting.
//!
//! ```
//! # use posthaste::domain::{Aggregate, DomainEvent, Events};
//! # use posthaste::{Destination, sinks::handlers::Handlers, testkit::outbox::Outbox};
//! # #[derive(serde::Serialize, serde::Deserialize, DomainEvent)]
//! # #[event(type = "customer.created.v1", aggregate = "customer")]
//! # struct CustomerCreated { #[event(aggregate_id)] id: u64 }
//! # struct Customer { events: Events }
//! # impl Aggregate for Customer { fn events(&self) -> &Events { &self.events } }
//! # fn created() -> Customer { let mut events = Events::default(); events.register(CustomerCreated { id: 7 }); Customer { events } }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> posthaste::Result<()> {
//! # let handlers = Handlers::builder().build()?;
//! let customer = created();
//! posthaste::assert_published!(customer, [CustomerCreated { id: 7 }]);
//!
//! let mut outbox = Outbox::default();
//! outbox.commit(&[&customer])?;
//! let drained = outbox.drain(&Destination::new("app"), &handlers).await;
//! assert_eq!(drained.delivered.len(), 1);
//! # Ok(()) }
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use crate::destination::{Destination, Name};
use crate::domain::{Aggregate, Changes, DomainEvent};
use crate::error::Result;
use crate::journal::{Partition, Position};
use crate::message::{Message, OrderKey};
use crate::retry::OnDead;
use crate::rules::decide::{Decision, decide};
use crate::rules::route;
use crate::sink::{Delivery, Error, Outcome, Run, Sink};

/// All that was committed, and how far each destination got.
#[derive(Debug, Default)]
pub struct Outbox {
    messages: Vec<Arc<Message>>,
    settled: BTreeMap<Name, usize>,
    held: BTreeSet<(Name, OrderKey)>,
}

/// What one [`Outbox::drain`] did.
#[derive(Debug, Default)]
pub struct Drained {
    /// What the sink confirmed, in order.
    pub delivered: Vec<Arc<Message>>,
    /// What no retry can help, each with the error that decided it.
    pub dead: Vec<(Arc<Message>, Error)>,
    /// Behind a dead one of their key.
    pub waiting: Vec<Arc<Message>>,
    /// The destination is out of reach; what is left is for the next drain.
    pub outage: Option<Error>,
    /// Calls of the sink, retries included.
    pub attempts: u32,
}

impl Outbox {
    /// As a unit of work that saves these aggregates and commits: their buffers are empty afterwards.
    pub fn commit(&mut self, aggregates: &[&dyn Aggregate]) -> Result<()> {
        let mut changes = Changes::default();
        aggregates.iter().for_each(|aggregate| changes.add(*aggregate));
        self.messages.extend(changes.messages()?.into_iter().map(Arc::new));
        changes.committed();
        Ok(())
    }

    /// Everything that was committed, in order.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().map(|message| &**message)
    }

    /// Delivers what the destination has not seen yet, one message after another, by the destination's own policy; waits of
    /// retries are skipped. The same input gives the same calls in the same order.
    pub async fn drain(&mut self, destination: &Destination, sink: &dyn Sink) -> Drained {
        let mut drained = Drained::default();
        let from = self.settled.get(&destination.name).copied().unwrap_or(0);
        for index in from..self.messages.len() {
            let message = Arc::clone(&self.messages[index]);
            if let Some(unfit) = route::admission(destination, &message).unfit() {
                let position = Position::seq(index as u64 + 1);
                self.settle(&mut drained, destination, sink, position, message, unfit).await;
                if drained.outage.is_some() {
                    break;
                }
            }
            self.settled.insert(destination.name.clone(), index + 1);
        }
        drained
    }

    async fn settle(
        &mut self,
        drained: &mut Drained,
        destination: &Destination,
        sink: &dyn Sink,
        position: Position,
        message: Arc<Message>,
        unfit: Option<String>,
    ) {
        let key = message.order_key().map(|key| (destination.name.clone(), key));
        if key.as_ref().is_some_and(|key| self.held.contains(key)) {
            drained.waiting.push(message);
            return;
        }
        let max_attempts = message.max_attempts.unwrap_or(destination.policy.max_attempts);
        let mut progress = None;
        for attempt in 1.. {
            let delivery = Delivery {
                message: Arc::clone(&message),
                position,
                attempt,
                progress: progress.take(),
                replayed: false,
                hand_over: None,
            };
            let run = Run {
                destination: destination.name.clone(),
                partition: Partition::default(),
                deliveries: vec![delivery],
            };
            let outcome = match &unfit {
                Some(why) => Outcome::stopped(0, Error::reject(why)),
                None => sink.deliver(&run).await,
            };
            drained.attempts += 1;
            let Some(error) = outcome.error else {
                drained.delivered.push(message);
                return;
            };
            progress = outcome.progress;
            match decide(error.verdict, attempt, max_attempts, &destination.policy, 0.0) {
                Decision::Retry { .. } => {}
                Decision::Dead => {
                    self.held.extend(key.filter(|_| destination.policy.on_dead == OnDead::Block));
                    drained.dead.push((message, error));
                    return;
                }
                Decision::Outage | Decision::Pause => {
                    drained.outage = Some(error);
                    return;
                }
            }
        }
    }
}

/// An event as a test compares it.
#[derive(Debug, PartialEq)]
pub struct Published {
    /// The type of the event.
    pub event_type: String,
    /// The id of the aggregate that published it.
    pub aggregate_id: String,
    /// The event itself.
    pub payload: Value,
}

impl Published {
    /// The events of an aggregate that are not written yet.
    pub fn by(aggregate: &dyn Aggregate) -> Result<Vec<Self>> {
        let mut changes = Changes::default();
        changes.add(aggregate);
        Ok(changes.messages()?.iter().map(Self::in_message).collect())
    }

    /// An event that a test expects.
    pub fn event(event: &impl DomainEvent) -> Self {
        let payload = serde_json::to_value(event).unwrap_or_default();
        let event_type = event_type_of(event).to_owned();
        Self { event_type, aggregate_id: event.aggregate_id(), payload }
    }

    fn in_message(message: &Message) -> Self {
        let payload = serde_json::from_slice(&message.payload).unwrap_or_default();
        let (event_type, aggregate_id) = (message.event_type.to_string(), message.aggregate_id.to_string());
        Self { event_type, aggregate_id, payload }
    }
}

fn event_type_of<E: DomainEvent>(_: &E) -> &'static str {
    E::EVENT_TYPE
}

/// Fails unless the aggregate has registered exactly these events, in this order.
#[macro_export]
macro_rules! assert_published {
    ($aggregate:expr, [$($event:expr),* $(,)?]) => {
        assert_eq!(
            $crate::testkit::outbox::Published::by(&$aggregate).expect("every event can be written"),
            vec![$($crate::testkit::outbox::Published::event(&$event)),*] as Vec<$crate::testkit::outbox::Published>,
        )
    };
}
