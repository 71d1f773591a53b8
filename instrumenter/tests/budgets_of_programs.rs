//! Budgets in the sources of a program that another tool has built: C, by the lines of its debugging information.

use crate::started;
use serde_json::Value;
use started::{finished, text};
use std::fs;
use std::path::Path;

/// A folder with the program of a tutorial and its source, with these comments added after lines of it.
fn folder(comments: &[(usize, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let tutorial = Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots/tutorials/10_c_program");
    fs::copy(tutorial.join("tally.elf"), folder.path().join("tally.elf")).expect("a program is copied");
    let source = fs::read_to_string(tutorial.join("tally.c")).expect("a source");
    let lines = (1..).zip(source.lines()).map(|(number, line)| {
        let added = comments.iter().find(|(at, _)| *at == number);
        format!("{line}{}\n", added.map_or("", |(_, comment)| comment))
    });
    fs::write(folder.path().join("tally.c"), lines.collect::<String>()).expect("a file is written");
    folder
}

#[test]
fn budgets_in_c_concern_lines_and_functions_by_the_debugging_information() {
    let folder = folder(&[
        (10, " // p5: cycles <= 600000, instructions > 80000"),
        (13, " /* p5: cycles <= 99 */"),
        (15, " // p5: cycles <= 3, agi <= 1"),
        (28, " // p5: slots == 0"),
    ]);
    let output = finished(folder.path(), "--format json tally.elf");
    // `slots` is a table and no number.
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("`slots` is not one whole number"));
    let source = fs::read_to_string(folder.path().join("tally.c")).expect("a source");
    fs::write(folder.path().join("tally.c"), source.replace("p5: slots", "slots")).expect("a file is written");

    let output = finished(folder.path(), "--format json tally.elf");
    // The program's own exit code is 26; that of p5inst tells of the budgets.
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let lines = report["lines"].as_array().expect("lines");
    let line = |number: u64| lines.iter().find(|line| line["line"] == number).expect("executed");
    let budgets = report["budgets"].as_array().expect("budgets");
    let told: Vec<(&str, bool)> = (budgets.iter())
        .map(|one| (one["of"].as_str().expect("a place"), one["ok"] == true))
        .collect();
    assert_eq!(
        told,
        [
            ("function tally, line 10", true),
            ("function tally, line 10", true),
            ("line 13", true),
            ("line 15", false),
            ("line 15", true)
        ]
    );
    // The function is called once; its clocks are those of its lines and of what is inlined into it.
    let of_function: u64 = (lines
        .iter()
        .filter(|line| (7..=17).contains(&line["line"].as_u64().unwrap_or(0))))
    .map(|line| line["cycles"].as_u64().expect("clocks"))
    .sum();
    assert_eq!(
        (&budgets[0]["amount"], &budgets[0]["per"]),
        (&of_function.into(), &1.into())
    );
    // A line is executed as often as the loop, whatever the compiler did before the loop.
    assert_eq!(budgets[3]["amount"], line(15)["cycles"]);
    assert_eq!(budgets[3]["per"], 10_000);
    assert!(
        text(&output.stderr).contains("tally.c:15:"),
        "the caret is at the budget in the source: {}",
        text(&output.stderr)
    );

    let junit = finished(folder.path(), "--format junit tally.elf");
    assert!(
        text(&junit.stdout).contains("tests=\"5\" failures=\"1\""),
        "{}",
        text(&junit.stdout)
    );
    let sweep = finished(folder.path(), "sweep --cpu p54c,p55c tally.elf");
    assert_eq!(sweep.status.code(), Some(1), "{}", text(&sweep.stderr));
    assert!(
        text(&sweep.stderr).contains("the budget is at most 3"),
        "{}",
        text(&sweep.stderr)
    );
}

#[test]
fn a_local_variable_is_no_result_and_a_colon_is_missed() {
    let folder = folder(&[(13, " // p5: seed == 4"), (15, " // p5 cycles <= 3")]);
    let output = finished(folder.path(), "tally.elf");
    assert_eq!(output.status.code(), Some(2));
    let told = text(&output.stderr);
    assert!(
        told.contains("`seed` is a local variable") && told.contains("copy `seed` to a global"),
        "{told}"
    );
    assert!(
        told.contains("warning: this comment is no budget") && told.contains("tally.c:15:"),
        "{told}"
    );
}

#[test]
fn a_line_of_which_no_code_ran_does_not_keep_its_budget() {
    // The function is inlined, so that no code begins in its line.
    let folder = folder(&[(5, " // p5: cycles <= 99")]);
    let output = finished(folder.path(), "tally.elf");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let told = text(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("the budget `cycles <= 99` is not judged"), "{told}");
    assert!(
        told.contains("the compiler inlined `next` in line 14: limit the lines that call it"),
        "{told}"
    );
    let report = text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(report.contains("the compiler inlined `next` in line 14"), "{report}");
}

#[test]
fn a_line_that_calls_a_function_does_not_keep_a_budget_of_clocks() {
    let folder = folder(&[(30, " // p5: cycles <= 20")]);
    let output = finished(folder.path(), "tally.elf");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let told = text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("the line calls a function, whose clocks are not its own"),
        "{told}"
    );
    // A share of its own clocks is its own.
    let folder = self::folder(&[(30, " // p5: cpi >= 1")]);
    let output = finished(folder.path(), "tally.elf");
    assert!(
        !text(&output.stdout).contains("whose clocks are not its own"),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn a_line_has_the_code_of_the_functions_that_are_inlined_there() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let objects = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects");
    fs::copy(objects.join("inlined.elf"), folder.path().join("inlined.elf")).expect("a program is copied");
    let source = fs::read_to_string(objects.join("inlined.c")).expect("a source");
    let judged = |limits: &[(&str, &str)]| {
        let with = limits.iter().fold(source.clone(), |source, (line, limit)| {
            assert_eq!(source.matches(line).count(), 1, "{line}");
            source.replace(line, &format!("{line} // p5: {limit}"))
        });
        fs::write(folder.path().join("inlined.c"), with).expect("a file is written");
        let output = finished(folder.path(), "--format json inlined.elf");
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        (text(&output.stderr).to_owned(), report)
    };
    let (_, report) = judged(&[
        ("        put(i);", "cycles <= 1"),
        ("        total += sum(text + (i & 31));", "cycles <= 1"),
        ("        both(i);", "cycles <= 1"),
    ]);
    let budgets = report["budgets"].as_array().expect("budgets");
    let told: Vec<(&str, u64)> = (budgets.iter())
        .map(|one| {
            (
                one["of"].as_str().expect("a place"),
                one["per"].as_u64().expect("executions"),
            )
        })
        .collect();
    // The rounds of the loops around them, and not those within.
    assert_eq!(told, [("line 31", 300), ("line 33", 100), ("line 35", 50)]);
    for (budget, name) in budgets.iter().zip(["put", "sum", "both"]) {
        let why = budget["reason"].as_str().expect("a reason");
        assert!(why.contains(&format!("with `{name}`, inlined here")), "{why}");
    }
    // Together they have all lines of the functions, and what is their own.
    let lines = report["lines"].as_array().expect("lines");
    let of = |numbers: &[u64]| -> u64 {
        let wanted = lines
            .iter()
            .filter(|line| numbers.contains(&line["line"].as_u64().unwrap_or(0)));
        wanted.map(|line| line["cycles"].as_u64().expect("clocks")).sum()
    };
    let all: u64 = budgets.iter().map(|one| one["amount"].as_u64().expect("clocks")).sum();
    assert_eq!(all, of(&[11, 12, 16, 17, 18, 24, 33]));

    // Within a function that is inlined itself; and where a function is declared of which all copies are inlined.
    let (told, report) = judged(&[
        ("static inline void put(unsigned char c)", "cycles <= 2"),
        ("\n    put(i);", "cycles <= 99"),
    ]);
    let budgets = report["budgets"].as_array().expect("budgets");
    assert_eq!((&budgets[1]["per"], &budgets[1]["ok"]), (&50.into(), &true.into()));
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    let advice = "the compiler inlined `put` in line 23, line 31: limit the lines that call it or its own, as its code \
                  counts for both, or keep it apart by";
    assert!(told.contains(advice), "{told}");

    let changed = finished(folder.path(), "inlined.elf");
    let changed = text(&changed.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(changed.contains("grid: 1 row of 3 changed; grid[1][2] = "), "{changed}");
    assert!(changed.contains("; others of this row changed, too"), "{changed}");
}

#[test]
fn a_line_that_the_compiler_may_have_copied_keeps_only_a_budget_that_holds_for_each_copy() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let objects = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects");
    fs::copy(objects.join("unrolled.elf"), folder.path().join("unrolled.elf")).expect("a program is copied");
    let source = fs::read_to_string(objects.join("unrolled.c")).expect("a source");
    let judged = |limit: &str| {
        let with = source.replace("out += a[i];", &format!("out += a[i]; // p5: cycles <= {limit}"));
        fs::write(folder.path().join("unrolled.c"), with).expect("a file is written");
        let output = finished(folder.path(), "--format json unrolled.elf");
        (
            output.status.code(),
            serde_json::from_slice(&output.stdout).expect("JSON"),
        )
    };
    let (code, report): (_, Value) = judged("99");
    let line = report["lines"]
        .as_array()
        .expect("lines")
        .iter()
        .find(|line| line["line"] == 10);
    let line = line.expect("executed");
    // Each of the eight copies is executed 66 times.
    assert_eq!((&line["times"], &line["most_times"]), (&66.into(), &528.into()));
    assert_eq!((code, &report["budgets"][0]["per"]), (Some(0), &66.into()));
    // It holds with one of the two numbers, and with none.
    for (limit, amount) in [("3", Value::Null), ("1", line["cycles"].clone())] {
        let (code, report) = judged(limit);
        let budget = &report["budgets"][0];
        assert_eq!(
            (code, &budget["ok"], &budget["amount"]),
            (Some(1), &false.into(), &amount)
        );
        let why = budget["reason"].as_str().expect("a reason");
        assert!(
            why.contains("the compiler may have copied the line, which was executed 66 to 528 times"),
            "{why}"
        );
    }
    let listing = finished(folder.path(), "--long unrolled.elf");
    let listing = text(&listing.stdout);
    assert!(
        listing.contains(" 66+ ") && listing.contains("+: at least"),
        "{listing}"
    );
    // Where it is not known how often the line was executed, nothing is said per execution.
    let page = finished(folder.path(), "--format html unrolled.elf");
    let page = text(&page.stdout);
    let row = page
        .split("<tr")
        .find(|row| row.contains("out += a[i];"))
        .expect("a row");
    assert!(row.contains("code miss") && !row.contains("code miss "), "{row}");
    assert!(row.contains(">66+<") && page.contains("+: at least"), "{row}");
    let table = finished(folder.path(), "--format csv unrolled.elf");
    // No cell before these contains a comma.
    let table = text(&table.stdout);
    let (names, rows) = table.split_once('\n').expect("a header");
    let row = rows.lines().find(|row| row.contains("out += a[i];")).expect("executed");
    let cell = |name: &str| {
        let column = names.split(',').position(|one| one == name).expect("a column");
        row.split(',').nth(column).expect("a cell")
    };
    assert_eq!([cell("times"), cell("most_times")], ["66", "528"]);
}

#[test]
fn copies_that_adjoin_each_other_are_found_where_their_statement_begins() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let objects = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects");
    for name in ["adjoining.elf", "adjoining.c"] {
        fs::copy(objects.join(name), folder.path().join(name)).expect("a file is copied");
    }
    let output = finished(folder.path(), "--format json adjoining.elf");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let lines = report["lines"].as_array().expect("lines");
    let times = |number: u64| {
        let line = lines.iter().find(|line| line["line"] == number).expect("executed");
        (&line["times"], &line["most_times"])
    };
    // Each of the eight copies is executed 128 times.
    assert_eq!([times(9), times(15)], [(&128.into(), &1024.into()); 2]);
    let budget = &report["budgets"][0];
    let why = budget["reason"].as_str().expect("a reason");
    assert!(
        why.contains("the compiler may have copied the line, which was executed 128 to 1024 times"),
        "{why}"
    );
}

