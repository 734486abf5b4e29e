//! What a program works with: JSON values of the `jaq` crates, each weighed when it is made.
//!
//! A value may hold the same part many times, so that a few steps make one that would fill the memory when it is written, or end the
//! process when it is dropped, because that goes as deep as the value does. Therefore no value is larger than [`MAX_BYTES`], counting
//! each part as often as it is there, or deeper than [`MAX_DEPTH`].

use std::cmp::Ordering;
use std::fmt;

use bytes::Bytes;
use jaq_core::val::Range;
use jaq_json::{Num, Val};

use super::json;
use super::meter::{self, Exceeded};

mod access;
mod arithmetic;
mod standard;

/// The largest value, by the text in it and [`NODE_BYTES`] for each value.
pub(super) const MAX_BYTES: usize = 16 << 20;
/// The deepest value.
pub(super) const MAX_DEPTH: usize = 200;
const NODE_BYTES: usize = 16;
/// So much is weighed, compared or copied in the time of a step.
const BYTES_PER_STEP: usize = 512;
/// The largest whole number, in bits.
const MAX_BITS: u64 = 4_096;
/// What an error shows of a value.
const MAX_SHOWN: usize = 80;

pub(super) type Error = jaq_core::Error<Value>;
pub(super) type ValR = jaq_core::ValR<Value>;

/// A JSON value within the bounds. All texts are UTF-8, all names of fields are texts.
#[derive(Clone, Default)]
pub(super) struct Value(pub(super) Val);

impl Value {
    /// Takes a value that may be too large. Does not come back if it is.
    pub(super) fn weighed(value: Val) -> Self {
        let mut bytes = 0;
        weigh(&value, 0, &mut bytes);
        meter::spend((bytes / BYTES_PER_STEP) as u64);
        Self(value)
    }

    /// A text.
    pub(super) fn text(text: impl Into<Bytes>) -> Self {
        Self::weighed(Val::utf8_str(text))
    }

    /// The text, if it is one.
    pub(super) fn as_str(&self) -> Option<&str> {
        match &self.0 {
            Val::TStr(text) => std::str::from_utf8(text).ok(),
            _ => None,
        }
    }

    /// What a person calls it.
    fn kind(&self) -> &'static str {
        match &self.0 {
            Val::Null => "null",
            Val::Bool(_) => "a boolean",
            Val::Num(_) => "a number",
            Val::BStr(_) | Val::TStr(_) => "a text",
            Val::Arr(_) => "an array",
            Val::Obj(_) => "an object",
        }
    }

    /// Counts the steps of looking at all of it.
    fn spend_look(&self) {
        let mut bytes = 0;
        weigh(&self.0, 0, &mut bytes);
        meter::spend(1 + (bytes / BYTES_PER_STEP) as u64);
    }
}

fn weigh(value: &Val, depth: usize, bytes: &mut usize) {
    *bytes += NODE_BYTES;
    match value {
        Val::BStr(text) | Val::TStr(text) => *bytes += text.len(),
        Val::Num(Num::BigInt(number)) if number.bits() > MAX_BITS => meter::stop(Exceeded::Size),
        Val::Arr(_) | Val::Obj(_) if depth == MAX_DEPTH => meter::stop(Exceeded::Depth),
        Val::Arr(items) => items.iter().for_each(|item| weigh(item, depth + 1, bytes)),
        Val::Obj(fields) => fields.iter().for_each(|(name, value)| {
            weigh(name, depth + 1, bytes);
            weigh(value, depth + 1, bytes);
        }),
        _ => {}
    }
    if *bytes > MAX_BYTES {
        meter::stop(Exceeded::Size);
    }
}

/// For errors: what kind of value it is, or the value itself if it may be shown.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = match self.as_str() {
            Some(text) => meter::may_show(text),
            None => meter::shows_values(),
        };
        if !shown {
            return f.write_str(self.kind());
        }
        let json = json::write(self);
        let json = String::from_utf8_lossy(&json);
        match json.char_indices().nth(MAX_SHOWN) {
            Some((cut, _)) => write!(f, "{}…", &json[..cut]),
            None => f.write_str(&json),
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self(Val::from(value))
    }
}

impl From<isize> for Value {
    fn from(value: isize) -> Self {
        Self(Val::from(value))
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Self(Val::from(value))
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self(Val::from(value))
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::text(value)
    }
}

impl From<Range<Self>> for Value {
    fn from(range: Range<Self>) -> Self {
        Self(Val::from(range.start.map(|start| start.0)..range.end.map(|end| end.0)))
    }
}

impl FromIterator<Self> for Value {
    fn from_iter<T: IntoIterator<Item = Self>>(items: T) -> Self {
        Self::weighed(items.into_iter().map(|item| item.0).collect())
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.spend_look();
        self.0 == other.0
    }
}

impl Eq for Value {}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        self.spend_look();
        self.0.cmp(&other.0)
    }
}
