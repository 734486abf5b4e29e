//! The configs that are shipped in `deploy/` are ones that the program accepts.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::*;

fn deploy(file: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn documents(file: &str) -> Vec<Value> {
    let text = deploy(file);
    text.split("\n---\n")
        .map(|document| serde_saphyr::from_str(document).unwrap_or_else(|error| panic!("{file}: {error}")))
        .collect()
}

/// Everything is right, but for what this program is built without.
fn accepted(toml: &str, env: &[(&str, &str)]) {
    let env: Env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let problems = plan(Tree::from_toml(toml).unwrap(), &env, Path::new("/etc/posthaste")).err().unwrap_or_default();
    let wrong: Vec<_> = problems.iter().filter(|problem| !problem.text.contains("built without feature")).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn the_config_of_compose_is_accepted() {
    let env = [
        ("DATABASE_URL", "postgres://app@postgres/app"),
        ("AMQP_URL", "amqp://rabbitmq"),
        ("POSTHASTE_OPERATOR_TOKEN", "0123456789abcdef"),
    ];
    accepted(&deploy("docker/posthaste.toml"), &env);
    let compose = &documents("docker/compose.yaml")[0]["services"];
    assert_eq!(compose["relay"]["command"][0], "run");
    for service in ["postgres", "rabbitmq", "migrate"] {
        assert!(compose.get(service).is_some(), "{service}");
    }
}

#[test]
fn the_kubernetes_manifest_has_a_config_that_is_accepted_probes_that_exist_and_time_to_stop() {
    let documents = documents("kubernetes/posthaste.yaml");
    let of_kind =
        |kind: &str| documents.iter().find(|document| document["kind"] == kind).unwrap_or_else(|| panic!("{kind}"));
    let secrets = of_kind("Secret")["stringData"].as_object().unwrap();
    let env: Vec<(&str, &str)> = secrets.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap())).collect();
    accepted(of_kind("ConfigMap")["data"]["posthaste.toml"].as_str().unwrap(), &env);

    let pod = &of_kind("Deployment")["spec"]["template"]["spec"];
    let relay = &pod["containers"][0];
    assert_eq!(relay["livenessProbe"]["httpGet"]["path"], "/livez");
    assert_eq!(relay["readinessProbe"]["httpGet"]["path"], "/readyz");
    assert_eq!(relay["securityContext"]["readOnlyRootFilesystem"], true);
    let grace = pod["terminationGracePeriodSeconds"].as_u64().unwrap();
    assert!(grace >= 2 * posthaste::relay::Settings::default().stop_timeout.as_secs());
}

#[test]
fn the_alert_rules_and_the_service_are_well_formed() {
    let rules = &documents("prometheus/alerts.yaml")[0]["groups"][0]["rules"];
    for rule in rules.as_array().unwrap() {
        assert!(rule["alert"].is_string() && rule["expr"].is_string(), "{rule}");
        assert!(rule["annotations"]["action"].is_string(), "an alert says what to do: {rule}");
    }
    let unit = deploy("systemd/posthaste.service");
    for line in [
        "ExecReload=/bin/kill -HUP $MAINPID",
        "User=posthaste",
        "RestartPreventExitStatus=2",
        "WantedBy=multi-user.target",
    ] {
        assert!(unit.lines().any(|written| written == line), "{line}");
    }
    let image = deploy("docker/Dockerfile");
    assert!(image.matches("\nFROM ").count() >= 1 && image.contains("\nUSER 10001:10001\n"));
}
