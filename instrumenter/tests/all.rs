//! The tests of the command and the assembler, in one program: each of these modules is a subject.

mod advice;
mod assumptions;
mod astray;
mod audit;
mod beyond;
mod blocks;
mod bounds;
mod budgets;
mod budgets_of_programs;
mod build;
mod callers;
mod changed_code;
mod check;
mod command;
mod compare;
mod consumers;
mod counted_macros;
mod counters;
mod engine_choice;
mod final_states;
mod fragments;
mod host;
mod host_library;
mod host_sample;
#[cfg(unix)]
mod hostile;
mod hot_part;
mod inner_rounds;
mod input_of_programs;
#[cfg(unix)]
mod interrupted_sweep;
mod library;
mod long_output;
#[cfg(unix)]
mod makefiles;
mod objects;
mod orders;
mod outputs;
mod readme;
mod report_texts;
mod run_reports;
mod sampled;
mod samples;
mod schemas;
mod shells;
mod shown_folder;
mod sources_of_programs;
mod started;
mod study;
mod sure;
mod sweep;
mod sweep_sources;
mod time_of_programs;
mod tips;
mod watch;
mod widths;
