//! Every format of a run's report agrees with the JSON report in every digit. Each format is read back by a reader that
//! is written from the format's documentation alone.

#[path = "formats/budgets.rs"]
mod ci;

mod calls;

mod readers;

mod page;

mod chromium;

mod browser;

use crate::consumers;
use ci::Budget;
use instrumenter::budgets;
use readers::{Costs, Issue, Lines};
use runtime::machine::Options;
use runtime::report::{Detail, RUN_FORMATS, RunFormat, Style};
use runtime::run::Run;
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};

/// Programs with loops, macros, several regions, no region, long passes and code that is written as it runs.
const PROGRAMS: &[&str] = &[
    "code_written_in_a_loop",
    "floating_profile",
    "linux_services",
    "loop_in_a_loop",
    "loop_longer_than_its_trace",
    "loop_on_three_paths",
    "macros",
    "prefetch_queue",
    "region_never_closed",
    "regions_in_regions",
    "repeats",
    "structures",
    "very_many_passes",
    "x87_overlap",
];

fn run(name: &str, text: &str) -> Run {
    let options = Options {
        cache_sets: true,
        calls: true,
        ..Options::default()
    };
    let mut run = snapshots::run(name, text, snapshots::chip(), &options).unwrap_or_else(|why| panic!("{why}"));
    let starts: Vec<(u32, u32)> = run.regions.iter().map(|one| (one.file, one.start_line)).collect();
    run.budgets = budgets::read(&run.files, run.library, Some(&starts)).expect("every budget means something");
    run
}

/// The run of one of [`PROGRAMS`], which is made once for all tests.
fn program(name: &'static str) -> Arc<Run> {
    static RUNS: Mutex<BTreeMap<&str, Arc<OnceLock<Arc<Run>>>>> = Mutex::new(BTreeMap::new());
    let mut all = RUNS.lock().expect("nothing panics while it is held");
    let made = Arc::clone(all.entry(name).or_default());
    drop(all);
    let made = made.get_or_init(|| {
        let path = format!("{}/asm/{name}.asm", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{path}: {why}"));
        Arc::new(run(&format!("{name}.asm"), &text))
    });
    Arc::clone(made)
}

/// The formats of these programs, none of which has a screen.
fn formats() -> impl Iterator<Item = &'static RunFormat> {
    RUN_FORMATS.iter().filter(|format| format.name != "screen")
}

fn written(run: &Run, format: &RunFormat, detail: Detail) -> String {
    String::from_utf8(bytes(run, format, detail)).expect("every report is UTF-8")
}

fn bytes(run: &Run, format: &RunFormat, detail: Detail) -> Vec<u8> {
    let style = Style::plain(80, detail);
    let mut bytes = Vec::new();
    format
        .write(run, &style, &mut bytes)
        .expect("a vector takes everything");
    bytes
}

fn in_format(run: &Run, name: &str, detail: Detail) -> String {
    written(run, RunFormat::by_name(name).expect("a format"), detail)
}

/// The lines of the JSON report at this detail, with which each format must agree.
fn lines(json: &Value, detail: Detail) -> Lines {
    let mut lines = Lines::new();
    let shown = |line: &&Value| detail == Detail::All || line["library"] == false;
    for line in json["lines"].as_array().expect("lines").iter().filter(shown) {
        let number = |field: &str| line[field].as_u64().expect("a number");
        let place = (line["file"].as_str().expect("a name").to_owned(), number("line"));
        let costs: &mut Costs = lines.entry(place).or_default();
        for (name, field) in [
            ("cycles", "cycles"),
            ("executions", "executions"),
            ("u", "u"),
            ("v", "v"),
        ] {
            *costs.entry(name.to_owned()).or_default() += number(field);
        }
        for object in ["reasons", "not_paired"] {
            for (name, value) in line[object].as_object().expect("an object") {
                *costs.entry(format!("{object}.{name}")).or_default() += value.as_u64().expect("a number");
            }
        }
    }
    lines
}

/// The lines with only their clocks by cause.
fn causes(lines: &Lines) -> Lines {
    let only = |costs: &Costs| {
        let causes = costs.iter().filter(|(name, _)| name.starts_with("reasons."));
        causes.map(|(name, &value)| (name.clone(), value)).collect()
    };
    let kept = lines.iter().map(|(place, costs)| (place.clone(), only(costs)));
    kept.filter(|(_, costs): &(_, Costs)| !costs.is_empty()).collect()
}

