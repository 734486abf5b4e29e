//! What Redis said, and what it means for a message.

use redis::{ErrorKind, RedisError};

use super::Connection;
use crate::sink::{Error, Verdict};

/// An error of the client: no connection, no answer, or what the server says about the whole command.
pub(crate) fn from_client(error: &RedisError, connection: &Connection) -> Error {
    match (error.kind(), error.code()) {
        (ErrorKind::Server(_) | ErrorKind::Extension, Some(code)) => {
            from_server(&format!("{code} {}", error.detail().unwrap_or_default()), connection)
        }
        (ErrorKind::AuthenticationFailed, _) => {
            Error::unreachable(format_args!("{connection} does not let us in: user or password in `url` are wrong"))
        }
        _ if error.is_timeout() => Error::unreachable(format_args!("{connection} does not answer")),
        _ => Error::unreachable(format_args!("{connection} cannot be reached: {error}")),
    }
}

/// An answer that nobody who was asked this gives: whoever is there is not Redis, or answers somebody else.
pub(crate) fn nonsense(connection: &Connection) -> Error {
    Error::unreachable(format_args!(
        "{connection} gave an answer that is none: is something else there, or in between?"
    ))
}

/// An error of the server, as it wrote it: a word in capitals, and a text.
pub(crate) fn from_server(said: &str, connection: &Connection) -> Error {
    let code = said.split(' ').next().unwrap_or_default();
    let remedy = match code {
        "MOVED" | "ASK" => ", because this is a cluster: set `cluster = true`",
        "NOAUTH" | "ERR" if is_unauthenticated(said) => ", because it wants a password: write it into `url`",
        "WRONGPASS" => ": user or password in `url` are wrong",
        _ => "",
    };
    Error::new(verdict(code, said), format_args!("{connection} refuses: {said}{remedy}"))
}

/// Whoever has not logged in may not even send a long command.
fn is_unauthenticated(said: &str) -> bool {
    said.starts_with("NOAUTH") || said.contains("unauthenticated")
}

fn verdict(code: &str, said: &str) -> Verdict {
    match code {
        _ if is_unauthenticated(said) => Verdict::Unreachable,
        // Of the server as a whole: it starts, changes roles, is full, does not know us.
        "LOADING" | "MASTERDOWN" | "READONLY" | "CLUSTERDOWN" | "TRYAGAIN" | "MOVED" | "ASK" | "BUSY" | "OOM"
        | "MISCONF" | "NOREPLICAS" | "WRONGPASS" | "UNKILLABLE" => Verdict::Unreachable,
        // A user may have the right to some streams and channels only.
        "NOPERM" if !said.contains("key") && !said.contains("channel") => Verdict::Unreachable,
        _ => Verdict::Retry,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_the_server_is_nobodys_message() {
        let cases = [
            ("LOADING Redis is loading the dataset in memory", Verdict::Unreachable),
            ("READONLY You can't write against a read only replica.", Verdict::Unreachable),
            ("OOM command not allowed when used memory > 'maxmemory'.", Verdict::Unreachable),
            ("NOPERM this user has no permissions to run the 'evalsha' command", Verdict::Unreachable),
            ("NOPERM this user has no permissions to access one of the keys used as arguments", Verdict::Retry),
            ("NOPERM this user has no permissions to access one of the channels used as arguments", Verdict::Retry),
            ("WRONGTYPE Operation against a key holding the wrong kind of value", Verdict::Retry),
            ("ERR Protocol error: unauthenticated multibulk length", Verdict::Unreachable),
            ("ERR something new", Verdict::Retry),
        ];
        for (said, expected) in cases {
            assert_eq!(verdict(said.split(' ').next().unwrap(), said), expected, "{said}");
        }
    }
}
