//! A table of an outbox that exists already, in PostgreSQL, MySQL, MariaDB or SQLite. The application stays as it is.
//!
//! ```text
//!   rows that are pending, in the order of the table ─► events ─► messages in the journal ─► rows are marked, or deleted
//! ```
//!
//! What is pending is found by the state of the rows and not by their numbers, so that a row that was committed late is found like any
//! other. Where the journal is in the same database, it marks a row in the transaction that stores its message (see
//! [`Marking`](crate::source::Marking)). Elsewhere a row is marked after the journal has committed its message. Between the two the
//! relay may die: then the row is read again, and the origin of its message makes that a quiet no-op. So nothing is lost, and nothing
//! doubled.
//!
//! This is the one adapter that uses a store's: its way to PostgreSQL.

use std::fmt;

use async_trait::async_trait;

use self::database::Database;
use self::layout::Layout;
pub use self::preset::Preset;
use self::reading::TableReading;
use self::row::Template;
pub use self::settings::{Columns, Pending, Settings, Taken};
use crate::error::Kind;
use crate::sink::settings::Problem;
use crate::source::{Checkpoint, Error, Event, Reading, Source};

mod database;
mod layout;
mod marker;
mod preset;
mod reading;
mod row;
mod settings;
mod statement;

/// Reads a table.
pub struct Table {
    settings: Settings,
}

/// What a table would be read as.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Proposal {
    /// The preset that fits.
    pub preset: Preset,
    /// The table, with its schema where it has one.
    pub table: String,
    /// Parts of a message, and the columns that have them.
    pub columns: Vec<(&'static str, String)>,
    /// Some rows: those that are pending, or else the last ones.
    pub events: Vec<Event>,
    /// Whether the rows are pending.
    pub pending: bool,
}

impl Table {
    /// Checks the settings. Connects when it is read.
    pub fn new(settings: Settings) -> Result<Self, Problem> {
        database::check(&settings.url)?;
        settings.check()?;
        Ok(Self { settings })
    }

    /// What the table would be read as by its preset, or by the one that knows most of its columns; and some rows.
    pub async fn propose(settings: &Settings, limit: usize) -> crate::Result<Proposal> {
        let mut database = Database::connect(&settings.url).await?;
        let table = database.table(settings.name()).await?;
        let presets = settings.preset.map_or_else(|| Preset::ALL.to_vec(), |preset| vec![preset]);
        let (mut wrong, mut fitting) = (Vec::new(), None::<(Preset, Layout)>);
        for preset in presets {
            let with = Settings { preset: Some(preset), ..settings.clone() };
            match Layout::of(&with, table.clone()) {
                Ok(layout) if fitting.as_ref().is_none_or(|(_, best)| best.parts.len() < layout.parts.len()) => {
                    fitting = Some((preset, layout));
                }
                Ok(_) => {}
                Err(why) => wrong.push(format!("{preset}: {why}")),
            }
        }
        let Some((preset, layout)) = fitting else {
            // One that was asked for is the caller's mistake; that none is known is how things are.
            let kind = if settings.preset.is_some() { Kind::Invalid } else { Kind::NotFound };
            let text = format!("no preset fits, so name the columns. {}", wrong.join(". "));
            return Err(crate::Error::new(kind, text));
        };
        propose(database, &Settings { preset: Some(preset), ..settings.clone() }, preset, layout, limit).await
    }

    async fn open(&self) -> Result<(Database, Layout, Template), Error> {
        let mut database = Database::connect(&self.settings.url).await?;
        let table = database.table(self.settings.name()).await?;
        let layout = Layout::of(&self.settings, table).map_err(Error::new)?;
        let template = template(&self.settings, &database, &layout);
        Ok((database, layout, template))
    }
}

async fn propose(
    mut database: Database,
    settings: &Settings,
    preset: Preset,
    layout: Layout,
    limit: usize,
) -> crate::Result<Proposal> {
    let dialect = database.dialect();
    let mut rows = database.query(&dialect.fetch(&layout, &[], limit)).await?;
    let pending = !rows.is_empty();
    if rows.is_empty() {
        rows = database.query(&dialect.sample(&layout, limit)).await?;
    }
    let template = template(settings, &database, &layout);
    let invalid = |why| crate::Error::new(Kind::Invalid, why);
    let events = rows.into_iter().map(|row| row::event(&layout, &template, row).map_err(invalid));
    let events = events.collect::<crate::Result<_>>()?;
    let table = layout.table.full_name();
    Ok(Proposal { preset, table, columns: layout.described(), events, pending })
}

fn template(settings: &Settings, database: &Database, layout: &Layout) -> Template {
    let table = layout.table.full_name();
    // Rows may be numbered, so where they are is a part of what they are.
    let place = || format!("{}/{table}", database.place()).into();
    Template {
        stream: settings.stream.as_deref().map_or_else(place, Into::into),
        table: layout.table.name.as_str().into(),
        content_type: settings.content_type.as_str().into(),
    }
}

#[async_trait]
impl Source for Table {
    /// The table knows what is pending, so the checkpoint says nothing.
    async fn read_after(&self, _: Option<&Checkpoint>) -> Result<Box<dyn Reading>, Error> {
        let (database, layout, template) = self.open().await?;
        Ok(Box::new(TableReading::new(database, layout, template, &self.settings)))
    }

    async fn check(&self) -> Result<(), Error> {
        let (mut database, layout, _) = self.open().await?;
        let statement = database.dialect().fetch(&layout, &[], 1);
        database.query(&statement).await?;
        Ok(())
    }

    fn parse(&self, _: &str) -> Result<Checkpoint, String> {
        Err("a table is read by the state of its rows: to deliver again what was taken, replay it".into())
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("table", &self.settings.name()).finish_non_exhaustive()
    }
}