/// The traced passes of the JSON report, each with its clocks and its issues.
fn passes(json: &Value) -> Vec<(u64, Vec<Issue>)> {
    let regions = json["regions"].as_array().expect("regions").iter();
    let traces = regions.map(|region| &region["trace"]).chain([&json["trace"]]);
    let traces = traces.map(|trace| trace.as_array().expect("a trace"));
    let traces = traces.filter(|trace| !trace.is_empty());
    traces
        .map(|trace| {
            let number = |one: &Value, field: &str| one[field].as_u64().expect("a number");
            let issue = |one: &Value| Issue {
                instruction: number(one, "instruction"),
                clock: number(one, "clock"),
                in_v: one["pipe"] == "v",
            };
            let clocks = trace.iter().map(|one| number(one, "cycles")).sum();
            (clocks, trace.iter().map(issue).collect())
        })
        .collect()
}

#[test]
fn every_format_agrees_with_the_json_report() {
    for name in PROGRAMS {
        let run = program(name);
        let json: Value = serde_json::from_str(&in_format(&run, "json", Detail::All)).expect("JSON");
        let expected = lines(&json, Detail::All);
        let total = json["whole"]["totals"]["cycles"].as_u64().expect("a number");
        let own = json["own"]["totals"]["cycles"].as_u64().expect("a number");
        let sum: u64 = expected.values().map(|costs| costs["cycles"]).sum();
        assert_eq!(sum, total, "{name}");
        let traced = passes(&json);
        assert!(
            !traced.is_empty() || *name == "region_never_closed",
            "{name} has no pass"
        );
        for format in formats() {
            if !format.is_text() {
                let errors = |at: usize| {
                    let inside = |part: &[u32; 2]| (part[0] as usize..part[1] as usize).contains(&at);
                    run.standard_error.iter().any(inside)
                };
                let own = (0..)
                    .zip(&run.output)
                    .filter(|(at, _)| errors(*at) == (format.name == "errors"));
                let own: Vec<u8> = own.map(|(_, byte)| *byte).collect();
                assert_eq!(bytes(&run, format, Detail::All), own, "{name} as {}", format.name);
                continue;
            }
            let text = written(&run, format, Detail::All);
            let what = format!("{name} as {}", format.name);
            match format.name {
                "json" => readers::agrees_with_run(&json, &run, &what),
                "text" => {
                    assert!(text.contains(&format!(": {own} clock")), "{what}:\n{text}");
                    let told = readers::Tables::of(&text);
                    assert_eq!(told, readers::Tables::expected(&json["own"]), "{what}:\n{text}");
                }
                "timeline" => {
                    let clocks: Vec<u64> = traced.iter().map(|(clocks, _)| *clocks).collect();
                    assert_eq!(readers::timeline(&text), clocks, "{what}:\n{text}");
                }
                "csv" => assert_eq!(readers::csv(&text), expected, "{what}"),
                "html" => page::agrees(&text, &json, &what),
                "callgrind" => {
                    let (summary, lines, calls) = readers::callgrind(&text);
                    assert_eq!(lines, expected, "{what}");
                    assert_eq!(summary, readers::sum(&lines), "{what}");
                    assert_eq!(summary["cycles"], total, "{what}");
                    let within = |costs: &[u64]| costs[0] <= total && costs[1] <= summary["executions"];
                    assert!(calls.iter().all(|(_, _, costs)| within(costs)), "{what}: {calls:?}");
                }
                "collapsed" => assert_eq!(readers::collapsed(&text), causes(&expected), "{what}"),
                "firefox" => assert_eq!(readers::firefox(&text), causes(&expected), "{what}"),
                "kanata" => assert_eq!(readers::kanata(&text), traced, "{what}:\n{text}"),
                "perfetto" => {
                    let (found, told) = readers::perfetto(&text);
                    assert_eq!(found, traced, "{what}");
                    assert_eq!(told, json["whole"]["totals"], "{what}");
                }
                "junit" => assert_eq!(ci::junit(&text), budget_rows(&json, false), "{what}"),
                "sarif" => assert_eq!(ci::sarif(&text), budget_rows(&json, true), "{what}"),
                other => panic!("nothing compares the format {other} with the JSON report"),
            }
        }
    }
}

#[test]
fn without_all_every_format_leaves_out_the_macros_of_the_library_and_adds_up_to_the_program() {
    for name in PROGRAMS {
        let run = program(name);
        let json: Value = serde_json::from_str(&in_format(&run, "json", Detail::Short)).expect("JSON");
        let own = json["own"]["totals"]["cycles"].as_u64().expect("a number");
        for detail in [Detail::Short, Detail::Long] {
            let expected = lines(&json, detail);
            assert_eq!(readers::sum(&expected)["cycles"], own, "{name}");
            assert_eq!(readers::csv(&in_format(&run, "csv", detail)), expected, "{name}");
            let (summary, found, _) = readers::callgrind(&in_format(&run, "callgrind", detail));
            assert_eq!((&found, summary["cycles"]), (&expected, own), "{name}");
            let expected = causes(&expected);
            assert_eq!(
                readers::collapsed(&in_format(&run, "collapsed", detail)),
                expected,
                "{name}"
            );
            assert_eq!(
                readers::firefox(&in_format(&run, "firefox", detail)),
                expected,
                "{name}"
            );
        }
    }
}

