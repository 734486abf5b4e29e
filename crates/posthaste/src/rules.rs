//! The decisions that the engine, the stores and the operators' side share. All of them are pure functions.
//!
//! | rule | question |
//! |---|---|
//! | [`callback`] | What does an answer from outside do to a delivery that was handed over for one? |
//! | [`dead_letter`] | What does a dead-letter destination get of a message that died? |
//! | [`decide`] | What becomes of a delivery that failed? |
//! | [`operation`] | What does a replay or a discard do to a delivery of this status? |
//! | [`job`] | Who may carry out a job, and how does it go on? |
//! | [`status`] | Which status follows from a lane's cursor, its held keys and its parked deliveries? |
//! | [`due`] | When is a delivery due? |
//! | [`route`] | Which messages does a destination get? |
//! | [`source`] | What does an operator's change do to a source? |
//! | [`tenant`] | What does an operator's change do to the tenants of a destination? |
//! | `suspicion` | How does a message come to be dead for killing workers? |

pub mod callback;
pub mod dead_letter;
pub mod decide;
pub mod due;
pub mod job;
pub mod operation;
pub mod route;
pub mod source;
pub mod status;
pub(crate) mod suspicion;
pub mod tenant;
