//! The statements for a table that nobody knew before: names quoted as the database wants them, values as parameters.

use super::layout::{Column, Found, Layout, Mark, Part};
use crate::source;

/// Whose SQL it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    #[cfg(feature = "postgres")]
    Postgres,
    #[cfg(feature = "mysql")]
    Mysql,
    #[cfg(feature = "sqlite")]
    Sqlite,
}

/// A statement and its parameters, all of them texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Statement {
    pub(super) sql: String,
    pub(super) params: Vec<String>,
    dialect: Dialect,
}

impl Statement {
    fn new(dialect: Dialect, sql: impl Into<String>) -> Self {
        Self { sql: sql.into(), params: Vec::new(), dialect }
    }

    /// A value that goes into this column or is compared with it.
    fn value(&mut self, column: &Column, value: &str) {
        self.params.push(value.to_owned());
        let written = match self.dialect {
            #[cfg(feature = "postgres")]
            Dialect::Postgres => format!("${}::text::{}", self.params.len(), column.kind),
            #[cfg(feature = "mysql")]
            Dialect::Mysql if is_binary(column) => "unhex(?)".to_owned(),
            #[cfg(any(feature = "mysql", feature = "sqlite"))]
            _ => "?".to_owned(),
        };
        let _ = column;
        self.sql.push_str(&written);
    }

    fn list(&mut self, column: &Column, values: &[String]) {
        self.sql.push('(');
        for (n, value) in values.iter().enumerate() {
            if n > 0 {
                self.sql.push_str(", ");
            }
            self.value(column, value);
        }
        self.sql.push(')');
    }

    /// That a row is yet to be taken.
    fn pending(&mut self, layout: &Layout) {
        match &layout.pending {
            None => self.sql.push_str("1 = 1"),
            Some((column, is)) if is.is_empty() => self.sql.push_str(&format!("{} IS NULL", self.dialect.name(column))),
            Some((column, is)) => {
                self.sql.push_str(&format!("{} IN ", self.dialect.name(column)));
                self.list(column, is);
            }
        }
    }
}

impl From<Statement> for source::Statement {
    fn from(Statement { sql, params, .. }: Statement) -> Self {
        Self { sql, params }
    }
}

impl Dialect {
    /// The first rows that are pending and not among these, in the order of the table. By state, so that one that was committed late is
    /// found like any other. An index on the pending column and the order serves it.
    pub(super) fn fetch(self, layout: &Layout, without: &[String], limit: usize) -> Statement {
        let mut statement = self.select(layout, " WHERE ");
        statement.pending(layout);
        if !without.is_empty() {
            statement.sql.push_str(&format!(" AND {} NOT IN ", self.name(layout.id())));
            statement.list(layout.id(), without);
        }
        self.ordered(statement, layout, "", limit)
    }

    /// The last rows of the table, whatever became of them.
    pub(super) fn sample(self, layout: &Layout, limit: usize) -> Statement {
        self.ordered(self.select(layout, ""), layout, " DESC", limit)
    }

    fn select(self, layout: &Layout, rest: &str) -> Statement {
        let columns: Vec<_> = layout.parts.iter().map(|(part, column)| self.read(*part, column)).collect();
        Statement::new(self, format!("SELECT {} FROM {}{rest}", columns.join(", "), self.table(&layout.table)))
    }

    fn ordered(self, mut statement: Statement, layout: &Layout, direction: &str, limit: usize) -> Statement {
        let order: Vec<_> = layout.order.iter().map(|column| format!("{}{direction}", self.name(column))).collect();
        statement.sql.push_str(&format!(" ORDER BY {} LIMIT {limit}", order.join(", ")));
        statement
    }

    /// Marks these rows, those of them that are still pending. Doing it twice is the same as once. By the primary key.
    pub(super) fn mark(self, layout: &Layout, mark: &Mark, ids: &[String]) -> Statement {
        let table = self.table(&layout.table);
        let mut statement = match mark {
            Mark::Delete => Statement::new(self, format!("DELETE FROM {table} WHERE ")),
            Mark::Set(set, now) => {
                let mut statement = Statement::new(self, format!("UPDATE {table} SET "));
                for (n, (column, value)) in set.iter().enumerate() {
                    statement.sql.push_str(&format!("{}{} = ", if n > 0 { ", " } else { "" }, self.name(column)));
                    statement.value(column, value);
                }
                for (n, column) in now.iter().enumerate() {
                    let comma = if n > 0 || !set.is_empty() { ", " } else { "" };
                    statement.sql.push_str(&format!("{comma}{} = {}", self.name(column), self.now(column)));
                }
                statement.sql.push_str(" WHERE ");
                statement
            }
        };
        statement.sql.push_str(&format!("{} IN ", self.name(layout.id())));
        statement.list(layout.id(), ids);
        statement.sql.push_str(" AND ");
        statement.pending(layout);
        statement
    }

    fn table(self, table: &Found) -> String {
        let parts = table.schema.iter().chain([&table.name]);
        parts.map(|part| self.quoted(part)).collect::<Vec<_>>().join(".")
    }

    fn name(self, column: &Column) -> String {
        self.quoted(&column.name)
    }

    fn quoted(self, name: &str) -> String {
        match self {
            #[cfg(feature = "mysql")]
            Self::Mysql => format!("`{}`", name.replace('`', "``")),
            #[cfg(any(feature = "postgres", feature = "sqlite"))]
            _ => format!("\"{}\"", name.replace('"', "\"\"")),
        }
    }

    /// A column as bytes: of a text in UTF-8, of anything else what the database writes for it.
    fn read(self, part: Part, column: &Column) -> String {
        let name = self.name(column);
        #[cfg(any(feature = "mysql", feature = "postgres"))]
        let is_raw = is_binary(column) && part == Part::Payload;
        let _ = part;
        match self {
            #[cfg(feature = "postgres")]
            Self::Postgres if is_raw => name,
            #[cfg(feature = "postgres")]
            Self::Postgres => format!("convert_to({name}::text, 'UTF8')"),
            #[cfg(feature = "mysql")]
            Self::Mysql if is_raw => name,
            #[cfg(feature = "mysql")]
            Self::Mysql if is_binary(column) => format!("lower(hex({name}))"),
            #[cfg(feature = "mysql")]
            Self::Mysql => format!("cast({name} AS char)"),
            #[cfg(feature = "sqlite")]
            Self::Sqlite => format!("cast({name} AS blob)"),
        }
    }

    /// Times without a zone are in UTC.
    fn now(self, column: &Column) -> &'static str {
        let kind = column.kind.to_lowercase();
        match self {
            #[cfg(feature = "postgres")]
            Self::Postgres if kind.contains("without time zone") => "(now() AT TIME ZONE 'UTC')",
            #[cfg(feature = "postgres")]
            Self::Postgres => "now()",
            #[cfg(feature = "mysql")]
            Self::Mysql => "utc_timestamp(6)",
            #[cfg(feature = "sqlite")]
            Self::Sqlite if kind.contains("int") => "unixepoch()",
            #[cfg(feature = "sqlite")]
            Self::Sqlite => "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')",
        }
    }
}

#[cfg(any(feature = "mysql", feature = "postgres"))]
fn is_binary(column: &Column) -> bool {
    let kind = column.kind.to_lowercase();
    ["bytea", "binary", "blob"].into_iter().any(|binary| kind.contains(binary))
}