/// The budgets of the JSON report, or only those that do not hold. If the program failed to end by itself, the first
/// entry is its end.
fn budget_rows(json: &Value, only_failed: bool) -> Vec<Budget> {
    let ended = ["end", "return", "exit", "signal", "halt", "reset"]
        .contains(&json["stop"]["reason"].as_str().expect("a reason"));
    let end = Budget {
        line: None,
        message: (!ended).then(|| json["stop"]["message"].as_str().unwrap_or_default().to_owned()),
    };
    let none = Vec::new();
    let budgets = json["budgets"].as_array().unwrap_or(&none).iter().map(|budget| Budget {
        line: budget["line"].as_u64(),
        message: budget["message"].as_str().map(str::to_owned),
    });
    // The end is reported as a success only if there is nothing else to report.
    let only_end = !only_failed && json["budgets"].as_array().is_none_or(Vec::is_empty);
    let end = Some(end).filter(|end| only_end || end.message.is_some());
    let all = end.into_iter().chain(budgets);
    all.filter(|one| !only_failed || one.message.is_some()).collect()
}

#[test]
fn junit_and_sarif_have_each_budget_with_its_place() {
    let text = SMALL
        .replace("StartTSC sums", "StartTSC sums ; p5: cycles <= 1, cycles >= 1")
        .replace(
            "dec ecx",
            "dec ecx ; \u{e4} p5\n mov dl,'\u{e4}'\u{9} ; p5: pairs >= 50.5%, agi < 0",
        );
    let run = run("b u<d>get.asm", &text);
    let json: Value = serde_json::from_str(&in_format(&run, "json", Detail::Short)).expect("JSON");
    let failed = budget_rows(&json, true);
    assert_eq!(
        (json["budgets"].as_array().map(Vec::len), failed.len()),
        (Some(4), 3),
        "{json:#}"
    );
    let junit = in_format(&run, "junit", Detail::Short);
    assert_eq!(ci::junit(&junit), budget_rows(&json, false));
    let sarif = in_format(&run, "sarif", Detail::Short);
    assert_eq!(ci::sarif(&sarif), failed);
    let log: Value = serde_json::from_str(&sarif).expect("JSON");
    for result in log["runs"][0]["results"].as_array().expect("results") {
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "b%20u%3Cd%3Eget.asm");
        // The text between the columns is the budget.
        let number = |field: &str| place["region"][field].as_u64().expect("a number") as usize;
        let line = text.lines().nth(number("startLine") - 1).expect("a line");
        let columns = number("endColumn") - number("startColumn");
        let marked: String = line.chars().skip(number("startColumn") - 1).take(columns).collect();
        assert!(
            ["cycles <= 1", "pairs >= 50.5%", "agi < 0"].contains(&&*marked),
            "{marked}"
        );
    }
    insta::assert_snapshot!("budgets_junit", junit);
    insta::assert_snapshot!("budgets_sarif", sarif.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
}

/// A loop with a stall and a miss, and a macro of the user.
const SMALL: &str = "        .586\n        .model flat\n        .data\ntable   dd 4 dup (1)\n        .code\n\
    add_to  macro register\n        add register,[esi]\n        endm\n\
    start:  mov esi,offset table\n        mov ecx,4\n        StartTSC sums\n\
    next:   add_to eax\n        dec ecx\n        lea esi,[esi+4]\n        jnz next\n        EndTSC\n        ret\n\
    \x20       end start\n";

#[test]
fn formats_of_a_small_program() {
    let run = run("small.asm", SMALL);
    for format in RUN_FORMATS
        .iter()
        .filter(|format| format.is_text() && !matches!(format.name, "text" | "json" | "html" | "junit" | "sarif"))
    {
        insta::assert_snapshot!(format!("format_{}", format.name), written(&run, format, Detail::Short));
    }
}

#[test]
fn no_timeline_is_wider_than_80_columns() {
    for name in PROGRAMS {
        let run = program(name);
        for detail in [Detail::Short, Detail::All] {
            let text = in_format(&run, "timeline", detail);
            let wide = text.lines().find(|line| line.chars().count() > 80);
            assert_eq!(wide, None, "{name}");
            assert!(text.is_ascii(), "{name}");
        }
    }
}

