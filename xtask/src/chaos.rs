//! Real programs in a world of real faults: relays, applications, consumers, servers and links, all of them processes, some of which
//! die. Nothing is mocked. At the end, the consumers' own records say whether every promise was kept.
//!
//! ```text
//!  applications ──► store ◄──link── relay ──link──► destination ──► consumer ──► record
//!                                     ▲ killed, frozen, stopped          faults.jsonl
//! ```
//!
//! What happens is drawn from a seed and written to `faults.jsonl`, with its time. When it happens among the deliveries depends on
//! the machine, so a seed repeats the faults and not the run.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use self::dice::Dice;
use self::fault_log::FaultLog;
use self::faults::Faults;
use self::progress::Progress;
use self::report::Report;
use self::scene::Scene;
use crate::services::install;
use crate::step::{cargo, execute};
use crate::verify;

mod arrivals;
mod brokers;
mod config;
mod dice;
mod draining;
mod fault_log;
mod faults;
mod links;
mod operator;
mod process;
mod progress;
mod relay;
mod report;
mod scene;
mod series;
mod stores;
mod takeovers;
mod verdict;
mod words;

/// The example of the library that has the applications, consumers and links.
pub const EXAMPLE: &str = "chaos";

/// The same faults in every CI run: new ones are looked for by those who can look into what they find.
const SEED_IN_CI: u64 = 22;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// How long faults go on; after them everything has to drain
    #[arg(long, default_value_t = 3.0)]
    minutes: f64,
    /// Which stores the journals are in
    #[arg(long, value_delimiter = ',', default_value = "sqlite,postgres")]
    stores: Vec<stores::Kind>,
    /// In which stores there are also journals whose relays are applications with transactional handlers
    #[arg(long, value_delimiter = ',')]
    handlers: Vec<stores::Kind>,
    /// Where messages go, besides an endpoint for webhooks
    #[arg(long, value_delimiter = ',', default_value = "redis")]
    brokers: Vec<brokers::Kind>,
    /// Where faults are drawn from; any, unless given
    #[arg(long)]
    seed: Option<u64>,
    /// Between two faults, on average
    #[arg(long, default_value_t = 1_500)]
    fault_every_ms: u64,
    /// Messages a second that applications write to each store
    #[arg(long, default_value_t = 100)]
    rate: u32,
    /// Relays on each store
    #[arg(long, default_value_t = 3)]
    relays: usize,
    /// Build with optimisations
    #[arg(long)]
    release: bool,
    /// Put the figures on record in `verification`
    #[arg(long)]
    record: bool,
}

impl Args {
    /// What runs with every change.
    pub fn short() -> Self {
        Self {
            minutes: 2.0,
            stores: vec![stores::Kind::Sqlite, stores::Kind::Postgres],
            handlers: Vec::new(),
            brokers: vec![brokers::Kind::Redis],
            seed: Some(SEED_IN_CI),
            fault_every_ms: 1_500,
            rate: 100,
            relays: 3,
            release: false,
            record: false,
        }
    }
}

/// How long nothing may move, once all faults are over, while messages are left.
const DRAIN: Duration = Duration::from_secs(180);

pub fn run(args: &Args) -> Result<()> {
    let programs = Programs::build(args.release)?;
    let seed = args.seed.unwrap_or_else(dice::any_seed);
    let folder = Path::new("target/chaos").join(format!("{seed}"));
    crate::services::remove(&folder)?;
    fs::create_dir_all(&folder)?;
    let folder = fs::canonicalize(folder)?;
    println!("seed {seed}; everything is written to {}", folder.display());
    let report = play(args, &programs, seed, &folder).with_context(|| format!("see {}", folder.display()))?;
    print!("{report}");
    fs::write(folder.join("report.json"), serde_json::to_string_pretty(&report.json())?)?;
    if !report.is_sound() {
        bail!(
            "a promise was broken: {} has the records; cargo xtask chaos --seed {seed} draws the same faults",
            folder.display()
        );
    }
    remove_data(&folder)?;
    if args.record { verify::record("chaos", report.json()) } else { Ok(()) }
}

/// What servers left is of no interest after a run that went well.
fn remove_data(folder: &Path) -> Result<()> {
    let inside = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let folders = inside.iter().map(PathBuf::as_path).chain([folder]).filter(|path| path.is_dir());
    folders.map(|path| path.join("servers")).try_for_each(|servers| crate::services::remove(&servers))
}

fn play(args: &Args, programs: &Programs, seed: u64, folder: &Path) -> Result<Report> {
    let mut dice = Dice::new(seed);
    let brokers = args.brokers.iter().map(|kind| brokers::Broker::start(*kind, folder)).collect::<Result<Vec<_>>>()?;
    let mut scenes = Vec::new();
    let both = args.stores.iter().map(|kind| (kind, false)).chain(args.handlers.iter().map(|kind| (kind, true)));
    for (kind, handlers) in both {
        let plan = scene::Plan { kind: *kind, handlers, relays: args.relays, rate: args.rate, seed: dice.next() };
        scenes.push(Scene::begin(&plan, programs, &folder.join(plan.name()), &brokers)?);
    }
    let log = FaultLog::create(&folder.join("faults.jsonl"))?;
    let (begun, begun_at) = (Instant::now(), fault_log::now_micros());
    let mut faults = Faults::new(dice, log, Duration::from_millis(args.fault_every_ms));
    let (mut brokers, mut progress) = (brokers, Progress::of(&scenes));
    while begun.elapsed() < Duration::from_secs_f64(args.minutes * 60.0) {
        faults.go_on(&mut scenes, &mut brokers)?;
        progress.tell(faults.len());
        std::thread::sleep(Duration::from_millis(20));
    }
    let log = faults.end(&mut scenes, &mut brokers)?;
    let lasted = begun.elapsed();
    println!("{} faults in {:.0} s; draining", log.len(), lasted.as_secs_f64());
    draining::drain(&mut scenes, DRAIN)?;
    let ended = scenes.into_iter().map(Scene::end).collect::<Result<Vec<_>>>()?;
    Report::new(seed, (begun_at, lasted), &log, &ended)
}

/// Debian's libfaketime, installed if it is not there.
fn faked_clock() -> Result<PathBuf> {
    let processor = std::env::consts::ARCH;
    let library = PathBuf::from(format!("/usr/lib/{processor}-linux-gnu/faketime/libfaketime.so.1"));
    if !library.is_file() {
        install::apt(&["libfaketime"])?;
    }
    Ok(library)
}

/// What a run is made of.
#[derive(Debug)]
pub struct Programs {
    /// The program, as users have it.
    pub posthaste: PathBuf,
    /// Applications, consumers and links.
    pub instruments: PathBuf,
    /// A library that lies to a program about the time.
    pub clock: Option<PathBuf>,
}

impl Programs {
    /// All features, as the tests build it, so that nothing is built twice.
    fn build(release: bool) -> Result<Self> {
        let mut build = cargo("build --quiet --workspace --all-features --bin posthaste --example");
        build.arg(EXAMPLE);
        if release {
            build.arg("--release");
        }
        execute(&mut build)?;
        let built = Path::new("target").join(if release { "release" } else { "debug" });
        let absolute = |path: PathBuf| fs::canonicalize(&path).with_context(|| format!("no {}", path.display()));
        Ok(Self {
            posthaste: absolute(built.join("posthaste"))?,
            instruments: absolute(built.join("examples").join(EXAMPLE))?,
            clock: Some(faked_clock()?),
        })
    }
}
