//! The tests of the whole project, in one program: each of these modules is a subject.

mod asm;
mod astray;
mod book;
mod bounds;
#[path = "../../instrumenter/tests/consumers/mod.rs"]
mod consumers;
mod counters;
mod debug_registers;
mod engines;
mod event_counts;
mod figures;
mod formats;
mod geometry;
mod long_runs;
mod oracle;
mod programs;
mod protected_mode;
mod reports;
mod sampling;
mod shutdowns;
mod stimuli;
mod tables;
mod tidy;
mod tutorials;
mod word_count;
mod your_own_machine;
