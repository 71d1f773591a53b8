//! A sweep that the user interrupts, and the messages of sweeps.

use crate::started;
use started::{finished, p5inst, text};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn an_interrupted_sweep_says_how_to_go_on() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for (line, said) in [
        (
            "endless.asm -D N=1..4 -o table.csv",
            "the finished rows are kept in `table.csv.unfinished`, and the same",
        ),
        ("endless.asm -D N=1..4", "nothing is kept: with `-o FILE`"),
    ] {
        fs::write(folder.path().join("endless.asm"), "start: nop\njmp start\nend start\n").expect("a file is written");
        let child = p5inst(folder.path(), &["sweep"])
            .args(line.split(' '))
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child.expect("the command starts");
        // Until the handler is installed, an interrupt ends the command without a message.
        let journal = folder.path().join("table.csv.unfinished");
        while !awaits_interrupt(child.id()) || line.ends_with("csv") && !journal.exists() {
            assert!(child.try_wait().expect("a status").is_none(), "it ended by itself");
        }
        let id = child.id().to_string();
        Command::new("kill").args(["-INT", &id]).status().expect("kill starts");
        let mut told = String::new();
        let mut errors = child.stderr.take().expect("a pipe");
        std::io::Read::read_to_string(&mut errors, &mut told).expect("UTF-8");
        assert_eq!(child.wait().expect("it ends").code(), Some(130), "{told}");
        assert!(told.contains("interrupted") && told.contains(said), "{told}");
    }
}

/// Starts a sweep into `table.csv`, and kills it as soon as it has kept `rows` rows.
pub(crate) fn killed(folder: &Path, line: &str, rows: usize) {
    let (table, journal) = (folder.join("table.csv"), folder.join("table.csv.unfinished"));
    let before = fs::read(&table).expect("a table");
    // On a busy machine it may end before it is killed.
    for _ in 0..20 {
        let mut command = p5inst(folder, &["sweep"]);
        let command = command.args(line.split(' ')).stderr(Stdio::null());
        let mut child = command.spawn().expect("the command starts");
        let kept = || {
            fs::read_to_string(&journal)
                .unwrap_or_default()
                .matches("\"row\"")
                .count()
                / 2
        };
        while kept() < rows && child.try_wait().expect("a child").is_none() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        child.kill().expect("it is killed");
        child.wait().expect("it ended");
        if kept() >= rows {
            return;
        }
        fs::write(&table, &before).expect("a file is written");
    }
    panic!("it always ended before it could be killed");
}

/// Whether a process handles SIGINT, according to Linux; elsewhere, whether it has had enough time to install a
/// handler.
fn awaits_interrupt(process: u32) -> bool {
    std::thread::sleep(std::time::Duration::from_millis(20));
    let Ok(status) = fs::read_to_string(format!("/proc/{process}/status")) else {
        std::thread::sleep(std::time::Duration::from_secs(2));
        return true;
    };
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = u64::from_str_radix(caught.expect("a mask").trim(), 16).expect("hexadecimal");
    caught & (1 << (2 - 1)) != 0
}

#[test]
fn a_run_that_reached_its_time_limit_is_finished() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    fs::write(
        path.join("endless.asm"),
        "nop\nrept N\nnop\nendm\nstart: nop\njmp start\nend start\n",
    )
    .expect("written");
    let line = "sweep endless.asm -D N=1..9 --timeout 0.4 -o table.csv";
    let words: Vec<&str> = line.split(' ').collect();
    // However many processors there are, the other rows are not done when the first one is.
    let mut child = p5inst(path, &words)
        .env("RAYON_NUM_THREADS", "1")
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    let journal = path.join("table.csv.unfinished");
    let done = || {
        let kept = fs::read_to_string(&journal).unwrap_or_default();
        kept.lines().filter(|line| line.contains("\"row\"")).count()
    };
    while done() == 0 {
        assert!(child.try_wait().expect("a state").is_none(), "no row was kept");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    let kept = done();
    assert!((1..9).contains(&kept), "{kept}");
    let again = finished(path, line);
    let told = format!("the sweep goes on: {kept} of 9 runs are done");
    assert!(text(&again.stderr).contains(&told), "{kept}: {}", text(&again.stderr));
    let table = fs::read_to_string(path.join("table.csv")).expect("a table");
    assert_eq!(table.matches(",timeout,").count(), 9, "{table}");
}