#[test]
fn sources_of_one_name_in_two_folders_are_two() {
    let top = tempfile::tempdir().expect("a temporary directory");
    let objects = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects/twins");
    for name in ["main.c", "a/util.c", "b/util.c", "twins.elf"] {
        let to = top.path().join("build").join(name);
        fs::create_dir_all(to.parent().expect("a folder")).expect("a folder is made");
        fs::copy(objects.join(name), to).expect("a file is copied");
    }
    let output = finished(top.path(), "build/twins.elf");
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(printed.contains("1 budget of 2 fails"), "{printed}");
    let one_line = printed.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        one_line.contains("build/b/util.c, function second, line 1: "),
        "{printed}"
    );
    assert!(
        one_line.contains("build/a/util.c, function first, line 1: "),
        "{printed}"
    );
    assert!(
        text(&output.stderr).contains("--> build/b/util.c:1:"),
        "{}",
        text(&output.stderr)
    );
    // Where services of CI look for the source.
    for format in ["sarif", "junit"] {
        let output = finished(top.path(), &format!("--format {format} build/twins.elf"));
        assert!(
            text(&output.stdout).contains("\"build/b/util.c\""),
            "{}",
            text(&output.stdout)
        );
    }
    let table = finished(top.path(), "--format csv build/twins.elf");
    let rows = text(&table.stdout);
    for line in ["s = s * 3 + n;", "s ^= n * 5;"] {
        assert_eq!(rows.matches(line).count(), 1, "{rows}");
    }
}

