//! `p5inst compare` with two reports of real runs.

use crate::started;
use started::{finished, text};
use std::fs;
use std::path::Path;

const SLOW: &str = "        .586\n        .model flat\n        .data\ntable   dd 64 dup (1)\n        .code
start:  mov esi,offset table\n        mov ecx,64\n        StartTSC sums\nnext:   add eax,[esi]
        lea esi,[esi+4]\n        dec ecx\n        jnz next\n        EndTSC\n        ret\n        end start\n";

#[test]
fn a_change_is_told_by_region_and_line_and_decides_the_exit_code() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let fast = SLOW.replace(
        "        lea esi,[esi+4]\n        dec ecx\n",
        "        add esi,4\n        dec ecx\n        nop\n",
    );
    for (name, program) in [("slow", SLOW), ("fast", &fast)] {
        fs::write(path.join(format!("{name}.asm")), program).expect("a file is written");
        let output = finished(path, &format!("{name}.asm --format json -o {name}.json"));
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    let output = finished(path, "compare slow.json fast.json --fail-over 0");
    insta::assert_snapshot!("slow_and_fast", text(&output.stdout));
    for (line, code) in [
        ("compare slow.json slow.json --fail-over 0", 0),
        ("compare slow.json fast.json", 0),
        ("compare fast.json slow.json", 0),
        ("compare fast.json slow.json --fail-over 1000%", 0),
        ("compare slow.json slow.asm", 0),
        ("compare slow.json missing.json", 2),
        ("compare - -", 2),
        ("compare slow.json fast.json --fail-over -1", 2),
        ("compare slow.json fast.json --fail-over 2%%", 2),
    ] {
        let output = finished(path, line);
        assert_eq!(output.status.code(), Some(code), "{line}: {}", text(&output.stderr));
        assert_eq!(output.stderr.is_empty(), code < 2, "{line}");
    }
    let negative = finished(path, "compare slow.json fast.json --fail-over -30%");
    assert!(
        text(&negative.stderr).contains("a share is not negative"),
        "{}",
        text(&negative.stderr)
    );
    let json = finished(path, "compare slow.json fast.json --format json --fail-over 0");
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let report = |name: &str| -> serde_json::Value {
        let bytes = fs::read(path.join(name)).expect("a report");
        serde_json::from_slice(&bytes).expect("JSON")
    };
    let (slow, fast) = (report("slow.json"), report("fast.json"));
    assert_eq!(json["total"]["old"], slow["own"]["totals"]["cycles"]);
    assert_eq!(json["total"]["new"], fast["own"]["totals"]["cycles"]);
    assert_eq!(
        json["regions"][0]["new"],
        fast["regions"][0]["warm"]["cycles"]["median"]
    );
    let (old, new) = (json["total"]["old"].as_i64(), json["total"]["new"].as_i64());
    let differences = json["lines"].as_array().expect("lines").iter();
    let clocks = |line: &serde_json::Value, side: &str| line[side].as_i64().unwrap_or(0);
    let sum: i64 = differences.map(|line| clocks(line, "new") - clocks(line, "old")).sum();
    assert_eq!(new.zip(old).map(|(new, old)| new - old), Some(sum));
    assert_eq!(
        finished(path, "compare slow.json fast.json --fail-over 0")
            .status
            .code(),
        Some(i32::from(sum > 0))
    );
    assert_eq!(
        finished(path, "compare fast.json slow.json --fail-over 0")
            .status
            .code(),
        Some(i32::from(sum < 0))
    );
    assert_ne!(sum, 0);
}

