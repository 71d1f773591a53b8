//! What `compare` says of waits that change their place, of options of one side, and of code without lines.

use crate::started;
use started::{finished, printed, text};
use std::fs;
use std::path::Path;

/// A loop in which a load waits for its address, with further lines before the load.
fn waiting(before: &str) -> String {
    format!(
        ".586\n.model flat\n.data\nt dd 4 dup (0)\n.code\nstart: mov ecx,1000\nmov ebx,offset t\n\
         mov esi,offset t\nnop\nagain:\nadd ebx,0\n{before}mov eax,[ebx]\ndec ecx\njnz again\nret\nend start\n"
    )
}

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, content) in files {
        fs::write(folder.join(name), content).expect("a file is written");
    }
}

#[test]
fn a_wait_that_is_counted_with_another_instruction_is_told_as_that_of_the_one_that_waits() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    write(
        path,
        &[
            ("alone.asm", &waiting("nop\n")),
            ("nop.asm", &waiting("nop\nnop\n")),
            ("load.asm", &waiting("nop\nmov edx,[esi]\n")),
        ],
    );
    // The load waits as before, but in V, beside an instruction that waits for nothing.
    for (file, beside) in [("nop.asm", "nop"), ("load.asm", "mov edx,[esi]")] {
        let told = printed(path, &format!("compare alone.asm {file}"));
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        for words in [
            "agi +1000 (the wait of `mov eax,[ebx]` beside it in V)".to_owned(),
            format!("agi -1000 (it waits beside `{beside}` now, which has the clocks)"),
        ] {
            assert!(told.contains(&words), "{words}: {told}");
        }
        let back = printed(path, &format!("compare {file} alone.asm"));
        let back = back.split_whitespace().collect::<Vec<_>>().join(" ");
        let words = format!("agi +1000 (it waited beside `{beside}`, which had the clocks)");
        assert!(back.contains(&words), "{words}: {back}");
    }
}

#[test]
fn a_stack_instruction_has_its_own_wait_for_esp() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let program = ".586\n.model flat\n.code\ns: push ebp\nmov ebp,esp\nsub esp,8\nmov esp,ebp\npop ebp\nret\nend s\n";
    write(folder.path(), &[("frame.asm", program)]);
    let json = printed(folder.path(), "frame.asm --format json");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let waits: Vec<&serde_json::Value> = json["instructions"]
        .as_array()
        .expect("instructions")
        .iter()
        .filter(|one| !one["reasons"]["agi"].is_null())
        .collect();
    assert!(!waits.is_empty(), "{json:#}");
    assert!(waits.iter().all(|one| one["agi_of_next"].is_null()), "{waits:#?}");
}

#[test]
fn a_miss_that_another_line_has_now_is_told_as_moved() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let program = |first: &str, second: &str| {
        format!(
            ".586\n.model flat\n.data\nalign 32\nt dd 4096 dup (0)\n.code\ns: mov esi,offset t\nmov ecx,512\n\
             l:\n{first}\n{second}\nadd esi,32\ndec ecx\njnz l\nret\nend s\n"
        )
    };
    let (one, other) = ("mov eax,[esi]", "mov edx,[esi+4]");
    write(
        path,
        &[("old.asm", &program(one, other)), ("new.asm", &program(other, one))],
    );
    let told = printed(path, "compare old.asm new.asm");
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("(moved to `mov edx,[esi+4]`)"), "{told}");
    assert!(told.contains("(moved from `mov eax,[esi]`)"), "{told}");
}

#[test]
fn options_of_one_side_are_of_this_side_alone_and_stand_in_its_heading() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let program =
        ".586\n.model flat\n.code\ns: mov ecx,100\nl:\nifdef SLOW\nmul ebx\nendif\ndec ecx\njnz l\nret\nend s\n";
    write(path, &[("a.asm", program)]);
    let told = printed(path, "compare a.asm a.asm");
    for words in [
        "old  a.asm on",
        "new  a.asm on",
        "both runs are of one program with the same options",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let output = started::p5inst(path, &["compare", "a.asm", "a.asm", "--only-old", "-D SLOW"]).output();
    let told = text(&output.expect("the command starts").stdout).to_owned();
    assert!(told.contains("old  a.asm -D SLOW on"), "{told}");
    assert!(told.contains("new  a.asm on"), "{told}");
    assert!(told.contains("mul ebx") && told.contains("gone"), "{told}");
    let json = printed(path, "compare a.asm a.asm --only-new=-DSLOW --format json");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["new"]["options"], "-DSLOW");
    assert!(json["old"]["options"].is_null());
    assert_ne!(json["total"]["difference"], 0);
    finished(path, "a.asm --format json -o a.json");
    for (line, words) in [
        ("compare a.asm a.asm --only-new --long", "give it to `compare` itself"),
        ("compare a.asm a.asm --only-new b.asm", "it takes options only"),
        (
            "compare a.asm a.asm --only-new --bogus",
            "unexpected argument '--bogus'",
        ),
        (
            "compare a.json a.asm --only-old -DSLOW",
            "`a.json` is the report of a run",
        ),
    ] {
        let output = finished(path, line);
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(text(&output.stderr).contains(words), "{line}: {}", text(&output.stderr));
    }
}

