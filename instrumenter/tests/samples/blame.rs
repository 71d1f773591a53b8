//! Blame from 50,000 samples: each program loses its clocks to one cause, which the samples, with the code in the
//! file, must name; the same file has the exact clocks by cause.

use super::{answered, stored};
use crate::samples::plausible::hidden;
use crate::samples::programs::{Program, program};
use crate::samples::specimen::{CODE, recording, seed};
use fastrand::Rng;
use instrumenter::command::samples::read;
use runtime::model::ibs::{FETCH_COMP, FETCH_L1_TLB_MISS, FETCH_LAT, IC_MISS, OP_RIP, TAG_TO_RET_CTR};
use runtime::record::{SampleKind, SampledCode};
use runtime::samples::{Analysis, Blame, Clocks, Confidence, ExactStalls, StallRow, Stalls, Sum};
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// For each program: its text, the subject of its loop, and the letter of the cause of most stalls.
const PROGRAMS: [(&str, &str, char); 9] = [
    (
        "agi",
        "lea edx,[esi+4]\nmov eax,[edx]\nlea edx,[esi+8]\nmov ebx,[edx]",
        'a',
    ),
    ("multiplications", "imul eax,ebx\nadd edx,eax\nimul ebp,edx", 'x'),
    ("divisions", "mov edx,0\nmov eax,1000\ndiv edi\nadd ebx,eax", 'x'),
    ("prefixes", "add ax,bx\nadd bx,dx\nadd dx,ax\nmov si,di", 'o'),
    (
        "floating",
        "fld dword ptr array\nfadd dword ptr array+4\nfadd dword ptr array+8\nfstp dword ptr array+12",
        'f',
    ),
    (
        "mispredictions",
        "shr eax,1\njnc @F\nxor eax,0A3000000h\n@@:\nadd ebx,1\nshr eax,1\njnc @F\nxor eax,0A3000000h\n@@:",
        'p',
    ),
    (
        "misses",
        "add edi,32\nand edi,0FFE0h\nmov eax,dword ptr array[edi]\nadd edx,eax",
        'd',
    ),
    (
        "misses in both pipes",
        "mov eax,dword ptr array[edi]\nmov ebx,dword ptr array[edi+32800]\nadd edi,64\nand edi,0FFFFh\nadd edx,eax",
        'd',
    ),
    (
        "misaligned in both pipes",
        "mov eax,dword ptr array+1\nmov ebx,dword ptr array+5\nadd edx,eax\nmov dword ptr array+9,ebx",
        'm',
    ),
];

/// The number of ops between two samples. No loop here has a multiple of it, so that each op has its exact share.
const PERIOD: u32 = 17;

