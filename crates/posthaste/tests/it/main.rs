//! Everything that is tested from outside the library, as one program: it links once.

mod sinks;
