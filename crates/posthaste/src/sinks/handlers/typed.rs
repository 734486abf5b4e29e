//! A handler of one type of event.

use std::future::Future;
use std::marker::PhantomData;

use async_trait::async_trait;
use serde::de::DeserializeOwned;

use super::{Context, Handler};
use crate::domain::{DomainEvent, decode};
use crate::message::Message;
use crate::sink::Error;

/// Made by [`Builder::on_event`](super::Builder::on_event).
pub(super) struct Typed<E, F> {
    name: String,
    function: F,
    event: PhantomData<E>,
}

impl<E, F> Typed<E, F> {
    pub(super) fn new(name: impl Into<String>, function: F) -> Self {
        Self { name: name.into(), function, event: PhantomData }
    }
}

#[async_trait]
impl<E, F, R> Handler for Typed<E, F>
where
    E: DomainEvent + DeserializeOwned + Send + Sync,
    F: Fn(Context, E) -> R + Send + Sync,
    R: Future<Output = Result<(), Error>> + Send,
{
    fn name(&self) -> &str {
        &self.name
    }

    async fn handle(&self, ctx: &Context, message: &Message) -> Result<(), Error> {
        let event = decode(message)?;
        (self.function)(ctx.clone(), event).await
    }
}
