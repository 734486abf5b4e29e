//! One connection for all runs, made when it is first needed and again after it is lost.
//!
//! The client would connect again by itself and go on with what it has not sent yet, after what was lost on the way. That would
//! put messages of a key in front of earlier ones. So it is made to give up instead: once connected it is told of no server but
//! one that is nowhere, and the next run makes a new client.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_nats::jetstream::Context;
use async_nats::jetstream::context::ContextBuilder;
use async_nats::{ConnectError, ConnectErrorKind, ConnectOptions, Event, ServerAddr, ServerError};

use super::settings::Settings;
use crate::sink::Error;
use crate::sink::settings::{Problem, Tls};
use crate::sink::shared_connection::SharedConnection;
use crate::sink::template::percent_decode;

/// Nothing can listen on port 0, so that connecting to it fails at once.
const NOWHERE: &str = "nats://127.0.0.1:0";

/// Acknowledgements that are awaited, over all runs.
const MAX_UNANSWERED: usize = 10_000;

pub(super) struct Connection {
    servers: Vec<ServerAddr>,
    shown: String,
    login: Login,
    tls: Tls,
    domain: Option<String>,
    connect_timeout: Duration,
    response_timeout: Duration,
    connection: SharedConnection<Context, Error>,
    /// What the server said we may not do; it does not say so in an answer.
    violation: Arc<Mutex<String>>,
}

enum Login {
    None,
    Token(String),
    Password(String, String),
    Seed(String),
    Credentials(String),
}

impl Connection {
    pub(super) fn new(settings: &Settings) -> Result<Self, Problem> {
        let remedy = "is no address: write nats://host:4222, or tls://host:4222";
        let parse = |url: &crate::Secret| url.expose().parse::<ServerAddr>().map_err(|_| Problem::new("url", remedy));
        let given = settings.url.as_slice().iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        let first = given.first().ok_or_else(|| Problem::new("url", "is empty: write nats://host:4222"))?;
        let login = login(settings, first)?;
        // The client writes addresses into its logs.
        let bare = |server: &ServerAddr| format!("{}://{}:{}", server.scheme(), host(server), server.port());
        let servers = given.iter().map(|server| bare(server).parse().map_err(|_| Problem::new("url", remedy)));
        let shown = given.iter().map(|server| format!("{}:{}", host(server), server.port())).collect::<Vec<_>>();
        let tls = settings.tls.clone().unwrap_or_default();
        tls.identity()?;
        Ok(Self {
            servers: servers.collect::<Result<_, _>>()?,
            shown: shown.join(", "),
            login,
            tls,
            domain: settings.domain.clone(),
            connect_timeout: settings.connect_timeout,
            response_timeout: settings.response_timeout,
            connection: SharedConnection::default(),
            violation: Arc::default(),
        })
    }

    /// A connection, and by which attempt it was made.
    pub(super) async fn context(&self) -> Result<(Context, u64), Error> {
        self.connection.get(self.connect()).await
    }

    pub(super) async fn discard(&self, attempt: u64) {
        self.connection.discard(attempt).await;
    }

    /// Whether the server has complained that we may not publish there.
    pub(super) fn is_forbidden(&self, subject: &str) -> bool {
        let said = self.violation.lock().unwrap_or_else(PoisonError::into_inner);
        said.contains(&format!("\"{subject}\""))
    }

    /// Whether JetStream answers. Asked for by hand, because the client refuses what older servers say.
    pub(super) async fn check(&self, context: &Context) -> Result<(), Error> {
        let answer = context.request::<_, _, serde_json::Value>("INFO", &()).await;
        let why = match answer.as_ref().map(|answer| answer.get("error")) {
            Ok(None) => return Ok(()),
            Ok(Some(error)) => error["description"].as_str().unwrap_or("it is not enabled").to_owned(),
            Err(error) => error.to_string(),
        };
        Err(Error::unreachable(format_args!("{self} has no JetStream for us: {why}")))
    }

    async fn connect(&self) -> Result<Context, Error> {
        let connecting = self.options()?.connect(self.servers.clone());
        let connected = tokio::time::timeout(self.connect_timeout, connecting).await;
        let client = match connected {
            Ok(connected) => connected.map_err(|error| self.refused(&error))?,
            Err(_) => return Err(Error::unreachable(format_args!("{self} does not answer"))),
        };
        let alone = client.set_server_pool(NOWHERE).await;
        alone.map_err(|_| Error::unreachable(format_args!("{self} has hung up")))?;
        let builder = ContextBuilder::new().timeout(self.response_timeout).max_ack_inflight(MAX_UNANSWERED);
        Ok(match &self.domain {
            Some(domain) => builder.domain(domain).build(client),
            None => builder.build(client),
        })
    }

    fn options(&self) -> Result<ConnectOptions, Error> {
        let violation = self.violation.clone();
        let mut options = ConnectOptions::new()
            .name("posthaste")
            .connection_timeout(self.connect_timeout)
            .ignore_discovered_servers()
            .max_reconnects(self.servers.len())
            .event_callback(move |event| {
                if let Event::ServerError(ServerError::Other(says)) = event {
                    *violation.lock().unwrap_or_else(PoisonError::into_inner) = says;
                }
                std::future::ready(())
            });
        options = match &self.login {
            Login::None => options,
            Login::Token(token) => options.token(token.clone()),
            Login::Password(user, password) => options.user_and_password(user.clone(), password.clone()),
            Login::Seed(seed) => options.nkey(seed.clone()),
            Login::Credentials(text) => {
                options.credentials(text).map_err(|_| Error::unreachable("the file of `credentials` is none"))?
            }
        };
        if let Some(ca) = &self.tls.ca {
            options = options.add_root_certificates(ca.clone()).require_tls(true);
        }
        if let (Some(certificate), Some(key)) = (&self.tls.certificate, &self.tls.key) {
            options = options.add_client_certificate(certificate.clone(), key.clone()).require_tls(true);
        }
        Ok(options)
    }

    fn refused(&self, error: &ConnectError) -> Error {
        match error.kind() {
            ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
                Error::unreachable(format_args!("{self} does not let us in: user, password or token are wrong"))
            }
            _ => Error::unreachable(format_args!("{self} cannot be reached: {error}")),
        }
    }
}

fn host(server: &ServerAddr) -> String {
    let host = server.host();
    if host.contains(':') { format!("[{host}]") } else { host.to_owned() }
}

fn login(settings: &Settings, server: &ServerAddr) -> Result<Login, Problem> {
    if let Some(path) = &settings.credentials {
        let unreadable =
            |error| Problem::new("credentials", format!("is {}, which cannot be read: {error}", path.display()));
        return std::fs::read_to_string(path).map(Login::Credentials).map_err(unreadable);
    }
    if let Some(seed) = &settings.nkey {
        return Ok(Login::Seed(seed.expose().to_owned()));
    }
    Ok(match (server.username(), server.password()) {
        (Some(user), Some(password)) => Login::Password(percent_decode(user), percent_decode(password)),
        (Some(token), None) => Login::Token(percent_decode(token)),
        _ => Login::None,
    })
}

impl fmt::Display for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nats at {}", self.shown)
    }
}
