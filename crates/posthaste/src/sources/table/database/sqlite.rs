//! SQLite: a file, opened as its owner left it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, params_from_iter};

use super::Catalogue;
use crate::Secret;
use crate::error::{Error, Kind, Result};
use crate::source;
use crate::sources::table::row::Row;
use crate::sources::table::statement::Statement;

const COLUMNS: &str = include_str!("sql/sqlite.sql");

/// How long to wait while another process writes.
const BUSY: Duration = Duration::from_secs(5);

pub(crate) struct Sqlite {
    connection: Arc<Mutex<Connection>>,
    place: String,
    path: PathBuf,
}

impl Sqlite {
    /// Makes no file: a table to read must be there.
    pub(super) async fn open(url: &Secret) -> Result<Self> {
        let path = url.expose().trim_start_matches("sqlite:").to_owned();
        let path = path.strip_prefix("//").unwrap_or(&path).to_owned();
        let place = format!("sqlite:{path}");
        let file = PathBuf::from(&path);
        let opened = tokio::task::spawn_blocking(move || {
            must_be_there(Path::new(&path))?;
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(Path::new(&path), flags)?;
            connection.busy_timeout(BUSY)?;
            Ok::<_, Error>(connection)
        });
        let connection = opened.await.map_err(gone)?.map_err(|error| error.at(&place))?;
        Ok(Self { connection: Arc::new(Mutex::new(connection)), place, path: file })
    }

    pub(super) fn place(&self) -> &str {
        &self.place
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The schema is that of the file, whatever its name.
    pub(super) async fn columns(&self, _schema: &str, table: &str) -> Result<Catalogue> {
        let table = table.to_owned();
        self.run(move |connection| {
            let mut query = connection.prepare(COLUMNS)?;
            let rows = query.query_map([table], |row| Ok([String::new(), row.get(0)?, row.get(1)?, row.get(2)?]))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    pub(super) async fn query(&self, statement: &Statement) -> Result<Vec<Row>> {
        let Statement { sql, params, .. } = statement.clone();
        self.run(move |connection| {
            let mut query = connection.prepare(&sql)?;
            let count = query.column_count();
            let rows = query.query_map(params_from_iter(params), |row| (0..count).map(|at| row.get(at)).collect())?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    pub(super) async fn execute(&self, statement: &source::Statement) -> Result<()> {
        let source::Statement { sql, params } = statement.clone();
        self.run(move |connection| {
            connection.execute(&sql, params_from_iter(params))?;
            Ok(())
        })
        .await
    }

    async fn run<T: Send + 'static>(&self, work: impl FnOnce(&Connection) -> Result<T> + Send + 'static) -> Result<T> {
        let connection = Arc::clone(&self.connection);
        let work = move || work(&connection.lock().unwrap_or_else(PoisonError::into_inner));
        tokio::task::spawn_blocking(work).await.map_err(gone)?
    }
}

/// SQLite itself would only say that it cannot open the file.
fn must_be_there(path: &Path) -> Result<()> {
    if path.try_exists().unwrap_or(true) {
        return Ok(());
    }
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let text = format!("no such file {}: write where the application has its database, as sqlite:FILE", path.display());
    Err(Error::new(Kind::Unavailable, text))
}

fn gone(error: tokio::task::JoinError) -> Error {
    Error::new(Kind::Unavailable, "the work with the file was given up").caused_by(error)
}
