//! Connections to the mail server: encrypted, logged in, used again.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use lettre::transport::smtp::Error as SmtpError;
use lettre::transport::smtp::authentication::DEFAULT_MECHANISMS;
use lettre::transport::smtp::client::{AsyncSmtpConnection, Certificate, CertificateStore, Identity, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::server::Server;
use super::settings::{Encryption, Settings};
use super::verdict;
use crate::sink::Error;
use crate::sink::settings::{Problem, Tls};

/// How long a connection that was used before may take to say that it is there.
const LIVENESS: Duration = Duration::from_secs(3);

/// Connections that are used by one mail at a time.
pub(super) struct Connections {
    server: Server,
    tls: TlsParameters,
    hello: ClientId,
    connect_timeout: Duration,
    idle_timeout: Duration,
    permits: Semaphore,
    idle: Mutex<Vec<(AsyncSmtpConnection, Instant)>>,
}

/// A connection for one mail. Dropped, it is closed; [`Connections::give_back`] keeps it.
pub(super) struct Taken<'a> {
    pub(super) smtp: AsyncSmtpConnection,
    /// It was used before, so that the server may have closed it meanwhile.
    pub(super) used: bool,
    _permit: SemaphorePermit<'a>,
}

impl fmt::Debug for Connections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connections").field("server", &self.server.place()).finish_non_exhaustive()
    }
}

impl Connections {
    pub(super) fn new(settings: &Settings) -> Result<Self, Problem> {
        let problem = |setting| move |text: String| Problem::new(setting, text);
        let server = Server::parse(settings.url.expose(), settings.encryption).map_err(problem("url"))?;
        if settings.max_connections == 0 {
            return Err(Problem::new("max_connections", "is 0: write at least 1"));
        }
        Ok(Self {
            tls: tls(&server.host, &settings.tls)?,
            server,
            hello: settings.hello.clone().map_or_else(ClientId::default, ClientId::Domain),
            connect_timeout: settings.connect_timeout,
            idle_timeout: settings.idle_timeout,
            permits: Semaphore::new(settings.max_connections),
            idle: Mutex::default(),
        })
    }

    /// For errors.
    pub(super) fn place(&self) -> String {
        self.server.place()
    }

    /// A connection that nobody else uses; with `fresh`, one that was never used.
    pub(super) async fn take(&self, fresh: bool) -> Result<Taken<'_>, Error> {
        let permit = self.permits.acquire().await.map_err(|_| Error::unreachable("the sink is closed"))?;
        while let Some(mut smtp) = self.idle().filter(|_| !fresh) {
            // One whose other end has vanished would take a mail and say nothing for as long as a mail may take.
            let answers = tokio::time::timeout(LIVENESS, smtp.test_connected()).await;
            if answers == Ok(true) {
                return Ok(Taken { smtp, used: true, _permit: permit });
            }
        }
        Ok(Taken { smtp: self.connect().await?, used: false, _permit: permit })
    }

    fn idle(&self) -> Option<AsyncSmtpConnection> {
        let mut idle = self.lock();
        idle.retain(|(_, since)| since.elapsed() < self.idle_timeout);
        idle.pop().map(|(smtp, _)| smtp)
    }

    /// A connection on which no transaction is open can be used again.
    pub(super) fn give_back(&self, taken: Taken<'_>) {
        self.lock().push((taken.smtp, Instant::now()));
    }

    pub(super) async fn check(&self) -> Result<(), Error> {
        let mut smtp = self.connect().await?;
        // It has been logged in to; a server that does not say goodbye is as good as one that does.
        let _ = tokio::time::timeout(self.connect_timeout, smtp.quit()).await;
        Ok(())
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, Error> {
        let place = self.server.place();
        match tokio::time::timeout(self.connect_timeout, self.log_in()).await {
            Ok(connected) => connected.map_err(|error| verdict::of_connection(&place, &error)),
            Err(_) => Err(Error::unreachable(format_args!("{place} cannot be reached: it takes too long"))),
        }
    }

    async fn log_in(&self) -> Result<AsyncSmtpConnection, SmtpError> {
        let server = &self.server;
        let from_the_start = (server.encryption == Encryption::Tls).then(|| self.tls.clone());
        let address = (server.host.as_str(), server.port);
        let mut smtp = AsyncSmtpConnection::connect_tokio1(address, None, &self.hello, from_the_start, None).await?;
        if server.encryption == Encryption::Starttls {
            smtp.starttls(self.tls.clone(), &self.hello).await?;
        }
        if let Some(login) = &server.login {
            smtp.auth(DEFAULT_MECHANISMS, login).await?;
        }
        Ok(smtp)
    }

    /// A list is whole after every single change, so a panic elsewhere spoils nothing.
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<(AsyncSmtpConnection, Instant)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn tls(host: &str, files: &Tls) -> Result<TlsParameters, Problem> {
    let read = |path: &std::path::PathBuf| {
        std::fs::read(path).map_err(|error| Problem::new("tls", format!("cannot read {}: {error}", path.display())))
    };
    let wrong = |what: &str| Problem::new("tls", format!("has a {what} that is not in PEM format"));
    let mut builder = TlsParameters::builder(host.to_owned());
    if let Some(ca) = &files.ca {
        let ca = Certificate::from_pem(&read(ca)?).map_err(|_| wrong("ca"))?;
        builder = builder.certificate_store(CertificateStore::None).add_root_certificate(ca);
    }
    if let Some((certificate, key)) = files.identity()? {
        let identity = Identity::from_pem(&read(certificate)?, &read(key)?);
        builder = builder.identify_with(identity.map_err(|_| wrong("certificate or key"))?);
    }
    builder.build_rustls().map_err(|_| Problem::new("tls", "finds no certificates of the system: give a `ca`"))
}