/// Samples about 50,000 ops of a program, or `thinner` times fewer.
fn sampled(body: &str, seed: u64, thinner: u32) -> Analysis {
    let length = body.lines().filter(|line| !line.ends_with(':')).count() as u32 + 2;
    let rounds = 55_000 * PERIOD / length;
    let folder = TempDir::new().expect("a directory");
    let source = folder.path().join("blamed.asm");
    let text = format!(
        ".586\n.model flat\n.data?\nalign 4096\narray db 131072 dup(?)\n.code\nstart:\npush ebp\npush esi\npush edi\npush \
         ebx\nmov edi,3\nmov eax,12345h\nmov esi,offset array\nmov ecx,{rounds}\nalign 16\nnext:\n{body}\ndec ecx\njnz next\npop ebx\npop \
         edi\npop esi\npop ebp\nret\nend start\n"
    );
    std::fs::write(&source, text).expect("a file");
    let target = folder.path().join("blamed.samples");
    let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
    let period = PERIOD * thinner;
    command
        .arg("sample")
        .arg(&source)
        .arg("-o")
        .arg(&target)
        .args(["--runs", "1", "--truth", "--timeout", "0"]);
    command.args([
        "--op",
        &period.to_string(),
        "--fetch",
        "100",
        "--seed",
        &seed.to_string(),
    ]);
    command.args([
        "--rand",
        if period >= 2048 {
            "lfsr12"
        } else if thinner > 1 {
            "hw"
        } else {
            "none"
        },
    ]);
    let output = command.stdin(Stdio::null()).output().expect("the command starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    read(&target).expect("a file of samples")
}

fn greatest(stalls: &Stalls) -> Option<&StallRow> {
    let rows = stalls.rows.iter();
    rows.max_by(|one, other| one.stall.clocks.total_cmp(&other.stall.clocks))
}

#[test]
fn stall_clocks_are_blamed_on_the_right_cause() {
    let seed = seed();
    let mut wrong = Vec::new();
    for (name, body, letter) in PROGRAMS {
        let recording = sampled(body, seed, 1);
        let stalls = recording.stalls().expect("stalls");
        let right = stalls.blamed_right().expect("stalls that are known");
        let most = greatest(&stalls).expect("rows");
        println!(
            "{name}: {right}, {} first of {} samples",
            most.letters(),
            stalls.samples()
        );
        assert!(stalls.samples() > 30_000, "{name}: {}", stalls.samples());
        // The explained clocks do not exceed all clocks.
        let causes = Blame::ALL.map(|cause| stalls.cause(cause).clocks).into_iter();
        let explained = stalls.best() + causes.sum::<f64>();
        let whole = stalls.clocks.expect("exact clocks") as f64;
        println!("{name}: {explained:.0} of {whole} clocks are explained");
        assert!(explained <= 1.02 * whole, "{name}: {explained} of {whole}");
        if right < 0.95 || !most.letters().starts_with(letter) {
            wrong.push((name, right, most.letters()));
        }
    }
    assert!(wrong.is_empty(), "seed {seed}: {wrong:?}");
}

/// The number of random programs, and the variable that sets another number. The first program has this seed, unless
/// `P5INST_SEED` names another one: without these variables, a run always does the same, in a few seconds.
const RANDOM_PROGRAMS: usize = 3;
const MORE: &str = "P5INST_RANDOM_PROGRAMS";
const FIRST: u64 = 6;

/// Takes about 50,000 samples of a program.
fn of_program(program: &Program, folder: &Path, options: &[&str]) -> Analysis {
    let source = folder.join("blamed.asm");
    std::fs::write(&source, &program.text).expect("a file");
    let target = folder.join("blamed.samples");
    let _ = std::fs::remove_file(&target);
    let period = (program.ops / 50_000).max(64);
    let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
    command.arg("sample").arg(&source).arg("-o").arg(&target);
    command.args(["--runs", "1", "--truth", "--op", &period.to_string()]);
    command.args(["--fetch", "100", "--timeout", "0"]).args(options);
    let output = command.stdin(Stdio::null()).output().expect("the command starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    read(&target).expect("a file of samples")
}

#[test]
fn stall_clocks_of_random_programs_are_blamed_on_the_right_cause() {
    let asked = p5_seeds::number(MORE);
    let first = p5_seeds::number("P5INST_SEED").unwrap_or(FIRST);
    let mut wrong = Vec::new();
    for seed in (first..).take(asked.unwrap_or(RANDOM_PROGRAMS)) {
        let mut rng = Rng::with_seed(seed);
        let parts = rng.u32(1..6);
        let program = program(&mut rng, parts, 3_300_000 / u64::from(parts));
        let folder = TempDir::new().expect("a directory");
        let recording = of_program(&program, folder.path(), &[]);
        let stalls = recording.stalls().expect("stalls");
        let rows = stalls.rows.iter().filter_map(|row| row.exact.as_ref());
        let stall: u64 = rows.map(|exact| exact.stall()).sum();
        // In some programs only the first round waits, for less time than one sample represents.
        if (stall as f64) < stalls.scale {
            continue;
        }
        let right = stalls.blamed_right().expect("stalls that are known");
        println!(
            "seed {seed}: {:.1}% right of {} samples",
            right * 100.0,
            stalls.samples()
        );
        if right < 0.95 {
            wrong.push((seed, right));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// A program whose body is executed `rounds` times, with about `ops` ops in all.
fn repeated(before: &str, body: &str, rounds: u32, ops: u64) -> Program {
    let text = format!(
        ".586\n.model flat\n.data?\nalign 4096\nfrom db 131072 dup(?)\nto db 131072 dup(?)\n.code\nstart:\npush ebx\npush \
         esi\npush edi\nmov ebx,{rounds}\n{before}\nnext:\n{body}\ndec ebx\njnz next\npop edi\npop esi\npop ebx\nret\nend \
         start\n"
    );
    Program { text, ops }
}

/// A copy that is longer than the caches mostly waits for its stores, and also for its reads.
#[test]
fn a_copy_that_misses_is_blamed_on_its_stores() {
    for (count, rounds, memory) in [
        (16384, 24, "l2"),
        (16384, 24, "dram"),
        (1024, 400, "dram"),
        (256, 1600, "l2"),
    ] {
        let body = format!("mov esi,offset from\nmov edi,offset to\nmov ecx,{count}\nrep movsd");
        let folder = TempDir::new().expect("a directory");
        let program = repeated("cld", &body, rounds, 800_000);
        let recording = of_program(&program, folder.path(), &["--memory", memory]);
        let stalls = recording.stalls().expect("stalls");
        let most = greatest(&stalls).expect("rows");
        let exact = most.exact.as_ref().expect("exact clocks");
        let told = format!("{count} with {memory}: {most:?}");
        assert_eq!(
            (most.letters().chars().next(), exact.letter()),
            (Some('w'), Some('w')),
            "{told}"
        );
        assert!((most.stall.clocks / exact.stall() as f64 - 1.0).abs() < 0.05, "{told}");
    }
}

/// If there are more jumps than the branch target buffer holds, they are mispredicted again and again, each for the
/// assumed clocks.
#[test]
fn mispredicted_jumps_are_charged_what_is_assumed() {
    let jumps: String = (0..600).map(|at| format!("jmp at{at}\nnop\nat{at}:\n")).collect();
    for assumed in [3, 4] {
        let folder = TempDir::new().expect("a directory");
        let program = repeated("", &jumps, 1000, 640_000);
        let recording = of_program(
            &program,
            folder.path(),
            &["--assume", &format!("mispredicted_jump={assumed}")],
        );
        let stalls = recording.stalls().expect("stalls");
        let estimate = stalls.cause(Blame::Misprediction).clocks;
        let exact = stalls.rows.iter().filter_map(|row| row.exact.as_ref());
        let exact: u64 = exact.map(|exact| exact.causes[Blame::Misprediction as usize]).sum();
        assert!(exact > 500_000, "{assumed}: {exact}");
        assert!(
            (estimate / exact as f64 - 1.0).abs() < 0.05,
            "{assumed}: {estimate}, not {exact}"
        );
    }
}

/// Of 400 ops, each waits 3 clocks for one cause, and some wait 30 for another: 40 of them equal the first cause in
/// total, give or take 6.
#[test]
fn causes_that_chance_cannot_tell_apart_are_right_only_if_that_is_said() {
    let waits = |waiting: u64, clocks: f64| Clocks {
        samples: waiting,
        clocks: waiting as f64 * clocks,
        squares: waiting as f64 * clocks * clocks,
        ..Clocks::default()
    };
    let cases = [
        (20, "md", false),
        (36, "m~d", true),
        (44, "d~m", true),
        (60, "dm", true),
    ];
    for (waiting, letters, right) in cases {
        let mut row = StallRow {
            samples: Sum {
                samples: 400,
                total: 400,
                squares: 400,
            },
            ..StallRow::default()
        };
        for (blame, clocks) in [
            (Blame::Misaligned, waits(400, 3.0)),
            (Blame::DataMiss, waits(waiting, 30.0)),
        ] {
            row.causes[blame as usize] = clocks;
            row.stall.clocks += clocks.clocks;
            row.stall.squares += clocks.squares;
        }
        let mut exact = ExactStalls::default();
        exact.causes[Blame::Misaligned as usize] = 1200;
        exact.causes[Blame::DataMiss as usize] = 1201;
        row.exact = Some(exact);
        assert_eq!((row.letters(), row.right()), (letters.to_owned(), Some(right)));
        assert_eq!(row.is_undecided(), letters.contains('~'));
        row.census = true;
        assert_eq!(
            (row.letters(), row.right()),
            (letters.replace('~', ""), Some(letters.starts_with('d')))
        );
        // Inferred clocks may be wrong even then.
        row.causes[Blame::Misaligned as usize].inferred = 1e6;
        assert!(row.is_undecided() && row.right() == Some(true));
        assert_eq!(row.confidence(), Confidence::Low);
    }
}

#[test]
fn a_stall_without_a_cause_is_listed_and_not_trusted() {
    let seed = seed();
    let (_, body, _) = PROGRAMS[6];
    let mut recording = sampled(body, seed, 10);
    let stalls = recording.stalls().expect("stalls");
    // The code around the loop runs once: of it there is a sample or none, which may be of a rare coincidence.
    let mut often = stalls.rows.iter().filter(|row| row.samples.samples > 1);
    assert!(often.all(|row| row.unexplained.clocks == 0.0), "{:?}", stalls.rows);
    let slow = greatest(&stalls).expect("rows").address;
    // An unknown cause takes 50 clocks, in which the ops after it wait.
    let behind = slow..slow + 10;
    for sample in recording
        .samples
        .iter_mut()
        .filter(|sample| sample.kind == SampleKind::Op)
    {
        let address = sample.address().expect("an address");
        if behind.contains(&address) {
            let latency = sample.images.field(&TAG_TO_RET_CTR).expect("a latency");
            sample.images.put(&TAG_TO_RET_CTR, latency + 50);
        }
    }
    let stalls = recording.stalls().expect("stalls");
    let row = stalls.rows.iter().find(|row| row.address == slow).expect("its row");
    assert_eq!(
        (row.letters().chars().next(), row.confidence()),
        (Some('?'), Confidence::Low)
    );
    let (_folder, path) = stored(&recording);
    let said = answered(&path, &["topstalls", "--rows", "1"]);
    assert!(said.contains(" L ?"), "{said}");
}

#[test]
fn fewer_samples_are_trusted_less() {
    let seed = seed();
    let (_, body, _) = PROGRAMS[6];
    let letters = [1, 200, 8000].map(|thinner| {
        let recording = sampled(body, seed, thinner);
        let stalls = recording.stalls().expect("stalls");
        let most = greatest(&stalls);
        let confidence = most.map_or(Confidence::Low, |row| row.confidence());
        println!("{thinner} times fewer: {} samples, {confidence:?}", stalls.samples());
        confidence
    });
    assert_eq!(letters[0], Confidence::High);
    assert!(
        letters[0] >= letters[1] && letters[1] >= letters[2] && letters[2] < Confidence::High,
        "{letters:?}"
    );
}

#[test]
fn what_is_inferred_is_said_to_be() {
    let (_, body, _) = PROGRAMS[0];
    let mut recording = sampled(body, seed(), 10);
    let (_folder, path) = stored(&recording);
    let said = answered(&path, &["topstalls"]).replace('\n', " ");
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("a address interlock (inferred from the code)"), "{said}");
    recording.code.clear();
    let (_folder, path) = stored(&recording);
    let said = answered(&path, &["topstalls"])
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(said.contains("the code is not in this file"), "{said}");
    let json: serde_json::Value =
        serde_json::from_str(&answered(&path, &["whatcg", "--format", "json"])).expect("JSON");
    for row in json["rows"].as_array().expect("rows") {
        let inferred =
            ["n", "w", "q", "l", "x", "a", "o", "f", "s"].contains(&row["letter"].as_str().expect("a letter"));
        if inferred {
            assert!(row["clocks"].is_null(), "{row}");
        }
    }
}

#[test]
fn data_between_instructions_hides_no_code() {
    let folder = TempDir::new().expect("a directory");
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects/inline.elf");
    let target = folder.path().join("inline.samples");
    let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
    command.args(["sample", "--op", "64", "--runs", "1", "--truth", "-o"]);
    let output = command.arg(&target).arg(&program).stdin(Stdio::null()).output();
    assert!(output.expect("the command starts").status.success());
    let recording = read(&target).expect("a file of samples");
    let stalls = recording.stalls().expect("stalls");
    // The load after each LEA waits for its register.
    let letters = |address: u32| {
        let row = stalls.rows.iter().find(|row| row.address == address).expect("a row");
        row.letters().chars().next()
    };
    for load in [0x0804_806D, 0x0804_8076, 0x0804_807F, 0x0804_8088] {
        assert_eq!(letters(load), Some('a'), "{load:X}h");
    }
}

#[test]
fn code_of_a_file_may_be_anything() {
    let seed = seed();
    let mut rng = Rng::with_seed(seed);
    let mut given = hidden(&mut rng, 2_000, 5).recording;
    for round in 0..300 {
        let bytes: Vec<u8> = (0..64).map(|_| rng.u8(..)).collect();
        let bits = if rng.bool() { 16 } else { 32 };
        given.code = vec![SampledCode {
            address: CODE,
            bytes,
            bits,
        }];
        given.code_bits = 32;
        for sample in &mut given.samples {
            sample.images.put(&OP_RIP, u64::from(CODE + rng.u32(..64)));
        }
        let stalls = given.stalls();
        assert!(stalls.is_ok(), "seed {seed}, round {round}");
    }
}

/// Each fetch represents far fewer clocks than an op here: none of them may be lost, whatever ops were sampled.
#[test]
fn clocks_of_fetches_keep_their_own_scale() {
    let seed = seed();
    let mut given = recording(&mut Rng::with_seed(seed), 5_000);
    given.sampling.choice.load_latency = None;
    given.sampling.choice.last_level_misses_only = false;
    given.sampling.op.as_mut().expect("ops").period = 100_000;
    for op in given.samples.iter_mut().filter(|sample| sample.kind == SampleKind::Op) {
        op.images.put(&OP_RIP, u64::from(CODE + 0x10_0000));
    }
    let mut clocks = 0;
    for fetch in given
        .samples
        .iter_mut()
        .filter(|sample| sample.kind == SampleKind::Fetch)
    {
        for (field, value) in [
            (&FETCH_COMP, 1),
            (&IC_MISS, 1),
            (&FETCH_L1_TLB_MISS, 0),
            (&FETCH_LAT, 7),
        ] {
            fetch.images.put(field, value);
        }
        clocks += 7;
    }
    assert!(clocks > 0, "seed {seed}");
    let scale = given.scale(SampleKind::Fetch).expect("fetches");
    let stalls = given.stalls().expect("stalls");
    let (found, expected) = (stalls.cause(Blame::CodeMiss).clocks, clocks as f64 * scale);
    assert!(
        (found - expected).abs() < 1e-6 * expected,
        "seed {seed}: {found} {expected}"
    );
    let rows = stalls.rows.iter().filter(|row| row.samples.samples == 0);
    assert!(rows.count() > 0, "seed {seed}: lines without sampled ops");
}
