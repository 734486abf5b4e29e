//! Messages that go together: into one stream, with one call of the script.

use std::borrow::Cow;

use redis::Cmd;

use super::Settings;
use super::link::APPEND;
use super::names::{ChannelRule, StreamRule, ValueRule, memory};
use crate::sink::{Delivery, Error, Run};
use crate::sinks::format::{Dialect, Formatted};
use crate::sinks::template::Template;

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
    command.arg("EVALSHA").arg(APPEND.get_hash());
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
    let mut before = Vec::new();
    for entry in entries {
        let texts = entry.texts();
        entry.write(&texts, &before, &mut command);
        before = texts;
    }
    command
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

    /// Whether it can stand in a batch after this one: an entry is told as what differs from the one before, and positions
    /// ascend.
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

    /// As `append.lua` reads it.
    fn write(&self, texts: &[&[u8]], before: &[&[u8]], command: &mut Cmd) {
        if let Some(channel) = &self.channel {
            command.arg(&**channel);
        }
        let differs = |(place, text): &(usize, &&[u8])| before.get(*place) != Some(*text);
        let changes = || texts.iter().enumerate().filter(differs);
        command.arg(changes().flat_map(|(place, _)| ((place + 1) as u16).to_be_bytes()).collect::<Vec<u8>>());
        for (_, text) in changes() {
            command.arg(*text);
        }
    }
}
