//! One build of all mutants. Those that the compiler refuses are taken out until it is content.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::compiler::{self, Built, Objection};
use super::copy;
use super::mutant::Mutant;
use super::weave::{CHOICE, Fragment, LENIENCE, weave};

const LIBRARY: &str = "crates/posthaste/src/lib.rs";

/// The compiler tells of types before it looks at borrows, so that one look is not enough.
const MOST_LOOKS: usize = 20;

/// The program that has all mutants in it. A mutant is chosen by its number, which is its place in the list, from one.
#[derive(Debug)]
pub struct Build {
    pub tests: PathBuf,
    /// What the compiler, or the place, says against a mutant.
    pub refused: BTreeMap<usize, String>,
}

/// A mutant with its number.
pub type Numbered<'a> = (usize, &'a Mutant);

/// Builds these mutants but for those that are refused already.
/// Each refusal is told to `note` at once, because it takes the compiler a while to get so far.
pub fn build(
    mutants: &[Numbered<'_>],
    mut refused: BTreeMap<usize, String>,
    note: impl Fn(&Mutant) -> Result<()>,
) -> Result<Build> {
    copy::refresh()?;
    let library = [LENIENCE, &fs::read_to_string(LIBRARY)?, CHOICE].concat();
    copy::write(LIBRARY, library.as_bytes())?;
    for look in 1..=MOST_LOOKS {
        let fragments = weave_all(mutants, &mut refused)?;
        let errors = match compiler::build()? {
            Built::Tests(tests) => {
                let why =
                    |(number, mutant): &Numbered<'_>| Some(format!("{}: {}\n", mutant.name, refused.get(number)?));
                let told: String = mutants.iter().filter_map(why).collect();
                fs::write(Path::new(copy::FOLDER).join("refused.txt"), told)?;
                return Ok(Build { tests, refused });
            }
            Built::Refused(errors) => errors,
        };
        let blamed: BTreeMap<usize, String> = errors.iter().filter_map(|places| blame(&fragments, places)).collect();
        if blamed.is_empty() {
            bail!("no mutant is to blame: {:?}", errors[0]);
        }
        mutants.iter().filter(|(number, _)| blamed.contains_key(number)).try_for_each(|(_, mutant)| note(mutant))?;
        refused.extend(blamed);
        println!("look {look} of the compiler: {} errors, {} mutants refused", errors.len(), refused.len());
    }
    bail!("the compiler is still not content")
}

/// Weaves all mutants that are not refused, and tells where they are in each file.
fn weave_all(
    mutants: &[Numbered<'_>],
    refused: &mut BTreeMap<usize, String>,
) -> Result<BTreeMap<String, Vec<Fragment>>> {
    let files: BTreeSet<&String> = mutants.iter().map(|(_, mutant)| &mutant.file).collect();
    let mut fragments = BTreeMap::new();
    for file in files {
        let of_file = mutants.iter().filter(|(number, mutant)| mutant.file == *file && !refused.contains_key(number));
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {file}"))?;
        let of_file: Vec<Numbered<'_>> = of_file.copied().collect();
        let woven = weave(&text, &of_file).with_context(|| format!("cannot weave {file}"))?;
        copy::write(file, woven.text.as_bytes())?;
        refused.extend(woven.left_out.into_iter().map(|number| (number, "no place beside the original".to_owned())));
        fragments.insert(file.clone(), woven.fragments);
    }
    Ok(fragments)
}

/// The mutant in which an error is, or else the innermost one around it.
fn blame(fragments: &BTreeMap<String, Vec<Fragment>>, places: &[Objection]) -> Option<(usize, String)> {
    let of_file = |place: &Objection| fragments.get(&place.file).into_iter().flatten();
    let inside = |place: &&Objection| {
        let is_in = |fragment: &&Fragment| fragment.own.start <= place.start && place.end <= fragment.own.end;
        of_file(place).find(is_in).map(|fragment| (fragment.number, place.text.clone()))
    };
    let around = |place: &&Objection| {
        let is_around = |fragment: &&Fragment| fragment.around.start <= place.end && place.start <= fragment.around.end;
        let innermost = of_file(place).filter(is_around).min_by_key(|fragment| fragment.around.len());
        innermost.map(|fragment| (fragment.number, place.text.clone()))
    };
    places.iter().find_map(|place| inside(&place)).or_else(|| places.iter().find_map(|place| around(&place)))
}
