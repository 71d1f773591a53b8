//! Recordings for the tests: samples in which every bit of every register may be set, as no sampler guarantees less.

use fastrand::Rng;
pub(crate) use p5_seeds::seed;
use runtime::model::ibs::{DC_LIN_AD, FETCH_LIN_AD, FIELDS, IBS_CONTROL, OP_RIP, SAMPLE_REGISTERS, SampleKind};
use runtime::record::{
    Attempts, Choice, CountMode, Described, Flight, Images, Pair, Population, Randomization, Recording, Sample,
    SampledCode, SampledLine, SampledMachine, SampledSymbol, Sampling, TrueInstruction,
};
use runtime::run::Cause;
use runtime::samples::Analysis;

/// A register that this version does not know.
pub(crate) const LATER: u32 = 0xC001_103F;
/// The address of the first instruction; each instruction has 4 bytes.
pub(crate) const CODE: u32 = 0x0040_1000;
pub(crate) const DATA: u32 = 0x0040_3000;

/// A recording of random samples, of which some are kept, with the exact figures of all.
pub(crate) fn recording(rng: &mut Rng, packets: usize) -> Analysis {
    let instructions = rng.u32(1..40);
    let mut population = Population::new(32, Some(8), 2);
    let mut samples: Vec<Sample> = Vec::new();
    let (mut clock, mut executions) = (0, vec![0; instructions as usize]);
    for number in 0..packets {
        let kind = if rng.u8(..3) == 0 {
            SampleKind::Fetch
        } else {
            SampleKind::Op
        };
        let at = rng.u32(..instructions);
        let images = images(rng, kind, CODE + 4 * at);
        clock += rng.u64(..3);
        if kind == SampleKind::Fetch {
            population.fetch(&images);
        } else {
            executions[at as usize] += 1;
            let retired = clock + rng.u64(1..20);
            population.op(&images, Flight { tagged: clock, retired });
        }
        if number % 3 == 0 {
            let pair = (kind == SampleKind::Op && rng.bool()).then(|| {
                Box::new(Pair {
                    distance: rng.u32(1..=8),
                    clocks: rng.u64(..10),
                    images: self::images(rng, kind, CODE),
                })
            });
            samples.push(Sample {
                kind,
                number: samples.len() as u64 + 1,
                run: 1,
                clock,
                images,
                pair,
            });
        }
    }
    let rows = executions.iter().zip(0..).map(|(&executions, index)| TrueInstruction {
        address: CODE + 4 * index,
        length: 4,
        text: format!("nop {index}"),
        executions,
        clocks: executions * 2,
        causes: vec![(Cause::Issue, executions), (Cause::Agi, executions)],
        ..TrueInstruction::default()
    });
    let rows: Vec<TrueInstruction> = rows.filter(|row| row.executions > 0).collect();
    let kept = |kind| samples.iter().filter(|sample| sample.kind == kind).count() as u64;
    let (dropped, flushed) = (rng.bool().then_some(1), rng.bool().then_some(2));
    let cut = rng.u64(..5);
    Analysis(Recording {
        described: Described::default(),
        program: "specimen.asm".to_owned(),
        stack: Some((0xBF80_0000, 0xBFFF_FFFF)),
        heap: Some((0x0805_0000, 0xBF7F_FFFF)),
        machine: machine(),
        stopped: rng.bool().then(|| "stopped by fault #PF (specimen.asm:3)".to_owned()),
        sampling: Sampling {
            runs: (1, 1),
            fetch: Some(Attempts {
                period: 3,
                made: kept(SampleKind::Fetch),
                dropped: Some(0),
                ..Attempts::default()
            }),
            op: Some(Attempts {
                period: 3,
                made: kept(SampleKind::Op) + cut + dropped.unwrap_or(0) + flushed.unwrap_or(0) + 3,
                dropped,
                flushed,
                filtered: 3,
            }),
            choice: Choice {
                mode: CountMode::Dispatch,
                randomization: Randomization::Lfsr12,
                seed: rng.u64(..),
                kept: None,
                load_latency: Some(8),
                last_level_misses_only: rng.bool(),
                window: Some(8),
            },
            lost: rng.u64(..=cut),
            cut,
        },
        files: vec!["specimen.asm".to_owned(), "spec\u{202e}imen.inc".to_owned()],
        symbols: symbols(),
        lines: (0..instructions)
            .map(|at| SampledLine {
                address: CODE + 4 * at,
                length: 4,
                file: at % 2,
                line: at + 10,
            })
            .collect(),
        code: vec![SampledCode {
            address: CODE,
            bytes: (0..4 * instructions).map(|_| rng.u8(..)).collect(),
            bits: if rng.bool() { 16 } else { 32 },
        }],
        code_bits: 32,
        truth: Some(population.finish(rows, clock)),
        samples,
    })
}

/// A machine with two pipes, lines of 32 bytes and pages of 4 KiB.
pub(crate) fn machine() -> SampledMachine {
    SampledMachine {
        chip: "p54c".to_owned(),
        chip_title: "Pentium P54C".to_owned(),
        memory: "l2".to_owned(),
        assumed: vec![("errata".to_owned(), "on".to_owned())],
        monitors: vec!["perfmon".to_owned(), "rdtscp".to_owned()],
        also: vec!["cmov".to_owned()],
        core_ratio: Some("3/2".to_owned()),
        cpl: 0,
        width: Some(2),
        line_bytes: 32,
        page_bytes: 4096,
    }
}

fn symbols() -> Vec<SampledSymbol> {
    let symbol = |name: &str, address, size, code| SampledSymbol {
        name: name.to_owned(),
        address,
        size,
        code,
        library: false,
    };
    vec![
        symbol("start", CODE, 0, true),
        symbol("inner", CODE + 20, 0, true),
        symbol("table", DATA, 64, false),
        symbol("text", DATA + 64, 100, false),
    ]
}

/// Register images with random bits; in half of the samples, few bits are set.
fn images(rng: &mut Rng, kind: SampleKind, address: u32) -> Images {
    let mut images = Images::default();
    for register in SAMPLE_REGISTERS {
        let of_kind = register.kind.is_none_or(|own| own == kind);
        // Any sample may lack a register.
        if of_kind && register.number != IBS_CONTROL && rng.u8(..20) > 0 {
            let image = match rng.u8(..4) {
                0 => rng.u64(..),
                1 => rng.u64(..) & rng.u64(..) & rng.u64(..),
                2 => 0,
                _ => u64::MAX,
            };
            images.set(register.number, image);
        }
    }
    if rng.bool() {
        images.set(LATER, rng.u64(..));
    }
    match kind {
        SampleKind::Fetch => images.put(&FETCH_LIN_AD, u64::from(address & !31)),
        SampleKind::Op => {
            images.put(&OP_RIP, u64::from(address));
            images.put(&DC_LIN_AD, u64::from(DATA + rng.u32(..256)));
        }
    }
    assert!(FIELDS.len() > 60);
    images
}
