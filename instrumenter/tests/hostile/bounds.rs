//! Small sources with large effects: each ends within limits of time and memory, with a report or diagnostic of limited
//! size.

use super::within;
use p5_seeds::bounds::slowness;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The limit of the address space in KiB. A release build uses less than half of it.
const KIBIBYTES: u32 = 768 << 10;
/// The limit of processor time in seconds. A release build uses less than a third of it, and never more than ten
/// seconds, the default limit of a run.
const SECONDS: u32 = 20;
/// The time after which no random source is begun.
const PATIENCE: Duration = Duration::from_secs(12);
/// The maximum size of a report in bytes.
const REPORT: usize = 8 << 20;

/// Asserts that a source ends within the limits, with this exit code and these words in its report or diagnostics.
fn ends(name: &str, text: &str, code: i32, expected: &str) {
    // The errors of a source are told before its program runs, and alike for every report.
    let formats: &[&str] = if code == 2 { &["text"] } else { &["text", "json"] };
    for &format in formats {
        let output = within(
            SECONDS,
            KIBIBYTES,
            &["-", "--format", format, "--runs", "1", "--timeout", "0"],
            text.as_bytes(),
            Path::new("."),
        );
        let said = [output.stdout.as_slice(), &output.stderr].concat();
        let head = String::from_utf8_lossy(&said[..said.len().min(1500)]).into_owned();
        assert_eq!(output.status.code(), Some(code), "{name}: {}\n{head}", output.status);
        assert!(said.len() <= REPORT, "{name}: {} bytes of {format}\n{head}", said.len());
        let said = String::from_utf8_lossy(&said);
        assert!(!said.contains("panicked"), "{name}: {head}");
        if format == "text" {
            assert!(said.contains(expected), "{name}: no `{expected}` in\n{head}");
        }
    }
}

#[test]
fn code_of_any_length_takes_bounded_memory() {
    // How far a slow machine comes within the time limit is not checked.
    for text in ["db 10000000 dup(90h)\n", "db 60000000 dup(40h)\n"] {
        let output = within(
            SECONDS,
            KIBIBYTES,
            &["-", "--format", "json", "--timeout", "1"],
            text.as_bytes(),
            Path::new("."),
        );
        assert!(matches!(output.status.code(), Some(0 | 1)), "{text}: {}", output.status);
        assert!(output.stdout.len() <= REPORT, "{text}: {} bytes", output.stdout.len());
    }
    ends(
        "a million instructions",
        "db 1000000 dup(90h)\n",
        0,
        "1000000 instructions",
    );
    ends(
        "a million lines",
        "rept 1000000\nnop\nendm\n",
        0,
        "1000000 instructions",
    );
    ends(
        "zeros behind the program",
        "x dd 0\nmov ebx,offset z\nmov eax,offset y\njmp ebx\n.data\ny dd 4096 dup(0)\nz db 1048576 dup(0)\n",
        1,
        "#PF",
    );
}

#[test]
fn a_stray_program_has_a_small_json_report_that_says_what_it_lacks() {
    let source = |byte: u8| {
        format!("mov ebx,offset z\nmov eax,offset y\njmp ebx\n.data\ny dd 4096 dup(0)\nz db 1048576 dup({byte})\n")
    };
    let arguments = ["-", "--format", "json"];
    let run = |byte| within(SECONDS, KIBIBYTES, &arguments, source(byte).as_bytes(), Path::new("."));
    let output = run(0x90);
    assert!(output.stdout.len() < 1 << 20, "{} bytes", output.stdout.len());
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let executed = report["whole"]["totals"]["instructions"].as_u64().expect("a number");
    let listed = report["instructions"].as_array().expect("an array").len() as u64;
    // Each instruction is executed once.
    assert_eq!(report["instructions_left_out"], executed - listed);
    assert!(listed > 500 && executed > 500_000, "{listed} of {executed}");
    assert_eq!(report["trace_cut"], true);
    // Zeros are one row.
    let report: serde_json::Value = serde_json::from_slice(&run(0).stdout).expect("JSON");
    assert_eq!(report["instructions"].as_array().expect("an array").len(), 3);
    let executed = report["whole"]["totals"]["instructions"].as_u64().expect("a number");
    assert_eq!(report["instructions_left_out"], executed - 3);
}

#[test]
fn lines_names_and_regions_take_linear_time() {
    ends("carriage returns", &"\r".repeat(1_000_000), 2, "no instructions to run");
    let jumps: String = (0..100_000).map(|at| format!("jmp u{at}\n")).collect();
    ends("jumps to undefined names", &jumps, 2, "undefined symbol `u0`");
    let regions: String = (0..10_000).map(|at| format!("StartTSC r{at}\nnop\nEndTSC\n")).collect();
    let output = within(
        SECONDS,
        KIBIBYTES,
        &["-", "--runs", "2"],
        regions.as_bytes(),
        Path::new("."),
    );
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", output.status);
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(report.contains("r9999"), "{report}");
}

