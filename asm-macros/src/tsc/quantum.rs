//! The step of the time stamp counter: many processors advance it by more than one tick at a time.

use super::chain;
use super::fence::Fence;
use super::ticks_of;

const SAMPLES: usize = 4096;
/// A step is accepted if all but one in this many differences are multiples of it.
const DOUBTFUL: usize = 50;

/// The step of the counter in ticks, found from the differences of pairs of reads. Takes about a millisecond.
///
/// If a hypervisor scales the counter, the steps are not quite even (25 and 26 ticks, for example); the result is the
/// nearest whole number.
pub fn quantum() -> u64 {
    let mut differences = [0u32; SAMPLES];
    for (index, difference) in differences.iter_mut().enumerate() {
        // The lengths vary, so that the differences spread over several steps.
        let turns = index as u32 % 61;
        let ticks = ticks_of(Fence::Lfence, || {
            for _ in 0..turns {
                core::hint::spin_loop();
            }
            chain::short(index % 2 == 0);
        });
        *difference = ticks.min(u64::from(u32::MAX)) as u32;
    }
    step(&mut differences)
}

/// The largest number of which nearly all `differences` are multiples, within a tolerance.
fn step(differences: &mut [u32]) -> u64 {
    differences.sort_unstable();
    // Outliers accumulate the rounding of a scaled counter.
    let usual = &differences[..differences.len() - differences.len() / DOUBTFUL];
    let largest = usual.last().map_or(1, |&last| last - usual[0]).clamp(1, 512);
    (1..=u64::from(largest))
        .rev()
        .find(|&step| {
            // Uneven steps of 25 and 26 ticks add up, so each may be off by a sixteenth of a step either way.
            let fits = |&&difference: &&u32| {
                let difference = u64::from(difference);
                let off = (difference % step).min(step - difference % step);
                off * 16 <= step
            };
            let distinct = {
                let mut multiples = usual
                    .iter()
                    .map(|&difference| (u64::from(difference) + step / 2) / step);
                let first = multiples.next();
                multiples.any(|multiple| Some(multiple) != first)
            };
            distinct && usual.iter().filter(fits).count() + usual.len() / DOUBTFUL >= usual.len()
        })
        .unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step_of(make: impl Fn(u64) -> u32) -> u64 {
        let mut random = 0x9E37_79B9_7F4A_7C15u64;
        let mut differences = [0u32; 1000];
        for difference in &mut differences {
            random = random
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            *difference = make(random >> 33);
        }
        step(&mut differences)
    }

    #[test]
    fn even_steps_are_found() {
        assert_eq!(step_of(|random| 30 + (random % 200) as u32), 1);
        assert_eq!(step_of(|random| 30 + 2 * (random % 100) as u32), 2);
        assert_eq!(step_of(|random| 26 * (2 + (random % 9) as u32)), 26);
        assert_eq!(step_of(|random| 36 * (1 + (random % 5) as u32)), 36);
    }

    #[test]
    fn scaled_and_disturbed_steps_are_found() {
        let scaled = |random: u64| (25.96 * (2 + random % 9) as f64) as u32 + (random >> 8 & 1) as u32;
        assert_eq!(step_of(scaled), 26);
        let disturbed = |random: u64| {
            if random.is_multiple_of(100) {
                40_000 + (random >> 9 & 0xFFF) as u32
            } else {
                26 * (2 + (random >> 7 & 7) as u32)
            }
        };
        assert_eq!(step_of(disturbed), 26);
    }

    #[test]
    fn this_machines_step_is_found_again() {
        // Several tries, because other programs may share the processor.
        let mut seen = Vec::new();
        for _ in 0..5 {
            let (first, again) = (quantum(), quantum());
            assert!((1..=512).contains(&first), "{first}");
            if first.abs_diff(again) <= first / 8 {
                return;
            }
            seen.push((first, again));
        }
        panic!("{seen:?}");
    }
}
