//! What hostile input and the check of dependencies came to.

use std::fmt::Write as _;

use serde_json::Value;

use super::{text, thousands, when};

pub fn section(page: &mut String, result: &Value) {
    let _ = write!(
        page,
        "\n## Hostile input\n\n{} Seed {}, {} s in all, found in this run: {}.\n\nEach target reads what the generator made of its \
         [corpus](crates/posthaste-hostile/corpus), of words that it knows, and of what breaks readers everywhere, and each case is checked: no \
         panic, an end, what is taken is within its limits and comes back as it was, what is refused is refused without a secret.\n\n\
         | target | cases | taken | slowest case |\n|---|---|---|---|\n",
        when(result),
        result["seed"],
        thousands(&result["seconds"]),
        thousands(&result["found"]),
    );
    for row in result["targets"].as_array().into_iter().flatten() {
        let number = |name: &str| row[name].as_f64().unwrap_or_default();
        let taken = 100.0 * number("taken") / number("cases").max(1.0);
        let slowest = number("slowest_us") / 1_000.0;
        let _ = writeln!(
            page,
            "| {} | {} | {taken:.1} % | {slowest:.1} ms |",
            text(&row["target"]),
            thousands(&row["cases"])
        );
    }
}

pub fn dependencies(page: &mut String, result: &Value) {
    let _ = write!(
        page,
        "\n## Dependencies\n\n{} {} over the {} packages of others in `Cargo.lock`, with [deny.toml](deny.toml).\n\n\
         | check | errors | warnings |\n|---|---|---|\n",
        when(result),
        text(&result["version"]),
        thousands(&result["packages"]),
    );
    for (check, counts) in result["checks"].as_object().into_iter().flatten() {
        let _ = writeln!(page, "| {check} | {} | {} |", thousands(&counts["errors"]), thousands(&counts["warnings"]));
    }
    let _ = writeln!(page, "\nKnown weaknesses: {}.", text(&result["advisories"]));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_page_tells_each_target_with_its_cases_and_each_check_with_its_errors() {
        let target = json!({ "target": "names", "cases": 1_000_000, "taken": 125_000, "slowest_us": 1_500 });
        let run =
            json!({ "date": "2026-01-01", "commit": "c", "seed": 7, "seconds": 90, "found": 0, "targets": [target] });
        let mut page = String::new();
        section(&mut page, &run);
        assert!(page.contains("Seed 7, 90 s in all, found in this run: 0."), "{page}");
        assert!(page.contains("| names | 1,000,000 | 12.5 % | 1.5 ms |"), "{page}");
        let checks = json!({ "bans": { "errors": 0, "warnings": 31 } });
        let run = json!({ "version": "cargo-deny 1", "packages": 500, "checks": checks, "advisories": "advisories: not checked" });
        dependencies(&mut page, &run);
        assert!(page.contains("cargo-deny 1 over the 500 packages") && page.contains("| bans | 0 | 31 |"), "{page}");
    }
}
