//! Fields, items and slices: looking them up, and changing them.
//!
//! As in jq, and unlike jaq, a field or an item can be set where there was `null`, and a number that is whole is an index however it
//! was made.

use std::rc::Rc;

use jaq_core::box_iter::{BoxIter, box_once};
use jaq_core::path::Opt;
use jaq_core::val::{Range, ValX};
use jaq_core::{Exn, ValT};
use jaq_json::{Map, Num, Val};

use super::standard::whole;
use super::{Error, ValR, Value};
use crate::expression::json;
use crate::expression::meter::{self, Exceeded};

/// So many items may be made up before one that is set.
const MAX_GAP: usize = 1 << 16;

/// An index as jaq knows it: a whole number is an integer.
fn index(key: &Value) -> Val {
    match &key.0 {
        Val::Num(number @ (Num::Float(_) | Num::Dec(_))) => match whole(number) {
            Some(index) => Val::from(index),
            None => jaq_std::ValT::as_f64(&key.0).map_or(Val::Null, |float| Val::from(float.floor() as isize)),
        },
        key => key.clone(),
    }
}

/// The place of an item, counted from the end if it is negative.
fn place(key: &Value, length: usize) -> Option<usize> {
    let at = jaq_std::ValT::as_isize(&index(key))?;
    usize::try_from(at).ok().or_else(|| length.checked_sub(at.unsigned_abs()))
}

fn not_iterable(value: Value) -> Error {
    Error::typ(value, "array or object")
}

impl ValT for Value {
    fn from_num(digits: &str) -> ValR {
        Val::from_num(digits).map(Self::weighed).map_err(|_| Error::str("this is no number"))
    }

    fn from_map<I: IntoIterator<Item = (Self, Self)>>(fields: I) -> ValR {
        let mut map = Map::default();
        for (name, value) in fields {
            if !matches!(name.0, Val::TStr(_)) {
                return Err(Error::typ(name, "name of a field"));
            }
            map.insert(name.0, value.0);
        }
        Ok(Self::weighed(Val::obj(map)))
    }

    fn key_values(self) -> BoxIter<'static, Result<(Self, Self), Error>> {
        match self.0 {
            Val::Arr(_) | Val::Obj(_) => Box::new(self.0.key_values().flatten().map(|(k, v)| Ok((Self(k), Self(v))))),
            _ => box_once(Err(not_iterable(self))),
        }
    }

    fn values(self) -> Box<dyn Iterator<Item = ValR>> {
        match self.0 {
            Val::Arr(_) | Val::Obj(_) => Box::new(self.0.values().flatten().map(|value| Ok(Self(value)))),
            _ => box_once(Err(not_iterable(self))),
        }
    }

    fn index(self, key: &Self) -> ValR {
        let fits = matches!(
            (&self.0, &key.0),
            (Val::Null, _)
                | (Val::Obj(_), Val::TStr(_))
                | (Val::Arr(_), Val::Num(_) | Val::Arr(_) | Val::Obj(_))
                | (Val::TStr(_), Val::Obj(_))
        );
        let found = if fits { self.0.clone().index(&index(key)).ok() } else { None };
        found.map(Self).ok_or_else(|| Error::index(self, key.clone()))
    }

    fn range(self, range: Range<&Self>) -> ValR {
        let (start, end) = (range.start.map(index), range.end.map(upper));
        match self.0 {
            Val::Null => Ok(self),
            Val::Arr(_) | Val::TStr(_) => self
                .0
                .range(start.as_ref()..end.as_ref())
                .map(Self)
                .map_err(|_| Error::str("a slice is from number to number")),
            _ => Err(Error::typ(self, "array or text")),
        }
    }

    fn map_values<'a, I: Iterator<Item = ValX<'a, Self>>>(self, opt: Opt, f: impl Fn(Self) -> I) -> ValX<'a, Self> {
        match self.0 {
            Val::Arr(items) => {
                let items = Rc::unwrap_or_clone(items).into_iter().flat_map(|item| f(Self(item)));
                items.collect()
            }
            Val::Obj(fields) => {
                let fields = Rc::unwrap_or_clone(fields).into_iter();
                let fields =
                    fields.filter_map(|(name, value)| Some(f(Self(value)).next()?.map(|value| (name, value.0))));
                Ok(Self::weighed(Val::obj(fields.collect::<Result<_, _>>()?)))
            }
            _ => opt.fail(self, |value| Exn::from(not_iterable(value))),
        }
    }

    fn map_index<'a, I: Iterator<Item = ValX<'a, Self>>>(
        self,
        key: &Self,
        opt: Opt,
        f: impl Fn(Self) -> I,
    ) -> ValX<'a, Self> {
        match (self.0, &key.0) {
            (value @ (Val::Null | Val::Arr(_) | Val::TStr(_)), Val::Obj(range)) => {
                let bound = |name: &'static str| range.get(&Val::utf8_str(name)).cloned().map(Self);
                Self(value).map_range(bound("start").as_ref()..bound("end").as_ref(), opt, f)
            }
            (Val::Obj(fields), Val::TStr(_)) => set_field(fields, key, f),
            (Val::Arr(items), Val::Num(_)) => set_item(items, key, opt, f),
            (Val::Null, Val::TStr(_)) => set_in_null(set_field(Rc::default(), key, f)),
            (Val::Null, Val::Num(_)) => set_in_null(set_item(Rc::default(), key, opt, f)),
            (value, _) => opt.fail(Self(value), |value| Exn::from(Error::index(value, key.clone()))),
        }
    }

    fn map_range<'a, I: Iterator<Item = ValX<'a, Self>>>(
        self,
        range: Range<&Self>,
        opt: Opt,
        f: impl Fn(Self) -> I,
    ) -> ValX<'a, Self> {
        let nothing = Rc::default();
        let items = match &self.0 {
            Val::Null => Some(&nothing),
            Val::Arr(items) => Some(items),
            _ => None,
        };
        let Some(items) = items else { return opt.fail(self, |value| Exn::from(Error::typ(value, "array"))) };
        let at = |bound: Option<&Self>, default| bound.and_then(|bound| place(bound, items.len())).unwrap_or(default);
        let from = at(range.start, 0).min(items.len());
        let to = at(range.end, items.len()).clamp(from, items.len());
        let slice = Self(items[from..to].iter().cloned().collect());
        let changed = match f(slice).next().transpose()? {
            None => Vec::new(),
            Some(Self(Val::Arr(changed))) => Rc::unwrap_or_clone(changed),
            Some(other) => return Err(Exn::from(Error::typ(other, "array"))),
        };
        let all = items[..from].iter().cloned().chain(changed).chain(items[to..].iter().cloned());
        Ok(Self::weighed(all.collect()))
    }

    fn as_bool(&self) -> bool {
        self.0.as_bool()
    }

    fn into_string(self) -> Self {
        match self.0 {
            Val::TStr(_) => self,
            _ => Self::text(json::write(&self)),
        }
    }
}

