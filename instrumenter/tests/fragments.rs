//! Lines without a program around them, as manuals print loops: what is assumed of them, and their clocks beside those
//! of the same lines in a whole program. The folder `fragments` has the lines, and after them what a program needs.

use crate::started;
use serde_json::Value;
use started::{finished, p5inst, printed, text};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

/// The lines that begin the parts of a file: the instructions that prepare a program, its data, and what follows.
const SETUP: &str = ";; setup\n";
const DATA: &str = ";; data\n";
const AFTER: &str = ";; after\n";

/// A fragment and the same lines in a program.
struct Pair {
    name: String,
    fragment: String,
    program: String,
}

fn pairs() -> Vec<Pair> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fragments");
    let files = fs::read_dir(folder).expect("the folder is beside the tests");
    let mut pairs: Vec<Pair> = files
        .map(|file| {
            let path = file.expect("a file").path();
            let all = fs::read_to_string(&path).expect("text");
            let (fragment, rest) = all.split_once(SETUP).expect("a setup");
            let (setup, rest) = rest.split_once(DATA).expect("data");
            let (data, after) = rest.split_once(AFTER).unwrap_or((rest, "        ret\n"));
            let head = ".586\n.mmx\n.model flat\n.data\nalign 32";
            Pair {
                name: path
                    .file_stem()
                    .and_then(|stem| stem.to_str())
                    .expect("a name")
                    .to_owned(),
                fragment: fragment.to_owned(),
                program: format!("{head}\n{data}\n.code\nstart:\n{setup}{fragment}{after}end start\n"),
            }
        })
        .collect();
    pairs.sort_by(|one, other| one.name.cmp(&other.name));
    pairs
}

/// The report in JSON of a source on standard input.
fn report(source: &str, options: &[&str]) -> Value {
    let mut all = vec!["-", "--format", "json"];
    all.extend(options);
    let mut command = p5inst(Path::new("."), &all);
    let child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = child.spawn().expect("the command starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(source.as_bytes()).expect("it reads all");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.stderr.is_empty(), "{source}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The clocks of the usual round of each loop of the lines that both have, the innermost one first where they are
/// nested, without the loops that a setup runs.
fn steady(report: &Value) -> Vec<u64> {
    fn add(rows: &Value, found: &mut Vec<u64>) {
        for row in rows.as_array().expect("rows") {
            let inner = &row["loop"];
            if !inner.is_null() {
                let path = &inner["paths"][0];
                add(&path["round"], found);
                found.push(path["round_cycles"].as_u64().expect("clocks"));
            }
        }
    }
    let mut found = Vec::new();
    add(&report["diagram"]["rows"], &mut found);
    found
}

#[test]
fn steady_rounds_take_the_clocks_of_a_whole_program() {
    let pairs = pairs();
    assert!(pairs.len() >= 30, "{}", pairs.len());
    let mut told = String::new();
    for pair in pairs {
        let chip: &[&str] = if pair.fragment.contains("mm0") {
            &["--cpu", "p55c"]
        } else {
            &[]
        };
        let (fragment, program) = (report(&pair.fragment, chip), report(&pair.program, chip));
        let whole = steady(&program);
        let own = steady(&fragment);
        // The loops of a setup come first.
        let of_setup = whole.len().saturating_sub(own.len());
        assert!(
            !own.is_empty() && own == whole[of_setup..],
            "{}: {own:?}, {whole:?}",
            pair.name
        );
        assert!(program.get("fragment").is_none(), "{}", pair.name);
        let reason = fragment["stop"]["reason"].as_str().expect("a reason");
        assert!(["end", "return", "rounds"].contains(&reason), "{}: {reason}", pair.name);
        let words = fragment["fragment"]["words"].as_str().expect("something is assumed");
        told += &format!("{}: {own:?} clocks a round, {reason}\n  {words}\n", pair.name);
    }
    insta::assert_snapshot!("assumed_of_fragments", told);
}

#[test]
fn the_first_lines_of_the_documentation_run_as_they_stand() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).expect("text");
    let (_, rest) = readme.split_once("```asm\n").expect("a loop");
    let (lines, _) = rest.split_once("```").expect("its end");
    let report = report(lines, &[]);
    assert_eq!(steady(&report), [4]);
    assert_eq!(report["stop"]["reason"], "end");
    let words = "esi -> scratch memory of 4,096 bytes, ecx = 1,000, eax = 0; `--set REG=VALUE` changes it; memory holds bytes of 1";
    assert_eq!(report["fragment"]["words"], words);
}

