//! The command as a user sees it: exit codes, and the stream of each output.

use crate::started;
use started::text;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn p5inst(arguments: &[&str]) -> Command {
    started::p5inst(Path::new("."), arguments)
}

fn finished(arguments: &[&str]) -> Output {
    p5inst(arguments).output().expect("the command starts")
}

#[test]
fn bad_input_is_one_line_on_standard_error_and_exit_code_2() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().to_str().expect("a printable path");
    let missing = format!("{path}/missing.asm");
    for (arguments, why) in [
        (vec![missing.as_str()], "no such file"),
        (vec![missing.as_str(), "-x", "--flag"], "no such file"),
        (vec![path], "is a directory"),
        (vec!["-", "-I", &missing], "no such include directory"),
        (vec!["-", "Cargo.toml"], "only one program"),
        (
            vec!["--cpu", "p5", "events"],
            "`events` stands before its options: `p5inst events ...`",
        ),
    ] {
        let output = finished(&arguments);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(
            error.starts_with("p5inst: ") && error.contains(why),
            "{arguments:?}: {error}"
        );
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_file_of_the_users_named_like_the_library_is_a_file_like_any_other() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).expect("a file is written");
    file("p5.inc", "bump macro\n add eax,17\nendm\n mov ecx,5\n");
    file("own.asm", "include p5.inc\nStartTSC\nbump\nEndTSC\n");
    let program = directory.path().join("own.asm");
    let output = finished(&["--all", program.to_str().expect("a printable path")]);
    let report = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    for shown in ["mov ecx,5", "add eax,17", "p5.inc probe", "  calibration"] {
        assert!(report.contains(shown), "{shown} is missing:\n{report}");
    }
    // Without a probe, no code belongs to the library, and no line is folded.
    file("own.asm", "include p5.inc\nbump\n");
    let output = finished(&["--all", program.to_str().expect("a printable path")]);
    let report = text(&output.stdout);
    assert!(
        report.contains("mov ecx,5") && report.contains("add eax,17"),
        "{report}"
    );
    assert!(!report.contains("probe"), "{report}");
}

/// A region of seven lines: a loop with 64 rounds.
const SEVEN_LINES: &str = "        .data\ntable   dd 64 dup (3)\n        .code\nstart:  mov esi,offset table\n        mov ecx,64\n\
                           \x20       StartTSC sum\nnext:   mov eax,[esi]\n        add eax,5\n        shl eax,2\n\
                           \x20       add ebx,eax\n        add esi,4\n        dec ecx\n        jnz next\n        EndTSC\n\
                           \x20       ret\n        end start\n";

#[test]
fn a_region_of_seven_lines_fits_a_screen_and_agrees_with_json() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("seven.asm");
    std::fs::write(&path, SEVEN_LINES).expect("a file is written");
    let program = path.to_str().expect("a printable path");
    let (short, json) = (finished(&[program]), finished(&[program, "--format", "json"]));
    assert!(short.status.success() && json.status.success());
    let report = text(&short.stdout);
    assert!(report.lines().count() <= 24, "{report}");
    // A path of any length has its own line.
    for line in report.lines().filter(|line| !line.contains(program)) {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let (own, region) = (&json["own"]["totals"], &json["regions"][0]);
    let rounds = &region["diagram"]["rows"][0]["loop"];
    let path = &rounds["paths"][0];
    for words in [
        format!("{} clocks, {} instructions", own["cycles"], own["instructions"]),
        format!("{} in V", own["v"]),
        format!("without the {} clocks", json["probes"]["totals"]["cycles"]),
        format!(
            "{} clocks warm, {} cold; measured {}",
            region["warm"]["true"]["median"], region["cold"]["true"], region["warm"]["measured"]["median"]
        ),
        format!(
            "next: {} rounds, {} clocks in all: {} in {} of them, ",
            rounds["rounds"], rounds["cycles"], path["round_cycles"], path["alike"]
        ),
        format!(
            "V is used in {} clocks; no order takes less than {}",
            path["clocks_with_v"], path["bound"]["clocks"]
        ),
        "add ebx,eax    add esi,4".to_owned(),
        "ebx 00000800h".to_owned(),
    ] {
        assert!(report.contains(&words), "no `{words}` in\n{report}");
    }
    assert_eq!(json["schema_version"], 2);
}

