//! What can be set.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

use super::preset::Preset;
use crate::sink::settings::Problem;
use crate::{Secret, duration};

/// Which table, what its columns mean, and how what was taken is marked. What is not set is as the preset has it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Settings {
    /// `postgres://…`, `mysql://…` or `sqlite:file`.
    pub url: Secret,
    /// `table` or `schema.table`.
    pub table: String,
    /// Whose table it is.
    pub preset: Option<Preset>,
    /// What the columns mean.
    pub columns: Columns,
    /// The order of the table.
    pub order_by: Vec<String>,
    /// Which rows are yet to be taken. All, if only `taken = { delete = true }` is set.
    pub pending: Option<Pending>,
    /// What becomes of a row once its message is in the journal.
    pub taken: Option<Taken>,
    /// What becomes of a row that nothing could be made of; as with one that was taken, but never deleted, unless set.
    pub refused: Option<Taken>,
    /// Marks rows only after their messages are in the journal, also where the journal is in the same database.
    pub mark_apart: bool,
    /// What the payloads are.
    pub content_type: String,
    /// The first half of the origin of messages; where the table is, unless set.
    pub stream: Option<String>,
    /// How long to wait before a table without pending rows is looked at again.
    #[serde(with = "duration")]
    pub poll_interval: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            url: Secret::default(),
            table: String::new(),
            preset: None,
            columns: Columns::default(),
            order_by: Vec::new(),
            pending: None,
            taken: None,
            refused: None,
            mark_apart: false,
            content_type: "application/json".into(),
            stream: None,
            poll_interval: Duration::from_millis(500),
        }
    }
}

impl Settings {
    /// The table of a preset, at this URL.
    pub fn new(url: impl Into<Secret>, preset: Preset) -> Self {
        Self { url: url.into(), preset: Some(preset), ..Self::default() }
    }

    /// Of this name.
    #[must_use]
    pub fn table(mut self, table: impl Into<String>) -> Self {
        self.table = table.into();
        self
    }

    /// The name of the table, which a preset may know.
    pub(super) fn name(&self) -> &str {
        match self.preset.map(Preset::table) {
            Some(known) if self.table.is_empty() => known,
            _ => &self.table,
        }
    }

    pub(super) fn check(&self) -> Result<(), Problem> {
        if self.name().is_empty() {
            return Err(Problem::new("table", "is missing: write the name of the table, such as \"outbox\""));
        }
        if self.poll_interval.is_zero() {
            return Err(Problem::new("poll_interval", "must be longer than nothing"));
        }
        let is_missing = |column: &Option<String>| self.preset.is_none() && column.is_none();
        let columns = &self.columns;
        for (column, setting) in [
            (&columns.id, "columns.id"),
            (&columns.event_type, "columns.event_type"),
            (&columns.payload, "columns.payload"),
        ] {
            if is_missing(column) {
                return Err(Problem::new(setting, "is missing: name the column, or choose a `preset`"));
            }
        }
        match &self.taken {
            None if self.preset.is_none() => {
                Err(Problem::new("taken", "is missing: write { delete = true }, { set = {…} } or { now = […] }"))
            }
            Some(taken) => taken.check("taken", true),
            None => Ok(()),
        }?;
        self.refused.as_ref().map_or(Ok(()), |refused| refused.check("refused", false))
    }
}

/// Which column has what. A name is found whatever its case and its underscores.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "they are named like the parts of a message that they are for")]
pub struct Columns {
    /// What tells rows apart: the primary key.
    pub id: Option<String>,
    /// The id of the event, where that is another one.
    pub event: Option<String>,
    /// The stream that the event came from, where the table knows one.
    pub stream: Option<String>,
    pub event_type: Option<String>,
    pub aggregate_type: Option<String>,
    pub aggregate_id: Option<String>,
    pub key: Option<String>,
    pub payload: Option<String>,
    /// A JSON object.
    pub headers: Option<String>,
    pub tenant: Option<String>,
    pub user: Option<String>,
    pub correlation_id: Option<String>,
    pub destination: Option<String>,
    pub occurred_at: Option<String>,
    pub due_at: Option<String>,
}

/// Which rows are yet to be taken: those with one of these values in a column, or with nothing in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pending {
    /// The column.
    pub column: String,
    /// The values; without any, the column has to be `NULL`.
    #[serde(default)]
    pub is: Vec<String>,
}

/// What becomes of a row.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Taken {
    /// It is deleted.
    pub delete: bool,
    /// These columns get these values.
    pub set: BTreeMap<String, String>,
    /// These columns get the time.
    pub now: Vec<String>,
}

impl Taken {
    fn check(&self, setting: &'static str, may_delete: bool) -> Result<(), Problem> {
        let marks = !self.set.is_empty() || !self.now.is_empty();
        match (self.delete, marks) {
            (true, _) if !may_delete => Err(Problem::new(setting, "must not delete: the event would be lost")),
            (true, true) => Err(Problem::new(setting, "deletes the row and marks it: write one of the two")),
            (false, false) => Err(Problem::new(setting, "says nothing: write `delete`, `set` or `now`")),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_meant_is_named() {
        let wrong = |change: fn(&mut Settings)| {
            let mut settings = Settings::new("sqlite:a", Preset::Status).table("outbox");
            change(&mut settings);
            settings.check().err().map(|problem| problem.setting)
        };
        assert_eq!(wrong(|_| {}), None);
        assert_eq!(wrong(|it| it.table.clear()), Some("table"));
        assert_eq!(wrong(|it| it.preset = None), Some("columns.id"));
        assert_eq!(wrong(|it| it.poll_interval = Duration::ZERO), Some("poll_interval"));
        assert_eq!(wrong(|it| it.taken = Some(Taken::default())), Some("taken"));
        assert_eq!(wrong(|it| it.refused = Some(Taken { delete: true, ..Taken::default() })), Some("refused"));
        assert_eq!(
            wrong(|it| it.taken = Some(Taken { delete: true, now: vec!["a".into()], ..Taken::default() })),
            Some("taken")
        );
    }
}
