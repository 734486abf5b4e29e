//! Statements with the columns of a message in them.
//!
//! Every SQL store has the list of a message's columns once, in `sql/message_columns.sql`. Statements that read messages have
//! `{message_columns}` in its place, as the first thing they select, so a column has the same index in all of their rows. Those
//! indices are found by name while the library is compiled: a name that is not in the list does not compile.

/// The text of a statement file, with the list of columns (`$columns`, the text of `sql/message_columns.sql`) where it has
/// `{message_columns}`, or their names alone where it has `{message_names}`. Put together once for each place that calls this.
macro_rules! with_columns {
    ($columns:expr, $file:literal) => {{
        static STATEMENT: std::sync::LazyLock<String> =
            std::sync::LazyLock::new(|| $crate::stores::statement::spliced(include_str!($file), $columns));
        STATEMENT.as_str()
    }};
}
pub(super) use with_columns;

/// See [`with_columns`].
pub(super) fn spliced(statement: &str, columns: &str) -> String {
    let lines = columns.lines().filter(|line| !line.starts_with("--"));
    let columns = lines.collect::<Vec<_>>().join("\n");
    let names = columns.split(',').map(name).collect::<Vec<_>>().join(", ");
    statement.replace("{message_columns}", &columns).replace("{message_names}", &names)
}

/// A statement in the order of a page: it has `{beyond}` where it compares places, and `{direction}` where it sorts them.
pub(super) fn in_order(statement: &str, order: crate::inspect::Order) -> String {
    let (beyond, direction) = match order {
        crate::inspect::Order::OldestFirst => (">", "ASC"),
        crate::inspect::Order::NewestFirst => ("<", "DESC"),
    };
    statement.replace("{beyond}", beyond).replace("{direction}", direction)
}

/// What a column is called, which is the last word of it: `o.seq`, `now() AS due_in`.
fn name(column: &str) -> &str {
    column.rsplit([' ', '\n', '.']).find(|word| !word.is_empty()).unwrap_or_default()
}

/// Where the columns of a message stand in the rows of every statement that has the list of them.
#[derive(Debug)]
pub(super) struct MessageColumns {
    pub(super) seq: usize,
    pub(super) partition: usize,
    pub(super) id: usize,
    pub(super) event_type: usize,
    pub(super) aggregate_type: usize,
    pub(super) aggregate_id: usize,
    pub(super) key: usize,
    pub(super) tenant: usize,
    pub(super) user_id: usize,
    pub(super) correlation_id: usize,
    pub(super) content_type: usize,
    pub(super) occurred_at: usize,
    pub(super) due_at: usize,
    pub(super) destination: usize,
    pub(super) max_attempts: usize,
    pub(super) source_stream: usize,
    pub(super) source_event: usize,
    pub(super) headers: usize,
    pub(super) payload: usize,
}

impl MessageColumns {
    /// By the list of columns. For constants: a column that is missing is an error of the compiler.
    pub(super) const fn of(list: &str) -> Self {
        Self {
            seq: column(list, "seq"),
            partition: column(list, "partition"),
            id: column(list, "id"),
            event_type: column(list, "event_type"),
            aggregate_type: column(list, "aggregate_type"),
            aggregate_id: column(list, "aggregate_id"),
            key: column(list, "key"),
            tenant: column(list, "tenant"),
            user_id: column(list, "user_id"),
            correlation_id: column(list, "correlation_id"),
            content_type: column(list, "content_type"),
            occurred_at: column(list, "occurred_at"),
            due_at: column(list, "due_at"),
            destination: column(list, "destination"),
            max_attempts: column(list, "max_attempts"),
            source_stream: column(list, "source_stream"),
            source_event: column(list, "source_event"),
            headers: column(list, "headers"),
            payload: column(list, "payload"),
        }
    }
}

/// The index of the column of this name in a list as [`spliced`] takes it. For constants, where it costs nothing.
///
/// # Panics
/// If the list has no such column.
pub(super) const fn column(list: &str, name: &str) -> usize {
    let (list, name) = (list.as_bytes(), name.as_bytes());
    let (mut at, mut index, mut in_comment) = (0, 0, false);
    while at < list.len() {
        if list[at] == b'-' && at + 1 < list.len() && list[at + 1] == b'-' {
            in_comment = true;
        }
        if list[at] == b'\n' {
            in_comment = false;
        }
        if !in_comment && list[at] == b',' {
            index += 1;
        }
        if !in_comment && ends_column(list, at) && is_last_word(list, at, name) {
            return index;
        }
        at += 1;
    }
    panic!("the list of a message's columns has no column of this name")
}

/// Whether the byte at `at` is the last of a column: what follows is a comma, or nothing but the end of the list.
const fn ends_column(list: &[u8], at: usize) -> bool {
    let mut next = at + 1;
    while next < list.len() && list[next].is_ascii_whitespace() {
        next += 1;
    }
    !list[at].is_ascii_whitespace() && (next == list.len() || list[next] == b',')
}

/// Whether the word that ends with the byte at `at`, in backticks or not, is `name`.
const fn is_last_word(list: &[u8], at: usize, name: &[u8]) -> bool {
    let end = if list[at] == b'`' { at } else { at + 1 };
    if end < name.len() {
        return false;
    }
    let start = end - name.len();
    let mut i = 0;
    while i < name.len() {
        if list[start + i] != name[i] {
            return false;
        }
        i += 1;
    }
    start == 0 || matches!(list[start - 1], b' ' | b'\n' | b'.' | b'`')
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "-- All of them, in order.\no.seq, o.partition, o.source_stream,\nCASE WHEN true THEN 1 END AS due_in, o.payload\n";

    #[test]
    fn a_column_is_found_by_its_name_and_not_by_a_part_of_it() {
        const PAYLOAD: usize = column(LIST, "payload");
        let columns = ["seq", "partition", "source_stream", "due_in"].map(|name| column(LIST, name));
        assert_eq!(columns, [0, 1, 2, 3]);
        assert_eq!(PAYLOAD, 4);
        assert_eq!(column("o.source_stream, o.stream", "stream"), 1);
        assert_eq!(column("o.seq, o.`key`, `partition`", "key"), 1);
    }

    #[test]
    #[should_panic(expected = "no column of this name")]
    fn a_name_that_is_only_in_the_comment_is_no_column() {
        let _ = column(LIST, "order");
    }

    #[test]
    fn the_list_is_put_into_a_statement_without_its_comment() {
        let statement = spliced("-- Reads.\nSELECT {message_columns}\nFROM outbox AS o", LIST);
        assert!(statement.starts_with("-- Reads.\nSELECT o.seq, o.partition, o.source_stream,\nCASE"), "{statement}");
        assert!(!statement.contains("All of them"), "{statement}");
        let names = spliced("INSERT INTO outbox ({message_names})", LIST);
        assert_eq!(names, "INSERT INTO outbox (seq, partition, source_stream, due_in, payload)");
    }
}
