//! Connections, set up for what the relay does with them.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{Client, Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime, Transaction};
use tokio_postgres::config::{Host, TargetSessionAttrs};
use tokio_postgres::{Config, IsolationLevel};

use super::identity::Identity;
use super::schema::in_schema;
use super::ticks::Ticks;
use super::{Options, tls};
use crate::error::{Error, Kind, Result};

/// Longest wait for a connection: to be made, or to be free.
const PATIENCE: Duration = Duration::from_secs(10);

/// How a session plans: each statement once, by the index it was written for. What the planner would guess about a parameter it
/// does not know ("a third of the table") is what leads it astray.
const SESSION: &str = include_str!("sql/connection/session.sql");

pub(super) fn pool(options: &Options, identity: &Arc<Identity>, ticks: &Arc<Ticks>) -> Result<Pool> {
    let config = config(options)?;
    let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = Manager::from_config(config, tls::connector(options)?, recycling);
    let session = in_schema(SESSION, &options.schema);
    let (known, ticks) = (Arc::clone(identity), Arc::clone(ticks));
    let set_up = Hook::async_fn(move |client, _| {
        let (session, known, ticks) = (session.clone(), Arc::clone(&known), Arc::clone(&ticks));
        Box::pin(async move {
            client.batch_execute(&session).await.map_err(HookError::Backend)?;
            known.recognise(client, &ticks).await
        })
    });
    let known = Arc::clone(identity);
    let leave_behind = Hook::sync_fn(move |_, metrics| match known.is_outdated(metrics.created) {
        true => Err(HookError::message("it was made before the failover")),
        false => Ok(()),
    });
    let pool = Pool::builder(manager)
        .max_size(options.connections.max(1))
        .runtime(Runtime::Tokio1)
        .create_timeout(Some(PATIENCE))
        .wait_timeout(Some(PATIENCE))
        .post_create(set_up)
        .pre_recycle(leave_behind);
    pool.build().map_err(|error| Error::new(Kind::Invalid, "connections cannot be managed").caused_by(error))
}

/// A transaction in which nothing changes: all of its statements see the same.
pub(super) async fn snapshot(client: &mut Client) -> Result<Transaction<'_>> {
    let snapshot = client.build_transaction().read_only(true).isolation_level(IsolationLevel::RepeatableRead);
    Ok(snapshot.start().await?)
}

pub(super) fn config(options: &Options) -> Result<Config> {
    // The cause would repeat parts of the URL, and with them the password.
    let mut config = Config::from_str(options.url.expose()).map_err(|_| {
        Error::new(
            Kind::Invalid,
            "the URL of the database cannot be understood: write postgres://user@host:5432/database",
        )
    })?;
    if let Some(password) = &options.password {
        config.password(password.expose());
    }
    if config.get_application_name().is_none() {
        config.application_name("posthaste");
    }
    if config.get_hosts().len() > 1 && config.get_target_session_attrs() == TargetSessionAttrs::Any {
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
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
