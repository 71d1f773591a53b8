//! Limits on clocks and on real time, and repeats and endless programs that run into them.

use super::{CODE, image};
use crate::attending::{NEAR, NEAR_ON_SHARED_BUS};
use crate::blocks::LONGEST;
use crate::{Machine, Options, SampleOptions, sample, simulate};
use p5_chips::{MEMORY_PRESETS, MODELS, Row};
use p5_image::{Image, Segment};
use p5_meaning::exec::REPEAT_LIMIT;
use p5_results::StopReason;
use p5_words::facts::FACT_CAPACITY;
use p5_words::isa::LONGEST_INSTRUCTION;
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

/// The memory of the programs besides their code.
const DATA: u32 = 0x10_0000;
const DATA_SIZE: u32 = 0x20_0000;

fn with_data(bytes: &[u8]) -> Image {
    let mut image = image(bytes.to_vec(), CODE + bytes.len() as u32, Vec::new());
    image.segments.push(Segment {
        name: "data".to_owned(),
        address: DATA,
        bytes: Vec::new(),
        zeroes: DATA_SIZE,
        writable: true,
    });
    image
}

/// `mov edi,DATA; mov ecx,DATA_SIZE; rep stosb; inc eax`.
fn long_repeat() -> Vec<u8> {
    let mut bytes = vec![0xBF];
    bytes.extend(DATA.to_le_bytes());
    bytes.push(0xB9);
    bytes.extend(DATA_SIZE.to_le_bytes());
    bytes.extend([0xF3, 0xAA, 0x40]);
    bytes
}

#[test]
fn a_limit_stops_a_repeat_between_two_visits() {
    let image = with_data(&long_repeat());
    let run = |limit, one_op_blocks| {
        let options = Options {
            limit,
            one_op_blocks,
            runs: 1,
            ..Options::default()
        };
        let mut machine = Machine::new(MODELS[0], &image, options);
        let reason = machine.run(&mut |_| {}).reason;
        let left = machine.state.registers.general[1];
        (reason, left, format!("{:?}", machine.into_run("repeat")))
    };
    for limit in [1, 20, 100_000, 1_000_000] {
        let (reason, left, told) = run(limit, false);
        assert_eq!(reason, StopReason::Limit, "{limit}");
        assert!(left > 0 && left % REPEAT_LIMIT == 0, "{limit}: {left} are left");
        assert!((reason, left, told) == run(limit, true), "{limit}");
    }
    assert_eq!(run(1 << 30, false).0, StopReason::End);
}

#[test]
fn a_limit_stops_with_the_first_instruction_that_reaches_it() {
    // `jmp $+2` waits for no partner, so each jump has taken its clocks before the next one begins.
    let bytes = [0xEB, 0].repeat(60);
    let image = image(bytes.clone(), CODE + bytes.len() as u32, Vec::new());
    let run = |limit| {
        let options = Options {
            limit,
            runs: 1,
            ..Options::default()
        };
        simulate(&image, "jumps", MODELS[0], &options, &mut |_| {}).whole.totals
    };
    let all = run(1 << 20).cycles;
    for limit in 1..all {
        let (stopped, before) = (run(limit), run(limit.saturating_sub(1).max(1)));
        assert!(stopped.cycles >= limit, "{limit}: {stopped:?}");
        assert!(
            stopped.instructions == before.instructions || before.cycles < limit,
            "{limit}: {stopped:?}, although {before:?} reaches it"
        );
    }
}

#[test]
fn what_a_short_program_has_requested_is_there_in_its_second_run() {
    // mov eax,1; mov ebx,2
    let bytes = vec![0xB8, 1, 0, 0, 0, 0xBB, 2, 0, 0, 0];
    let image = image(bytes.clone(), CODE + bytes.len() as u32, Vec::new());
    let options = Options {
        runs: 3,
        ..Options::default()
    };
    let run = simulate(&image, "pair", MODELS[0], &options, &mut |_| {});
    let clocks: Vec<u64> = run.runs.iter().map(|run| run.whole.cycles).collect();
    assert!(clocks[0] > 1 && clocks[1..] == [1, 1], "{clocks:?}");
}

#[test]
fn only_programs_that_are_called_may_ask_dos() {
    // mov eax,4C05h; int 21h
    let bytes = vec![0xB8, 5, 0x4C, 0, 0, 0xCD, 0x21];
    let called = image(bytes.clone(), CODE + bytes.len() as u32, Vec::new());
    let process = Image {
        stack: vec![0; 16],
        ..called.clone()
    };
    let stop = |image: &Image| simulate(image, "dos", MODELS[0], &Options::default(), &mut |_| {}).stop;
    let (asked, refused) = (stop(&called), stop(&process));
    assert_eq!((asked.reason, asked.code), (StopReason::Exit, Some(5)));
    assert_eq!(refused.reason, StopReason::Fault, "{refused:?}");
}

