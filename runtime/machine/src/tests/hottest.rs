//! The trace of a long run is of the code that takes long, and a loop can end a run after some rounds.

use super::{CODE, Options, image, simulate};
use p5_chips::MODELS;
use p5_image::{Image, Rounds};
use p5_results::{Asked, AskedBy, Run, StopDetail, StopReason, TRACE_CAPACITY};
use std::ops::Range;

/// The address of the branch of the first loop, and of the second one.
const BRANCHES: [u32; 2] = [CODE + 7, CODE + 17];

/// A loop of `first` rounds, then one of `second`.
fn two_loops(first: u32, second: u32) -> Image {
    let mut bytes = vec![0xB9]; // mov ecx,first
    bytes.extend(first.to_le_bytes());
    bytes.extend([0x40, 0x49, 0x75, 0xFC]); // one: inc eax; dec ecx; jnz one
    bytes.push(0xB9); // mov ecx,second
    bytes.extend(second.to_le_bytes());
    bytes.extend([0x42, 0x43, 0x49, 0x75, 0xFB]); // two: inc edx; inc ebx; dec ecx; jnz two
    let end = CODE + bytes.len() as u32;
    image(bytes, end, Vec::new())
}

/// The run of a program in blocks, which is equal to that in blocks of one instruction.
fn run(image: &Image, chip: usize) -> Run {
    run_asked(image, chip, None)
}

/// The same where the code in a range is asked for.
fn run_asked(image: &Image, chip: usize, code: Option<Range<u32>>) -> Run {
    let asked = code.map(|code| Asked {
        by: AskedBy::Name("it".to_owned()),
        code: vec![code],
        executed: false,
    });
    let run = |one_op_blocks| {
        let options = Options {
            runs: 2,
            one_op_blocks,
            asked: asked.clone(),
            ..Options::default()
        };
        simulate(image, "two loops", MODELS[chip], &options, &mut |_| {})
    };
    let (blocks, single) = (run(false), run(true));
    assert_eq!(format!("{blocks:?}"), format!("{single:?}"));
    blocks
}

fn addresses(run: &Run) -> impl Iterator<Item = u32> + '_ {
    let issued = run.trace.issued.iter();
    issued.filter_map(|one| Some(run.instructions.get(one.instruction as usize)?.address))
}

#[test]
fn the_trace_is_of_the_loop_that_takes_longest() {
    for chip in 0..MODELS.len() {
        let run = run(&two_loops(6_000, 90_000), chip);
        assert!(run.trace.full && run.trace.from > 12_000, "{}", run.trace.from);
        assert!(run.trace.issued.len() >= TRACE_CAPACITY - 1);
        assert!(addresses(&run).all(|address| address > BRANCHES[0]));
        assert_eq!(run.trace.issued[0].clock, run.trace.from);
    }
}

#[test]
fn a_trace_with_some_rounds_of_that_loop_is_not_enough() {
    // The second trace, from clock 16,384, has the end of the first loop and the beginning of the second one.
    let run = run(&two_loops(9_440, 90_000), 0);
    assert!(run.trace.full && run.trace.from > 19_000, "{}", run.trace.from);
    assert!(addresses(&run).all(|address| address > BRANCHES[0]));
}

#[test]
fn the_beginning_is_traced_if_it_takes_as_long_as_the_rest() {
    let run = run(&two_loops(90_000, 100), 0);
    assert!(run.trace.full && run.trace.from == 0);
    assert_eq!(addresses(&run).next(), Some(CODE));
}

/// The trace of the beginning has two loops with half of the clocks of the run; the third loop has the other half.
#[test]
fn the_trace_is_of_one_loop_that_takes_longest_rather_than_of_several() {
    let mut bytes = vec![0xBE, 20, 0, 0, 0]; // mov esi,20
    let again = CODE + 5;
    let mut heads = Vec::new();
    for (rounds, operands) in [(700_u32, 0xC3), (1_000, 0xD3), (1_700, 0xFB)] {
        bytes.push(0xB9); // mov ecx,rounds
        bytes.extend(rounds.to_le_bytes());
        heads.push(CODE + bytes.len() as u32);
        bytes.extend([0x0F, 0xAF, operands, 0x49, 0x75, 0xFA]); // head: imul …,ebx; dec ecx; jnz head
    }
    bytes.extend([0x4E, 0x0F, 0x85]); // dec esi; jnz again
    let after = CODE + bytes.len() as u32 + 4;
    bytes.extend(again.wrapping_sub(after).to_le_bytes());
    let image = image(bytes, after, Vec::new());
    for chip in 0..MODELS.len() {
        let run = run(&image, chip);
        let in_third = addresses(&run).filter(|&address| address >= heads[2]).count();
        assert!(
            in_third * 2 > run.trace.issued.len(),
            "{in_third} of {}",
            run.trace.issued.len()
        );
    }
}

#[test]
fn the_trace_is_of_the_code_that_is_asked_for() {
    let second = BRANCHES[0] + 2..BRANCHES[1] + 2;
    let has = |run: &Run| run.asked.as_ref().is_some_and(|asked| asked.executed);
    for chip in 0..MODELS.len() {
        // It takes few clocks, long after the traces that begin from time to time.
        let run = run_asked(&two_loops(90_000, 100), chip, Some(second.clone()));
        assert_eq!(addresses(&run).next(), Some(second.start), "{chip}");
        assert!(addresses(&run).all(|address| second.contains(&address)));
        assert!(run.trace.from >= 90_000 && has(&run), "{}", run.trace.from);
        // It is hot, and begins with few rounds.
        let run = run_asked(&two_loops(9_440, 90_000), chip, Some(second.clone()));
        assert!(addresses(&run).filter(|address| second.contains(address)).count() > TRACE_CAPACITY / 2);
        // Nothing of it is executed, so the usual trace is shown.
        let end = second.end;
        let run = run_asked(&two_loops(6_000, 90_000), chip, Some(end..end + 8));
        assert!(addresses(&run).all(|address| address > BRANCHES[0]) && !has(&run));
    }
}

#[test]
fn a_loop_ends_a_run_after_its_rounds() {
    for chip in 0..MODELS.len() {
        let mut image = two_loops(10, 1_000);
        image.preset.rounds = vec![Rounds {
            branch: BRANCHES[1],
            most: 100,
        }];
        image.preset.registers[0] = Some(5);
        let run = run(&image, chip);
        assert_eq!(run.stop.reason, StopReason::Rounds);
        assert_eq!(run.stop.detail, Some(StopDetail::Rounds(100)));
        assert_eq!(run.registers[1][..4], [15, 900, 100, 100]);
        assert!(run.stop.reason.by_program());
    }
}
