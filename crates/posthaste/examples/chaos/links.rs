//! Links that break on demand.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Duration;

use posthaste::conformance::fault_proxy::{Fault, FaultProxy};
use serde::Deserialize;
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::{Failure, ready};

/// From whom, by its name, to where.
#[derive(Debug, Deserialize)]
pub(crate) struct Link {
    name: String,
    at: SocketAddr,
    to: SocketAddr,
}

/// Each line of the input is `LINK FAULT [NUMBER]`, and is answered when the fault is in force.
pub(crate) async fn run(links: Vec<Link>) -> Result<(), Failure> {
    let mut proxies = HashMap::new();
    for link in links {
        proxies.insert(link.name, FaultProxy::at(link.at, link.to).await?);
    }
    ready(None);
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        let mut words = line.split_whitespace();
        let proxy = words.next().and_then(|name| proxies.get(name)).ok_or_else(|| format!("no such link: {line}"))?;
        proxy.set(fault(words).ok_or_else(|| format!("no such fault: {line}"))?).await;
        println!("set {line}");
    }
    Ok(())
}

fn fault<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<Fault> {
    let name = words.next()?;
    let number: u32 = words.next().map_or(Some(0), |word| word.parse().ok())?;
    Some(match name {
        "pass" => Fault::Pass,
        "delay" => Fault::Delay(Duration::from_millis(number.into())),
        "refuse" => Fault::Refuse,
        "black_hole" => Fault::BlackHole,
        "cut_after" => Fault::CutAfter(number as usize),
        "reset" => Fault::Reset,
        "drop_answers" => Fault::DropAnswers,
        _ => return None,
    })
}
