//! The table as it is, with what its columns mean: settings that have met the columns that are really there.

use super::preset::Preset;
use super::settings::{Columns, Pending, Settings, Taken};

/// A column as the database knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: String,
    /// The name of its type, as the database writes it.
    pub(super) kind: String,
}

/// A table as the database knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Without a schema where the database has none.
    pub(super) schema: Option<String>,
    pub(super) name: String,
    pub(super) columns: Vec<Column>,
}

impl Found {
    /// With its schema.
    pub(super) fn full_name(&self) -> String {
        self.schema.iter().chain([&self.name]).map(String::as_str).collect::<Vec<_>>().join(".")
    }
}

/// What a row has of a message, in the order in which it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Id,
    Payload,
    EventType,
    Event,
    Stream,
    AggregateType,
    AggregateId,
    Key,
    Headers,
    Tenant,
    User,
    CorrelationId,
    Destination,
    OccurredAt,
    DueAt,
}

impl Part {
    const NEEDED: [Self; 3] = [Self::Id, Self::Payload, Self::EventType];

    const ALL: [Self; 15] = [
        Self::Id,
        Self::Payload,
        Self::EventType,
        Self::Event,
        Self::Stream,
        Self::AggregateType,
        Self::AggregateId,
        Self::Key,
        Self::Headers,
        Self::Tenant,
        Self::User,
        Self::CorrelationId,
        Self::Destination,
        Self::OccurredAt,
        Self::DueAt,
    ];

    /// Its name in `columns`, and what is set there.
    fn setting(self, columns: &Columns) -> (&'static str, Option<&String>) {
        let (name, set) = match self {
            Self::Id => ("id", &columns.id),
            Self::Payload => ("payload", &columns.payload),
            Self::EventType => ("event_type", &columns.event_type),
            Self::Event => ("event", &columns.event),
            Self::Stream => ("stream", &columns.stream),
            Self::AggregateType => ("aggregate_type", &columns.aggregate_type),
            Self::AggregateId => ("aggregate_id", &columns.aggregate_id),
            Self::Key => ("key", &columns.key),
            Self::Headers => ("headers", &columns.headers),
            Self::Tenant => ("tenant", &columns.tenant),
            Self::User => ("user", &columns.user),
            Self::CorrelationId => ("correlation_id", &columns.correlation_id),
            Self::Destination => ("destination", &columns.destination),
            Self::OccurredAt => ("occurred_at", &columns.occurred_at),
            Self::DueAt => ("due_at", &columns.due_at),
        };
        (name, set.as_ref())
    }
}

/// What becomes of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mark {
    Delete,
    /// Columns that get a value, and columns that get the time.
    Set(Vec<(Column, String)>, Vec<Column>),
}

/// A table that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) table: Found,
    /// The id first.
    pub(super) parts: Vec<(Part, Column)>,
    pub(super) order: Vec<Column>,
    /// Where the values are, and which; none is `NULL`.
    pub(super) pending: Option<(Column, Vec<String>)>,
    pub(super) taken: Mark,
    pub(super) refused: Option<Mark>,
}

impl Layout {
    /// What the settings mean for this table, or what is wrong with them.
    pub(super) fn of(settings: &Settings, table: Found) -> Result<Self, String> {
        let preset = settings.preset;
        let parts = parts(settings, &table)?;
        let pending = match &settings.pending {
            Some(pending) => Some(pending.clone()),
            // A table that is emptied has no other mark, unless one is set.
            None if settings.taken.as_ref().is_some_and(|taken| taken.delete) => None,
            None => preset.and_then(Preset::pending),
        };
        let pending =
            pending.map(|Pending { column, is }| Ok::<_, String>((named(&table, &column)?, is))).transpose()?;
        let taken = settings.taken.clone().or(preset.map(Preset::taken)).unwrap_or_default();
        let taken = marking(&table, &taken, settings.taken.is_none())?;
        let refused =
            settings.refused.clone().or(preset.filter(|_| settings.taken.is_none()).and_then(Preset::refused));
        let refused = refused.map(|refused| marking(&table, &refused, false)).transpose()?;
        let order = order(settings, &table, &parts)?;
        let layout = Self { parts, order, pending, taken, refused, table };
        layout.check()?;
        Ok(layout)
    }

    /// A row that is marked must not be pending any more, or it would be read for ever.
    fn check(&self) -> Result<(), String> {
        for (what, marking) in [("taken", Some(&self.taken)), ("refused", self.refused.as_ref())] {
            let Some(Mark::Set(set, now)) = marking else { continue };
            let Some((pending, is)) = &self.pending else {
                return Err(format!("`{what}` marks rows, and `pending` does not say which have no mark: set it"));
            };
            let changes = |(column, value): &(Column, String)| column == pending && !is.contains(value);
            let ends = set.iter().any(changes) || is.is_empty() && now.contains(pending);
            if !ends {
                let column = &pending.name;
                return Err(format!("`{what}` leaves `{column}` as it is, so that a row would be pending for ever"));
            }
        }
        Ok(())
    }

    pub(super) fn id(&self) -> &Column {
        &self.parts[0].1
    }