#[test]
fn inserted_lines_shift_nothing_and_what_has_no_partner_appeared_or_is_gone() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    // One line is inserted, one is replaced elsewhere, and two replace one that is equal to another line.
    let new = SLOW
        .replace("        mov ecx,64\n", "        cld\n        mov ecx,64\n")
        .replace("next:   add eax,[esi]\n", "next:   add [esi],eax\n")
        .replace(
            "        dec ecx\n",
            "        mul ecx\n        div ebx\n        dec ecx\n",
        )
        .replace("start:", "start:  mov ebx,-1\n");
    for (name, program) in [("old", SLOW), ("new", &new)] {
        fs::write(path.join(format!("{name}.asm")), program).expect("a file is written");
        finished(path, &format!("{name}.asm --format json -o {name}.json"));
    }
    let json = finished(path, "compare old.json new.json --format json");
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let lines = json["lines"].as_array().expect("lines");
    let texts = |old: &str, new: &str| {
        let is = |side: &serde_json::Value, text: &str| side.as_str().unwrap_or_default() == text;
        let mut found = lines
            .iter()
            .filter(|line| is(&line["old_text"], old) && is(&line["new_text"], new));
        found.next().is_some()
    };
    assert!(texts("next:   add eax,[esi]", "next:   add [esi],eax"), "{json:#}");
    assert!(
        texts("", "cld") && texts("", "mul ecx") && texts("", "div ebx"),
        "{json:#}"
    );
    let others = lines.iter().filter(|line| line["old_text"] != line["new_text"]);
    let numbered = others.filter(|line| !line["old_text"].is_null() && !line["new_text"].is_null());
    let renamed = "next:   add eax,[esi]";
    let moved = numbered.filter(|line| line["old_text"] != renamed && line["new_text"] != "mov esi,offset table");
    assert_eq!(moved.count(), 0, "nothing is paired for its number: {json:#}");
    // The label now precedes another instruction.
    assert!(texts("", "start:  mov ebx,-1"), "{json:#}");
    assert!(!texts("start:  mov esi,offset table", ""), "{json:#}");
}

#[test]
fn runs_that_are_not_of_the_same_work_fail_a_limit_each_with_its_reason() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let crashing = SLOW.replace(
        "        StartTSC sums\n",
        "        mov eax,ds:[0]\n        StartTSC sums\n",
    );
    let renamed = SLOW.replace("StartTSC sums", "StartTSC others");
    for (name, program, options) in [
        ("whole", SLOW, ""),
        ("crashed", &crashing, ""),
        ("cut", SLOW, " --limit 100"),
        ("renamed", &renamed, ""),
        ("p55c", SLOW, " --cpu p55c"),
        ("shadow", SLOW, " --assume shadow_reach=2"),
    ] {
        fs::write(path.join(format!("{name}.asm")), program).expect("a file is written");
        finished(path, &format!("{name}.asm --format json -o {name}.json{options}"));
    }
    for (sides, reasons) in [
        (
            "whole.json crashed.json",
            &["the newer run was stopped: fault", "region sums has no pass in the"] as &[&str],
        ),
        (
            "crashed.json crashed.json",
            &["the older run was stopped: fault", "the newer run was"],
        ),
        ("whole.json cut.json", &["the newer run was stopped: limit"]),
        ("whole.json renamed.json", &["region sums is only in the old file"]),
        ("whole.json p55c.json", &["the two runs are of different machines"]),
        (
            "whole.json shadow.json",
            &["the newer run is with `--assume shadow_reach=2`, the older one without it"],
        ),
        (
            "shadow.json whole.json",
            &["the older run is with `--assume shadow_reach=2`, the newer one without it"],
        ),
    ] {
        for (limit, code) in [("", 0), (" --fail-over 100000%", 1)] {
            let output = finished(path, &format!("compare {sides}{limit}"));
            let told = text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(output.status.code(), Some(code), "{sides}{limit}: {told}");
            for reason in reasons {
                assert!(
                    told.contains(&format!("not comparable: {reason}")),
                    "{sides}{limit}: {told}"
                );
            }
        }
        let json = finished(path, &format!("compare {sides} --fail-over 100000% --format json"));
        let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
        assert_eq!(
            (&json["ok"], json["total"]["slower"].as_bool()),
            (&false.into(), Some(false))
        );
    }
}

#[test]
fn lines_that_tie_have_one_order() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    // A macro puts many instructions on one line.
    let body: String = (0..24).map(|number| format!("        mov eax,{number}\n")).collect();
    let with = |body: &str| format!("many macro\n{body}        endm\n        many\n        ret\n");
    for (name, program) in [("old", with(&body)), ("new", with(""))] {
        fs::write(path.join(format!("{name}.asm")), program).expect("a file is written");
        finished(path, &format!("{name}.asm --format json -o {name}.json"));
    }
    let compared = || finished(path, "compare old.json new.json --all").stdout;
    let first = compared();
    assert!((0..20).all(|_| compared() == first), "{}", text(&first));
}

