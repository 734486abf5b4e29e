//! What operators do. What they cannot do is an error that names kinds, not values.

use std::ops::{Add, Div, Mul, Neg, Rem, Sub};

use jaq_core::ops::Math;
use jaq_json::{Num, Val};

use super::standard::whole;
use super::{Error, MAX_BYTES, ValR, Value};
use crate::expression::meter::{self, Exceeded};

/// The result of an operation that fits its operands, which was looked at before.
fn made(result: Result<Val, jaq_json::Error>) -> ValR {
    result.map(Value::weighed).map_err(|_| Error::str("this cannot be calculated"))
}

impl Add for Value {
    type Output = ValR;

    fn add(self, other: Self) -> ValR {
        meter::spend(1);
        match (&self.0, &other.0) {
            (Val::TStr(left), Val::TStr(right)) if left.len() + right.len() > MAX_BYTES => meter::stop(Exceeded::Size),
            (Val::Null, _)
            | (_, Val::Null)
            | (Val::Num(_), Val::Num(_))
            | (Val::TStr(_), Val::TStr(_))
            | (Val::Arr(_), Val::Arr(_))
            | (Val::Obj(_), Val::Obj(_)) => made(self.0 + other.0),
            _ => Err(Error::math(self, Math::Add, other)),
        }
    }
}

impl Sub for Value {
    type Output = ValR;

    fn sub(self, other: Self) -> ValR {
        meter::spend(1);
        match (&self.0, &other.0) {
            (Val::Num(_), Val::Num(_)) => made(self.0 - other.0),
            (Val::Arr(_), Val::Arr(_)) => {
                self.spend_look();
                made(self.0 - other.0)
            }
            _ => Err(Error::math(self, Math::Sub, other)),
        }
    }
}

impl Mul for Value {
    type Output = ValR;

    fn mul(self, other: Self) -> ValR {
        meter::spend(1);
        match (&self.0, &other.0) {
            (Val::Num(_), Val::Num(_)) | (Val::Obj(_), Val::Obj(_)) => made(self.0 * other.0),
            (Val::TStr(text), Val::Num(times)) | (Val::Num(times), Val::TStr(text)) => repeated(text, times),
            _ => Err(Error::math(self, Math::Mul, other)),
        }
    }
}

fn repeated(text: &[u8], times: &Num) -> ValR {
    let Some(times) = whole(times) else { return Err(Error::str("a text is repeated a whole number of times")) };
    match usize::try_from(times) {
        Ok(0) | Err(_) => Ok(Value::default()),
        Ok(times) if text.len().saturating_mul(times) > MAX_BYTES => meter::stop(Exceeded::Size),
        Ok(times) => Ok(Value::text(text.repeat(times))),
    }
}

impl Div for Value {
    type Output = ValR;

    fn div(self, other: Self) -> ValR {
        meter::spend(1);
        match (&self.0, &other.0) {
            (Val::Num(_), Val::Num(divisor)) if is_zero(divisor) => Err(Error::math(self, Math::Div, other)),
            (Val::Num(_), Val::Num(_)) | (Val::TStr(_), Val::TStr(_)) => made(self.0 / other.0),
            _ => Err(Error::math(self, Math::Div, other)),
        }
    }
}

fn is_zero(number: &Num) -> bool {
    whole(number) == Some(0)
}

impl Rem for Value {
    type Output = ValR;

    fn rem(self, other: Self) -> ValR {
        meter::spend(1);
        match (&self.0, &other.0) {
            (Val::Num(_), Val::Num(divisor)) if !is_zero(divisor) => made(self.0 % other.0),
            _ => Err(Error::math(self, Math::Rem, other)),
        }
    }
}

impl Neg for Value {
    type Output = ValR;

    fn neg(self) -> ValR {
        match &self.0 {
            Val::Num(_) => made(-self.0),
            _ => Err(Error::typ(self, "number")),
        }
    }
}