/// The upper bound of a slice is rounded up.
fn upper(key: &Value) -> Val {
    match &key.0 {
        Val::Num(Num::Float(bound)) => Val::from(bound.ceil() as isize),
        _ => index(key),
    }
}

fn set_field<'a, I: Iterator<Item = ValX<'a, Value>>>(
    mut fields: Rc<Map>,
    name: &Value,
    f: impl Fn(Value) -> I,
) -> ValX<'a, Value> {
    let before = fields.get(&name.0).cloned().unwrap_or_default();
    let changed = f(Value(before)).next().transpose()?;
    let map = Rc::make_mut(&mut fields);
    match changed {
        Some(value) => map.insert(name.0.clone(), value.0),
        None => map.shift_remove(&name.0),
    };
    Ok(Value::weighed(Val::Obj(fields)))
}

fn set_item<'a, I: Iterator<Item = ValX<'a, Value>>>(
    mut items: Rc<Vec<Val>>,
    key: &Value,
    opt: Opt,
    f: impl Fn(Value) -> I,
) -> ValX<'a, Value> {
    let Some(at) = place(key, items.len()) else {
        return opt.fail(Value(Val::Arr(items)), |_| Exn::from(Error::str("there is no item before the first")));
    };
    let changed = f(Value(items.get(at).cloned().unwrap_or_default())).next().transpose()?;
    let list = Rc::make_mut(&mut items);
    match changed {
        Some(_) if at > list.len() + MAX_GAP => meter::stop(Exceeded::Size),
        Some(value) => {
            list.resize(list.len().max(at + 1), Val::Null);
            list[at] = value.0;
        }
        None if at < list.len() => drop(list.remove(at)),
        None => {}
    }
    Ok(Value::weighed(Val::Arr(items)))
}

/// What was `null` stays so if nothing was set in it.
fn set_in_null<'a>(set: ValX<'a, Value>) -> ValX<'a, Value> {
    set.map(|value| match &value.0 {
        Val::Arr(items) if items.is_empty() => Value::default(),
        Val::Obj(fields) if fields.is_empty() => Value::default(),
        _ => value,
    })
}
