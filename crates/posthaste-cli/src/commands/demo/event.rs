//! What happens to an order, and which orders fail where.

use posthaste::Message;
use posthaste::message::MessageId;
use serde::{Deserialize, Serialize};

/// The life of an order, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    Created,
    Paid,
    Shipped,
}

impl Step {
    pub const ALL: [Self; 3] = [Self::Created, Self::Paid, Self::Shipped];

    pub fn event_type(self) -> &'static str {
        match self {
            Self::Created => "order.created",
            Self::Paid => "order.paid",
            Self::Shipped => "order.shipped",
        }
    }
}

/// The payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderEvent {
    pub order: u32,
    pub step: Step,
    pub ship_to: String,
}

/// What a writer knows it committed, and what a receiver wrote down when it arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Record {
    pub id: MessageId,
    pub order: u32,
    pub step: Step,
}

impl OrderEvent {
    pub fn new(order: u32, step: Step) -> Self {
        let ship_to = if is_poisoned(order) { NOWHERE } else { "Lisbon" };
        Self { order, step, ship_to: ship_to.into() }
    }

    pub fn message(&self) -> Result<Message, posthaste::message::Invalid> {
        Message::builder(self.step.event_type(), "order", self.order.to_string()).json(self).build()
    }

    pub fn record(&self, id: MessageId) -> Record {
        Record { id, order: self.order, step: self.step }
    }

    /// The warehouse cannot ship there, today or ever.
    pub fn is_refused(&self) -> bool {
        self.step == Step::Shipped && self.ship_to == NOWHERE
    }
}

const NOWHERE: &str = "Atlantis";

/// One order in fifty. Only its last event is refused, so nothing waits behind it.
pub fn is_poisoned(order: u32) -> bool {
    order.is_multiple_of(50)
}

/// One order in forty is called off before its transaction commits. Never a poisoned one.
pub fn is_called_off(order: u32) -> bool {
    order % 40 == 7
}

/// One payment in twenty is not booked at the first attempt; the shipment must wait for it.
pub fn is_flaky(order: u32) -> bool {
    order % 20 == 3
}