/// Lines of two runs that `compare` takes for one, by their numbers; a line of the newer run has none without one.
fn partners(old: &str, new: &str) -> Vec<(Option<u64>, Option<u64>)> {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    for (name, program) in [("old", old), ("new", new)] {
        fs::write(path.join(format!("{name}.asm")), program).expect("a file is written");
        let output = finished(path, &format!("{name}.asm --format json -o {name}.json"));
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    let output = finished(path, "compare old.json new.json --format json");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let lines = json["lines"].as_array().expect("lines").iter();
    lines
        .map(|line| (line["old_line"].as_u64(), line["new_line"].as_u64()))
        .collect()
}

#[test]
fn lines_of_different_regions_are_never_one() {
    let program = |touch: &str, name: &str, more: &str| {
        format!(
            ".586\n.model flat\n.data\nt dd 64 dup (1)\n.code\nstart:\n{touch}mov esi,offset t\nmov ecx,64\n\
             StartTSC {name}\nnext: add eax,[esi]\n{more}add esi,4\ndec ecx\njnz next\nEndTSC\nret\nend start\n"
        )
    };
    let touch = "mov edi,offset t\nmov edx,64\nStartTSC touch\nother: mov ebx,[edi]\nadd edi,4\ndec edx\njnz \
                 other\nEndTSC\n";
    // The newer program has an ADD EDI in place of one of the older region: it is in another region.
    let old = program("", "sums", "add edi,4\n");
    let found = partners(&old, &program(touch, "sums", ""));
    assert!(found.contains(&(Some(11), None)), "the line is gone: {found:?}");
    assert!(found.contains(&(None, Some(11))), "and this one is new: {found:?}");
    // In one region, they correspond wherever they stand, and so they do if it has another name.
    for name in ["sums", "total"] {
        let moved = program("", name, "nop\nadd edi,4\n");
        let found = partners(&old, &moved);
        assert!(!found.contains(&(Some(11), None)), "{name}: {found:?}");
    }
    // A region that is put around lines does not make them new.
    let plain = old.replace("StartTSC sums\n", "").replace("EndTSC\n", "");
    let found = partners(&plain, &old);
    assert!(found.iter().all(|(before, _)| before.is_some()), "{found:?}");
}

#[test]
fn beginnings_and_functions_of_two_crates_correspond_and_broken_budgets_are_told() {
    let tutorial = Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots/tutorials/10_c_program");
    let folder = tempfile::tempdir().expect("a temporary directory");
    let run = finished(&tutorial, "--format json tally.elf");
    let run: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let save = |name: &str, other: &str, more: u64| {
        let mut run = run.clone();
        run["program"] = name.into();
        for list in ["lines", "functions"] {
            for row in run[list].as_array_mut().expect("rows") {
                if row["file"] == "tally.c" {
                    row["file"] = format!("{name}.rs").into();
                }
                // As Rust names them.
                if let Some(function) = row["name"].as_str().filter(|function| *function != "_start") {
                    row["name"] = match function {
                        "tally" => format!("<{name}::Tally as {name}::Counts>::tally"),
                        "next" => format!("core::ptr::drop_in_place::<[{name}::Next]>"),
                        _ => format!("{name}::{function}"),
                    }
                    .into();
                }
                if row["line"] == 15 {
                    row["cycles"] = (row["cycles"].as_u64().expect("clocks") + more).into();
                }
            }
        }
        // A file of the library that only one of them has.
        let mut library = run["lines"][0].clone();
        library["file"] = other.into();
        run["lines"].as_array_mut().expect("rows").push(library);
        run["budgets"] = serde_json::json!([{ "ok": more == 0 }]);
        fs::write(folder.path().join(format!("{name}.json")), run.to_string()).expect("a file is written");
    };
    save("one", "zip.rs", 0);
    save("two", "map.rs", 90_000);
    let told = started::printed(folder.path(), "compare one.json two.json --format json");
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    let lines = told["lines"].as_array().expect("lines");
    let changed = lines
        .iter()
        .find(|line| line["new_line"] == 15)
        .expect("it has changed");
    assert_eq!(
        (&changed["old_line"], &changed["difference"]),
        (&15.into(), &90_000.into())
    );
    assert_eq!(told["functions"], serde_json::json!([]), "all functions correspond");
    assert_eq!(
        (&told["old"]["failed_budgets"], &told["new"]["failed_budgets"]),
        (&serde_json::Value::Null, &1.into())
    );
    let told = started::printed(folder.path(), "compare one.json two.json");
    assert!(told.contains("the newer run does not keep 1 budget"), "{told}");
}

#[test]
fn results_that_differ_and_budgets_that_fail_are_named() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let save = |name: &str, value: &str| {
        let source = format!(
            "; p5: sum == 6\n.586\n.model flat\n.data\nsum dd 0\nall dd 3 dup(0)\nsame dd 0\n.code\n\
             s: mov sum,{value}\nmov all+4,{value}\nmov same,1\nret\nend s\n"
        );
        fs::write(folder.path().join(format!("{name}.asm")), source).expect("a file is written");
        finished(folder.path(), &format!("{name}.asm --format json -o {name}.json"));
    };
    save("one", "6");
    save("two", "7");
    let told = started::printed(folder.path(), "compare one.json two.json");
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "the newer run does not keep 1 budget: `sum == 6 (line 1)`",
        "the two runs end with other values of `sum` (6, then 7), `all[1]` (6, then 7)",
    ] {
        assert!(told.contains(words), "{told}");
    }
    assert!(!told.contains("`same`"), "{told}");
    let told: serde_json::Value = serde_json::from_str(&started::printed(
        folder.path(),
        "compare one.json two.json --format json",
    ))
    .expect("JSON");
    assert_eq!(
        told["results"][0],
        serde_json::json!({"name": "sum", "old": 6, "new": 7})
    );
    assert_eq!(told["new"]["failed"], serde_json::json!(["sum == 6 (line 1)"]));
}

