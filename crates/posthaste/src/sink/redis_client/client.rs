//! The client for what the addresses lead to: a server, to a cluster, or to the server that sentinels point to.

use redis::aio::MultiplexedConnection;
use redis::cluster::ClusterClient;
use redis::cluster_async::ClusterConnection;
use redis::sentinel::{SentinelClient, SentinelClientBuilder, SentinelServerType};
use redis::{
    AsyncConnectionConfig, ClientTlsConfig, Cmd, ConnectionAddr, ConnectionInfo, FromRedisValue, IntoConnectionInfo,
    RedisResult, TlsCertificates, TlsMode,
};

use super::{Address, Sentinel};
use crate::sink::settings::{Problem, Tls};

/// How often the client of a cluster follows a slot that moved.
const REDIRECTS: u32 = 3;

pub(super) enum Client {
    Server(redis::Client),
    Cluster(ClusterClient),
    Sentinels(SentinelClient),
}

#[derive(Clone)]
pub(super) enum OpenConnection {
    Server(MultiplexedConnection),
    Cluster(ClusterConnection),
}

impl OpenConnection {
    pub(super) async fn query<T: FromRedisValue>(&mut self, command: &Cmd) -> RedisResult<T> {
        match self {
            Self::Server(connection) => command.query_async(connection).await,
            Self::Cluster(connection) => command.query_async(connection).await,
        }
    }
}

impl Client {
    /// The client, and where it leads, in words that may be shown.
    pub(super) fn new(address: &Address<'_>) -> Result<(Self, String), Problem> {
        let infos = addresses(address)?;
        let shown = infos.iter().map(|info| info.addr().to_string()).collect::<Vec<_>>().join(", ");
        let certificates = address.tls.map(certificates).transpose()?;
        let client = match address.sentinel {
            _ if address.cluster => cluster(address, infos, certificates).map(Self::Cluster),
            Some(sentinel) => sentinels(sentinel, &infos, certificates).map(Self::Sentinels),
            None => server(infos, certificates).map(Self::Server),
        };
        // What the client says of an address may quote it.
        let client =
            client.map_err(|error| Problem::new("url", format!("cannot be used like this ({})", error.category())))?;
        Ok((client, shown))
    }

    pub(super) async fn connect(&mut self, config: &AsyncConnectionConfig) -> RedisResult<OpenConnection> {
        match self {
            Self::Server(client) => {
                client.get_multiplexed_async_connection_with_config(config).await.map(OpenConnection::Server)
            }
            Self::Cluster(client) => client.get_async_connection().await.map(OpenConnection::Cluster),
            Self::Sentinels(client) => {
                client.get_async_connection_with_config(config).await.map(OpenConnection::Server)
            }
        }
    }
}

fn addresses(address: &Address<'_>) -> Result<Vec<ConnectionInfo>, Problem> {
    let urls = address.url.as_slice();
    let several = address.cluster || address.sentinel.is_some();
    if urls.is_empty() || urls.len() > 1 && !several {
        return Err(Problem::new("url", "must be one address; only a `cluster` and a `sentinel` have several"));
    }
    let remedy = "is no address: write redis://host:6379, rediss://host:6379 for TLS, or redis+unix:///path";
    let parse = |url: &crate::Secret| url.expose().into_connection_info().map_err(|_| Problem::new("url", remedy));
    urls.iter().map(parse).collect()
}

fn certificates(tls: &Tls) -> Result<TlsCertificates, Problem> {
    let read = |path: &std::path::PathBuf| {
        let unreadable =
            |error| Problem::new("tls", format!("names {}, which cannot be read: {error}", path.display()));
        std::fs::read(path).map_err(unreadable)
    };
    let client_tls = match tls.identity()? {
        Some((certificate, key)) => Some(ClientTlsConfig { client_cert: read(certificate)?, client_key: read(key)? }),
        None => None,
    };
    Ok(TlsCertificates { client_tls, root_cert: tls.ca.as_ref().map(read).transpose()? })
}

fn server(mut infos: Vec<ConnectionInfo>, certificates: Option<TlsCertificates>) -> RedisResult<redis::Client> {
    let info = infos.remove(0);
    match certificates {
        Some(certificates) => redis::Client::build_with_tls(info, certificates),
        None => redis::Client::open(info),
    }
}

fn cluster(
    address: &Address<'_>,
    infos: Vec<ConnectionInfo>,
    certificates: Option<TlsCertificates>,
) -> RedisResult<ClusterClient> {
    let mut builder = ClusterClient::builder(infos)
        .retries(REDIRECTS)
        .connection_timeout(address.connect_timeout)
        .response_timeout(address.response_timeout);
    if let Some(certificates) = certificates {
        builder = builder.certs(certificates);
    }
    builder.build()
}

fn sentinels(
    sentinel: &Sentinel,
    infos: &[ConnectionInfo],
    certificates: Option<TlsCertificates>,
) -> RedisResult<SentinelClient> {
    let addresses = infos.iter().map(|info| info.addr().clone());
    let mut builder = SentinelClientBuilder::new(addresses, &sentinel.master, SentinelServerType::Master)?;
    if let Some(user) = &sentinel.user {
        builder = builder.set_client_to_sentinel_username(user);
    }
    if let Some(password) = &sentinel.password {
        builder = builder.set_client_to_sentinel_password(password.expose());
    }
    if let Some(server) = infos.first().map(ConnectionInfo::redis_settings) {
        builder = builder.set_client_to_redis_db(server.db());
        if let Some(user) = server.username() {
            builder = builder.set_client_to_redis_username(user);
        }
        if let Some(password) = server.password() {
            builder = builder.set_client_to_redis_password(password);
        }
    }
    if infos.iter().any(|info| matches!(info.addr(), ConnectionAddr::TcpTls { .. })) {
        builder = builder.set_client_to_redis_tls_mode(TlsMode::Secure);
        if let Some(certificates) = certificates {
            builder = builder
                .set_client_to_redis_certificates(certificates.clone())
                .set_client_to_sentinel_certificates(certificates);
        }
    }
    builder.build()
}
