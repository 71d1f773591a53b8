//! A plain function for loops in the style of divan: calls a closure so often that the step of the counter is
//! irrelevant.

use crate::measure::{Measurement, Plan, RUNS, once, run};
use crate::tsc::Fence;

/// Measures the cost of one call of `code` and hides its value from the optimiser. The number and length of the series
/// are chosen automatically, as divan does; see [`mod@crate::measure`] for how.
///
/// Pass the inputs of `code` through `black_box`, as below: the compiler computes in advance what it can, and only the
/// constant is left to measure.
///
/// The loop around the call is included in the result, about one core clock. If that matters, use
/// [`measure!`](crate::measure!), which unrolls.
///
/// ```
/// use asm_macros::bench;
/// use std::hint::black_box;
///
/// let words = bench::time(|| black_box("a few words").split(' ').count());
/// println!("{words}");
/// ```
pub fn time<T>(mut code: impl FnMut() -> T) -> Measurement {
    let plan = Plan {
        unroll: 1,
        runs: RUNS,
        fence: Fence::here(),
        debug: cfg!(debug_assertions),
        handed: None,
    };
    run(plan, |double, repeats| {
        for _ in 0..u64::from(repeats) << u32::from(double) {
            once(&mut code);
        }
        true
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_the_work_takes_about_twice_as_long() {
        let chain = |turns| move || crate::tsc::additions(turns);
        for _ in 0..10 {
            let (once, twice) = (time(chain(2)).core_clocks(), time(chain(4)).core_clocks());
            if once.is_quiet() && twice.is_quiet() {
                let ratio = twice.median / once.median;
                assert!((1.9..2.1).contains(&ratio), "{once}; {twice}");
                return;
            }
        }
        eprintln!("skipped: the machine was never idle");
    }
}
