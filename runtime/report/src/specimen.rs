//! Artificial runs for the tests of this folder: one small and readable, others random.

mod needs;
mod symbols;

use asm_macros::events::{EVENTS, Event};
use fastrand::Rng;
use needs::needs;
use p5_chips::Doubt;
use p5_image::{RegionKind, SourceFile};
use p5_results::*;
use p5_words::fault::FaultCause;
use symbols::symbol;

fn file(name: &str, text: &str) -> SourceFile {
    SourceFile::new(name, text)
}

fn issued(instruction: u32, clock: u64, pipe: Pipe, cycles: u32, refusal: Option<Refusal>) -> Issued {
    Issued {
        instruction,
        variant: None,
        clock,
        pipe,
        cycles,
        late: 0,
        longer: 0,
        waited: WaitCauses::NONE,
        slowed: WaitCauses::NONE,
        awaited: None,
        data: None,
        written_through: false,
        held: 0,
        held_by: None,
        bank: None,
        met_entry: false,
        misled_by: None,
        hurried: false,
        unit: UnitTime::default(),
        delivery: false,
        refusal,
    }
}

/// An instruction with its address, length, place, outermost place, and executions in U and in V.
fn instruction(
    (address, length): (u32, u8),
    [place, outermost]: [(u32, u32); 2],
    text: &str,
    [u, v]: [u64; 2],
    causes: &[(Cause, u64)],
    refusals: &[(Refusal, u64)],
) -> InstructionResult {
    InstructionResult {
        address,
        length,
        place: Some(place),
        outermost: Some(outermost),
        brought: None,
        trail: if place == outermost {
            Vec::new()
        } else {
            vec![TrailStep {
                name: "macro".to_owned(),
                pass: None,
                place: outermost,
            }]
        },
        text: text.to_owned(),
        written: None,
        source: None,
        executions: u + v,
        cycles: causes.iter().map(|&(_, cycles)| cycles).sum(),
        u,
        v,
        causes: causes
            .iter()
            .map(|&(cause, cycles)| CauseCycles { cause, cycles })
            .collect(),
        mispredicted: None,
        refusals: refusals.to_vec(),
        doubt: None,
        function: None,
        inlined: None,
        library: place.0 == 1,
        changed: false,
        removals: 0,
        bits: 32,
        needs: needs(text),
    }
}

/// A doubt about a row that is not an open question.
fn doubt(why: &'static str) -> Doubt {
    Doubt {
        form: "RET",
        why,
        question: None,
        least: false,
    }
}

/// Makes the parts and the last row of the runs consistent with the instructions. All events belong to the whole.
fn settle(run: &mut Run) {
    let part = |members: &dyn Fn(&&InstructionResult) -> bool, events: &[EventCount]| {
        let sum = |of: fn(&InstructionResult) -> u64| run.instructions.iter().filter(members).map(of).sum::<u64>();
        let of_cause = |cause| {
            let causes = run.instructions.iter().filter(members).flat_map(|one| &one.causes);
            causes.filter(|part| part.cause == cause).map(|part| part.cycles).sum()
        };
        Part {
            totals: Totals {
                cycles: sum(|one| one.cycles),
                instructions: sum(|one| one.executions),
                u: sum(|one| one.u),
                v: sum(|one| one.v),
            },
            cycle_stack: Cause::ALL
                .iter()
                .map(|&cause| CauseCycles {
                    cause,
                    cycles: of_cause(cause),
                })
                .collect(),
            events: events.to_vec(),
        }
    };
    let mut rest = run.whole.events.clone();
    for count in &mut rest {
        (count.occurrences, count.clocks) = (0, 0);
    }
    let whole = part(&|_| true, &run.whole.events);
    let own = part(&|one| !one.library, &run.whole.events);
    let probes = part(&|one| one.library, &rest);
    (run.whole, run.own, run.probes) = (whole, own, Some(probes));
    if let Some(last) = run.runs.last_mut() {
        (last.whole, last.own) = (run.whole.totals, run.own.totals);
    }
}