#[test]
fn a_sum_of_code_without_lines_is_of_the_same_code_on_both_sides() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    write(path, &[("a.asm", ".586\n.model flat\n.code\ns: nop\nret\nend s\n")]);
    let report: serde_json::Value = serde_json::from_str(&printed(path, "a.asm --format json")).expect("JSON");
    // What a report lists of a function depends on the clocks of the run.
    let with = |rows: &[(&str, &str, u64)]| {
        let mut report = report.clone();
        let lines = report["lines"].as_array_mut().expect("lines");
        for &(function, text, clocks) in rows {
            let mut line = lines[0].clone();
            (line["file"], line["line"], line["library"]) = ("<memory>".into(), 0.into(), false.into());
            (line["function"], line["text"]) = (function.into(), text.into());
            (line["cycles"], line["reasons"]) = (clocks.into(), serde_json::json!({ "issue": clocks }));
            line["unlisted"] = u64::from(text == "code without lines").into();
            lines.push(line);
        }
        report.to_string()
    };
    let sum = "code without lines";
    let old = [
        ("fgets", sum, 4),
        ("fgets+5h", "add eax,93D4Fh", 10),
        ("fgets+Ah", "push ebp", 20),
        ("fgets+Bh", "mov eax,edx", 300),
        ("only+1h", "push ebp", 50),
        ("puts+3h", "mov eax,edx", 40),
    ];
    let new = [
        ("fgets", sum, 250),
        ("fgets+5h", "add eax,93E10h", 25),
        ("fgets+30h", "mov eax,edx", 60),
        ("only", sum, 70),
        ("puts+3h", "mov eax,edx", 90),
    ];
    write(path, &[("old.json", &with(&old)), ("new.json", &with(&new))]);
    let json = printed(path, "compare old.json new.json --format json");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let lines = json["lines"].as_array().expect("lines").iter();
    let mut told: Vec<String> = lines
        .map(|line| {
            format!(
                "{} {} {} {}",
                line["function"], line["new_text"], line["old"], line["new"]
            )
            .replace('"', "")
        })
        .collect();
    told.sort();
    assert_eq!(
        told,
        [
            // The 20 and the 300 clocks may be among the 250 of the newer run, the 60 among the 4 of the older one.
            "fgets code without lines 324 310",
            "fgets+5h add eax,93E10h 10 25",
            "only code without lines 50 70",
            "puts+3h mov eax,edx 40 90",
        ]
    );
}

#[test]
fn the_bytes_of_the_code_of_a_region_are_compared() {
    let source = |step: &str| {
        format!(
            ".586\n.model flat\n.code\nstart: mov ebp,3\nmore:\nStartTSC\nmov ecx,10\nl: {step}\ndec ecx\njnz l\n\
             EndTSC\ndec ebp\njnz more\nret\nend start\n"
        )
    };
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join("long.asm"), source("add eax,1")).expect("a file is written");
    fs::write(folder.path().join("short.asm"), source("inc eax")).expect("a file is written");
    // Of mov, add, dec and jnz.
    let report = printed(folder.path(), "--long long.asm");
    let words = report.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("; 11 bytes of code"), "{report}");
    let json: serde_json::Value =
        serde_json::from_str(&printed(folder.path(), "--format json long.asm")).expect("JSON");
    assert_eq!(json["regions"][0]["code_bytes"], 11);
    let compared = printed(folder.path(), "compare long.asm short.asm");
    assert!(
        compared.contains("  bytes of code: region line 6: 11, then 9\n"),
        "{compared}"
    );
    let json = printed(folder.path(), "compare --format json long.asm short.asm");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["regions"][0]["code_bytes"], serde_json::json!([11, 9]));
}