/// The maximum resident memory of the command for a source that runs for at most `limit` clocks, in KiB.
#[cfg(target_os = "linux")]
fn resident_kibibytes(text: &str, limit: &str) -> u64 {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), text).expect("written");
    let mut child = Command::new(env!("CARGO_BIN_EXE_p5inst"))
        .args(["--runs", "1", "--timeout", "0", "--limit", limit])
        .arg(file.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut most = 0;
    while child.try_wait().expect("a child").is_none() {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        most = peak.map_or(most, |peak: u64| most.max(peak));
        std::thread::sleep(Duration::from_millis(5));
    }
    most
}

#[cfg(target_os = "linux")]
#[test]
fn ten_thousand_regions_fit_in_256_mebibytes() {
    let regions = (0..10_000).map(|at| format!("StartProfile 1,2,r{at}\nnop\nEndProfile\n"));
    let most = resident_kibibytes(&regions.collect::<String>(), "20000000");
    assert!((64 << 10..256 << 10).contains(&most), "{most} KiB");
}

#[cfg(target_os = "linux")]
#[test]
fn sixty_four_mebibytes_of_code_fit_in_512() {
    let source = "nop\n".repeat(16 << 20);
    assert_eq!(source.len(), 64 << 20);
    let most = resident_kibibytes(&source, "2000000");
    assert!((128 << 10..512 << 10).contains(&most), "{most} KiB");
}

/// The processor time of the command for a source, in seconds.
fn processor_seconds(arguments: &str, text: &str) -> f64 {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), text).expect("written");
    let script = format!("ulimit -v {KIBIBYTES}; \"$0\" - {arguments} <\"$1\" >/dev/null 2>&1; times");
    let output = Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_p5inst")])
        .arg(file.path())
        .output()
        .expect("the shell starts");
    // The second line has the user and system time of the shell's children, as in 0m1.25s.
    let times = String::from_utf8_lossy(&output.stdout).into_owned();
    let of_children = times.lines().nth(1).expect("two lines").split_whitespace();
    let seconds = |time: &str| {
        let (minutes, seconds) = time.trim_end_matches('s').split_once('m')?;
        Some(60.0 * minutes.parse::<f64>().ok()? + seconds.parse::<f64>().ok()?)
    };
    of_children
        .map(|time| seconds(time).unwrap_or_else(|| panic!("{times}")))
        .sum()
}

#[test]
fn four_times_as_many_take_about_four_times_as_long() {
    let regions: fn(usize) -> String = |at| format!("StartTSC r{at}\nnop\nEndTSC\n");
    let jumps: fn(usize) -> String = |at| format!("jmp u{at}\n");
    let cases = [("regions", 1_500, regions), ("jumps to undefined names", 50_000, jumps)];
    for (name, number, line) in cases {
        let source = |number| (0..number).map(line).collect::<String>();
        let [one, four] = [number, 4 * number].map(|number| {
            let source = source(number);
            let taken = (0..2).map(|_| processor_seconds("--runs 1 --timeout 0", &source));
            taken.fold(f64::INFINITY, f64::min)
        });
        if one < 0.02 {
            eprintln!("not covered: {number} {name} take {one} s, too short to compare");
            continue;
        }
        // If each were compared with every other, the time would grow by a factor of sixteen.
        assert!(
            four < 8.0 * one,
            "{name}: {number} take {one} s, four times as many {four} s"
        );
    }
}

#[test]
fn random_bytes_end() {
    let seed = p5_seeds::seed();
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let printable: Vec<u8> = (b' '..=b'~').chain([b'\n', b'\n', b'\t']).collect();
    let symbols = b"ax01 \n,:;<>()[]'\"&%!?.=+-*\\\r\x1A\0";
    for round in 0..12 {
        let text: Vec<u8> = (0..64 << 10)
            .map(|_| match round % 3 {
                0 => random.u8(..),
                1 => random.choice(&printable).copied().unwrap_or_default(),
                _ => random.choice(symbols).copied().unwrap_or_default(),
            })
            .collect();
        let output = within(10, 512 << 10, &["-"], &text, Path::new("."));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            matches!(output.status.code(), Some(0..=2)) && !errors.contains("panicked"),
            "seed {seed}, round {round}: {}\n{errors}",
            output.status
        );
    }
}

