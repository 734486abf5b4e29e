//! What became of the mutants.

use std::fmt::Write as _;

use serde_json::Value;

use super::{text, thousands, when};

pub fn section(page: &mut String, result: &Value) {
    let _ = write!(
        page,
        "\n## Mutants\n\n{} Mutants of {}.\n\nThe code is changed in every small way that the tool knows, one at a time, and the tests of the library \
         without drivers, the small worlds with one fault, or one of {} drawn schedules must notice. What does not compile, or has no \
         place beside the original in one build, counts for nothing; who never ends is noticed. A survivor that does what the \
         original does is listed with the reason in [mutants-equivalent.toml](verification/mutants-equivalent.toml).\n\n\
         | folder | mutants | not compiled | noticed | equivalent | survived | untried | noticed of all that run |\n\
         |---|---|---|---|---|---|---|---|\n",
        when(result),
        text(&result["tool"]),
        thousands(&result["schedules_for_each_survivor"]),
    );
    for (folder, counts) in result["folders"].as_object().into_iter().flatten() {
        let count = |name: &str| counts[name].as_u64().unwrap_or_default();
        let noticed = count("killed") + count("timed_out");
        let unexplained = count("survived") - count("equivalent");
        let numbers =
            [count("mutants"), count("unviable"), noticed, count("equivalent"), unexplained, count("untried")];
        let cells = numbers.map(super::grouped).join(" | ");
        let share = 100.0 * noticed as f64 / (noticed + count("survived")).max(1) as f64;
        let _ = writeln!(page, "| `{folder}` | {cells} | {share:.1} % |");
    }
    let unexplained = |row: &&Value| row["equivalent_because"].is_null();
    for row in result["survivors"].as_array().into_iter().flatten().filter(unexplained) {
        let _ = write!(page, "\n* survived: `{}`", text(&row["mutant"]));
    }
    page.push('\n');
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_folder_is_told_with_what_was_noticed_and_what_was_not_tried() {
        let rules = json!({ "mutants": 110, "unviable": 6, "killed": 95, "timed_out": 2, "survived": 3, "equivalent": 2, "untried": 4 });
        let survivors = json!([{ "mutant": "a.rs:1:1: replace f with ()", "equivalent_because": null }]);
        let mut page = String::new();
        section(&mut page, &json!({ "folders": { "rules": rules }, "survivors": survivors }));
        assert!(page.contains("| `rules` | 110 | 6 | 97 | 2 | 1 | 4 | 97.0 % |"), "{page}");
        assert!(page.contains("* survived: `a.rs:1:1: replace f with ()`"), "{page}");
    }
}
