//! Code that a program overwrites while it runs: a report shows its source text, and says so.

use crate::started;
use serde_json::Value;
use started::printed;

/// Changes the constant of line 6 before it is executed, and that of line 10 after each round. Line 13 gets the byte
/// that it has.
const PROGRAM: &str = "        .586\n        .model flat\n        .code\n\
start:  mov byte ptr [before+1],5\n        mov byte ptr [same],90h\n\
before: mov eax,1\n\
        mov ecx,3\n\
again:  add byte ptr [each+2],1\n        nop\n\
each:   add edx,1\n        dec ecx\n        jnz again\n\
same:   nop\n        ret\n        end start\n";
const CHANGED: &str = "code changed by the program";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("changes.asm"), PROGRAM).expect("a file is written");
    folder
}

/// A report without a limit of its width.
fn wide(path: &std::path::Path, arguments: &str) -> String {
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    let output = started::p5inst(path, &arguments).env("COLUMNS", "400").output();
    started::text(&output.expect("the command starts").stdout).to_owned()
}

/// The numbers of the lines of a JSON report that are marked.
fn marked(report: &Value, list: &str) -> Vec<u64> {
    let all = report[list].as_array().expect("a list").iter();
    let changed = all.filter(|one| one["changed"] == true);
    let mut lines: Vec<u64> = changed.filter_map(|one| one["line"].as_u64()).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn a_row_says_that_the_program_changed_its_code() {
    let folder = folder();
    let path = folder.path();
    // The diagram and the listing have a row for each of the two instructions.
    for more in ["", "--long"] {
        let wide = wide(path, &format!("changes.asm {more}"));
        let marked: Vec<&str> = wide.lines().filter(|line| line.contains(CHANGED)).collect();
        let shown = |words: &str| marked.iter().any(|row| row.contains(words));
        let instead = ["mov eax,5", "(source: mov eax,1)", "add edx,4", "(source: add edx,1)"];
        assert!(instead.iter().all(|words| shown(words)), "{more}: {wide}");
    }
    let wide = wide(path, "changes.asm --long");
    let rows: Vec<&str> = wide
        .lines()
        .filter(|line| line.contains(&format!("{CHANGED} ")) && !line.contains("(source: "))
        .collect();
    let of = |words: &str| rows.iter().filter(|row| row.contains(words)).count();
    assert!(of("before: mov eax,1") == 1 && of("add edx,1") == 1, "{wide}");
    assert!(of("nop") == 0 && of("ret") == 0, "{wide}");
    let traced: Value = serde_json::from_str(&printed(path, "changes.asm --format json --all")).expect("JSON");
    let issued = traced["trace"].as_array().expect("a trace").iter();
    let other: Vec<&str> = issued.filter_map(|one| one["text"].as_str()).collect();
    assert_eq!(other, ["add edx,2", "add edx,3", "add edx,4"]);
    let json: Value = serde_json::from_str(&printed(path, "changes.asm --format json")).expect("JSON");
    assert_eq!(marked(&json, "lines"), [6, 10]);
    assert_eq!(marked(&json, "instructions"), [6, 10]);
    let page = printed(path, "changes.asm --format html");
    assert!(
        page.matches(CHANGED).count() >= 4,
        "the listing and the clocks have two rows each"
    );
}

#[test]
fn code_that_keeps_its_bytes_or_has_no_text_is_not_changed() {
    let folder = folder();
    let path = folder.path();
    let program = PROGRAM
        .replace("[before+1],5", "[before+1],1")
        .replace("[each+2],1", "[each+2],0");
    std::fs::write(path.join("keeps.asm"), program).expect("a file is written");
    // It writes a RET into memory without initial bytes, and calls it.
    let made = ".586\n.model flat\n.code\nstart:\nmov edi,offset room\nmov byte ptr [edi],0C3h\ncall edi\nret\n.data?\n\
                room db 16 dup(?)\nend start\n";
    std::fs::write(path.join("makes.asm"), made).expect("a file is written");
    for file in ["keeps.asm", "makes.asm"] {
        let json: Value = serde_json::from_str(&printed(path, &format!("{file} --format json"))).expect("JSON");
        assert_eq!(marked(&json, "lines"), [0; 0], "{file}");
        assert!(!printed(path, file).contains(CHANGED), "{file}");
    }
}

/// The rows of a diagram with an instruction of the source, or what was executed in its place.
fn rows_with<'a>(report: &'a str, words: &str) -> Vec<&'a str> {
    let rows = report.lines().filter(|line| line.contains(words));
    rows.filter(|line| line.trim_start().starts_with(|first: char| first.is_ascii_digit()))
        .collect()
}

