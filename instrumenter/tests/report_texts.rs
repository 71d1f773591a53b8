//! Reports of small programs: rows of instructions, partners in macros, rounds, paths and causes.

use crate::started;
use started::{printed, text};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn p5inst(arguments: &[&str]) -> Command {
    started::p5inst(Path::new("."), arguments)
}

fn finished(arguments: &[&str]) -> Output {
    p5inst(arguments).output().expect("the command starts")
}

#[test]
fn each_form_of_imul_has_a_row_that_names_it() {
    let output = finished(&["timings", "imul"]);
    let rows: Vec<&str> = text(&output.stdout)
        .lines()
        .filter(|line| line.contains("IMUL "))
        .collect();
    let forms = [
        "IMUL r32,r/m,i ",
        "IMUL r32,r/m ",
        "IMUL r/m32 ",
        "IMUL r16,r/m[,i] ",
        "MUL IMUL r/m8 r/m16 ",
    ];
    assert_eq!(rows.len(), forms.len(), "{rows:?}");
    for (row, form) in rows.iter().zip(forms) {
        assert!(row.trim_start().starts_with(form), "{row}");
    }
}

#[test]
fn a_partner_in_a_macro_is_named_with_the_line_of_its_call() {
    let source = "twice macro\nadd eax,edx\nadd ebx,edx\nendm\nmov edx,1\nnop\ntwice\ntwice\nmov ecx,1\nmov esi,1\n";
    let mut child = p5inst(&["-", "--long"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(source.as_bytes()).expect("written");
    drop(input);
    let output = child.wait_with_output().expect("an end");
    let report = text(&output.stdout);
    // The columns are line, times, pipe, clocks and partner.
    let row = |words: &str| {
        report
            .lines()
            .any(|line| line.split_whitespace().collect::<Vec<_>>().join(" ").starts_with(words))
    };
    for words in [
        "5 1 U 1 6",
        "6 1 V 0 5",
        "2 1 U 1 7/3",
        "3 1 V 0 7/2",
        "2 1 U 1 8/3",
        "3 1 V 0 8/2",
        "9 1 U 1 10",
    ] {
        assert!(row(words), "no row `{words}` in\n{report}");
    }
}

#[test]
fn rounds_behind_one_that_began_in_v_say_so_even_with_a_loop_in_it() {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../snapshots/asm/loop_in_a_loop.asm");
    let output = finished(&[program]);
    let report = text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "outer: 2 rounds, 87 clocks in all: 38 in 1 of them, 49 in the other",
        ". The first round began in V and is drawn above.",
    ] {
        assert!(report.contains(words), "{words}: {report}");
    }
}

fn of_program(program: &str, more: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("a.asm"), program).expect("a file is written");
    let output = started::p5inst(folder.path(), &[&["a.asm"], more].concat()).output();
    let output = output.expect("the command starts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_write_that_crosses_a_boundary_waits_for_its_second_half_by_the_address_of_that() {
    // Neither half is cached: the first one uses the buffer.
    let program = ".586\n.data\nalign 32\nfill db 3 dup(0)\nodd dd 0\n.code\nStartTSC crosses\nmov odd,eax\n\
                   EndTSC\nret\n";
    let told = of_program(program, &[]);
    assert!(told.contains("write buffer full, odd+1 is not cached"), "{told}");
}

#[test]
fn a_timeline_has_each_path_of_a_loop() {
    let program = ".586\n.code\nmov ecx,40\nStartTSC two\nnext: test ecx,1\njnz odd\nimul eax,ecx\nodd: dec ecx\n\
                   jnz next\nEndTSC\nret\n";
    let told = of_program(program, &["--timeline"]);
    assert!(told.contains("on 2 paths"), "{told}");
    assert_eq!(told.matches("U test ecx,1").count(), 2, "{told}");
    assert_eq!(told.matches("imul eax,ecx").count(), 1, "{told}");
}

#[test]
fn a_line_without_a_branch_says_why_it_is_mispredicted() {
    let program = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../snapshots/tutorials/15_counters/counters.asm"
    );
    for (option, said) in [
        ("--long", "(the predictor"),
        ("--what-if", "mispredicted without a branch: line 7;"),
    ] {
        let output = finished(&[program, option]);
        assert!(text(&output.stdout).contains(said), "{}", text(&output.stdout));
    }
}

