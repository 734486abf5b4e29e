//! Messages as calls of the script: together go those that go into one stream.

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

/// What is left of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rest<'a> {
    /// Which run of the hand-over it is.
    pub(super) nth: usize,
    pub(super) run: &'a Run,
    /// So many messages of it are there.
    pub(super) confirmed: usize,
}

/// One call of the script: the next messages of runs, into one stream or none.
#[derive(Default)]
pub(super) struct Call<'a> {
    /// Each with how many of the entries are its own.
    pub(super) parts: Vec<(Rest<'a>, usize)>,
    entries: Vec<Entry<'a>>,
    bytes: usize,
}

/// The next calls for runs; and of those whose next message cannot be sent at all, why not.
pub(super) fn calls<'a>(settings: &'a Settings, rests: &[Rest<'a>]) -> (Vec<Call<'a>>, Vec<(Rest<'a>, Error)>) {
    let (mut calls, mut refused) = (Vec::new(), Vec::new());
    for rest in rests {
        match Entry::of(settings, rest.run, &rest.run.deliveries[rest.confirmed]) {
            Ok(first) => Call::for_entry(&first, &mut calls).add(settings, *rest, first),
            Err(error) => refused.push((*rest, error)),
        }
    }
    (calls, refused)
}

impl<'a> Call<'a> {
    fn for_entry<'c>(entry: &Entry<'a>, calls: &'c mut Vec<Self>) -> &'c mut Self {
        let found = calls.iter().position(|call| call.takes(entry)).unwrap_or_else(|| {
            calls.push(Self::default());
            calls.len() - 1
        });
        &mut calls[found]
    }

    fn takes(&self, entry: &Entry<'_>) -> bool {
        let fits = || self.bytes + entry.formatted.weight() <= MAX_BYTES;
        self.entries.last().is_none_or(|last| entry.is_like(last) && fits())
    }

    /// Adds the first message of a run, and those after it that go to the same place.
    fn add(&mut self, settings: &'a Settings, rest: Rest<'a>, first: Entry<'a>) {
        let (before, mut position) = (self.entries.len(), first.delivery.position);
        self.push(first);
        for delivery in rest.run.deliveries[rest.confirmed + 1..].iter().take(usize::from(u16::MAX) - 1) {
            match Entry::of(settings, rest.run, delivery) {
                Ok(entry) if self.takes(&entry) && delivery.position > position => self.push(entry),
                _ => break,
            }
            position = delivery.position;
        }
        self.parts.push((rest, self.entries.len() - before));
    }

    fn push(&mut self, entry: Entry<'a>) {
        self.bytes += entry.formatted.weight();
        self.entries.push(entry);
    }

    /// As the script wants it.
    pub(super) fn command(&self, settings: &Settings) -> Cmd {
        let entries = &self.entries;
        let mut command = Cmd::with_capacity(entries.len() * 24, self.bytes + entries.len() * 256);
        command.arg("EVALSHA").arg(APPEND.hash());
        self.name_keys(&mut command);
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
        command.arg(self.parts.iter().flat_map(|part| self.described(part)).collect::<Vec<u8>>());
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

    fn stream(&self) -> Option<&str> {
        self.entries.first()?.stream.as_deref()
    }

    /// The stream, and for each run with a key what is known of that.
    fn name_keys(&self, command: &mut Cmd) {
        let Some(stream) = self.stream() else {
            command.arg(0);
            return;
        };
        let known = self.parts.iter().filter_map(|(rest, _)| Some(memory(rest.run, &rest.run.key()?, stream)));
        let known: Vec<String> = known.collect();
        command.arg(1 + known.len()).arg(stream).arg(known);
    }

    /// How many messages of a run there are, and whether its key has an order.
    fn described(&self, (rest, messages): &(Rest<'_>, usize)) -> [u8; 3] {
        let [high, low] = (*messages as u16).to_be_bytes();
        [high, low, u8::from(self.stream().is_some() && rest.run.key().is_some())]
    }
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

    /// Whether it can stand in one call with this one: in the same stream, and with as many texts, so that it is told by those that
    /// differ.
    fn is_like(&self, other: &Self) -> bool {
        self.stream == other.stream && self.pairs() == other.pairs()
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