#[test]
fn a_line_that_copies_a_structure_is_judged_by_its_executions() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let objects = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects");
    for name in ["structure.elf", "structure.c"] {
        fs::copy(objects.join(name), folder.path().join(name)).expect("a file is copied");
    }
    let output = finished(folder.path(), "--format json structure.elf");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let budgets = report["budgets"].as_array().expect("budgets");
    // Three loads and three stores of `*p = *q`, and the four stores of a loop.
    let told: Vec<(&str, u64, bool)> = (budgets.iter())
        .map(|one| {
            let per = one["per"].as_u64().expect("executions");
            (one["of"].as_str().expect("a place"), per, one["ok"] == true)
        })
        .collect();
    assert_eq!(told, [("line 9", 1280, false), ("line 14", 100, false)]);
    let lines = report["lines"].as_array().expect("lines");
    assert!(lines.iter().all(|line| line.get("most_times").is_none()));
}

#[test]
fn a_budget_where_a_function_is_declared_limits_all_that_was_made_of_it() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let objects = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects");
    for name in ["declared.elf", "declared.c"] {
        fs::copy(objects.join(name), folder.path().join(name)).expect("a file is copied");
    }
    let output = finished(folder.path(), "--format json declared.elf");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let budget = &report["budgets"][0];
    assert_eq!(
        (&budget["of"], &budget["per"], &budget["ok"]),
        (&"function hash, line 5".into(), &1.into(), &false.into())
    );
    assert!(budget["amount"].as_u64() > Some(100), "{budget}");
}

