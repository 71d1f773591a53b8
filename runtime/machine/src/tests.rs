//! Programs that change the machine while it runs: they rewrite their own code without end, or change their privilege
//! level.

mod bounds;
mod cache_sets;
mod chips;
mod cold;
mod compiled;
mod hottest;
mod later;
mod long_work;
mod page_kinds;
mod paging;
mod predictions;
mod read_ahead;
mod real;
mod regions;
mod returns;
mod stops;

use super::blocks::DECODED;
use super::{Machine, Options, simulate, simulate_within};
use asm_macros::events::Event;
use p5_chips::{MODELS, Model};
use p5_image::{Image, Region, RegionKind, Segment};
use p5_results::{Run, StopReason, TRACE_CAPACITY};

const CODE: u32 = 0x1000;

fn image(bytes: Vec<u8>, end: u32, regions: Vec<Region>) -> Image {
    let code = Segment {
        name: "code".to_owned(),
        address: CODE,
        bytes,
        zeroes: 0,
        writable: true,
    };
    Image {
        entry: CODE,
        end: Some(end),
        segments: vec![code],
        regions,
        ..Image::default()
    }
}

/// Runs `image` for at most a million clocks in blocks and in blocks of one instruction, which must not differ.
fn run_both_ways(image: &Image, model: &'static Model, options: &Options) -> Run {
    let run = |one_op_blocks| {
        let options = Options {
            one_op_blocks,
            limit: 1_000_000,
            ..options.clone()
        };
        simulate(image, "both ways", model, &options, &mut |_| {})
    };
    let (blocks, single) = (run(false), run(true));
    assert_eq!(format!("{:?}", blocks.whole), format!("{:?}", single.whole));
    assert_eq!((&blocks.stop, blocks.registers), (&single.stop, single.registers));
    blocks
}

/// Two runs on the usual memory.
fn twice() -> Options {
    Options {
        runs: 2,
        ..Options::default()
    }
}

/// A loop that rewrites an immediate of its own in each pass, with a branch that goes either way, inside of one region.
fn rewriting(passes: u32) -> Image {
    let mut bytes = vec![0xB9]; // mov ecx,passes
    bytes.extend(passes.to_le_bytes());
    bytes.extend([0x88, 0x0D, 0x20, 0x10, 0, 0]); // 1005h: mov [1020h],cl
    bytes.extend([0x40; 20]); // inc eax
    bytes.extend([0xB0, 0]); // mov al,0: the immediate is at 1020h
    bytes.extend([0x40; 100]);
    bytes.extend([0xF6, 0xC1, 1, 0x74, 1, 0x42]); // test cl,1; jz over; inc edx; over:
    bytes.extend([0x49, 0x0F, 0x85]); // dec ecx; jnz 1005h
    let after = CODE + bytes.len() as u32 + 4;
    bytes.extend((CODE + 5).wrapping_sub(after).to_le_bytes());
    bytes.extend([0xF8, 0x90]); // clc, which issues alone; nop
    let region = Region {
        name: "loop".to_owned(),
        kind: RegionKind::Tsc,
        file: 0,
        start_line: 1,
        end_line: 2,
        first: CODE + 5,
        after,
        done: after + 1,
        measured: Vec::new(),
        library: true,
        events: None,
    };
    image(bytes, after + 2, vec![region])
}

#[test]
fn decoding_the_same_code_for_ever_is_bounded_and_invisible() {
    let image = rewriting(6_000);
    let run = |one_op_blocks| {
        let options = Options {
            runs: 2,
            one_op_blocks,
            ..Options::default()
        };
        let mut machine = Machine::new(MODELS[0], &image, options);
        for _ in 0..2 {
            let before = machine.state.registers.general[2];
            machine.run(&mut |_| {});
            assert_ne!(machine.state.registers.general[2], before.wrapping_add(6_000));
            assert!(
                machine.pipeline.decoded() <= DECODED + 256,
                "{}",
                machine.pipeline.decoded()
            );
        }
        machine.into_run("rewriting")
    };
    let (blocks, single) = (run(false), run(true));
    assert_eq!(format!("{blocks:?}"), format!("{single:?}"));
    let reasons: u64 = blocks.whole.cycle_stack.iter().map(|row| row.cycles).sum();
    assert_eq!(reasons, blocks.whole.totals.cycles);
    let region = &blocks.regions[0];
    assert!(region.trace.cut && (TRACE_CAPACITY - 48..=TRACE_CAPACITY).contains(&region.trace.issued.len()));
    let first = region.trace.issued[0].instruction as usize;
    assert_eq!(blocks.instructions[first].address, CODE + 5);
}

