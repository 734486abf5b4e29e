//! What the standard library asks of a value.

use bytes::Bytes;
use jaq_json::{Num, Val};
use jaq_std::ValT;

use super::Value;

/// Whole numbers up to here are exact as floating-point numbers.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A number that a division made is as good as any other if it is whole.
pub(super) fn whole(number: &Num) -> Option<isize> {
    match number {
        Num::Float(float) if float.trunc() == *float && float.abs() <= EXACT => Some(*float as isize),
        Num::Dec(digits) => digits.parse().ok().and_then(|float| whole(&Num::Float(float))),
        number => number.as_isize(),
    }
}

impl ValT for Value {
    fn into_seq<S: FromIterator<Self>>(self) -> Result<S, Self> {
        match self.0 {
            Val::Arr(_) => {
                self.0.into_seq::<Vec<Val>>().map(|items| items.into_iter().map(Self).collect()).map_err(Self)
            }
            _ => Err(self),
        }
    }

    fn is_int(&self) -> bool {
        self.0.is_int() || self.as_isize().is_some()
    }

    fn as_isize(&self) -> Option<isize> {
        match &self.0 {
            Val::Num(number) => whole(number),
            _ => None,
        }
    }

    fn as_f64(&self) -> Option<f64> {
        self.0.as_f64()
    }

    fn is_utf8_str(&self) -> bool {
        self.0.is_utf8_str()
    }

    fn as_bytes(&self) -> Option<&[u8]> {
        self.0.as_bytes()
    }

    fn as_sub_str(&self, sub: &[u8]) -> Self {
        Self(self.0.as_sub_str(sub))
    }

    fn from_utf8_bytes(bytes: impl AsRef<[u8]> + Send + 'static) -> Self {
        match std::str::from_utf8(bytes.as_ref()) {
            Ok(_) => Self::text(Bytes::from_owner(bytes)),
            Err(_) => Self::text(String::from_utf8_lossy(bytes.as_ref()).into_owned()),
        }
    }
}