/// Twenty trips of a loop between StartTSC and EndTSC, two probes, a user's macro and a byte of code without a source.
pub(super) fn run() -> Run {
    let text = "; a loop\nadd1 MACRO\n  add eax,1\n  add eax,ebx\nENDM\nstart:\n\tStartTSC loop\n\
                again:\n\tmov eax,[esi]\n\tadd esi,4\n\tadd1\n\tdec ecx\n\tjnz again\n\tEndTSC\n\tret\n";
    use Cause::{Agi, CodeMiss, Execution, Issue, Misprediction};
    use Refusal::{FirstExecution, FirstNotPairable, FirstOnlyV, LastInstruction, ReadAfterWrite, TakenBranch};
    let here = |line| [(0, line); 2];
    let body = |line| [(0, line), (0, 11)];
    let probe = &[(Issue, 1), (Execution, 5)];
    let mut instructions = vec![
        instruction((0x1000, 2), [(1, 40), (0, 7)], "rdtsc", [1, 0], probe, &[]),
        instruction(
            (0x1002, 2),
            here(9),
            "mov eax,[esi]",
            [20, 0],
            &[(Issue, 20), (Agi, 19)],
            &[],
        ),
        instruction((0x1004, 3), here(10), "add esi,4", [0, 20], &[], &[]),
        instruction(
            (0x1007, 3),
            body(3),
            "add eax,1",
            [20, 0],
            &[(Issue, 20)],
            &[(ReadAfterWrite, 20)],
        ),
        instruction(
            (0x100A, 2),
            body(4),
            "add eax,ebx",
            [20, 0],
            &[(Issue, 20)],
            &[(FirstNotPairable, 1)],
        ),
        instruction((0x100C, 1), here(12), "dec ecx", [1, 19], &[(Issue, 1)], &[]),
        instruction(
            (0x100D, 2),
            here(13),
            "jnz 1002h",
            [20, 0],
            &[(Issue, 20), (Misprediction, 4)],
            &[(TakenBranch, 19), (FirstOnlyV, 1)],
        ),
        instruction((0x100F, 2), [(1, 60), (0, 14)], "rdtsc", [1, 0], probe, &[]),
        instruction(
            (0x1011, 1),
            here(15),
            "ret",
            [1, 0],
            &[(Issue, 1), (CodeMiss, 8)],
            &[(LastInstruction, 1)],
        ),
        instruction(
            (0x9000, 1),
            here(15),
            "nop",
            [1, 0],
            &[(Issue, 1)],
            &[(FirstExecution, 1)],
        ),
    ];
    instructions[9].place = None;
    instructions[9].outermost = None;
    instructions[8].doubt = Some(doubt("the manuals differ on RET to the same page."));
    let pass = |run, measured: i64, truth: i64| Pass {
        run,
        measured: Some([measured, 0]),
        overhead: Some([13, 0]),
        truth: [truth, 0],
        cycles: truth.unsigned_abs(),
    };
    let mut run = Run {
        fragment: None,
        entered: None,
        inlined: Vec::new(),
        functions: vec![Function {
            name: "start".to_owned(),
            address: 0x1000,
            declared: None,
        }],
        program: "loop.asm".to_owned(),
        cpu: "p54c",
        cpu_title: "Pentium (P54C)",
        pipes: 2,
        memory: "burst",
        assumed: Vec::new(),
        monitors: Vec::new(),
        core_ratio: None,
        hertz: None,
        cpl: 0,
        files: vec![file("loop.asm", text), file("p5.inc", &"nop\n".repeat(80))],
        library: Some(1),
        bundled: Vec::new(),
        stop: Stop {
            place: Some((0, 15)),
            ..Stop::plain(StopReason::Return)
        },
        runs: vec![
            RunSummary {
                whole: Totals {
                    cycles: 400,
                    instructions: 124,
                    u: 85,
                    v: 39,
                },
                own: Totals {
                    cycles: 380,
                    instructions: 122,
                    u: 83,
                    v: 39,
                },
                causes: CauseStack::default(),
            };
            3
        ],
        whole: Part {
            events: EVENTS
                .iter()
                .filter(|row| row.counter.is_none())
                .map(|row| EventCount {
                    event: row.event,
                    selector: row.selector,
                    counter: None,
                    occurrences: if row.event == Event::DATA_READ { 20 } else { 0 },
                    clocks: if row.event == Event::AGI_STALLS { 19 } else { 0 },
                    unavailable: matches!(row.event, Event::EXTERNAL_SNOOPS | Event::EXTERNAL_SNOOP_HITS)
                        .then_some("there is one processor, so nothing snoops"),
                })
                .collect(),
            ..Part::default()
        },
        own: Part::default(),
        probes: None,
        trace: Trace::default(),
        regions: vec![
            RegionResult {
                name: "loop".to_owned(),
                kind: RegionKind::Tsc,
                file: 0,
                start_line: 7,
                end_line: 14,
                events: None,
                in_clocks: [false; 2],
                levels: [Levels::All; 2],
                unavailable: [None; 2],
                passes: vec![pass(0, 55, 40), pass(1, 32, 30), pass(2, 33, 30), pass(2, 32, 30)],
                pass_count: 4,
                last: Some(pass(2, 32, 30)),
                left: 0,
                unbegun: 0,
                measures: true,
                trace: Trace {
                    from: 0,
                    cut: false,
                    full: false,
                    after: None,
                    issued: vec![
                        issued(1, 0, Pipe::U, 1, None),
                        issued(2, 0, Pipe::V, 0, None),
                        issued(3, 1, Pipe::U, 1, Some(ReadAfterWrite)),
                        issued(4, 2, Pipe::U, 1, None),
                        issued(5, 2, Pipe::V, 0, None),
                        issued(6, 3, Pipe::U, 1, Some(TakenBranch)),
                        issued(1, 4, Pipe::U, 1, None),
                    ],
                },
                beyond: None,
            },
            RegionResult {
                name: "line 9".to_owned(),
                kind: RegionKind::Profile,
                file: 0,
                start_line: 9,
                end_line: 10,
                events: Some([(0x16, Event::INSTRUCTIONS_EXECUTED), (0x1F, Event::AGI_STALLS)]),
                in_clocks: [false; 2],
                levels: [Levels::All; 2],
                unavailable: [None; 2],
                passes: vec![Pass {
                    run: 0,
                    measured: None,
                    overhead: None,
                    truth: [2, 1],
                    cycles: 3,
                }],
                pass_count: 1,
                last: None,
                left: 0,
                unbegun: 0,
                measures: true,
                trace: Trace::default(),
                beyond: None,
            },
        ],
        instructions,
        variants: Vec::new(),
        remainders: Vec::new(),
        caches: Vec::new(),
        calls: None,
        symbols: vec![
            symbol("_TSC", [0x3000, 4], [0, 32], true),
            symbol("total", [0x2000, 8], [7, u64::MAX], false),
        ],
        local_labels: Vec::new(),
        statements: Vec::new(),
        labels: vec![Label {
            address: 0x1002,
            name: "again".to_owned(),
        }],
        registers: [[0; 8], [7, 0, 0, 0, 0, 0, 0x2050, 0]],
        selectors: [[0x23; 6], [0x23; 6]],
        flags: [0x202, 0x246],
        floating_point: None,
        screen: None,
        other_memory: None,
        picture: None,
        output: b"Hello\r\n\x1b[31mred\0".to_vec(),
        asked: None,
        budgets: Vec::new(),
        answers: Answers::default(),
        standard_error: Vec::new(),
        notes: vec![Note::DoubtedTiming {
            forms: vec!["RET"],
            doubt: "the manuals differ on RET to the same page.",
            library: false,
        }],
    };
    settle(&mut run);
    run
}

