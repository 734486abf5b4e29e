//! What it means when no answer came.

use std::error::Error as StdError;

use reqwest::Url;

use crate::sink::Error;

/// Whatever happens below HTTP is an outage of the endpoint; only a request that was sent and takes too long may be about its
/// message. Neither shows the URL, which may contain a token.
pub(super) fn of_transport(url: &Url, error: &reqwest::Error) -> Error {
    let (place, why) = (place(url), innermost(error));
    if error.is_timeout() && !error.is_connect() {
        return Error::retry(format_args!("{place} did not answer in time"));
    }
    if error.is_builder() {
        return Error::reject(format_args!("the request cannot be made: {why}"));
    }
    Error::unreachable(format_args!("{place} cannot be reached: {why}"))
}

/// The cause itself, without the layers around it.
pub(super) fn innermost(error: &reqwest::Error) -> String {
    let mut cause: &dyn StdError = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    match cause.downcast_ref::<reqwest::Error>() {
        // Nothing below it, and its own words contain the URL.
        Some(error) if error.is_timeout() => "it takes too long".into(),
        Some(_) => "the exchange failed".into(),
        None => cause.to_string(),
    }
}

/// Where the endpoint is: of a URL, what holds no token.
pub(super) fn place(url: &Url) -> String {
    match (url.host_str(), url.port()) {
        (Some(host), Some(port)) => format!("{host}:{port}"),
        (Some(host), None) => host.to_owned(),
        (None, _) => "the endpoint".into(),
    }
}
