//! Apache Kafka: one process that is both broker and controller.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::ask::exchange;
use super::catalog::{Node, Service};
use super::{cache, install, ports};
use crate::step::quietly;

pub const SERVICE: Service = Service {
    name: "kafka",
    needs: &[("java", "default-jre-headless"), ("mvn", "maven")],
    find: || Some(cache::folder(CACHED).ok()?.join("libs")).filter(|folder| folder.is_dir()),
    fetch,
    prepare,
    command: |node| {
        let mut command = java(node)?;
        command.arg("kafka.Kafka").arg(properties(node)?);
        Ok(command)
    },
    answers: |addresses| {
        for address in addresses {
            let answer = exchange(*address, METADATA, 12)?;
            if answer[4..12] != [0, 0, 0, 1, 0, 0, 0, 1] {
                bail!("answered {answer:?}");
            }
        }
        Ok(())
    },
    ..Service::PLAIN
};

const CACHED: &str = "kafka-3.9.1";

/// Metadata of no topics: length, request 3 of version 1, number 1, no client id, none. One broker is the right answer.
const METADATA: &[u8] = b"\x00\x00\x00\x0e\x00\x03\x00\x01\x00\x00\x00\x01\xff\xff\x00\x00\x00\x00";

/// Who may come in by SCRAM, where a listener asks for it. A test's options cannot say it: it stands in the data.
const SCRAM_USER: &str = "name=relay,password=relay-s3cret";

/// Any 16 bytes in base 64.
const CLUSTER: &str = "cG9zdGhhc3RlLXRlc3RzIQ";

/// The classes of the broker with all that they need, and a logger that writes to the standard error.
fn fetch() -> Result<()> {
    cache::make(CACHED, |folder| {
        fs::write(folder.join("pom.xml"), include_str!("kafka/pom.xml"))?;
        let goal = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies";
        let options = ["--quiet", "--batch-mode", goal, "-DincludeScope=runtime", "-DoutputDirectory=libs"];
        quietly(Command::new("mvn").args(options).current_dir(folder))
    })
}

fn prepare(node: &Node) -> Result<()> {
    fs::create_dir_all(node.folder.join("logs"))?;
    let mut command = java(node)?;
    command.args(["kafka.tools.StorageTool", "format", "--cluster-id", CLUSTER, "--config"]).arg(properties(node)?);
    for mechanism in ["SCRAM-SHA-256", "SCRAM-SHA-512"] {
        command.arg("--add-scram").arg(format!("{mechanism}=[{SCRAM_USER}]"));
    }
    quietly(&mut command)
}

/// A machine made for a quick start with little memory.
fn java(node: &Node) -> Result<Command> {
    let mut command = Command::new(install::find("java").context("kafka needs java")?);
    command.args(["-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]);
    command.args(["-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp"]).arg(node.program.join("*"));
    Ok(command)
}

/// How many tests can have a proxy before the broker at once.
const LINKS: usize = 8;

/// Clients go where the broker says it is, so a proxy needs a listener of its own, which says that it is where the proxy is.
struct Link {
    listening: String,
    advertised: String,
}

/// Makes the links of a node, and says in its file `links` where they are: `LISTENING ADVERTISED`, one in a line.
fn links(node: &Node) -> Result<Vec<Link>> {
    ports::keep_back(node.address.port());
    let address = || -> Result<String> { Ok(format!("{}:{}", node.address.ip(), ports::free()?)) };
    let link = |_| Ok(Link { listening: address()?, advertised: address()? });
    let links = (0..LINKS).map(link).collect::<Result<Vec<_>>>()?;
    let lines: String = links.iter().map(|link| format!("{} {}\n", link.listening, link.advertised)).collect();
    fs::write(node.folder.join("links"), lines)?;
    Ok(links)
}

/// Written for each start: the port of the controller is nobody else's business.
fn properties(node: &Node) -> Result<PathBuf> {
    let path = node.folder.join("server.properties");
    let links = links(node)?;
    let each = |write: fn(usize, &Link) -> String| -> String {
        links.iter().enumerate().map(|(n, link)| write(n, link)).collect()
    };
    let text = include_str!("kafka/server.properties")
        .replace("{listening}", &each(|n, link| format!(",LINK{n}://{}", link.listening)))
        .replace("{advertised}", &each(|n, link| format!(",LINK{n}://{}", link.advertised)))
        .replace("{protocols}", &each(|n, _| format!(",LINK{n}:PLAINTEXT")))
        .replace("{broker}", &node.address.to_string())
        .replace("{controller}", &format!("{}:{}", node.address.ip(), ports::free()?))
        .replace("{logs}", &node.folder.join("logs").display().to_string());
    fs::write(&path, text)?;
    Ok(path)
}