#[test]
fn text_of_the_program_is_escaped_in_every_format() {
    let text = SMALL.replace("dec ecx", "dec ecx ; \u{1b}[2J\u{202e},\"x");
    for name in ["=1+1;\u{1b}[2J\u{202e}.asm", "(1) x\ny.asm", "a,\"b\t\u{9b}1m.asm"] {
        let run = run(name, &text);
        let json: Value = serde_json::from_str(&in_format(&run, "json", Detail::All)).expect("JSON");
        let total = json["whole"]["totals"]["cycles"].as_u64().expect("a number");
        for format in formats() {
            let text = written(&run, format, Detail::All);
            let control = text.contains(|character: char| character.is_control() && !"\n\t".contains(character));
            assert!(
                !control && !text.contains('\u{202e}'),
                "{name:?} as {}: {text}",
                format.name
            );
            let clocks = match format.name {
                "csv" => readers::sum(&readers::csv(&text))["cycles"],
                "callgrind" => readers::callgrind(&text).0["cycles"],
                "collapsed" => readers::collapsed(&text).values().flat_map(Costs::values).sum(),
                "firefox" => readers::firefox(&text).values().flat_map(Costs::values).sum(),
                _ => total,
            };
            assert_eq!(clocks, total, "{name:?} as {}", format.name);
            if format.name == "csv" {
                let formula = text
                    .lines()
                    .flat_map(|line| line.split(','))
                    .any(|cell| cell.trim_matches('"').starts_with('='));
                assert!(!formula, "{text}");
            }
        }
    }
}

#[test]
fn callgrind_annotate_takes_the_file_and_adds_up_the_same() {
    if !consumers::available("callgrind_annotate", "sh", &["-c", "command -v callgrind_annotate"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("small.asm"), SMALL).expect("a file is written");
    let run = run("small.asm", SMALL);
    let json: Value = serde_json::from_str(&in_format(&run, "json", Detail::Short)).expect("JSON");
    let file = folder.path().join("callgrind.out");
    std::fs::write(&file, in_format(&run, "callgrind", Detail::All)).expect("a file is written");
    let mut command = Command::new("callgrind_annotate");
    command
        .args(["--threshold=100", "--auto=yes", "--show=Clocks"])
        .arg(&file);
    let output = command.current_dir(folder.path()).output().expect("it starts");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{errors}");
    // `1,234 (56.78%)  words`; a figure of 0 is `.`.
    let figure = |line: &str| -> Option<u64> { line.split_whitespace().next()?.replace(',', "").parse().ok() };
    let totals = told.lines().find(|line| line.contains("PROGRAM TOTALS"));
    assert_eq!(
        totals.and_then(figure),
        json["whole"]["totals"]["cycles"].as_u64(),
        "{told}"
    );
    for words in ["small.asm:start", "p5.inc:start"] {
        assert!(told.contains(words), "`{words}` is missing:\n{told}");
    }
    let lines = lines(&json, Detail::All);
    let mut compared = 0;
    for (number, text) in SMALL.lines().enumerate() {
        let Some(costs) = lines.get(&("small.asm".to_owned(), number as u64 + 1)) else {
            continue;
        };
        let shown = told.lines().find(|line| line.ends_with(text) && figure(line).is_some());
        assert_eq!(
            shown.and_then(figure),
            Some(costs["cycles"]),
            "line {}:\n{told}",
            number + 1
        );
        compared += 1;
    }
    assert!(compared >= 6, "{compared} lines were compared");
}

/// The report of a long run is not longer than that of a run with a hundredth of its clocks.
#[test]
fn a_long_run_is_summed_by_line_and_its_trace_is_cut_and_said_to_be() {
    let of = |rounds: u32| {
        let text = format!(
            "        .586\n        .model flat\n        .code\nstart:  mov ecx,{rounds}\nnext:   add eax,ecx\n\
             \x20       dec ecx\n        jnz next\n        ret\n        end start\n"
        );
        run("long.asm", &text)
    };
    let (short, long) = (of(20_000), of(2_000_000));
    assert!(long.whole.totals.instructions > 99 * short.whole.totals.instructions);
    for format in formats() {
        let text = written(&long, format, Detail::All);
        let least = written(&short, format, Detail::All).len();
        // Longer figures may take some more columns.
        let most = least + least / 4 + 200;
        assert!(
            text.len() < most,
            "{}: {} bytes, {least} of the short run",
            format.name,
            text.len()
        );
        let cut = match format.name {
            "json" => "\"trace_cut\": true",
            "text" | "timeline" | "kanata" | "perfetto" => "nly the first 4095 instructions",
            _ => continue,
        };
        assert!(text.contains(cut), "{}: {text}", format.name);
    }
}
