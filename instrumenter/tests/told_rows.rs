//! What rows of a report name: the form that never pairs, the write that a write waits for, the line of a program that
//! a header of the system works for, and who pays for a misprediction.

use crate::started;
use serde_json::Value;
use started::{p5inst, printed, text};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// The report of a text on standard input, each white space a blank.
fn of_text(source: &str, arguments: &[&str]) -> String {
    let mut child = p5inst(Path::new("."), &[arguments, &["-"]].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(source.as_bytes()).expect("written");
    drop(input);
    let output = child.wait_with_output().expect("an end");
    text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn says(report: &str, all: &[&str]) {
    for words in all {
        assert!(report.contains(words), "{words}: {report}");
    }
}

fn objects() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects")
}

#[test]
fn what_never_pairs_is_the_form_where_others_pair() {
    let report = of_text(
        "mov ecx,3\nl: test bl,3\ntest eax,3\nshl eax,cl\npush [esi]\npop edx\nimul ebx,ebx\nret\n",
        &[],
    );
    says(
        &report,
        &[
            "`test r,i` never pairs",
            "`shl r,cl` takes 4 and never pairs",
            "`push m` takes 2 and never pairs",
            "imul takes 9 and never pairs",
        ],
    );
    // The accumulator has a form that pairs.
    assert!(!report.contains("next `test` never pairs"), "{report}");
}

#[test]
fn a_write_that_waits_for_order_names_the_write_before_it() {
    let source = ".586\n.model flat\n.data\nheld dd 8 dup (1)\nfar_off dd 5000 dup (0)\n.code\nstart: mov eax,held\n\
                  mov esi,offset far_off\nmov ecx,20\nl: mov [esi+4096],eax\nmov held,eax\nadd esi,32\ndec ecx\njnz l\n\
                  ret\nend start\n";
    let report = of_text(source, &[]);
    says(
        &report,
        &["write order of held, as mov of line 10 is not in memory yet"],
    );
}

#[test]
fn waits_of_mmx_are_not_called_floating_point() {
    let source = ".586\n.mmx\n.model flat\n.data\na dq 4 dup (1)\n.code\nstart: mov esi,offset a\nmovq mm0,[esi]\n\
                  pmaddwd mm0,mm0\npaddd mm1,mm0\nemms\nret\nend start\n";
    let report = of_text(source, &["--cpu", "p55c", "--long"]);
    says(&report, &["mmx 2.0", "floating point, mmx 2 "]);
    assert!(!report.contains("floating point 2.0"), "{report}");
    // In a program without MMX it has its own name.
    let report = of_text("fld1\nfadd st(0),st(0)\nfadd st(0),st(0)\nfstp st(0)\n", &["--long"]);
    says(&report, &["floating point 2.0"]);
}

/// A loop in which an entry of the branch target buffer is met by the pair at the head of its rounds.
const MET: &str = ".586\n.model flat\n.code\nstart: mov ecx,300\nmov edx,3\nl: add eax,1\nadd ebx,2\ndec ecx\njz done\n\
                   dec edx\njnz l\nmov edx,3\njmp l\ndone: ret\nend start\n";

#[test]
fn an_entry_that_is_met_is_charged_to_the_same_line_in_diagram_and_listing() {
    let report = of_text(MET, &["--long"]);
    says(
        &report,
        &[
            "+0 add eax,1 add ebx,2 waited 3: the predictor took it for a branch",
            "misprediction 1.0 (99 of",
        ],
    );
    let json: Value = serde_json::from_str(&of_text(MET, &["--format", "json"])).expect("JSON");
    let lines = json["lines"].as_array().expect("lines");
    let head = lines.iter().find(|line| line["line"] == 6).expect("the head");
    assert_eq!(head["reasons"]["misprediction"], 297, "{head}");
    let paths = &json["whole_diagram"]["rows"];
    assert!(paths.is_null() || paths.is_array(), "{paths}");
}

#[test]
fn mispredictions_of_other_rounds_are_told_in_the_row_of_the_branch() {
    let source = "mov ecx,100\nl1: mov edx,3\nl2: add eax,ebx\ndec edx\njnz l2\ndec ecx\njnz l1\n";
    says(
        &of_text(source, &[]),
        &["+3 in 1 of 3 rounds: mispredicted; jnz pairs only in V"],
    );
    // One of a thousand rounds is not worth a remark.
    let report = of_text("mov ecx,1000\nl: add eax,ebx\nadd edx,ebx\ndec ecx\njnz l\n", &[]);
    assert!(!report.contains("rounds: mispredicted"), "{report}");
}

#[test]
fn nothing_is_said_to_be_drawn_above_a_loop_that_stands_alone() {
    let source = ".586\n.model flat\n.code\nstart: mov ecx,9000\nl: add eax,1\nadd ebx,1\ndec ecx\njnz l\nmov edx,1\n\
                  ret\nend start\n";
    let report = of_text(source, &[]);
    says(
        &report,
        &["2 each. A round before these began in V and is not among them."],
    );
    assert!(!report.contains("drawn above"), "{report}");
    // Where the first round is drawn, it is said.
    says(
        &of_text(&source.replace("9000", "20"), &[]),
        &["The first round began in V and is drawn above."],
    );
}

#[test]
fn lines_of_a_fragment_that_its_data_never_reach_are_told() {
    let source = "l: mov al,[esi]\ncmp al,10\njne skip\nadd edx,5\nmov [edi],dl\nskip: inc esi\ndec ecx\njnz l\n";
    let report = of_text(source, &[]);
    says(
        &report,
        &["2 lines did not run with the assumed data (4-5): their clocks are not counted"],
    );
    let json: Value = serde_json::from_str(&of_text(source, &["--format", "json"])).expect("JSON");
    let noted = json["noted"].as_array().expect("notes");
    assert!(
        noted
            .iter()
            .any(|note| note["kind"] == "lines not run" && note["line"] == 4),
        "{noted:?}"
    );
    let all = of_text("l: mov al,[esi]\ninc esi\ndec ecx\njnz l\n", &[]);
    assert!(!all.contains("did not run"), "{all}");
}

#[test]
fn what_the_memory_of_a_fragment_holds_is_told_as_it_is() {
    let one = of_text("mov al,[esi]\nmov bl,[edi]\n", &[]);
    says(&one, &["memory holds bytes of 1 ", "eax 00000001h"]);
    let several = of_text("mov eax,[ebx+4]\nfld qword ptr [edi]\nfstp st(0)\nadd eax,x\n", &[]);
    says(
        &several,
        &[
            "memory holds bytes of 1 (ebx), reals of 1.0, 8 bytes each (edi), zeros (x)",
            "eax 01010101h",
        ],
    );
}

#[test]
fn a_header_of_the_system_works_for_the_line_that_calls_it() {
    let report = printed(&objects(), "ranked.elf");
    let report = report.split_whitespace().collect::<Vec<_>>().join(" ");
    says(
        &report,
        &[
            "ranked.cc:21 calls std::__adjust_heap<...>",
            "with stl_heap.h:",
            // With `lower`, which it calls, and which is not inlined.
            "10053 10053 1803 fill (ranked.cc:12), inlined into _start",
            "2354 17715 2595 __push_heap<...> (stl_heap.h:135), inlined into",
        ],
    );
    // No line of a library is told to its user as one that calls.
    assert!(!report.contains("predefined_ops.h:158 calls"), "{report}");
    let json: Value = serde_json::from_str(&printed(&objects(), "--format json ranked.elf")).expect("JSON");
    let functions = json["functions"].as_array().expect("functions");
    let inlined = |name: &str| {
        functions
            .iter()
            .find(|one| one["name"].as_str().is_some_and(|own| own.contains(name)))
    };
    let push = inlined("__push_heap").expect("it is inlined");
    assert_eq!(
        (&push["cycles"], &push["cycles_with_callees"]),
        (&2354.into(), &17715.into())
    );
    assert!(push.get("calls").is_none(), "{push}");
    // What is inlined into it, and what that calls: all comparisons of this kind.
    let compares = functions
        .iter()
        .filter(|one| one["inlined_into"].is_string() && one["line"] == 195)
        .filter_map(|one| one["cycles_with_callees"].as_u64())
        .sum::<u64>();
    assert_eq!(compares + 2354, 17715);
}

#[test]
fn loops_of_a_program_are_ranked_by_their_clocks() {
    let report = printed(&objects(), "ranked.elf");
    let report = report.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, table) = report.split_once("Loops, without what they call").expect("a table");
    says(
        table,
        &[
            "share clocks rounds per loop round",
            "200 50.3 ranked.cc:14 in fill, inlined into _start",
        ],
    );
    let json: Value = serde_json::from_str(&printed(&objects(), "--format json ranked.elf")).expect("JSON");
    let loops = json["loops"].as_array().expect("loops");
    let clocks: Vec<u64> = loops.iter().filter_map(|one| one["cycles"].as_u64()).collect();
    assert!(
        clocks.len() > 2 && clocks.is_sorted_by(|one, next| one >= next),
        "{clocks:?}"
    );
    let fill = loops.iter().find(|one| one["line"] == 14).expect("a loop");
    assert_eq!((&fill["rounds"], &fill["file"]), (&200.into(), &"ranked.cc".into()));
}

