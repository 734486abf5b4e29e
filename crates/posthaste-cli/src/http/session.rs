//! Logging in with a token, for browsers.
//!
//! The token itself is not kept: the cookie says whose session it is and when it ends, sealed with the token. So a session needs no memory,
//! holds at every relay with the same config, and ends with its token. A script cannot read the cookie, and other sites cannot send it. A
//! change made with it must repeat a second seal in a header, which only a page of ours can know.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use posthaste::Secret;
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use super::App;
use super::access::Caller;
use super::access::refusal;
use super::problem::Problem;
use super::query;
use crate::clock;
use crate::config::{Role, TokenPlan};
use crate::operator::hex;

/// A working day.
const LASTS_SECONDS: i64 = 12 * 60 * 60;
/// Followed by the port, because browsers send the cookies of one port to all ports of a host.
const COOKIE: &str = "posthaste_session";
/// Where a change made with a cookie has its second seal.
pub const CSRF_HEADER: &str = "x-posthaste-csrf";

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Login {
    token: String,
}

/// Who the caller is, as far as its cookie or token says.
#[derive(Debug, Serialize)]
pub struct Session {
    /// `null`: log in with a token first.
    pub who: Option<String>,
    pub role: Option<Role>,
    /// Whether tokens exist at all; without any, every caller is an operator.
    pub login: bool,
    /// To be sent as `x-posthaste-csrf` with every change.
    pub csrf: Option<String>,
    pub version: &'static str,
}

/// A cookie that was understood.
#[derive(Debug, PartialEq, Eq)]
pub struct Found {
    pub caller: Caller,
    pub csrf: String,
}

/// Whose session the cookies of a request say it is.
pub fn find(tokens: &[TokenPlan], headers: &HeaderMap, now: Timestamp) -> Option<Found> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = cookies.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(|(name, _)| name.starts_with(COOKIE)).find_map(|(_, value)| open(tokens, value, now))
}

fn open(tokens: &[TokenPlan], value: &str, now: Timestamp) -> Option<Found> {
    let (ends, _) = value.split_once('.')?;
    if ends.parse::<i64>().ok()? <= now.as_second() {
        return None;
    }
    let token = tokens.iter().find(|token| bool::from(sealed(token, ends).as_bytes().ct_eq(value.as_bytes())))?;
    let caller = Caller { who: token.name.clone(), role: token.role };
    Some(Found { caller, csrf: seal(&token.token, &format!("csrf {value}")) })
}

/// The value of a cookie: when it ends, and a seal over that and the name.
fn sealed(token: &TokenPlan, ends: &str) -> String {
    format!("{ends}.{}", seal(&token.token, &format!("session {ends} {}", token.name)))
}

fn seal(token: &Secret, text: &str) -> String {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(token.expose().as_bytes()) else {
        unreachable!("a key of any length will do")
    };
    mac.update(text.as_bytes());
    hex(&mac.finalize().into_bytes())
}

pub async fn show(State(app): State<App>, headers: HeaderMap) -> Result<Json<Session>, Problem> {
    let access = &app.0.access;
    access.check_origin(&headers)?;
    let csrf = find(access.tokens(), &headers, clock::now()).map(|found| found.csrf);
    let caller = access.caller(&headers);
    let (who, role) = caller.map(|caller| (caller.who, caller.role)).unzip();
    Ok(Json(Session { who, role, login: !access.tokens().is_empty(), csrf, version: env!("CARGO_PKG_VERSION") }))
}

pub async fn begin(State(app): State<App>, headers: HeaderMap, body: Bytes) -> Result<Response, Problem> {
    let access = &app.0.access;
    access.check_origin(&headers)?;
    let Login { token: given } = query::body(&headers, &body)?;
    if given.trim().is_empty() {
        return Err(Problem::bad_request("`token` is missing"));
    }
    let Some(token) = access.token(given.trim()) else {
        return Err(Problem::new(403, "no such token: http.tokens in the config has them"));
    };
    if !token.role.may(Role::Viewer) {
        return Err(Problem::new(403, refusal(token.role, Role::Viewer)));
    }
    let ends = clock::now().as_second().saturating_add(LASTS_SECONDS).to_string();
    let value = sealed(token, &ends);
    let session = Session {
        who: Some(token.name.clone()),
        role: Some(token.role),
        login: true,
        csrf: Some(seal(&token.token, &format!("csrf {value}"))),
        version: env!("CARGO_PKG_VERSION"),
    };
    Ok(with_cookie(&headers, &value, LASTS_SECONDS, Json(session)))
}

pub async fn end(State(app): State<App>, headers: HeaderMap) -> Result<Response, Problem> {
    app.0.access.check_origin(&headers)?;
    let session = Session { who: None, role: None, login: true, csrf: None, version: env!("CARGO_PKG_VERSION") };
    Ok(with_cookie(&headers, "", 0, Json(session)))
}

fn with_cookie(headers: &HeaderMap, value: &str, seconds: i64, session: Json<Session>) -> Response {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let port = text(header::HOST).rsplit_once(':').map_or("", |(_, port)| port);
    let port: String = port.chars().filter(char::is_ascii_digit).collect();
    // A page that came over TLS, through a proxy, says so; its cookie never travels without.
    let secure = if text(header::ORIGIN).starts_with("https://") { "; Secure" } else { "" };
    let cookie = format!("{COOKIE}_{port}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
    let mut response = session.into_response();
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod hostile;

#[cfg(test)]
mod tests {
    use super::*;

    fn token(name: &str, secret: &str) -> TokenPlan {
        TokenPlan { name: name.into(), role: Role::Viewer, token: Secret::new(secret) }
    }

    fn found(tokens: &[TokenPlan], cookie: &str) -> Option<String> {
        let mut headers = HeaderMap::new();
        headers.insert(header::COOKIE, HeaderValue::from_str(cookie).unwrap());
        find(tokens, &headers, Timestamp::from_second(1_000).unwrap()).map(|found| found.caller.who)
    }

    #[test]
    fn a_session_holds_until_it_ends_its_token_changes_or_someone_touches_it() {
        let ann = token("ann", "0123456789abcdef");
        let value = sealed(&ann, "2000");
        let cookie = format!("other=1; posthaste_session_7700={value}");
        assert_eq!(found(std::slice::from_ref(&ann), &cookie).as_deref(), Some("ann"));
        assert_eq!(found(&[token("bob", "bob's own token 1"), ann], &cookie).as_deref(), Some("ann"));
        assert_eq!(found(&[token("ann", "another token 123")], &cookie), None);
        assert_eq!(found(&[token("eve", "0123456789abcdef")], &cookie), None, "the name is sealed too");
        let ann = [token("ann", "0123456789abcdef")];
        assert_eq!(found(&ann, &cookie.replace("2000", "3000")), None, "so is the end");
        assert_eq!(found(&ann, &format!("posthaste_session={}", sealed(&ann[0], "1000"))), None, "it is over");
        assert_eq!(found(&ann, "posthaste_session=0123456789abcdef"), None, "the token itself is no session");
    }
}
