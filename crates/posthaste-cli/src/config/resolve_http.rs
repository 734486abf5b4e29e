//! What `[http]` means: where the relay listens, and who may call it.

use std::net::SocketAddr;
use std::time::Duration;

use posthaste::Secret;

use super::parse::{self, Span};
use super::problem::Problem;

/// Where the relay listens unless told otherwise: for this machine only.
const DEFAULT_BIND: ([u8; 4], u16) = ([127, 0, 0, 1], 7700);
/// Short enough to type, long enough not to be guessed.
const TOKEN_CHARS: usize = 16;

#[derive(Debug, Clone, PartialEq)]
pub struct HttpPlan {
    pub bind: SocketAddr,
    /// Names under which the relay may be called, beside addresses and `localhost`.
    pub hosts: Vec<String>,
    pub tokens: Vec<TokenPlan>,
    pub ready: ReadyPlan,
}

impl Default for HttpPlan {
    fn default() -> Self {
        let bind = SocketAddr::from(DEFAULT_BIND);
        Self { bind, hosts: Vec::new(), tokens: Vec::new(), ready: ReadyPlan::default() }
    }
}

/// When a backlog makes the relay not ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadyPlan {
    pub max_pending: Option<u64>,
    pub max_age: Option<Duration>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TokenPlan {
    /// Who has it; shown in the audit log.
    pub name: String,
    pub role: Role,
    pub token: Secret,
}

pub use super::parse::Role;

/// `None` unless the config has the section.
pub(super) fn resolve(written: Option<parse::Http>, problems: &mut Vec<Problem>) -> Option<HttpPlan> {
    let written = written?;
    if !cfg!(feature = "http") {
        problems.push(Problem::new("http", crate::store::built_without("http")));
    }
    let usual = HttpPlan::default().bind;
    let Ok(bind) = written.bind.as_deref().map_or(Ok(usual), str::parse::<SocketAddr>) else {
        let text = written.bind.unwrap_or_default();
        let text = format!("is `{text}`, which is not an address with a port: write one such as {usual} or [::1]:7700");
        problems.push(Problem::new("http.bind", text));
        return None;
    };
    let tokens: Vec<TokenPlan> =
        written.tokens.into_iter().filter_map(|(name, token)| resolve_token(&name, token, problems)).collect();
    if !bind.ip().is_loopback() && tokens.is_empty() {
        let text = "is reachable from outside this machine, which needs at least one token: add [http.tokens.NAME], or bind to 127.0.0.1";
        problems.push(Problem::new("http.bind", text));
    }
    let ready =
        ReadyPlan { max_pending: written.ready_max_pending, max_age: written.ready_max_age.map(|Span(age)| age) };
    Some(HttpPlan { bind, hosts: written.hosts, tokens, ready })
}

fn resolve_token(name: &str, written: parse::Token, problems: &mut Vec<Problem>) -> Option<TokenPlan> {
    let key = |setting: &str| format!("http.tokens.{name}.{setting}");
    let role = written.role.unwrap_or(Role::Viewer);
    let token = written.token.unwrap_or_default();
    if token.len() < TOKEN_CHARS || token.chars().any(|c| !c.is_ascii_graphic()) {
        let text =
            format!("must be at least {TOKEN_CHARS} characters without spaces: make one with `openssl rand -hex 24`");
        problems.push(Problem::new(key("token"), text));
        return None;
    }
    Some(TokenPlan { name: name.to_owned(), role, token: Secret::new(token) })
}
