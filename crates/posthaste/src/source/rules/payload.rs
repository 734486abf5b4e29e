//! What a rule makes of the data of an event.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use crate::source::Event;

type Make = dyn Fn(&Event) -> Result<Bytes, String> + Send + Sync;

/// Makes a payload, which is JSON, of an event. It has to be pure, as a [`Mapper`](crate::source::Mapper) has.
#[derive(Clone)]
pub struct Payload {
    text: Arc<str>,
    make: Arc<Make>,
}

impl Payload {
    /// What makes it, and the text that stands for it. A reason must contain nothing of the data.
    pub fn new(
        text: impl Into<Arc<str>>,
        make: impl Fn(&Event) -> Result<Bytes, String> + Send + Sync + 'static,
    ) -> Self {
        Self { text: text.into(), make: Arc::new(make) }
    }

    /// The payload of a message of this event, or why there is none.
    pub fn of(&self, event: &Event) -> Result<Bytes, String> {
        (self.make)(event)
    }
}

/// They are the same if their texts are.
impl PartialEq for Payload {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Payload").field(&self.text).finish()
    }
}
