//! One connection for all runs, made when it is first needed and again after it is lost.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use lapin::options::ConfirmSelectOptions;
use lapin::tcp::{OwnedIdentity, OwnedTLSConfig};
use lapin::uri::AMQPUri;
use lapin::{Channel, ConnectionProperties};

use super::encode::Route;
use super::settings::Settings;
use super::{topology, verdict};
use crate::sink::Error;
use crate::sink::bounded_map::BoundedMap;
use crate::sink::settings::Problem;

/// Seconds. Twice this long without a sign of the broker, and the connection counts as lost.
const HEARTBEAT: u16 = 10;

/// Where to connect to. Has no `Debug`, for it holds a password.
#[derive(Clone)]
pub(super) struct Target {
    uri: AMQPUri,
    tls: OwnedTLSConfig,
}

impl Target {
    pub(super) fn of(settings: &Settings) -> Result<Self, Problem> {
        let url = settings.url.expose();
        if url.contains("@[") || url.contains("://[") {
            // The client would quietly connect to localhost.
            return Err(Problem::new("url", "has an IPv6 address, which this client cannot read: write a host name"));
        }
        // The parser's own text may contain the whole address, password included.
        let unlike = |_| Problem::new("url", "is no address such as amqp://user:password@host:5672/vhost");
        let mut uri: AMQPUri = url.parse().map_err(unlike)?;
        uri.query.heartbeat.get_or_insert(HEARTBEAT);
        if let Some(vhost) = &settings.vhost {
            uri.vhost.clone_from(vhost);
        }
        Ok(Self { uri, tls: tls(settings)? })
    }

    /// Where the broker is, without user and password.
    fn address(&self) -> String {
        let authority = &self.uri.authority;
        format!("{}:{}", authority.host, authority.port)
    }

    async fn connect(self, settings: Arc<Settings>) -> Result<Arc<OpenConnection>, Error> {
        let (name, address) = ("posthaste".into(), self.address());
        let properties = ConnectionProperties::default().with_connection_name(name);
        let connected = async {
            let runtime = lapin::runtime::default_runtime()?;
            lapin::Connection::connect_uri_with_config(self.uri, properties, self.tls, runtime).await
        };
        let opened = async {
            let connection = connected.await.map_err(|error| verdict::of_connection(&address, &error))?;
            let open = OpenConnection {
                address: address.clone(),
                connection,
                idle: Mutex::default(),
                routes: BoundedMap::default(),
            };
            topology::declare(&open, &settings.declare).await?;
            Ok(Arc::new(open))
        };
        let in_time = tokio::time::timeout(settings.timeout, opened).await;
        in_time.unwrap_or_else(|_| Err(verdict::silence(&address, settings.timeout)))
    }
}

fn tls(settings: &Settings) -> Result<OwnedTLSConfig, Problem> {
    let read = |setting, path: &Path| {
        std::fs::read(path)
            .map_err(|error| Problem::new(setting, format!("cannot be read: {}: {error}", path.display())))
    };
    let identity = match (&settings.client_cert_file, &settings.client_key_file) {
        (Some(cert), Some(key)) => {
            Some(OwnedIdentity::PKCS8 { pem: read("client_cert_file", cert)?, key: read("client_key_file", key)? })
        }
        (None, None) => None,
        _ => return Err(Problem::new("client_cert_file", "goes with `client_key_file`: give both or none")),
    };
    let trusted = settings.ca_file.as_ref().map(|path| read("ca_file", path)).transpose()?;
    let pem = |bytes| String::from_utf8(bytes).map_err(|_| Problem::new("ca_file", "is not PEM"));
    Ok(OwnedTLSConfig { identity, cert_chain: trusted.map(pem).transpose()? })
}

/// A connection that is there.
pub(super) struct OpenConnection {
    /// Where the broker is, for errors.
    pub(super) address: String,
    pub(super) connection: lapin::Connection,
    /// Channels in confirm mode on which nothing is under way.
    idle: Mutex<Vec<Channel>>,
    /// On which a message was taken.
    pub(super) routes: BoundedMap<Route>,
}

impl OpenConnection {
    /// A channel for one run. It is closed when dropped; give it back when all it sent was answered.
    pub(super) async fn channel(&self) -> lapin::Result<Channel> {
        while let Some(channel) = lock(&self.idle).pop() {
            if channel.status().connected() {
                return Ok(channel);
            }
        }
        let channel = self.connection.create_channel().await?;
        channel.confirm_select(ConfirmSelectOptions::default()).await?;
        Ok(channel)
    }

    pub(super) fn give_back(&self, channel: Channel) {
        lock(&self.idle).push(channel);
    }

    /// A broker that is short of memory or disk says so, and reads nothing more from those who publish.
    pub(super) fn refuse_if_blocked(&self) -> Result<(), Error> {
        match self.connection.status().blocked() {
            true => Err(Error::unreachable("the broker is short of memory or disk and has blocked this connection")),
            false => Ok(()),
        }
    }

    fn is_usable(&self) -> bool {
        self.connection.status().connected()
    }
}

type Opening = Shared<BoxFuture<'static, Result<Arc<OpenConnection>, Error>>>;

/// The connection that all runs share. Whoever needs a connection drives the making of it, and whoever is dropped meanwhile leaves it to the
/// next one, so that many impatient callers make one connection, not many.
pub(super) struct Connection {
    target: Target,
    settings: Arc<Settings>,
    opening: Mutex<Option<Opening>>,
}

impl Connection {
    pub(super) fn to(target: Target, settings: Arc<Settings>) -> Self {
        Self { target, settings, opening: Mutex::default() }
    }

    pub(super) async fn open(&self) -> Result<Arc<OpenConnection>, Error> {
        let opening = {
            let mut slot = lock(&self.opening);
            match &*slot {
                Some(opening) if is_promising(opening) => opening.clone(),
                _ => {
                    let opening = self.target.clone().connect(self.settings.clone()).boxed().shared();
                    slot.insert(opening).clone()
                }
            }
        };
        opening.await
    }

    /// The next caller gets a new connection.
    pub(super) fn abandon(&self, open: &Arc<OpenConnection>) {
        let mut slot = lock(&self.opening);
        let same = |opening: &Opening| matches!(opening.peek(), Some(Ok(there)) if Arc::ptr_eq(there, open));
        if slot.as_ref().is_some_and(same) {
            *slot = None;
        }
    }
}

/// Under way, or there; not failed or lost.
fn is_promising(opening: &Opening) -> bool {
    match opening.peek() {
        None => true,
        Some(Ok(open)) => open.is_usable(),
        Some(Err(_)) => false,
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = format!("{}/{}", self.target.address(), self.target.uri.vhost);
        f.debug_tuple("Connection").field(&address).finish()
    }
}

/// What these locks guard is whole after every single change, so a panic elsewhere spoils nothing.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