#[test]
fn one_repeat_can_rewrite_several_pages_of_code() {
    let mut bytes = vec![0x31, 0xC0]; // xor eax,eax
    let call = |bytes: &mut Vec<u8>, target: u32| {
        let next = CODE + bytes.len() as u32 + 5;
        bytes.push(0xE8);
        bytes.extend(target.wrapping_sub(next).to_le_bytes());
    };
    for target in [0x2000, 0x3000, 0x4000] {
        call(&mut bytes, target);
    }
    bytes.extend([0x89, 0xC3]); // mov ebx,eax
    bytes.extend([0xBF, 0, 0x20, 0, 0]); // mov edi,2000h
    bytes.extend([0xB9, 0, 0x0C, 0, 0]); // mov ecx,0C00h
    bytes.extend([0xB8, 0xC3, 0xC3, 0xC3, 0xC3]); // mov eax: four times ret
    bytes.extend([0xF3, 0xAB, 0x31, 0xC0]); // rep stosd; xor eax,eax
    call(&mut bytes, 0x3000);
    let end = CODE + bytes.len() as u32;
    bytes.resize(0x4000, 0x90);
    for routine in [0x1000, 0x2000, 0x3000] {
        bytes[routine..routine + 2].copy_from_slice(&[0x40, 0xC3]); // inc eax; ret
    }
    let image = image(bytes, end, Vec::new());
    let mut machine = Machine::new(MODELS[0], &image, Options::default());
    machine.run(&mut |_| {});
    let general = machine.state.registers.general;
    assert_eq!(
        (general[3], general[0]),
        (3, 0),
        "what was written is executed, not what was decoded"
    );
}

#[test]
fn a_far_return_to_less_privilege_changes_the_group_that_counts() {
    let mut bytes = Vec::new();
    for word in [0x23_u32, 0x0030_0000, 0x1B, CODE + 21] {
        bytes.push(0x68); // push ss, esp, cs, eip
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend([0xCB, 0x40, 0x40, 0x40]); // retf; three times inc eax
    let end = CODE + bytes.len() as u32;
    let image = image(bytes, end, Vec::new());
    let mut machine = Machine::new(MODELS[0], &image, Options::default());
    for times in 1..=2 {
        assert_eq!(machine.run(&mut |_| {}).reason, StopReason::End);
        let (system, user) = machine.pipeline.tallies();
        let executed = [system, user].map(|tally| tally.get(Event::INSTRUCTIONS_EXECUTED, false));
        assert_eq!(executed, [5 * times, 3 * times]);
    }
}

/// The run of a program of `bytes` on a chip.
fn run_on(model: Model, bytes: &[u8]) -> Run {
    let image = image(bytes.to_vec(), CODE + bytes.len() as u32, Vec::new());
    let model: &'static Model = Box::leak(Box::new(model));
    let options = Options {
        runs: 1,
        ..Options::default()
    };
    simulate(&image, "chip", model, &options, &mut |_| {})
}

/// A program that reaches its end only if a register has the expected value: `cmp register,expected; je end; hlt`.
fn expecting(bytes: &[u8], register: u8, expected: u32) -> Vec<u8> {
    let mut program = bytes.to_vec();
    program.extend([0x81, 0xF8 + register]);
    program.extend(expected.to_le_bytes());
    program.extend([0x74, 1, 0xF4]);
    program
}

#[test]
fn a_block_that_is_too_long_ends_at_a_group_border() {
    let mut bytes = vec![0xF7, 0xD0]; // not eax, which issues alone
    bytes.extend([0x40, 0x42].repeat(100)); // a hundred pairs: inc eax; inc edx
    let image = image(bytes.clone(), CODE + bytes.len() as u32, Vec::new());
    let run = |one_op_blocks| {
        let options = Options {
            one_op_blocks,
            ..Options::default()
        };
        let mut machine = Machine::new(MODELS[0], &image, options);
        (0..3).for_each(|_| assert_eq!(machine.run(&mut |_| {}).reason, StopReason::End));
        machine
    };
    let mut machine = run(false);
    assert_eq!(
        machine.blocks.get_mut(0).micro_ops.len(),
        47,
        "the forty-eighth would wait for its partner"
    );
    let told = |machine: Machine<'_>| format!("{:?}", machine.into_run("pairs"));
    assert_eq!(told(machine), told(run(true)));
}

#[test]
fn a_program_that_needs_more_than_its_share_has_no_result() {
    let mut image = image(vec![0x90], CODE + 1, Vec::new());
    image.segments[0].zeroes = 8 << 20;
    let within = |mapped: u32| {
        let options = Options {
            mapped,
            ..Options::default()
        };
        simulate_within(&image, "share", MODELS[0], &options, &mut |_| ())
    };
    assert!(within(4 << 20).is_none());
    let run = within(16 << 20).expect("a run");
    assert_eq!(run.stop.reason, StopReason::End);
    let usual = simulate(&image, "share", MODELS[0], &Options::default(), &mut |_| ());
    assert_eq!(run.runs, usual.runs);
}