#[test]
fn a_timeout_stops_every_kind_of_code() {
    // jmp to itself
    let plain = vec![0xEB, 0xFE];
    // l: mov byte ptr [1006h],90h; nop; jmp l: each round writes the NOP anew.
    let rewriting = vec![0xC6, 0x05, 0x07, 0x10, 0, 0, 0x90, 0x90, 0xEB, 0xF6];
    // l: in al,dx; jmp l
    let requests = vec![0xEC, 0xEB, 0xFD];
    for (bytes, one_op_blocks) in [
        (&plain, false),
        (&plain, true),
        (&rewriting, false),
        (&rewriting, true),
        (&requests, false),
    ] {
        let image = with_data(bytes);
        let options = Options {
            limit: u64::MAX,
            timeout: Some(Duration::from_millis(5)),
            one_op_blocks,
            ..Options::default()
        };
        let run = simulate(&image, "endless", MODELS[0], &options, &mut |_| {});
        assert_eq!(run.stop.reason, StopReason::Timeout, "{bytes:02X?}");
        assert_eq!(run.runs.len(), 1, "no other run begins");
        let charged: u64 = run.whole.cycle_stack.iter().map(|row| row.cycles).sum();
        assert_eq!(charged, run.whole.totals.cycles, "{bytes:02X?}");
    }
}

#[test]
fn a_timeout_stops_a_single_repeat() {
    let image = with_data(&long_repeat());
    let timeout = Duration::from_millis(300);
    let options = Options {
        timeout: Some(timeout),
        ..Options::default()
    };
    let started = Instant::now();
    let mut machine = Machine::new(MODELS[0], &image, options);
    // The time limit is over before the second check, however fast the host is.
    let mut wait = |_| std::thread::sleep(timeout.saturating_sub(started.elapsed()) * 2);
    assert_eq!(machine.run(&mut wait).reason, StopReason::Timeout);
    assert_eq!(
        machine.state.registers.general[1],
        DATA_SIZE - REPEAT_LIMIT,
        "the first visit takes so many clocks that it calls for a look"
    );
}

#[test]
fn no_block_takes_as_long_as_single_instructions_before_the_limit() {
    for model in MODELS {
        let slowest = model.all_rows().map(Row::most_clocks).max().expect("rows");
        for memory in MEMORY_PRESETS {
            let (data, code) = (model.geometry.data_cache, model.geometry.code_cache);
            // Memory is slower than a second level cache, from which a line may have to be written back for each fill.
            let write_back = 2 * memory.memory.write_burst(data.line / model.geometry.bus_width);
            let alone = memory.memory.read_burst(data.line / model.geometry.bus_width) + write_back;
            // Another bus master causes write-backs of the line that it reads and of the line that it has modified.
            let other = memory.inquire + memory.grant + alone + 2 * write_back;
            for (waits, near) in [(0, NEAR), (other, NEAR_ON_SHARED_BUS)] {
                let fill = alone + waits;
                let walk = memory.page_walk + 2 * fill;
                // The work that keeps the bus or an instruction busy; a request waits for the bus no longer than that.
                let half = walk + fill;
                let uncached = 2 * (memory.memory.locked.max(memory.io) + waits) + 2 * write_back;
                let access = model.rules.misaligned + model.rules.bank_conflict + (2 * half).max(uncached);
                let code_fill = memory.memory.read_burst(code.line / model.geometry.bus_width) + write_back + waits;
                let fetch = 2 * (walk + code_fill);
                let prefixes = &model.rules.prefix_decode;
                let prefix = prefixes.size.max(prefixes.escape).max(prefixes.other);
                let issue = model.rules.mispredicted_in_wb
                    + model.rules.address_interlock
                    + LONGEST_INSTRUCTION as u32 * u32::from(prefix);
                let clocks = FACT_CAPACITY as u32 * access
                    + LONGEST as u32 * (fetch + issue + slowest)
                    + data.size / data.line * write_back;
                let cached = memory
                    .second_level
                    .map_or(0, |cache| cache.geometry.size / cache.geometry.line);
                let clocks = clocks + cached * write_back;
                assert!(
                    u64::from(clocks) < near,
                    "{} with {}: {clocks}",
                    model.name,
                    memory.name
                );
            }
        }
    }
}

/// With a second for each, a day is over after 86,400 samples, which take seconds to be made on any machine.
#[test]
fn a_sampled_run_leaves_time_to_write_its_samples() {
    // jmp to itself
    let image = with_data(&[0xEB, 0xFE]);
    let options = Options {
        runs: 1,
        limit: u64::MAX,
        timeout: Some(Duration::from_secs(24 * 60 * 60)),
        for_each_row: Some(|| Duration::from_secs(1)),
        ..Options::default()
    };
    let wanted = SampleOptions {
        op: NonZeroU64::new(1),
        ..SampleOptions::default()
    };
    let sampled = sample(&image, "endless", MODELS[0], &options, &wanted, &mut |_| {});
    assert_eq!(sampled.run.stop.reason, StopReason::Timeout);
    let count = sampled.recording.samples.len();
    assert!((30_000..100_000).contains(&count), "{count}");
}
