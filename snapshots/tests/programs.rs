//! C programs compiled for the Pentium print the same as natively, and execute as many instructions as Valgrind counts.
//!
//! The folder `programs` has the sources, the programs that `programs/make.sh` compiled, and their native output. A
//! message names tests that need something that this machine lacks.

use runtime::load::program;
use runtime::machine::{self, simulate};
use runtime::model::MODELS;
use runtime::run::{Run, StopReason};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The programs, each with the number of instructions that `valgrind --tool=lackey` counted.
const PROGRAMS: &[(&str, u64)] = &[("integers", 351_496), ("reals", 111_872), ("thread", 557)];

/// Programs that Valgrind does not run as the system does.
const OTHERS: &[&str] = &["process"];

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
