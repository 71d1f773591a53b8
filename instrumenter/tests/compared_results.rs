//! `compare` says whether two programs end with the same results, and what it compared for that.

use crate::started;
use started::{finished, text};
use std::fs;

/// What is told of a comparison of two sources, in one line, and the exit code.
fn compared(options: &str, old: &str, new: &str) -> (String, Option<i32>) {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for (name, source) in [("old.asm", old), ("new.asm", new)] {
        fs::write(folder.path().join(name), source).expect("a file is written");
    }
    let output = finished(folder.path(), &format!("compare {options} old.asm new.asm"));
    let told = text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    (told, output.status.code())
}

/// A program of Linux that stores `value`, writes `text` and exits with `code`.
fn program(value: u32, text: &str, code: u32) -> String {
    format!(
        ".586\n.model flat\n.data\nsum dd 0\ntold db '{text}',10\nlength = $-told\n.code\nstart: mov sum,{value}\n\
         mov eax,4\nmov ebx,1\nmov ecx,offset told\nmov edx,length\nint 80h\nmov eax,1\nmov ebx,{code}\nint 80h\n\
         end start\n"
    )
}

#[test]
fn results_are_compared_and_what_differs_fails_if_asked() {
    let usual = program(7, "seven", 0);
    let same = usual.replace("mov sum,7", "mov edx,7\nmov sum,edx");
    let cases = [
        (
            same,
            "both runs end with the same results: 2 variables, 6 bytes of output, exit code 0",
            0,
        ),
        (
            program(8, "seven", 0),
            "the two runs end with other values of `sum` (7, then 8)",
            1,
        ),
        (
            program(7, "sever", 0),
            "the outputs differ, 6 bytes each: line 1 is `seven`, then `sever`",
            1,
        ),
        (
            usual.replace("length = $-told", "length = $-told-1"),
            "the outputs differ, 6 bytes, then 5",
            1,
        ),
        (program(7, "seven", 3), "the two runs end with exit code 0, then 3", 1),
    ];
    for (new, words, code) in cases {
        let (told, usual_code) = compared("", &usual, &new);
        assert!(told.contains(words), "{told}");
        assert_eq!(usual_code, Some(0), "{told}");
        let (told, strict) = compared("--fail-on-other-results", &usual, &new);
        assert_eq!(strict, Some(code), "{told}");
        assert_eq!(told.ends_with("the results are not the same"), code == 1, "{told}");
    }
}

#[test]
fn lines_of_output_that_differ_are_named_and_what_is_the_same_is_said() {
    let written = |clocks: &str, sum: u32, end: &str| {
        program(7, &format!("clocks {clocks}',10,'sum {sum}',10,'{end}"), 0).replace(&format!("sum {sum}"), "sum 7")
    };
    let usual = written("120", 7, "done");
    let (told, _) = compared("", &usual, &written(" 98", 7, "done"));
    assert!(
        told.contains(
            "the outputs differ, 23 bytes each: line 1 is `clocks 120`, then `clocks  98`; they differ in numbers \
             alone, as a measured time does; the other 2 lines are the same"
        ) || told.contains("line 1 is `clocks 120`, then `clocks 98`; they differ in numbers alone"),
        "{told}"
    );
    assert!(told.contains("the same in both: "), "{told}");
    assert!(told.contains("exit code 0"), "{told}");
    let (told, _) = compared("", &usual, &written("121", 7, "gone"));
    assert!(
        told.contains("; lines 1, 3 differ; the other line is the same"),
        "{told}"
    );
    assert!(!told.contains("numbers alone"), "{told}");
    let (told, _) = compared("", &usual, &usual.replace("mov sum,7", "mov sum,8"));
    assert!(told.contains("other values of `sum` (7, then 8)"), "{told}");
    assert!(told.contains("the same in both: "), "{told}");
}

#[test]
fn without_variables_and_output_a_function_has_its_result_in_eax() {
    let function = |value: u32| format!("mov eax,{value}\nadd eax,eax\nret\n");
    let (told, code) = compared("--fail-on-other-results", &function(5), "mov eax,10\nret\n");
    assert!(
        told.contains("both runs end with the same EAX, Ah; nothing else is compared"),
        "{told}"
    );
    assert_eq!(code, Some(0));
    let (told, code) = compared("--fail-on-other-results", &function(5), &function(6));
    assert!(told.contains("other values of EAX: Ah, then Ch"), "{told}");
    assert_eq!(code, Some(1));
}

