//! Handlers of one type of event.

use std::future::Future;
use std::marker::PhantomData;

use async_trait::async_trait;
use serde::de::DeserializeOwned;

use super::event::{DomainEvent, decode};
use crate::message::Message;
use crate::sink::Error;
use crate::sinks::handlers::{Builder, Context, Handler};

impl Builder {
    /// Calls `function` for events of one type, with the event: `.on_event("welcome", |ctx, event: CustomerCreated| async …)`. A
    /// payload that is no such event is rejected.
    pub fn on_event<E, F, R>(self, name: impl Into<String>, function: F) -> Self
    where
        E: DomainEvent + DeserializeOwned + Send + Sync + 'static,
        F: Fn(Context, E) -> R + Send + Sync + 'static,
        R: Future<Output = Result<(), Error>> + Send + 'static,
    {
        self.on(E::EVENT_TYPE, Typed { name: name.into(), function, event: PhantomData })
    }
}

/// Decodes the payload before it calls the function.
struct Typed<E, F> {
    name: String,
    function: F,
    event: PhantomData<E>,
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

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::journal::{Partition, Position};
    use crate::retry::Verdict;
    use crate::sink::{Delivery, Run, Sink};
    use crate::sinks::handlers::Handlers;

    #[tokio::test]
    async fn typed_handlers_get_their_event_and_reject_what_is_none() {
        #[derive(serde::Serialize, serde::Deserialize)]
        struct Created {
            total: u32,
        }
        impl DomainEvent for Created {
            const EVENT_TYPE: &'static str = "order.created.v1";
            const AGGREGATE_TYPE: &'static str = "order";
            fn aggregate_id(&self) -> String {
                "1".into()
            }
        }
        let totals = Arc::new(Mutex::new(Vec::new()));
        let noted = totals.clone();
        let note = move |_: Context, created: Created| {
            noted.lock().unwrap().push(created.total);
            async { Ok(()) }
        };
        let handlers = Handlers::builder().on_event("note", note).build().unwrap();
        let deliver = async |message: Message| {
            let delivery = Delivery::new(Arc::new(message), Position::seq(1));
            handlers.deliver(&Run::new("app", Partition::new(0), vec![delivery])).await
        };
        assert_eq!(deliver(Created { total: 7 }.to_message().unwrap()).await.confirmed, 1);
        assert_eq!(*totals.lock().unwrap(), [7]);
        let secret = Message::builder("order.created.v1", "order", "1").json("secret").build().unwrap();
        let error = deliver(secret).await.error.unwrap();
        assert_eq!(error.verdict, Verdict::Reject);
        assert!(error.text().contains("no order.created.v1") && !error.text().contains("secret"), "{error}");
    }
}
