//! `posthaste jobs`: replays and discards of many, how far they are, and stopping them.

use posthaste::inspect::{Job, JobState, Operation};

use crate::clock;
use crate::context::Context;
use crate::exit::Exit;
use crate::operator::{self, JobAnswer};
use crate::output::paint::Hue;
use crate::output::table::{Field, Table};
use crate::output::{plain, thousands, when};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// How many to show at most, the latest first
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    limit: u32,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Show one job
    Show {
        /// Its number, as `posthaste jobs` shows it
        #[arg(value_name = "NUMBER")]
        number: u64,
    },
    /// Stop a job; what it has done stays
    Stop {
        /// Its number, as `posthaste jobs` shows it
        #[arg(value_name = "NUMBER")]
        number: u64,
    },
}

pub async fn execute(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    let operator = context.operator().await?;
    let jobs = match args.command {
        Some(Command::Show { number }) => vec![operator.job(number).await?],
        Some(Command::Stop { number }) => vec![operator.stop_job(&operator::user(), number).await?],
        None => operator.jobs(None, args.limit as usize).await?,
    };
    if context.output.json {
        jobs.into_iter().try_for_each(|job| context.output.document(&JobAnswer::from(job)))?;
        return Ok(Exit::Ok);
    }
    if jobs.is_empty() {
        context.output.note("No jobs: `posthaste replay --yes` and `posthaste discard --yes` make them.");
        return Ok(Exit::Ok);
    }
    context.output.table(&table(&jobs))?;
    Ok(Exit::Ok)
}

fn table(jobs: &[Job]) -> Table {
    let now = clock::now();
    let mut table =
        Table::new([">JOB", "STATE", "OPERATION", ">DONE", ">OF", ">LEFT ALONE", "WHO", "CREATED", "WORKER", "WHICH"]);
    for job in jobs {
        table.row([
            Field::from(job.number),
            state(job.state),
            Field::from(name(job.operation)),
            Field::from(thousands(job.affected)),
            Field::from(job.expected.map_or("-".into(), thousands)),
            Field::from(thousands(job.not_applicable)),
            Field::from(&job.who),
            Field::from(when::relative(job.created_at, now)),
            Field::from(job.worker.as_deref().unwrap_or("-")),
            Field::from(plain::cut(&job.query, 60)),
        ]);
    }
    table
}

fn name(operation: Operation) -> &'static str {
    match operation {
        Operation::Replay => "replay",
        Operation::Discard => "discard",
    }
}

fn state(state: JobState) -> Field {
    let (name, hue) = match state {
        JobState::Waiting => ("waiting", Hue::Waiting),
        JobState::Running => ("running", Hue::Strong),
        JobState::Done => ("done", Hue::Good),
        JobState::Stopped => ("stopped", Hue::Bad),
    };
    Field::from(name).hue(hue)
}
