//! Compares meaning with silicon: random sequences of integer instructions (`floating` has those of floating point),
//! run in the host's 32-bit compatibility segment and by `exec`, must leave the same registers, flags and memory, or
//! fault at the same instruction with the same vector. The same must hold in segments of a local descriptor table:
//! 16-bit and 32-bit code, with bases and limits, with SP and ESP, with a stack that expands down.
//!
//! A taint follows undefined flags through a sequence and excludes them. Not generated, because silicon and model may
//! legitimately differ: BSWAP of 16 bits, SHLD and SHRD of 16 bits by more than 16 or by CL, LOCK, FS and GS overrides,
//! POPF, far transfers, and instructions that read the segment registers or tables of the operating system. #SS, #GP
//! and #PF of a memory operand count as the same. Not compared: repeated moves with 16-bit addresses whose operands
//! overlap although the upper halves of ESI and EDI differ, which some hosts execute wrongly; ENTER of 32 bits if SP
//! wraps, and whether BOUND reads its upper bound first, in which hosts differ. Hosts also differ in the flags after a
//! fault in a repeated comparison: the host is tested first, and compared under its own answer to `faulted_compare`,
//! which the summary names; those from before the instruction are allowed as well, because some hosts leave these after
//! many iterations. `P5INST_SEED` repeats a run, `SILICON_CASES` sets the number of cases.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[path = "silicon/differences.rs"]
mod differences;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[path = "silicon/floating.rs"]
mod floating;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[path = "silicon/generate.rs"]
mod generate;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[path = "silicon/native.rs"]
mod native;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[path = "silicon/operands.rs"]
mod operands;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[path = "silicon/world.rs"]
mod world;

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
#[test]
fn sequences_do_what_silicon_does() {
    eprintln!("SKIPPED: the comparison with silicon needs an x86-64 Linux host");
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn sequences_do_what_silicon_does() {
    conclude(compare::sequences);
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn sequences_in_segments_do_what_silicon_does() {
    conclude(compare::sequences_in_segments);
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn floating_point_does_what_silicon_does() {
    conclude(floating::compare);
}

/// The reason why the two sides do not agree.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
enum Problem {
    Skipped(String),
    Differs(String),
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn conclude(comparison: fn() -> Result<String, Problem>) {
    // A separate thread runs it, so that its alternate signal stack disappears with it.
    let worker = std::thread::spawn(comparison);
    let outcome = worker.join().expect("the comparison ran to its end");
    match outcome {
        Ok(summary) => println!("{summary}"),
        Err(Problem::Skipped(why)) => eprintln!("SKIPPED: {why}"),
        Err(Problem::Differs(report)) => panic!("{report}"),
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod compare {
    use crate::Problem;
    use crate::generate::{ARITHMETIC_FLAGS, Case, generate};
    use crate::native::{ARENA, ARENA_LENGTH, CODE, Ended, Native, Place, Segment, is_reserved};
    use crate::world::World;
    use runtime::descriptor::Descriptor;
    use runtime::exec::{Exit, MicroOp, State, compile, run};
    use runtime::fault::Vector;
    use runtime::memory::Memory;
    use runtime::model::MODELS;
    use runtime::registers::{CF, CS, DS, ES, FaultedComparison, Registers, SS, SegmentRegister, ZF};

    const CASES: u64 = 1_000_000;
    const CASES_IN_SEGMENTS: u64 = 500_000;
    const SHOWN: usize = 20;
    /// CF, PF, AF, ZF, SF, DF and OF.
    pub(crate) const FLAGS: u32 = 0xCD5;

    /// The maximum number of times that a sequence may be continued somewhere: more than it has instructions.
    const MOST_VISITS: u32 = 64;

    /// The place of sequences, on both sides.
    struct Setting {
        place: Place,
        world: World,
        /// The segment registers by number; the others are flat.
        segments: Vec<(usize, SegmentRegister)>,
    }

    /// The end of a case on the simulated side.
    struct Simulated {
        ended: Ended,
        /// The instruction at which it ended, or the number of instructions.
        reached: usize,
        /// EFLAGS before the row of instructions in which it ended.
        before: u32,
        /// Whether every instruction before that was executed once, in order.
        in_order: bool,
    }

    /// Runs the case; `None` if it accesses addresses of the harness, would meet a flaw of the host, or repeats itself
    /// without end.
    fn simulate(case: &Case, setting: &Setting, state: &mut State) -> Option<Simulated> {
        state.registers = Registers::flat(3);
        for &(number, register) in &setting.segments {
            state.registers.segments[number] = register;
        }
        let mode = state.registers.mode();
        let ops: Vec<MicroOp> = case
            .instructions
            .iter()
            .map(|instruction| compile(instruction, MODELS[0].isa, &mode))
            .collect();
        state.registers.general = case.general;
        state.registers.set_eflags(case.eflags | 0x202);
        let start = mode.linear(setting.world.start());
        let end = start + case.code.len() as u32;
        let (mut at, mut executed, mut in_order) = (start, 0, true);
        let mut before = state.registers.eflags();
        let mut visits = 0;
        let simulated = |ended, reached, before, in_order| {
            Some(Simulated {
                ended,
                reached,
                before,
                in_order,
            })
        };
        loop {
            if at == end {
                return simulated(
                    ended(state, None, end),
                    ops.len(),
                    before,
                    in_order && executed == ops.len(),
                );
            }
            let Some(index) = ops.iter().position(|op| op.address() == at) else {
                // A branch led out of the sequence: nothing can be fetched there.
                if is_reserved(at) {
                    return None;
                }
                let ended = ended(state, Some(Vector::Page.number()), at);
                return simulated(ended, executed, before, in_order);
            };
            in_order &= index == executed;
            // A jump through a register or memory may go back without end, on both sides.
            visits += 1;
            if visits > MOST_VISITS || case.meets_flaw(index, &state.registers.general) {
                return None;
            }
            let row = ops.len().min(index + case.row_length(index));
            before = state.registers.eflags();
            let outcome = run(&ops[index..row], state);
            executed = index + outcome.executed;
            match outcome.exit {
                Exit::Next => at = state.registers.eip,
                Exit::Fault(fault) => {
                    if fault.address.is_some_and(is_reserved) {
                        return None;
                    }
                    // After a trap, EIP points to the next instruction.
                    let trap = matches!(fault.vector, Vector::Overflow | Vector::Breakpoint);
                    let eip = if trap { state.facts.next } else { state.registers.eip };
                    return simulated(
                        ended(state, Some(fault.vector.number()), eip),
                        executed,
                        before,
                        in_order,
                    );
                }
                Exit::Request(_) => return None,
            }
        }
    }

    fn ended(state: &State, vector: Option<u8>, eip: u32) -> Ended {
        Ended {
            general: state.registers.general,
            eflags: state.registers.eflags(),
            vector,
            eip: state.registers.mode().offset(eip),
        }
    }

    /// Copies the memory of the host to the simulated memory.
    fn copy_memory(native: &Native, state: &mut State) {
        for (region, &(start, _)) in native.regions().iter().enumerate() {
            state
                .memory
                .load(start, native.bytes(region))
                .expect("the region is mapped");
        }
    }

    pub(crate) fn sequences() -> Result<String, Problem> {
        let native = Native::new().map_err(Problem::Skipped)?;
        let low = native.regions().len() > 1;
        if !low {
            eprintln!("SKIPPED: 16-bit addresses, the host maps nothing below 64 KiB; all else is compared");
        }
        let flat = Setting {
            place: Place::Flat,
            world: World::Flat { low },
            segments: Vec::new(),
        };
        compare(native, &[flat], CASES)
    }

    pub(crate) fn sequences_in_segments() -> Result<String, Problem> {
        let mut native = Native::new().map_err(Problem::Skipped)?;
        let settings = settings(&mut native).map_err(Problem::Skipped)?;
        compare(native, &settings, CASES_IN_SEGMENTS)
    }

    /// Settings with 16-bit and 32-bit code, each with a stack of SP, of SP in a segment that expands down, and of ESP.
    fn settings(native: &mut Native) -> Result<Vec<Setting>, String> {
        let segment = |base, limit, wide, contents| Segment {
            base,
            limit,
            wide,
            contents,
        };
        let codes = [
            (16, segment(CODE, 0xFFF, false, 2)),
            (32, segment(CODE, 0xFFF, true, 2)),
        ];
        let stacks = [
            segment(ARENA, ARENA_LENGTH - 1, false, 0),
            segment(ARENA + ARENA_LENGTH - 0x1_0000, 0xFFFF - ARENA_LENGTH, false, 1),
            segment(ARENA + 0x40, ARENA_LENGTH - 0x41, true, 0),
        ];
        let data = segment(ARENA + 0x10, ARENA_LENGTH - 0x11, false, 0);
        let extra = segment(ARENA + 0x111, 0x17FF, false, 0);
        let mut settings = Vec::new();
        let mut number = 0;
        let mut define = |segment: &Segment| {
            number += 1;
            let selector = native.define(number - 1, segment)?;
            Ok::<_, String>((selector, SegmentRegister::of(selector, descriptor(segment))))
        };
        let (data, extra) = ((define(&data)?, data), (define(&extra)?, extra));
        for (bits, code) in codes {
            let code = define(&code)?;
            for stack in stacks {
                let held = define(&stack)?;
                let reach = |segment: &Segment| match segment.contents {
                    1 => (segment.limit + 1, 0x1_0000),
                    _ => (0, segment.limit + 1),
                };
                settings.push(Setting {
                    place: Place::Segments {
                        bits,
                        code: code.0,
                        data: [extra.0.0, held.0, data.0.0],
                    },
                    world: World::Segments {
                        bits,
                        reach: [reach(&extra.1), reach(&stack), reach(&data.1)],
                        wide_stack: stack.wide,
                    },
                    segments: vec![(CS, code.1), (ES, extra.0.1), (SS, held.1), (DS, data.0.1)],
                });
            }
        }
        Ok(settings)
    }

    /// The descriptor that the host makes from a segment.
    fn descriptor(segment: &Segment) -> Descriptor {
        let access = match segment.contents {
            0 => 0xF3,
            1 => 0xF7,
            _ => 0xFB,
        };
        let base = segment.base;
        Descriptor {
            low: base << 16 | segment.limit & 0xFFFF,
            high: base & 0xFF00_0000 | base >> 16 & 0xFF | access << 8 | u32::from(segment.wide) << 22,
        }
    }

    /// The host's answer to the open question of flags after a fault in a repeated comparison: after one equal byte at
    /// the end of memory, the zero flag may be set, which was clear before.
    fn faulted_comparison(native: &mut Native) -> Result<FaultedComparison, Problem> {
        let last = ARENA + ARENA_LENGTH - 1;
        native.load(last, &[0]);
        // repe scasb
        let general = [0, 3, 0, 0, ARENA + 0x100, 0, 0, last];
        let ended = native.run(&Place::Flat, &[0xF3, 0xAE], &general, CF);
        match (ended.vector, ended.general[1], ended.eflags & (ZF | CF)) {
            (Some(14), 2, CF) => Ok(FaultedComparison::Restored),
            (Some(14), 2, ZF) => Ok(FaultedComparison::LastDone),
            _ => Err(Problem::Differs(format!(
                "a comparison at the end of memory: {ended:x?}"
            ))),
        }
    }

    fn compare(mut native: Native, settings: &[Setting], cases: u64) -> Result<String, Problem> {
        let seed = p5_seeds::seed();
        let cases = p5_seeds::number("SILICON_CASES").unwrap_or(cases);
        let mut random = fastrand::Rng::with_seed(seed);
        let mut memory = Memory::new();
        let regions = native.regions().to_vec();
        for &(start, length) in &regions {
            memory.map(start, length, true).expect("maps");
        }
        let mut state = State::new(Registers::flat(3), memory);
        state.faulted_comparison = faulted_comparison(&mut native)?;
        copy_memory(&native, &mut state);
        let answer = match state.faulted_comparison {
            FaultedComparison::Restored => "before",
            FaultedComparison::LastDone => "last",
        };
        let mut differences = Vec::new();
        let (mut compared, mut executed, mut faults) = (0u64, 0u64, 0u64);
        let mut forms = std::collections::HashSet::new();
        while compared < cases {
            let setting = &settings[random.usize(..settings.len())];
            let case = generate(&mut random, &setting.world);
            // Both memories are equal here; both get the same new random bytes.
            let mut fresh = [0u8; 64];
            random.fill(&mut fresh);
            let (start, length) = regions[random.usize(..regions.len())];
            let place = start + random.u32(..length - 64);
            state.memory.load(place, &fresh).expect("the region is mapped");
            native.load(place, &fresh);

            let Some(simulated) = simulate(&case, setting, &mut state) else {
                copy_memory(&native, &mut state);
                continue;
            };
            let Simulated {
                ended: ours,
                reached,
                before,
                in_order,
            } = simulated;
            let theirs = native.run(&setting.place, &case.code, &case.general, case.eflags);
            compared += 1;
            executed += reached as u64;
            faults += u64::from(ours.vector.is_some());
            forms.extend(case.instructions.iter().map(iced_x86::Instruction::code));

            // A return to an address on the stack may skip the instruction that defines a flag again.
            let undefined = if in_order {
                case.undefined_at(reached)
            } else {
                ARITHMETIC_FLAGS
            };
            let mask = FLAGS & !undefined;
            let same_memory = regions.iter().enumerate().all(|(region, &(start, length))| {
                let ours = state.memory.read_bytes(start, length);
                ours.as_deref() == Some(native.bytes(region))
            });
            let midway = ours.vector.is_some() && case.may_stop_midway(reached);
            let same = (ours.vector == theirs.vector || case.vectors_may_differ(reached, &ours, &theirs))
                && ours.eip == theirs.eip
                && (ours.general == theirs.general || (midway && ours.general[4] == theirs.general[4]))
                && case.flags_agree(reached, before, &ours, &theirs, mask)
                && (same_memory || midway);
            if !same_memory {
                copy_memory(&native, &mut state);
            }
            if !same {
                differences.push(format!(
                    "{:?} {:?}\n  bytes {:02x?}\n  before general {:x?} eflags {:03x}\n  ours   {ours:x?}\n  theirs {theirs:x?}\n  \
                     flags compared {mask:03x}, memory {}, reached {reached}",
                    case.instructions.iter().map(iced_x86::Instruction::code).collect::<Vec<_>>(),
                    setting.world,
                    case.code,
                    case.general,
                    case.eflags,
                    if same_memory { "same" } else { "differs" },
                ));
            }
        }
        let summary = format!(
            "{compared} sequences, {executed} instructions of {} forms, {faults} ended by a fault, with \
             faulted_compare={answer}; seed {seed}",
            forms.len()
        );
        if differences.is_empty() {
            return Ok(summary);
        }
        let count = differences.len();
        differences.sort_by_key(String::len);
        differences.truncate(SHOWN);
        Err(Problem::Differs(format!(
            "{summary}\n{count} differ\n{}",
            differences.join("\n")
        )))
    }
}