    /// The parts and what has them, for people.
    pub(super) fn described(&self) -> Vec<(&'static str, String)> {
        let nothing = Columns::default();
        self.parts.iter().map(|(part, column)| (part.setting(&nothing).0, column.name.clone())).collect()
    }
}

fn parts(settings: &Settings, table: &Found) -> Result<Vec<(Part, Column)>, String> {
    let mut parts = Vec::new();
    for part in Part::ALL {
        let (name, set) = part.setting(&settings.columns);
        let known = settings.preset.into_iter().flat_map(Preset::columns).find(|(part, _)| *part == name);
        let column = match (set, known) {
            (Some(set), _) => Some(named(table, set)?),
            (None, Some((_, candidates))) => candidates.iter().find_map(|candidate| find(table, candidate)).cloned(),
            (None, None) => None,
        };
        match column {
            Some(column) => parts.push((part, column)),
            None if Part::NEEDED.contains(&part) => {
                let has = names(table);
                return Err(format!("no column of `{}` is known for `columns.{name}`: it has {has}", table.name));
            }
            None => {}
        }
    }
    Ok(parts)
}

fn order(settings: &Settings, table: &Found, parts: &[(Part, Column)]) -> Result<Vec<Column>, String> {
    if !settings.order_by.is_empty() {
        return settings.order_by.iter().map(|column| named(table, column)).collect();
    }
    let known = settings.preset.map(Preset::order).unwrap_or_default();
    let mut order: Vec<Column> = known.iter().filter_map(|column| find(table, column)).cloned().collect();
    if !order.contains(&parts[0].1) {
        order.push(parts[0].1.clone());
    }
    Ok(order)
}

/// Of a preset, what the table does not have is left out.
fn marking(table: &Found, taken: &Taken, is_preset: bool) -> Result<Mark, String> {
    if taken.delete {
        return Ok(Mark::Delete);
    }
    let set = taken.set.iter().map(|(column, value)| Ok((named(table, column)?, value.clone())));
    let set = set.collect::<Result<Vec<_>, String>>()?;
    let known = |column: &&String| !is_preset || set.is_empty() || find(table, column).is_some();
    let now = taken.now.iter().filter(known).map(|column| named(table, column)).collect::<Result<_, _>>()?;
    Ok(Mark::Set(set, now))
}

/// The column of this name: written so, or else so but for case and underscores.
fn find<'a>(table: &'a Found, name: &str) -> Option<&'a Column> {
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    let exact = table.columns.iter().find(|column| column.name == name);
    exact.or_else(|| table.columns.iter().find(|column| plain(&column.name) == plain(name)))
}

fn named(table: &Found, name: &str) -> Result<Column, String> {
    let missing = || format!("`{}` has no column `{name}`: it has {}", table.name, names(table));
    find(table, name).cloned().ok_or_else(missing)
}

fn names(table: &Found) -> String {
    let names: Vec<_> = table.columns.iter().map(|column| column.name.as_str()).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: &[&str]) -> Found {
        let column = |name: &&str| Column { name: (*name).to_owned(), kind: "text".into() };
        Found { schema: None, name: "outbox".into(), columns: columns.iter().map(column).collect() }
    }

    const MINE: &[&str] = &["ID", "eventType", "payload", "status", "sent_at"];

    fn layout(change: fn(&mut Settings), columns: &[&str]) -> Result<Layout, String> {
        let mut settings = Settings::new("sqlite:a", Preset::Status).table("outbox");
        change(&mut settings);
        Layout::of(&settings, table(columns))
    }

    #[test]
    fn columns_are_found_whatever_their_case_and_underscores() {
        let layout = layout(|_| {}, MINE).unwrap();
        let described = layout.described();
        assert_eq!(
            described[..3].iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>(),
            ["ID", "payload", "eventType"]
        );
        assert_eq!(layout.order.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(), ["ID"]);
    }

    #[test]
    fn what_does_not_fit_the_table_is_said_with_what_the_table_has() {
        let wrong = |change, columns| layout(change, columns).unwrap_err();
        assert!(wrong(|_| {}, &["id", "payload"]).contains("`columns.event_type`: it has id, payload"));
        assert!(wrong(|it| it.columns.tenant = Some("mandant".into()), MINE).contains("no column `mandant`"));
        assert!(wrong(|it| it.order_by = vec!["nr".into()], MINE).contains("no column `nr`: it has ID"));
        let never = wrong(|it| it.taken = Some(Taken { now: vec!["sent_at".into()], ..Taken::default() }), MINE);
        assert!(never.contains("pending for ever"), "{never}");
        let again = |it: &mut Settings| {
            it.taken = Some(Taken { set: [("status".into(), "NEW".into())].into(), ..Taken::default() });
        };
        assert!(wrong(again, MINE).contains("pending for ever"));
    }

    #[test]
    fn a_table_that_is_emptied_needs_no_mark() {
        let deleted = |it: &mut Settings| it.taken = Some(Taken { delete: true, ..Taken::default() });
        let layout = layout(deleted, &["id", "type", "payload"]).unwrap();
        assert_eq!((layout.pending, layout.taken), (None, Mark::Delete));
    }
}
