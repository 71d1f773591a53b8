//! Work that continues in the floating-point unit after an instruction has left EX, for one clock or for many.

use super::{CODE, image, run_on};
use crate::{Machine, Options};
use p5_chips::{Clocks, FloatingPoint, MODELS, Model, Row};
use p5_results::StopReason;

#[test]
fn what_a_multiply_does_after_ex_is_in_its_row() {
    let multiply = MODELS[0].all_rows().find(|row| row.form == "IMUL r32,r/m");
    let multiply = *multiply.expect("multiplies are timed");
    let with = |throughput, latency| {
        let fpu = Some(FloatingPoint::multiply(throughput, latency));
        Model {
            base: Some(MODELS[0]),
            rows: Box::leak(Box::new([Row { fpu, ..multiply }])),
            ..*MODELS[0]
        }
    };
    let clocks = |model, bytes: &[u8]| run_on(model, bytes).whole.totals.cycles;
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
    // The real chips.
    assert_eq!(clocks(*MODELS[0], &dependent), clocks(with(9, 10), &dependent));
    assert_eq!(clocks(*MODELS[0], &twice), clocks(plain, &twice));
}

/// A chip whose multiplies of 32 bits leave EX after one clock and then take as long as FDIV.
fn with_long_multiply(throughput: u32, latency: u32) -> Model {
    let multiply = MODELS[0].all_rows().find(|row| row.form == "IMUL r32,r/m");
    let row = Row {
        clocks: Clocks::Fixed(1),
        fpu: Some(FloatingPoint::multiply(throughput, latency)),
        ..*multiply.expect("multiplies are timed")
    };
    Model {
        base: Some(MODELS[0]),
        rows: Box::leak(Box::new([row])),
        ..*MODELS[0]
    }
}

/// The clocks of the last of three runs, and the number of decoded items, which must be the same in blocks of one.
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
    let charged: u64 = run.whole.cycle_stack.iter().map(|row| row.cycles).sum();
    assert_eq!(charged, run.whole.totals.cycles, "{bytes:02X?}");
    (run.whole.totals.cycles, decoded)
}

const IMUL_EAX_ECX: [u8; 3] = [0x0F, 0xAF, 0xC1];
const NOT_EBX: [u8; 2] = [0xF7, 0xD3];

#[test]
fn a_long_result_is_waited_for_when_it_is_used_however_far_away() {
    // imul eax,ecx; some NOTs of ebx, each of which issues alone; cdq: for up to 38 of them, CDQ issues 39
    // clocks after the multiply. A block has 48 instructions, so the last programs have two.
    let program = |between: usize, user: &[u8]| [&IMUL_EAX_ECX[..], &NOT_EBX.repeat(between), user].concat();
    let (cdq, nop) = ([0x99], [0x90]);
    for between in [0, 1, 2, 20, 37, 38, 39, 60] {
        let plain = warm(with_long_multiply(1, 1), &program(between, &cdq)).0;
        let waits = 38_u64.saturating_sub(between as u64);
        let long = warm(with_long_multiply(1, 39), &program(between, &cdq)).0;
        assert_eq!(long, plain + waits, "{between} between");
        // An instruction that does not use the result does not wait, nor does one that takes it from the bypass.
        let other = warm(with_long_multiply(1, 39), &program(between, &nop)).0;
        assert_eq!(other, warm(with_long_multiply(1, 1), &program(between, &nop)).0);
    }
    // Two clocks after EX are also long: the second group after the multiply still waits one.
    let soon = |latency| warm(with_long_multiply(1, latency), &program(1, &cdq)).0;
    assert_eq!([soon(2), soon(3), soon(4)].map(|clocks| clocks - soon(1)), [0, 1, 2]);
}

#[test]
fn a_long_result_is_waited_for_in_every_round_of_a_loop() {
    // mov esi,turns; l: imul eax,ecx; not ebx; not ebx; cdq; dec esi; jnz l
    let program = |turns: u8| {
        let last = [0x99, 0x4E, 0x75, 0xF5];
        [&[0xBE, turns, 0, 0, 0], &IMUL_EAX_ECX[..], &NOT_EBX.repeat(2), &last].concat()
    };
    let round = |latency| {
        let [ten, twenty] = [10, 20].map(|turns| warm(with_long_multiply(1, latency), &program(turns)).0);
        twenty - ten
    };
    assert_eq!(round(39), round(1) + 10 * 36);
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
