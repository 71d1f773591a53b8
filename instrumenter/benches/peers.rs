//! Whole programs beside what a user would take instead: natively, under `qemu-i386`, which counts nothing, and under
//! cachegrind with the caches of the Pentium, which counts no clocks; and with the interpreter alone.
//!
//! `cargo bench -p instrumenter --bench peers` builds the five C programs of `peers` with `gcc -m32`, runs each in turn
//! with each tool, and prints the medians of processor time and their ratios. A tool that is not installed is named.
//! Only ratios within one run mean anything: the machine's speed varies more than theirs.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The programs, by the names of their files.
const PROGRAMS: [&str; 5] = ["alu", "memory", "sort", "x87", "mix"];

/// The times that each program runs with each tool.
const ROUNDS: usize = 5;

/// What gcc is asked for: the chip's own instructions, and a program without a C library.
const FLAGS: [&str; 11] = [
    "-m32",
    "-march=pentium",
    "-O2",
    "-static",
    "-nostdlib",
    "-fno-pic",
    "-no-pie",
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-fno-builtin",
    "-ffreestanding",
];

/// A way to run a program.
struct Tool {
    name: &'static str,
    /// The command before the program's path.
    before: &'static [&'static str],
}

const TOOLS: [Tool; 5] = [
    Tool {
        name: "native",
        before: &[],
    },
    Tool {
        name: "qemu-i386",
        before: &["qemu-i386"],
    },
    Tool {
        name: "cachegrind",
        before: &[
            "valgrind",
            "--tool=cachegrind",
            "--cache-sim=yes",
            "--branch-sim=yes",
            "--I1=8192,2,32",
            "--D1=8192,2,32",
            "--cachegrind-out-file=/dev/null",
        ],
    },
    Tool {
        name: "interpreter",
        before: &[
            env!("CARGO_BIN_EXE_p5inst"),
            "--runs",
            "1",
            "--timeout",
            "600",
            "--engine",
            "interpreter",
        ],
    },
    Tool {
        name: "p5inst",
        before: &[env!("CARGO_BIN_EXE_p5inst"), "--runs", "1", "--timeout", "600"],
    },
];

/// What one process wrote and took.
struct Ran {
    output: Vec<u8>,
    time: Duration,
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder for the programs");
    let Some(programs) = build(folder.path()) else {
        println!("nothing measured: `gcc -m32` does not build here (package gcc-multilib)");
        return;
    };
    let mut table = String::from("processor time in seconds, medians\n");
    let _ = writeln!(
        table,
        "{:<12}{}",
        "",
        TOOLS.map(|tool| format!("{:>12}", tool.name)).concat()
    );
    let mut ratios: Vec<[Option<f64>; TOOLS.len()]> = Vec::new();
    for (name, path) in PROGRAMS.iter().zip(&programs) {
        let times = medians(name, path);
        let cells = times.map(|time| time.map_or(format!("{:>12}", "-"), |time| format!("{time:>12.3}")));
        let _ = writeln!(table, "{name:<12}{}", cells.concat());
        let own = times[TOOLS.len() - 1];
        ratios.push(times.map(|other| Some(other? / own?)));
    }
    table.push_str("\nspeed of p5inst relative to each\n");
    for (name, row) in PROGRAMS.iter().zip(&ratios) {
        let cells = row.map(|ratio| ratio.map_or(format!("{:>12}", "-"), |ratio| format!("{ratio:>12.3}")));
        let _ = writeln!(table, "{name:<12}{}", cells[..TOOLS.len() - 1].concat());
    }
    let means = (0..TOOLS.len() - 1).map(|tool| {
        let known: Option<Vec<f64>> = ratios.iter().map(|row| row[tool]).collect();
        known.map_or(format!("{:>12}", "-"), |known| {
            format!("{:>12.3}", geometric_mean(&known))
        })
    });
    let _ = writeln!(table, "{:<12}{}", "mean", means.collect::<String>());
    print!("{table}");
}

/// Builds the programs in `folder`; `None` if the compiler cannot.
fn build(folder: &Path) -> Option<Vec<PathBuf>> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers");
    let built = PROGRAMS.map(|name| {
        let program = folder.join(name);
        let mut compiler = Command::new("gcc");
        compiler.args(FLAGS).arg("-o").arg(&program);
        compiler.arg(sources.join(name).with_extension("c"));
        compiler
            .status()
            .is_ok_and(|status| status.success())
            .then_some(program)
    });
    built.into_iter().collect()
}

/// The median time of a program with each tool; `None` where the tool is missing or fails, which is said.
fn medians(name: &str, program: &Path) -> [Option<f64>; TOOLS.len()] {
    let mut times: [Vec<f64>; TOOLS.len()] = std::array::from_fn(|_| Vec::new());
    let mut expected: Option<Vec<u8>> = None;
    for round in 0..ROUNDS {
        for (tool, times) in TOOLS.iter().zip(&mut times) {
            // A tool that has failed is not tried again.
            if times.len() < round {
                continue;
            }
            match run(tool, program) {
                Ok(ran) => {
                    let expected = expected.get_or_insert_with(|| ran.output.clone());
                    assert!(
                        holds(&ran.output, expected),
                        "{name} printed something else with {}",
                        tool.name
                    );
                    times.push(ran.time.as_secs_f64());
                }
                Err(reason) => eprintln!("{name} with {}: {reason}", tool.name),
            }
        }
    }
    times.map(|mut times| {
        times.sort_unstable_by(f64::total_cmp);
        (times.len() == ROUNDS).then(|| times[ROUNDS / 2])
    })
}

/// Whether `output` is what the program prints, or a report that quotes it.
fn holds(output: &[u8], expected: &[u8]) -> bool {
    let expected = expected.trim_ascii_end();
    output.windows(expected.len()).any(|part| part == expected)
}

/// Runs a program once with a tool, and measures the processor time of the process and its children.
fn run(tool: &Tool, program: &Path) -> Result<Ran, String> {
    let mut words = tool.before.iter().map(Path::new).chain([program]);
    let mut command = Command::new(words.next().unwrap_or(program));
    command.args(words);
    command.stdin(Stdio::null()).stderr(Stdio::null());
    let before = children_time();
    let ended = command.output().map_err(|error| format!("not run: {error}"))?;
    let time = children_time() - before;
    if !ended.status.success() {
        return Err(format!("ended with {}", ended.status));
    }
    Ok(Ran {
        output: ended.stdout,
        time,
    })
}

/// The processor time, of user and system, of all children that have ended.
fn children_time() -> Duration {
    // SAFETY: all bits 0 is a value of this type, which consists of numbers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to this function's own structure of the right type.
    let answer = unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    assert_eq!(answer, 0, "the kernel knows the times of children");
    let time =
        |value: libc::timeval| Duration::new(value.tv_sec.unsigned_abs(), value.tv_usec.unsigned_abs() as u32 * 1000);
    time(usage.ru_utime) + time(usage.ru_stime)
}

fn geometric_mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
}
