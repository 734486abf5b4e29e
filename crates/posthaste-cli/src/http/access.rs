//! Who may do what.
//!
//! A bearer token has a name, which goes to the audit log, and a role; a browser has a session instead (`session`). Without any token the
//! server only listens on loopback, and every caller is an operator. A browser on the same machine can call it too, and a foreign page
//! must not use it for that: the `Host` has to be ours (a foreign name that was rebound to loopback is not), and an `Origin`, if there is
//! one, has to be the same.

use std::net::{Ipv4Addr, Ipv6Addr};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use subtle::ConstantTimeEq;

use super::App;
use super::problem::Problem;
use super::session;
use crate::clock;
use crate::config::{HttpPlan, Role, TokenPlan};

/// Who sent a request, and what it may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub who: String,
    pub role: Role,
}

pub struct Access {
    tokens: Vec<TokenPlan>,
    hosts: Vec<String>,
}

impl Access {
    pub fn new(plan: &HttpPlan) -> Self {
        Self { tokens: plan.tokens.clone(), hosts: plan.hosts.clone() }
    }

    /// A request has to name us as its host, and one from a browser has to come from a page of ours.
    pub fn check_origin(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let host = text(header::HOST).unwrap_or_default();
        if !self.is_ours(host) {
            return Err(Problem::new(421, "the Host is not ours: add its name to http.hosts"));
        }
        match text(header::ORIGIN) {
            None => Ok(()),
            Some(origin) if origin.split_once("://").is_some_and(|(_, place)| place == host) => Ok(()),
            Some(_) => Err(Problem::new(403, "requests of other origins are not answered")),
        }
    }

    /// An address cannot be rebound; a name has to be known.
    fn is_ours(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port),
            _ => (host, ""),
        };
        let is_name = match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            Some(address) => address.parse::<Ipv6Addr>().is_ok(),
            None => {
                name.parse::<Ipv4Addr>().is_ok()
                    || name.eq_ignore_ascii_case("localhost")
                    || self.hosts.iter().any(|ours| ours.eq_ignore_ascii_case(name))
            }
        };
        is_name && port.bytes().all(|byte| byte.is_ascii_digit())
    }

    pub fn tokens(&self) -> &[TokenPlan] {
        &self.tokens
    }

    /// Compares with every token and in constant time, so that the time it takes tells nothing.
    pub fn token(&self, given: &str) -> Option<&TokenPlan> {
        let same = |token: &&TokenPlan| bool::from(token.token.expose().as_bytes().ct_eq(given.as_bytes()));
        self.tokens.iter().rfind(same)
    }

    /// Who sent a request, by its token or its cookie.
    pub fn caller(&self, headers: &HeaderMap) -> Option<Caller> {
        if self.tokens.is_empty() {
            return Some(Caller { who: "anonymous over HTTP".into(), role: Role::Operator });
        }
        let Some(given) = headers.get(header::AUTHORIZATION) else {
            return session::find(&self.tokens, headers, clock::now()).map(|found| found.caller);
        };
        let (scheme, given) = given.to_str().ok()?.split_once(' ')?;
        let token = self.token(given.trim()).filter(|_| scheme.eq_ignore_ascii_case("bearer"))?;
        Some(Caller { who: token.name.clone(), role: token.role })
    }

    /// A change made with a cookie needs the header that only a page of ours can send.
    fn check_change(&self, method: &Method, headers: &HeaderMap) -> Result<(), Problem> {
        if method.is_safe() || self.tokens.is_empty() || headers.contains_key(header::AUTHORIZATION) {
            return Ok(());
        }
        let Some(found) = session::find(&self.tokens, headers, clock::now()) else { return Ok(()) };
        let given = headers.get(session::CSRF_HEADER).map_or(&b""[..], |value| value.as_bytes());
        match bool::from(found.csrf.as_bytes().ct_eq(given)) {
            true => Ok(()),
            false => Err(Problem::new(
                403,
                "a change made with a cookie needs its x-posthaste-csrf header: GET /api/v1/session has it",
            )),
        }
    }
}

/// Why a caller may not do what it asks for.
pub fn refusal(has: Role, needed: Role) -> &'static str {
    match (has, needed) {
        (Role::Settler, _) => {
            "this token may only say what became of messages: one with the role viewer or operator is needed"
        }
        (_, Role::Settler) => "this token may only read: one with the role settler or operator is needed",
        _ => "this token may only read: one with the role operator is needed",
    }
}

/// Lets a request pass to its route if its caller has the role for it.
pub async fn authorise(State((app, role)): State<(App, Option<Role>)>, mut request: Request, next: Next) -> Response {
    let access = &app.0.access;
    if let Some(role) = role {
        let checked = access.check_origin(request.headers());
        if let Err(problem) = checked.and_then(|()| access.check_change(request.method(), request.headers())) {
            return problem.into_response();
        }
        let Some(caller) = access.caller(request.headers()) else {
            return Problem::new(401, "a bearer token is needed: see http.tokens in the config").into_response();
        };
        if !caller.role.may(role) {
            return Problem::new(403, refusal(caller.role, role)).into_response();
        }
        request.extensions_mut().insert(caller);
    }
    next.run(request).await
}

#[cfg(test)]
mod hostile;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_an_address_localhost_or_a_known_name() {
        let access = Access { tokens: Vec::new(), hosts: vec!["relay.internal".into()] };
        let ours =
            ["127.0.0.1:7700", "[::1]:7700", "[::1]", "localhost", "LOCALHOST:7700", "relay.internal:80", "10.1.2.3"];
        assert!(ours.iter().all(|host| access.is_ours(host)));
        let theirs =
            ["", "evil.example", "evil.example:7700", "localhost.evil.example", "127.0.0.1.evil.example", "[evil"];
        for host in theirs {
            assert!(!access.is_ours(host), "{host}");
        }
    }
}
