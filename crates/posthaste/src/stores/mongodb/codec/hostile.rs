//! Documents that other clients wrote, by the million: each is read, or refused with a reason, and none is in the way of others.

use std::sync::Arc;

use mongodb::Client;
use mongodb::bson::{RawDocument, RawDocumentBuf};
use posthaste_hostile::{FIELD, Outcome, Target, fields};

use super::super::db::Db;
use super::super::options::Options;
use super::super::sequencer::refusal;
use super::*;
use crate::message::Message;

const WORDS: &[&str] = &[
    "\x1f",
    "_id=o1",
    "_id=s",
    "eventType=s",
    "eventType=sorder.created",
    "aggregateType=s",
    "aggregateId=s7",
    "aggregateId=i7",
    "payload=s",
    "payload=b",
    "payload=m",
    "payload=a",
    "payload=r",
    "payload=d",
    "payload=D0",
    "headers=m",
    "headers=mx:sy",
    "tenant=s",
    "key=s",
    "userId=s",
    "dueAt=D",
    "occurredAt=D",
    "posthaste=m",
    "posthaste=i1",
    "posthaste=mseq:i1",
    "recordedAt=t",
    "status=s",
    "publishedAt=D1",
    "maxAttempts=i",
    "destination=s",
    "sourceStream=sa",
    "sourceEventId=sb",
    ":",
    ";",
    "x:s",
    "[",
    "a:sb",
];

/// The server takes documents of up to 180 levels.
const DEEPEST: usize = 150;

/// No document of the input has more.
fn levels(input: &[u8]) -> usize {
    input.iter().filter(|byte| [b'[', b':'].contains(byte)).count()
}

fn db(runtime: &tokio::runtime::Runtime) -> Db {
    let _entered = runtime.enter();
    // Nobody is there, and nobody is asked.
    let client = runtime
        .block_on(Client::with_uri_str("mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=1"))
        .expect("an address");
    Db::new(client.database("none"), Arc::new(Options::default()))
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// A value of the format by a letter for its kind; what is in it need not be what it should.
fn value(written: &[u8]) -> (u8, Vec<u8>) {
    let (kind, rest) = written.split_first().unwrap_or((&b'n', &[]));
    let number = || String::from_utf8_lossy(rest).parse::<i64>().unwrap_or(rest.len() as i64);
    let text = |bytes: &[u8]| [&(bytes.len() as u32 + 1).to_le_bytes()[..], bytes, &[0]].concat();
    match kind {
        b's' => (0x02, text(rest)),
        b'c' => (0x0d, text(rest)),
        b'b' => (0x05, [&(rest.len() as u32).to_le_bytes()[..], &[rest.len() as u8], rest].concat()),
        b'i' => (0x12, number().to_le_bytes().to_vec()),
        b'd' => (0x01, (number() as f64).to_le_bytes().to_vec()),
        b'D' => (0x09, number().to_le_bytes().to_vec()),
        b't' => (0x11, number().to_le_bytes().to_vec()),
        b'o' => (0x07, (0..12).map(|n| rest.get(n).copied().unwrap_or_default()).collect()),
        b'r' => (0x0b, [&without_zeros(rest)[..], &[0, 0]].concat()),
        b'm' => (0x03, inner(rest)),
        b'a' => (
            0x04,
            rest.strip_prefix(b"[")
                .map_or_else(|| inner(rest), |rest| document(&[(b"0", value(&[b"a", rest].concat()))])),
        ),
        _ => (0x0a, Vec::new()),
    }
}

fn without_zeros(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().filter(|byte| *byte != 0).collect()
}

/// `name:value;name:value`.
fn inner(written: &[u8]) -> Vec<u8> {
    let pairs = written.split(|byte| *byte == b';').filter_map(|pair| {
        let at = pair.iter().position(|byte| *byte == b':')?;
        Some((&pair[..at], value(&pair[at + 1..])))
    });
    document(&pairs.collect::<Vec<_>>())
}

/// A name, and a value with its kind.
type Field<'a> = (&'a [u8], (u8, Vec<u8>));

fn document(fields: &[Field<'_>]) -> Vec<u8> {
    let mut bytes = vec![0; 4];
    for (name, (kind, value)) in fields {
        bytes.extend_from_slice(&[&[*kind][..], &without_zeros(name), &[0], value].concat());
    }
    bytes.push(0);
    let length = bytes.len() as u32;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// `name=value` in each field.
fn written(input: &[u8]) -> Vec<u8> {
    let pairs = input.split(|byte| *byte == FIELD).filter_map(|pair| {
        let at = pair.iter().position(|byte| *byte == b'=')?;
        Some((&pair[..at], value(&pair[at + 1..])))
    });
    document(&pairs.collect::<Vec<_>>())
}

#[test]
fn a_document_is_read_whatever_is_in_it() {
    let runtime = runtime();
    let db = db(&runtime);
    Target::new("documents", WORDS).longest(1_024).run(|input| {
        if levels(input) > DEEPEST {
            return Outcome::Refused;
        }
        let bytes = written(input);
        let document = RawDocument::from_bytes(&bytes).expect("its length is right");
        let row = row(&db, document).unwrap_or_else(|error| panic!("{error}"));
        assert!(row.written_id.is_none() || row.damage.is_some(), "nobody could find it");
        let why = refusal(&row);
        assert!(why.as_ref().is_none_or(|why| why.len() <= 1_000), "{why:?}");
        let message = row.entry(0).message;
        assert!(message.content_type != "application/json" || std::str::from_utf8(&message.payload).is_ok());
        if why.is_none() { Outcome::Taken } else { Outcome::Refused }
    });
}

/// Which bytes of a good document are others: the first two bytes of the input say where, the rest what.
#[test]
fn a_damaged_document_is_read_or_refused() {
    let runtime = runtime();
    let db = db(&runtime);
    let good = written(
        b"_id=o1\x1feventType=sa\x1faggregateId=s7\x1fpayload=ma:sb;c:i7\x1fheaders=mx:sy\x1fposthaste=mseq:i1;key:sk",
    );
    Target::new("damaged_documents", WORDS).longest(256).run(|input| {
        let mut bytes = good.clone();
        let [at, damage @ ..] = input else { return Outcome::Refused };
        for (n, byte) in damage.iter().enumerate() {
            let place = (usize::from(*at) * 3 + n) % bytes.len();
            bytes[place] = *byte;
        }
        let Ok(document) = RawDocument::from_bytes(&bytes) else { return Outcome::Refused };
        Outcome::of(&row(&db, document))
    });
}

#[test]
fn a_message_comes_back_as_it_was_written() {
    let runtime = runtime();
    let db = db(&runtime);
    let words = ["\x1f", "application/json", "text/plain", "x/y", "{\"a\":1}", "k", "x-a", "+json", ";", "\u{0}"];
    Target::new("document_round_trips", &words).longest(2_048).run(|input| {
        let [content_type, key, header, payload] = fields::<4>(input);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let builder = Message::builder("order.created", "order", "1").payload(payload.to_vec(), text(content_type));
        let Ok(message) = builder.key(text(key)).header("x", text(header)).build() else { return Outcome::Refused };
        let document = document::encode(&message, &db.options);
        let bytes = RawDocumentBuf::try_from(&document).expect("it can be written");
        let row = row(&db, &bytes).unwrap_or_else(|error| panic!("{error}"));
        assert!(row.by_library && row.damage.is_none());
        let same = Message { occurred_at: row.message.occurred_at, ..message };
        assert_eq!(row.message, same);
        Outcome::Taken
    });
}
