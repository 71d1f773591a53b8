//! `measure!`, and what its expansion calls.

use super::{FEWEST, MOST_RUNS};

/// Runs one copy of the code. It is a closure, so that a `break` in the code cannot leave the series.
#[doc(hidden)]
#[inline(always)]
pub fn once<T>(code: impl FnOnce() -> T) {
    super::result::used(code());
}

/// The number in `runs = 301`, checked when the program is compiled.
#[doc(hidden)]
pub const fn runs_of_literal(runs: u32) -> u32 {
    assert!(
        runs >= FEWEST && runs <= MOST_RUNS as u32,
        "`runs` of measure! is 11 to 1001"
    );
    runs
}

/// Measures the cost of one execution of a block by executing it very often: `measure!({ ... })` is a
/// [`Measurement`](crate::measure::Measurement).
///
/// Any of these may precede the block, each followed by a comma:
///
/// * `unroll = 8`: the number of copies of the block, 1, 2, 4 (the default), 8, 16, 32 or 64. The longer series has
///   twice as many.
/// * `runs = 301`: 11 to 1001, 101 by default. Another number does not compile; of an expression that is known only
///   when the program runs, it counts as the nearest of these. A block that takes very long gets fewer runs, but at
///   least 11.
/// * `fence = lfence`: `lfence`, `rdtscp`, `cpuid` or `none`; see [`Fence`](crate::tsc::Fence).
/// * `chain = x`: the variable, a number, that each execution takes from the one before, in a copy; see
///   [below](#chains).
/// * `walk = x`: the same of a walk through memory, which goes on from series to series; see [below](#walks).
///
/// The block runs many thousand times, so it must leave its inputs usable, and each execution must do the same work: to
/// measure over a list, go over all of it in the block. It cannot leave the enclosing function: `?`,
/// `break` and `await` do not compile, and `return` ends only the current copy.
///
/// Executions that do not need each other's results overlap, as the processor has room: the figure is then the clocks
/// from one to the next, which may be far fewer than one takes from begin to end. If an execution depends on the
/// previous one, that latency is part of the result: a chain is measured as a chain, and `chain = x` makes one. The
/// display of a measurement without `chain` says so. An empty block, and one of a small fraction
/// of a clock, is displayed as [too short to judge](crate::measure::Measurement::is_too_short).
///
/// Of code that takes less than a clock, the processor executes parts of the loop and of the next copies at the same
/// time, and the variables of an `in(reg)` are loaded again in each copy: such figures are off by up to a half. Repeat
/// the instruction within one `asm!`, as `".rept 100", "popcnt {0}, {1}", ".endr"`, and divide.
///
/// A body longer than the time slice of the system loses the processor in every run on a busy machine, which Linux
/// tells: it is too noisy to judge then. `unroll = 1` makes the series as short as they can be.
///
/// ```
/// use asm_macros::measure;
/// use std::arch::asm;
///
/// let number = 3u64;
/// let product = measure!(chain = number, unroll = 8, runs = 21, {
///     // SAFETY: multiplies registers.
///     unsafe { asm!("imul {0}, {0}", inout(reg) number) }
/// });
/// assert!(product.core_clocks().median > 0.5);
/// println!("{product}");
/// ```
///
/// # Chains
///
/// A variable that the block changes lies in memory between two executions: each one stores it, and the next one
/// loads it, in inline assembly as in Rust. Some processors do so in no time for integers, but not for
/// floating-point numbers: a chain of multiplications of three clocks may take twelve so. With `chain = x` the
/// variable stays in a register, and its value after the measurement is the one before it, because each series
/// takes a copy: a variable that nothing else changes needs no `mut`, of which the compiler would warn.
///
/// ```
/// use asm_macros::measure;
///
/// let mut x = 1.0f64;
/// let with_memory = measure!(runs = 21, { x *= 1.000001 });
/// let product = measure!(chain = x, runs = 21, { x *= 1.000001 });
/// println!("{with_memory}\n{product}");
/// ```
///
/// ```
/// #![deny(unused_mut)]
/// use asm_macros::measure;
///
/// let x = 1.0f64;
/// println!("{}", measure!(chain = x, runs = 21, { x *= 1.000001 }));
/// ```
///
/// # Walks
///
/// Each series of `chain = x` starts again with the same number, so that no number grows until it is infinite. Of a
/// walk through memory it takes the same few thousand steps each time, which are *warm*: they stay in the cache however
/// large the memory is, and the result says so. `walk = x` goes on where the series before has ended:
///
/// ```
/// use asm_macros::measure;
///
/// // One cycle through all of it, in an order that no processor guesses: the indices times an odd number, plus one.
/// let count = 1usize << 20;
/// let next: Vec<u32> = (0..count).map(|at| ((at * 1_664_525 + 1_013_904_223) % count) as u32).collect();
/// let at = 0usize;
/// let warm = measure!(chain = at, runs = 21, { at = next[at] as usize });
/// let whole = measure!(walk = at, runs = 21, { at = next[at] as usize });
/// println!("{warm}\n{whole}");
/// ```
///
/// The walk has to be through more memory than the cache holds. Its steps may differ in cost, so that the deviation is
/// that of the steps as well, and there is no least cost. `x` is a number or a raw pointer, as of a linked list; the
/// block works on a copy of it here, too, and it is what it was afterwards. For arithmetic `chain` is right: `walk = x`
/// of `x *= 1.5` measures infinity.
///
/// # Constants
///
/// The compiler computes what it can in advance, within one copy and across copies, and the measurement is then that of
/// loading a constant. Pass the inputs through `black_box`, or write inline assembly:
///
/// ```
/// use asm_macros::measure;
/// use std::hint::black_box;
///
/// let constant = measure!(runs = 21, { 10u64.pow(9) }); // not what was meant: 1000000000 is in the program
/// let computed = measure!(runs = 21, { black_box(10u64).pow(black_box(9)) });
/// println!("{constant}\n{computed}");
/// ```
///
/// # What does not compile
///
/// Numbers of runs and of copies out of range, options after the block, and a block that moves a variable, for which a
/// single message names the variable:
///
/// ```compile_fail
/// let few = asm_macros::measure!(runs = 5, { 1 + 1 });
/// # let _ = few;
/// ```
///
/// ```compile_fail
/// let late = asm_macros::measure!({ 1 + 1 }, unroll = 4);
/// # let _ = late;
/// ```
///
/// ```compile_fail,E0525
/// let numbers = vec![3, 1, 2];
/// let moved = asm_macros::measure!({
///     let mut copy = numbers;
///     copy.sort();
///     copy
/// });
/// # let _ = moved;
/// ```
#[macro_export]
macro_rules! measure {
    (@ [$unroll:tt $runs:expr, $fence:tt $handed:tt] unroll = $new:tt, $($rest:tt)+) => {
        $crate::measure!(@ [$new $runs, $fence $handed] $($rest)+)
    };
    (@ [$unroll:tt $runs:expr, $fence:tt $handed:tt] runs = $new:literal, $($rest:tt)+) => {
        $crate::measure!(@ [$unroll const { $crate::measure::runs_of_literal($new) }, $fence $handed] $($rest)+)
    };
    (@ [$unroll:tt $runs:expr, $fence:tt $handed:tt] runs = $new:expr, $($rest:tt)+) => {
        $crate::measure!(@ [$unroll $new, $fence $handed] $($rest)+)
    };
    (@ [$unroll:tt $runs:expr, $fence:tt $handed:tt] fence = $new:ident, $($rest:tt)+) => {
        $crate::measure!(@ [$unroll $runs, [$new] $handed] $($rest)+)
    };
    (@ [$unroll:tt $runs:expr, $fence:tt []] chain = $new:ident, $($rest:tt)+) => {
        $crate::measure!(@ [$unroll $runs, $fence [chain $new]] $($rest)+)
    };
    (@ [$unroll:tt $runs:expr, $fence:tt []] walk = $new:ident, $($rest:tt)+) => {
        $crate::measure!(@ [$unroll $runs, $fence [walk $new]] $($rest)+)
    };
    (@ [$unroll:tt $runs:expr, $fence:tt []] $block:block $(,)?) => {
        $crate::measure!(@@ [$unroll $runs, $fence] ::core::option::Option::None, |double, repeats| [] [] $block)
    };
    // The copy of the variable is local to the series, so that nothing keeps it in memory.
    (@ [$unroll:tt $runs:expr, $fence:tt [chain $chain:ident]] $block:block $(,)?) => {
        $crate::measure!(@@ [$unroll $runs, $fence]
            ::core::option::Option::Some(&$crate::measure::Handed::Chain(::core::stringify!($chain))),
            |double, repeats| [
            let mut $chain = $chain;
            if repeats == 0 {
                let before = $chain;
                $crate::measure::once(|| $block);
                return $crate::measure::differ(before, $chain);
            }
        ] [] {
            let value = $block;
            $chain = $crate::measure::held($chain);
            value
        })
    };
    (@ [$unroll:tt $runs:expr, $fence:tt [walk $walk:ident]] $block:block $(,)?) => {{
        let mut reached = $walk;
        $crate::measure!(@@ [$unroll $runs, $fence]
            ::core::option::Option::Some(&$crate::measure::Handed::Walk(::core::stringify!($walk))),
            |double, repeats| [
            let mut $walk = reached;
            if repeats == 0 {
                $crate::measure::once(|| $block);
                return $crate::measure::differ(reached, $walk);
            }
        ] [reached = $walk;] {
            let value = $block;
            $walk = $crate::measure::held($walk);
            value
        })
    }};
    (@@ [$unroll:tt $runs:expr, [$($fence:ident)?]] $handed:expr,
        |$double:ident, $repeats:ident| [$($before:tt)*] [$($after:tt)*] $block:block
    ) => {{
        // Nothing is expected of this closure, so that one message says which variable the block moves, if it does.
        let code = |$double: bool, $repeats: u32| -> bool {
            $($before)*
            if $double {
                for _ in 0..$repeats {
                    $crate::__unroll_twice!($unroll, $block);
                }
            } else {
                for _ in 0..$repeats {
                    $crate::__unroll!($unroll, $block);
                }
            }
            $($after)*
            true
        };
        $crate::measure::run(
            $crate::measure::Plan {
                unroll: $unroll,
                runs: $runs,
                fence: $crate::__fence!($($fence)?),
                debug: ::core::cfg!(debug_assertions),
                handed: $handed,
            },
            code,
        )
    }};
    (@ $state:tt $block:block, $($rest:tt)+) => {
        ::core::compile_error!("the block of measure! comes last: `measure!(unroll = 8, { .. })`")
    };
    (@ $state:tt $($other:tt)*) => {
        ::core::compile_error!(
            "measure! takes `unroll = ..`, `runs = ..`, `fence = ..`, one of `chain = VARIABLE` and `walk = VARIABLE`, \
             and then a block in braces"
        )
    };
    ($($arguments:tt)*) => {
        $crate::measure!(@ [4 $crate::measure::RUNS, [] []] $($arguments)*)
    };
}
