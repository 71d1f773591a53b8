//! Regions: their passes and traces when they are nested, left early, or begin and end in the V pipe.

use super::{CODE, image};
use crate::{Options, audit, simulate};
use p5_chips::MODELS;
use p5_image::{Image, Region, RegionKind};
use p5_results::{Pipe, Run};
use p5_timing::pipeline::MOST_OPEN;

/// The code before the code of each test, and the address after it.
const START: &[u8] = &[0xF7, 0xD0]; // not eax
const BEGIN: u32 = CODE + START.len() as u32;

/// A region of the user's macros between offsets of the code; its end macro ends at `done`.
fn region([first, after, done]: [usize; 3]) -> Region {
    Region {
        name: "region".to_owned(),
        kind: RegionKind::Tsc,
        file: 0,
        start_line: 1,
        end_line: 2,
        first: BEGIN + first as u32,
        after: BEGIN + after as u32,
        done: BEGIN + done as u32,
        measured: Vec::new(),
        library: false,
        events: None,
    }
}

fn program(bytes: &[u8], regions: &[[usize; 3]]) -> Image {
    let bytes = [START, bytes].concat();
    let regions = regions.iter().map(|&offsets| region(offsets)).collect();
    let end = CODE + bytes.len() as u32;
    image(bytes, end, regions)
}

fn run(bytes: &[u8], regions: &[[usize; 3]]) -> Run {
    // Only the instruction before a region enters it.
    let image = program(bytes, regions);
    let run = |one_op_blocks| {
        let options = Options {
            one_op_blocks,
            ..Options::default()
        };
        simulate(&image, "regions", MODELS[0], &options, &mut |_| {})
    };
    let blocks = run(false);
    assert_eq!(format!("{blocks:?}"), format!("{:?}", run(true)));
    blocks
}

/// The offsets and pipes in the trace of region `index`.
fn traced(run: &Run, index: usize) -> Vec<(u32, Pipe)> {
    let trace = run.regions[index].trace.issued.iter();
    let offset = |instruction: u32| run.instructions[instruction as usize].address - BEGIN;
    trace.map(|one| (offset(one.instruction), one.pipe)).collect()
}

#[test]
fn a_region_inside_a_long_one_has_its_own_trace() {
    let mut bytes = vec![0xB9, 0x88, 0x13, 0, 0]; // mov ecx,5000
    bytes.extend([0x49, 0x75, 0xFD]); // dec ecx; jnz back
    bytes.extend([0xF7, 0xD0, 0xF7, 0xD3, 0xF7, 0xD2, 0xF7, 0xD6]); // not eax; not ebx; not edx; not esi
    let run = run(&bytes, &[[0, 14, 14], [8, 12, 12]]);
    assert!(run.regions[0].trace.cut);
    assert!(!run.regions[1].trace.cut);
    assert_eq!(traced(&run, 1), [(8, Pipe::U), (10, Pipe::U)]);
    assert!(run.regions.iter().all(|region| region.pass_count == 5));
}

#[test]
fn a_pass_whose_end_macro_does_not_finish_counts_and_ends_nothing_else() {
    let mut bytes = vec![0xB9, 3, 0, 0, 0]; // mov ecx,3
    bytes.extend([0xF7, 0xD0]); // 5: not eax
    bytes.extend([0xF7, 0xD3]); // 7: not ebx: the inner region
    bytes.extend([0xF7, 0xD2]); // 9: not edx: the end macro, which jumps back
    bytes.extend([0x49, 0x75, 0xF7]); // 11: dec ecx; jnz 5
    bytes.extend([0xF7, 0xD6]); // 14: not esi
    bytes.extend([0xF7, 0xD7]); // 16: not edi, behind the outer region
    let run = run(&bytes, &[[0, 16, 18], [7, 9, 14]]);
    assert_eq!([0, 1].map(|index| run.regions[index].pass_count), [5, 15]);
    assert!(
        run.regions[1]
            .passes
            .iter()
            .all(|pass| pass.measured.is_none() && pass.cycles > 0)
    );
    assert!(!run.regions[0].trace.cut);
    let whole = traced(&run, 0);
    assert_eq!(whole.len(), 1 + 3 * 5 + 1, "{whole:?}");
    assert_eq!(traced(&run, 1), [(7, Pipe::U)]);
}

