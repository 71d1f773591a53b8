//! Properties of every run of random programs: clocks, causes and events satisfy identities, and neither the division
//! into blocks nor the number of runs changes the report.

mod audits;
mod counter_masks;
mod displaced;
pub(crate) mod generate;
pub(crate) mod identities;
mod monitors;
mod open_questions;
mod rewritten;
mod suppositions;

use asm_macros::events::Event;
use fastrand::Rng;
use generate::{Ending, Shape, program};
use iced_x86::Code;
use identities::{broken, difference, occurrences};
use runtime::machine::{EngineChoice, Options};
use runtime::model::{MEMORY_PRESETS, MODELS, Model};
use runtime::report::{self, Detail, Format, Style};
use runtime::run::{Run, StopReason};

const PROGRAMS: usize = 320;

fn simulate(text: &str, options: &Options, seed: u64) -> Run {
    simulate_on(snapshots::chip(), text, options, seed)
}

fn simulate_on(model: &'static Model, text: &str, options: &Options, seed: u64) -> Run {
    snapshots::run("random.asm", text, model, options).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"))
}

/// A random program for chip `number`, with its options; `shape` adapts the usual shape.
fn random_program(
    seed: u64,
    number: u64,
    shape: impl FnOnce(Shape, &'static Model, &Options) -> Shape,
) -> (&'static Model, Options, String) {
    let mut random = Rng::with_seed(seed);
    let options = random_options(&mut random);
    let model = MODELS[number as usize % MODELS.len()];
    let usual = Shape {
        packed: model.isa.has(Code::Emms),
        modifies_itself: number.is_multiple_of(8),
        ..Shape::default()
    };
    let text = program(&mut random, shape(usual, model, &options));
    (model, options, text)
}

fn random_options(random: &mut Rng) -> Options {
    Options {
        cpl: if random.bool() { 0 } else { 3 },
        runs: random.u32(1..=4),
        memory: &MEMORY_PRESETS[random.usize(..MEMORY_PRESETS.len())],
        engine: EngineChoice::Interpreter,
        ..Options::default()
    }
}

#[test]
fn clocks_causes_and_events_agree_and_blocks_of_one_tell_the_same() {
    let first = p5_seeds::seed();
    let mut stops = std::collections::BTreeMap::new();
    for number in 0..PROGRAMS as u64 {
        *stops.entry(tells_the_same(first + number, number)).or_insert(0) += 1;
    }
    assert_eq!(stops.get("Return").copied(), Some(PROGRAMS * 5 / 8), "{stops:?}");
}

/// At the end of this program a line is read ahead, after the last instruction of its last block was fetched.
#[test]
fn a_line_read_ahead_at_the_end_is_counted_whatever_instructions_a_block_has() {
    tells_the_same(536_688_338, 230);
    // A line of 32 bytes more is read than this code has, where its end is not before the read begins.
    let mut ahead = [0; 2];
    for bytes in 1..=96usize {
        let slow = "imul eax,ebx\n".repeat((bytes - 1) / 3);
        let text = format!(
            ".586\n.model flat\n.code\nstart: {slow}{}ret\nend start\n",
            "nop\n".repeat((bytes - 1) % 3)
        );
        let usual = Options {
            runs: 1,
            engine: EngineChoice::Interpreter,
            ..Options::default()
        };
        let run = simulate(&text, &usual, 0);
        let singly = Options {
            one_op_blocks: true,
            ..usual
        };
        let other = simulate(&text, &singly, 0);
        assert_eq!(difference(&run, &other), None, "{bytes} bytes");
        let read = occurrences(&run, Event::CODE_CACHE_MISS);
        let more = read - bytes.div_ceil(32) as u64;
        ahead[more as usize] += 1;
    }
    assert!(ahead[0] > 0 && ahead[1] > 0, "{ahead:?}");
}

/// Runs the random program of `seed` on all engines, with the chip and the ending of `number`. Returns how it ends.
fn tells_the_same(seed: u64, number: u64) -> String {
    let mut random = Rng::with_seed(seed);
    let options = random_options(&mut random);
    let model = MODELS[number as usize % MODELS.len()];
    let ending = match number % 8 {
        0 => Ending::DivideError,
        1 => Ending::WriteToNowhere,
        2 => Ending::Undefined,
        _ => Ending::Return,
    };
    let shape = Shape {
        privileged: options.cpl == 0,
        modifies_itself: number.is_multiple_of(5),
        time: model.isa.has(Code::Rdtsc),
        packed: model.isa.has(Code::Emms),
        ending,
    };
    let text = program(&mut random, shape);
    let run = simulate_on(model, &text, &options, seed);
    let wrong = broken(&run);
    assert!(wrong.is_empty(), "seed {seed}: {wrong:#?}\n{text}");
    let expected = match ending {
        Ending::Return => (StopReason::Return, None),
        Ending::DivideError => (StopReason::Fault, Some(0)),
        Ending::Undefined => (StopReason::Fault, Some(6)),
        Ending::WriteToNowhere => (StopReason::Fault, Some(14)),
    };
    assert_eq!(
        (run.stop.reason, run.stop.code),
        expected,
        "seed {seed}: {:?}\n{text}",
        run.stop
    );
    let singly = Options {
        one_op_blocks: true,
        ..options
    };
    let other = simulate_on(model, &text, &singly, seed);
    if let Some(difference) = difference(&run, &other) {
        panic!("seed {seed}: blocks of one operation tell otherwise: {difference}\n{text}");
    }
    let compiled = Options {
        engine: EngineChoice::Jit,
        one_op_blocks: false,
        ..singly
    };
    let other = simulate_on(model, &text, &compiled, seed);
    if let Some(difference) = difference(&run, &other) {
        panic!("seed {seed}: compiled blocks tell otherwise: {difference}\n{text}");
    }
    format!("{:?}", run.stop.reason)
}

#[test]
fn a_program_of_slow_paths_tells_the_same_in_blocks_of_one() {
    let text = include_str!("../asm/irregular.asm");
    for memory in MEMORY_PRESETS {
        let options = Options {
            runs: 2,
            memory,
            cache_sets: true,
            engine: EngineChoice::Interpreter,
            ..Options::default()
        };
        let run = simulate(text, &options, 0);
        let wrong = broken(&run);
        assert!(wrong.is_empty(), "{}: {wrong:#?}", memory.name);
        for event in [
            Event::MISALIGNED_REFERENCES,
            Event::DATA_TLB_MISS,
            Event::DATA_LINES_WRITTEN_BACK,
            Event::BANK_CONFLICTS,
            Event::PIPELINE_FLUSHES,
            Event::WRITE_BUFFER_FULL_STALL,
        ] {
            assert!(occurrences(&run, event) > 100, "{} stays aside", event.name());
        }
        let singly = Options {
            one_op_blocks: true,
            ..options.clone()
        };
        if let Some(difference) = difference(&run, &simulate(text, &singly, 0)) {
            panic!("{}: blocks of one operation tell otherwise: {difference}", memory.name);
        }
        let compiled = Options {
            engine: EngineChoice::Jit,
            ..options
        };
        if let Some(difference) = difference(&run, &simulate(text, &compiled, 0)) {
            panic!("{}: compiled blocks tell otherwise: {difference}", memory.name);
        }
    }
}

#[test]
fn a_program_and_its_probes_add_up_wherever_they_stand() {
    let first = p5_seeds::seed();
    for seed in first..first + 20 {
        let mut random = Rng::with_seed(seed);
        let options = random_options(&mut random);
        let text = program(&mut random, Shape::default());
        // LOOP and JECXZ reach only a few bytes, and the macros are long.
        let text = text.replace("    loop ", "    dec ecx\n    jnz ");
        let text = text.replace("    jecxz ", "    test ecx,ecx\n    jz ");
        let mut marked = String::new();
        let mut regions = 0;
        for line in text.lines() {
            // The macros preserve registers and flags, so they may be placed between any two instructions.
            let straight = [" call ", " ret", " j", " loop"]
                .iter()
                .all(|word| !line.contains(word));
            let instruction = line.starts_with("    ") && straight;
            let mark = instruction && regions < 12 && random.u8(..8) == 0;
            if mark {
                regions += 1;
                marked += &format!("    StartTSC r{regions}\n{line}\n    EndTSC\n");
            } else {
                marked += &format!("{line}\n");
            }
        }
        let run = simulate(&marked, &options, seed);
        assert!(run.stop.reason.by_program(), "seed {seed}: {:?}\n{marked}", run.stop);
        assert_eq!(run.probes.is_some(), regions > 0, "seed {seed}\n{marked}");
        let wrong = broken(&run);
        assert!(wrong.is_empty(), "seed {seed}: {wrong:#?}\n{marked}");
        let singly = Options {
            one_op_blocks: true,
            ..options
        };
        if let Some(difference) = difference(&run, &simulate(&marked, &singly, seed)) {
            panic!("seed {seed}: blocks of one operation tell otherwise: {difference}\n{marked}");
        }
    }
}

#[test]
fn a_program_of_very_many_instructions_adds_up() {
    // The program has more instructions than are listed one by one, most of them executed once, and then a frequent
    // region.
    let text = ".data\nz db 20000 dup(0)\n.code\nstart:\ndb 150000 dup(40h)\nrept 20000\ninc ebx\nendm\nmov ecx,50\n\
                again: StartTSC often\nrept 400\nadd eax,ebx\nendm\nEndTSC\ndec ecx\njnz again\nmov eax,offset z\n\
                jmp eax\nend start\n";
    let options = Options {
        runs: 2,
        ..Options::default()
    };
    let run = simulate(text, &options, 0);
    assert_eq!(run.stop.reason, StopReason::Fault, "it leaves its memory");
    let wrong = broken(&run);
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(run.instructions.len() <= 2_000, "{}", run.instructions.len());
    let instructions: u64 = run.remainders.iter().map(|one| one.instructions).sum();
    // Each instruction in memory after the program has two bytes.
    assert!(instructions > 150_000 + 20_000 + 10_000 - 3 * 256, "{instructions}");
    // The trace of a region shows every instruction, although most of those on one line are summed.
    let trace = &run.regions[0].trace;
    assert!(!trace.cut && trace.issued.len() >= 400, "{}", trace.issued.len());
    let singly = Options {
        one_op_blocks: true,
        ..options
    };
    let singly = simulate(text, &singly, 0);
    assert!(broken(&singly).is_empty());
    assert_eq!(run.whole.totals, singly.whole.totals);
    for format in [Format::Text, Format::Json] {
        let style = Style::plain(80, Detail::All);
        let mut report = Vec::new();
        report::write(format, &run, &style, &mut report).expect("written to memory");
        assert!(report.len() < 3 << 20, "{} bytes of {format:?}", report.len());
    }
}

#[test]
fn a_clock_limit_stops_at_the_same_instruction_in_blocks_of_one() {
    let first = p5_seeds::seed();
    let mut stopped = 0;
    for seed in first..first + 60 {
        let mut random = Rng::with_seed(seed);
        let long = seed % 2 == 0;
        let options = Options {
            limit: random.u64(1..if long { 400_000 } else { 3_000 }),
            runs: random.u32(1..=2),
            ..random_options(&mut random)
        };
        let shape = Shape {
            privileged: options.cpl == 0,
            modifies_itself: seed % 6 == 0,
            time: true,
            ..Shape::default()
        };
        let mut text = program(&mut random, shape);
        if long {
            // Far from the limit whole blocks run, so the program must take many more clocks than one block.
            text = text
                .replacen(".data\n", ".data\nrounds dd 0\n", 1)
                .replacen("start:\n", "start:\n    mov rounds,2000\nagain:\n", 1)
                .replacen("finish:\n", "finish:\n    dec rounds\n    jnz again\n", 1);
        }
        let run = simulate(&text, &options, seed);
        let wrong = broken(&run);
        assert!(wrong.is_empty(), "seed {seed}: {:?} {wrong:#?}\n{text}", run.stop);
        stopped += u32::from(run.stop.reason == StopReason::Limit);
        let singly = Options {
            one_op_blocks: true,
            ..options
        };
        if let Some(difference) = difference(&run, &simulate(&text, &singly, seed)) {
            panic!(
                "seed {seed}, limit {}: blocks of one operation stop elsewhere: {difference}\n{text}",
                singly.limit
            );
        }
    }
    assert!(stopped > 20, "only {stopped} programs reached their limits");
}

#[test]
fn more_runs_leave_the_same_data() {
    let first = p5_seeds::seed();
    for seed in first..first + 40 {
        let mut random = Rng::with_seed(seed);
        let text = program(&mut random, Shape::default());
        let once = simulate(
            &text,
            &Options {
                runs: 1,
                ..Options::default()
            },
            seed,
        );
        let often = simulate(
            &text,
            &Options {
                runs: 6,
                ..Options::default()
            },
            seed,
        );
        assert_eq!(once.symbols, often.symbols, "seed {seed}\n{text}");
        assert_eq!(
            once.whole.totals.instructions, often.whole.totals.instructions,
            "seed {seed}\n{text}"
        );
        assert_eq!(often.runs.len(), 6);
    }
}

#[test]
fn one_pipe_has_no_pairs() {
    let first = p5_seeds::seed();
    for seed in first..first + 40 {
        let mut random = Rng::with_seed(seed);
        let text = program(&mut random, Shape::default());
        let switch = "start:\n    mov ecx,0Eh\n    mov eax,4\n    mov edx,0\n    wrmsr\n";
        let single = text.replacen("start:\n", switch, 1);
        for one_op_blocks in [false, true] {
            let options = Options {
                runs: 3,
                one_op_blocks,
                ..Options::default()
            };
            let run = simulate(&single, &options, seed);
            let wrong = broken(&run);
            assert!(wrong.is_empty(), "seed {seed}: {wrong:#?}\n{single}");
            assert_eq!(
                occurrences(&run, Event::INSTRUCTIONS_EXECUTED_V_PIPE),
                0,
                "seed {seed}\n{single}"
            );
            assert_eq!(
                occurrences(&run, Event::MEMORY_ACCESSES_IN_BOTH_PIPES),
                0,
                "seed {seed}\n{single}"
            );
            let usual = simulate(&text, &options, seed);
            assert!(usual.whole.totals.v > 0, "seed {seed}: nothing pairs in\n{text}");
        }
    }
}

/// The addresses of the first and the last instruction whose text starts with `mnemonic`.
fn first_and_last(run: &Run, mnemonic: &str) -> (u32, u32) {
    let mut found = run.instructions.iter().filter(|one| one.text.starts_with(mnemonic));
    let first = found.next().expect("the program has it").address;
    (first, found.next_back().expect("the program has it twice").address)
}

#[test]
fn the_time_stamp_counter_tells_the_machines_own_clocks() {
    let first = p5_seeds::seed();
    for seed in first..first + 40 {
        let mut random = Rng::with_seed(seed);
        let body = program(&mut random, Shape::default());
        let text = body
            .replacen("start:\n", "start:\n    not ebp\n    rdtsc\n    mov stamp_0,eax\n", 1)
            .replacen(
                "finish:\n",
                "finish:\n    not ebp\n    rdtsc\n    mov stamp_1,eax\n    sub eax,stamp_0\n    mov stamp_1,eax\n",
                1,
            );
        for cpl in [0, 3] {
            let options = Options {
                cpl,
                ..Options::default()
            };
            let run = simulate(&text, &options, seed);
            let (from, to) = first_and_last(&run, "rdtsc");
            let between = run
                .instructions
                .iter()
                .filter(|one| one.address > from && one.address <= to);
            // Routines follow the end of the program, and are only called from before it.
            let behind = run
                .instructions
                .iter()
                .filter(|one| one.address >= routines(&text, cpl));
            let clocks: u64 = between.chain(behind).map(|one| one.cycles).sum();
            assert_eq!(
                snapshots::value(&run, "stamp_1"),
                Some(clocks),
                "seed {seed}, CPL {cpl}\n{text}"
            );
        }
    }
}

/// The address at which the routines of a random program start.
fn routines(text: &str, cpl: u8) -> u32 {
    let image = snapshots::assembled("random.asm", text, cpl).expect("it was assembled before");
    let found = image.symbols.iter().find(|symbol| symbol.name == "routines");
    found.expect("every program has them").value
}

#[test]
fn counters_read_by_the_program_are_the_machines_own_tallies() {
    let first = p5_seeds::seed();
    let pairs = [
        (Event::INSTRUCTIONS_EXECUTED, Event::INSTRUCTIONS_EXECUTED_V_PIPE),
        (Event::MISALIGNED_REFERENCES, Event::BANK_CONFLICTS),
        (Event::AGI_STALLS, Event::MEMORY_ACCESSES_IN_BOTH_PIPES),
    ];
    for seed in first..first + 30 {
        let mut random = Rng::with_seed(seed);
        let body = program(&mut random, Shape::default());
        for (zero, one) in pairs {
            let select = (0x40 | u32::from(zero.selector())) | (0x40 | u32::from(one.selector())) << 16;
            let read = |symbol: &str, label: &str| {
                format!(
                    "{label}:\n    mov ecx,12h\n    not ebp\n    rdmsr\n    mov {symbol}_0,eax\n    mov ecx,13h\n    not ebp\n    \
                     rdmsr\n    mov {symbol}_1,eax\n"
                )
            };
            let set = format!("start:\n    mov ecx,11h\n    mov eax,{select}\n    mov edx,0\n    wrmsr\n");
            let begin = format!("{set}{}", read("stamp", "begins"));
            let end = read("sample", "finish");
            let text = body.replacen("start:\n", &begin, 1).replacen("finish:\n", &end, 1);
            let run = simulate(&text, &Options::default(), seed);
            let value = |name: &str| snapshots::value(&run, name).expect("the program has it") as u32;
            let counted = [
                value("sample_0").wrapping_sub(value("stamp_0")),
                value("sample_1").wrapping_sub(value("stamp_1")),
            ];
            let rdmsr: Vec<u32> = run
                .instructions
                .iter()
                .filter(|one| one.text.starts_with("rdmsr"))
                .map(|one| one.address)
                .collect();
            assert_eq!(rdmsr.len(), 4, "{text}");
            let routines = routines(&text, 0);
            for (index, event) in [zero, one].into_iter().enumerate() {
                let (from, to) = (rdmsr[index], rdmsr[index + 2]);
                let within = run
                    .instructions
                    .iter()
                    .filter(|one| one.address >= from && one.address < to || one.address >= routines);
                let expected = match event {
                    // A reading includes everything before its RDMSR.
                    Event::INSTRUCTIONS_EXECUTED => within.map(|one| one.executions).sum(),
                    Event::INSTRUCTIONS_EXECUTED_V_PIPE => within.map(|one| one.v).sum(),
                    // Outside, nothing is misaligned, has a bank conflict, waits for an address or makes two accesses
                    // at once.
                    _ => occurrences(&run, event),
                };
                assert_eq!(
                    u64::from(counted[index]),
                    expected,
                    "seed {seed}, {}\n{text}",
                    event.name()
                );
            }
        }
    }
}
