//! Programs that change the machine while it runs: they rewrite their own code without end, change their privilege
//! level.

use super::blocks::DECODED;
use super::{Machine, Options};
use crate::image::{Image, Region, RegionKind, Segment};
use crate::isa::{InstructionSet, PENTIUM, PENTIUM_WITH_MMX};
use crate::model::{Class, Clocks, FloatingPoint, MODELS, Model, ModelRegister, Role, Row};
use crate::run::{Run, StopReason, TRACE_CAPACITY};
use asm_macros::events::Event;
use iced_x86::{Code, CpuidFeature, Mnemonic};
use std::time::{Duration, Instant};

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

/// A loop that rewrites an immediate of its own in each pass, with a branch that goes either way, inside of one region.
fn rewriting(passes: u32) -> Image {
    let mut bytes = vec![0xB9]; // mov ecx,passes
    bytes.extend(passes.to_le_bytes());
    bytes.extend([0x88, 0x0D, 0x20, 0x10, 0, 0]); // 1005h: mov [1020h],cl
    bytes.extend([0x40; 20]); // inc eax
    bytes.extend([0xB0, 0]); // mov al,0: the immediate stands at 1020h
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
    let reasons: u64 = blocks.cycle_stack.iter().map(|row| row.cycles).sum();
    assert_eq!(reasons, blocks.totals.cycles);
    let region = &blocks.regions[0];
    assert!(region.trace_cut && (TRACE_CAPACITY - 48..=TRACE_CAPACITY + 1).contains(&region.trace.len()));
    let first = region.trace[0].instruction as usize;
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

/// What came of a program of `bytes` on a chip.
fn run_on(model: Model, bytes: &[u8]) -> Run {
    let image = image(bytes.to_vec(), CODE + bytes.len() as u32, Vec::new());
    let model: &'static Model = Box::leak(Box::new(model));
    let options = Options {
        runs: 1,
        ..Options::default()
    };
    super::simulate(&image, "chip", model, &options, &mut |_| {})
}

/// The program, which goes on to its end only if a register holds what is expected: `cmp register,expected; je end;
/// hlt`.
fn expecting(bytes: &[u8], register: u8, expected: u32) -> Vec<u8> {
    let mut program = bytes.to_vec();
    program.extend([0x81, 0xF8 + register]);
    program.extend(expected.to_le_bytes());
    program.extend([0x74, 1, 0xF4]);
    program
}

#[test]
fn what_an_instruction_set_lacks_is_an_invalid_opcode() {
    static WITHOUT: InstructionSet = InstructionSet {
        base: None,
        features: &[
            CpuidFeature::INTEL8086,
            CpuidFeature::INTEL186,
            CpuidFeature::INTEL286,
            CpuidFeature::INTEL386,
            CpuidFeature::INTEL486,
        ],
        without: &[Code::Bswap_r32],
        ..PENTIUM
    };
    let instructions: &[(&str, &[u8])] = &[
        ("cpuid", &[0x0F, 0xA2]),
        ("rdtsc", &[0x0F, 0x31]),
        ("rdmsr", &[0x31, 0xC9, 0x0F, 0x32]),
        ("cmpxchg8b [esp]", &[0x0F, 0xC7, 0x0C, 0x24]),
        ("bswap eax", &[0x0F, 0xC8]),
    ];
    for (name, bytes) in instructions {
        let known = run_on(*MODELS[0], bytes);
        assert_eq!(known.stop.reason, StopReason::End, "{name}");
        let lacking = Model {
            isa: &WITHOUT,
            ..*MODELS[0]
        };
        let stop = run_on(lacking, bytes).stop;
        assert_eq!((stop.reason, stop.code), (StopReason::Fault, Some(6)), "{name}");
    }
    // What both have runs on both; what neither has faults on both.
    let xadd = [0x0F, 0xC1, 0xC8];
    let cmov = [0x0F, 0x44, 0xC1];
    for isa in [MODELS[0].isa, &WITHOUT] {
        let model = Model { isa, ..*MODELS[0] };
        assert_eq!(run_on(model, &xadd).stop.reason, StopReason::End);
        assert_eq!(run_on(model, &cmov).stop.code, Some(6));
    }
}

#[test]
fn a_chip_with_rdpmc_reads_its_counters_by_number() {
    static ROWS: &[Row] = &[Row {
        form: "RDPMC",
        mnemonics: &[Mnemonic::Rdpmc],
        when: &[],
        class: Class::Np,
        clocks: Clocks::Fixed(20),
        serializing: false,
        source: "a test",
        doubt: None,
        fpu: None,
    }];
    let mut events = MODELS[0].events;
    events.selected[1][0x2A] = Some(Event::INSTRUCTIONS_EXECUTED);
    let model = Model {
        base: Some(MODELS[0]),
        isa: &PENTIUM_WITH_MMX,
        rows: ROWS,
        events,
        ..*MODELS[0]
    };
    // mov ecx,11h; xor edx,edx; mov eax,006A006Ah; wrmsr; mov ecx,n; nop; nop; rdpmc
    let program = |counter: u8| {
        let mut bytes = vec![0xB9, 0x11, 0, 0, 0, 0x31, 0xD2, 0xB8, 0x6A, 0, 0x6A, 0, 0x0F, 0x30];
        bytes.extend([0xB9, counter, 0, 0, 0, 0x90, 0x90, 0x0F, 0x33]);
        bytes
    };
    // Counter 0 has no event under that selector; counter 1 sees MOV, both NOPs and RDPMC itself.
    for (counter, expected) in [(0, 0), (1, 4)] {
        let run = run_on(model, &expecting(&program(counter), 0, expected));
        assert_eq!(run.stop.reason, StopReason::End, "counter {counter}");
    }
    let stop = run_on(model, &program(2)).stop;
    assert_eq!((stop.reason, stop.code), (StopReason::Fault, Some(13)));
    let stop = run_on(*MODELS[0], &program(0)).stop;
    assert_eq!((stop.reason, stop.code), (StopReason::Fault, Some(6)));
}

#[test]
fn cpuid_and_model_specific_registers_are_those_of_the_chip() {
    let model = Model {
        cpuid: &[[2, 0, 0, 0], [0x0543, 0, 0, 0], [7, 0, 0, 0]],
        registers: &[
            ModelRegister {
                number: 0x99,
                role: Role::Kept,
                reset: 0x1234,
            },
            ModelRegister {
                number: 0x9A,
                role: Role::HangsWhenRead,
                reset: 0,
            },
        ],
        ..*MODELS[0]
    };
    // mov eax,leaf; cpuid
    for (leaf, expected) in [(0, 2), (1, 0x0543), (2, 7), (0x40, 7)] {
        let run = run_on(model, &expecting(&[0xB8, leaf, 0, 0, 0, 0x0F, 0xA2], 0, expected));
        assert_eq!(run.stop.reason, StopReason::End, "leaf {leaf}");
    }
    // mov ecx,number; rdmsr
    let read = |number: u8| vec![0xB9, number, 0, 0, 0, 0x0F, 0x32];
    let run = run_on(model, &expecting(&read(0x99), 0, 0x1234));
    assert_eq!(run.stop.reason, StopReason::End);
    assert_eq!(run_on(model, &read(0x9A)).stop.reason, StopReason::Unsupported);
    for (model, number) in [(model, 0x10), (*MODELS[0], 0x99), (*MODELS[0], 0x03)] {
        assert_eq!(run_on(model, &read(number)).stop.code, Some(13), "{number:02X}h");
    }
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

/// The memory that programs have beside their code.
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
        assert!(
            left > 0 && left % crate::exec::REPEAT_LIMIT == 0,
            "{limit}: {left} are left"
        );
        assert!((reason, left, told) == run(limit, true), "{limit}");
    }
    assert_eq!(run(1 << 30, false).0, StopReason::End);
}