#[test]
fn code_without_lines_that_is_executed_once_is_not_listed_to_its_end() {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../snapshots/asm/code_made_once.asm");
    let output = finished(&[program, "--long"]);
    let told = text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    let words = "Of code executed once without a source line, 16 instructions are listed; `--all` lists 496 more.";
    assert!(told.contains(words), "{told}");
}

#[test]
fn a_demonstration_is_a_program() {
    let shown = finished(&["events", "--demo", "0Ah"]);
    let told = of_program(text(&shown.stdout), &["--memory", "l2"]);
    assert!(told.contains("clocks"), "{told}");
}

#[test]
fn every_format_says_why_a_run_was_stopped() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("a.asm"), "nop\ndb 0Fh,0Bh\n").expect("a file is written");
    let names = "text json timeline html callgrind kanata perfetto collapsed firefox csv junit sarif";
    for name in names.split(' ') {
        let output = started::p5inst(folder.path(), &["a.asm", "--format", name]).output();
        let output = output.expect("the command starts");
        assert_eq!(output.status.code(), Some(1), "{name}");
        let told = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert!(
            told.contains("invalid opcode") || told.contains("#UD"),
            "{name}: {told}"
        );
    }
}

#[test]
fn what_if_is_a_report_of_its_own() {
    let source = "main: mov ecx,9\nl: mov eax,ecx\nmov edx,[esp+eax]\ndec ecx\njnz l\nret\nend main\n";
    let with = |arguments: &[&str]| {
        let mut child = p5inst(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut input = child.stdin.take().expect("piped");
        input.write_all(source.as_bytes()).expect("it reads its input");
        drop(input);
        child.wait_with_output().expect("it ends")
    };
    let report = with(&["-", "--what-if"]);
    assert_eq!(report.status.code(), Some(0), "{}", text(&report.stderr));
    for words in ["What if", "Clocks saved by line", "no-agi", "add up"] {
        assert!(text(&report.stdout).contains(words), "{}", text(&report.stdout));
    }
    let json = with(&["-", "--what-if", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(json["schema_version"], 1);
    let saved = |index: usize| json["variants"][index]["saved"].as_i64();
    assert!(
        saved(0).is_some_and(|clocks| clocks > 0) && saved(6).is_some_and(|clocks| clocks < 0),
        "{json}"
    );
    let endless = concat!(env!("CARGO_MANIFEST_DIR"), "/../snapshots/asm/endless.asm");
    let endless = finished(&[endless, "--what-if", "--timeout", "0.2"]);
    assert_eq!(endless.status.code(), Some(1));
    let endless = text(&endless.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(endless.contains("Without figures: "), "{endless}");
    assert_eq!(endless.matches("not run: no time was left").count(), 1, "{endless}");
    let refused = with(&["-", "--what-if", "--format", "csv"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("--what-if is reported as text or json, not as csv"));
    let schema = finished(&["schema", "what-if"]);
    let schema: serde_json::Value = serde_json::from_slice(&schema.stdout).expect("JSON");
    let described = schema["properties"].as_object().expect("an object");
    for field in json.as_object().expect("an object").keys() {
        assert!(described.contains_key(field), "{field}");
    }
}

#[test]
fn watch_says_that_its_run_is_the_cold_one() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let program = "mov ecx,60\nagain: mov eax,cell\ndec ecx\njnz again\nret\n.data\ncell dd 0\n";
    std::fs::write(path.join("loop.asm"), program).expect("a file is written");
    let json = |line: &str| -> serde_json::Value {
        serde_json::from_str(&printed(path, &format!("{line} --format json"))).expect("JSON")
    };
    let runs = json("loop.asm")["runs"].clone();
    let clocks = |run: usize| runs[run]["whole"]["cycles"].as_u64().expect("clocks");
    let watched = json("stat --event 16 loop.asm --every 100_000");
    assert_eq!(
        (&watched["cold"], &watched["total"]["clocks"]),
        (&true.into(), &clocks(0).into())
    );
    assert_ne!(clocks(0), clocks(1));
    let told = printed(path, "stat --event 16 loop.asm --every 100_000");
    let words = "one run, cold: caches and predictions are empty at its beginning";
    assert_eq!(told.lines().nth(1), Some(words), "{told}");
}

/// What a command prints of a source.
fn told(source: &str, options: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("a.asm"), source).expect("a file is written");
    printed(folder.path(), &format!("a.asm {options}"))
}

#[test]
fn flags_are_told_where_they_change() {
    for (lines, words) in [
        ("mov eax,1\nsub eax,1", "flags PF ZF"),
        ("xor eax,eax\nsub eax,1", "flags CF PF AF SF"),
        ("mov eax,7FFFFFFFh\nadd eax,1\nstd", "flags PF AF SF DF OF"),
    ] {
        let report = told(lines, "");
        assert!(report.contains(words), "{report}");
        let report: serde_json::Value = serde_json::from_str(&told(lines, "--format json")).expect("JSON");
        for name in ["CF", "PF", "AF", "ZF", "SF", "DF", "OF"] {
            let set = words.contains(name);
            assert_eq!(
                report["flags"][name],
                serde_json::json!([0, u32::from(set)]),
                "{lines}: {name}"
            );
        }
    }
    let report = told("mov eax,1\nmov ebx,2", "");
    assert!(report.contains("eax 00000001h  ebx 00000002h\n"), "{report}");
}

#[test]
fn a_misprediction_that_nothing_waits_for_is_said() {
    let loop_of_ten = "mov ecx,10\nagain: add eax,ebx\nadd edx,ebx\ndec ecx\njnz again\n";
    let report = told(loop_of_ten, "");
    let words: Vec<&str> = report.split_whitespace().collect();
    let end =
        "after its last instruction, a mispredicted branch; code after it would start 4 clocks later (not counted)";
    assert!(words.join(" ").contains(end), "{report}");
    let report = told(&format!("{loop_of_ten}nop\n"), "");
    assert!(report.contains("ended after its last instruction\n"), "{report}");
}

#[test]
fn clocks_of_a_pass_have_the_causes_that_the_run_has() {
    let source = ".586\n.model flat\n.data\nbuffer dd 16 dup(0)\n.code\nstart: mov esi,offset buffer\nmov ebx,1\n\
                  StartTSC q\ninc dword ptr [esi]\nadd dword ptr [esi+8],ebx\nEndTSC\nnop\nend start\n";
    let page = told(source, "--format html");
    let plain = |text: &str| -> String {
        let mut inside = false;
        let kept = text.chars().map(|character| {
            inside = (inside || character == '<') && character != '>';
            if inside || character == '>' { ' ' } else { character }
        });
        kept.collect::<String>()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let page = plain(&page);
    for part in ["execution 2 40.0%", "lockstep 2 40.0%"] {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(page.matches(" lockstep 2 ").count(), 2, "the pass and the run");
}

/// What the command prints for a source, on both streams, with single blanks.
fn all_told(source: &str, arguments: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("told.asm"), source).expect("a file is written");
    let output = started::finished(folder.path(), arguments);
    let all = [output.stdout, output.stderr].concat();
    let all = String::from_utf8(all).expect("UTF-8");
    all.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_key_that_a_program_was_given_is_told_beside_its_output() {
    let start = ".model small\n.stack 100h\n.code\nmain:\nmov ah,1\nint 21h\n";
    let writes = format!("{start}mov dl,'x'\nmov ah,2\nint 21h\nmov ah,4Ch\nint 21h\nend main\n");
    let said = "no key was left in standard input, which is what is typed if it is a file or a pipe";
    let shown = all_told(&writes, "told.asm");
    assert!(shown.contains(&format!("Output | x {said}")), "{shown}");
    assert_eq!(shown.matches(said).count(), 1, "{shown}");
    let silent = format!("{start}mov ah,4Ch\nint 21h\nend main\n");
    let shown = all_told(&silent, "told.asm");
    assert!(shown.contains("Notes") && shown.contains(said), "{shown}");
}

#[test]
fn a_quotient_of_all_of_ax_has_a_remedy_of_its_own() {
    let shown = all_told("mov ax,1000\nmov bl,3\ndiv bl\n", "told.asm");
    let words =
        "to divide AL alone, write `xor ah,ah` before it; to divide all of AX, `xor dx,dx` and a divisor of 16 bits";
    assert!(shown.contains(words), "{shown}");
    let shown = all_told("mov ax,1000\nmov bl,3\nidiv bl\n", "told.asm");
    assert!(
        shown.contains("to divide all of AX, `cwd` and a divisor of 16 bits"),
        "{shown}"
    );
}

#[test]
fn the_chip_that_has_an_instruction_is_named() {
    let shown = all_told("", "timings emms");
    assert!(
        shown.contains("has no timing for `emms`; `--cpu p55c` has it"),
        "{shown}"
    );
    // None has those of later processors, which a run can have.
    for (name, later) in [("cmova", "cmov"), ("fcomi", "cmov"), ("ENDBR32", "endbr")] {
        let shown = all_told("", &format!("timings {name}"));
        let words = format!(
            "has no timing for `{name}`; it came later: `p5inst --also {later} PROGRAM` executes it, and `p5inst explain \
             {later}` has its assumed clocks"
        );
        assert!(shown.contains(&words), "{shown}");
    }
    let shown = all_told("", "timings nonsense");
    assert!(shown.contains("`p5inst timings` lists all instructions"), "{shown}");
}

#[test]
fn a_counter_that_an_inner_loop_uses_is_told_when_the_program_does_not_end() {
    let told = |source: &str| all_told(source, "told.asm --limit 20000");
    for (source, words) in [
        (
            "mov ecx,5\nouter: mov ecx,3\ninner: loop inner\nloop outer\n",
            "the loop that ends in line 4 counts ecx, which line 3 leaves 0 in each round",
        ),
        (
            "mov ecx,5\nouter: mov ecx,3\nmov edi,offset area\nrep stosb\ndec ecx\njnz outer\narea: db 8 dup (90h)\n",
            "the loop that ends in line 6 counts ecx, which line 4 leaves 0 in each round",
        ),
    ] {
        let shown = told(source);
        assert!(shown.contains(words), "{shown}");
    }
    // In 16 bits, LOOP counts CX.
    let small =
        ".model tiny\n.code\norg 100h\ns: mov cx,5\nouter: mov cx,3\ninner: loop inner\nloop outer\nret\nend s\n";
    let shown = told(small);
    assert!(
        shown.contains("the loop that ends in line 7 counts cx, which line 6 leaves 0"),
        "{shown}"
    );
    for source in [
        // The inner loop is left before its counter is 0.
        "mov ecx,5\nouter: mov ecx,300\ninner: cmp ecx,20\nje found\nloop inner\nfound: loop outer\n",
        // CL is no part of CH.
        "mov ch,200\nouter: mov cl,100\ninner: dec cl\njnz inner\ndec ch\njnz outer\n",
        "mov ecx,5\nouter: push ecx\nmov ecx,3\ninner: loop inner\npop ecx\njmp outer\n",
        "mov edx,5\nouter: mov ecx,3\ninner: loop inner\ninc edx\njmp outer\n",
    ] {
        let shown = told(source);
        assert!(!shown.contains("in each round"), "{shown}");
    }
}

#[test]
fn data_in_a_line_of_code_are_told() {
    let source = |before: &str| {
        format!(
            ".model tiny\n.386\n.code\norg 100h\nstart: mov cx,100\nl: inc counter\ndec cx\njnz l\nret\n{before}counter \
             dw 0\nend start\n"
        )
    };
    let words = "`counter`, which lies in a line of 32 bytes with code that is executed";
    let shown = all_told(&source(""), "told.asm");
    assert!(
        shown.contains(words) && shown.contains("`align 32` before the data"),
        "{shown}"
    );
    let shown = all_told(&source("align 32\n"), "told.asm");
    assert!(!shown.contains(words), "{shown}");
    // One cache for code and data keeps the line.
    let shown = all_told(&source(""), "told.asm --cpu i486");
    assert!(!shown.contains("with code that is executed"), "{shown}");
    let first = |behind: &str| {
        format!(
            ".model flat\n.586\n.code\ncounter dd 0\nstart: mov ecx,100\nl: inc counter\ndec ecx\njnz l\nret\n\
             {behind}end start\n"
        )
    };
    let shown = all_told(&first(""), "told.asm");
    assert!(
        shown.contains("`align 32` before the code, which comes after"),
        "{shown}"
    );
    let shown = all_told(
        &first("").replace("inc counter\n", "jmp f\nb dd 0\nf: inc b\n"),
        "told.asm",
    );
    assert!(shown.contains("`align 32` before and after the data"), "{shown}");
}

#[test]
fn what_a_page_writes_through_is_not_called_uncached() {
    let source = |kind: u32| {
        format!(
            ".586p\n.model flat\n.data\nalign 4096\ndirectory dd 1024 dup(0)\nbuffer dd 512 dup(0)\n.code\n\
             start: mov edi,offset directory\nmov eax,83h\nmov ecx,64\nf: mov [edi],eax\nadd edi,4\n\
             add eax,400000h\ndec ecx\njnz f\nor dword ptr directory+4,{kind}\nmov eax,cr4\nor eax,10h\n\
             mov cr4,eax\nmov eax,offset directory\nmov cr3,eax\n\
             mov edi,offset buffer\nmov ecx,512\nl: mov [edi],eax\nadd edi,4\ndec ecx\njnz l\nhlt\nend start\n"
        )
    };
    let shown = all_told(&source(8), "told.asm --long");
    assert!(
        shown.contains("write buffer full, buffer is written through"),
        "{shown}"
    );
    let shown = all_told(&source(0), "told.asm --long");
    assert!(shown.contains("write buffer full, buffer is not cached"), "{shown}");
}

#[test]
fn a_program_that_ends_by_a_signal_has_failed() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let source =
        ".586\n.model flat\n.code\ns: mov eax,20\nint 80h\nmov ebx,eax\nmov eax,37\nmov ecx,6\nint 80h\nret\nend s\n";
    std::fs::write(folder.path().join("aborts.asm"), source).expect("a file is written");
    let output = started::finished(folder.path(), "aborts.asm --format junit");
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(told.contains("errors=\"1\"") && told.contains("SIGABRT"), "{told}");
    // Neither is it a run to compare with, nor one whose figures a sweep shows.
    let json = started::finished(folder.path(), "aborts.asm --format json");
    std::fs::write(folder.path().join("aborts.json"), json.stdout).expect("a file is written");
    let compared = started::finished(folder.path(), "compare aborts.json aborts.json --fail-over 1");
    assert_eq!(compared.status.code(), Some(1));
    let told = String::from_utf8(compared.stdout).expect("UTF-8");
    assert!(
        told.contains("not comparable: the older run was stopped: signal"),
        "{told}"
    );
    let swept = started::finished(folder.path(), "sweep --cpl 3 aborts.asm --format csv");
    assert_eq!(swept.status.code(), Some(1));
    let told = String::from_utf8(swept.stdout).expect("UTF-8");
    assert!(told.contains("SIGABRT"), "{told}");
}
