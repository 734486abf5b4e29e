//! Tables: no lines, two spaces between columns, numbers to the right.

use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, presets};

use super::paint::{Hue, Paint};

/// Rows under a head.
#[derive(Debug)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Field>>,
}

#[derive(Debug)]
struct Column {
    title: &'static str,
    right: bool,
}

/// One cell.
#[derive(Debug, Clone)]
pub struct Field {
    text: String,
    hue: Option<Hue>,
}

impl<T: ToString> From<T> for Field {
    fn from(text: T) -> Self {
        Self { text: text.to_string(), hue: None }
    }
}

impl Field {
    #[must_use]
    pub fn hue(mut self, hue: Hue) -> Self {
        self.hue = Some(hue);
        self
    }

    /// A count; zero is dimmed so that other numbers stand out.
    pub fn number(number: u64) -> Self {
        let field = Self::from(super::thousands(number));
        if number == 0 { field.hue(Hue::Quiet) } else { field }
    }

    /// Marks a number that is only about right.
    #[must_use]
    pub fn about(mut self, estimated: bool) -> Self {
        if estimated && self.text != "0" {
            self.text.insert(0, '~');
        }
        self
    }

    /// Failed attempts; most deliveries have none.
    pub fn attempts(attempts: u32) -> Self {
        if attempts == 0 { Self::from("-").hue(Hue::Quiet) } else { Self::number(attempts.into()) }
    }

    /// As [`Field::number`], painted when it is not zero.
    pub fn alarming(number: u64, hue: Hue) -> Self {
        if number == 0 { Self::number(0) } else { Self::number(number).hue(hue) }
    }
}

impl Table {
    /// A title that starts with `>` aligns its column to the right.
    pub fn new<const N: usize>(titles: [&'static str; N]) -> Self {
        let column = |title: &'static str| match title.strip_prefix('>') {
            Some(title) => Column { title, right: true },
            None => Column { title, right: false },
        };
        Self { columns: titles.into_iter().map(column).collect(), rows: Vec::new() }
    }

    pub fn row<const N: usize>(&mut self, fields: [Field; N]) {
        self.rows.push(fields.into());
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// With a newline at its end, without spaces at the end of a line.
    pub fn render(&self, paint: Paint) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        if paint.colour {
            table.enforce_styling();
        } else {
            table.force_no_tty();
        }
        table.set_header(self.columns.iter().map(|column| Cell::new(column.title).add_attribute(Attribute::Dim)));
        for row in &self.rows {
            table.add_row(row.iter().map(Cell::from));
        }
        for (column, shown) in self.columns.iter().zip(table.column_iter_mut()) {
            shown.set_padding((0, 2));
            if column.right {
                shown.set_cell_alignment(CellAlignment::Right);
            }
        }
        table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
    }
}

impl From<&Field> for Cell {
    fn from(field: &Field) -> Self {
        let cell = Self::new(&field.text);
        match field.hue {
            None => cell,
            Some(Hue::Good) => cell.fg(Color::Green),
            Some(Hue::Waiting) => cell.fg(Color::Yellow),
            Some(Hue::Bad) => cell.fg(Color::Red).add_attribute(Attribute::Bold),
            Some(Hue::Quiet) => cell.add_attribute(Attribute::Dim),
            Some(Hue::Strong) => cell.add_attribute(Attribute::Bold),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_numbers_stand_to_the_right() {
        let mut table = Table::new(["NAME", ">COUNT", "NOTE"]);
        table.row(["crm".into(), Field::number(7), "".into()]);
        table.row(["warehouse".into(), Field::number(12_345), "slow".into()]);
        let shown = table.render(Paint { colour: false });
        let expected = "\
NAME        COUNT  NOTE
crm             7
warehouse  12,345  slow
";
        assert_eq!(shown, expected);
    }

    #[test]
    fn colour_is_there_only_when_asked_for() {
        let mut table = Table::new(["STATUS"]);
        table.row([Field::from("dead").hue(Hue::Bad)]);
        assert!(table.render(Paint { colour: true }).contains("\u{1b}["));
        assert!(!table.render(Paint { colour: false }).contains('\u{1b}'));
    }
}