#[test]
fn labels_may_be_numbers_as_in_inline_assembly() {
    let named = "mov ecx,10\nnext: add eax,ecx\ndec ecx\njnz next\ncmp eax,55\njne out\nmov ecx,7\nback: dec ecx\n\
                 jnz back\nout: nop\n";
    let numbered = "mov ecx,10\n1: add eax,ecx\ndec ecx\njnz 1b\ncmp eax,55\njne 2f\nmov ecx,7\n1: dec ecx\n\
                    jnz 1b\n2:\nnop\n";
    let [named, numbered] = [named, numbered].map(|source| report(source, &["--set", "eax=0"]));
    assert_eq!(named["whole"], numbered["whole"], "{numbered:#}");
    let registers = |report: &Value| report["registers"].clone();
    assert_eq!(registers(&named), registers(&numbered));
    assert!(
        registers(&named).is_object() || registers(&named).is_array(),
        "{named:#}"
    );
}

#[test]
fn registers_can_be_set() {
    let sum = "l: add eax,[esi]\nadd esi,4\ndec ecx\njnz l\n";
    let set = report(sum, &["--set", "ecx=10"]);
    assert_eq!(set["own"]["totals"]["instructions"], 40);
    assert_eq!(
        set["fragment"]["words"],
        "esi -> scratch memory of 4,096 bytes, eax = 0; `--set REG=VALUE` changes it; memory holds bytes of 1"
    );
    let with_data = format!("values dd 9 dup(7)\n{sum}");
    let set = report(&with_data, &["--set", "esi=values+4,ecx=3"]);
    assert_eq!(set["registers"]["eax"][1], 21);
    assert_eq!(set["fragment"]["words"], Value::Null);
    let program = format!(".586\n.model flat\n.data\nvalues dd 9 dup(7)\n.code\nstart: {sum}ret\nend start\n");
    let set = report(&program, &["--set", "ESI=Values", "--set", "ecx=0x2"]);
    assert_eq!(
        (&set["registers"]["eax"][1], &set["stop"]["reason"]),
        (&14.into(), &"return".into())
    );
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join("sum.asm"), with_data).expect("a file is written");
    let refused = finished(folder.path(), "sum.asm --set esi=value");
    assert_eq!(refused.status.code(), Some(2));
    let why = "p5inst: `--set` cannot use `value`: did you mean `values`?\n";
    assert_eq!(text(&refused.stderr), why);
    let twice = finished(folder.path(), "sum.asm --set ecx=1,ecx=2");
    assert_eq!(text(&twice.stderr), "p5inst: `--set` gives ecx twice\n");
    // Other commands see the same program.
    let swept = printed(folder.path(), "advise sum.asm");
    assert!(swept.contains("clocks"), "{swept}");
    let host = finished(folder.path(), "host run sum.asm");
    assert!(
        text(&host.stderr).contains("run in the simulation only"),
        "{}",
        text(&host.stderr)
    );
}

/// A pointer that is assumed to stand in memory is there before the first instruction.
#[test]
fn what_is_assumed_of_memory_is_no_change() {
    let list = "mov ebx,offset table\nmov ecx,[ebx+4]\nmov eax,[ecx]\n";
    let report = report(list, &[]);
    let words = report["fragment"]["words"].as_str().expect("something is assumed");
    assert!(words.starts_with("table+4 -> scratch memory"), "{words}");
    let table = report["symbols"]
        .as_array()
        .expect("symbols")
        .iter()
        .find(|one| one["name"] == "table");
    assert_eq!(table.expect("the table")["changed"], Value::Null);
}

#[test]
fn regions_of_fragments_take_what_the_lines_take_without_them() {
    let mut compared = 0;
    for pair in pairs().into_iter().filter(|pair| !pair.fragment.contains("mm0")) {
        let alone = report(&pair.fragment, &[]);
        let measured = report(&format!("StartTSC all\n{}EndTSC\n", pair.fragment), &[]);
        // A loop that only a limit of rounds ends never arrives at the end of the region, and a missing label is that
        // of the end of all lines.
        let words = alone["fragment"]["words"].as_str().expect("something is assumed");
        if alone["stop"]["reason"] != "end" || words.contains("after the last line") {
            continue;
        }
        assert_eq!(
            measured["fragment"]["words"], alone["fragment"]["words"],
            "{}",
            pair.name
        );
        let clocks = |report: &Value| report["own"]["totals"]["instructions"].as_u64().expect("a count");
        assert_eq!(clocks(&measured), clocks(&alone), "{}", pair.name);
        let region = &measured["regions"][0];
        assert_eq!(region["warm"]["difference"], 0, "{}: {region}", pair.name);
        compared += 1;
    }
    assert!(compared > 20, "{compared}");
    // A macro in a loop, data that nothing defines, and a register that is given.
    let lines = "again: StartTSC q\nmov eax,[esi]\nadd esi,4\nEndTSC\ndec ecx\njnz again\nadd eax,[table]\n";
    let report = report(lines, &["--set", "ecx=5"]);
    assert_eq!(report["regions"][0]["passes_by_run"][0], 5);
    let words = report["fragment"]["words"].as_str().expect("something is assumed");
    assert!(
        words.contains("esi -> scratch memory") && words.contains("table: 16 bytes"),
        "{words}"
    );
}

