//! Measurements for criterion: ticks of the time stamp counter, and core clocks. Unlike wall time, core clocks do not
//! change with the frequency of the core; unlike a plain RDTSC, the reads are fenced and their own cost is subtracted.

use crate::measure::switches::{on_processor, switches};
use crate::tsc::{Elapsed, Fence, Start, chain};
use criterion::Throughput;
use criterion::measurement::{Measurement, ValueFormatter};
use std::time::{Duration, Instant};

/// The turns of 500 additions in a chain. Each sample is compared with three pairs of chains, of 30,000 clocks each: in
/// all about 20 microseconds.
const TURNS: u32 = 20;

/// Measures in ticks of the time stamp counter, which are not core clocks.
///
/// ```
/// use asm_macros::bench::Ticks;
/// use criterion::Criterion;
///
/// let mut criterion = Criterion::default().with_measurement(Ticks);
/// # let _ = &mut criterion;
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Ticks;

/// Measures in core clocks: each sample is divided by the median of three chains of dependent additions, measured
/// directly after it.
///
/// If the system took the processor away during a sample, only the share of the sample counts for which the thread had
/// it, as far as the system tells. Interrupts stay in, as in criterion's own clock, and so does criterion's loop: on a
/// busy machine, expect more than [`measure!`](crate::measure!) tells, and changes that are none.
///
/// ```no_run
/// use asm_macros::bench::CoreClocks;
/// use criterion::{Criterion, Throughput, criterion_group, criterion_main};
/// use std::hint::black_box;
///
/// fn sums(criterion: &mut Criterion<CoreClocks>) {
///     let numbers: Vec<u32> = (0..1024).collect();
///     let mut group = criterion.benchmark_group("sums");
///     group.throughput(Throughput::Elements(1024));
///     group.bench_function("wrapping", |bencher| {
///         bencher.iter(|| black_box(&numbers).iter().fold(0u32, |sum, &one| sum.wrapping_add(one)));
///     });
///     group.finish();
/// }
///
/// criterion_group! {
///     name = benches;
///     config = Criterion::default().with_measurement(CoreClocks);
///     targets = sums
/// }
/// criterion_main!(benches);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CoreClocks;

impl Measurement for Ticks {
    type Intermediate = Start;
    type Value = u64;

    #[inline(always)]
    fn start(&self) -> Start {
        Start::here()
    }

    #[inline(always)]
    fn end(&self, start: Start) -> u64 {
        start.end().ticks()
    }

    fn add(&self, one: &u64, other: &u64) -> u64 {
        one + other
    }

    fn zero(&self) -> u64 {
        0
    }

    fn to_f64(&self, value: &u64) -> f64 {
        *value as f64
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        &Formatter {
            unit: "ticks",
            per_byte: "ticks/byte",
            per_bit: "ticks/bit",
            per_element: "ticks/element",
        }
    }
}

/// The beginning of a sample in core clocks.
#[derive(Debug)]
pub struct Begun {
    held: Held,
    start: Start,
}

/// What tells whether a thread had the processor all the time, and for how long.
#[derive(Debug)]
struct Held {
    switches: Option<u64>,
    on_processor: Option<Duration>,
    at: Instant,
}

impl Held {
    #[inline(never)]
    fn here() -> Held {
        Held {
            switches: switches(),
            on_processor: on_processor(),
            at: Instant::now(),
        }
    }

    /// The share of the time since `before` for which the thread had the processor: 1 if nothing took it away, or if
    /// the system does not tell.
    fn share_since(&self, before: &Held) -> f64 {
        let (Some(begun), Some(ended)) = (before.on_processor, self.on_processor) else {
            return 1.0;
        };
        if self.switches == before.switches {
            return 1.0;
        }
        let passed = self.at.duration_since(before.at).as_secs_f64();
        let share = ended.saturating_sub(begun).as_secs_f64() / passed;
        if share.is_finite() { share.min(1.0) } else { 1.0 }
    }
}

impl Measurement for CoreClocks {
    type Intermediate = Begun;
    type Value = f64;

    #[inline(always)]
    fn start(&self) -> Begun {
        Begun {
            held: Held::here(),
            start: Start::here(),
        }
    }

