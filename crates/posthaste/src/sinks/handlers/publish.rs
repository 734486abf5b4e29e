//! Handing a message to its handlers, and waiting for them.

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::time::Instant;

use super::verdict::Failures;
use super::{Cancellation, Context, Handler, Handlers, progress};
use crate::message::Message;
use crate::sink::{Delivery, Error, Run};

impl Handlers {
    /// Runs every handler of one message that is not done with it yet.
    pub(super) async fn handle(&self, run: &Run, delivery: &Delivery) -> Result<(), Unfinished> {
        let handlers: Vec<_> =
            self.registered.iter().filter(|r| r.takes(&delivery.message)).map(|r| &*r.handler).collect();
        if handlers.is_empty() {
            self.unhandled.warn_once(&delivery.message.event_type);
        }
        let mut done = progress::decode(delivery.progress.as_deref());
        let mut failures = Failures::default();
        let before = done.len();
        for handler in handlers {
            if done.contains(handler.name()) {
                continue;
            }
            // Dropped with the call, however it ends.
            let (_guard, cancellation) = Cancellation::new();
            let ctx = Context::of(run, delivery, Instant::now() + self.timeout, cancellation);
            match call(handler, &ctx, &delivery.message, self.timeout).await {
                Ok(()) => drop(done.insert(handler.name().into())),
                Err(error) => failures.push(handler.name(), &error),
            }
        }
        let progressed = done.len() > before;
        failures.into_error(progressed).map_or(Ok(()), |error| Err(Unfinished { error, done }))
    }
}

/// Some handlers of a message have failed.
pub(super) struct Unfinished {
    pub(super) error: Error,
    pub(super) done: BTreeSet<String>,
}

/// A handler that panics or hangs has failed like any other: the worker lives on, and the message is tried again.
async fn call(handler: &dyn Handler, ctx: &Context, message: &Message, timeout: Duration) -> Result<(), Error> {
    let handling = async { handler.handle(ctx, message).await };
    match tokio::time::timeout(timeout, AssertUnwindSafe(handling).catch_unwind()).await {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => {
            let text = panic.downcast_ref::<&str>().copied();
            let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            Err(Error::retry(format_args!("panicked: {}", text.unwrap_or("without a text"))))
        }
        Err(_) => Err(Error::retry(format_args!("not done within {timeout:?}"))),
    }
}