#[test]
fn expansion_stops_at_a_limit_that_it_names() {
    let nested = |inner: &str| format!("rept 1000000\nrept 1000000\n{inner}endm\nendm\n");
    let letters = "a".repeat(20_000);
    let lines = "macros and repeats expand to more than 4000000 lines";
    // Each pass is kept, for messages.
    let memory = "assembling takes more than 384 MiB of memory";
    for (name, text, expected) in [
        ("nested repeats", nested(&"x = 1\n".repeat(20)), lines),
        ("short nested repeats", nested("x = 1\n"), memory),
        ("repeats alone", nested("rept 2\nendm\n"), lines),
        (
            "characters",
            format!("irpc a,<{letters}>\nirpc b,<{letters}>\nx = 1\nendm\nendm\n"),
            memory,
        ),
        ("probes", "rept 100000\nStartTSC\nEndTSC\nendm\n".to_owned(), memory),
    ] {
        ends(name, &text, 2, expected);
    }
}

#[test]
fn errors_that_follow_from_another_end_the_reading_too() {
    let loops = ["while 1", "rept 1000000", "x = 0\nwhile x lt 1000000"];
    for (outer, inner) in loops
        .into_iter()
        .flat_map(|outer| [(outer, ".repeat\nf proc"), (outer, "no such line")])
    {
        // Of a copy of the bundled library, only that it is one is reported.
        let text = format!(".code\nx:\n.calibration\n{outer}\n{inner}\nx=x+1\nendm\n");
        ends(outer, &text, 2, "this file is a copy of the bundled library");
        let seconds = processor_seconds("", &text);
        assert!(seconds < 2.0 * slowness(), "{outer}, {inner}: {seconds} s");
    }
}

/// A macro with the parameter `n`, called with each number from 1 to a million.
fn numbered(body: &str) -> String {
    format!("m macro n\n{body}endm\nn = 0\nrept 1000000\nn = n+1\nm %n\nendm\n")
}

#[test]
fn what_is_refused_is_not_filled() {
    let memory = "assembling takes more than 384 MiB of memory";
    let structures = numbered("s&n struc\na db 1000000 dup(1)\ns&n ends\n");
    let nested = format!("db {}60000000 dup(1){}\nnop\n", "1 dup(".repeat(200), ")".repeat(200));
    for (name, text, expected) in [
        (
            "a macro that is refused",
            "m macro\ndb 37341583 dup(90h)\nendm\nrept 100000\nm\nendm\n",
            "program larger than 64 MiB",
        ),
        ("structures", &structures, "initializers fill more than 192 MiB"),
        (
            "fields of a union",
            "s union\nrept 1000000\ndb 1000000 dup(1)\nendm\ns ends\nnop\n",
            memory,
        ),
        (
            "no times much",
            "rept 1000000\ndb 0 dup(60000000 dup(1))\nendm\nnop\n",
            "initializers fill more than 192 MiB",
        ),
        ("once the same", &nested, "initializers fill more than 192 MiB"),
        (
            "addresses",
            "a: nop\nrept 1000000\ndd 1000000 dup(a)\nendm\n",
            "too many addresses in data",
        ),
    ] {
        ends(name, text, 2, expected);
    }
}

#[test]
fn text_is_bounded_as_a_whole() {
    let letters = "y".repeat(30_000);
    let texts = format!("t0 textequ <{letters}>\n{}", numbered("t&n catstr t0,t0\n"));
    for (name, text, expected) in [
        (
            "text macros",
            texts,
            "more than 128 MiB of text in macros, repeats and text functions",
        ),
        (
            "macros",
            format!("rept 1000000\nm macro\n{letters}\nendm\nendm\n"),
            "more than 128 MiB of text in macros, repeats and text functions",
        ),
        (
            "long sums",
            format!("rept 1000000\nx = 1{}\nendm\n", "+1".repeat(25_000)),
            "more than 128 MiB of text in macros, repeats and text functions",
        ),
        (
            "a parameter in every word of a line",
            format!("m macro a\n{}\nendm\nm <{letters}>\n", "a ".repeat(15_000)),
            "expanded line longer than 64 KiB",
        ),
        (
            "arguments of invoke",
            format!(
                ".586\n.model flat,c\n.code\nf proto{}:dword\nrept 1000000\ninvoke f{}\nendm\n",
                " :dword,".repeat(249),
                ",1".repeat(250)
            ),
            "macros and repeats expand to more than 4000000 lines",
        ),
    ] {
        ends(name, &text, 2, expected);
    }
}