#[test]
fn a_missing_label_of_jumps_in_a_region_is_its_end() {
    let lines = "StartTSC \"sum\"\nmov ecx,10\nnext: dec ecx\njz done\nadd eax,2\njmp next\nEndTSC\ninc eax\n";
    let passes = |report: &Value| report["regions"][0]["passes"].as_array().map(Vec::len);
    let inside = report(lines, &[]);
    assert_eq!(passes(&inside), Some(5), "a pass in each run: {inside}");
    let assumed = &inside["fragment"]["assumed"][0];
    assert_eq!(
        (assumed["kind"].as_str(), assumed["of"].as_str()),
        (Some("region_end"), Some("done"))
    );
    // One of these jumps is outside.
    let outside = report(&format!("test eax,eax\njs done\n{lines}"), &[]);
    assert_eq!(passes(&outside), Some(0), "{outside}");
    assert_eq!(outside["fragment"]["assumed"][0]["kind"], "end");
}

#[test]
fn a_count_down_to_the_least_number_is_a_loop_like_others() {
    let counted = report("next: dec eax\ncmp eax,80000000h\njne next\n", &[]);
    let assumed = &counted["fragment"]["assumed"][0];
    assert_eq!(
        (assumed["of"].as_str(), assumed["value"].as_i64()),
        (Some("eax"), Some(1000 - (1 << 31)))
    );
}

#[test]
fn programs_with_an_error_are_no_fragments() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for (source, expected) in [
        ("loop1: dec ecx\njnz lop1\n", "did you mean `loop1`?"),
        ("count dd 5\nmov eax,number\n", "undefined symbol `number`"),
        ("start: mov eax,number\n", "undefined symbol `number`"),
        ("mov eax,number\nend\n", "undefined symbol `number`"),
        (
            ".586\n.model flat\n.code\nmov eax,number\n",
            "undefined symbol `number`",
        ),
        ("mov rax,1\n", "the Pentium has no register of this name"),
        ("mov eax,FFh\n", "write `0FFh`"),
        ("mov eax,number\nmvo eax,1\n", "did you mean `mov`?"),
    ] {
        fs::write(folder.path().join("a.asm"), source).expect("a file is written");
        let output = finished(folder.path(), "a.asm");
        assert_eq!(output.status.code(), Some(2), "{source}");
        assert!(
            text(&output.stderr).contains(expected),
            "{source}: {}",
            text(&output.stderr)
        );
    }
}

#[test]
fn a_fault_names_the_register_that_nothing_has_set() {
    let program = |lines: &str| format!(".586\n.model flat\n.code\nstart: {lines}\nret\nend start\n");
    let message = |lines: &str| {
        let report = report(&program(lines), &[]);
        report["stop"]["message"].as_str().expect("a fault").to_owned()
    };
    let unset = "nothing has set esi, which is 0: point it at data, or run with `--set esi=ADDRESS`";
    let said = message("mov eax,[esi]");
    assert!(said.ends_with(unset), "{said}");
    let said = message("add ecx,8\nmovzx eax,byte ptr [esi+ecx*4+4]");
    assert!(said.ends_with(unset), "{said}");
    for set in [
        "mov esi,8\nmov eax,[esi]",
        "inc esi\nmov eax,[esi]",
        "lodsd\nlodsd",
        "mov eax,ds:[8]",
        // The one that was set points.
        "mov eax,8\nmovzx eax,byte ptr [eax+esi+4]",
        // An index counts from 0 on.
        "mov edi,8\nmov eax,[edi+ecx*4]",
        "mov eax,[ecx*4]",
    ] {
        let said = message(set);
        let expected = set.starts_with("lodsd");
        assert_eq!(said.contains("nothing has set"), expected, "{set}: {said}");
    }
    let report = report("movq mm0,[esi]\n", &["--cpu", "p54c"]);
    let said = report["stop"]["message"].as_str().expect("a fault");
    assert_eq!(said, "#UD: invalid opcode: this chip has no MOVQ; `--cpu p55c` has it");
}

