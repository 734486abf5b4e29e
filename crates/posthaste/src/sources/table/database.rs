//! The database that has the table. Each kind runs statements and knows its catalogue.

use std::future::Future;
use std::time::Duration;

use super::layout::{Column, Found};
use super::row::Row;
use super::statement::{Dialect, Statement};
use crate::Secret;
use crate::error::{Error, Kind, Result};
use crate::sink::settings::Problem;
use crate::source::{self, Place};

#[cfg(feature = "mysql")]
mod mysql;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;

/// How long a database may take for an answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// A connection.
pub(super) enum Database {
    #[cfg(feature = "postgres")]
    Postgres(postgres::Postgres),
    #[cfg(feature = "mysql")]
    Mysql(Box<mysql::Mysql>),
    #[cfg(feature = "sqlite")]
    Sqlite(sqlite::Sqlite),
}

/// Whether there is such a database, by its address.
pub(super) fn check(url: &Secret) -> Result<(), Problem> {
    let built_without = |feature: &str| Problem::new("url", format!("needs a program with the feature `{feature}`"));
    match scheme(url) {
        "postgres" | "postgresql" if !cfg!(feature = "postgres") => Err(built_without("postgres")),
        "mysql" if !cfg!(feature = "mysql") => Err(built_without("mysql")),
        "sqlite" if !cfg!(feature = "sqlite") => Err(built_without("sqlite")),
        "postgres" | "postgresql" | "mysql" | "sqlite" => Ok(()),
        _ => {
            let text =
                "names no database: write postgres://user@host/database, mysql://user@host/database or sqlite:file";
            Err(Problem::new("url", text))
        }
    }
}

fn scheme(url: &Secret) -> &str {
    url.expose().split_once(':').map_or("", |(scheme, _)| scheme)
}

impl Database {
    pub(super) async fn connect(url: &Secret) -> Result<Self> {
        in_time(async {
            match scheme(url) {
                #[cfg(feature = "mysql")]
                "mysql" => Ok(Self::Mysql(Box::new(mysql::Mysql::connect(url).await?))),
                #[cfg(feature = "sqlite")]
                "sqlite" => Ok(Self::Sqlite(sqlite::Sqlite::open(url).await?)),
                #[cfg(feature = "postgres")]
                "postgres" | "postgresql" => Ok(Self::Postgres(postgres::Postgres::connect(url).await?)),
                _ => Err(Error::new(Kind::Invalid, "the url names no database")),
            }
        })
        .await
    }

    pub(super) fn dialect(&self) -> Dialect {
        match self {
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Dialect::Postgres,
            #[cfg(feature = "mysql")]
            Self::Mysql(_) => Dialect::Mysql,
            #[cfg(feature = "sqlite")]
            Self::Sqlite(_) => Dialect::Sqlite,
        }
    }

    /// Where it is, without user and password.
    pub(super) fn place(&self) -> &str {
        match self {
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.place(),
            #[cfg(feature = "mysql")]
            Self::Mysql(database) => database.place(),
            #[cfg(feature = "sqlite")]
            Self::Sqlite(database) => database.place(),
        }
    }

    /// Within what its transactions reach.
    pub(super) fn transactions(&self) -> Place {
        match self {
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => Place::address(database.place()),
            #[cfg(feature = "mysql")]
            Self::Mysql(database) => database.server(),
            #[cfg(feature = "sqlite")]
            Self::Sqlite(database) => Place::file(database.path()),
        }
    }

    /// The table of this name, as the database knows it.
    pub(super) async fn table(&mut self, name: &str) -> Result<Found> {
        let (schema, table) = name.rsplit_once('.').unwrap_or(("", name));
        let columns = in_time(async {
            match self {
                #[cfg(feature = "postgres")]
                Self::Postgres(database) => database.columns(schema, table).await,
                #[cfg(feature = "mysql")]
                Self::Mysql(database) => database.columns(schema, table).await,
                #[cfg(feature = "sqlite")]
                Self::Sqlite(database) => database.columns(schema, table).await,
            }
        })
        .await?;
        found(columns).ok_or_else(|| {
            let place = self.place();
            let text = format!("{place} has no table `{name}` that can be seen: write its name as schema.table");
            Error::new(Kind::NotFound, text)
        })
    }

    pub(super) async fn query(&mut self, statement: &Statement) -> Result<Vec<Row>> {
        in_time(async {
            match self {
                #[cfg(feature = "postgres")]
                Self::Postgres(database) => database.query(statement).await,
                #[cfg(feature = "mysql")]
                Self::Mysql(database) => database.query(statement).await,
                #[cfg(feature = "sqlite")]
                Self::Sqlite(database) => database.query(statement).await,
            }
        })
        .await
    }

    pub(super) async fn execute(&mut self, statement: &source::Statement) -> Result<()> {
        in_time(async {
            match self {
                #[cfg(feature = "postgres")]
                Self::Postgres(database) => database.execute(statement).await,
                #[cfg(feature = "mysql")]
                Self::Mysql(database) => database.execute(statement).await,
                #[cfg(feature = "sqlite")]
                Self::Sqlite(database) => database.execute(statement).await,
            }
        })
        .await
    }
}

/// Schema, table, column and type of each column of tables with the name, the best of them first.
type Catalogue = Vec<[String; 4]>;

fn found(columns: Catalogue) -> Option<Found> {
    let [schema, name, ..] = columns.first()?.clone();
    let of_it = columns.into_iter().filter(|column| column[0] == schema && column[1] == name);
    let column = |[_, _, name, kind]: [String; 4]| Column { name, kind };
    let columns = of_it.map(column).collect();
    Some(Found { schema: Some(schema).filter(|schema| !schema.is_empty()), name, columns })
}

async fn in_time<T>(asked: impl Future<Output = Result<T>>) -> Result<T> {
    let silent = |_| Error::new(Kind::Unavailable, format!("the database gave no answer within {PATIENCE:?}"));
    tokio::time::timeout(PATIENCE, asked).await.map_err(silent)?
}
