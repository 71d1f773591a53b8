//! Monitors change no clock unless they are bus masters, whose accesses do not depend on the division into blocks; and
//! the counters of architectural performance monitoring agree with the trace.

use super::generate::{Ending, Shape, program};
use super::identities::{difference, occurrences};
use super::{random_options, simulate_on};
use asm_macros::events::Event;
use fastrand::Rng;
use iced_x86::Code;
use runtime::machine::EngineChoice::{Interpreter, Jit};
use runtime::machine::Options;
use runtime::model::{CoreRatio, MODELS, MONITORS, Model, by_name, monitor};
use runtime::run::{Issued, Run, StopReason};
use std::fmt::Write;

/// The number of random programs in each test.
const PROGRAMS: u64 = 20;
/// The value bits of a counter.
const COUNTER: u64 = (1 << 48) - 1;

fn with_perfmon(model: &'static Model) -> &'static Model {
    let perfmon = monitor("perfmon").expect("exists");
    model.with_monitors(&[perfmon]).expect("has model specific registers")
}

#[test]
fn a_run_with_monitors_equals_one_without() {
    let first = p5_seeds::seed();
    for seed in first..first + PROGRAMS {
        let mut random = Rng::with_seed(seed);
        let options = random_options(&mut random);
        let model = MODELS[random.usize(..3)];
        let shape = Shape {
            privileged: options.cpl == 0,
            modifies_itself: random.bool(),
            time: true,
            packed: model.isa.has(Code::Emms),
            ending: Ending::Return,
        };
        // The maximum function of CPUID, returned in EAX, differs rightly.
        let text = program(&mut random, shape).replace("cpuid", "cpuid\n mov eax,5");
        let without = simulate_on(model, &text, &options, seed);
        // Another bus master would change clocks.
        let monitors: Vec<_> = MONITORS
            .iter()
            .copied()
            .filter(|monitor| monitor.master.is_none())
            .collect();
        let attached = model.with_monitors(&monitors).expect("has model specific registers");
        let mut with = simulate_on(attached, &text, &options, seed);
        assert_eq!(with.monitors.len(), monitors.len());
        with.monitors.clear();
        // A monitor may let an interrupt occur, although none does.
        let why = model
            .events
            .why_unavailable(Event::HARDWARE_INTERRUPTS)
            .expect("nothing interrupts");
        let possible = |run: &Run| format!("{run:?}").replace(&format!("Some({why:?})"), "None");
        if possible(&without) != possible(&with) {
            panic!("seed {seed}: {:?}\n{text}", difference(&without, &with));
        }
    }
}

/// With another bus master as well, a run in blocks equals a run with a block for each instruction.
#[test]
fn another_bus_master_does_the_same_wherever_blocks_are_cut() {
    let first = p5_seeds::seed();
    let mut snooped = 0;
    for seed in first..first + 12 * PROGRAMS {
        // A few programs have most of the hits: the usual number of programs may have none of these.
        if seed >= first + 3 * PROGRAMS && snooped > 20 {
            break;
        }
        let mut random = Rng::with_seed(seed);
        let options = random_options(&mut random);
        let model = MODELS[random.usize(..3)];
        let shape = Shape {
            privileged: options.cpl == 0,
            modifies_itself: random.bool(),
            time: true,
            packed: model.isa.has(Code::Emms),
            ending: Ending::Return,
        };
        let text = program(&mut random, shape);
        let kind = ["snooper", "dual"][random.usize(..2)];
        let every = [1, 3, 10, 40, 400][random.usize(..5)];
        let writes = [0, 50, 100][random.usize(..3)];
        // The place is the program's data, or code and the bytes around it.
        let places = ["", "@arena:1024", "@count_0:64", "@start:4096", "@start:64"];
        let place = places[random.usize(..places.len())];
        let other = monitor(&format!("{kind}={every}:{writes}:{seed}{place}")).expect("a monitor");
        let model = model.with_monitors(&[other]).expect("has model specific registers");
        let [blocks, single, compiled] =
            [(Interpreter, false), (Interpreter, true), (Jit, false)].map(|(engine, one_op_blocks)| {
                let options = Options {
                    engine,
                    one_op_blocks,
                    ..options.clone()
                };
                simulate_on(model, &text, &options, seed)
            });
        for otherwise in [single, compiled] {
            if format!("{blocks:?}") != format!("{otherwise:?}") {
                panic!(
                    "seed {seed}, {}: {:?}\n{text}",
                    other.name,
                    difference(&blocks, &otherwise)
                );
            }
        }
        snooped += occurrences(&blocks, Event::EXTERNAL_SNOOP_HITS);
    }
    assert!(snooped > 20, "{snooped}");
}

/// A few instructions and loops of them, without an effect on ECX, EDX and the stack.
fn body(random: &mut Rng) -> String {
    const LINES: &[&str] = &[
        "add eax,ebx",
        "mov eax,[esi]",
        "mov [esi+4],eax",
        "add dword ptr [esi+8],3",
        "imul ebx,eax",
        "lea edi,[eax+ebx*2]",
        "mov ebx,[esi+62]",
        "shl eax,1",
        "xchg eax,ebx",
        "cmp eax,7",
        "nop",
    ];
    let mut text = String::new();
    for number in 0..random.u32(0..5) {
        let rounds = random.u32(1..12);
        let _ = writeln!(text, " mov ebp,{rounds}\nround{number}:");
        for _ in 0..random.u32(0..8) {
            let _ = writeln!(text, " {}", LINES[random.usize(..LINES.len())]);
        }
        let _ = writeln!(text, " dec ebp\n jnz round{number}");
    }
    for _ in 0..random.u32(0..8) {
        let _ = writeln!(text, " {}", LINES[random.usize(..LINES.len())]);
    }
    text
}

fn write(register: u32, value: u64) -> String {
    format!(
        " mov ecx,{register}\n mov eax,{}\n mov edx,{}\n wrmsr\n",
        value as u32,
        value >> 32
    )
}

/// The measured part of a program: the issues after the enabling instruction, up to the disabling one.
struct Measured<'a> {
    issued: &'a [Issued],
    behind: &'a Issued,
}