#[test]
fn a_usage_error_is_exit_code_2_and_help_is_0() {
    for arguments in [
        &["--runs", "0", "a.asm"][..],
        &["--nonsense"],
        &[],
        &["a.asm", "--cpl", "2"],
    ] {
        let output = finished(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
    }
    for command in [
        "",
        "check",
        "events",
        "timings",
        "host",
        "host run",
        "host cpi",
        "host tsc",
        "schema",
        "stat",
        "ratio",
        "audit",
        "watch",
        "msr",
        "msr dump",
        "sweep",
        "query",
        "query derive",
        "query top",
        "query hist",
    ] {
        for option in ["-h", "--help"] {
            let help = finished(&command.split_whitespace().chain([option]).collect::<Vec<_>>());
            assert!(
                help.status.success() && text(&help.stdout).contains("Usage:"),
                "{command}"
            );
            assert_narrow(text(&help.stdout));
        }
    }
    assert!(text(&finished(&["--help"]).stdout).contains("Examples:"));
}

/// Checks that without a terminal no line is wider than 80 columns.
fn assert_narrow(text: &str) {
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn lists_are_narrow_and_events_are_found_by_a_word() {
    for list in [
        &["events"][..],
        &["timings"],
        &["timings", "imul"],
        &["events", "tlb"],
        &["events", "--demo", "0Ah"],
        &["explain"],
        &["explain", "waited 1: AGI, lea wrote esi"],
        &["explain", "--cpu", "p55c", "prefix"],
    ] {
        let output = finished(list);
        assert!(output.status.success() && !output.stdout.is_empty(), "{list:?}");
        assert_narrow(text(&output.stdout));
    }
    let found = finished(&["events", "mmx"]);
    assert!(
        text(&found.stderr).contains("no event that fits `mmx`; needs `--cpu p55c`"),
        "{}",
        text(&found.stderr)
    );
    let found = finished(&["timings", "fcmo\u{1b}"]);
    assert!(
        text(&found.stderr).contains("no timing for `fcmo\\u{1b}`"),
        "{}",
        text(&found.stderr)
    );
    let found = finished(&["timings", "fist"]);
    assert!(text(&found.stdout).contains("FIST"), "{}", text(&found.stderr));
    let found = finished(&["timings", "pmul", "--cpu", "p55c"]);
    assert!(text(&found.stdout).contains("PMUL"), "a prefix is enough");
    let found = finished(&["events", "tlb"]);
    assert!(text(&found.stdout).contains("StartProfile EV_DATA_TLB_MISS"));
    assert_eq!(text(&found.stdout).matches("TLB misses").count(), 2);
    for (wanted, help) in [
        ("agj", "did you mean `agi`?"),
        ("zzzzz", "`p5inst explain` lists all"),
        ("who locks the bus", "`p5inst explain` lists all; nearest: `"),
    ] {
        let none = finished(&["explain", wanted]);
        assert_eq!(none.status.code(), Some(2));
        assert!(text(&none.stderr).contains(help), "{}", text(&none.stderr));
    }
    let json = finished(&["explain", "--format", "json", "1Fh"]);
    let topics: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(topics[0]["name"], "AGI_STALLS");
    for called in ["mispred", "branch misses", "mispredicted_branches"] {
        let found = finished(&["events", called]);
        let listed = text(&found.stdout);
        assert!(listed.contains("15h  PIPELINE_FLUSHES"), "{called}: {listed}");
    }
    for (wanted, help) in [
        (
            "cache miss",
            "fits several events: DATA_READ_MISS, DATA_WRITE_MISS, CODE_CACHE_MISS",
        ),
        ("snoops", "fits several events: EXTERNAL_SNOOPS, EXTERNAL_SNOOP_HITS"),
        ("20h", "EVENT_20H is not raised: the manual calls the selector reserved"),
    ] {
        let none = finished(&["events", "--demo", wanted]);
        assert_eq!(none.status.code(), Some(2));
        assert!(text(&none.stderr).contains(help), "{}", text(&none.stderr));
    }
    let both = finished(&["events", "--demo", "2Bh", "--cpu", "p55c"]);
    assert_eq!(both.status.code(), Some(2));
    assert!(
        text(&both.stderr).contains("write `2Bh:0` for MMX_INSTRUCTIONS_EXECUTED_U_PIPE or `2Bh:1` for "),
        "{}",
        text(&both.stderr)
    );
    for (wanted, name) in [("2Bh:1", "V_PIPE"), ("2b on 0", "U_PIPE"), ("0x2B:0", "U_PIPE")] {
        let shown = finished(&["events", wanted, "--cpu", "p55c"]);
        assert!(text(&shown.stdout).contains(name), "{wanted}: {}", text(&shown.stderr));
        assert_eq!(text(&shown.stdout).matches("2Bh on ").count(), 1, "{wanted}");
    }
    let interrupts = finished(&["events", "--demo", "27h"]);
    assert!(
        text(&interrupts.stdout).contains("run with --monitor perfmon"),
        "{}",
        text(&interrupts.stderr)
    );
    let near = finished(&["advize"]);
    assert!(text(&near.stderr).contains("did you mean the command `p5inst advise`?"));
    let none = finished(&["watch", "--ev", "0", "--every", "0", "a.asm"]);
    assert!(text(&none.stderr).contains("an interval has at least one clock"));
    for (wanted, name) in [
        ("0", "DATA_READ"),
        ("1", "DATA_WRITE"),
        ("A", ""),
        ("0x0d", "CODE_TLB_MISS"),
    ] {
        let shown = finished(&["events", "--demo", wanted]);
        assert!(shown.status.success(), "{wanted}: {}", text(&shown.stderr));
        assert!(text(&shown.stdout).contains(name), "{wanted}: {}", text(&shown.stdout));
    }
    for (wanted, help) in [
        ("chache", "did you mean `CACHE`?"),
        ("zzzzz", "`p5inst events` lists all"),
        ("3Fh", "`p5inst events` lists all"),
    ] {
        let none = finished(&["events", wanted]);
        assert_eq!(none.status.code(), Some(2));
        assert!(text(&none.stderr).contains(help), "{}", text(&none.stderr));
    }
}

#[test]
fn a_report_is_as_wide_as_asked() {
    let widest = |columns: &str| {
        let output = p5inst(&["timings"]).env("COLUMNS", columns).output();
        let output = output.expect("the command starts");
        let lines = text(&output.stdout).lines().map(|line| line.trim_end().chars().count());
        lines.max().unwrap_or(0)
    };
    let [usual, wide] = ["80", "120"].map(widest);
    assert!(usual <= 80 && (81..=120).contains(&wide), "{usual}, {wide}");
    assert_eq!(widest("wide"), usual);
}

#[test]
fn another_bus_master_is_set_by_its_name() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("m.asm");
    std::fs::write(&path, "count = 7\nmov eax,cell\nret\n.data\ncell dd 5\n").expect("a file is written");
    let path = path.to_str().expect("a printable path");
    for (monitor, code, said) in [
        ("snooper", 0, "with snooper attached"),
        (
            "rdtscp,dual=50:100:7@CELL:64",
            0,
            "with rdtscp, dual=50:100:7@CELL:64 attached",
        ),
        (
            "snooper=50@nobody",
            2,
            "at `nobody`, but the program has nothing of that name; name a label",
        ),
        ("snooper=50@cel", 2, "nothing of that name; did you mean `cell`?"),
        ("dual=50@count", 2, "at `count`, which is a number of the program"),
        (
            "snooper=50@0x10000000:64",
            2,
            "at `0x10000000`, 10000000h to 1000003Fh, which is not all in the memory of the program",
        ),
        ("snooper=50@cell:1000000", 2, "is not all in the memory of the program"),
        ("snooper,dual", 2, "snooper and dual are two masters"),
        ("snooper=0", 2, "write CLOCKS:WRITES:SEED@PLACE:BYTES"),
        ("perfmon=5", 2, "perfmon has no settings"),
    ] {
        let output = finished(&[path, "--monitor", monitor]);
        let told = format!("{}{}", text(&output.stdout), text(&output.stderr));
        let words = told.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(output.status.code(), Some(code), "{monitor}: {told}");
        assert!(words.contains(said), "{monitor}: {told}");
    }
    // For the other monitors, the message does not mention settling, and an invalid place is rejected before the run.
    for (command, code, said) in [
        (
            &["stat", path, "--monitor", "snooper=3"][..],
            0,
            "each execution meets other accesses of the other bus master",
        ),
        (
            &[path, "--monitor", "snooper=3"],
            0,
            "each run meets other accesses of the other bus master",
        ),
        (&["stat", path, "--monitor", "snooper=3@cel"], 2, "did you mean `cell`?"),
        (
            &["msr", "dump", path, "--monitor", "dual=3@cel"],
            2,
            "did you mean `cell`?",
        ),
        (&["sweep", path, "--monitor", "dual=3@cel"], 2, "did you mean `cell`?"),
        (
            &[path, "--cpu", "i486", "--monitor", "dual"],
            2,
            "i486 has one cache for code and data, and what that answers another bus master is not simulated",
        ),
        (
            &[path, "--cpu", "i486", "--monitor", "rdtscp"],
            2,
            "i486 has no model specific registers, which rdtscp needs",
        ),
    ] {
        let output = finished(command);
        let told = format!("{}{}", text(&output.stdout), text(&output.stderr));
        let words = told.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(output.status.code(), Some(code), "{command:?}: {told}");
        assert!(
            words.contains(said) && !words.contains("settled"),
            "{command:?}: {told}"
        );
    }
}

#[test]
fn a_limit_says_what_the_macros_took_of_it() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("m.asm");
    std::fs::write(&path, "StartTSC\nnop\nEndTSC\n").expect("a file is written");
    let output = finished(&["--limit", "100", path.to_str().expect("a printable path")]);
    let report = text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        report.contains("the limit counts the ") && report.contains("clocks of the macros, too"),
        "{report}"
    );
}

