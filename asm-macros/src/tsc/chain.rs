//! Chains of dependent additions, which measure core clocks.
//!
//! Each addition depends on the previous one and takes one core clock on every x86-64 processor. Both operands are
//! registers, because some processors execute additions of small constants during renaming, in no clock at all.

use super::fence::Fence;
use super::ticks_of;
use crate::statistics::undisturbed_mean;
use core::arch::asm;

/// The additions in the longer of the two short chains.
pub(crate) const SHORT: u32 = 40;
/// The additions in one turn of the long chain.
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

/// Runs a chain of `turns` times 500 dependent additions, which takes as many core clocks.
#[inline(never)]
pub fn additions(turns: u32) {
    // SAFETY: changes declared registers only. The two loop instructions execute in parallel with the chain.
    unsafe {
        asm!(
            "2:", ".rept 500", "add {sum}, {one}", ".endr", "sub {turns:e}, 1", "jnz 2b",
            sum = inout(reg) 0u64 => _, one = in(reg) 1u64, turns = inout(reg) turns.max(1) => _, options(nostack)
        );
    }
}

/// The ticks of a run of `turns` turns and of a run of twice as many.
fn pair(fence: Fence, turns: u32) -> [u64; 2] {
    [turns, 2 * turns].map(|turns| ticks_of(fence, || additions(turns)))
}

/// The ticks of a run of `2 * turns` turns minus those of a run of `turns` turns: the cost of `turns` turns without the
/// probe. It may be 0 or negative if the shorter run was interrupted.
pub(crate) fn ticks(fence: Fence, turns: u32) -> i64 {
    let [short, long] = pair(fence, turns);
    long.wrapping_sub(short) as i64
}

/// The median of three [`ticks`], so that one interruption does no harm. At least 1.
#[cfg(feature = "criterion")]
pub(crate) fn steady_ticks(fence: Fence, turns: u32) -> u64 {
    let mut three = [0; 3].map(|_: i64| ticks(fence, turns));
    three.sort_unstable();
    u64::try_from(three[1]).unwrap_or(0).max(1)
}

/// Measures the current core clocks per tick of the time stamp counter, from the mean of the uninterrupted ones of 31
/// chains of 8,000 additions. Takes about 0.2 milliseconds. The ratio changes with the frequency of the core, so
/// measure it close to the code that it is applied to.
pub fn core_clocks_per_tick() -> f64 {
    const TURNS: u32 = 16;
    additions(10 * TURNS);
    let mut shorter = [0u64; 31];
    let mut longer = [0u64; 31];
    for (short, long) in shorter.iter_mut().zip(&mut longer) {
        [*short, *long] = pair(Fence::Lfence, TURNS);
    }
    ratio(&mut shorter, &mut longer, TURNS)
}

/// The ratio from the two lengths of chain, each averaged separately: an interrupted shorter chain would make the
/// difference of a pair too small, which could not be detected.
fn ratio(shorter: &mut [u64], longer: &mut [u64], turns: u32) -> f64 {
    shorter.sort_unstable();
    longer.sort_unstable();
    f64::from(turns * TURN) / (undisturbed_mean(longer) - undisturbed_mean(shorter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interruption_of_either_chain_leaves_the_ratio() {
        let (mut shorter, mut longer) = ([5_030u64; 31], [10_030u64; 31]);
        assert_eq!(ratio(&mut shorter, &mut longer, 16), 1.6);
        shorter[7] = 90_000;
        longer[9] = 400_000;
        assert_eq!(ratio(&mut shorter, &mut longer, 16), 1.6);
    }

    #[test]
    fn the_ratio_is_that_of_a_processor() {
        let ratio = core_clocks_per_tick();
        assert!((0.2..8.0).contains(&ratio), "{ratio} core clocks a tick");
    }
}
