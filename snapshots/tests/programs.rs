//! C programs compiled for the Pentium print the same as natively, and execute as many instructions as Valgrind counts.
//!
//! The folder `programs` has the sources, the programs that `programs/make.sh` compiled, and their native output. A
//! message names tests that need something that this machine lacks.

use runtime::load::program;
use runtime::machine::{self, simulate};
use runtime::model::MODELS;
use runtime::report::{self, Detail, Format, Style};
use runtime::run::{Run, StopReason};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The programs, each with the number of instructions that `valgrind --tool=lackey` counted.
const PROGRAMS: &[(&str, u64)] = &[("integers", 351_496), ("reals", 111_872), ("thread", 557)];

/// Programs that Valgrind does not run as the system does.
const OTHERS: &[&str] = &["process", "inlined"];

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name)
}

fn simulated(name: &str, model: usize) -> Run {
    let bytes = fs::read(path(name)).expect("a program");
    let image = program(&bytes, &[name]).expect("a static program");
    let options = machine::Options {
        cpl: 3,
        runs: 1,
        ..machine::Options::default()
    };
    simulate(&image, name, MODELS[model], &options, &mut |_| {})
}

/// An executable copy of the program, in a folder that exists as long as the first value.
fn executable(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join(name);
    fs::copy(path(name), &copy).expect("a copy");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).expect("permissions");
    }
    (folder, copy)
}

fn finished(command: &mut Command) -> Option<Output> {
    match command.output() {
        Ok(output) => Some(output),
        Err(why) => {
            println!("SKIPPED: {:?} does not start: {why}", command.get_program());
            None
        }
    }
}

#[test]
fn programs_print_what_they_print_natively() {
    let counted = PROGRAMS.iter().map(|(name, _)| name);
    for name in counted.chain(OTHERS) {
        let expected = fs::read_to_string(path(&format!("{name}.txt"))).expect("what it prints");
        for model in 0..MODELS.len() {
            let run = simulated(name, model);
            assert_eq!(run.stop.reason, StopReason::Exit, "{name}: {:?}", run.stop);
            assert_eq!(String::from_utf8_lossy(&run.output), expected, "{name}");
        }
        let (_folder, copy) = executable(name);
        if let Some(output) = finished(&mut Command::new(copy)) {
            assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{name}, natively");
        }
    }
}

#[test]
fn programs_execute_as_many_instructions_as_another_tool_counts() {
    for &(name, recorded) in PROGRAMS {
        assert_eq!(simulated(name, 0).whole.totals.instructions, recorded, "{name}");
        let (_folder, copy) = executable(name);
        let tool = ["--tool=lackey", "--basic-counts=yes"];
        let Some(output) = finished(Command::new("valgrind").args(tool).arg(copy)) else {
            continue;
        };
        let told = String::from_utf8_lossy(&output.stderr);
        let count = told.lines().find_map(|line| line.split_once("guest instrs:"));
        match count {
            Some((_, count)) => assert_eq!(count.trim().replace(',', ""), recorded.to_string(), "{name}"),
            None => println!("SKIPPED: valgrind does not run {name}: {told}"),
        }
    }
}

/// The report of `inlined` as JSON, and the number of the line of its source that contains `text`.
fn inlined() -> (serde_json::Value, impl Fn(&str) -> u64) {
    let mut json = Vec::new();
    let style = Style::plain(80, Detail::Short);
    report::write(Format::Json, &simulated("inlined", 0), &style, &mut json).expect("memory takes all");
    let source = fs::read_to_string(path("inlined.c")).expect("the source");
    let line = move |text: &str| {
        let found = (1..).zip(source.lines()).find(|(_, line)| line.contains(text));
        found.expect("a line").0
    };
    (serde_json::from_slice(&json).expect("JSON"), line)
}

#[test]
fn functions_that_were_inlined_have_rows_and_all_rows_add_up() {
    let (json, _) = inlined();
    let functions = json["functions"].as_array().expect("functions");
    let name = |of: &serde_json::Value, field: &str| of[field].as_str().unwrap_or("").to_owned();
    let mut names: Vec<_> = functions
        .iter()
        .map(|one| (name(one, "name"), name(one, "inlined_into")))
        .collect();
    names.sort();
    let expected = [
        ("_start", ""),
        ("both", "main"),
        ("fill", ""),
        ("leave", "_start"),
        ("main", ""),
        ("number", "main"),
        ("put", "main"),
        ("sum", "main"),
    ];
    assert_eq!(names, expected.map(|(name, into)| (name.to_owned(), into.to_owned())));
    let cycles = |of: &serde_json::Value| of["cycles"].as_u64().expect("clocks");
    assert_eq!(
        functions.iter().map(cycles).sum::<u64>(),
        cycles(&json["own"]["totals"])
    );
}

#[test]
fn a_line_of_c_tells_how_often_it_was_executed_and_not_its_instructions() {
    let (json, line) = inlined();
    let row = |text: &str| {
        let mut lines = json["lines"].as_array().expect("lines").iter();
        let found = lines.find(|row| row["file"] == "inlined.c" && row["line"] == line(text));
        let found = found.expect("executed").clone();
        [&found["times"], &found["executions"]].map(|count| count.as_u64().expect("a number"))
    };
    // Inlined in four places.
    assert_eq!(row("all += cells[at]")[0], 2 * (40 + 24));
    let [times, instructions] = row("cells[at] = at * 3");
    assert!(times == 64 && instructions > 64, "{times}, {instructions}");
    assert_eq!(row("cells[0] = first"), [1, 1]);
}