#[test]
fn what_cannot_be_defined_comes_first_and_names_the_option() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("d.asm");
    std::fs::write(&path, ".err <unrelated>\n").expect("a file is written");
    let output = finished(&["-D", "eax=4", path.to_str().expect("a printable path")]);
    let error = text(&output.stderr);
    assert!(
        error.starts_with("error: cannot define `eax` as `4` with -D: it is a reserved word\n"),
        "{error}"
    );
}

#[test]
fn long_messages_are_folded() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("e.asm");
    std::fs::write(&path, "mov ax,[ecx+s]\nStartProfile EV_FOO,1\ns dd 0\n").expect("a file is written");
    let output = finished(&[path.to_str().expect("a printable path")]);
    let error = text(&output.stderr);
    assert!(error.contains("but `mov` with `ax`\n       takes a word\n"), "{error}");
    assert_narrow(&error.replace(path.to_str().expect("a printable path"), "e.asm"));
}

#[test]
fn json_has_traces_with_all() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("seven.asm");
    std::fs::write(&path, SEVEN_LINES).expect("a file is written");
    let program = path.to_str().expect("a printable path");
    let json = |more: &[&str]| {
        let output = finished(&[&[program, "--format", "json"], more].concat());
        serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("JSON")
    };
    let (short, all) = (json(&[]), json(&["--all"]));
    assert!(short.get("trace").is_none() && short["regions"][0].get("trace").is_none());
    let issued = all["regions"][0]["trace"].as_array().expect("a trace");
    assert_eq!(issued.len(), 64 * 7);
    assert!(all["trace"].as_array().expect("a trace").is_empty(), "it has a region");
}

