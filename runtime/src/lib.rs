//! A simulated Pentium for programs in Rust. What instructions do, when they do it and what is said of it are kept
//! apart; [`machine`] connects them.
//!
//! | to | use |
//! |---|---|
//! | make a program | [`image`]: bytes, symbols and lines; [`load`] reads programs of Linux and DOS |
//! | choose a chip | [`model`]: `MODELS`, each as plain data with its sources |
//! | run it | [`machine::simulate`] with [`machine::Options`], each of which documents its default |
//! | read the results | [`run`]: a closed `Run`; [`report`] writes it as text, JSON and in other formats |
//! | count events, audit measurements | [`instruments`] |
//! | record samples and ask questions | [`record`], [`samples`] |
//! | find other orders of instructions | [`advice`] |
//! | run it on this machine's processor | [`native`], [`perf`] |
//!
//! The packages that these names stand for are shown here as parts of this one, with `--no-deps` as well.
//!
//! Timing itself, in the crate `p5-timing`, is not part of this one: it has no meaning without a machine.
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

#[doc(inline)]
pub use p5_advice as advice;
#[doc(inline)]
pub use p5_chips as model;
#[doc(inline)]
pub use p5_host::{native, perf};
#[doc(inline)]
pub use p5_image as image;
#[doc(inline)]
pub use p5_image::load;
#[doc(inline)]
pub use p5_machine as machine;
#[doc(inline)]
pub use p5_machine::instruments;
#[doc(inline)]
pub use p5_meaning::{exec, memory};
#[doc(inline)]
pub use p5_record as record;
#[doc(inline)]
pub use p5_report as report;
#[doc(inline)]
pub use p5_results as run;
#[doc(inline)]
pub use p5_samples as samples;
#[doc(inline)]
pub use p5_words::{descriptor, facts, fault, fpu, isa, mode, registers};