#[test]
fn all_bytes_of_a_variable_are_compared_and_only_what_they_are_at_the_end() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let point = "pt struct\nx dd ?\nz sdword ?\nw real8 ?\npt ends\n";
    // Data and code of both runs, and what is told.
    let cases: [([&str; 2], [&str; 2], &str); 16] = [
        (
            ["n dd 100 dup(1)"; 2],
            ["mov n[396],5", "mov n[396],9"],
            "`n[99]` (5, then 9)",
        ),
        (["n dd 5000 dup(1)"; 2], ["mov n[19996],5", "nop"], "`n`"),
        // Both change the same element first; another one differs.
        (
            ["n dd 100 dup(1)"; 2],
            ["mov n,2\nmov n[396],5", "mov n,2\nmov n[396],6"],
            "`n[99]` (5, then 6)",
        ),
        (
            ["n dd 5000 dup(1)"; 2],
            ["mov n,2\nmov n[19996],5", "mov n,2\nmov n[19996],6"],
            "`n`",
        ),
        (
            ["n real10 0.0"; 2],
            ["fld1\nfstp n", "fldpi\nfstp n"],
            "`n` (1.0, then about 3.141592653589793)",
        ),
        (
            ["n real8 0.0"; 2],
            ["fld1\nfstp n", "fldpi\nfstp n"],
            "`n` (1.0, then 3.141592653589793)",
        ),
        (["n real8 2.0", "n real8 3.0"], ["nop"; 2], "`n` (2.0, then 3.0)"),
        (
            ["n real4 3 dup(0.0)"; 2],
            ["fld1\nfstp n[4]", "fldpi\nfstp n[4]"],
            "`n[1]` (1.0, then 3.1415927)",
        ),
        (["n sbyte 0"; 2], ["mov n,-1", "mov n,-2"], "`n` (-1, then -2)"),
        (
            ["n pt <1,2,0.0>"; 2],
            ["mov n.z,-7", "mov n.z,-8"],
            "`n.z` (-7, then -8)",
        ),
        (["n pt <1,2,0.0>"; 2], ["fld1\nfstp n.w", "fldz\nfstp n.x"], "`n`"),
        (
            ["n pt 2 dup(<1,2,0.0>)"; 2],
            ["mov n[16].x,3", "mov n[16].x,4"],
            "`n[1].x` (3, then 4)",
        ),
        // What leads there does not count.
        (["n dd 1,2", "n dd 5,2"], ["mov n,5", "nop"], ""),
        (["n dd 1,2,3,4,6", "n dd 5,2,3,4,6"], ["mov n,5", "nop"], ""),
        (
            ["n dd 5000 dup(1)", "n dd 4999 dup(1),7"],
            ["mov n[19996],7", "nop"],
            "",
        ),
        // What no run changed is no result.
        (["n dd 5000 dup(1)", "n dd 4999 dup(1),7"], ["nop", "nop"], ""),
    ];
    for (data, code, expected) in cases {
        for (name, side) in [("one", 0), ("two", 1)] {
            let source = format!(
                ".586\n.model flat\n{point}.data\n{}\n.code\ns: {}\nret\nend s\n",
                data[side], code[side]
            );
            fs::write(folder.path().join(format!("{name}.asm")), source).expect("a file is written");
            finished(folder.path(), &format!("{name}.asm --format json -o {name}.json"));
        }
        let told = started::printed(folder.path(), "compare one.json two.json");
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        let found = told
            .split_once("end with other values of ")
            .map_or("", |(_, values)| values);
        let found = found.split(" Functions that changed").next().unwrap_or_default();
        let found = found.split(" the same in both").next().unwrap_or_default();
        assert_eq!(found, expected, "{data:?} {code:?}: {told}");
    }
}