impl<'a> Measured<'a> {
    fn of(run: &'a Run) -> Measured<'a> {
        assert!(!run.trace.cut, "the trace is whole");
        let at = |name: &str| {
            run.labels
                .iter()
                .find(|label| label.name == name)
                .expect("a label")
                .address
        };
        let address = |issued: &Issued| run.instructions[issued.instruction as usize].address;
        let place = |name: &str| run.trace.issued.iter().position(|issued| address(issued) == at(name));
        let (first, last) = (place("enabled").expect("issued"), place("disabled").expect("issued"));
        Measured {
            issued: &run.trace.issued[first..last],
            behind: &run.trace.issued[last],
        }
    }

    fn instructions(&self) -> u64 {
        self.issued.len() as u64
    }

    /// The clocks from the end of the enabling instruction to the end of the disabling one.
    fn clocks(&self) -> u64 {
        let between = self.behind.clock - self.issued[0].clock;
        between + u64::from(self.issued[0].late) - u64::from(self.behind.late)
    }

    fn branches(&self, run: &Run) -> u64 {
        // The Pentium counts serialising instructions as branches.
        let counts = |issued: &&Issued| {
            let text = &run.instructions[issued.instruction as usize].text;
            text.starts_with('j') || text == "wrmsr"
        };
        self.issued.iter().filter(counts).count() as u64
    }
}

/// The quantity that a counter of the test counts.
#[derive(Clone, Copy, Debug)]
enum Counted {
    Instructions,
    Clocks,
    Reference,
    Branches,
}

#[test]
fn counters_say_what_the_trace_says_for_each_way_to_enable_them() {
    let first = p5_seeds::seed();
    for seed in first..first + PROGRAMS {
        let mut random = Rng::with_seed(seed);
        let general = [
            (0x00C0, Counted::Instructions),
            (0x003C, Counted::Clocks),
            (0x013C, Counted::Reference),
            (0x00C4, Counted::Branches),
        ];
        let fixed = [Counted::Instructions, Counted::Clocks, Counted::Reference];
        let (mut setup, mut counters, mut fixed_control) = (String::new(), Vec::new(), 0);
        let enabled = random.u64(..) & 0x7_0000_000F;
        // The bits are level 0, level 3, enable, and an interrupt, which the local APIC does not deliver.
        let bits = |random: &mut Rng| [random.bool(), random.bool(), random.bool(), random.bool()];
        let preset = |random: &mut Rng| match random.bool() {
            true => COUNTER - random.u64(..300),
            false => random.u64(..=COUNTER),
        };
        for number in 0..4 {
            let (event, counted) = general[random.usize(..4)];
            let [system, user, on, interrupt] = bits(&mut random);
            let select = event
                | u64::from(user) << 16
                | u64::from(system) << 17
                | u64::from(interrupt) << 20
                | u64::from(on) << 22;
            let value = preset(&mut random);
            setup += &write(0x186 + number, select);
            setup += &write(0x4C1 + number, value);
            counters.push((
                0xC1 + number,
                counted,
                system && on && enabled >> number & 1 != 0,
                value,
                number,
            ));
        }
        for number in 0..3 {
            let [system, user, _, interrupt] = bits(&mut random);
            fixed_control |= (u64::from(system) | u64::from(user) << 1 | u64::from(interrupt) << 3) << (4 * number);
            let value = preset(&mut random);
            setup += &write(0x309 + number, value);
            let counts = system && enabled >> (32 + number) & 1 != 0;
            counters.push((0x309 + number, fixed[number as usize], counts, value, 32 + number));
        }
        setup += &write(0x38D, fixed_control);
        setup += &write(0x390, 0x7_0000_000F);
        let mut reading = String::new();
        for (place, (register, ..)) in counters.iter().enumerate() {
            let _ = writeln!(
                reading,
                " mov ecx,{register}\n rdmsr\n mov dword ptr value{place},eax\n mov dword ptr value{place}+4,edx"
            );
        }
        let values: String = (0..7).map(|place| format!("value{place} dq 0\n")).collect();
        let text = format!(
            ".586p\n.model flat\n.data\nalign 8\n{values}status dq 0\nmemory dd 64 dup(1)\n.code\nstart:\n\
             {}{setup} mov esi,offset memory\n{} enabled:\n{} mov ecx,38Fh\n xor eax,eax\n xor edx,edx\n wrmsr\n\
             disabled:\n{reading} mov ecx,38Eh\n rdmsr\n mov dword ptr status,eax\n mov dword ptr status+4,edx\n ret\n\
             end start\n",
            write(0x38F, 0),
            write(0x38F, enabled),
            body(&mut random),
        );
        let ratio = ["1/1", "14763/13284", "3/2"][random.usize(..3)];
        let options = Options {
            runs: random.u32(1..3),
            core_ratio: CoreRatio::parse(ratio).expect("a ratio"),
            ..Options::default()
        };
        let run = simulate_on(with_perfmon(snapshots::chip()), &text, &options, seed);
        assert_eq!(run.stop.reason, StopReason::Return, "seed {seed}");
        let measured = Measured::of(&run);
        let mut status = 0;
        for (place, &(register, counted, counts, preset, bit)) in counters.iter().enumerate() {
            let value = snapshots::value(&run, &format!("value{place}")).expect("a symbol");
            let events = match counted {
                _ if !counts => 0,
                Counted::Instructions => measured.instructions(),
                Counted::Branches => measured.branches(&run),
                Counted::Clocks => measured.clocks(),
                Counted::Reference => {
                    // The end of a reference clock depends on the earlier clocks.
                    let whole = options.core_ratio.reference_clocks(measured.clocks());
                    let came = value.wrapping_sub(preset) & COUNTER;
                    assert!(
                        came == whole || came == whole + 1,
                        "seed {seed}: {came}, not {whole}\n{text}"
                    );
                    came
                }
            };
            let sum = preset + events;
            assert_eq!(value, sum & COUNTER, "seed {seed}: {register:X}h, {counted:?}\n{text}");
            status |= u64::from(sum > COUNTER) << bit;
        }
        assert_eq!(snapshots::value(&run, "status"), Some(status), "seed {seed}\n{text}");
    }
}

#[test]
fn caches_and_predictions_are_counted_as_the_pentium_counts_them() {
    /// The codes of the Pentium's data references, code reads, data misses and code misses.
    const OWN: [u64; 4] = [0x28, 0x0C, 0x29, 0x0E];
    /// Last level references, their misses, and mispredicted branches.
    const ARCHITECTURAL: [u64; 3] = [0x4F2E, 0x412E, 0x00C5];
    // This chip counts mispredicted branches itself.
    let chip = by_name("p55c").expect("exists");
    let first = p5_seeds::seed();
    let (mut mispredicted, mut data_references, mut lines_missed) = (0, 0, 0);
    for seed in first..first + PROGRAMS {
        let text = |selected: &[u64]| {
            let mut random = Rng::with_seed(seed);
            let select = |(number, code): (u32, &u64)| write(0x186 + number, code | 0x43_0000);
            let setup: String = (0..).zip(selected).map(select).collect();
            let read = |number| format!(" mov ecx,{}\n rdmsr\n mov value{number},eax\n", 0xC1 + number);
            let reading: String = (0..4).map(read).collect();
            let values: String = (0..4).map(|number| format!("value{number} dd 0\n")).collect();
            format!(
                ".586p\n.model flat\n.data\nalign 8\n{values}memory dd 64 dup(1)\n.code\nstart:\n{}{setup} \
                 mov esi,offset memory\n{}{}{} {reading} hlt\nend start\n",
                write(0x38F, 0),
                write(0x38F, 15),
                body(&mut random),
                write(0x38F, 0),
            )
        };
        // The run is cold, so that there are misses.
        let options = Options {
            runs: 1,
            ..Options::default()
        };
        let simulate = |selected: &[u64]| {
            let text = text(selected);
            let run = simulate_on(with_perfmon(chip), &text, &options, seed);
            assert_eq!(run.stop.reason, StopReason::Halt, "seed {seed}\n{text}");
            let value = |number| snapshots::value(&run, &format!("value{number}")).expect("a symbol");
            (
                [0, 1, 2, 3].map(value),
                occurrences(&run, Event::MISPREDICTED_FLUSHES),
                text,
            )
        };
        // The codes are immediates, so the two programs are otherwise alike.
        let ([data, code, data_misses, code_misses], ..) = simulate(&OWN);
        let [references, misses, branches] = ARCHITECTURAL;
        let ([all, missed, flushed, none], flushes, text) = simulate(&[references, misses, branches, 0xFF]);
        assert_eq!(all, data + code, "seed {seed}: references\n{text}");
        assert_eq!(missed, data_misses + code_misses, "seed {seed}: misses\n{text}");
        // There is no branch outside of the measured part.
        assert_eq!(flushed, flushes, "seed {seed}: mispredicted branches\n{text}");
        assert_eq!(none, 0, "seed {seed}: no event has the code FFh\n{text}");
        mispredicted += flushed;
        data_references += data;
        lines_missed += missed;
    }
    let counted = [mispredicted, data_references, lines_missed];
    assert!(
        counted.iter().all(|&counted| counted > PROGRAMS),
        "only {counted:?} from seed {first} on"
    );
}

#[test]
fn looking_after_each_instruction_changes_no_clock() {
    let first = p5_seeds::seed();
    for seed in first..first + PROGRAMS {
        let mut random = Rng::with_seed(seed);
        let text = body(&mut random);
        // Without and with the interrupt of fixed counter 0, and with edges of general counter 0.
        let runs = [(0x3, 0x43_00C0), (0xB, 0x43_00C0), (0x3, 0x47_00C0)].map(|(fixed, select)| {
            let text = format!(
                ".586p\n.model flat\n.data\nmemory dd 64 dup(1)\n.code\nstart:\n{}{}{} mov esi,offset memory\n{text} \
                 ret\nend start\n",
                write(0x38D, fixed),
                write(0x186, select),
                write(0x38F, 0x1_0000_0001),
            );
            let options = Options {
                runs: 3,
                ..Options::default()
            };
            simulate_on(with_perfmon(snapshots::chip()), &text, &options, seed)
        });
        for run in &runs[1..] {
            let parts = |run: &Run| format!("{:?} {:?}", run.whole, run.runs);
            assert_eq!(parts(run), parts(&runs[0]), "seed {seed}\n{text}");
        }
    }
}

#[test]
fn an_interrupt_comes_behind_the_instruction_that_overflows() {
    let first = p5_seeds::seed();
    let mut compared = 0;
    for seed in first..first + PROGRAMS {
        let mut random = Rng::with_seed(seed);
        let measured_body = body(&mut random);
        let text = |after: u64| {
            format!(
                ".586p\n.model flat\n.data\nalign 8\ntable dq 41h dup(0)\nlimit dw sizeof table - 1\n dd offset table\n\
                 interrupts dd 0\nbehind dd 0\nmemory dd 64 dup(1)\n.code\n\
                 handler: push eax\n mov eax,[esp+4]\n mov behind,eax\n inc interrupts\n pop eax\n\
                 mov dword ptr ds:[0FEE000B0h],0\n mov dword ptr ds:[0FEE00340h],40h\n iretd\n\
                 start: lidt fword ptr limit\n mov eax,offset handler\n mov word ptr table[200h],ax\n\
                 mov word ptr table[202h],cs\n mov word ptr table[204h],8E00h\n shr eax,16\n\
                 mov word ptr table[206h],ax\n mov dword ptr ds:[0FEE000F0h],1FFh\n\
                 mov dword ptr ds:[0FEE00340h],40h\n{}{}{} mov esi,offset memory\n sti\n{} enabled:\n{measured_body} \
                 cli\n{} disabled:\n ret\nend start\n",
                write(0x38F, 0),
                write(0x309, COUNTER + 1 - after),
                write(0x38D, 0xB),
                write(0x38F, 0x1_0000_0000),
                write(0x38F, 0),
            )
        };
        let options = Options {
            runs: 1,
            ..Options::default()
        };
        let simulate = |after: u64| simulate_on(with_perfmon(snapshots::chip()), &text(after), &options, seed);
        let without = simulate(1 << 40);
        let measured = Measured::of(&without);
        let cli = measured.issued.iter().position(|issued| {
            let text = &without.instructions[issued.instruction as usize].text;
            text == "cli"
        });
        // With an empty body, there is nothing to interrupt.
        let Some(last) = cli.filter(|&last| last > 0) else {
            continue;
        };
        compared += 1;
        let after = random.usize(1..=last);
        let next = &without.instructions[measured.issued[after].instruction as usize];
        let run = simulate(after as u64);
        let found = ["interrupts", "behind"].map(|name| snapshots::value(&run, name));
        let text = text(after as u64);
        assert_eq!(
            found,
            [Some(1), Some(u64::from(next.address))],
            "seed {seed}: after {after}\n{text}"
        );
    }
    assert!(
        compared >= PROGRAMS / 2,
        "only {compared} compared from seed {first} on"
    );
}

#[test]
fn reserved_bits_and_read_only_registers_raise_general_protection() {
    let reserved = [
        (0x186, 1 << 32),
        (0x4C1, 1 << 48),
        (0x309, 1 << 48),
        (0x345, 0),
        (0x38D, 1 << 12),
        (0x38E, 0),
        (0x38F, 1 << 4),
        (0x38F, 1 << 35),
        (0x390, 1 << 60),
    ];
    let allowed = [
        (0x186, 0xFFFF_FFFF),
        (0xC1, u64::MAX),
        (0x4C1, COUNTER),
        (0x38D, 0xFFF),
        (0x390, 7 << 61),
    ];
    let stop = |register, value| {
        let text = format!(
            ".586p\n.model flat\n.code\nstart:\n{} ret\nend start\n",
            write(register, value)
        );
        let run = simulate_on(with_perfmon(snapshots::chip()), &text, &Options::default(), 0);
        (run.stop.reason, run.stop.code)
    };
    for (register, value) in reserved {
        assert_eq!(
            stop(register, value),
            (StopReason::Fault, Some(13)),
            "{register:X}h, {value:X}h"
        );
    }
    for (register, value) in allowed {
        assert_eq!(stop(register, value).0, StopReason::Return, "{register:X}h, {value:X}h");
    }
}
