//! `p5inst sweep`: a matrix of runs, also interrupted and continued, and divided into jobs by other tools.

use crate::consumers;
use crate::interrupted_sweep::killed;
use crate::started;
use started::{p5inst, text};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Counts down from N; faults for 3, does not end for 5, has an error for 7, and has a second region for even N.
const PROGRAM: &str = "        .586
        .model flat
        .code
start:  mov ecx,N
        mov edx,0
        StartTSC down
next:   dec ecx
        jnz next
        EndTSC
if N and 1
else
        StartTSC even
        add eax,ebx
        EndTSC
endif
if N eq 3
        div edx
endif
if N eq 5
        nop
        jmp $-1
endif
if N eq 7
        mov eax,nothing
endif
        ret
        end start
";

fn command(folder: &Path) -> Command {
    p5inst(folder, &["sweep"])
}

fn finished(folder: &Path, line: &str) -> Output {
    let words = line.split_whitespace();
    command(folder).args(words).output().expect("the command starts")
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join("a.asm"), PROGRAM).expect("a file is written");
    folder
}

/// The cells of a line; a quoted cell may contain commas.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for character in line.chars() {
        match (character, cells.last_mut()) {
            ('"', _) => quoted = !quoted,
            (',', _) if !quoted => cells.push(String::new()),
            (character, Some(cell)) => cell.push(character),
            (_, None) => {}
        }
    }
    cells
}

/// The records of a table with headings, each by column name.
fn records(csv: &str) -> Vec<serde_json::Map<String, serde_json::Value>> {
    let mut lines = csv.lines().map(cells);
    let headings = lines.next().expect("headings");
    let record = |cells: Vec<String>| {
        assert_eq!(cells.len(), headings.len(), "{cells:?}");
        let cells = headings.iter().zip(cells);
        cells.map(|(name, cell)| (name.clone(), cell.into())).collect()
    };
    lines.map(record).collect()
}

const ALL: &str = "a.asm --memory l2,dram -D N=1..8 --limit 20000 --runs 2 --event INSTRUCTIONS_EXECUTED";

#[test]
fn every_run_has_its_row_in_the_order_of_the_matrix() {
    let folder = folder();
    let path = folder.path();
    let output = finished(path, &format!("{ALL} --format csv"));
    assert_eq!(output.status.code(), Some(2), "one N has an error");
    says(&output, "undefined symbol");
    let rows = records(text(&output.stdout));
    assert_eq!(rows.len(), 16);
    for (index, row) in rows.iter().enumerate() {
        let n = index % 8 + 1;
        assert_eq!(row["memory"], ["l2", "dram"][index / 8]);
        assert_eq!(row["define.N"], n.to_string());
        let status = match n {
            3 => "fault",
            5 => "limit",
            7 => "not assembled",
            _ => "return",
        };
        assert_eq!(row["status"], status);
        let figures = [
            "cycles",
            "instructions",
            "region.down.cycles",
            "event.INSTRUCTIONS_EXECUTED",
        ];
        for figure in figures {
            assert_eq!(row[figure] == "", status != "return", "{figure} of {row:?}");
        }
        assert_eq!(row["message"] == "", status == "return", "{row:?}");
        assert_eq!(
            row["region.even.cycles"] == "",
            status != "return" || n % 2 == 1,
            "{row:?}"
        );
        if status == "return" {
            // The figures equal those of a separate run.
            let memory = row["memory"].as_str().expect("text");
            let line = format!("a.asm --memory {memory} -D N={n} --runs 2 --format json");
            let run = Command::new(env!("CARGO_BIN_EXE_p5inst"))
                .args(line.split(' '))
                .current_dir(path)
                .output()
                .expect("the command starts");
            let run: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
            let same = |figure: &str, other: &serde_json::Value| {
                assert_eq!(row[figure].as_str(), Some(&*other.to_string()), "{figure}");
            };
            same("cycles", &run["own"]["totals"]["cycles"]);
            same("instructions", &run["own"]["totals"]["instructions"]);
            same("pairs", &run["own"]["totals"]["v"]);
            same("cold_cycles", &run["runs"][0]["own"]["cycles"]);
            same("region.down.cycles", &run["regions"][0]["warm"]["cycles"]["median"]);
            let events = run["own"]["events"].as_array().expect("events");
            let event = events.iter().find(|event| event["name"] == "INSTRUCTIONS_EXECUTED");
            same("event.INSTRUCTIONS_EXECUTED", &event.expect("the event")["occurrences"]);
        }
    }
}

