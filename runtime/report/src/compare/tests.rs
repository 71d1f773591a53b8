//! Compares the specimen with itself and with changed copies of its report.

use super::*;
use crate::{Detail, specimen};
use serde_json::Value;

fn json(run: &p5_results::Run) -> Vec<u8> {
    let mut bytes = Vec::new();
    let style = Style::plain(80, Detail::Long);
    crate::write(Format::Json, run, &style, &mut bytes).expect("a vector takes everything");
    bytes
}

/// The specimen's report with the changes that `change` makes.
fn saved(name: &str, change: impl FnOnce(&mut Value)) -> SavedRun {
    let mut report: Value = serde_json::from_slice(&json(&specimen::run())).expect("JSON");
    change(&mut report);
    SavedRun::read(name, report.to_string().as_bytes()).expect("a report")
}

fn text(comparison: &Comparison, width: usize) -> String {
    let style = Style::plain(width, Detail::Short);
    let mut bytes = Vec::new();
    comparison.write(Format::Text, &style, &mut bytes).expect("written");
    String::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn a_run_equals_itself_whatever_the_main_file_is_called() {
    let old = saved("old.json", |_| ());
    let new = saved("new.json", |report| {
        let name = report["program"].take();
        report["program"] = "another.asm".into();
        for list in ["lines", "regions"] {
            for row in report[list].as_array_mut().expect("a list") {
                if row["file"] == name {
                    row["file"] = "another.asm".into();
                }
            }
        }
    });
    let comparison = Comparison::of(&old, &new, Some(0));
    assert!(comparison.ok() && comparison.same());
}

#[test]
fn what_changed_appeared_and_is_gone() {
    let old = saved("old.json", |_| ());
    let new = saved("new.json", |report| {
        report["own"]["totals"]["cycles"] = 1_000_000.into();
        report["cpu"] = "p5".into();
        report["regions"][0]["warm"]["cycles"]["median"] = 1.into();
        report["regions"][1]["name"] = "new\u{1b}[2J".into();
        let lines = report["lines"].as_array_mut().expect("lines");
        lines.retain(|line| line["library"] == false);
        lines[0]["cycles"] = 12_345.into();
        lines[1]["text"] = "  replaced  ".into();
        lines[1]["cycles"] = 7_777.into();
    });
    let comparison = Comparison::of(&old, &new, Some(2 * PERCENT));
    assert!(!comparison.ok() && !comparison.same());
    for width in [80, 40] {
        let told = text(&comparison, width);
        assert!(!told.contains('\u{1b}'));
        let wide = told.lines().find(|line| line.chars().count() > 80);
        assert_eq!(wide, None, "{told}");
    }
    insta::assert_snapshot!("comparison", text(&comparison, 80));
}

/// The report of a C program without regions: a line of `file`, and code of a library without lines.
fn compiled(name: &str, file: &str, [own, library]: [u64; 2], jump: &str) -> SavedRun {
    saved(name, |report| {
        report["regions"] = Value::Array(Vec::new());
        let with = |line: &Value, changes: &[(&str, Value)]| {
            let mut line = line.clone();
            line["library"] = false.into();
            for (field, value) in changes {
                line[*field] = value.clone();
            }
            line
        };
        let line = report["lines"][0].clone();
        let nowhere = || [("file", "<memory>".into()), ("line", 0.into())];
        report["lines"] = Value::Array(vec![
            with(
                &line,
                &[
                    ("file", file.into()),
                    ("text", "sum += x[i];".into()),
                    ("cycles", own.into()),
                ],
            ),
            with(
                &line,
                &[
                    &nowhere()[..],
                    &[("function", "copy+1Ah".into()), ("text", jump.into())],
                ]
                .concat(),
            ),
            with(
                &line,
                &[
                    &nowhere()[..],
                    &[("function", "08049018h".into()), ("text", "ret".into())],
                ]
                .concat(),
            ),
        ]);
        report["lines"][1]["cycles"] = library.into();
        let functions = [("main", own), ("copy", library)].into_iter();
        let functions = functions.map(|(name, cycles)| serde_json::json!({ "name": name, "cycles": cycles }));
        report["functions"] = functions.collect();
    })
}

#[test]
fn programs_of_one_file_each_correspond_whatever_its_name_and_functions_wherever_they_lie() {
    let old = compiled("old.json", "sum.c", [5_000, 300], "jne 08049010h");
    let new = compiled("new.json", "faster.c", [2_000, 400], "jne 08049040h");
    let comparison = Comparison::of(&old, &new, None);
    insta::assert_snapshot!("comparison_of_compiled_programs", text(&comparison, 80));
    let lines: Vec<_> = comparison.lines.iter().map(|line| line.clocks.difference).collect();
    assert_eq!(lines, [Some(-3_000), Some(100)]);
}

#[test]
fn a_function_is_compared_with_all_its_inlined_copies() {
    let run = |name: &str, functions: &[(&str, Option<&str>, Option<&str>, u64)]| {
        let plain = |report: &mut Value| {
            report["regions"] = Value::Array(Vec::new());
            let functions = functions.iter().map(|&(name, file, inlined_into, cycles)| {
                serde_json::json!({ "name": name, "file": file, "inlined_into": inlined_into, "cycles": cycles })
            });
            report["functions"] = functions.collect();
        };
        saved(name, plain)
    };
    let sort = Some("sort.c");
    let old = run(
        "old.json",
        &[
            ("sort", sort, None, 8_000),
            ("min", Some("a.c"), None, 50),
            ("cold", None, None, 9),
        ],
    );
    let new = run(
        "new.json",
        &[
            ("sort", sort, Some("sort"), 6_000),
            ("sort", sort, None, 1_000),
            // A function of another file, and two of which no file is known, are others.
            ("min", Some("a.c"), None, 70),
            ("min", Some("b.c"), None, 30),
            ("cold", None, None, 9),
            ("cold", None, None, 5),
        ],
    );
    let comparison = Comparison::of(&old, &new, None);
    let functions = comparison
        .functions
        .iter()
        .map(|one| (&*one.name, one.clocks.old, one.clocks.new));
    assert_eq!(
        functions.collect::<Vec<_>>(),
        [
            ("sort", Some(8_000), Some(7_000)),
            ("min", None, Some(30)),
            ("min", Some(50), Some(70)),
            ("cold", None, Some(5)),
        ]
    );
}

/// The report of a program with these lines and functions, each with its clocks.
fn program(name: &str, total: u64, lines: &[(&str, u64)], functions: &[(&str, u64)]) -> SavedRun {
    saved(name, |report| {
        report["own"]["totals"]["cycles"] = total.into();
        report["regions"] = Value::Array(Vec::new());
        let line = report["lines"][0].clone();
        let lines = lines.iter().enumerate().map(|(number, &(text, clocks))| {
            let mut line = line.clone();
            line["library"] = false.into();
            line["line"] = (number + 1).into();
            line["text"] = text.into();
            line["cycles"] = clocks.into();
            line
        });
        report["lines"] = lines.collect();
        let functions = functions.iter();
        let functions = functions.map(|&(name, cycles)| serde_json::json!({ "name": name, "cycles": cycles }));
        report["functions"] = functions.collect();
    })
}

#[test]
fn lines_without_a_counterpart_are_gone_and_new() {
    let old = [
        ("xor al,al", 1),
        ("mov ecx,-1", 2),
        ("cld", 2),
        ("repne scasb", 4013),
        ("not ecx", 9),
        ("imul eax,eax,10", 4500),
        ("next: movzx eax,byte ptr [esi]", 30),
        ("add esi,4", 70),
        ("h = (h * 31 + *s++) % 1021;", 900),
    ];
    let new = [
        ("mov ecx,-1", 3),
        ("l: mov al,[edi+ecx+1]", 1002),
        ("inc ecx", 7),
        ("test al,al", 1001),
        ("add eax,eax", 500),
        ("next: mov al,[esi]", 20),
        ("lea esi,[esi+4]", 60),
        ("h = h * 31 + *s++;", 300),
    ];
    let comparison = Comparison::of(
        &program("old.json", 9_527, &old, &[]),
        &program("new.json", 2_893, &new, &[]),
        None,
    );
    let mut pairs: Vec<(Option<&str>, Option<&str>)> = Vec::new();
    for line in &comparison.lines {
        pairs.push((line.old_text.as_deref(), line.new_text.as_deref()));
    }
    for (before, after) in [
        ("mov ecx,-1", "mov ecx,-1"),
        ("next: movzx eax,byte ptr [esi]", "next: mov al,[esi]"),
        ("add esi,4", "lea esi,[esi+4]"),
        ("h = (h * 31 + *s++) % 1021;", "h = h * 31 + *s++;"),
    ] {
        assert!(pairs.contains(&(Some(before), Some(after))), "{before}: {pairs:?}");
    }
    for gone in ["xor al,al", "cld", "repne scasb", "not ecx", "imul eax,eax,10"] {
        assert!(pairs.contains(&(Some(gone), None)), "{gone}: {pairs:?}");
    }
    for appeared in ["l: mov al,[edi+ecx+1]", "inc ecx", "test al,al", "add eax,eax"] {
        assert!(pairs.contains(&(None, Some(appeared))), "{appeared}: {pairs:?}");
    }
}

#[test]
fn small_changes_are_one_row_unless_all_are_asked_for() {
    let with = |first: u64, each: u64| -> Vec<(String, u64)> {
        let small = (0..30).map(|number| (format!("add eax,{number}"), each + number % 2));
        [("rep movsd".to_owned(), first)].into_iter().chain(small).collect()
    };
    let borrowed = |lines: &[(String, u64)]| -> SavedRun {
        let lines: Vec<(&str, u64)> = lines.iter().map(|(text, clocks)| (&**text, *clocks)).collect();
        program("a.json", 100_000, &lines, &lines)
    };
    let (old, new) = (borrowed(&with(90_000, 20)), borrowed(&with(50_000, 119)));
    let comparison = Comparison::of(&old, &new, None);
    let short = text(&comparison, 80);
    // 30 changes of 99 clocks each, of 100,000, in each of both tables.
    let row = |line: &&str| {
        line.split_whitespace().collect::<Vec<_>>() == ["30", "smaller", "615", "3585", "+2970", "+482.9%"]
    };
    assert_eq!(short.lines().filter(row).count(), 2, "{short}");
    assert!(
        short.contains("`--long` shows each") && !short.contains("add eax"),
        "{short}"
    );
    let style = Style::plain(80, Detail::All);
    let mut bytes = Vec::new();
    comparison.write(Format::Text, &style, &mut bytes).expect("written");
    let all = String::from_utf8(bytes).expect("UTF-8");
    assert_eq!(all.matches("add eax,").count(), 60, "{all}");
    assert!(!all.contains("smaller"), "{all}");
    // A tenth of a percent is shown.
    let comparison = Comparison::of(&borrowed(&with(90_000, 20)), &borrowed(&with(50_000, 120)), None);
    let text = text(&comparison, 80);
    assert_eq!(
        text.matches("add eax,").count(),
        9 + 19,
        "ten functions and twenty lines: {text}"
    );
}

#[test]
fn at_80_columns_lines_of_several_files_stay_a_table() {
    let of = |clocks: u64| {
        saved("a.json", |report| {
            report["own"]["totals"]["cycles"] = 2_000_000.into();
            report["regions"] = Value::Array(Vec::new());
            let line = report["lines"][0].clone();
            let with = |file: &str, number: u64, function: Option<&str>, text: &str, clocks: u64| {
                let mut line = line.clone();
                line["library"] = false.into();
                line["file"] = file.into();
                line["line"] = number.into();
                if let Some(function) = function {
                    line["function"] = function.into();
                }
                line["text"] = text.into();
                line["cycles"] = clocks.into();
                line
            };
            let long = "if (isalpha(c)) { if (n < 23) buf[n++] = tolower(c); }";
            report["lines"] = Value::Array(vec![
                with("long_name_of_a_source.c", 1044, None, long, clocks),
                with(
                    "<memory>",
                    0,
                    Some("__memset_sse2_rep+38Ah"),
                    "je 08064558h",
                    2 * clocks,
                ),
            ]);
        })
    };
    let told = text(&Comparison::of(&of(600_000), &of(10_000), None), 80);
    let rows: Vec<&str> = told.lines().filter(|line| line.contains("-98.3%")).collect();
    assert_eq!(rows.len(), 2, "a row each:\n{told}");
    assert!(rows.iter().any(|row| row.contains("if (isalpha(c)) {")), "{told}");
    assert!(
        rows.iter()
            .any(|row| row.contains("+38Ah") && row.contains("je 08064558h")),
        "{told}"
    );
    assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
}

#[test]
fn places_of_code_without_lines_have_the_room_of_numbers() {
    let of = |clocks: u64| {
        saved("a.json", |report| {
            report["own"]["totals"]["cycles"] = 2_000_000.into();
            report["regions"] = Value::Array(Vec::new());
            let line = report["lines"][0].clone();
            let names = ["getchar+C6h", "getc_unlocked+1Ah"];
            let lines = names.map(|name| {
                let mut line = line.clone();
                (line["library"], line["file"], line["line"]) = (false.into(), "<memory>".into(), 0.into());
                (line["function"], line["cycles"]) = (name.into(), clocks.into());
                line["text"] = "mov dword ptr [eax+edx*4+stdin_buffer],ecx".into();
                line
            });
            report["lines"] = Value::Array(lines.to_vec());
        })
    };
    let told = text(&Comparison::of(&of(600_000), &of(10_000), None), 80);
    let row = told
        .lines()
        .find(|line| line.contains("getchar+C6h"))
        .unwrap_or_default();
    assert!(row.contains("mov dword ptr") && row.contains("-98.3%"), "{told}");
    assert!(
        !told.lines().any(|line| line.trim_start().starts_with("place  line")),
        "{told}"
    );
}

#[test]
fn a_variant_stands_only_for_a_function_that_the_other_run_has() {
    let compared = |old: &[(&str, u64)], new: &[(&str, u64)]| -> Vec<(String, Option<u64>, Option<u64>)> {
        let [old, new] = [old, new].map(|functions| program("a.json", 100, &[], functions));
        let comparison = Comparison::of(&old, &new, None);
        let functions = comparison.functions.into_iter();
        let mut found: Vec<_> = functions
            .map(|one| (one.name, one.clocks.old, one.clocks.new))
            .collect();
        found.sort();
        found
    };
    let row = |name: &str, old: Option<u64>, new: Option<u64>| (name.to_owned(), old, new);
    // Both variants are what the function was.
    let both = [("f.part.0", 10), ("g", 1), ("f.constprop.1", 5)];
    assert_eq!(compared(&[("f", 40), ("g", 1)], &both), [row("f", Some(40), Some(15))]);
    assert_eq!(compared(&both, &[("f", 40), ("g", 1)]), [row("f", Some(15), Some(40))]);
    // No run has `f` itself.
    assert_eq!(
        compared(&[("g", 1)], &[("g", 1), ("f.part.0", 10)]),
        [row("f.part.0", None, Some(10))]
    );
    // The run has the function beside its variant.
    assert_eq!(
        compared(&[("f", 40)], &[("f", 30), ("f.part.0", 9)]),
        [row("f", Some(40), Some(30)), row("f.part.0", None, Some(9))]
    );
    // The other run has the same variant.
    assert_eq!(
        compared(&[("f.part.0", 7), ("f", 1)], &[("f.part.0", 9)]),
        [row("f", Some(1), None), row("f.part.0", Some(7), Some(9))]
    );
}

#[test]
fn the_limit_is_exact() {
    let slower = |old, new, limit| Pair::of(Some(old), Some(new), Some(limit)).slower;
    assert!(!slower(100, 102, 2 * PERCENT) && slower(100, 103, 2 * PERCENT));
    assert!(slower(1_000_000_000, 1_000_000_001, 0) && !slower(1_000_000_000, 1_000_000_001, 1));
    assert!(slower(0, 1, 100 * PERCENT) && !slower(u64::MAX, u64::MAX, 0) && !slower(9, 3, 0));
    assert_eq!(Pair::of(Some(1), None, Some(0)).difference, None);
    assert_eq!(Pair::of(Some(u64::MAX), Some(1), None).difference, Some(i64::MIN));
}

#[test]
fn what_is_no_report_of_this_version_is_said_with_how_to_make_one() {
    let whole = json(&specimen::run());
    let version = String::from_utf8_lossy(&whole).replacen("\"schema_version\": 2", "\"schema_version\": 9", 1);
    let without = String::from_utf8_lossy(&whole).replacen("\"cpl\":", "\"level\":", 1);
    for (bytes, why) in [
        (&whole[..whole.len() / 2], "is cut off in line"),
        (b"", "is cut off in line"),
        (b"hello", "is not JSON: line 1, column 1"),
        (b"\xff\xfe", "is not JSON"),
        (b"{\"schema_version\": 2}", "is JSON, but not the report of a run"),
        (b"[1]", "is JSON, but not the report of a run"),
        (
            b"{\"schema_version\": 2, \"errors\": []}",
            "tells the errors of a source, which was not run",
        ),
        (version.as_bytes(), "has schema version 9; this p5inst knows version 2"),
        (
            without.as_bytes(),
            "does not follow `p5inst schema`: missing field `cpl`",
        ),
    ] {
        let error = SavedRun::read("a.json", bytes).expect_err(why);
        assert!(error.starts_with("`a.json` ") && error.contains(why), "{error}");
        assert!(
            error.contains("`p5inst FILE.asm --format json -o NAME` makes one"),
            "{error}"
        );
    }
    assert!(SavedRun::read("a.json", &whole).is_ok());
}

#[test]
fn lines_of_an_unchanged_file_correspond_by_number_alone() {
    let with = |lines: &[(u32, &str, u64)]| {
        saved("run.json", |report| {
            let row = report["lines"][0].clone();
            let row = |&(line, text, cycles): &(u32, &str, u64)| {
                let mut row = row.clone();
                for (name, value) in [
                    ("file", Value::from("mm.c")),
                    ("line", line.into()),
                    ("text", text.into()),
                    ("cycles", cycles.into()),
                    ("library", false.into()),
                ] {
                    row[name] = value;
                }
                row
            };
            report["lines"] = lines.iter().map(row).collect();
            report["program"] = "mm.c".into();
            report["regions"] = Value::Array(Vec::new());
        })
    };
    let told = |old: &[(u32, &str, u64)], new: &[(u32, &str, u64)]| -> Vec<(Option<u32>, Option<u32>)> {
        let comparison = Comparison::of(&with(old), &with(new), None);
        let lines = comparison.lines.iter();
        lines.map(|line| (line.old_line, line.new_line)).collect()
    };
    let old = [
        (9, "int i = 0;", 1),
        (10, "fill(i);", 2),
        (29, "s += a[k] * b[k];", 9),
        (30, "c[j] = s;", 8),
    ];
    let new = [(9, "int i = 0;", 1), (10, "fill(i);", 3), (22, "c[j] += t;", 7)];
    // Other lines of one source were compiled.
    assert_eq!(
        told(&old, &new),
        [
            (Some(29), None),
            (Some(30), None),
            (None, Some(22)),
            (Some(10), Some(10))
        ]
    );
    // A change of a line that both executed makes it another source.
    let changed = new.map(|(line, text, cycles)| (line, if line == 10 { "fill(&i);" } else { text }, cycles));
    assert!(told(&old, &changed).contains(&(Some(30), Some(22))));
}