#[test]
fn counts_are_written_as_comma_separated_values_and_to_a_file() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("a.asm"), MET).expect("a file is written");
    let table = printed(folder.path(), "stat --format csv a.asm");
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("program,event,counter,count,at_once,name,reason"));
    assert_eq!(lines.clone().count(), 38, "{table}");
    assert!(table.contains("a.asm,12h,,699,699,Branches,"), "{table}");
    assert_eq!(printed(folder.path(), "stat -o counts.csv a.asm"), "");
    let written = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a report");
    assert_eq!(written("counts.csv"), table);
    printed(folder.path(), "stat -o counts.json a.asm");
    let json: Value = serde_json::from_str(&written("counts.json")).expect("JSON");
    assert_eq!(json["programs"][0]["program"], "a.asm");
    // Both programs of a comparison are in one table.
    let both = printed(folder.path(), "stat --format csv a.asm --against --cpu p55c");
    assert_eq!(both.lines().count(), 1 + 2 * 38, "{both}");
    let refused = started::finished(folder.path(), "stat --event 12h --format csv a.asm");
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("take json"), "{}", text(&refused.stderr));
}

#[test]
fn help_names_the_source_of_gnu() {
    let help = printed(Path::new("."), "--help");
    assert!(
        help.starts_with("Show where each clock of MASM, TASM, NASM or GNU (AT&T) source goes"),
        "{help}"
    );
}