/// A folder with a program and its source, and the budgets that its report judges: the place of each, the number of
/// executions, whether it holds, and why.
fn judged(name: &str) -> Vec<(String, Value, bool, String)> {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let objects = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects");
    for name in [format!("{name}.elf"), format!("{name}.c")] {
        fs::copy(objects.join(&name), folder.path().join(&name)).expect("a file is copied");
    }
    let output = finished(folder.path(), &format!("--format json {name}.elf"));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let budgets = report["budgets"].as_array().expect("budgets").iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let one = |one: &Value| {
        (
            text(&one["of"]),
            one["per"].clone(),
            one["ok"] == true,
            text(&one["reason"]),
        )
    };
    budgets.map(one).collect()
}

#[test]
fn a_budget_where_a_body_begins_limits_the_function_and_nothing_else() {
    let told = judged("folded");
    let places: Vec<(&str, &Value, bool)> = told.iter().map(|(of, per, ok, _)| (&**of, per, *ok)).collect();
    assert_eq!(
        places,
        [
            ("function most, line 8", &2.into(), false),
            ("function again, line 16", &Value::Null, false),
            ("function least, line 23", &1.into(), false),
            ("function total, line 34", &1.into(), false),
            ("function one, line 43", &Value::Null, false),
            ("line 49", &Value::Null, false),
        ]
    );
    let why = "function again has no code of its own: the compiler folded it into most, which does the same";
    assert_eq!(told[1].3, why);
    assert!(
        told[4].3.starts_with("the compiler inlined `one` in line 52"),
        "{}",
        told[4].3
    );
    // The first line of its code is that of its loop.
    let (of, per, ok, _) = &judged("shrunk")[0];
    assert_eq!((&**of, per, *ok), ("function most, line 7", &1.into(), false));
}

