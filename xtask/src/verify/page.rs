//! The page itself.

use std::fmt::Write as _;

use serde_json::Value;

use super::promises::{Promise, Promises};
use super::results::Results;

mod chaos;
mod hostile;
mod mutants;

const HEAD: &str = "# Verification\n\n\
    Made by `cargo xtask verify --report` from [verification](verification): what is promised and what tries to break it stands in\n\
    `promises.toml`, the figures in the other files, which the tools write themselves. Nothing here is typed by hand.\n";

/// With these pictures, which are files beside others.
pub fn render(promises: &Promises, results: &Results, pictures: &[&str]) -> String {
    let mut page = HEAD.to_owned();
    page.push_str("\n## Promises\n\n| promise | what could break it | what tries to | figure |\n|---|---|---|---|\n");
    for promise in &promises.promises {
        let row = [promise.text.clone(), promise.breaks.clone(), tries(promise), figure(promise, results)];
        let _ = writeln!(page, "| {} |", row.join(" | "));
    }
    list(&mut page, "Not promised", &promises.not_promised);
    list(&mut page, "Known limits", &promises.limits);
    simulator(&mut page, results);
    exhaustive(&mut page, results);
    results.get("chaos").into_iter().for_each(|result| chaos::section(&mut page, result, pictures));
    results.get("mutants").into_iter().for_each(|result| mutants::section(&mut page, result));
    results.get("hostile").into_iter().for_each(|result| hostile::section(&mut page, result));
    results.get("deny").into_iter().for_each(|result| hostile::dependencies(&mut page, result));
    page.push_str("\n## Found and mended\n\n| what was wrong | found by | test that failed before |\n|---|---|---|\n");
    for found in &promises.found {
        let test = if found.test.is_empty() { String::new() } else { format!("`{}`", found.test) };
        let _ = writeln!(page, "| {} | {} | {test} |", found.what, found.by);
    }
    page
}

fn list(page: &mut String, title: &str, lines: &[String]) {
    let _ = write!(page, "\n## {title}\n\n");
    for line in lines {
        let _ = writeln!(page, "* {line}");
    }
}

fn tries(promise: &Promise) -> String {
    let kinds = [
        ("", &promise.tests),
        ("planted: ", &promise.planted),
        ("small worlds: ", &promise.worlds),
        ("chaos: ", &promise.chaos),
    ];
    let named = |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let parts =
        kinds.iter().filter(|(_, names)| !names.is_empty()).map(|(what, names)| format!("{what}{}", named(names)));
    parts.collect::<Vec<_>>().join("; ")
}

/// What came of it, where something is on record.
fn figure(promise: &Promise, results: &Results) -> String {
    let mut parts = Vec::new();
    if let Some(result) = results.get("simulator").filter(|_| !promise.planted.is_empty()) {
        parts.push(format!("0 in {} drawn schedules", thousands(&result["schedules"])));
    }
    if let Some(result) = results.get("exhaustive").filter(|_| !promise.worlds.is_empty()) {
        let rows = result["worlds"].as_array().into_iter().flatten();
        let of_promise = rows.filter(|row| promise.worlds.iter().any(|world| row["world"] == world.as_str()));
        let schedules: u64 = of_promise.filter_map(|row| row["schedules"].as_u64()).sum();
        parts.push(format!("0 in all {} schedules of these worlds", grouped(schedules)));
    }
    if let Some(result) = results.get("chaos").filter(|_| !promise.chaos.is_empty()) {
        let faults: u64 = promise.chaos.iter().filter_map(|kind| result["faults"][kind].as_u64()).sum();
        parts.push(format!("0 of {} events beside {} such faults", thousands(&result["verified"]), grouped(faults)));
    }
    if parts.is_empty() { "every CI run".into() } else { parts.join("; ") }
}

fn simulator(page: &mut String, results: &Results) {
    let Some(result) = results.get("simulator") else { return };
    let _ = write!(
        page,
        "\n## The simulator\n\n{}\n\n{} schedules drawn from seeds, {} messages committed, {} arrivals, violations: {}. \
         Of the planted mistakes {} are caught, missed: {}.\n",
        when(result),
        thousands(&result["schedules"]),
        thousands(&result["committed"]),
        thousands(&result["arrivals"]),
        counts(&result["violations"]),
        length(&result["planted_caught"]),
        names(&result["planted_missed"]),
    );
}

fn exhaustive(page: &mut String, results: &Results) {
    let Some(result) = results.get("exhaustive") else { return };
    let _ = write!(
        page,
        "\n## Every schedule of small worlds\n\n{}\n\nTwo workers, two keys, three or four messages. The depth is how many faults and \
         interventions a schedule has at most, each at every place where it matters; the questions are those places.\n\n\
         | world | what may happen | depth | questions | schedules | violations |\n|---|---|---|---|---|---|\n",
        when(result)
    );
    for row in result["worlds"].as_array().into_iter().flatten() {
        let cells = [text(&row["world"]), text(&row["about"]), thousands(&row["depth"]), thousands(&row["questions"])];
        let _ = writeln!(
            page,
            "| {} | {} | {} |",
            cells.join(" | "),
            thousands(&row["schedules"]),
            thousands(&row["violations"])
        );
    }
    let _ = writeln!(
        page,
        "\nPlanted mistakes found there with at most {} faults: {}. Out of reach at this depth: {}.",
        result["hunt_depth"],
        length(&result["planted_found"]),
        names(&result["planted_missed"])
    );
}

fn when(result: &Value) -> String {
    format!("Recorded {} at commit `{}`.", text(&result["date"]), text(&result["commit"]))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn length(value: &Value) -> usize {
    value.as_array().map_or(0, Vec::len)
}

fn names(value: &Value) -> String {
    let names: Vec<String> = value.as_array().into_iter().flatten().map(|name| format!("`{}`", text(name))).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

/// An object of counts, as words.
fn counts(value: &Value) -> String {
    let parts: Vec<String> =
        value.as_object().into_iter().flatten().map(|(name, count)| format!("{name} {}", thousands(count))).collect();
    if parts.is_empty() { "none".into() } else { parts.join(", ") }
}

fn thousands(value: &Value) -> String {
    value.as_u64().map_or_else(|| value.as_str().map_or_else(|| value.to_string(), str::to_owned), grouped)
}

/// With a comma between groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_promise_stands_beside_what_tries_to_break_it_and_the_figure_on_record() {
        let promises = Promises::parse("[[promise]]\ntext = 'kept'\nbreaks = 'death'\nplanted = ['Forgets']\n");
        let results = Results::of("simulator", json!({ "schedules": 1_234_567, "date": "2026-01-01", "commit": "c" }));
        let page = render(&promises.expect("a promise"), &results, &[]);
        assert!(page.contains("| kept | death | planted: `Forgets` | 0 in 1,234,567 drawn schedules |"), "{page}");
    }
}