#[test]
fn what_a_program_returns_and_draws_is_a_result_beside_its_variables() {
    let counted =
        |step: &str| format!(".586\n.model flat\n.data\nv dd 1,2\n.code\nstart: mov eax,v\n{step}\nret\nend start\n");
    let (told, code) = compared("--fail-on-other-results", &counted("inc eax"), &counted("add eax,1"));
    assert!(told.contains("the same results: 1 variable, EAX 2h"), "{told}");
    assert_eq!(code, Some(0), "{told}");
    let (told, code) = compared("--fail-on-other-results", &counted("inc eax"), &counted("dec eax"));
    assert!(told.contains("other values of EAX: 2h, then 0h"), "{told}");
    assert_eq!(code, Some(1), "{told}");
    let drawing = |pixel: u8| {
        format!(
            ".model tiny\n.386\n.code\norg 100h\nstart: push 0A000h\npop es\nmov byte ptr es:[5],{pixel}\n\
             mov ax,4C00h\nint 21h\nend start\n"
        )
    };
    let (told, code) = compared("--fail-on-other-results", &drawing(1), &drawing(1));
    assert!(told.contains("the same results: exit code 0, screen"), "{told}");
    assert_eq!(code, Some(0), "{told}");
    let (told, code) = compared("--fail-on-other-results", &drawing(1), &drawing(2));
    assert!(told.contains("leave other bytes in the memory of the screen"), "{told}");
    assert_eq!(code, Some(1), "{told}");
}

#[test]
fn a_stopped_run_has_no_changes_and_no_known_results() {
    let whole = program(7, "seven", 0);
    let endless = whole.replace("mov eax,1\n", "stay: inc edx\njmp stay\n");
    let (told, code) = compared("--limit 10000 --fail-on-other-results", &whole, &endless);
    assert_eq!(code, Some(1), "{told}");
    assert!(
        told.contains("not comparable: the newer run was stopped: limit"),
        "{told}"
    );
    assert!(
        told.contains("a run was stopped, so that the results are not known"),
        "{told}"
    );
    let [old, new] = ["last run", "first run"].map(|row| {
        let row = told.split_once(row).expect("a row").1.trim_start();
        row.split(' ').take(3).map(str::to_owned).collect::<Vec<_>>()
    });
    assert_eq!((&*old[2], &*new[2]), ("stopped", "stopped"), "{told}");
    assert!(!told.contains('%'), "{told}");
}

#[test]
fn addresses_are_no_results() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    fs::write(path.join("old.asm"), program(7, "seven", 0)).expect("a file is written");
    finished(path, "old.asm --format json -o old.json");
    let old = fs::read_to_string(path.join("old.json")).expect("a report");
    for (kind, code) in [("address", 0), ("signed", 1)] {
        let mut new: serde_json::Value = serde_json::from_str(&old).expect("JSON");
        for symbol in new["symbols"].as_array_mut().expect("data") {
            if symbol["name"] == "sum" {
                (symbol["kind"], symbol["value"]) = (kind.into(), 0x0040_3000.into());
            }
        }
        fs::write(path.join("new.json"), new.to_string()).expect("a file is written");
        let output = finished(path, "compare --fail-on-other-results old.json new.json");
        assert_eq!(output.status.code(), Some(code), "{kind}: {}", text(&output.stdout));
    }
}

#[test]
fn regions_without_a_name_are_paired_in_their_order_if_there_are_as_many() {
    let source = |before: &str, body: &str, more: &str| {
        format!(
            ".586\n.model flat\n.code\nstart: mov ecx,9\n{before}StartTSC\n{body}EndTSC\nStartTSC\nadd eax,ebx\nEndTSC\n\
             {more}ret\nend start\n"
        )
    };
    let old = source("", "imul eax,ecx\n", "");
    let (told, _) = compared("", &old, &source("xor eax,eax\n", "lea eax,[ecx+ecx*8]\n", ""));
    assert!(
        told.contains("region line 5, then line 6") && told.contains("region line 8, then line 9"),
        "{told}"
    );
    assert!(!told.contains("not comparable"), "{told}");
    let more = "StartTSC\nadd eax,ebx\nEndTSC\n";
    let (told, _) = compared("", &old, &source("xor eax,eax\n", "lea eax,[ecx+ecx*8]\n", more));
    assert!(
        told.contains("region line 5 is only in the old file; name it in both, as in `StartTSC span`"),
        "{told}"
    );
}