    #[inline(always)]
    fn end(&self, begun: Begun) -> f64 {
        let elapsed = begun.start.end();
        let share = Held::here().share_since(&begun.held);
        in_core_clocks(&elapsed) * share
    }

    fn add(&self, one: &f64, other: &f64) -> f64 {
        one + other
    }

    fn zero(&self) -> f64 {
        0.0
    }

    fn to_f64(&self, value: &f64) -> f64 {
        *value
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        &Formatter {
            unit: "clocks",
            per_byte: "clocks/byte",
            per_bit: "clocks/bit",
            per_element: "clocks/element",
        }
    }
}

#[inline(never)]
fn in_core_clocks(elapsed: &Elapsed) -> f64 {
    let chain = chain::steady_ticks(Fence::here(), TURNS);
    elapsed.ticks() as f64 * f64::from(TURNS * chain::TURN) / chain as f64
}

/// Writes values unscaled, because clocks need no other scale.
struct Formatter {
    unit: &'static str,
    per_byte: &'static str,
    per_bit: &'static str,
    per_element: &'static str,
}

impl ValueFormatter for Formatter {
    fn scale_values(&self, _typical: f64, _values: &mut [f64]) -> &'static str {
        self.unit
    }

    fn scale_throughputs(&self, _typical: f64, throughput: &Throughput, values: &mut [f64]) -> &'static str {
        let (count, unit) = match *throughput {
            Throughput::Bytes(count) | Throughput::BytesDecimal(count) => (count, self.per_byte),
            Throughput::Bits(count) => (count, self.per_bit),
            Throughput::Elements(count) => (count, self.per_element),
            Throughput::ElementsAndBytes { elements, .. } => (elements, self.per_element),
        };
        for value in values {
            *value /= count.max(1) as f64;
        }
        unit
    }

    fn scale_for_machines(&self, _values: &mut [f64]) -> &'static str {
        self.unit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tsc::additions;

    #[test]
    fn criterions_values_are_ticks_and_core_clocks_of_the_same_code() {
        let mut best = f64::INFINITY;
        for _ in 0..200 {
            let start = CoreClocks.start();
            additions(40);
            best = best.min((CoreClocks.end(start) / 20_000.0 - 1.0).abs());
        }
        assert!(best < 0.02, "off by {best}");
        let start = Ticks.start();
        additions(40);
        let ticks = Ticks.end(start);
        assert!(Ticks.to_f64(&Ticks.add(&ticks, &Ticks.zero())) > 1000.0);
    }

    #[test]
    fn only_the_time_with_the_processor_counts_if_it_was_taken_away() {
        let at = Instant::now();
        let held = |switches, spent: u64, passed: u64| Held {
            switches: Some(switches),
            on_processor: Some(Duration::from_micros(spent)),
            at: at + Duration::from_micros(passed),
        };
        let before = held(3, 500, 0);
        assert_eq!(held(4, 1500, 4000).share_since(&before), 0.25);
        // A thread that waits by itself keeps what it takes.
        assert_eq!(held(3, 1500, 4000).share_since(&before), 1.0);
        assert_eq!(held(4, 5000, 4000).share_since(&before), 1.0);
        let untold = Held {
            on_processor: None,
            ..held(4, 0, 4000)
        };
        assert_eq!(untold.share_since(&before), 1.0);
        // A thread that is always busy has had nearly all of a sample, if others did not take it.
        let begun = Held::here();
        additions(4000);
        let ended = Held::here();
        if ended.switches == begun.switches {
            let spent = ended
                .on_processor
                .zip(begun.on_processor)
                .map(|(end, begin)| end - begin);
            assert!(spent.is_none_or(|spent| spent > Duration::from_micros(50)), "{spent:?}");
        }
    }

    #[test]
    fn throughput_is_per_byte_bit_or_element() {
        let formatter = Ticks.formatter();
        let mut values = [100.0, 200.0];
        assert_eq!(
            formatter.scale_throughputs(100.0, &Throughput::Bytes(50), &mut values),
            "ticks/byte"
        );
        assert_eq!(values, [2.0, 4.0]);
        assert_eq!(formatter.format_value(3.5), "3.5000 ticks");
        let elements = CoreClocks.formatter().format_throughput(&Throughput::Elements(4), 2.0);
        assert_eq!(elements, "0.5000 clocks/element");
    }
}
