//! The connections of the relay: a few, shared, each set up once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use deadpool::Runtime;
pub(super) use deadpool::Status;
pub(super) use deadpool::managed::Timeouts;
use deadpool::managed::{self, Metrics, Object, PoolError, QueueMode, RecycleError};
use deadpool_postgres::{ClientWrapper, ConfigConnectImpl, Connect};

use super::connection::Way;
use super::identity::Identity;
use super::options::Pooler;
use super::pooler::{Pooled, Types, detect};
use super::schema::in_schema;
use super::session::Session;
use super::ticks::Ticks;
use super::{Options, identity};
use crate::error::{Error, Kind, Result};
use crate::stores::silence::Silence;

/// Longest wait for a connection to be free.
const PATIENCE: Duration = Duration::from_secs(10);

/// How a session plans: each statement once, by the index it was written for. What the planner would guess about a parameter it
/// does not know ("a third of the table") is what leads it astray.
const SESSION: &str = include_str!("sql/connection/session.sql");

/// Only for sessions that are ours alone.
const OWN_SESSION: &str = include_str!("sql/connection/own_session.sql");

/// A connection for as long as its holder needs it.
pub(super) type Client = Object<Manager>;
pub(super) type Pool = managed::Pool<Manager>;

/// Makes connections, and says which of them are still good.
pub(super) struct Manager {
    way: Arc<Way>,
    schema: String,
    pooler: Pooler,
    session: String,
    identity: Arc<Identity>,
    ticks: Arc<Ticks>,
    silence: Arc<Silence>,
    types: Arc<Types>,
    meets_pooler: AtomicBool,
}

pub(super) fn pool(options: &Options, way: &Arc<Way>, identity: &Arc<Identity>, ticks: &Arc<Ticks>) -> Result<Pool> {
    let manager = Manager {
        way: Arc::clone(way),
        schema: options.schema.clone(),
        pooler: options.pooler,
        session: in_schema(SESSION, &options.schema),
        identity: Arc::clone(identity),
        ticks: Arc::clone(ticks),
        silence: Arc::new(Silence::after(options.answer_timeout)),
        types: Arc::default(),
        meets_pooler: AtomicBool::new(false),
    };
    let pool = Pool::builder(manager)
        .max_size(options.connections.max(1))
        // The one that was given back last: the server's process behind it is warm.
        .queue_mode(QueueMode::Lifo)
        .runtime(Runtime::Tokio1)
        .create_timeout(Some(way.patience() + options.answer_timeout))
        .wait_timeout(Some(PATIENCE));
    pool.build().map_err(|error| Error::new(Kind::Invalid, "connections cannot be managed").caused_by(error))
}

impl Manager {
    /// Whether the last connection was to a pooler, which passes no notifications on.
    pub(super) fn meets_pooler(&self) -> bool {
        self.meets_pooler.load(Ordering::Relaxed)
    }
}

impl managed::Manager for Manager {
    type Type = Session;
    type Error = Error;

    async fn create(&self) -> Result<Session> {
        let (client, driver) =
            self.way.connect(|config, tls| async move { ConfigConnectImpl { tls }.connect(&config).await }).await?;
        let client = ClientWrapper::new(client, driver);
        let is_pooled = match self.pooler {
            Pooler::Auto => detect::is_there(&client).await?,
            Pooler::None => false,
            Pooler::Transaction => true,
        };
        self.meets_pooler.store(is_pooled, Ordering::Relaxed);
        let server = identity::recognise(&self.identity, &client, &self.ticks, &self.schema).await?;
        let pooled = is_pooled.then(|| Pooled::new(&self.session, &server, Arc::clone(&self.types)));
        if pooled.is_none() {
            client.batch_execute(&format!("{}{OWN_SESSION}", self.session)).await?;
        }
        Ok(Session::new(client, pooled, Arc::clone(&self.silence)))
    }

    async fn recycle(&self, session: &mut Session, metrics: &Metrics) -> managed::RecycleResult<Error> {
        let is_old = self.identity.is_outdated(metrics.created) || self.silence.gave_up(metrics.created);
        if is_old || !session.is_usable() {
            return Err(RecycleError::message("it is closed, silent, or of before a failover"));
        }
        Ok(())
    }
}

/// Why there is no connection.
pub(super) fn refused(error: PoolError<Error>) -> Error {
    match error {
        PoolError::Backend(error) => error,
        PoolError::Timeout(_) => Error::new(Kind::Unavailable, "no connection to the database in time"),
        other => Error::new(Kind::Unavailable, "no connection to the database").caused_by(other.to_string()),
    }
}