#[test]
fn a_diagram_shows_what_was_executed_where_the_source_has_something_else() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let around = |body: &str| format!(".586\n.model flat\n.code\n{body}end start\n");
    let programs = [
        // OP is executed as it stands, and then as a RET.
        (
            "over.asm",
            "start: call op\nmov byte ptr [op],0C3h\ncall op\nret\nop: inc ebx\nret\n",
        ),
        // It jumps to the NOP and the RET in the constant.
        ("inside.asm", "start: mov eax,0C390h\njmp start+1\n"),
    ];
    for (file, body) in programs {
        std::fs::write(path.join(file), around(body)).expect("a file is written");
    }
    let report = wide(path, "over.asm");
    let [first] = rows_with(&report, "  inc ebx  ")[..] else {
        panic!("INC is executed once: {report}");
    };
    assert!(!first.contains(CHANGED), "{report}");
    let [second] = rows_with(&report, "(source: inc ebx)")[..] else {
        panic!("RET is executed in its place once: {report}");
    };
    assert!(
        second.contains(" ret ") && second.contains("right after a misprediction"),
        "{report}"
    );
    assert!(!report.contains("inc takes"), "{report}");
    let report = wide(path, "inside.asm");
    let inside: Vec<&str> = rows_with(&report, "inside mov eax,0C390h");
    assert_eq!(inside.len(), 2, "{report}");
    assert!(inside[0].contains(" nop ") && inside[1].contains(" ret "), "{report}");
    assert!(!report.contains("mov takes"), "{report}");
    for (file, executed, of_source) in [
        ("over.asm", "ret", ("inc ebx", 1)),
        ("inside.asm", "nop", ("mov eax,0C390h", 1)),
    ] {
        let timeline = wide(path, &format!("{file} --timeline"));
        assert!(timeline.contains(executed), "{timeline}");
        assert_eq!(timeline.matches(of_source.0).count(), of_source.1, "{timeline}");
    }
}

#[test]
fn a_run_says_that_clocks_of_changed_code_are_not_checked() {
    let folder = folder();
    let path = folder.path();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let note = "clocks of code that the program changes are not held against silicon";
    let told = words(&printed(path, "changes.asm"));
    assert!(
        told.contains(note) && told.contains("published: about 19 a change, 31 with MMX"),
        "{told}"
    );
    let unchanged = PROGRAM
        .replace("mov byte ptr", "cmp byte ptr")
        .replace("add byte ptr", "cmp byte ptr");
    std::fs::write(path.join("unchanged.asm"), unchanged).expect("a file is written");
    assert!(!words(&printed(path, "unchanged.asm")).contains(note));
    for name in [
        "\"changed code\"",
        "self-modifying code",
        "code changed by the program (source: inc ebx)",
    ] {
        let name = name.trim_matches('"');
        let output = started::p5inst(path, &["explain", name])
            .output()
            .expect("the command starts");
        let told = words(started::text(&output.stdout));
        assert!(
            told.contains("more clocks are published than the model gives") && told.contains("27.9"),
            "{name}: {told}"
        );
    }
}

#[test]
fn an_end_says_that_a_program_ran_on_into_its_data() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let program = |last: &str| {
        format!(
            ".model tiny\n.code\norg 100h\nstart: mov dx,offset m\nmov ah,9\nint 21h\n{last}m db \"hi$\"\nend start\n"
        )
    };
    std::fs::write(path.join("on.asm"), program("")).expect("a file is written");
    std::fs::write(
        path.join("over.asm"),
        program("jmp done\n").replace("end start", "done label near\nend start"),
    )
    .expect("a file is written");
    let report = printed(path, "on.asm");
    assert!(
        report.contains("ran on into data (on.asm:7) and off the end of the program"),
        "{report}"
    );
    let report = printed(path, "over.asm");
    assert!(report.contains("ended after its last instruction"), "{report}");
}

#[test]
fn a_limit_that_is_no_number_gets_an_example() {
    let limit = started::p5inst(std::path::Path::new("."), &["none.asm", "--limit", "1e6"]).output();
    let limit = started::text(&limit.expect("the command starts").stderr).to_owned();
    assert!(limit.contains("write digits, for example 1000000"), "{limit}");
}