#[test]
fn causes_have_all_their_width_and_long_instructions_their_names() {
    let source = |body: &str| {
        format!(
            ".586\n.model flat\n.data\ntable dd 64 dup (3)\nsum dd 0\n.code\nstart: mov esi,offset table\nmov ecx,64\n\
             xor ebx,ebx\nnext: mov eax,[esi]\n{body}mov sum,ebx\nret\nend start\n"
        )
    };
    let old = source("imul eax,[esi]\nadd ebx,eax\nadd esi,4\nloop next\n");
    let new = source("shl eax,1\nadd esi,4\nadd ebx,eax\ndec ecx\njnz next\n");
    let (told, _) = compared("", &old, &new);
    // What changes as the function does comes first, and nothing is cut.
    let causes = told.split_once("instructions of several clocks -").expect("causes").1;
    assert!(causes.contains("(imul -512, loop -319)"), "{told}");
    assert!(!told.contains("..."), "{told}");
    assert!(!told.contains("place old"), "both are the main files: {told}");
    assert!(told.starts_with("old old.asm on p54c,"), "{told}");
}

#[test]
fn different_programs_have_their_hottest_lines() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let one = ".386\n.model flat\n.data\na dd 64 dup (3)\n.code\nstart: mov esi,offset a\nmov ecx,64\nfirst: mov eax,[esi]\n\
               imul eax,eax\nmov [esi],eax\nadd esi,4\ndec ecx\njnz first\nmov edx,1\nmov edi,2\nmov ebp,3\nxor ebx,ebx\n\
               ret\nend start\n";
    let other = ".386\n.model flat\n.data\nb dw 99 dup (7)\n.code\nmain: lea edi,b\nmov edx,99\nagain: movzx ebx,word ptr \
                 [edi]\nror ebx,3\nbswap_: xchg bl,bh\nmov [edi],bx\nadd edi,2\nsub edx,1\njne again\nnot ebp\nneg eax\n\
                 sti_: cmc\nclc\nret\nend main\n";
    for (name, source) in [("one.asm", one), ("other.asm", other)] {
        fs::write(path.join(name), source).expect("a file is written");
    }
    let told = started::printed(path, "compare one.asm other.asm");
    let table = told
        .split_once("Lines with the most clocks in the last run\n")
        .expect("a table")
        .1;
    let rows: Vec<&str> = table.lines().skip(1).take(6).collect();
    assert!(rows[0].contains("old") && rows[0].contains("imul eax,eax"), "{told}");
    assert!(
        rows[3..].iter().all(|row| row.trim_start().starts_with("new")),
        "{told}"
    );
    assert!(rows.iter().all(|row| row.ends_with('%')), "{told}");
    let json = started::printed(path, "compare one.asm other.asm --format json");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["hottest_old"][0]["text"], "imul eax,eax");
    assert_eq!(json["hottest_new"].as_array().map(Vec::len), Some(3));
}

#[test]
fn sums_over_other_assumed_memory_are_no_other_results() {
    let plain = "f: mov esi,[esp+4]\nmov ecx,[esp+8]\nxor eax,eax\nl: add eax,[esi]\nadd esi,4\ndec ecx\njnz l\nret\n";
    let by_argument = plain.replace("add esi,4", "add esi,[esp+12]");
    let given = "--set [esp+8]=100 --set [esp+12]=8";
    let (told, code) = compared(given, plain, &plain.replace("xor eax,eax", "mov eax,1"));
    assert!(told.contains("the two runs end with other values of EAX"), "{told}");
    assert_eq!(code, Some(0), "{told}");
    let (told, _) = compared(given, plain, &by_argument);
    assert!(
        told.contains(
            "the assumed memory differs, so that other results tell nothing: [esp+4] -> 4,096 bytes in the older one, \
             [esp+4] -> 64 bytes in the newer one"
        ),
        "{told}"
    );
    assert!(!told.contains("other values of EAX"), "{told}");
}
