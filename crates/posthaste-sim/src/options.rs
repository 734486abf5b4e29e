//! What the command line says.

use posthaste::simulator::Listed;
use posthaste::simulator::exhaustive::SmallWorld;

/// The options, which `cargo xtask sim --help` explains.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) schedules: u64,
    /// Draw schedules for so long, however many that is.
    pub(crate) hours: Option<f64>,
    pub(crate) seed: u64,
    pub(crate) json: bool,
    pub(crate) trace: bool,
    pub(crate) planted: bool,
    pub(crate) exhaustive: bool,
    pub(crate) depth: Option<usize>,
    pub(crate) world: Option<&'static SmallWorld>,
    pub(crate) choices: Listed,
}

impl Options {
    pub(crate) fn read() -> Result<Self, String> {
        let mut options = Self {
            schedules: 10_000,
            hours: None,
            seed: 1,
            json: false,
            trace: false,
            planted: false,
            exhaustive: false,
            depth: None,
            world: None,
            choices: Listed::default(),
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            options.take(&word, &mut words)?;
        }
        Ok(options)
    }

    fn take(&mut self, word: &str, words: &mut impl Iterator<Item = String>) -> Result<(), String> {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        let number = |value: String| value.parse().map_err(|_| format!("{word} needs a number"));
        match word {
            "--schedules" => self.schedules = number(value()?)?,
            "--hours" => self.hours = Some(value()?.parse().map_err(|_| format!("{word} needs a number"))?),
            "--seed" => self.seed = number(value()?)?,
            "--depth" => self.depth = Some(number(value()?)? as usize),
            "--world" => self.world = Some(world(&value()?)?),
            "--choices" => self.choices = value()?.parse()?,
            "--json" => self.json = true,
            "--trace" => self.trace = true,
            "--planted" => self.planted = true,
            "--exhaustive" => self.exhaustive = true,
            _ => return Err(format!("unknown option {word}")),
        }
        Ok(())
    }
}

fn world(name: &str) -> Result<&'static SmallWorld, String> {
    let known = || SmallWorld::ALL.iter().map(|world| world.name).collect::<Vec<_>>().join(", ");
    SmallWorld::named(name).ok_or_else(|| format!("no world {name}; there are {}", known()))
}
