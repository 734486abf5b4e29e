//! What the program is made of, as a software bill of materials in CycloneDX, from the same `Cargo.lock` that it is built with.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::step::cargo;

/// The package that is shipped.
const PROGRAM: &str = "posthaste-cli";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The target that the program is built for
    #[arg(long, default_value = "x86_64-unknown-linux-gnu")]
    target: String,
    /// The file to write
    #[arg(long, default_value = "target/posthaste.cdx.json")]
    output: PathBuf,
}

pub fn run(args: &Args) -> Result<()> {
    let mut command = cargo("metadata --format-version 1 --locked --manifest-path crates/posthaste-cli/Cargo.toml");
    let output = command.args(["--features", "full", "--filter-platform", &args.target]).output()?;
    if !output.status.success() {
        bail!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let bill = bill(&serde_json::from_slice(&output.stdout)?, &checksums(&fs::read_to_string("Cargo.lock")?)?)?;
    fs::write(&args.output, serde_json::to_string_pretty(&bill)? + "\n")
        .with_context(|| format!("cannot write {}", args.output.display()))?;
    println!("{}: {}", args.output.display(), summary(&bill));
    Ok(())
}

/// The checksum of each package by its name and version; those of this repository have none.
fn checksums(lock: &str) -> Result<HashMap<(String, String), String>> {
    let lock: toml::Table = lock.parse().context("cannot parse Cargo.lock")?;
    let packages = lock.get("package").and_then(toml::Value::as_array).context("Cargo.lock has no packages")?;
    let text = |package: &toml::Value, name: &str| Some(package.get(name)?.as_str()?.to_owned());
    let checksum = |package| Some(((text(package, "name")?, text(package, "version")?), text(package, "checksum")?));
    Ok(packages.iter().filter_map(checksum).collect())
}

fn bill(metadata: &Value, checksums: &HashMap<(String, String), String>) -> Result<Value> {
    let packages = by_id(&metadata["packages"]);
    let edges: HashMap<&str, Vec<&str>> =
        by_id(&metadata["resolve"]["nodes"]).into_iter().map(|(id, node)| (id, built_in(node))).collect();
    let root = packages.values().find(|package| package["name"] == PROGRAM).context("the program is not there")?;
    let mut reached: HashSet<&str> = HashSet::new();
    let mut ahead = vec![root["id"].as_str().unwrap_or_default()];
    while let Some(id) = ahead.pop() {
        if reached.insert(id) {
            ahead.extend(edges.get(id).into_iter().flatten());
        }
    }
    let mut components: Vec<Value> = Vec::new();
    let mut dependencies: Vec<Value> = Vec::new();
    let ordered: BTreeMap<String, &str> = reached.iter().map(|id| (reference(packages[id]), *id)).collect();
    for (reference_of, id) in &ordered {
        let mut needs: Vec<String> = edges[id].iter().map(|id| reference(packages[id])).collect();
        needs.sort_unstable();
        dependencies.push(json!({ "ref": reference_of, "dependsOn": needs }));
        if packages[id] != *root {
            components.push(component(packages[id], "library", checksums));
        }
    }
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": component(root, "application", checksums) },
        "components": components,
        "dependencies": dependencies,
    }))
}

fn by_id(all: &Value) -> HashMap<&str, &Value> {
    all.as_array().into_iter().flatten().filter_map(|one| Some((one["id"].as_str()?, one))).collect()
}

/// What becomes a part of a program or takes part in its making: all but what only tests need.
fn built_in(node: &Value) -> Vec<&str> {
    let is_built =
        |dep: &&Value| dep["dep_kinds"].as_array().is_some_and(|all| all.iter().any(|one| one["kind"] != "dev"));
    let all = node["deps"].as_array().into_iter().flatten();
    all.filter(is_built).filter_map(|dep| dep["pkg"].as_str()).collect()
}

/// As package URLs have it.
fn reference(package: &Value) -> String {
    format!("pkg:cargo/{}@{}", text(package, "name"), text(package, "version"))
}

fn component(package: &Value, kind: &str, checksums: &HashMap<(String, String), String>) -> Value {
    let (name, version) = (text(package, "name").to_owned(), text(package, "version").to_owned());
    let mut component = json!({
        "type": kind, "bom-ref": reference(package), "name": name, "version": version, "purl": reference(package),
    });
    if let Some(licence) = package["license"].as_str() {
        // Older manifests have a slash where SPDX has OR.
        let words: Vec<&str> = licence.split('/').map(str::trim).collect();
        component["licenses"] = json!([{ "expression": words.join(" OR ") }]);
    }
    if let Some(repository) = package["repository"].as_str() {
        component["externalReferences"] = json!([{ "type": "vcs", "url": repository }]);
    }
    if let Some(checksum) = checksums.get(&(name, version)) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    component
}

fn text<'a>(package: &'a Value, name: &str) -> &'a str {
    package[name].as_str().unwrap_or_default()
}

/// How many parts, and what they may be used under.
fn summary(bill: &Value) -> String {
    let mut licences: BTreeMap<&str, usize> = BTreeMap::new();
    let components = bill["components"].as_array();
    for component in components.into_iter().flatten() {
        *licences.entry(component["licenses"][0]["expression"].as_str().unwrap_or("none stated")).or_default() += 1;
    }
    let licences: Vec<String> = licences.iter().map(|(licence, count)| format!("{count} {licence}")).collect();
    format!("{} components\n  {}", components.map_or(0, Vec::len), licences.join("\n  "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bill_has_what_is_built_in_with_licence_and_checksum_and_not_what_tests_need() -> Result<()> {
        let package = |name: &str| json!({ "id": name, "name": name, "version": "1.0.0", "license": "MIT/Apache-2.0" });
        let dep = |name: &str, kind: Value| json!({ "pkg": name, "dep_kinds": [{ "kind": kind }] });
        let needs = [dep("a", Value::Null), dep("b", json!("build")), dep("c", json!("dev"))];
        let node = |name: &str| json!({ "id": name, "deps": [] });
        let metadata = json!({
            "packages": [package(PROGRAM), package("a"), package("b"), package("c")],
            "resolve": { "nodes": [{ "id": PROGRAM, "deps": needs }, node("a"), node("b"), node("c")] },
        });
        let lock = "[[package]]\nname = 'a'\nversion = '1.0.0'\nchecksum = 'abc'\n[[package]]\nname = 'b'\nversion = '1.0.0'\n";
        let bill = bill(&metadata, &checksums(lock)?)?;
        let names: Vec<&Value> = bill["components"].as_array().into_iter().flatten().map(|one| &one["name"]).collect();
        assert_eq!(names, ["a", "b"]);
        let a = &bill["components"][0];
        assert_eq!((&a["purl"], &a["hashes"][0]["content"]), (&json!("pkg:cargo/a@1.0.0"), &json!("abc")));
        assert_eq!(a["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(bill["metadata"]["component"]["name"], PROGRAM);
        assert_eq!(bill["dependencies"].as_array().map(Vec::len), Some(3));
        assert!(summary(&bill).starts_with("2 components"));
        Ok(())
    }
}
