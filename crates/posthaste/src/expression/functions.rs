//! What a program can call: the standard library of jaq without whatever is not pure, and what stands here in place of its JSON.

use std::rc::Rc;

use jaq_core::load::parse::Def;
use jaq_core::native::{Filter, Fun, bome, run, unary, v};
use jaq_core::path::Opt;
use jaq_core::{Exn, RunPtr, ValT as _, load};
use jaq_json::{Num, Val};
use jaq_std::ValT as _;

use super::meter::Metered;
use super::value::{Error, ValR, Value};
use super::{json, patterns};

/// Definitions of the standard library that tell somebody something, or end the process.
const IMPURE_DEFINITIONS: &[&str] = &["debug", "halt", "halt_error", "stderr"];
/// Functions of the standard library that see more than their input, or are replaced here.
const LEFT_OUT: &[&str] = &[
    "debug_empty",
    "env",
    "halt",
    "localtime",
    "matches",
    "now",
    "split_",
    "split_matches",
    "stderr_empty",
    "strflocaltime",
];

/// What is defined in jq itself.
pub(super) fn definitions() -> impl Iterator<Item = Def<&'static str>> {
    let standard = jaq_std::defs().filter(|definition| !IMPURE_DEFINITIONS.contains(&definition.name));
    let own = load::parse(include_str!("prelude.jq"), |parser| parser.defs()).unwrap_or_default();
    jaq_core::defs().chain(standard).chain(jaq_json::defs()).chain(own)
}

/// What is defined in Rust.
pub(super) fn natives() -> impl Iterator<Item = Fun<Metered>> {
    let standard = jaq_std::funs::<Metered>().filter(|(name, ..)| !LEFT_OUT.contains(name));
    let own = values().into_iter().chain(patterns::functions()).map(|function| run::<Metered>(function));
    jaq_core::funs::<Metered>().chain(standard).chain(own)
}

fn values() -> [Filter<RunPtr<Metered>>; 9] {
    [
        ("fromjson", v(0), |cv| bome(from_json(&cv.1))),
        ("tojson", v(0), |cv| bome(Ok(Value::text(json::write(&cv.1))))),
        ("length", v(0), |cv| bome(length(cv.1))),
        ("has", v(1), |cv| unary(cv, has)),
        ("contains", v(1), |cv| unary(cv, contains_part)),
        ("indices", v(1), |cv| unary(cv, indices)),
        ("bsearch", v(1), |cv| unary(cv, bsearch)),
        ("without", v(1), |cv| unary(cv, without)),
        ("trimstr", v(1), |cv| unary(cv, trim_text)),
    ]
}

fn from_json(value: &Value) -> ValR {
    let text = value.as_str().ok_or_else(|| Error::typ(value.clone(), "text"))?;
    json::read(text.as_bytes()).ok_or_else(|| Error::str("this text is no JSON"))
}

fn length(value: Value) -> ValR {
    match &value.0 {
        Val::Null => Ok(0_usize.into()),
        Val::TStr(_) => Ok(value.as_str().map_or(0, |text| text.chars().count()).into()),
        Val::Arr(items) => Ok(items.len().into()),
        Val::Obj(fields) => Ok(fields.len().into()),
        Val::Num(Num::Int(number)) => Ok(number.saturating_abs().into()),
        Val::Num(_) => Ok(value.as_f64().unwrap_or_default().abs().into()),
        Val::Bool(_) | Val::BStr(_) => Err(Error::typ(value, "something that has a length")),
    }
}

fn has(value: Value, key: Value) -> ValR {
    match (&value.0, &key.0) {
        (Val::Null, _) => Ok(false.into()),
        (Val::Obj(fields), Val::TStr(_)) => Ok(fields.contains_key(&key.0).into()),
        (Val::Arr(items), Val::Num(_)) => {
            Ok(key.as_isize().and_then(|at| usize::try_from(at).ok()).is_some_and(|at| at < items.len()).into())
        }
        _ => Err(Error::index(value, key)),
    }
}