#[test]
fn a_fault_names_the_variable_that_was_read_for_its_address() {
    let message = |data: &str, lines: &str| {
        let program = format!(".586\n.model flat\n.data\n{data}\n.code\nstart: {lines}\nret\nend start\n");
        let report = report(&program, &[]);
        report["stop"]["message"].as_str().expect("a fault").to_owned()
    };
    let table = "table dd 256 dup(?)";
    let read = "esi was read from `table` in line 6: if its address was meant, write `mov esi,offset table`";
    for lines in [
        "mov esi,table\nmov eax,[esi+ecx*4]",
        "mov esi,table\nxor ecx,ecx\nl: mov eax,[esi+ecx*4]\ninc ecx\ncmp ecx,9\njb l",
        "mov esi,table\nl: lodsd\ndec ecx\njnz l",
    ] {
        let said = message(table, lines);
        assert!(
            said.ends_with(read) && !said.contains("nothing has set"),
            "{lines}: {said}"
        );
    }
    for (data, lines) in [
        // It is not what was read any more.
        (table, "mov esi,table\nadd esi,4\nmov eax,[esi]"),
        // It holds addresses.
        ("place dd offset start", "mov esi,place\nmov eax,[esi+70000000h]"),
        // It counts, from the address of the table on.
        (table, "mov table,-1\nmov esi,table\nmov eax,table[esi*4+0F0000000h]"),
    ] {
        let said = message(data, lines);
        assert!(!said.contains("was read from"), "{lines}: {said}");
    }
}

#[test]
fn a_fault_names_its_instruction_and_the_registers_of_its_operands() {
    let program = |lines: &str| format!(".586\n.model flat\n.code\nstart: {lines}\nret\nend start\n");
    for (lines, words, instruction, registers) in [
        (
            "mov esi,8\nmov eax,[esi+ecx*4]",
            "(address 00000008h) in `mov eax,[esi+ecx*4]` with ecx 00000000h, esi 00000008h",
            "mov eax,[esi+ecx*4]",
            "{\"ecx\":0,\"esi\":8}",
        ),
        (
            "mov edx,3\nmov ecx,3\ndiv ecx",
            "#DE: the quotient of EDX:EAX (0000000300000000h) does not fit EAX in `div ecx` with eax 00000000h, ecx \
             00000003h, edx 00000003h; to divide EAX alone, write `xor edx,edx` before it",
            "div ecx",
            "{\"eax\":0,\"ecx\":3,\"edx\":3}",
        ),
        (
            "mov eax,ds:[8]",
            "(address 00000008h) in `mov eax,ds:[8]`",
            "mov eax,ds:[8]",
            "null",
        ),
        (
            "mov ecx,99h\nrdmsr",
            "#GP: model specific register 99h does not exist",
            "",
            "null",
        ),
    ] {
        let report = report(&program(lines), &[]);
        let stop = &report["stop"];
        let message = stop["message"].as_str().expect("a fault");
        assert!(message.contains(words), "{lines}: {message}");
        assert_eq!(stop["instruction"].as_str().unwrap_or_default(), instruction, "{lines}");
        assert_eq!(stop["registers"].to_string(), registers, "{lines}");
    }
}

#[test]
fn a_short_report_of_a_long_program_shows_the_clocks_before_its_fault() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let source = format!(
        ".586\n.model flat\n.code\nstart:\n{}mov eax,[ebx]\nret\nend start\n",
        "imul ecx,edx,5\nadd ecx,3\nnot edx\n".repeat(40)
    );
    fs::write(folder.path().join("a.asm"), source).expect("a file is written");
    let output = finished(folder.path(), "a.asm");
    let short = text(&output.stdout);
    assert!(short.contains("to the fault; `--long` shows all:"), "{short}");
    assert!(short.contains("\n   439  not edx "), "{short}");
    let output = finished(folder.path(), "a.asm --long");
    let long = text(&output.stdout);
    assert!(!long.contains("to the fault"), "{long}");
}

