//! Messages as one call of the script: those that go together, into one stream.

use std::borrow::Cow;

use redis::Cmd;

use super::Settings;
use super::names::{ChannelRule, StreamRule, ValueRule, memory};
use super::publish::APPEND;
use crate::sink::format::{Dialect, Formatted};
use crate::sink::template::Template;
use crate::sink::{Delivery, Error, Run};

/// The field that holds the message itself; the last one of an entry.
pub(super) const BODY: &str = "payload";
const CONTENT_TYPE: &str = "content-type";
const DIALECT: Dialect = Dialect { cloudevents_prefix: "ce-", cloudevents_encoded: false, reserved: &[BODY] };

/// While a script runs nobody else is served, so it is not given more than a moment's work.
const MAX_BYTES: usize = 2 << 20;

pub(super) struct Batch {
    pub(super) command: Cmd,
}

impl Batch {
    /// The first of `deliveries`, and those after it that go to the same place. An error is about the first.
    pub(super) fn start(settings: &Settings, run: &Run, deliveries: &[Delivery]) -> Result<Self, Error> {
        let mut entries = Vec::new();
        let mut bytes = 0;
        for delivery in deliveries {
            match Entry::of(settings, run, delivery) {
                Ok(entry) if entries.last().is_none_or(|last| entry.follows(last, bytes)) => {
                    bytes += entry.formatted.weight();
                    entries.push(entry);
                }
                Err(error) if entries.is_empty() => return Err(error),
                _ => break,
            }
        }
        Ok(Self { command: command(settings, run, &entries, bytes) })
    }
}

fn command(settings: &Settings, run: &Run, entries: &[Entry<'_>], bytes: usize) -> Cmd {
    let mut command = Cmd::with_capacity(entries.len() * 48, bytes + entries.len() * 512);
    command.arg("EVALSHA").arg(APPEND.hash());
    let stream = entries.first().and_then(|entry| entry.stream.as_deref());
    match (stream, run.key()) {
        (Some(stream), Some(key)) => command.arg(2).arg(stream).arg(memory(run, &key, stream)),
        (Some(stream), None) => command.arg(1).arg(stream),
        (None, _) => command.arg(0),
    };
    command.arg(settings.repeats_known_for.as_millis() as u64);
    match settings.max_length {
        Some(length) => command.arg(length),
        None => command.arg(""),
    };
    command.arg(if settings.channel.is_some() { "1" } else { "" });
    command.arg(entries.iter().flat_map(|entry| *entry.delivery.message.id.0.as_bytes()).collect::<Vec<u8>>());
    command.arg(entries.iter().map(Entry::position).collect::<String>());
    let texts: Vec<_> = entries.iter().map(Entry::texts).collect();
    let differing = differing(&texts);
    command.arg(texts.first().map_or(0, Vec::len));
    command.arg(differing.iter().flat_map(|place| (*place as u16 + 1).to_be_bytes()).collect::<Vec<u8>>());
    for (n, (entry, texts)) in entries.iter().zip(&texts).enumerate() {
        if let Some(channel) = &entry.channel {
            command.arg(&**channel);
        }
        match n {
            0 => texts.iter().for_each(|text| _ = command.arg(*text)),
            _ => differing.iter().for_each(|place| _ = command.arg(texts[*place])),
        }
    }
    command
}

/// The places in which entries, all of which have as many, are not all alike.
fn differing(entries: &[Vec<&[u8]>]) -> Vec<usize> {
    let Some((first, others)) = entries.split_first() else { return Vec::new() };
    let differs = |place: &usize| others.iter().any(|texts| texts[*place] != first[*place]);
    (0..first.len()).filter(differs).collect()
}

/// One message on its way.
struct Entry<'a> {
    delivery: &'a Delivery,
    stream: Option<Cow<'a, str>>,
    channel: Option<Cow<'a, str>>,
    fields: Vec<(&'a str, Cow<'a, str>)>,
    formatted: Formatted<'a>,
}

impl<'a> Entry<'a> {
    fn of(settings: &'a Settings, run: &'a Run, delivery: &'a Delivery) -> Result<Self, Error> {
        let stream = settings.stream.as_ref().map(|stream| stream.render(&StreamRule, run, delivery)).transpose()?;
        let channel =
            settings.channel.as_ref().map(|channel| channel.render(&ChannelRule, run, delivery)).transpose()?;
        let field = |(name, template): (&'a String, &'a Template)| {
            Ok((name.as_str(), template.render(&ValueRule, run, delivery)?))
        };
        let fields = settings.fields.iter().map(field).collect::<Result<_, Error>>()?;
        let formatted = settings.format.apply(DIALECT, run, delivery)?;
        let (bytes, limit) = (formatted.body.len(), settings.max_message_bytes);
        if bytes > limit {
            return Err(Error::reject(format_args!("is {bytes} bytes, and `max_message_bytes` is {limit}")));
        }
        Ok(Self { delivery, stream, channel, fields, formatted })
    }

    /// Whether it can stand in a batch after this one: as many texts, so that it is told by those that differ, and a higher
    /// position.
    fn follows(&self, last: &Self, bytes: usize) -> bool {
        self.delivery.position > last.delivery.position
            && self.stream == last.stream
            && self.pairs() == last.pairs()
            && bytes + self.formatted.weight() <= MAX_BYTES
    }

    fn position(&self) -> String {
        let position = self.delivery.position;
        format!("{:016x}{:016x}", position.tick, position.seq)
    }

    fn pairs(&self) -> usize {
        self.fields.len() + self.formatted.all_headers().count() + 2
    }

    /// Names and values as they stand in the stream, the body last.
    fn texts(&self) -> Vec<&[u8]> {
        let mut texts = Vec::with_capacity(self.pairs() * 2);
        let fields = self.fields.iter().map(|(name, value)| (*name, &**value));
        let content_type = std::iter::once((CONTENT_TYPE, self.formatted.content_type));
        for (name, value) in fields.chain(content_type).chain(self.formatted.all_headers()) {
            texts.extend([name.as_bytes(), value.as_bytes()]);
        }
        texts.extend([BODY.as_bytes(), &self.formatted.body]);
        texts
    }
}
