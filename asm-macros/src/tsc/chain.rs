//! Chains of dependent additions: the ruler for core clocks.
//!
//! Each addition needs the one before it and takes one core clock on every x86-64 processor. Register is added to register,
//! because some processors finish additions of small constants while they rename, in no clock at all.

use super::fence::Fence;
use super::ticks_of;
use crate::statistics::undisturbed_mean;
use core::arch::asm;

/// Additions of the longer of the two short chains.
pub(crate) const SHORT: u32 = 40;
/// Additions of one turn of the long chain.
pub(crate) const TURN: u32 = 500;

/// Runs a chain of `SHORT` dependent additions, or of half of them.
#[inline(always)]
pub(crate) fn short(half: bool) {
    // SAFETY: additions of registers that are declared.
    unsafe {
        if half {
            asm!(".rept 20", "add {sum}, {one}", ".endr", sum = inout(reg) 0u64 => _, one = in(reg) 1u64, options(nostack));
        } else {
            asm!(".rept 40", "add {sum}, {one}", ".endr", sum = inout(reg) 0u64 => _, one = in(reg) 1u64, options(nostack));
        }
    }
}

/// Runs a chain of `turns` times 500 dependent additions: as many core clocks.
#[inline(never)]
pub fn additions(turns: u32) {
    // SAFETY: additions and a count of registers that are declared; the loop's own two instructions run beside the chain.
    unsafe {
        asm!(
            "2:", ".rept 500", "add {sum}, {one}", ".endr", "sub {turns:e}, 1", "jnz 2b",
            sum = inout(reg) 0u64 => _, one = in(reg) 1u64, turns = inout(reg) turns.max(1) => _, options(nostack)
        );
    }
}

/// Ticks of one run of `2 * turns` turns, less those of `turns` turns: what `turns` turns take, without the probe.
pub(crate) fn ticks(fence: Fence, turns: u32) -> i64 {
    let short = ticks_of(fence, || additions(turns));
    let long = ticks_of(fence, || additions(2 * turns));
    long.wrapping_sub(short) as i64
}

/// How many core clocks pass in a tick of the time stamp counter, now: from the mean of 31 chains of 8,000 additions that were
/// not interrupted. About 0.2 milliseconds. The ratio changes with the core's clock, so measure it close to what it is to be
/// applied to.
pub fn core_clocks_per_tick() -> f64 {
    const TURNS: u32 = 16;
    additions(10 * TURNS);
    let mut samples = [0u64; 31];
    for sample in &mut samples {
        *sample = ticks(Fence::Lfence, TURNS).max(1) as u64;
    }
    samples.sort_unstable();
    f64::from(TURNS * TURN) / undisturbed_mean(&samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_that_of_a_processor() {
        let ratio = core_clocks_per_tick();
        assert!((0.2..8.0).contains(&ratio), "{ratio} core clocks a tick");
    }
}