#[test]
fn a_count_cut_by_the_limit_is_explained_by_what_executions_keep() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    std::fs::write(
        path.join("spin.asm"),
        ".586\n.model flat\n.code\nx: nop\njmp x\nend x\n",
    )
    .expect("a file is written");
    let output = started::p5inst(path, &["stat", "--limit", "1000", "spin.asm"]).output();
    let output = output.expect("the command starts");
    let report = started::text(&output.stdout)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(
        report.contains("as kept predictions and caches make executions take other clocks"),
        "{report}"
    );
}

#[test]
fn a_fault_in_code_that_was_overwritten_names_the_line_that_wrote_it() {
    let folder = folder();
    let program = "        .586\n        .model flat\n        .data\nt       dd 8 dup (0)\n        .code\n\
                   go:     mov edi,offset t\n        mov ecx,3000\nl:      mov dword ptr [edi],0\n        \
                   sub edi,4\n        dec ecx\n        jnz l\n        ret\n        end go\n";
    std::fs::write(folder.path().join("over.asm"), program).expect("a file is written");
    let told = "`mov dword ptr [edi],0` (over.asm:8) had overwritten this code";
    let report = wide(folder.path(), "over.asm");
    assert!(report.contains(told), "{report}");
    let output = started::finished(folder.path(), "over.asm --format json");
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["stop"]["overwritten"], told);
}

#[test]
fn only_the_first_execution_after_a_change_is_doubted() {
    // Each of ten rounds changes the constant of line 6, which a hundred rounds then add.
    let source = ".586\n.model flat\n.code\nstart: mov edx,10\nouter: mov dword ptr [each+2],edx\nmov ecx,100\n\
                  again: nop\neach: add ebx,12345678h\ndec ecx\njnz again\ndec edx\njnz outer\nret\nend start\n";
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("smc.asm"), source).expect("a file is written");
    let report: Value = serde_json::from_str(&printed(folder.path(), "smc.asm --format json")).expect("JSON");
    let lines = report["lines"].as_array().expect("a list").iter();
    let line = lines.clone().find(|line| line["line"] == 8).expect("line 8");
    assert_eq!(
        (line["changed"].as_bool(), line["executions"].as_u64()),
        (Some(true), Some(1000))
    );
    let text = wide(folder.path(), "smc.asm --long");
    let row = text
        .lines()
        .find(|line| line.contains(CHANGED) && line.contains(" each"))
        .expect("a row");
    assert!(row.contains(&format!("{CHANGED} 10 times, ")), "{text}");
    // The program and the line have the same clocks.
    let head = text
        .lines()
        .find(|line| line.contains("rest on doubted changed code"))
        .expect("a headline");
    let clocks: f64 = head
        .split_whitespace()
        .next()
        .and_then(|word| word.parse().ok())
        .expect("clocks");
    let each = row
        .split(" times, ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next())
        .expect("clocks each");
    assert_eq!(each, format!("{:.1}", clocks / 10.0), "{text}");
    assert!(clocks < 1000.0, "{head}");
}

#[test]
fn a_store_into_a_line_of_code_is_told_with_its_line() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let told = |name: &str, source: &str| {
        std::fs::write(folder.path().join(name), source).expect("a file is written");
        wide(folder.path(), name)
    };
    let same = "mov eax,offset here\nmov ebx,1\nhere: mov ecx,1\nmov edx,2\nmov esi,[eax]\nmov [eax],esi\n";
    let report = told("same.asm", same);
    assert!(
        report.contains("line 6 writes to the code of line 3, which stays the same: "),
        "{report}"
    );
    assert!(!report.contains("`align"), "{report}");
    let beside = ".586\n.model flat\n.code\nstart: mov eax,1\nmov n,eax\nmov ebx,2\nret\nn dd 0\nend start\n";
    let report = told("beside.asm", beside);
    let note = "line 5 writes `n`, which lies in a line of 32 bytes with code that is executed: ";
    assert!(
        report.contains(note) && report.contains("`align 32` before the data"),
        "{report}"
    );
}