#[test]
fn a_last_jump_to_a_missing_label_is_that_of_a_loop() {
    let lines = "mov al,[esi]\ninc esi\nmov [edi],al\ninc edi\ndec ecx\njnz ";
    let again = report(&format!("{lines}again\n"), &[]);
    let assumes = |report: &Value, kind: &str| {
        let assumed = report["fragment"]["assumed"].as_array().expect("a list");
        assumed.iter().any(|one| one["kind"] == kind)
    };
    assert!(assumes(&again, "head"), "{again}");
    assert!(again["own"]["totals"]["instructions"].as_u64() > Some(1000), "{again}");
    // A way out, a jump without a condition, and one before the last line lead to the end.
    for out in ["done\n", "again\nnop\n"] {
        assert!(assumes(&report(&format!("{lines}{out}"), &[]), "end"), "{out}");
    }
}

#[test]
fn assumed_data_is_as_large_as_its_constant_distances_ask_for() {
    let last =
        "mov ebx,7\nmov key[16],ebx\nmov [key+28],ebx\nmov eax,other\nmov ecx,[other-8]\nmov edx,table[3072+esi*4]\n";
    let report = report(last, &[]);
    let words = report["fragment"]["words"].as_str().expect("something is assumed");
    for data in [
        "key: 48 bytes of data",
        "other: 16 bytes of data",
        "table: 8,192 bytes of data",
    ] {
        assert!(words.contains(data), "{words}");
    }
    let symbols = report["symbols"].as_array().expect("symbols");
    let changed: Vec<&str> = (symbols.iter())
        .filter(|one| !one["changed"].is_null())
        .filter_map(|one| one["name"].as_str())
        .collect();
    assert_eq!(changed, ["key"], "no other data is written: {symbols:#?}");
}

#[test]
fn names_of_other_assemblers_are_no_data() {
    for (line, help) in [
        ("mov eax,$1F", "a hexadecimal number ends in `h`: write `1Fh`"),
        ("mov eax,$FF", "a hexadecimal number ends in `h`: write `0FFh`"),
    ] {
        let folder = tempfile::tempdir().expect("a temporary directory");
        fs::write(folder.path().join("line.asm"), format!("{line}\n")).expect("a file is written");
        let refused = finished(folder.path(), "line.asm");
        let told = text(&refused.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(refused.status.code(), Some(2), "{line}: {told}");
        assert!(told.contains(help), "{line}: {told}");
    }
}

#[test]
fn what_the_first_round_waited_for_is_said_once() {
    let sum = "mov ecx,9\nmov esi,edi\nl: mov eax,[esi]\nadd eax,[esi+4]\nadd esi,4\ndec ecx\njnz l\n";
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join("sum.asm"), sum).expect("a file is written");
    let told = printed(folder.path(), "sum.asm");
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("Before them it waited 1: AGI"), "{told}");
    assert_eq!(told.matches("AGI").count(), 1, "{told}");
}

#[test]
fn rounds_that_are_not_typical_of_the_run_are_told_so() {
    // The first rounds of a pass, which are traced, miss the caches; the others read what those have read.
    let walk = ".586\n.model flat\n.data\nvalues dd 2048 dup(1)\n.code\nstart:\nStartTSC walk\nmov ecx,40000\nxor esi,esi\n\
                l: mov eax,values[esi]\nadd esi,32\nand esi,{}\ndec ecx\njnz l\nEndTSC\nret\nend start\n";
    for (mask, untypical) in [("1FE0h", true), ("0", false)] {
        let folder = tempfile::tempdir().expect("a temporary directory");
        fs::write(folder.path().join("walk.asm"), walk.replace("{}", mask)).expect("a file is written");
        let told = printed(folder.path(), "--runs 1 walk.asm");
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        let says = told.contains("The traced rounds are not typical: all 40000 take");
        assert_eq!(says, untypical, "{mask}: {told}");
    }
    // Another loop stands between the head and the jump back, and is executed afterwards.
    let around = ".586\n.model flat\n.code\nstart:\nStartTSC w\nmov ecx,3000\njmp l\nl: dec ecx\njz done\ntest ecx,0fffh\n\
                  jmp back\nslow: mov eax,ecx\nmov ebx,9000\ns2: imul eax,ebx\nimul eax,ebx\ndec ebx\njnz s2\n\
                  jmp fin\nback: nop\njmp l\ndone: jmp slow\nfin:\nEndTSC\nret\nend start\n";
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join("around.asm"), around).expect("a file is written");
    let told = printed(folder.path(), "--long around.asm");
    assert!(
        told.contains("of 3000 rounds traced") && !told.contains("typical"),
        "{told}"
    );
}