#[test]
fn names_and_addresses_take_linear_time() {
    for (name, text, code, expected) in [
        (
            "a long expression of a symbol",
            format!("z: nop\na equ z{}\nrept 400000\ndd a-z\nendm\n", "+1".repeat(400)),
            2,
            "symbols that stand for expressions expand to too many operations",
        ),
        (
            "segments",
            numbered("s&n segment\nnop\ns&n ends\n"),
            2,
            "more than 4096 segments",
        ),
        (
            "fields",
            format!(
                "s struc\n{}s ends\nnop\n",
                numbered("f&n db 1\n").replace("rept 1000000", "rept 300000")
            ),
            0,
            "1 instruction",
        ),
        (
            "instructions with addresses",
            "rept 2\nrept 900000\nmov eax,z+1\nendm\nendm\nz: nop\n".to_owned(),
            2,
            "assembling takes more than 384 MiB of memory",
        ),
        (
            "undefined names",
            numbered("jmp u&n\n").replace("rept 1000000", "rept 200000"),
            2,
            "undefined symbol `u1`",
        ),
        (
            "undefined names among many others",
            format!(
                "{}{}",
                numbered("a&n: nop\n").replace("rept 1000000", "rept 300000"),
                (0..2000).map(|at| format!("jmp unknown{at}\n")).collect::<String>()
            ),
            2,
            "undefined symbol `unknown0`",
        ),
        (
            "unknown macros among many others",
            format!(
                "{}{}",
                (0..100_000)
                    .map(|at| format!("m{at} macro\nnop\nendm\n"))
                    .collect::<String>(),
                (0..2000).map(|at| format!("mm{at}\n")).collect::<String>()
            ),
            2,
            "unknown instruction, directive or macro `mm0`",
        ),
        (
            "local names of macros",
            format!(
                "m macro\nlocal {}\nendm\nrept 2000\nm\nendm\n",
                (0..6000).map(|at| format!("a{at}")).collect::<Vec<_>>().join(",")
            ),
            2,
            "macros have more than 600000 local names",
        ),
        (
            "real numbers",
            "rept 1000000\ndt 1.23e-4900\nendm\nnop\n".to_owned(),
            2,
            "too many real numbers",
        ),
    ] {
        ends(name, &text, code, expected);
    }
}

/// Constructions that multiply their contents: `@` is the contents, `#` a number, `$` many letters.
const MULTIPLIERS: &[&str] = &[
    "rept #\n@endm\n",
    "irpc c,<$>\n@endm\n",
    "irp c,<1,2,$>\n@endm\n",
    "x = 0\nwhile x lt #\nx = x+1\n@endm\n",
    "m macro a\n@endm\nm $\nm %#\nm <m>\n",
    "f macro n\n@exitm <$>\nendm\nt catstr f(1),f(#)\n",
    "if #\n@else\n@endif\n",
    "StartTSC\n@EndTSC\n",
    "s struc\na db # dup(1)\nb dd 2 dup(?)\ns ends\nv s # dup(<>)\n@",
];
/// The innermost contents of constructions.
const LEAVES: &[&str] = &[
    "nop\n",
    "db # dup(90h)\n",
    "dd # dup(# dup(?,7))\n",
    "align 4096\ninc eax\n",
    "t catstr t,<$>,t\n",
    "t textequ <x>\n",
    "jmp $\n",
    "y = 1+(2*(3-#))\n",
    "mov dword ptr [eax+ebx*4+#],#\n",
    "z: mov byte ptr z,#\njmp z\n",
    ".if eax == # && ebx\ninc ecx\n.endif\n",
    "\r\r\r",
    "rep movsb\n",
    "mov eax,$\n",
];

/// A source with at most `depth` nested constructions.
fn construction(random: &mut fastrand::Rng, depth: u32) -> String {
    let mut text = String::new();
    for _ in 0..random.usize(1..4) {
        let inner = depth > 0 && random.u8(..3) > 0;
        let shapes = if inner { MULTIPLIERS } else { LEAVES };
        let mut shape = random.choice(shapes).copied().unwrap_or_default().to_owned();
        while shape.contains('#') {
            let bits = random.u32(1..27);
            let number = random.u32(..1 << bits);
            shape = shape.replacen('#', &number.to_string(), 1);
        }
        let letters = "a".repeat(1 << random.u32(..13));
        shape = shape.replace('$', &letters);
        text += &shape.replace(
            '@',
            &if inner {
                construction(random, depth - 1)
            } else {
                String::new()
            },
        );
    }
    text
}

#[test]
fn constructions_within_each_other_end() {
    let seed = p5_seeds::seed();
    let mut random = fastrand::Rng::with_seed(seed);
    let begun = Instant::now();
    let mut rounds = 0;
    while rounds < 100 && begun.elapsed() < PATIENCE {
        rounds += 1;
        let mut text = construction(&mut random, 4).into_bytes();
        text.truncate(64 << 10);
        let arguments = ["-", "--format", "json", "--timeout", "0.3", "--runs", "2"];
        let output = within(SECONDS, KIBIBYTES, &arguments, &text, Path::new("."));
        let errors = String::from_utf8_lossy(&output.stderr);
        let head = String::from_utf8_lossy(&text[..text.len().min(3000)]);
        assert!(
            matches!(output.status.code(), Some(0..=2)) && !errors.contains("panicked"),
            "seed {seed}, round {rounds}: {}\n{head}\n{errors}",
            output.status
        );
    }
}