#[test]
fn the_clocks_of_changed_code_are_doubted() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let program = ".586\n.model flat\n.code\nstart:\nStartTSC changed\nmov byte ptr t+1,5\njmp k\nk:\nt: mov al,0\n\
                   add ecx,eax\nEndTSC\nStartTSC none\nmov al,0\nEndTSC\nret\nend start\n";
    std::fs::write(path.join("region.asm"), program).expect("a file is written");
    let report: Value = serde_json::from_str(&printed(path, "region.asm --format json")).expect("JSON");
    let line = report["lines"]
        .as_array()
        .expect("lines")
        .iter()
        .find(|one| one["line"] == 9);
    let line = line.expect("it is executed");
    // It waits for its line, which is no longer in the code cache.
    assert!(line["cycles"].as_u64() > Some(1), "{line}");
    for bar in [&line["bar"], &report["regions"][0]["bar"]] {
        assert_eq!(bar["doubted_clocks"], line["cycles"], "{bar}");
        assert_eq!(bar["doubted"][0]["form"], "changed code");
    }
    assert_eq!(report["regions"][1]["bar"]["doubted_clocks"], 0);
    let told = wide(path, "region.asm");
    assert!(told.contains("clocks rest on doubted changed code\n"), "{told}");
}

/// The doubted clocks of the first region and of the program.
fn doubted(path: &std::path::Path, arguments: &str) -> [u64; 2] {
    let report: Value = serde_json::from_str(&printed(path, arguments)).expect("JSON");
    let bars = [&report["regions"][0]["bar"], &report["sureness"]["bar"]];
    bars.map(|bar| bar["doubted_clocks"].as_u64().expect("clocks"))
}

/// The changed instruction is in V, where it has no clocks of its own.
#[test]
fn a_changed_instruction_in_v_makes_its_pairs_doubted_in_the_region_and_in_the_program() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let source = ".586\n.model flat\n.code\nstart: mov dword ptr patch+2,12345h\nmov ecx,200\nStartTSC col\n\
                  next: mov ebx,edi\nshr ebx,16\nand ebx,0FFh\npatch: add edx,88888888h\nmov eax,ebx\nadd edi,320\n\
                  dec ecx\njnz next\nEndTSC\nret\nend start\n";
    std::fs::write(folder.path().join("pairs.asm"), source).expect("a file is written");
    // What is changed before its line is in the code cache is doubted whenever it is executed.
    for (runs, all) in [("--runs 1", true), ("", false)] {
        let [region, program] = doubted(folder.path(), &format!("--format json pairs.asm {runs}"));
        assert!(
            region > 0 && (region >= 200) == all && program.abs_diff(region) <= 2,
            "{runs}: {region} and {program}"
        );
    }
}

#[test]
fn the_changed_code_of_a_region_has_as_many_doubted_clocks_there_as_in_the_program() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    // A pair that takes three clocks, after a stall of the address, with changed code in both pipes.
    let source = ".586\n.model flat\n.data\nbytes db 600 dup (1)\n.code\nstart: mov byte ptr high_+1,5\n\
                  mov dword ptr step+2,1\nmov ecx,200\nmov esi,offset bytes\nStartTSC mix\n\
                  next: mov bl,[esi]\nhigh_: mov bh,0\nmov al,bytes[ebx-500h]\nstep: adc edx,12345678h\n\
                  add [esi],al\ninc esi\ndec ecx\njnz next\nEndTSC\nret\nend start\n";
    std::fs::write(folder.path().join("mix.asm"), source).expect("a file is written");
    for (runs, all) in [("--runs 1", true), ("", false)] {
        let [region, program] = doubted(folder.path(), &format!("--format json mix.asm {runs}"));
        assert!(
            region > 0 && (region >= 200) == all && region <= program && program - region <= 2,
            "{runs}: {region} and {program}"
        );
    }
}

#[test]
fn misses_of_code_that_the_macros_wait_for_are_told_with_their_number() {
    let source = ".586\n.model flat\n.code\nstart: mov ebp,5\nagain:\nStartTSC\nmov ecx,8\nmov edi,offset patch\n\
                  l: mov byte ptr [edi+1],cl\npatch: mov al,0\nadd edx,eax\ndec ecx\njnz l\nEndTSC\ndec ebp\njnz again\n\
                  ret\nend start\n";
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("writes.asm"), source).expect("a file is written");
    let report: Value = serde_json::from_str(&printed(folder.path(), "--format json writes.asm")).expect("JSON");
    let misses = |part: &str| {
        let events = report[part]["events"].as_array().expect("events");
        let event = events.iter().find(|event| event["name"] == "CODE_CACHE_MISS");
        event.and_then(|event| event["occurrences"].as_u64()).expect("a count")
    };
    // Eight writes in each of five passes remove the line; each pass has seven misses, and the macros have the eighth.
    assert_eq!((misses("whole"), misses("own"), misses("probes")), (40, 35, 5));
    let text = wide(folder.path(), "writes.asm");
    let note = "5 misses of code (40 clocks) in the last run: of the measuring macros, and counted for no region";
    assert!(text.contains(note), "{text}");
}
