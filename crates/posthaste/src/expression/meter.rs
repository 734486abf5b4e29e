//! The bounds of an evaluation: steps, stack, and the size of values.
//!
//! The interpreter has no way to end early, and most of what builds a value cannot fail. So whatever goes beyond a bound unwinds, without
//! the message of a panic, to the one place that catches it: [`metered`].

use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use jaq_core::{DataT, Lut};

use super::Errors;
use super::value::Value;

/// Steps of one evaluation: about a tenth of a second.
const STEPS: u64 = 500_000;
/// What a plain program may use of its caller's stack. The smallest stack that a runtime gives is 2 MiB.
pub(super) const PLAIN_STACK: usize = 384 << 10;
/// What any other program may use of the stack that it gets. The rest of it is for giving back what the program built: that goes
/// as deep as a program has steps, where it passes itself from call to call.
pub(super) const OWN_STACK: usize = 32 << 20;
const WHOLE_STACK: usize = 256 << 20;

thread_local! {
    static STEPS_LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
    /// No step may stand lower on the stack than this.
    static STACK_END: Cell<usize> = const { Cell::new(0) };
    static SHOWN: RefCell<Option<(Arc<str>, Errors)>> = const { RefCell::new(None) };
}

/// Which bound an evaluation went beyond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exceeded {
    Steps,
    Stack,
    Size,
    Depth,
    Results,
    /// A mistake in the interpreter.
    Panic,
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Steps => "it takes too many steps",
            Self::Stack => "it calls itself too deep",
            Self::Size => "it makes a value that is too large",
            Self::Depth => "it makes a value that is nested too deep",
            Self::Results => "it has too many results",
            Self::Panic => "the interpreter of expressions failed",
        })
    }
}

/// What is evaluated: programs over [`Value`]s, whose every step is counted.
pub(super) struct Metered;

impl DataT for Metered {
    type V<'a> = Value;
    type Data<'a> = Program<'a>;
}

/// A program. The interpreter asks for it at each step.
#[derive(Clone, Copy)]
pub(super) struct Program<'a>(&'a Lut<Metered>);

impl<'a> Program<'a> {
    pub(super) fn new(table: &'a Lut<Metered>) -> Self {
        Self(table)
    }
}

impl<'a> jaq_core::data::HasLut<'a, Metered> for Program<'a> {
    fn lut(&self) -> &'a Lut<Metered> {
        spend(1);
        if stack_pointer() < STACK_END.get() {
            stop(Exceeded::Stack);
        }
        self.0
    }
}

/// Where the stack has come to.
#[inline(never)]
fn stack_pointer() -> usize {
    let here = 0_u8;
    std::ptr::from_ref(&here).addr()
}

/// Runs something under the bounds of one evaluation of the expression `source`.
pub(super) fn metered<T>(
    source: &Arc<str>,
    errors: Errors,
    stack: usize,
    run: impl FnOnce() -> T,
) -> Result<T, Exceeded> {
    STEPS_LEFT.set(STEPS);
    STACK_END.set(stack_pointer().saturating_sub(stack));
    SHOWN.set(Some((source.clone(), errors)));
    let result = catch_unwind(AssertUnwindSafe(run));
    STEPS_LEFT.set(u64::MAX);
    STACK_END.set(0);
    SHOWN.set(None);
    result.map_err(|thrown| thrown.downcast().map_or(Exceeded::Panic, |exceeded| *exceeded))
}

/// Gives something a large stack of its own. Costs some microseconds.
pub(super) fn with_stack<T>(run: impl FnOnce() -> T) -> T {
    stacker::grow(WHOLE_STACK, run)
}

/// Counts steps. Does not come back when there are none left.
pub(super) fn spend(steps: u64) {
    match STEPS_LEFT.get().checked_sub(steps) {
        Some(left) => STEPS_LEFT.set(left),
        None => stop(Exceeded::Steps),
    }
}

/// Ends the evaluation.
pub(super) fn stop(exceeded: Exceeded) -> ! {
    resume_unwind(Box::new(exceeded))
}

/// Whether an error may show this text: it is the expression's own, or everything may be shown.
pub(super) fn may_show(text: &str) -> bool {
    SHOWN.with_borrow(|shown| shown.as_ref().is_some_and(|(source, errors)| is_frank(*errors) || source.contains(text)))
}

/// Whether errors show values as they are.
pub(super) fn shows_values() -> bool {
    SHOWN.with_borrow(|shown| shown.as_ref().is_some_and(|(_, errors)| is_frank(*errors)))
}

fn is_frank(errors: Errors) -> bool {
    errors == Errors::Frank
}
