//! What a chat means by an answer. Of what it says only the names of errors are kept, never its words.

use std::time::Duration;

use serde::Deserialize;

use super::service::Service;
use crate::retry::Verdict;
use crate::sink::Error;
use crate::sink::http::Answer;

/// Slack's answer to a method: always 200 unless it is too busy.
#[derive(Debug, Deserialize)]
struct Said {
    ok: bool,
    error: Option<String>,
    ts: Option<String>,
}

const MAX_NAME_CHARS: usize = 64;

/// What an answer means; what the post is known by, if it says so.
pub(super) fn of(
    service: &Service,
    answer: &Answer,
    channel_is_fixed: bool,
    cap: Duration,
) -> Result<Option<String>, Error> {
    match service {
        Service::Webhook { .. } => of_webhook(answer, cap).map(|()| None),
        Service::Token { .. } => of_method(answer, channel_is_fixed, cap),
    }
}

fn of_method(answer: &Answer, channel_is_fixed: bool, cap: Duration) -> Result<Option<String>, Error> {
    if !answer.status.is_success() {
        return of_webhook(answer, cap).map(|()| None);
    }
    match serde_json::from_slice::<Said>(&answer.body) {
        Ok(said) if said.ok => Ok(said.ts),
        Ok(said) => {
            let name = name_of(said.error.as_deref().unwrap_or("unknown_error"));
            let verdict = match meaning(&name) {
                Meaning::Later => answer.retry(cap),
                Meaning::Channel if !channel_is_fixed => Verdict::Reject,
                Meaning::Channel | Meaning::Login => Verdict::Unreachable,
                Meaning::Post => Verdict::Reject,
            };
            Err(Error::new(verdict, format_args!("Slack said {name}")))
        }
        Err(_) => Err(Error::retry(format_args!("{}, and not in Slack's language", answer.status_line()))),
    }
}

/// What an error of Slack's is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// The moment.
    Later,
    /// The login, and so every post.
    Login,
    /// The channel, and so every post if no message decides it.
    Channel,
    /// The post.
    Post,
}

fn meaning(name: &str) -> Meaning {
    match name {
        "ratelimited"
        | "rate_limited"
        | "message_limit_exceeded"
        | "internal_error"
        | "fatal_error"
        | "service_unavailable"
        | "request_timeout"
        | "accesslimited"
        | "rollup_error"
        | "unknown_error" => Meaning::Later,
        "invalid_auth"
        | "not_authed"
        | "account_inactive"
        | "token_revoked"
        | "token_expired"
        | "missing_scope"
        | "no_permission"
        | "not_allowed_token_type"
        | "org_login_required"
        | "ekm_access_denied"
        | "team_access_not_granted"
        | "access_denied"
        | "two_factor_setup_required"
        | "enterprise_is_restricted" => Meaning::Login,
        "channel_not_found"
        | "not_in_channel"
        | "is_archived"
        | "restricted_action"
        | "restricted_action_read_only_channel"
        | "channel_is_archived" => Meaning::Channel,
        _ => Meaning::Post,
    }
}

/// The thread that the post was to stand in is not there.
pub(super) fn is_about_thread(error: &Error) -> bool {
    ["thread_not_found", "message_not_found", "cannot_reply_to_message", "invalid_thread_ts"]
        .iter()
        .any(|name| error.text().ends_with(name))
}

/// A webhook that is not there any more was taken away by somebody, who has to be asked.
fn of_webhook(answer: &Answer, cap: Duration) -> Result<(), Error> {
    let verdict = match answer.status.as_u16() {
        200..=299 => return Ok(()),
        404 | 410 => Verdict::Gone,
        401 | 403 => Verdict::Unreachable,
        408 | 425 | 429 | 500..=599 | 300..=399 => answer.retry(cap),
        _ => Verdict::Reject,
    };
    let said = String::from_utf8_lossy(&answer.body);
    let name = Some(said.trim()).filter(|said| is_name(said)).map(|name| format!(": {name}")).unwrap_or_default();
    Err(Error::new(verdict, format_args!("{}{name}", answer.status_line())))
}

fn is_name(said: &str) -> bool {
    (1..=MAX_NAME_CHARS).contains(&said.len()) && said.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

fn name_of(said: &str) -> String {
    if is_name(said) { said.to_owned() } else { "an error without a name".into() }
}

#[cfg(test)]
mod tests {
    use reqwest::StatusCode;
    use reqwest::header::HeaderMap;

    use super::*;

    const CAP: Duration = Duration::from_secs(60);

    fn answer(status: u16, headers: &[(&'static str, &str)], body: &str) -> Answer {
        let headers: HeaderMap =
            headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        Answer { status: StatusCode::from_u16(status).unwrap(), headers, body: body.into() }
    }

    #[test]
    fn slacks_errors_have_their_verdicts() {
        let verdict = |name: &str, fixed| {
            let body = format!(r#"{{"ok": false, "error": "{name}"}}"#);
            of_method(&answer(200, &[], &body), fixed, CAP).unwrap_err().verdict
        };
        assert_eq!(verdict("ratelimited", true), Verdict::Retry);
        assert_eq!(verdict("invalid_auth", true), Verdict::Unreachable);
        assert_eq!(verdict("channel_not_found", true), Verdict::Unreachable, "it is wrong for every message");
        assert_eq!(verdict("channel_not_found", false), Verdict::Reject, "this message named it");
        assert_eq!(verdict("msg_too_long", true), Verdict::Reject);
        let busy = of_method(&answer(429, &[("retry-after", "30")], ""), true, CAP).unwrap_err();
        assert_eq!(busy.verdict, Verdict::RetryAfter(Duration::from_secs(30)));
        let said = of_method(&answer(200, &[], r#"{"ok": false, "error": "canary in words"}"#), true, CAP).unwrap_err();
        assert_eq!(said.text(), "Slack said an error without a name");
        assert_eq!(of_method(&answer(200, &[], r#"{"ok": true, "ts": "1.2"}"#), true, CAP), Ok(Some("1.2".into())));
    }

    #[test]
    fn a_webhook_that_is_gone_pauses_its_destination() {
        let verdict = |status| of_webhook(&answer(status, &[], "no_service"), CAP).err().map(|error| error.verdict);
        assert_eq!((verdict(200), verdict(204)), (None, None));
        assert_eq!((verdict(404), verdict(410)), (Some(Verdict::Gone), Some(Verdict::Gone)));
        assert_eq!((verdict(400), verdict(403)), (Some(Verdict::Reject), Some(Verdict::Unreachable)));
        let error = of_webhook(&answer(404, &[], "no_service"), CAP).unwrap_err();
        assert_eq!(error.text(), "answered 404 Not Found: no_service");
        let error = of_webhook(&answer(400, &[], "the text was: canary"), CAP).unwrap_err();
        assert!(!error.text().contains("canary"));
    }
}
