//! Clocks per instruction of a region of a Rust program: `cpi!`.
//!
//! Intel's processors count three things in counters of their own, and the two figures are defined by them. Instructions are
//! those that retired (INST_RETIRED.ANY): what was executed on a path that turned out wrong is not among them, and a repeated
//! string instruction is one. Core clocks (CPU_CLK_UNHALTED.CORE) are what the core's own clock does while the core is not
//! halted, at whatever frequency it runs just then. Reference clocks (CPU_CLK_UNHALTED.REF) advance at the rate of the time
//! stamp counter, and also only while the core is not halted, which is what tells them from the time stamp counter's ticks.
//!
//! * [`Cpi::non_halted`] is core clocks per instruction: what the code costs, whatever the frequency.
//! * [`Cpi::nominal`] is reference clocks per instruction: what it costs in time, at the nominal frequency.
//!
//! Their quotient is how much faster than nominal the core ran. Other makers' processors have the first two as well; where
//! nothing counts reference clocks, as on many of AMD's, `nominal` says so and `non_halted` is there nevertheless. The time
//! stamp counter is not put in their place, because it also advances while the core is halted, in the kernel, and while other
//! threads run.
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
/// The region's value goes through [`black_box`](core::hint::black_box) and is dropped after the end.
#[macro_export]
macro_rules! cpi {
    ($region:expr $(,)?) => {{
        let started = $crate::profile::Prepared::new([
            $crate::events::Countable::Event($crate::events::Event::INSTRUCTIONS_EXECUTED),
            $crate::events::Countable::HostEvent($crate::events::HostEvent::CORE_CLOCKS),
            $crate::events::Countable::HostEvent($crate::events::HostEvent::REFERENCE_CLOCKS),
        ])
        .start();
        #[allow(unused_braces)] // The region is a block by its nature.
        let _value = ::core::hint::black_box($region);
        $crate::cpi::Cpi::from(started.stop())
    }};
    ($($other:tt)*) => {
        ::core::compile_error!("cpi! takes a block: `cpi!({ .. })`")
    };
}

/// Instructions and clocks of a region, counted over one and the same interval in user mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "what was counted is told by its figures, or by printing it"]
pub struct Cpi {
    /// Instructions retired.
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
    /// The reason for which either is missing;
    /// [`Reason::NothingCounted`] if no instruction was left after the overhead.
    pub fn non_halted(&self) -> Result<f64, Unavailable> {
        self.core_clocks.per(&self.instructions)
    }

    /// Reference clocks per instruction.
    ///
    /// # Errors
    /// As for [`Cpi::non_halted`].
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
                // A missing number has said its reason above.
                Err(missing @ Unavailable(Reason::NothingCounted { .. })) => {
                    write!(out, "\n{clocks} per instruction: {missing}")?;
                }
                Err(_) => {}
            }
        }
        Ok(())
    }
}
