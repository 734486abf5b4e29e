//! What an error of the server means.

use tonic::{Code, Status};

use super::connection_string::Endpoint;
use crate::source::Error;

/// The leader, if the server is none and names it.
pub(super) fn leader(status: &Status) -> Option<Endpoint> {
    let named = |name| status.metadata().get(name).and_then(|value| value.to_str().ok());
    if status.code() != Code::NotFound || named("exception") != Some("not-leader") {
        return None;
    }
    let port = named("leader-endpoint-port")?.parse().ok()?;
    Some(Endpoint { host: named("leader-endpoint-host")?.into(), port })
}

/// For a person. Reading begins anew in each case.
pub(super) fn error(status: &Status) -> Error {
    // With TLS 1.3 the server refuses our certificate after the connection is made.
    let causes = std::error::Error::source(status).map(crate::error::full_text).unwrap_or_default();
    if let Some(remedy) = super::tls::remedy(&causes) {
        return Error::new(format_args!("{remedy} ({:?}: {causes})", status.code()));
    }
    let what = match status.code() {
        Code::Unavailable => "the server is not there, not ready or too busy",
        Code::Unknown => "the server has no leader, or has failed",
        Code::NotFound => "the server is not the leader, or has no such subscription",
        Code::PermissionDenied | Code::Unauthenticated => {
            "the server does not let us in: see the user and the password of `connection_string`"
        }
        Code::FailedPrecondition => "the stream was deleted",
        Code::DeadlineExceeded | Code::Aborted => "the server took too long",
        Code::Unimplemented => "the server is too old for this",
        Code::InvalidArgument => "the server does not understand what was asked: see `filter`",
        _ => "the server has failed",
    };
    let exception = status.metadata().get("exception").and_then(|value| value.to_str().ok());
    let exception = exception.map(|name| format!(", {name}")).unwrap_or_default();
    Error::new(format_args!("{what} ({:?}{exception}: {})", status.code(), status.message()))
}