#[test]
fn a_budget_on_a_line_that_only_opens_a_loop_names_the_line_of_the_loop() {
    let top = tempfile::tempdir().expect("a temporary directory");
    let objects = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects");
    fs::copy(objects.join("rounds.elf"), top.path().join("rounds.elf")).expect("a program is copied");
    let source = fs::read_to_string(objects.join("rounds.c")).expect("a source");
    let source = source.replace("    do {\n", "    do { // p5: cycles <= 5\n");
    fs::write(top.path().join("rounds.c"), source).expect("a file is written");
    let output = finished(top.path(), "rounds.elf 1 2");
    let told = text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains(
            "line 47: `cycles <= 5` is not judged: the line opens a block and has no instruction of its own that was \
             executed; the loop in it begins in line 48: limit that line, or the function"
        ),
        "{told}\n{}",
        text(&output.stderr)
    );
}

#[test]
fn a_budget_on_a_loop_that_begins_the_code_of_its_function_is_on_the_loop() {
    let top = tempfile::tempdir().expect("a temporary directory");
    let objects = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects");
    fs::copy(objects.join("shrunk.elf"), top.path().join("shrunk.elf")).expect("a program is copied");
    let source = fs::read_to_string(objects.join("shrunk.c")).expect("a source");
    let source = source.replace("i < n; i++)\n", "i < n; i++) { // p5: cycles <= 5000\n");
    let source = source.replace("m = o[i];\n", "m = o[i]; }\n");
    fs::write(top.path().join("shrunk.c"), source).expect("a file is written");
    let output = finished(top.path(), "--format json shrunk.elf");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let places: Vec<&Value> = (report["budgets"].as_array().expect("budgets").iter())
        .map(|one| &one["of"])
        .collect();
    assert_eq!(places, ["function most, line 7", "line 9"], "{}", text(&output.stderr));
}

#[test]
fn a_function_with_more_instructions_than_are_listed_is_called_as_often_as_its_first_one() {
    let top = tempfile::tempdir().expect("a temporary directory");
    let objects = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects");
    fs::copy(objects.join("uncounted.elf"), top.path().join("uncounted.elf")).expect("a program is copied");
    let source = fs::read_to_string(objects.join("uncounted.c")).expect("a source");
    let source = source.replace("many(void)\n", "many(void) // p5: cycles <= 9000\n");
    fs::write(top.path().join("uncounted.c"), source).expect("a file is written");
    let output = finished(top.path(), "--runs 1 --format json uncounted.elf");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(report["instructions_left_out"].as_u64() > Some(1000), "{report}");
    let budget = &report["budgets"][0];
    assert_eq!(
        (&budget["of"], &budget["ok"]),
        (&"function many, line 5".into(), &true.into())
    );
    assert_eq!(budget["per"], 2);
    assert!(budget["amount"].as_u64() > Some(12_000), "{budget}");
}
