//! Clocks per instruction of a region of a Rust program: `cpi!`.
//!
//! Intel processors have fixed counters for three events, which define the two figures. Instructions are those that
//! retired (INST_RETIRED.ANY): instructions on a mispredicted path are not included, and a repeated string instruction
//! is one. Core clocks (CPU_CLK_UNHALTED.CORE) are the clocks of the core while it is not halted, at its current
//! frequency. Reference clocks (CPU_CLK_UNHALTED.REF) advance at the rate of the time stamp counter but, unlike it,
//! only while the core is not halted.
//!
//! * [`Cpi::non_halted`] is core clocks per instruction: the cost of the code regardless of frequency.
//! * [`Cpi::nominal`] is reference clocks per instruction: its cost in time, at the nominal frequency.
//!
//! Their quotient is how much faster than nominal the core ran. Processors of other vendors have the first two events
//! as well. On those that do not count reference clocks, such as many by AMD, `nominal` says so and `non_halted`
//! remains available. The time stamp counter does not replace them, because it also advances while the core is halted,
//! in the kernel, and while other threads run.
//!
//! ```
//! use asm_macros::cpi;
//! use std::hint::black_box;
//!
//! let cpi = cpi!({ (0..black_box(1000u32)).fold(1, |product: u32, next| product.wrapping_mul(next | 1)) });
//! println!("{cpi}");
//! match cpi.non_halted() {
//!     Ok(clocks) => assert!(clocks > 0.1),
//!     Err(missing) => println!("not measured here, {missing}"),
//! }
//! ```

use crate::profile::{Reading, Stopped};
use crate::reason::{Reason, Unavailable};
use core::fmt;

/// Counts instructions and clocks over a region: `cpi!({ region })` is a [`Cpi`](crate::cpi::Cpi).
///
/// The value of the region goes through [`black_box`](core::hint::black_box) and is dropped after the end.
///
/// # Constants
///
/// The compiler computes in advance what it can, and nothing of that is counted. Pass the inputs through `black_box`:
///
/// ```
/// use asm_macros::cpi;
/// use std::hint::black_box;
///
/// let constant = cpi!({ (1..=1000u64).sum::<u64>() }); // not what was meant: 500500 is in the program
/// let computed = cpi!({ (1..=black_box(1000u64)).sum::<u64>() });
/// println!("{constant}\n{computed}");
/// ```
#[macro_export]
macro_rules! cpi {
    ($region:expr $(,)?) => {{
        let started = $crate::profile::Prepared::new([
            $crate::events::Countable::Event($crate::events::Event::INSTRUCTIONS_EXECUTED),
            $crate::events::Countable::HostEvent($crate::events::HostEvent::CORE_CLOCKS),
            $crate::events::Countable::HostEvent($crate::events::HostEvent::REFERENCE_CLOCKS),
        ])
        .start();
        #[allow(unused_braces)] // The region is always a block.
        let _value = ::core::hint::black_box($region);
        $crate::cpi::Cpi::from(started.stop())
    }};
    ($($other:tt)*) => {
        ::core::compile_error!("cpi! takes a block: `cpi!({ .. })`")
    };
}

/// Instructions and clocks of a region, counted over the same interval in user mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "the counts have no effect unless they are printed or read"]
pub struct Cpi {
    /// The instructions that retired in user mode.
    pub instructions: Reading,
    /// Clocks of the core while it was not halted.
    pub core_clocks: Reading,
    /// Reference clocks while the core was not halted.
    pub reference_clocks: Reading,
}

impl Cpi {
    /// Core clocks per instruction.
    ///
    /// # Errors
    /// The reason why either count is missing, or [`Reason::NothingCounted`] if no instruction was counted net of
    /// overhead.
    pub fn non_halted(&self) -> Result<f64, Unavailable> {
        self.core_clocks.per(&self.instructions)
    }

    /// Reference clocks per instruction.
    ///
    /// # Errors
    /// The same errors as [`Cpi::non_halted`].
    pub fn nominal(&self) -> Result<f64, Unavailable> {
        self.reference_clocks.per(&self.instructions)
    }
}

impl From<Stopped<3>> for Cpi {
    fn from(stopped: Stopped<3>) -> Cpi {
        let [instructions, core_clocks, reference_clocks] = stopped.readings();
        Cpi {
            instructions,
            core_clocks,
            reference_clocks,
        }
    }
}

impl fmt::Display for Cpi {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let readings = [self.instructions, self.core_clocks, self.reference_clocks];
        if let Err(reason) = readings[0].counted
            && readings.iter().all(|reading| reading.counted == readings[0].counted)
        {
            return write!(out, "instructions and clocks: {reason}");
        }
        let [instructions, core_clocks, reference_clocks] = readings;
        write!(out, "{instructions}\n{core_clocks}\n{reference_clocks}")?;
        for (figure, clocks) in [(self.non_halted(), "core clocks"), (self.nominal(), "reference clocks")] {
            match figure {
                Ok(figure) => write!(out, "\n{figure:.2} {clocks} per instruction")?,
                // The loop above has printed the reason for a missing number.
                Err(missing @ Unavailable(Reason::NothingCounted { .. })) => {
                    write!(out, "\n{clocks} per instruction: {missing}")?;
                }
                Err(_) => {}
            }
        }
        Ok(())
    }
}
