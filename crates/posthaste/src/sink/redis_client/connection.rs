//! One connection for all runs, made when it is first needed and again after it is lost.

use std::fmt;
use std::io;
use std::time::Duration;

use redis::{AsyncConnectionConfig, Cmd, ErrorKind, FromRedisValue, RedisError, RedisResult, ServerErrorKind, Value};
use tokio::sync::Mutex;

use super::client::{Client, OpenConnection};
use super::verdict::{from_client, nonsense};
use super::{Address, Script};
use crate::sink::Error;
use crate::sink::settings::Problem;
use crate::sink::shared_connection::SharedConnection;

pub(crate) struct Connection {
    /// Where it leads, without user and password.
    addresses: String,
    connect_timeout: Duration,
    response_timeout: Duration,
    client: Mutex<Client>,
    connection: SharedConnection<OpenConnection, RedisError>,
}

impl Connection {
    pub(crate) fn new(address: &Address<'_>) -> Result<Self, Problem> {
        let (client, addresses) = Client::new(address)?;
        Ok(Self {
            addresses,
            connect_timeout: address.connect_timeout,
            response_timeout: address.response_timeout,
            client: Mutex::new(client),
            connection: SharedConnection::default(),
        })
    }

    /// Whether somebody is there who speaks like Redis.
    pub(crate) async fn ping(&self) -> Result<(), Error> {
        let pong = |answer| matches!(answer, Value::SimpleString(said) if said == "PONG").then_some(());
        let answer = self.query(&redis::cmd("PING")).await;
        self.understood(answer, pong).await
    }

    /// Calls a script and reads its answer, of which `read` makes nothing if the script cannot have given it. The conversions of the
    /// client are no help there: they take nothing for an empty list, and one value for a list of one.
    pub(crate) async fn call<T>(
        &self,
        script: &Script,
        command: &Cmd,
        read: impl FnOnce(Value) -> Option<T>,
    ) -> Result<T, Error> {
        let answer = self.run(script, command).await;
        self.understood(answer, read).await
    }

    async fn understood<T>(
        &self,
        answer: RedisResult<Value>,
        read: impl FnOnce(Value) -> Option<T>,
    ) -> Result<T, Error> {
        let answer = answer.map_err(|error| from_client(&error, self))?;
        let Some(understood) = read(answer) else {
            // Nobody knows which question the next answer on it would be to.
            self.discard().await;
            return Err(nonsense(self));
        };
        Ok(understood)
    }

    /// Calls a script, which the server knows unless it was restarted.
    async fn run(&self, script: &Script, command: &Cmd) -> RedisResult<Value> {
        match self.query(command).await {
            Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript) => {
                let mut load = redis::cmd("SCRIPT");
                self.query::<String>(load.arg("LOAD").arg(script.source)).await?;
                self.query(command).await
            }
            answer => answer,
        }
    }

    pub(crate) async fn query<T: FromRedisValue>(&self, command: &Cmd) -> RedisResult<T> {
        let (mut connection, attempt) = self.connection.get(self.connect()).await?;
        let answer = connection.query(command).await;
        if answer.as_ref().is_err_and(is_about_the_connection) {
            self.connection.discard(attempt).await;
        }
        answer
    }

    /// The next one connects anew: who could not write here may be able to at the server that is the master by now.
    pub(crate) async fn discard(&self) {
        self.connection.discard_any().await;
    }

    async fn connect(&self) -> RedisResult<OpenConnection> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.connect_timeout))
            .set_response_timeout(Some(self.response_timeout));
        let mut client = self.client.lock().await;
        let connecting = tokio::time::timeout(self.connect_timeout, client.connect(&config)).await;
        connecting.unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into()))
    }
}

/// And not something that the server says about a command.
fn is_about_the_connection(error: &RedisError) -> bool {
    !matches!(error.kind(), ErrorKind::Server(_) | ErrorKind::Extension)
}

impl fmt::Display for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "redis at {}", self.addresses)
    }
}
