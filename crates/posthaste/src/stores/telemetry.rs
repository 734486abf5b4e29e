//! What applications write, in the log: operation `OUTBOX_ENQUEUE` with phases START, SUCCESS, DUPLICATE and ERROR. The one place
//! that tells of writes; stores only call it.
//!
//! Counts and ids, never payloads. Of several messages only their number is told: they may be many, and an application that wants
//! more can say it itself.

use std::borrow::Borrow;

use crate::error::{Error, Result};
use crate::journal::Enqueued;
use crate::message::Message;

/// Messages that are being written. Costs a comparison of levels when nobody listens.
#[must_use = "how it ended is to be told too"]
pub(super) struct Writing<'a> {
    messages: usize,
    /// The message, if it is one.
    single: Option<&'a Message>,
}

/// One line about messages: how many, and which if it is one.
macro_rules! say {
    ($level:ident, $writing:expr, $messages:expr, $phase:literal, $($rest:tt)+) => {
        tracing::$level!(
            messages = $messages,
            message_id = $writing.single.map(|message| tracing::field::display(message.id)),
            correlation_id = $writing.single.and_then(|message| message.correlation_id.as_deref()),
            tenant = $writing.single.and_then(|message| message.tenant.as_deref()),
            operation = "OUTBOX_ENQUEUE",
            phase = $phase,
            $($rest)+
        )
    };
}

impl<'a> Writing<'a> {
    pub(super) fn begin<M: Borrow<Message>>(messages: &'a [M]) -> Self {
        let single = if let [single] = messages { Some(single.borrow()) } else { None };
        let writing = Self { messages: messages.len(), single };
        if writing.messages > 0 {
            say!(trace, writing, writing.messages, "START", "writing to the journal");
        }
        writing
    }

    /// As [`Writing::tell`], and passes the result on.
    #[cfg(any(
        feature = "mysql_async",
        feature = "sqlx-mysql",
        feature = "tokio-postgres",
        feature = "sqlx-postgres",
        feature = "rusqlite",
        feature = "sqlx-sqlite"
    ))]
    pub(super) fn end(self, result: Result<Enqueued>) -> Result<Enqueued> {
        self.tell(result.as_ref().copied());
        result
    }

    /// Tells how it ended. What is written counts only if the application commits, which it has still to do.
    pub(super) fn tell(self, result: Result<Enqueued, &Error>) {
        match result {
            Ok(Enqueued { stored, duplicates }) => {
                if stored > 0 {
                    say!(debug, self, stored, "SUCCESS", "written in the caller's transaction");
                }
                if duplicates > 0 {
                    say!(debug, self, duplicates, "DUPLICATE", "stored before; left out");
                }
            }
            Err(error) => say!(warn, self, self.messages, "ERROR", %error, "could not be written"),
        }
    }
}