/// A stop by a fault with this cause, without an address.
pub(super) fn stop_detail(cause: FaultCause) -> StopDetail {
    StopDetail::Fault {
        cause,
        address: None,
        unlisted: None,
    }
}

/// A run with random values everywhere, including places out of range.
pub(super) fn random(random: &mut Rng) -> Run {
    let mut run = run();
    let place = |random: &mut Rng| (random.u8(..9) > 0).then(|| (random.u32(..3), random.u32(..18)));
    let mut address = 0x1000;
    run.instructions = (0..random.usize(..40))
        .map(|_| {
            address += random.u32(1..4);
            let bits = random.u8(1..40);
            let (u, v) = (random.u64(..1 << bits), random.u64(..5));
            let mut causes: Vec<CauseCycles> = Vec::new();
            for &cause in Cause::ALL {
                if random.u8(..4) == 0 {
                    let most = 1 << random.u8(1..40);
                    let cycles = random.u64(1..=most);
                    causes.push(CauseCycles { cause, cycles });
                }
            }
            let mut left = u;
            let mut refusals = Vec::new();
            for &refusal in Refusal::ALL {
                let count = if random.bool() { random.u64(..=left) } else { 0 };
                left -= count;
                if count > 0 {
                    refusals.push((refusal, count));
                }
            }
            let here = place(random);
            let trail = if random.bool() {
                let (name, pass) = ("m".to_owned(), random.bool().then_some(2));
                let place = (random.u32(..3), 3);
                let step = TrailStep { name, pass, place };
                vec![step; random.usize(1..7)]
            } else {
                Vec::new()
            };
            InstructionResult {
                address,
                length: random.u8(1..4),
                place: here,
                outermost: if trail.is_empty() { here } else { place(random) },
                brought: None,
                trail,
                text: "xor\teax,\u{7f}eax".repeat(random.usize(1..9)),
                written: random.bool().then(|| "xor eax,\u{7f}eax".to_owned()),
                source: None,
                executions: u + v,
                cycles: causes.iter().map(|part| part.cycles).sum(),
                u,
                v,
                causes,
                mispredicted: None,
                refusals,
                doubt: (random.u8(..8) == 0).then_some(doubt("nobody has measured it.")),
                inlined: random.bool().then(|| random.u32(..3)),
                function: (random.u8(..3) > 0).then(|| random.u32(..2)),
                library: random.u8(..4) == 0,
                changed: random.u8(..8) == 0,
                removals: 0,
                bits: 32,
                needs: Needs {
                    flow: [Flow::Next, Flow::Jump, Flow::Call, Flow::Return][random.usize(..4)],
                    to_next: random.bool(),
                    clocks: random.u32(1..9),
                    ..needs("add eax,ebx")
                },
            }
        })
        .collect();
    let runs = random.usize(..4);
    run.runs = vec![RunSummary::default(); runs];
    for region in &mut run.regions {
        let pair = |random: &mut Rng| random.bool().then(|| [random.i64(-9..1 << 40), random.i64(..)]);
        region.passes = (0..random.usize(..6))
            .map(|_| Pass {
                run: random.u32(..4),
                measured: pair(random),
                overhead: pair(random),
                truth: [random.i64(..), random.i64(..)],
                cycles: random.u64(..),
            })
            .collect();
        region.name = "é\x1b name".repeat(random.usize(1..9));
        region.trace.cut = random.bool();
        region.trace.full = region.trace.cut && random.bool();
        region.trace.issued = (0..random.usize(..50))
            .map(|clock| issued(random.u32(..45), clock as u64, Pipe::U, 1, None))
            .collect();
    }
    run.stop.reason = [StopReason::End, StopReason::Fault, StopReason::Limit, StopReason::Exit][random.usize(..4)];
    run.stop.code = random.bool().then(|| random.u32(..20));
    run.stop.detail = random
        .bool()
        .then(|| stop_detail(FaultCause::NoSuchMsr(random.u32(..))));
    run.stop.place = place(random);
    run.output = (0..random.usize(..300)).map(|_| random.u8(..)).collect();
    run.standard_error = vec![[0, run.output.len().min(9) as u32]; usize::from(random.bool())];
    settle(&mut run);
    run
}
