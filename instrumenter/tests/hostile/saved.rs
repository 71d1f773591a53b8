//! Reports of runs with random damage, which `p5inst compare` reads: each is compared or rejected in one line.

use cpu_time::ThreadTime;
use instrumenter::source::Sources;
use instrumenter::{Options, assemble};
use p5_seeds::bounds::{assert_bounded_memory, slowness};
use p5_seeds::damage;
use runtime::report::{self, Comparison, Detail, Format, SavedRun, Style};
use runtime::{machine, model};
use std::time::Duration;

/// The number of damaged reports, and the variable that sets another number.
const ROUNDS: u32 = 150;
const MORE: &str = "P5INST_ROUNDS";
/// The limit of processor time for one comparison.
const PATIENCE: Duration = Duration::from_secs(10);

const STYLE: Style = Style::plain(80, Detail::Long);

/// The JSON report of a program with a function, a region and a stop.
fn saved(end: &str) -> String {
    let text = format!(
        ".586\n.model flat\n.data\nx dd 4 dup(1)\n.code\nsum proc\nmov eax,x\nadd eax,x[4]\nret\nsum endp\n\
         start: mov ecx,3\nStartTSC sums\nnext: call sum\ndec ecx\njnz next\nEndTSC\n{end}\nend start\n"
    );
    let image = assemble(&Sources::single("saved.asm", &text), &Options::default()).image;
    let options = machine::Options {
        cpl: 3,
        runs: 2,
        ..machine::Options::default()
    };
    let image = image.expect("a program without errors");
    let run = machine::simulate(&image, "saved.asm", model::MODELS[0], &options, &mut |_| {});
    let mut json = Vec::new();
    report::write(Format::Json, &run, &STYLE, &mut json).expect("memory takes everything");
    String::from_utf8(json).expect("JSON is UTF-8")
}

/// A report with what the program of [`saved`] lacks: budgets, a `main` of Rust, and two files, one of them without
/// text.
fn of_another_tool() -> String {
    let mut report: serde_json::Value = serde_json::from_str(&saved("ret")).expect("JSON");
    report["budgets"] = serde_json::json!([{ "ok": true }, { "ok": false }]);
    let function = |name: &str, file: &str| serde_json::json!({ "name": name, "file": file, "cycles": 9 });
    report["functions"] = serde_json::json!([
        function("<one::Point as one::Shape>::area", "one.rs"),
        function("core::ptr::drop_in_place::<one::Point>", "mod.rs"),
        function("one::main", "one.rs"),
        function("main.constprop.0", "one.rs"),
        function("main", "one.rs"),
    ]);
    let lines = report["lines"].as_array_mut().expect("lines");
    for (line, file) in lines.iter_mut().zip(["one.rs", "mod.rs"].iter().cycle()) {
        line["file"] = (*file).into();
        if *file == "mod.rs" {
            line["text"] = "".into();
        }
    }
    report.to_string()
}

#[test]
fn damaged_reports_are_compared_or_rejected() {
    let seed = p5_seeds::seed();
    let mut random = fastrand::Rng::with_seed(seed);
    let reports = [
        saved("ret"),
        saved("mov eax,[0]"),
        saved("add eax,1\nret"),
        of_another_tool(),
    ];
    let whole = [&reports[0], &reports[3]];
    let whole = whole.map(|text| SavedRun::read("whole", text.as_bytes()).expect("a report"));
    let rounds = p5_seeds::number(MORE).unwrap_or(ROUNDS);
    let mut compared = 0;
    for round in 0..rounds {
        let mut text = random.choice(&reports).expect("a report").clone();
        let mut bytes = match random.u8(..4) {
            0 => text.into_bytes(),
            _ => {
                damage::json(&mut random, &mut text);
                text.into_bytes()
            }
        };
        if random.u8(..4) == 0 {
            damage::bytes(&mut random, &mut bytes);
        }
        let started = ThreadTime::now();
        let limit = [None, Some(0), Some(u64::MAX)][random.usize(..3)];
        let ended = std::panic::catch_unwind(|| match SavedRun::read("damaged", &bytes) {
            Ok(damaged) => {
                let [one, other] = &whole;
                for (old, new) in [(one, &damaged), (&damaged, other), (&damaged, &damaged)] {
                    let comparison = Comparison::of(old, new, limit);
                    for format in [Format::Text, Format::Json] {
                        let mut out = Vec::new();
                        comparison
                            .write(format, &STYLE, &mut out)
                            .expect("memory takes everything");
                        assert!(out.len() < 16 << 20, "{} bytes", out.len());
                    }
                }
                true
            }
            Err(why) => {
                assert!(!why.contains('\n'), "{why}");
                false
            }
        });
        let text = String::from_utf8_lossy(&bytes);
        compared += u32::from(ended.unwrap_or_else(|_| panic!("seed {seed}, round {round}:\n{text}")));
        assert!(
            started.elapsed() < PATIENCE.mul_f64(slowness()),
            "seed {seed}, round {round}: too slow\n{text}"
        );
    }
    assert_bounded_memory("damaged reports");
    // Chance decides of a few.
    let judged = rounds.saturating_sub(16);
    assert!(
        compared >= judged / 10 && rounds - compared >= judged / 50,
        "seed {seed}: only {compared} of {rounds} were compared"
    );
}

#[test]
fn sizes_and_clocks_that_no_run_has_cost_neither_memory_nor_a_panic() {
    let whole = saved("ret");
    let with = |size: u32, element: u32, value: u64| {
        let mut report: serde_json::Value = serde_json::from_str(&whole).expect("JSON");
        let symbols = report["symbols"].as_array_mut().expect("symbols");
        let variable = symbols.iter_mut().find(|one| one["name"] == "x").expect("the variable");
        variable["size"] = size.into();
        variable["element"] = element.into();
        variable["value"] = value.into();
        variable["changed"] = serde_json::Value::Null;
        report["own"]["totals"]["cycles"] = u64::MAX.into();
        let function = serde_json::json!({ "name": "f", "file": "f.c", "cycles": u64::MAX - value });
        report["functions"] = serde_json::json!([function, function]);
        for line in report["lines"].as_array_mut().expect("lines") {
            line["cycles"] = (u64::MAX - value).into();
        }
        SavedRun::read("damaged", report.to_string().as_bytes()).expect("a report")
    };
    let sizes = [0, 1, 6, 8, 9, 1 << 29, u32::MAX];
    for (size, element) in sizes.iter().flat_map(|&size| sizes.map(|element| (size, element))) {
        let comparison = Comparison::of(&with(size, element, 7), &with(size, element, 8), Some(u64::MAX));
        let mut out = Vec::new();
        comparison
            .write(Format::Text, &STYLE, &mut out)
            .expect("memory takes everything");
        let text = String::from_utf8(out).expect("UTF-8");
        assert!(
            text.contains("end with other values of `x"),
            "{size}, {element}: {text}"
        );
    }
    assert_bounded_memory("sizes that no run has");
}
