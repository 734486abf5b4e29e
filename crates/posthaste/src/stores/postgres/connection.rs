//! How a connection is made: to the first host that can be written to, with the password of the moment.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, TargetSessionAttrs};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::address::Address;
use super::password::Password;
use super::{Options, tls};
use crate::error::{Error, Kind, Result};

/// The way to the database.
pub(super) struct Way {
    /// One for each host.
    hosts: Vec<Config>,
    tls: MakeRustlsConnect,
    password: Password,
    /// Of each host.
    patience: Duration,
    /// The host that was good the last time, which is tried first.
    good: AtomicUsize,
    /// As a person knows it, for errors.
    place: String,
}

impl Way {
    pub(super) fn to(options: &Options) -> Result<Self> {
        let mut address = Address::of(options)?;
        let tls = tls::connector(&address)?;
        let count = address.config.get_hosts().len().max(address.config.get_hostaddrs().len()).max(1);
        // To be let in takes several answers. Where there is another host to go to, it is not waited for as long.
        let patience = options.answer_timeout * if count == 1 { 2 } else { 1 };
        complete(&mut address.config, options.answer_timeout, count);
        Ok(Self {
            place: place(&address.config),
            hosts: (0..count).map(|n| of_host(&address.config, n)).collect(),
            tls,
            password: Password::of(options)?,
            patience,
            good: AtomicUsize::new(0),
        })
    }

    /// The database as a person knows it, without user and password.
    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// How long it takes at most to find out that no host answers.
    pub(super) fn patience(&self) -> Duration {
        self.patience * u32::try_from(self.hosts.len()).unwrap_or(1)
    }

    /// Connects to the first host that lets us. A host that says nothing is passed over.
    pub(super) async fn connect<T, F>(&self, connect: impl Fn(Config, MakeRustlsConnect) -> F) -> Result<T>
    where
        F: Future<Output = Result<T, tokio_postgres::Error>>,
    {
        let password = self.password.now().await?;
        let first = self.good.load(Ordering::Relaxed);
        let mut failure = Error::new(Kind::Unavailable, "no host answers");
        for n in (0..self.hosts.len()).map(|n| (first + n) % self.hosts.len()) {
            let mut config = self.hosts[n].clone();
            if let Some(password) = &password {
                config.password(password.expose());
            }
            match tokio::time::timeout(self.patience, connect(config, self.tls.clone())).await {
                Ok(Ok(connection)) => {
                    self.good.store(n, Ordering::Relaxed);
                    return Ok(connection);
                }
                Ok(Err(error)) => failure = error.into(),
                Err(_) => {
                    let text = format!("no connection to the database within {:?}", self.patience);
                    failure = Error::new(Kind::Unavailable, text);
                }
            }
        }
        Err(failure)
    }
}

/// Fills in what the address does not say. A connection whose other end has vanished ends as soon as a statement would.
fn complete(config: &mut Config, answer_timeout: Duration, hosts: usize) {
    if config.get_application_name().is_none() {
        config.application_name("posthaste");
    }
    if hosts > 1 && config.get_target_session_attrs() == TargetSessionAttrs::Any {
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(answer_timeout);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(answer_timeout);
    }
    if config.get_keepalives_interval().is_none() {
        config.keepalives_idle(answer_timeout).keepalives_interval(answer_timeout / 4).keepalives_retries(3);
    }
}