#[test]
fn every_format_has_the_same_figures() {
    let folder = folder();
    let path = folder.path();
    let parquet = if cfg!(feature = "parquet") { "-o a.parquet" } else { "" };
    let output = finished(path, &format!("{ALL} -o a.csv -o a.json -o a.html -o a.txt {parquet}"));
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    assert!(!path.join("a.csv.unfinished").exists());
    let read = |name: &str| fs::read_to_string(path.join(name)).expect("a table");
    let rows = records(&read("a.csv"));
    let json: serde_json::Value = serde_json::from_str(&read("a.json")).expect("JSON");
    let shown = |value: &serde_json::Value| match value {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let objects = json["rows"].as_array().expect("rows");
    assert_eq!(objects.len(), rows.len());
    for (object, row) in objects.iter().zip(&rows) {
        assert_eq!(object.as_object().map(serde_json::Map::len), Some(row.len()));
        for (name, cell) in row {
            assert_eq!(cell.as_str(), Some(&*shown(&object[name])), "{name}");
        }
    }
    let schema = Command::new(env!("CARGO_BIN_EXE_p5inst"))
        .args(["schema", "sweep"])
        .output()
        .expect("it starts");
    let schema: serde_json::Value = serde_json::from_slice(&schema.stdout).expect("JSON");
    assert_eq!(schema["title"], "p5inst sweep");
    let fields = |value: &serde_json::Value| {
        value
            .as_object()
            .map(|object| object.keys().cloned().collect::<Vec<_>>())
    };
    assert_eq!(fields(&schema["properties"]), fields(&json));
    let page = read("a.html");
    assert!(page.contains("<svg") && page.contains("prefers-color-scheme: dark"));
    assert!(!page.contains("http:") && !page.contains("https:") && !page.contains("src="));
    for row in &rows {
        let cycles = row["region.down.cycles"].as_str().expect("text");
        assert!(
            cycles.is_empty() || page.contains(&format!(">{cycles}</td>")),
            "{row:?}"
        );
    }
    let drawn = read("a.txt");
    assert!(drawn.lines().all(|line| line.chars().count() <= 80), "{drawn}");
    insta::assert_snapshot!("map", drawn);
    if cfg!(feature = "parquet") && consumers::available("pyarrow", "python3", &["-c", "import pyarrow.parquet"]) {
        let script = "import json, pyarrow.parquet as p\nprint(json.dumps(p.read_table('a.parquet').to_pylist()))";
        let output = Command::new("python3")
            .args(["-c", script])
            .current_dir(path)
            .output()
            .expect("it starts");
        let read: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(read, json["rows"], "{}", text(&output.stderr));
    }
}

#[test]
fn one_option_is_a_curve_and_three_are_maps_by_group() {
    let folder = folder();
    let path = folder.path();
    let output = finished(
        path,
        "a.asm -D N=8..100:4 --figure region.down.cycles --figure clocks_per_instruction",
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    insta::assert_snapshot!("curve", text(&output.stdout));
    let output = finished(path, "a.asm -D N=8..500:4 --cpu p54c,i486 --cpl 0,3 --figure cycles");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    insta::assert_snapshot!("groups", text(&output.stdout));
    let output = finished(path, "a.asm -D N=100..499 --figure cycles");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let drawn = text(&output.stdout);
    assert!(drawn.lines().count() < 80, "{drawn}");
    assert!(drawn.lines().all(|line| line.chars().count() <= 80), "{drawn}");
    let output = finished(path, "a.asm -D N=2");
    insta::assert_snapshot!("single", text(&output.stdout));
}

#[test]
fn what_has_no_meaning_is_refused() {
    let folder = folder();
    let path = folder.path();
    fs::write(
        path.join("a.csv.unfinished"),
        "mine, and longer than what a sweep writes as its first line: ".repeat(4),
    )
    .expect("a file is written");
    fs::write(path.join("endless.asm"), "again: nop\njmp again\n").expect("a file is written");
    for (line, why) in [
        ("a.asm -D N=0..18446744073709551615", "not a range"),
        (
            "a.asm -D N=0..9223372036854775807",
            "9223372036854775808 runs; a sweep makes at most 100000",
        ),
        ("a.asm -D N=1..1000 -D M=1..1000", "1000 x 1000 = 1000000 runs"),
        (
            "a.asm -D A=-9223372036854775808..9223372036854775807 -D B=-9223372036854775808..9223372036854775807 -D C=1,2",
            "too many",
        ),
        ("a.asm -D N=1 -D n=2", "`n` is given twice"),
        ("a.asm -D N=1,2,1", "`1` stands twice in the values of define.N"),
        ("a.asm -D N=", "a value of `N` is empty"),
        ("a.asm --cpu p54c,", "a value is required"),
        ("a.asm --cpu p54c,p54c -D N=2", "`p54c` stands twice"),
        ("a.asm --assume errata=perhaps", "errata is one of"),
        ("a.asm --event AGI_STALLS --event 1F -D N=2", "is given twice"),
        ("a.asm --event NOTHING -D N=2", "has no event"),
        ("a.asm -D N=2 --figure status", "no column `status` of figures"),
        (
            // No run is made: it would take a day.
            "endless.asm -D N=2 --limit 1000000000000000 --timeout 0 --figure cycle",
            "no column `cycle` of figures",
        ),
        ("a.asm -D N=2 -o a.xyz", "the format of `a.xyz` is not known"),
        ("a.asm -D N=2 -o a.txt -o ./a.txt", "two tables go to"),
        (
            "a.asm -D N=2 -o a.txt -o b.txt --format csv",
            "the extension of each file",
        ),
        (
            "a.asm -D N=2 -o nowhere/a.csv",
            "cannot write `nowhere/a.csv`: no such directory",
        ),
        ("a.asm -D N=2 -o a.asm --format csv", "is one of the sources"),
        ("a.asm -D N=2 -o a.csv", "or not of a sweep; remove it to start anew"),
        ("missing.asm", "no such file"),
        ("- --jobs", "a job cannot read the source from standard input"),
    ] {
        let output = finished(path, line);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {errors}");
        assert!(errors.contains(why), "{line}: {errors}");
        assert!(output.stdout.is_empty(), "{line}");
    }
    assert_eq!(fs::read_to_string(path.join("a.asm")).expect("the source"), PROGRAM);
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    let folder = folder();
    let mut child = command(folder.path())
        .args(["a.asm", "-D", "N=8..600:2", "--format", "json"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let stdout = child.stdout.take().expect("a pipe");
    let mut first = String::new();
    BufReader::new(stdout).read_line(&mut first).expect("a line");
    assert_eq!(first, "{\n");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

fn says(output: &Output, words: &str) {
    let errors = text(&output.stderr);
    assert!(errors.contains(words), "{errors}");
}

#[test]
fn a_sweep_that_was_killed_goes_on_and_gives_the_same_table() {
    let folder = folder();
    let path = folder.path();
    let long = PROGRAM.replace("mov ecx,N", "mov ecx,4000+N\ninclude more.inc");
    fs::write(path.join("long.asm"), &long).expect("a file is written");
    fs::write(path.join("more.inc"), "        nop\n").expect("a file is written");
    let line = "long.asm -D N=10..104:2 --memory l2,dram -o table.csv";
    let table = path.join("table.csv");
    fs::write(&table, "old").expect("a file is written");
    killed(path, line, 5);
    assert_eq!(fs::read_to_string(&table).expect("the table"), "old");
    let again = finished(path, line);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    says(&again, "the sweep goes on:");
    let first = fs::read(&table).expect("the table");
    assert_eq!(text(&first).lines().count(), 97);
    assert!(!path.join("table.csv.unfinished").exists());
    let whole = finished(path, line);
    assert!(whole.stderr.is_empty(), "{}", text(&whole.stderr));
    assert!(
        fs::read(&table).expect("the table") == first,
        "one and two processes give the same table"
    );

    // The line that was being written at the kill does not count, and neither do later lines.
    killed(path, line, 5);
    let journal = path.join("table.csv.unfinished");
    let kept = fs::read(&journal).expect("a journal");
    let torn = kept.iter().rposition(|&byte| byte == b'}').expect("a line");
    fs::write(&journal, &kept[..torn - 20]).expect("a file is written");
    let again = finished(path, line);
    says(&again, "the sweep goes on:");
    assert!(
        fs::read(&table).expect("the table") == first,
        "a torn row is made again"
    );

    // The checksum of a row reveals a digit that has changed in its middle.
    killed(path, line, 5);
    let mut kept = fs::read_to_string(&journal).expect("a journal");
    let third = kept.match_indices('\n').nth(2).expect("three lines").0 + 1;
    let place = third + kept[third..].find("\"cycles\":").expect("a figure") + "\"cycles\":".len();
    let digit = if &kept[place..=place] == "7" { "8" } else { "7" };
    kept.replace_range(place..=place, digit);
    fs::write(&journal, kept).expect("a file is written");
    let again = finished(path, line);
    says(&again, "finished rows are damaged from line 4 on");
    assert!(
        fs::read(&table).expect("the table") == first,
        "a damaged row is made again"
    );

    // A line that is too long to be read is also rejected.
    killed(path, line, 5);
    let mut kept = fs::read_to_string(&journal).expect("a journal");
    let third = kept.match_indices('\n').nth(2).expect("three lines").0 + 1;
    kept.insert_str(third + 100, &"x".repeat(1 << 20));
    fs::write(&journal, kept).expect("a file is written");
    let again = finished(path, line);
    says(&again, "finished rows are damaged from line 4 on");
    assert!(
        fs::read(&table).expect("the table") == first,
        "a row in a long line is made again"
    );

    // A larger matrix takes over the rows that it shares; another source takes over none.
    killed(path, line, 5);
    let larger = finished(path, &line.replace("104:2", "114:2"));
    says(&larger, "of 106 runs are done");
    for (name, changed, why, kept) in [
        (
            "more.inc",
            "        nop\n        nop\n".to_owned(),
            "`more.inc`, which the source includes, was changed",
            "table.csv.unfinished.old",
        ),
        (
            "long.asm",
            long.replace("dec ecx", "sub ecx,1"),
            "of another source",
            "table.csv.unfinished.old.2",
        ),
    ] {
        killed(path, line, 5);
        fs::write(path.join(name), changed).expect("a file is written");
        let again = finished(path, line);
        says(&again, "the sweep starts anew:");
        says(&again, why);
        assert!(fs::read_to_string(path.join(kept)).is_ok_and(|old| old.contains("\"row\"")));
        says(&again, &format!("they are in `{kept}`"));
        assert_eq!(text(&fs::read(&table).expect("the table")).lines().count(), 97);
    }
    killed(path, line, 5);
    let other = finished(path, &format!("{line} --limit 1000000"));
    says(&other, "with other options; they are in `table.csv.unfinished.old.3`");
}

/// The fenced block in this language from the reference's page on sweeps.
fn recipe(language: &str, with: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots/tutorials/reference/sweeps.md");
    let page = fs::read_to_string(page).expect("a page");
    let blocks = page
        .split("\n```")
        .map(|block| block.split_once('\n').unwrap_or((block, "")));
    let mut found = blocks.filter(|(head, body)| *head == language && body.contains(with));
    found.next().map(|(_, body)| body.to_owned()).expect("a recipe")
}

/// A search path with `p5inst`, the program under test.
fn search_path() -> std::ffi::OsString {
    let own = PathBuf::from(env!("CARGO_BIN_EXE_p5inst"));
    let mut folders = vec![own.parent().expect("a folder").to_owned()];
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    std::env::join_paths(folders).expect("a search path")
}

#[test]
fn the_jobs_of_a_sweep_give_its_table_wherever_they_run() {
    let folder = folder();
    let path = folder.path();
    let name = "it's a.asm";
    fs::rename(path.join("a.asm"), path.join(name)).expect("a file is renamed");
    let mut options: Vec<&str> = [name].into_iter().chain(ALL.split(' ').skip(1)).collect();
    options.extend(["-D", "TEXT=<a b>,$c", "--assume", "errata=on"]);
    let sweep = |more: &[&str]| {
        command(path)
            .args(&options)
            .args(more)
            .output()
            .expect("the command starts")
    };
    let table = sweep(&["--format", "csv"]).stdout;
    assert_eq!(text(&table).lines().count(), 33);
    let jobs = sweep(&["--jobs"]).stdout;
    assert_eq!(text(&jobs).lines().count(), 32);
    fs::write(path.join("jobs"), &jobs).expect("a file is written");
    let run = |program: &str, arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(path)
            .stdin(Stdio::null())
            .env("PATH", search_path());
        command.envs(variables.iter().copied()).output().expect("it starts")
    };
    let same = |output: &Output| {
        assert!(
            output.stdout == table,
            "{}\n{}",
            text(&output.stdout),
            text(&output.stderr)
        );
    };
    // The jobs run one after the other, then as the tasks of an array.
    same(&run("sh", &["jobs"], &[]));
    let task = recipe("sh", "SLURM_ARRAY_TASK_ID");
    let task = task.split_once("\n\n").map_or(&*task, |(task, _)| task);
    fs::write(path.join("task.sh"), task).expect("a file is written");
    for number in 1..=32 {
        run("sh", &["task.sh"], &[("SLURM_ARRAY_TASK_ID", &number.to_string())]);
    }
    same(&run("sh", &["-c", "cat row-*.csv"], &[]));
    if consumers::available("parallel", "parallel", &["--version"]) {
        same(&run("sh", &["-c", "parallel --will-cite --keep-order < jobs"], &[]));
    }
    if consumers::available("dask", "python3", &["-c", "import dask.distributed"]) {
        fs::write(path.join("jobs.py"), recipe("python", "dask")).expect("a file is written");
        same(&run("python3", &["jobs.py"], &[]));
    }
}