#[test]
fn colour_is_written_only_when_it_is_asked_for() {
    let colored = |arguments: &[&str]| text(&finished(arguments).stdout).contains('\x1b');
    assert!(!colored(&["events"]), "a pipe is no terminal");
    assert!(colored(&["events", "--color", "always"]));
    assert!(!colored(&["events", "--color", "never"]));
    assert!(!colored(&["events", "--color", "always", "--format", "json"]));
    let asked = p5inst(&["events"])
        .env("CLICOLOR_FORCE", "1")
        .output()
        .expect("the command starts");
    assert!(
        text(&asked.stdout).contains('\x1b'),
        "auto follows the environment's conventions"
    );
    let refused = p5inst(&["events"])
        .env("CLICOLOR_FORCE", "1")
        .env("NO_COLOR", "1")
        .output();
    assert!(!text(&refused.expect("the command starts").stdout).contains('\x1b'));
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    let mut child = p5inst(&["schema"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let mut error = String::new();
    let mut stderr = child.stderr.take().expect("a pipe");
    stderr.read_to_string(&mut error).expect("UTF-8");
    assert!(child.wait().expect("it ends").success(), "{error}");
    assert!(error.is_empty(), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .expect("Linux has it");
    for (arguments, said) in [
        (&["schema"][..], "cannot write the report"),
        (&["--help"], "cannot write"),
        (&["query", "--help"], "cannot write"),
        (&["--version"], "cannot write"),
    ] {
        let full = full.try_clone().expect("a copy");
        let output = p5inst(arguments).stdout(full).output().expect("the command starts");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(said), "{arguments:?}");
    }
}

#[test]
fn standard_input_beyond_the_limit_is_refused_without_being_kept() {
    let mut child = p5inst(&["-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let chunk = vec![b'\n'; 1 << 20];
    // The command stops reading at the limit, so the last writes may fail.
    (0..80).take_while(|_| stdin.write_all(&chunk).is_ok()).count();
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("larger than 64 MiB"),
        "{}",
        text(&output.stderr)
    );
}