#[test]
fn a_loop_with_an_inlined_condition_has_one_line_in_the_table_and_in_the_diagram() {
    let report = printed(&objects(), "--long looped.elf");
    let report = report.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, table) = report.split_once("Loops, without what they call").expect("a table");
    says(table, &["looped.c:24 in walk, inlined into begun"]);
    says(&report, &["loop at line 24"]);
    assert!(!table.contains("in left, inlined"), "{table}");
    let json: Value = serde_json::from_str(&printed(&objects(), "--format json looped.elf")).expect("JSON");
    let loops = json["loops"].as_array().expect("loops");
    let lines: Vec<u64> = loops.iter().filter_map(|one| one["line"].as_u64()).collect();
    assert_eq!(lines, [24, 25]);
}

#[test]
fn a_fault_in_inlined_code_names_the_function_that_has_it() {
    let report = text(&started::finished(&objects(), "looped.elf x").stdout).to_owned();
    let report = report.split_whitespace().collect::<Vec<_>>().join(" ");
    says(
        &report,
        &["division by zero in `idiv ecx` of share (inlined into begun) with eax"],
    );
}

#[test]
fn a_loop_with_several_jumps_back_is_one_row_with_the_name_that_the_diagram_has() {
    let report = printed(&objects(), "--long continued.elf");
    let report = report.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, rest) = report.split_once("Loops, without what they call").expect("a table");
    let (table, rest) = rest.split_once(" instructions were traced ").expect("a trace");
    let in_steps = "continued.c:7 in steps, inlined into begun";
    assert_eq!(table.matches(in_steps).count(), 1, "{table}");
    assert_eq!(table.matches("in steps").count(), 1, "{table}");
    says(rest, &["loop at line 7: "]);
    // The loops inside are part of the loop around them, wherever the compiler put them.
    let json: Value = serde_json::from_str(&printed(&objects(), "--format json continued.elf")).expect("JSON");
    let loops = json["loops"].as_array().expect("loops");
    let inner = loops.iter().find(|one| one["line"] == 7).expect("a loop");
    let inner_clocks = inner["cycles"].as_u64().expect("clocks");
    let outermost = loops[0]["cycles"].as_u64().expect("clocks");
    assert!(outermost > inner_clocks && loops[0]["line"] != 7, "{loops:?}");
}

/// Sorts 16 numbers, of which each is smaller than the one before.
const BUBBLES: &str = ".586
.model flat
.data
arr     dd 16,15,14,13,12,11,10,9,8,7,6,5,4,3,2,1
.code
start:  mov edx, 15
outer:  mov esi, offset arr
        mov ecx, edx
inner:  mov eax, [esi]
        mov ebx, [esi+4]
        cmp eax, ebx
        jle noswap
        mov [esi], ebx
        mov [esi+4], eax
noswap: add esi, 4
        dec ecx
        jnz inner
        dec edx
        jnz outer
        ret
end start
";

#[test]
fn each_misprediction_of_the_rounds_is_told_at_a_row() {
    // Two of the rounds take 3 clocks more, and two rows say why.
    says(
        &of_text(BUBBLES, &[]),
        &[
            "inner: 8 rounds, 46 clocks in all: 5 in 6 of them, 8 in the others (mispredicted)",
            "++0 mov eax, [esi] mov ebx, [esi+4] +3 in 1 of 8 rounds: mispredicted: the predictor took it for a branch",
            "++4 jnz inner - +3 in 1 of 8 rounds: mispredicted;",
        ],
    );
}

/// A branch of a pattern that is mispredicted, and one right after it that is taken in all rounds but the last.
const PATTERN: &str = ".586
.model flat
.data
pat5    db 8 dup (1,1,0,0)
.code
start:  mov esi, offset pat5
        mov ecx, 32
        StartTSC one
again:  mov al, [esi]
        inc esi
        test al, al
        jnz skip
        inc ebx
skip:   dec ecx
        jnz again
        EndTSC
        ret
end start
";

#[test]
fn a_branch_that_cannot_use_its_prediction_is_told_in_rounds_that_are_not_shown_too() {
    says(
        &of_text(PATTERN, &[]),
        &["jnz again +4 in 8 of 16 rounds: mispredicted: right after a misprediction no prediction can be used"],
    );
}
