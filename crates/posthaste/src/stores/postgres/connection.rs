//! Connections, set up for what the relay does with them.

use std::str::FromStr;
use std::time::Duration;

use deadpool_postgres::{Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use tokio_postgres::Config;

use super::{Options, tls};
use crate::error::{Error, Kind, Result};

/// Longest wait for a connection: to be made, or to be free.
const PATIENCE: Duration = Duration::from_secs(10);

/// How a session plans: each statement once, by the index it was written for. What the planner would guess about a parameter it
/// does not know ("a third of the table") is what leads it astray.
const SESSION: &str = include_str!("session.sql");

pub(super) fn pool(options: &Options) -> Result<Pool> {
    let config = config(options)?;
    let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = Manager::from_config(config, tls::connector(options)?, recycling);
    let session = in_schema(SESSION, &options.schema);
    let set_up = Hook::async_fn(move |client, _| {
        let session = session.clone();
        Box::pin(async move { client.batch_execute(&session).await.map_err(HookError::Backend) })
    });
    let pool = Pool::builder(manager)
        .max_size(options.connections.max(1))
        .runtime(Runtime::Tokio1)
        .create_timeout(Some(PATIENCE))
        .wait_timeout(Some(PATIENCE))
        .post_create(set_up);
    pool.build().map_err(|error| Error::new(Kind::Invalid, "connections cannot be managed").caused_by(error))
}

pub(super) fn config(options: &Options) -> Result<Config> {
    // The cause would repeat parts of the URL, and with them the password.
    let mut config = Config::from_str(&options.url).map_err(|_| {
        Error::new(
            Kind::Invalid,
            "the URL of the database cannot be understood: write postgres://user@host:5432/database",
        )
    })?;
    if let Some(password) = &options.password {
        config.password(password);
    }
    if config.get_application_name().is_none() {
        config.application_name("posthaste");
    }
    config.connect_timeout(PATIENCE);
    config.keepalives_idle(Duration::from_secs(30));
    Ok(config)
}

/// Puts the name of the schema where a statement has `{schema}`.
pub(super) fn in_schema(sql: &str, schema: &str) -> String {
    sql.replace("{schema}", &quoted(schema))
}

/// A name as SQL wants it, whatever it contains.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
