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

pub use p5_advice as advice;
pub use p5_chips as model;
pub use p5_host::{native, perf};
pub use p5_image as image;
pub use p5_image::load;
pub use p5_machine as machine;
pub use p5_machine::instruments;
pub use p5_meaning::{exec, memory};
pub use p5_record as record;
pub use p5_report as report;
pub use p5_results as run;
pub use p5_samples as samples;
pub use p5_words::{descriptor, facts, fault, fpu, isa, mode, registers};
