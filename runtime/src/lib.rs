//! A Pentium in three independent parts, which `machine` connects: semantics (`exec`), timing (`pipeline`, `units`) and
//! reporting (`report`).
//!
//! ```
//! use runtime::image::{Image, Segment};
//! use runtime::{machine, model};
//!
//! // mov eax,1; mov edx,2; mov ecx,3; mov ebx,4
//! let bytes = vec![0xB8, 1, 0, 0, 0, 0xBA, 2, 0, 0, 0, 0xB9, 3, 0, 0, 0, 0xBB, 4, 0, 0, 0];
//! let code = Segment { name: "code".to_owned(), address: 0x1000, bytes, zeroes: 0, writable: true };
//! let image = Image { entry: 0x1000, end: Some(0x1014), segments: vec![code], ..Image::default() };
//! let run = machine::simulate(&image, "moves", model::MODELS[0], &machine::Options::default(), &mut |_| {});
//! assert_eq!((run.whole.totals.cycles, run.whole.totals.u, run.whole.totals.v), (2, 2, 2));
//! ```

pub mod advice;
mod block;
mod counters;
pub mod descriptor;
pub mod exec;
pub mod facts;
pub mod fault;
mod flags;
pub mod fpu;
pub mod image;
pub mod instruments;
pub mod isa;
mod kept;
pub mod load;
pub mod machine;
pub mod memory;
pub mod mode;
pub mod model;
mod monitor;
pub mod native;
pub mod perf;
mod pipeline;
mod recorded;
mod records;
pub mod registers;
pub mod report;
pub mod run;
pub mod samples;
mod services;
mod units;