#[test]
fn a_journal_whose_first_line_is_damaged_is_not_replaced() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    fs::write(path.join("a.asm"), "mov eax,N\n").expect("a file is written");
    let damaged = format!("{{\"p5inst_sweep\":2,\"tool\":\"{}\n", "x".repeat(200));
    fs::write(path.join("table.csv.unfinished"), &damaged).expect("a file is written");
    let output = finished(path, "sweep a.asm -D N=1,2 -o table.csv");
    assert_eq!(output.status.code(), Some(2));
    let told = text(&output.stderr);
    assert!(
        told.contains("first line is damaged") && told.contains("remove it to start anew"),
        "{told}"
    );
    let kept = fs::read_to_string(path.join("table.csv.unfinished")).expect("a journal");
    assert_eq!(kept, damaged);
}

#[test]
fn a_swept_symbol_that_nothing_uses_is_named_once() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join("a.asm"), "include more.inc\nmov eax,COUNT_N\n").expect("a file is written");
    fs::write(folder.path().join("more.inc"), "COUNT_N equ n\n").expect("a file is written");
    let output = finished(folder.path(), "sweep a.asm -D N=1,2,3 -D COUNT=1,2");
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    let unused: Vec<&str> = told.lines().collect();
    assert_eq!(
        unused,
        ["p5inst: `COUNT` is defined by -D, but the source does not use it"]
    );
    let output = finished(folder.path(), "sweep a.asm -D N=1,2,3");
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
}

#[test]
fn rows_with_other_instructions_are_not_taken_over() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    fs::write(path.join("long.asm"), "start: nop\njmp start\nend start\n").expect("a file is written");
    let line = "long.asm -D N=1..3 --runs 1 --limit 20000000 -o table.csv";
    // However many processors there are, there is time to see the first row before the last one.
    let mut child = p5inst(path, &["sweep", "--also", "cmov"])
        .args(line.split(' '))
        .env("RAYON_NUM_THREADS", "1")
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    let journal = path.join("table.csv.unfinished");
    while !fs::read_to_string(&journal).is_ok_and(|kept| kept.contains("\"row\"")) {
        assert!(child.try_wait().expect("a status").is_none(), "it ended by itself");
    }
    child.kill().expect("it is killed");
    child.wait().expect("it ended");
    let again = finished(path, &format!("sweep {line}"));
    let told = text(&again.stderr);
    assert!(
        told.contains("the sweep starts anew: ") && told.contains("with other options"),
        "{told}"
    );
}

#[test]
fn the_jobs_of_a_linux_program_give_its_table() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/objects/print.elf");
    fs::copy(program, path.join("print")).expect("a file is copied");
    let sweep = |format: &[&str]| {
        let options = ["sweep", "--cpu", "p54c,p55c", "--also", "cmov", "--runs", "1,2"];
        let program = ["print", "-x", "a b"];
        p5inst(path, &[&options, format, &program].concat())
            .output()
            .expect("the command starts")
    };
    let (table, jobs) = (sweep(&["--format", "csv"]), sweep(&["--jobs"]));
    assert_eq!(text(&table.stdout).lines().count(), 5, "{}", text(&table.stderr));
    let jobs = text(&jobs.stdout).replace("p5inst sweep", &format!("{} sweep", env!("CARGO_BIN_EXE_p5inst")));
    fs::write(path.join("jobs"), &jobs).expect("a file is written");
    let ran = Command::new("sh")
        .arg("jobs")
        .current_dir(path)
        .output()
        .expect("a shell");
    assert_eq!(text(&ran.stdout), text(&table.stdout), "{jobs}{}", text(&ran.stderr));
}

/// One name decides alone, and another only together with it.
#[test]
fn jobs_of_several_names_name_the_regions_of_all_values() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let timed = |name: &str| format!("StartTSC {name}\nnop\nEndTSC\n");
    let source = format!(
        "{}mov eax,L\nif N eq 3\nif M eq 6\n{}endif\nif K\n{}endif\nendif\n",
        timed("always"),
        timed("together"),
        timed("alone")
    );
    fs::write(folder.path().join("a.asm"), source).expect("a file is written");
    let output = finished(folder.path(), "sweep a.asm -D L=1..2 -D M=5..7 -D K=1 -D N=1..3 --jobs");
    let jobs = text(&output.stdout);
    assert_eq!(jobs.lines().count(), 18, "{}", text(&output.stderr));
    for job in jobs.lines() {
        for region in ["always", "together", "alone"] {
            assert!(job.contains(&format!("--region {region}")), "{region}: {job}");
        }
    }
}

