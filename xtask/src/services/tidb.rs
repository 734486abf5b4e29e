//! TiDB: one process with its real SQL layer and its real transactions, over a store that is built in instead of TiKV. No registry has it as a
//! program, and building it takes some minutes, so tests ask for it by `cargo xtask test --with tidb` alone.

use std::fs;
use std::process::Command;

use anyhow::Result;

use super::catalog::{Node, Service};
use super::mariadb::greets;
use super::{cache, go, ports};

pub const SERVICE: Service = Service {
    name: "tidb",
    tests_need_it: false,
    needs: &[("python3", "python3"), ("pip", "python3-pip")],
    find: || Some(cache::folder(CACHED).ok()?.join(PROGRAM.name)).filter(|program| program.is_file()),
    fetch: || cache::make(CACHED, |folder| PROGRAM.build(folder)),
    prepare,
    command,
    answers: |addresses| addresses.iter().try_for_each(greets),
    ..Service::PLAIN
};

const CACHED: &str = "tidb-8.5.4";

/// Its parser is a module of its own, which it takes from the folder beside it.
const PROGRAM: go::Program = go::Program {
    module: "github.com/pingcap/tidb",
    version: "v1.1.0-beta.0.20251126154744-e4e814fdc0af",
    package: "github.com/pingcap/tidb/cmd/tidb-server",
    name: "tidb-server",
    edits: &[
        "-dropreplace=github.com/pingcap/tidb/pkg/parser",
        "-require=github.com/pingcap/tidb/pkg/parser@v0.0.0-20251126154744-e4e814fdc0af",
    ],
    linked_with: "-s -w -X github.com/pingcap/tidb/pkg/parser/mysql.TiDBReleaseVersion=v8.5.4",
};

/// What the page of the store asks for.
const AT_FIRST: &str = "SET GLOBAL tidb_enable_check_constraint = ON;\n";

fn prepare(node: &Node) -> Result<()> {
    let folder = node.folder.display();
    fs::write(node.folder.join("first.sql"), AT_FIRST)?;
    let settings = format!(
        "initialize-sql-file = '{folder}/first.sql'\ntemp-dir = '{folder}/temp'\ntmp-storage-path = '{folder}/spilled'\nsocket = ''\n\
         [log]\nlevel = 'error'\n"
    );
    Ok(fs::write(node.folder.join("settings.toml"), settings)?)
}

fn command(node: &Node) -> Result<Command> {
    let (host, status) = (node.address.ip().to_string(), ports::free()?.to_string());
    let mut command = Command::new(&node.program);
    command.args(["-store", "unistore", "-path", "data", "-config", "settings.toml"]);
    command.args(["-host", &host, "-P", &node.address.port().to_string()]);
    command.args(["-status-host", &host, "-status", &status]);
    Ok(command)
}
