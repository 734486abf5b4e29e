//! A handler out of a closure.

use std::fmt;
use std::future::Future;

use async_trait::async_trait;

use super::{Context, Handler};
use crate::message::Message;
use crate::sink::Error;

/// Made by [`handler_fn`].
pub struct Closure<F> {
    name: String,
    function: F,
}

/// A handler that calls `function`. It gets its own copy of the message; the payload is shared, not copied.
///
/// ```
/// use posthaste::sinks::handlers::{Handlers, handler_fn};
///
/// let handlers = Handlers::builder()
///     .on("order.created", handler_fn("greet", |ctx, message| async move {
///         tracing::info!(position = %ctx.position, id = %message.id, "a new order");
///         Ok(())
///     }))
///     .build()?;
/// # Ok::<(), posthaste::Error>(())
/// ```
pub fn handler_fn<F, R>(name: impl Into<String>, function: F) -> Closure<F>
where
    F: Fn(Context, Message) -> R + Send + Sync,
    R: Future<Output = Result<(), Error>> + Send,
{
    Closure { name: name.into(), function }
}

#[async_trait]
impl<F, R> Handler for Closure<F>
where
    F: Fn(Context, Message) -> R + Send + Sync,
    R: Future<Output = Result<(), Error>> + Send,
{
    fn name(&self) -> &str {
        &self.name
    }

    async fn handle(&self, ctx: &Context, message: &Message) -> Result<(), Error> {
        (self.function)(ctx.clone(), message.clone()).await
    }
}

impl<F> fmt::Debug for Closure<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Closure").field(&self.name).finish()
    }
}
