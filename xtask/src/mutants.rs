//! Mutation testing of the engine, the rules and messages: cargo-mutants says what to change, and every change has to be noticed.
//!
//! What decides are the tests of the library without drivers, then the simulator. All mutants are in one build, because a build takes
//! longer than most mutants live; `cargo mutants` itself would need one for each. What has no place beside the original (in a constant,
//! or instead of an `impl Trait`) is not tried: it counts as what does not compile, and `target/mutants/refused.txt` says which that is.

use std::collections::BTreeMap;
use std::fs::File;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};

use self::build::Numbered;
use self::judge::{Judge, Verdict};
use self::mutant::Mutant;
use self::outcomes::Outcomes;

mod build;
mod compiler;
mod copy;
mod judge;
mod mutant;
mod outcomes;
mod record;
mod sites;
mod survivors;
mod tool;
mod weave;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only every Nth mutant, from the Kth on
    #[arg(long, value_name = "K/N", default_value = "1/1")]
    shard: String,
    /// Only mutants whose name contains one of these, such as `src/rules`
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// How many to try at once
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Put what is known of all mutants on record in `verification`; tries none
    #[arg(long, conflicts_with_all = ["only", "jobs"])]
    record: bool,
}

pub fn run(args: &Args) -> Result<()> {
    let mutants = mutant::list()?;
    let outcomes = Outcomes::read()?;
    if args.record {
        return record::record(&mutants, &outcomes);
    }
    let (shard, of) = shard(&args.shard)?;
    let is_wanted = |(number, mutant): &Numbered<'_>| {
        (number - 1) % of == shard - 1
            && (args.only.is_empty() || args.only.iter().any(|only| mutant.name.contains(only)))
    };
    let wanted: Vec<Numbered<'_>> = (1..).zip(&mutants).filter(is_wanted).collect();
    let untried: Vec<Numbered<'_>> =
        wanted.iter().copied().filter(|(_, mutant)| outcomes.of(mutant).is_none()).collect();
    println!("{} mutants, {} of them wanted, {} to try", mutants.len(), wanted.len(), untried.len());
    let known = Mutex::new((outcomes, outcomes::file(&args.shard)?));
    let trial = Trial { wanted, untried, next: AtomicUsize::new(0), known };
    trial.run(args.jobs)?;
    trial.tell();
    Ok(())
}

fn shard(text: &str) -> Result<(usize, usize)> {
    let numbers = text.split_once('/').and_then(|(shard, of)| Some((shard.parse().ok()?, of.parse().ok()?)));
    match numbers.context("a shard is K/N")? {
        (shard, of) if shard >= 1 && shard <= of => Ok((shard, of)),
        _ => bail!("of N shards, the first is 1 and the last is N"),
    }
}

/// The mutants that are tried now.
struct Trial<'a> {
    wanted: Vec<Numbered<'a>>,
    untried: Vec<Numbered<'a>>,
    next: AtomicUsize,
    known: Mutex<(Outcomes, File)>,
}

impl Trial<'_> {
    fn run(&self, jobs: usize) -> Result<()> {
        if self.untried.is_empty() {
            return Ok(());
        }
        let refuse = |mutant: &Mutant| self.note(mutant, (Verdict::Unviable, ""));
        let build = build::build(&self.wanted, self.refused_before(), refuse)?;
        let refused = self.wanted.iter().filter(|(number, _)| build.refused.contains_key(number));
        refused.into_iter().try_for_each(|(_, mutant)| refuse(mutant))?;
        let judge = Judge::new(&build);
        let work = || -> Result<()> {
            while let Some((number, mutant)) = self.untried.get(self.next.fetch_add(1, Ordering::Relaxed)) {
                if !build.refused.contains_key(number) {
                    self.note(mutant, judge.judge(*number)?)?;
                }
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("no thread panics"))
        })
    }

    /// What did not compile does not compile now, while its file is the same.
    fn refused_before(&self) -> BTreeMap<usize, String> {
        let (outcomes, _) = &*self.known.lock().expect("no thread panics while it notes");
        let refused = self.wanted.iter().filter(|(_, mutant)| outcomes.of(mutant) == Some(Verdict::Unviable));
        refused.map(|(number, _)| (*number, "refused before".to_owned())).collect()
    }

    fn note(&self, mutant: &Mutant, verdict: (Verdict, &str)) -> Result<()> {
        let (outcomes, file) = &mut *self.known.lock().expect("no thread panics while it notes");
        if outcomes.of(mutant) == Some(verdict.0) {
            return Ok(());
        }
        println!("{}: {}", record::name(Some(verdict.0)), mutant.name);
        outcomes.add(file, mutant, verdict)
    }

    /// Those that nobody noticed come last, so that they are seen.
    fn tell(&self) {
        let (outcomes, _) = &*self.known.lock().expect("no thread panics while it notes");
        let survivors = self.untried.iter().filter(|(_, mutant)| outcomes.of(mutant) == Some(Verdict::Survived));
        survivors.for_each(|(_, mutant)| println!("SURVIVED {}", mutant.name));
    }
}
