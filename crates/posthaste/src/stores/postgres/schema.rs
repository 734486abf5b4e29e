//! Names in statements.

/// The schema that the journal lives in unless told otherwise.
pub const SCHEMA: &str = "posthaste";

/// Puts the name of the schema where a statement has `{schema}`.
pub(super) fn in_schema(sql: &str, schema: &str) -> String {
    sql.replace("{schema}", &quoted(schema))
}

/// A name as SQL wants it, whatever it contains.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