/// The same with one of its hosts: the client would wait for a host that says nothing, and never get to the next.
fn of_host(all: &Config, n: usize) -> Config {
    let mut one = Config::new();
    match all.get_hosts().get(n) {
        Some(Host::Tcp(name)) => one.host(name),
        #[cfg(unix)]
        Some(Host::Unix(folder)) => one.host_path(folder),
        None => &mut one,
    };
    all.get_hostaddrs().get(n).map(|address| one.hostaddr(*address));
    // One port stands for all hosts.
    all.get_ports().get(n).or(all.get_ports().first()).map(|port| one.port(*port));
    all.get_user().map(|user| one.user(user));
    all.get_password().map(|password| one.password(password));
    all.get_dbname().map(|name| one.dbname(name));
    all.get_options().map(|options| one.options(options));
    all.get_application_name().map(|name| one.application_name(name));
    all.get_connect_timeout().map(|limit| one.connect_timeout(*limit));
    all.get_tcp_user_timeout().map(|limit| one.tcp_user_timeout(*limit));
    all.get_keepalives_interval().map(|interval| one.keepalives_interval(interval));
    all.get_keepalives_retries().map(|retries| one.keepalives_retries(retries));
    one.keepalives(all.get_keepalives()).keepalives_idle(all.get_keepalives_idle());
    one.ssl_mode(all.get_ssl_mode()).ssl_negotiation(all.get_ssl_negotiation());
    one.channel_binding(all.get_channel_binding()).target_session_attrs(all.get_target_session_attrs());
    one
}

fn place(config: &Config) -> String {
    let host = |host: &Host| match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(folder) => folder.display().to_string(),
    };
    let port = |index| config.get_ports().get(index).or(config.get_ports().first()).copied().unwrap_or(5432);
    let hosts = config.get_hosts().iter().enumerate().map(|(index, named)| format!("{}:{}", host(named), port(index)));
    let database = config.get_dbname().or(config.get_user()).unwrap_or_default();
    format!("postgres://{}/{database}", hosts.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use super::*;

    #[test]
    fn the_place_names_hosts_and_database_and_neither_user_nor_password() {
        let place_of = |url: &str| place(&Config::from_str(url).unwrap());
        assert_eq!(place_of("postgres://ann:s3cret@db1/app?sslmode=require"), "postgres://db1:5432/app");
        assert_eq!(place_of("host=db1,db2 port=6000 user=ann password=s3cret"), "postgres://db1:6000,db2:6000/ann");
        assert_eq!(place_of("postgres://ann@db1:1,db2:2/app"), "postgres://db1:1,db2:2/app");
        assert_eq!(place_of("host=/run/postgresql dbname=app"), "postgres:///run/postgresql:5432/app");
    }

    #[test]
    fn each_host_is_reached_with_everything_that_the_address_says() {
        let url = "postgres://ann:s3cret@db1:1,db2:2/app?sslmode=require&connect_timeout=3&keepalives_interval=7&options=-cx%3Dy";
        let mut all = Config::from_str(url).unwrap();
        complete(&mut all, Duration::from_secs(5), 2);
        let second = of_host(&all, 1);
        assert_eq!((second.get_hosts(), second.get_ports()), (&[Host::Tcp("db2".into())][..], &[2][..]));
        assert_eq!((second.get_user(), second.get_password()), (Some("ann"), Some(&b"s3cret"[..])));
        assert_eq!((second.get_dbname(), second.get_options()), (Some("app"), Some("-cx=y")));
        assert_eq!(second.get_target_session_attrs(), TargetSessionAttrs::ReadWrite);
        assert_eq!(second.get_connect_timeout(), Some(&Duration::from_secs(3)));
        assert_eq!(second.get_keepalives_interval(), Some(Duration::from_secs(7)));
        assert_eq!(second.get_ssl_mode(), all.get_ssl_mode());
    }

    #[test]
    fn an_end_that_has_vanished_is_noticed_within_the_time_that_a_statement_has() {
        let mut options = Options::new("postgres://ann@db/app");
        options.answer_timeout = Duration::from_secs(4);
        let way = Way::to(&options).unwrap();
        let config = &way.hosts[0];
        assert_eq!(config.get_tcp_user_timeout(), Some(&Duration::from_secs(4)));
        assert_eq!(config.get_keepalives_idle(), Duration::from_secs(4));
        assert_eq!(way.patience(), Duration::from_secs(8));
    }
}
