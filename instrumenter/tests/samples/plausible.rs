//! A recording of a program whose figures are hidden from the test: ten arrays, one of them accessed most, loads that
//! find their data at one of two distances, mispredicted branches, and at most two ops per clock.

use crate::samples::specimen::{CODE, DATA, machine};
use fastrand::Rng;
use runtime::model::ibs::*;
use runtime::record::{
    Attempts, Choice, CountMode, Flight, Images, Pair, Population, Randomization, Recording, Sample, SampledSymbol,
    Sampling, TrueInstruction,
};
use runtime::run::Cause;
use runtime::samples::Analysis;

/// The figures that the test must find.
pub(crate) struct Hidden {
    /// The name of the most accessed array.
    pub(crate) hot: String,
    /// The latencies of the second level cache and of memory.
    pub(crate) latencies: [u64; 2],
    pub(crate) recording: Analysis,
}

/// The maximum number of ops between the two ops of a pair.
const WINDOW: u32 = 16;
const ARRAYS: u32 = 10;
/// The size of an array in bytes.
const SIZE: u32 = 512;

/// Samples one in about `period` of the `ops` ops of such a program.
pub(crate) fn hidden(rng: &mut Rng, ops: u64, period: u64) -> Hidden {
    let hot = rng.u32(..ARRAYS);
    let near = rng.u64(5..20);
    let latencies = [near, near + rng.u64(5..60)];
    let instructions = rng.u32(8..30);
    let mut miss_percent: Vec<u32> = (0..instructions).map(|_| rng.u32(..60)).collect();
    let mut kinds: Vec<u32> = (0..instructions).map(|_| rng.u32(..3)).collect();
    // There is always a load and a branch.
    (kinds[0], kinds[1], miss_percent[0]) = (0, 1, 30);
    let mut population = Population::new(32, Some(WINDOW), 2);
    let mut rows: Vec<TrueInstruction> = (0..instructions)
        .map(|index| TrueInstruction {
            address: CODE + 4 * index,
            length: 4,
            text: format!("op {index}"),
            ..TrueInstruction::default()
        })
        .collect();
    let mut causes = vec![[0_u64; 3]; instructions as usize];
    let mut samples: Vec<Sample> = Vec::new();
    let mut waiting: Vec<(usize, u64)> = Vec::new();
    let (mut clock, mut left, mut position) = (0, rng.u64(1..=period), 0_u32);
    let mut in_v = false;
    for op in 0..ops {
        position = if rng.u8(..8) == 0 {
            rng.u32(..instructions)
        } else {
            (position + 1) % instructions
        };
        let at = position as usize;
        let mut images = Images::default();
        images.put(&OP_RIP, u64::from(CODE + 4 * position));
        images.set(IBS_OP_DATA2, 0);
        images.set(IBS_OP_DATA3, 0);
        let mut stall = 0;
        if kinds[at] == 0 {
            let array = if rng.bool() { hot } else { rng.u32(..ARRAYS) };
            let address = DATA + array * SIZE + 4 * rng.u32(..SIZE / 4);
            images.put(&LD_OP, 1);
            images.put(&DC_LIN_AD, u64::from(address));
            images.put(&DC_LIN_ADDR_VALID, 1);
            images.put(&OP_MEM_WIDTH, 3);
            if rng.u32(..100) < miss_percent[at] {
                let level = usize::from(rng.u8(..4) == 0);
                stall = latencies[level];
                images.put(&DC_MISS, 1);
                images.put(&DC_MISS_LAT, stall);
                images.put(&DATA_SRC, [1, 3][level]);
                causes[at][1] += stall;
            }
        } else if kinds[at] == 1 {
            images.put(&OP_BRN_RET, 1);
            if rng.u32(..100) < miss_percent[at] {
                images.put(&OP_BRN_MISP, 1);
                stall = 3;
                causes[at][2] += stall;
            }
        }
        let beside = !in_v && rng.bool() && op > 0;
        if !beside {
            clock += 1;
            causes[at][0] += 1;
        }
        in_v = beside;
        let flight = Flight {
            tagged: clock,
            retired: clock + 3 + stall,
        };
        images.put(&TAG_TO_RET_CTR, flight.retired - flight.tagged);
        clock += stall;
        population.op(&images, flight);
        rows[at].executions += 1;
        waiting.retain_mut(|(sample, distance)| {
            *distance -= 1;
            if *distance == 0 {
                let first: &mut Sample = &mut samples[*sample];
                let clocks = flight.tagged - first.clock;
                let distance = first.pair.as_ref().map_or(0, |pair| pair.distance);
                first.pair = Some(Box::new(Pair {
                    distance,
                    clocks,
                    images: images.clone(),
                }));
            }
            *distance > 0
        });
        left -= 1;
        if left == 0 {
            left = rng.u64(1..2 * period);
            let distance = rng.u32(1..=WINDOW);
            waiting.push((samples.len(), u64::from(distance)));
            samples.push(Sample {
                kind: SampleKind::Op,
                number: samples.len() as u64 + 1,
                run: 1,
                clock: flight.tagged,
                images,
                pair: Some(Box::new(Pair {
                    distance,
                    ..Pair {
                        distance,
                        clocks: 0,
                        images: Images::default(),
                    }
                })),
            });
        }
    }
    // Samples without a second op are not pairs.
    for (sample, _) in waiting {
        samples[sample].pair = None;
    }
    for (row, [issue, miss, branch]) in rows.iter_mut().zip(causes) {
        let known = [
            (Cause::Issue, issue),
            (Cause::DataReadMiss, miss),
            (Cause::Misprediction, branch),
        ];
        row.causes = known.into_iter().filter(|(_, clocks)| *clocks > 0).collect();
        row.clocks = issue + miss + branch;
    }
    rows.retain(|row| row.executions > 0);
    let symbols = (0..ARRAYS).map(|array| SampledSymbol {
        name: format!("array{array}"),
        address: DATA + array * SIZE,
        size: SIZE,
        code: false,
        library: false,
    });
    let recording = Analysis(Recording {
        program: "hidden.asm".to_owned(),
        machine: machine(),
        sampling: Sampling {
            runs: (1, 1),
            op: Some(Attempts {
                period,
                made: samples.len() as u64,
                ..Attempts::default()
            }),
            choice: Choice {
                mode: CountMode::Dispatch,
                randomization: Randomization::Lfsr12,
                window: Some(WINDOW),
                ..Choice::default()
            },
            ..Sampling::default()
        },
        symbols: symbols.collect(),
        truth: Some(population.finish(rows, clock)),
        samples,
        ..Recording::default()
    });
    Hidden {
        hot: format!("array{hot}"),
        latencies,
        recording,
    }
}
