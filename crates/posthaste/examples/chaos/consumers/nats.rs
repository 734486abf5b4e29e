//! Reads a stream of JetStream, which it creates, in order and from its beginning.

use async_nats::jetstream::{self, consumer, stream};
use futures_util::StreamExt;

use super::{KEPT, PAUSE};
use crate::record::{Done, Record};
use crate::{Failure, ready};

pub(super) async fn consume(url: &str, name: &str, subjects: &str, record: &'static Record) -> Result<(), Failure> {
    let client = async_nats::ConnectOptions::new().retry_on_initial_connect().connect(url).await?;
    let context = jetstream::new(client);
    let (name_of_stream, subjects, max_age) = (name.into(), vec![subjects.into()], KEPT);
    let config = stream::Config { name: name_of_stream, subjects, max_age, ..stream::Config::default() };
    context.create_stream(config).await?;
    ready(None);
    let mut next = 1;
    loop {
        if let Err(error) = consume_on(&context, name, &mut next, record).await {
            eprintln!("{error}");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn consume_on(context: &jetstream::Context, name: &str, next: &mut u64, record: &Record) -> Result<(), Failure> {
    let stream = context.get_stream(name).await?;
    let deliver_policy = consumer::DeliverPolicy::ByStartSequence { start_sequence: *next };
    let config = consumer::pull::OrderedConfig { deliver_policy, ..consumer::pull::OrderedConfig::default() };
    let mut messages = stream.create_consumer(config).await?.messages().await?;
    while let Some(message) = messages.next().await {
        let message = message?;
        let id = message.headers.as_ref().and_then(|headers| headers.get("posthaste-id"));
        let info = message.info()?;
        let at = (info.published.unix_timestamp_nanos() / 1_000).unsigned_abs();
        record.note_at(at, "", id.map_or("", |id| id.as_str()), &message.payload, Done::Taken);
        *next = info.stream_sequence + 1;
    }
    Ok(())
}