#[test]
fn a_timeout_stops_every_kind_of_code() {
    // jmp to itself
    let plain = vec![0xEB, 0xFE];
    // l: mov byte ptr [1006h],90h; nop; jmp l: the NOP is written anew in each round.
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
        let run = super::simulate(&image, "endless", MODELS[0], &options, &mut |_| {});
        assert_eq!(run.stop.reason, StopReason::Timeout, "{bytes:02X?}");
        assert_eq!(run.runs.len(), 1, "no other run begins");
        let charged: u64 = run.cycle_stack.iter().map(|row| row.cycles).sum();
        assert_eq!(charged, run.totals.cycles, "{bytes:02X?}");
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
    // The time is over before the second look, however fast the host is.
    let mut wait = |_| std::thread::sleep(timeout.saturating_sub(started.elapsed()) * 2);
    assert_eq!(machine.run(&mut wait).reason, StopReason::Timeout);
    assert_eq!(
        machine.state.registers.general[1],
        DATA_SIZE - 2 * crate::exec::REPEAT_LIMIT,
        "the clock that a look goes by is that of the last issue, so the second visit is the first to call for one"
    );
}

#[test]
fn what_a_multiply_does_after_ex_is_in_its_row() {
    let multiply = MODELS[0].all_rows().find(|row| row.form == "MUL IMUL r/m32");
    let multiply = *multiply.expect("multiplies are timed");
    let with = |throughput, latency| {
        let fpu = Some(FloatingPoint { throughput, latency });
        Model {
            base: Some(MODELS[0]),
            rows: Box::leak(Box::new([Row { fpu, ..multiply }])),
            ..*MODELS[0]
        }
    };
    let clocks = |model, bytes: &[u8]| run_on(model, bytes).totals.cycles;
    // imul eax,ecx; cdq: microcode that uses the result waits for it, but not after a nop or for another register.
    let dependent = [0x0F, 0xAF, 0xC1, 0x99];
    let spaced = [0x0F, 0xAF, 0xC1, 0x90, 0x99];
    let other = [0x0F, 0xAF, 0xD9, 0x99];
    // imul eax,ecx; imul ebx,esi: the unit takes the second one when it is free.
    let twice = [0x0F, 0xAF, 0xC1, 0x0F, 0xAF, 0xDE];
    let plain = with(9, 9);
    assert_eq!(clocks(with(9, 10), &dependent), clocks(plain, &dependent) + 1);
    assert_eq!(clocks(with(9, 10), &spaced), clocks(plain, &spaced));
    assert_eq!(clocks(with(9, 10), &other), clocks(plain, &other));
    assert_eq!(clocks(with(10, 9), &twice), clocks(plain, &twice) + 1);
    assert_eq!(clocks(with(10, 9), &dependent), clocks(plain, &dependent));
    // The chips themselves.
    assert_eq!(clocks(*MODELS[0], &dependent), clocks(with(9, 10), &dependent));
    assert_eq!(clocks(*MODELS[0], &twice), clocks(plain, &twice));
}

