//! What receivers say about what they were handed.

use posthaste::destination::Name;
use posthaste::inspect::{Answer, Settled};
use posthaste::message::MessageId;

use super::Operator;

impl Operator {
    /// Writes down what the receiver of a message says about it. What goes by in great numbers is not in the audit log: it stands in the
    /// timeline of its message.
    pub async fn settle(&self, id: MessageId, destination: &str, answer: &Answer) -> anyhow::Result<Settled> {
        let configured = self.destinations.iter().find(|known| known.name.as_str() == destination);
        if configured.is_some_and(|known| known.callback_timeout.is_none()) {
            let text = format!("{destination} waits for no answers: set mode = \"callback\" there");
            return Err(posthaste::Error::new(posthaste::error::Kind::Invalid, text).into());
        }
        Ok(self.store.settle(id, &Name::from(destination), answer).await?)
    }
}
