//! MySQL 9.7. No package of the stable Debian has it, so it comes from the unstable one with all the libraries it needs, unpacked into the
//! cache and started by its own loader: nothing is installed, and no library of the system is touched.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::cache;
use super::catalog::{Node, Service};
use super::mariadb::{as_root_if_root, common, greets, temporary};
use crate::step::quietly;

pub const SERVICE: Service = Service {
    name: "mysql",
    needs: &[("apt-get", "apt"), ("dpkg", "dpkg")],
    find: || Some(cache::folder(CACHED).ok()?.join("usr/sbin/mysqld")).filter(|program| program.is_file()),
    fetch,
    prepare,
    command,
    answers: |addresses| addresses.iter().try_for_each(greets),
    ..Service::PLAIN
};

const CACHED: &str = "mysql-9.7.4";

/// With lists and a register of packages of its own, in which nothing is installed, so that everything it needs comes along.
const UNPACK: &str = r#"
set -e
here=$PWD
mkdir -p apt/lists/partial apt/archives/partial
: > apt/status
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -v '^#' | grep -Eo 'https?://[^ ]*/debian/? ?' | head -1 | tr -d ' ')
echo "deb [trusted=yes] ${mirror:-http://deb.debian.org/debian} sid main" > apt/sources.list
own="-o Dir::State=$here/apt -o Dir::State::status=$here/apt/status -o Dir::Cache=$here/apt -o Dir::Etc::sourcelist=$here/apt/sources.list -o Dir::Etc::sourceparts=/dev/null -o APT::Sandbox::User=root"
apt-get $own update
apt-get $own --yes --no-install-recommends --download-only install mysql-server-core
for package in apt/archives/*.deb; do dpkg --extract "$package" .; done
rm -r apt
"#;

fn fetch() -> Result<()> {
    cache::make(CACHED, |folder| quietly(Command::new("sh").args(["-c", UNPACK]).current_dir(folder)))
}

/// The server by the loader and with the libraries that were unpacked with it.
fn server(program: &Path) -> Result<Command> {
    let usr = program.ancestors().nth(2).context("the server is not where it was unpacked")?;
    let libraries = usr.join("lib").join(format!("{}-linux-gnu", std::env::consts::ARCH));
    let mut command = Command::new(loader(&libraries)?);
    let mysql = usr.join("lib/mysql/private");
    command.arg("--library-path").arg(format!("{}:{}", libraries.display(), mysql.display())).arg(program);
    command.arg("--no-defaults").args(as_root_if_root()).arg(format!("--basedir={}", usr.display()));
    let share = usr.join("share/mysql");
    command.arg(format!("--lc-messages-dir={}", share.display()));
    command.arg(format!("--character-sets-dir={}/charsets", share.display()));
    command.arg(format!("--plugin-dir={}/lib/mysql/plugin", usr.display()));
    command.args(["--innodb-redo-log-capacity=64M", "--secure-file-priv="]);
    Ok(command)
}

fn loader(libraries: &Path) -> Result<PathBuf> {
    let names = std::fs::read_dir(libraries).context("the libraries of the server are missing")?;
    let is_loader =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("ld-linux"));
    names.flatten().map(|entry| entry.path()).find(is_loader).context("the loader of the server is missing")
}

fn prepare(node: &Node) -> Result<()> {
    let mut command = server(&node.program)?;
    command.arg("--initialize-insecure").arg(format!("--datadir={}/data", node.folder.display())).arg(temporary(node)?);
    quietly(command.current_dir(&node.folder))
}

fn command(node: &Node) -> Result<Command> {
    let mut command = server(&node.program)?;
    command.args(common(node)?).args([
        "--mysqlx=OFF",
        "--log-bin=log",
        "--gtid-mode=ON",
        "--enforce-gtid-consistency=ON",
    ]);
    Ok(command)
}