#[test]
fn variables_of_one_name_are_compared_with_their_own() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let save = |name: &str, first: &str, second: &str| {
        let start = ".586\n.model flat\n.data\nn dd 0,0\n.code\n";
        let one = format!("extrn two:proc\n{start}s: mov n+4,{first}\ncall two\nret\nend s\n");
        let two = format!("public two\n{start}two: mov n+4,{second}\nret\nend\n");
        for (file, text) in [("one.asm", one), ("two.asm", two)] {
            fs::write(folder.path().join(file), text).expect("a file is written");
        }
        finished(folder.path(), &format!("one.asm two.asm --format json -o {name}.json"));
    };
    save("a", "1", "2");
    save("b", "1", "2");
    save("c", "5", "2");
    let told = started::printed(folder.path(), "compare a.json b.json");
    assert!(!told.contains("other values"), "{told}");
    let told = started::printed(folder.path(), "compare a.json c.json");
    assert!(told.contains("end with other values of `n[1]` (1, then 5)"), "{told}");
}

#[test]
fn functions_of_a_namespace_with_the_name_of_the_program_correspond() {
    let tutorial = Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots/tutorials/10_c_program");
    let folder = tempfile::tempdir().expect("a temporary directory");
    let run = finished(&tutorial, "--format json tally.elf");
    let run: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
    for (name, more) in [("vec", 0), ("vec2", 7)] {
        let mut run = run.clone();
        run["program"] = name.into();
        for function in run["functions"].as_array_mut().expect("rows") {
            if let Some(own) = function["name"].as_str().filter(|own| *own != "_start") {
                function["name"] = format!("vec::{own}").into();
                function["cycles"] = (function["cycles"].as_u64().expect("clocks") + more).into();
            }
        }
        fs::write(folder.path().join(format!("{name}.json")), run.to_string()).expect("a file is written");
    }
    let told = started::printed(folder.path(), "compare vec.json vec2.json --format json");
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    let functions = told["functions"].as_array().expect("functions");
    assert!(!functions.is_empty());
    for function in functions {
        assert!(
            function["name"].as_str().is_some_and(|name| name.starts_with("vec::")),
            "{function}"
        );
        assert!(
            function["difference"].as_u64().is_some_and(|more| more % 7 == 0),
            "{function}"
        );
    }
}

#[test]
fn what_both_runs_wait_for_is_told() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let program = |copy: &str| {
        format!(
            ".586\n.model flat\n.data\na dd 16384 dup (1)\nb dd 16384 dup (0)\n.code\nstart: mov esi,offset a\n\
             mov edi,offset b\nmov ecx,16384\n{copy}\nret\nend start\n"
        )
    };
    let loop_of_moves = "l: mov eax,[esi]\nmov [edi],eax\nadd esi,4\nadd edi,4\ndec ecx\njnz l";
    let files = [
        ("a.asm", "rep movsd"),
        ("b.asm", loop_of_moves),
        ("c.asm", "l: dec ecx\njnz l"),
    ];
    for (name, copy) in files {
        fs::write(folder.path().join(name), program(copy)).expect("a file is written");
    }
    let told = |names: &str| {
        let output = finished(folder.path(), &format!("compare {names}"));
        text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let both = told("a.asm b.asm");
    assert!(
        both.contains("both wait most for one thing, `write buffer full`: "),
        "{both}"
    );
    let one = told("a.asm c.asm");
    assert!(!one.contains("both wait"), "{one}");
}
