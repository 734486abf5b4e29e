//! The connection: made when it is needed, shared by all runs, made anew after it failed.
//!
//! Many runs may find it missing at once. One of them connects, the others wait for that and take what came of it, be it an
//! error; were each to try for itself, the last one would wait for the time-outs of all.

use std::fmt;
use std::io;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use redis::{AsyncConnectionConfig, Cmd, ErrorKind, FromRedisValue, RedisError, RedisResult, Script, ServerErrorKind};
use tokio::sync::Mutex;

use super::settings::Settings;
use super::way::{Connection, Way};
use crate::sinks::settings::Misfit;

pub(super) static APPEND: LazyLock<Script> = LazyLock::new(|| Script::new(SOURCE));
const SOURCE: &str = include_str!("append.lua");

pub(super) struct Link {
    /// Where it leads, without user and password.
    addresses: String,
    connect_timeout: Duration,
    response_timeout: Duration,
    state: Mutex<State>,
    /// How many attempts to connect have ended.
    attempts: AtomicU64,
}

struct State {
    way: Way,
    connection: Option<Connection>,
    error: Option<RedisError>,
}

impl Link {
    pub(super) fn new(settings: &Settings) -> Result<Self, Misfit> {
        let (way, addresses) = Way::new(settings)?;
        Ok(Self {
            addresses,
            connect_timeout: settings.connect_timeout,
            response_timeout: settings.response_timeout,
            state: Mutex::new(State { way, connection: None, error: None }),
            attempts: AtomicU64::new(0),
        })
    }

    /// Calls the script, which the server knows unless it was restarted.
    pub(super) async fn call<T: FromRedisValue>(&self, command: &Cmd) -> RedisResult<T> {
        match self.query(command).await {
            Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript) => {
                let mut load = redis::cmd("SCRIPT");
                self.query::<String>(load.arg("LOAD").arg(SOURCE)).await?;
                self.query(command).await
            }
            answer => answer,
        }
    }

    pub(super) async fn query<T: FromRedisValue>(&self, command: &Cmd) -> RedisResult<T> {
        let (mut connection, attempt) = self.connection().await?;
        let answer = connection.query(command).await;
        if answer.as_ref().is_err_and(is_about_the_connection) {
            let mut state = self.state.lock().await;
            // Unless someone else has seen to it.
            if self.attempts.load(Ordering::Acquire) == attempt {
                state.connection = None;
            }
        }
        answer
    }

    /// The next one connects anew: who could not write here may be able to at the server that is the master by now.
    pub(super) async fn leave(&self) {
        self.state.lock().await.connection = None;
    }

    /// A connection, and by which attempt it was made.
    async fn connection(&self) -> RedisResult<(Connection, u64)> {
        let before = self.attempts.load(Ordering::Acquire);
        let mut state = self.state.lock().await;
        let attempts = self.attempts.load(Ordering::Acquire);
        match (&state.connection, &state.error) {
            (Some(connection), _) => return Ok((connection.clone(), attempts)),
            (None, Some(error)) if attempts > before => return Err(error.clone()),
            _ => {}
        }
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.connect_timeout))
            .set_response_timeout(Some(self.response_timeout));
        let connecting = tokio::time::timeout(self.connect_timeout, state.way.connect(&config)).await;
        let connected = connecting.unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into()));
        state.connection = connected.as_ref().ok().cloned();
        state.error = connected.as_ref().err().cloned();
        self.attempts.store(attempts + 1, Ordering::Release);
        connected.map(|connection| (connection, attempts + 1))
    }
}

/// And not something that the server says about a command.
fn is_about_the_connection(error: &RedisError) -> bool {
    !matches!(error.kind(), ErrorKind::Server(_) | ErrorKind::Extension)
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "redis at {}", self.addresses)
    }
}
