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

/// Ticks of one run of `turns` turns and of one of twice as many.
fn pair(fence: Fence, turns: u32) -> [u64; 2] {
    [turns, 2 * turns].map(|turns| ticks_of(fence, || additions(turns)))
}

/// Ticks of one run of `2 * turns` turns, less those of `turns` turns: what `turns` turns take, without the probe. Not above 0 if
/// the shorter run was interrupted.
pub(crate) fn ticks(fence: Fence, turns: u32) -> i64 {
    let [short, long] = pair(fence, turns);
    long.wrapping_sub(short) as i64
}

/// [`ticks`], the median of three: an interruption of one does no harm. At least 1.
#[cfg(feature = "criterion")]
pub(crate) fn steady_ticks(fence: Fence, turns: u32) -> u64 {
    let mut three = [0; 3].map(|_: i64| ticks(fence, turns));
    three.sort_unstable();
    u64::try_from(three[1]).unwrap_or(0).max(1)
}

/// How many core clocks pass in a tick of the time stamp counter, now: from the mean of 31 chains of 8,000 additions that were
/// not interrupted. About 0.2 milliseconds. The ratio changes with the core's clock, so measure it close to what it is to be
/// applied to.
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

/// From the two lengths of chain, each by itself: an interruption of a shorter one would make the difference small, and what is
/// too small cannot be told from what is not.
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