/// A chip whose multiplies of 32 bits leave EX after one clock and take as long as FDIV after that.
fn with_long_multiply(throughput: u32, latency: u32) -> Model {
    let multiply = MODELS[0].all_rows().find(|row| row.form == "MUL IMUL r/m32");
    let row = Row {
        clocks: Clocks::Fixed(1),
        fpu: Some(FloatingPoint { throughput, latency }),
        ..*multiply.expect("multiplies are timed")
    };
    Model {
        base: Some(MODELS[0]),
        rows: Box::leak(Box::new([row])),
        ..*MODELS[0]
    }
}

/// The clocks of the last of three runs, and what was decoded, which must be the same numbers in blocks of one.
fn warm(model: Model, bytes: &[u8]) -> (u64, usize) {
    let image = image(bytes.to_vec(), CODE + bytes.len() as u32, Vec::new());
    let model: &'static Model = Box::leak(Box::new(model));
    let run = |one_op_blocks| {
        let options = Options {
            one_op_blocks,
            ..Options::default()
        };
        let mut machine = Machine::new(model, &image, options);
        (0..3).for_each(|_| assert_eq!(machine.run(&mut |_| {}).reason, StopReason::End));
        let decoded = machine.pipeline.decoded();
        (machine.into_run("long"), decoded)
    };
    let ((run, decoded), (single, _)) = (run(false), run(true));
    assert!(format!("{run:?}") == format!("{single:?}"), "{bytes:02X?}");
    let charged: u64 = run.cycle_stack.iter().map(|row| row.cycles).sum();
    assert_eq!(charged, run.totals.cycles, "{bytes:02X?}");
    (run.totals.cycles, decoded)
}

const IMUL_EAX_ECX: [u8; 3] = [0x0F, 0xAF, 0xC1];
const NOT_EBX: [u8; 2] = [0xF7, 0xD3];

#[test]
fn a_long_result_is_waited_for_when_it_is_used_however_far_away() {
    // imul eax,ecx; so many times not ebx, each of which issues alone; cdq: for up to 38 of them, CDQ issues 39 clocks
    // after the multiply. A block has 48 instructions, so the last programs have two.
    let program = |between: usize, user: &[u8]| [&IMUL_EAX_ECX[..], &NOT_EBX.repeat(between), user].concat();
    let (cdq, nop) = ([0x99], [0x90]);
    for between in [0, 1, 2, 20, 37, 38, 39, 60] {
        let plain = warm(with_long_multiply(1, 1), &program(between, &cdq)).0;
        let waits = 38_u64.saturating_sub(between as u64);
        let long = warm(with_long_multiply(1, 39), &program(between, &cdq)).0;
        assert_eq!(long, plain + waits, "{between} between");
        // Who does not use the result does not wait, and neither does who takes it from the bypass.
        let other = warm(with_long_multiply(1, 39), &program(between, &nop)).0;
        assert_eq!(other, warm(with_long_multiply(1, 1), &program(between, &nop)).0);
    }
    // Two clocks after EX is long as well: the second group after the multiply still waits one.
    let soon = |latency| warm(with_long_multiply(1, latency), &program(1, &cdq)).0;
    assert_eq!([soon(2), soon(3), soon(4)].map(|clocks| clocks - soon(1)), [0, 1, 2]);
}

#[test]
fn a_chain_through_a_long_occupied_unit_takes_its_throughput_and_no_more_schedules() {
    // mov esi,turns; l: imul eax,ecx; jmp m; m: imul edx,ecx; dec esi; jnz l
    let program = |turns: u8| {
        let mut bytes = vec![0xBE, turns, 0, 0, 0];
        bytes.extend([0x0F, 0xAF, 0xC1, 0xEB, 1, 0xF4, 0x0F, 0xAF, 0xD1, 0x4E, 0x75, 0xF4]);
        bytes
    };
    let (short, long) = (with_long_multiply(1, 1), with_long_multiply(39, 39));
    let (ten, of_ten) = warm(long, &program(10));
    let (twenty, of_twenty) = warm(long, &program(20));
    assert_eq!(twenty - ten, 10 * 2 * 39);
    assert_eq!([of_ten, of_twenty], [warm(short, &program(10)).1; 2]);
}
