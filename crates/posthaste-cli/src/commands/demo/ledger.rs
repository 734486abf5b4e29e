//! The ledger: a handler inside this process. Books every event; some payments only at the second attempt.

use std::sync::Arc;

use posthaste::Message;
use posthaste::sink::{Error, Sink};
use posthaste::sinks::handlers::{Context, Handlers, handler_fn};

use super::event::{OrderEvent, Step, is_flaky};
use super::records::Records;

pub fn sink(records: &Records) -> posthaste::Result<Arc<dyn Sink>> {
    let records = records.clone();
    let handler = handler_fn("book", move |context, message| {
        let booked = book(&records, &context, &message);
        async { booked }
    });
    Ok(Arc::new(Handlers::builder().on("order.*", handler).build()?))
}

fn book(records: &Records, context: &Context, message: &Message) -> Result<(), Error> {
    let event: OrderEvent = serde_json::from_slice(&message.payload).map_err(Error::reject)?;
    if event.step == Step::Paid && is_flaky(event.order) && context.attempt == 1 {
        return Err(Error::retry("the bank does not answer"));
    }
    records.push(event.record(message.id));
    Ok(())
}
