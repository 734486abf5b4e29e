//! From a foreign event to messages.

use std::fmt;

use super::Event;
use crate::message::{Invalid, Message};

/// Makes messages of the events of a source. Called for each event, perhaps more than once; it must not depend on anything but the event.
pub trait Mapper: fmt::Debug + Send + Sync {
    /// The messages to store, or none to ignore the event. Whatever origin they have, they get that of the event.
    fn map(&self, event: &Event) -> Result<Vec<Message>, Unmappable>;
}

/// Why nothing can be made of an event, for a person; never with a payload. What becomes of the event is the policy's to say
/// ([`OnError`](super::OnError)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmappable {
    text: String,
}

impl Unmappable {
    /// For this reason. A text that is longer than [`crate::sink::MAX_BRIEF_CHARS`] is cut.
    pub fn new(text: impl fmt::Display) -> Self {
        let text = text.to_string();
        Self { text: text.chars().take(crate::sink::MAX_BRIEF_CHARS).collect() }
    }
}

impl fmt::Display for Unmappable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Unmappable {}

/// A mapper that puts a message together and leaves the check of it to [`Message::builder`].
impl From<Invalid> for Unmappable {
    fn from(invalid: Invalid) -> Self {
        Self::new(format_args!("the message would be invalid: {invalid}"))
    }
}