/// Covers names that do not depend on a value, names that do, and values with which the source has errors.
#[test]
fn jobs_name_the_regions_of_all_values() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let timed = |name: &str| format!("StartTSC {name}\nnop\nEndTSC\n");
    let always = timed("always");
    for (source, regions) in [
        (format!("{always}mov eax,N\n"), "always"),
        (format!("{always}mov al,N*100\n"), "always"),
        (format!("k equ <N>\n{always}mov al,k*100\ndb k dup(90h)\n"), "always"),
        (format!("{always}if N gt 2\n{}endif\n", timed("more")), "always more"),
        (
            format!(
                "{always}if N eq 2\n{}elseif 2 lt N\n{}endif\n",
                timed("two"),
                timed("three")
            ),
            "always three two",
        ),
        (
            format!(
                "{always}if N eq 2 and N gt N-1\n{}endif\nif N*N eq 9\n{}endif\n",
                timed("two"),
                timed("three")
            ),
            "always three two",
        ),
        (
            format!("k = N gt 2\n{always}if k\n{}endif\n", timed("more")),
            "always more",
        ),
        (
            format!("k = N*2\n{always}if k gt 5\n{}endif\n", timed("more")),
            "always more",
        ),
        (
            format!("k equ N*2\n{always}if k gt 5\n{}endif\n", timed("more")),
            "always more",
        ),
        (
            format!("a: db N dup(90h)\nb:\n{always}if b-a gt 2\n{}endif\n", timed("more")),
            "always more",
        ),
        (
            format!(
                "s struc\nx db N dup(?)\ns ends\n{always}if size s gt 2\n{}endif\n",
                timed("more")
            ),
            "always more",
        ),
        (
            format!("m macro p\nif p gt 2\n{}endif\nendm\n{always}m N\n", timed("more")),
            "always more",
        ),
        (
            format!("m macro p\nStartTSC r&p\nnop\nEndTSC\nendm\n{always}m %N\n"),
            "always r1 r2 r3",
        ),
        // The code of the measuring macros decides it.
        (
            format!("a:\n{always}b:\nmov al,N\nif b-a gt 8\n{}endif\n", timed("more")),
            "always more",
        ),
        (format!("N = 2\n{}", timed("two")), "two"),
        // Names that only one of the libraries has: such a run is refused without the measuring macros, or shorter.
        (
            format!("{always}if N eq 2\nStartTSC extra\nmov edx,P5_eax\nEndTSC\nendif\n"),
            "always extra",
        ),
        (
            format!("{always}if N eq 2\nifdef P5_eax\n{}endif\nendif\n", timed("more")),
            "always more",
        ),
        (
            format!("{always}if N eq 2\nheld catstr <P>,<5_>,<eax>\nStartTSC extra\nmov edx,held\nEndTSC\nendif\n"),
            "always extra",
        ),
    ] {
        fs::write(folder.path().join("a.asm"), &source).expect("a file is written");
        let output = finished(folder.path(), "sweep a.asm -D N=1..3 --jobs");
        let jobs = text(&output.stdout);
        assert_eq!(jobs.lines().count(), 3, "{source}{}", text(&output.stderr));
        for job in jobs.lines() {
            let mut words = job.split(' ');
            let mut named = Vec::new();
            while let Some(word) = words.next() {
                if word == "--region" {
                    named.extend(words.next());
                }
            }
            named.sort_unstable();
            assert_eq!(named.join(" "), regions, "{source}{job}");
        }
    }
}

#[test]
fn the_jobs_of_a_sweep_have_its_encoding() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join("a.asm"), "nop\nalign 4\nmov eax,N\n").expect("a file is written");
    let jobs = |options: &str| {
        let output = finished(folder.path(), &format!("sweep a.asm -D N=1,2 --jobs{options}"));
        text(&output.stdout).to_owned()
    };
    let padded = jobs(" --encode masm");
    assert!(
        padded.lines().count() == 2 && padded.lines().all(|line| line.contains("--encode masm")),
        "{padded}"
    );
    assert!(!jobs("").contains("--encode"));
}