#[test]
fn passes_without_a_result_are_counted_whether_or_not_an_audit_keeps_them() {
    let mut bytes = vec![0xB9, 0xD0, 0x07, 0, 0]; // mov ecx,2000
    bytes.extend([0xF7, 0xD0]); // 5: not eax
    bytes.extend([0xF7, 0xD3]); // 7: not ebx: the region
    bytes.extend([0xF7, 0xD2]); // 9: not edx: the end macro, which jumps back
    bytes.extend([0x49, 0x75, 0xF7]); // 11: dec ecx; jnz 5
    let image = program(&bytes, &[[7, 9, 14]]);
    let options = Options {
        runs: 2,
        ..Options::default()
    };
    let audited = audit(&image, "regions", MODELS[0], &options, false, &mut |_| {});
    assert_eq!(audited.run.regions[0].pass_count, 4000);
    assert_eq!(audited.unfinished, [4000]);
    assert!(audited.passes[0].len() < 4000);
}

#[test]
fn a_region_is_cut_between_the_instructions_of_a_pair() {
    // not eax; then pairs: inc ebx, inc edx; inc esi, inc edi; not eax
    let bytes = [0xF7, 0xD0, 0x43, 0x42, 0x46, 0x47, 0xF7, 0xD0];
    for (offsets, expected, cycles) in [
        (
            [2, 6, 6],
            vec![(2, Pipe::U), (3, Pipe::V), (4, Pipe::U), (5, Pipe::V)],
            2,
        ),
        ([2, 5, 5], vec![(2, Pipe::U), (3, Pipe::V), (4, Pipe::U)], 1),
        ([3, 6, 6], vec![(3, Pipe::V), (4, Pipe::U), (5, Pipe::V)], 2),
        ([3, 5, 5], vec![(3, Pipe::V), (4, Pipe::U)], 1),
        ([3, 4, 4], vec![(3, Pipe::V)], 1),
        ([2, 3, 3], vec![(2, Pipe::U)], 0),
    ] {
        let run = run(&bytes, &[offsets]);
        assert_eq!(traced(&run, 0), expected, "{offsets:?}");
        let trace = &run.regions[0].trace;
        let sum: u32 = trace.issued.iter().map(|one| one.cycles).sum();
        assert_eq!((sum, trace.issued[0].clock), (cycles, 0), "{offsets:?}");
        assert!(!trace.cut);
    }
}

#[test]
fn traces_of_deeply_nested_regions_are_bounded() {
    let depth = MOST_OPEN + 3;
    let bytes = [0xF7, 0xD0].repeat(2 * depth); // not eax
    let regions: Vec<_> = (0..depth)
        .map(|at| [2 * at, bytes.len() - 2 * at - 2, bytes.len() - 2 * at - 2])
        .collect();
    let run = run(&bytes, &regions);
    let whole = |index: usize| !run.regions[index].trace.cut && !run.regions[index].trace.issued.is_empty();
    assert!((0..MOST_OPEN).all(whole));
    assert!((MOST_OPEN..depth).all(|index| run.regions[index].trace.cut && run.regions[index].pass_count == 5));
}

#[test]
fn of_very_many_passes_those_of_each_run_are_kept_at_equal_distances() {
    const PASSES: u16 = 7_000;
    let mut bytes = vec![0x66, 0xB9]; // mov cx,7000
    bytes.extend(PASSES.to_le_bytes());
    bytes.extend([0xF7, 0xD0]); // 4: not eax
    bytes.extend([0xF7, 0xD3]); // 6: not ebx: the region
    bytes.extend([0xF7, 0xD2]); // 8: not edx
    bytes.extend([0x66, 0x49, 0x75, 0xF6]); // 10: dec cx; jnz 4
    let run = run(&bytes, &[[6, 8, 10]]);
    let region = &run.regions[0];
    assert_eq!(region.pass_count, 5 * u64::from(PASSES));
    // 35,000 passes take every fourth.
    let of_run = |number| region.passes.iter().filter(|pass| pass.run == number).count();
    assert_eq!([0, 1, 2, 3, 4].map(of_run), [usize::from(PASSES) / 4; 5]);
    let cold = region.passes[0].cycles;
    assert!(region.passes.iter().all(|pass| pass.cycles <= cold));
}
