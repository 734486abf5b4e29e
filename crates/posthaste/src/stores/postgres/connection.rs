//! Connections, set up for what the relay does with them.

use std::str::FromStr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use deadpool_postgres::{ClientWrapper, Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use tokio_postgres::Config;
use tokio_postgres::config::Host;

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
    let identity = Arc::new(OnceLock::new());
    let set_up = Hook::async_fn(move |client, _| {
        let (session, identity) = (session.clone(), Arc::clone(&identity));
        Box::pin(async move {
            client.batch_execute(&session).await.map_err(HookError::Backend)?;
            recognise(client, &identity).await
        })
    });
    let pool = Pool::builder(manager)
        .max_size(options.connections.max(1))
        .runtime(Runtime::Tokio1)
        .create_timeout(Some(PATIENCE))
        .wait_timeout(Some(PATIENCE))
        .post_create(set_up);
    pool.build().map_err(|error| Error::new(Kind::Invalid, "connections cannot be managed").caused_by(error))
}

/// The same database as before, or none: one that went back in time does not know what this process remembers of it. Such a
/// thing never happens to an open connection.
async fn recognise(client: &ClientWrapper, known: &OnceLock<[String; 2]>) -> Result<(), HookError> {
    let row = client.query_one(include_str!("identity.sql"), &[]).await.map_err(HookError::Backend)?;
    let found = [row.get(0), row.get(1)];
    if *known.get_or_init(|| found.clone()) == found {
        return Ok(());
    }
    Err(HookError::message(
        "this is another database than before, or an earlier state of it: run `posthaste check`, then start anew",
    ))
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

/// The database as a person knows it, without user and password.
pub(super) fn place(config: &Config) -> String {
    let host = |host: &Host| match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(folder) => folder.display().to_string(),
    };
    // One port stands for all hosts.
    let port = |index| config.get_ports().get(index).or(config.get_ports().first()).copied().unwrap_or(5432);
    let hosts = config.get_hosts().iter().enumerate().map(|(index, named)| format!("{}:{}", host(named), port(index)));
    let database = config.get_dbname().or(config.get_user()).unwrap_or_default();
    format!("postgres://{}/{database}", hosts.collect::<Vec<_>>().join(","))
}

/// Puts the name of the schema where a statement has `{schema}`.
pub(super) fn in_schema(sql: &str, schema: &str) -> String {
    sql.replace("{schema}", &quoted(schema))
}

/// A name as SQL wants it, whatever it contains.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_names_hosts_and_database_and_neither_user_nor_password() {
        let place_of = |url: &str| place(&Config::from_str(url).unwrap());
        assert_eq!(place_of("postgres://ann:s3cret@db1/app?sslmode=require"), "postgres://db1:5432/app");
        assert_eq!(place_of("host=db1,db2 port=6000 user=ann password=s3cret"), "postgres://db1:6000,db2:6000/ann");
        assert_eq!(place_of("postgres://ann@db1:1,db2:2/app"), "postgres://db1:1,db2:2/app");
        assert_eq!(place_of("host=/run/postgresql dbname=app"), "postgres:///run/postgresql:5432/app");
    }
}