fn contains_part(all: Value, part: Value) -> ValR {
    match std::mem::discriminant(&all.0) == std::mem::discriminant(&part.0) {
        true => Ok(contains(&all.0, &part.0).into()),
        false => Err(Error::typ(part, "part of something of another kind")),
    }
}

/// A value without what stands at a path. Where there is nothing, nothing is made.
fn without(value: Value, path: Value) -> ValR {
    let Val::Arr(path) = &path.0 else { return Err(Error::typ(path, "path")) };
    let Some((first, rest)) = path.split_first() else { return Ok(Value::default()) };
    let key = Value(first.clone());
    let inside = value.clone().index(&key)?;
    if inside.0 == Val::Null && !rest.is_empty() || value.0 == Val::Null {
        return Ok(value);
    }
    let rest = Value(rest.iter().cloned().collect());
    let changed = match rest.0 == Val::Arr(Rc::default()) {
        true => value.map_index(&key, Opt::Essential, |_| std::iter::empty()),
        false => value.map_index(&key, Opt::Essential, |inside| {
            std::iter::once(without(inside, rest.clone()).map_err(Exn::from))
        }),
    };
    changed.map_err(|thrown| thrown.get_err().unwrap_or_else(|_| Error::str("this path leads nowhere")))
}

/// A text contains a part of it, an array whatever its items contain, an object whatever its fields contain.
fn contains(all: &Val, part: &Val) -> bool {
    match (all, part) {
        (Val::TStr(all), Val::TStr(part)) => {
            part.is_empty() || all.windows(part.len()).any(|window| window == &part[..])
        }
        (Val::Arr(all), Val::Arr(parts)) => parts.iter().all(|part| all.iter().any(|item| contains(item, part))),
        (Val::Obj(all), Val::Obj(parts)) => {
            parts.iter().all(|(name, part)| all.get(name).is_some_and(|item| contains(item, part)))
        }
        _ => all == part,
    }
}

fn indices(value: Value, part: Value) -> ValR {
    let found: Vec<usize> = match (&value.0, &part.0) {
        (Val::Null, _) => return Ok(Value::default()),
        (Val::TStr(_), Val::TStr(part)) => {
            let (text, part) = (value.as_str().unwrap_or_default(), &part[..]);
            let at = |(n, (byte, _))| (!part.is_empty() && text.as_bytes()[byte..].starts_with(part)).then_some(n);
            text.char_indices().enumerate().filter_map(at).collect()
        }
        (Val::Arr(items), Val::Arr(part)) if part.is_empty() || items.len() < part.len() => Vec::new(),
        (Val::Arr(items), Val::Arr(part)) => {
            items.windows(part.len()).enumerate().filter(|(_, window)| *window == &part[..]).map(|(n, _)| n).collect()
        }
        (Val::Arr(items), part) => items.iter().enumerate().filter(|(_, item)| *item == part).map(|(n, _)| n).collect(),
        _ => return Err(Error::index(value, part)),
    };
    Ok(found.into_iter().map(Value::from).collect())
}

fn bsearch(value: Value, wanted: Value) -> ValR {
    let Val::Arr(items) = &value.0 else { return Err(Error::typ(value, "array")) };
    let place = match items.binary_search(&wanted.0) {
        Ok(place) => place.cast_signed(),
        Err(place) => -1 - place.cast_signed(),
    };
    Ok(place.into())
}

fn trim_text(value: Value, affix: Value) -> ValR {
    match (value.as_str(), affix.as_str()) {
        (Some(text), Some(affix)) => {
            let text = text.strip_prefix(affix).unwrap_or(text);
            Ok(value.as_sub_str(text.strip_suffix(affix).unwrap_or(text).as_bytes()))
        }
        _ => Ok(value),
    }
}
