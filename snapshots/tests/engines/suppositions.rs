//! Suppositions, the other chips, and their comparison, on random programs and on those of the folder `asm`.

use crate::engines::generate::Shape;
use crate::engines::identities::{difference, occurrences};
use crate::engines::{random_program, simulate_on};
use asm_macros::events::Event;
use iced_x86::Code;
use runtime::machine::EngineChoice::{Interpreter, Jit};
use runtime::machine::Options;
use runtime::model::{self, MEMORY_PRESETS, MODELS, Model, Supposed, WHAT_IFS, WhatIf};
use runtime::report::what_if::{self, Comparison, NotRun, Outcome, Variant};
use runtime::report::{Detail, Format, Style};
use runtime::run::{Cause, Refusal, Run};
use serde_json::Value;

const PROGRAMS: u64 = 32;

/// The causes that a supposition removes.
fn ended(what: &WhatIf) -> &'static [Cause] {
    const MISSES: [Cause; 6] = [
        Cause::DataReadMiss,
        Cause::DataTlbMiss,
        Cause::CodeMiss,
        Cause::CodeTlbMiss,
        Cause::WriteBufferFull,
        Cause::WriteOrder,
    ];
    match what.name {
        "no-agi" => &[Cause::Agi],
        "predicted" => &[Cause::Misprediction],
        "cached" => &MISSES,
        "aligned" => &[Cause::Misaligned],
        "banks" => &[Cause::BankConflict],
        "together" => {
            const ALL: [Cause; 10] = {
                let [a, b, c, d, e, f] = MISSES;
                let [g, h, i, j] = [Cause::Agi, Cause::Misprediction, Cause::Misaligned, Cause::BankConflict];
                [a, b, c, d, e, f, g, h, i, j]
            };
            &ALL
        }
        _ => &[],
    }
}

fn spent(run: &Run, cause: Cause) -> u64 {
    let parts = run.whole.cycle_stack.iter();
    parts.filter(|part| part.cause == cause).map(|part| part.cycles).sum()
}

fn named(name: &str) -> &'static WhatIf {
    let found = WHAT_IFS.iter().find(|what| what.name == name);
    found.expect("a supposition")
}

/// The clocks in which the pipeline of a chip fills directly after reset; they count as waiting for code.
fn at_reset(model: &Model) -> u64 {
    // Where prefixes are decoded ahead, or where there is a queue, there is one more stage before D1.
    1 + u64::from(model.rules.prefixes_decoded_ahead || model.rules.queued_instructions > 0)
}

/// The violated expectations on `run`, of `model` under `what`; `base` is the run without the supposition.
fn wrong(what: &WhatIf, model: &Model, base: &Run, run: &Run) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut holds = |right: bool, words: String| {
        if !right {
            wrong.push(format!("{}: {words}", what.name));
        }
    };
    let [before, after] = [base, run].map(|run| (&run.stop, run.whole.totals.instructions, run.registers));
    holds(before == after, format!("does other work: {before:?}, {after:?}"));
    for &cause in ended(what) {
        let clocks = spent(run, cause);
        let at_reset = if cause == Cause::CodeMiss && run.runs.len() == 1 {
            at_reset(model)
        } else {
            0
        };
        let name = cause.name();
        holds(clocks == at_reset, format!("{clocks} clocks of {name}, not {at_reset}"));
    }
    let all: u64 = run.whole.cycle_stack.iter().map(|part| part.cycles).sum();
    let (clocks, in_v) = (run.whole.totals.cycles, run.whole.totals.v);
    holds(all == clocks, format!("{all} clocks by cause, {clocks} in all"));
    if ended(what).contains(&Cause::Agi) {
        let stalls = occurrences(run, Event::AGI_STALLS);
        holds(stalls == 0, format!("{stalls} address interlocks"));
    }
    if what.name == "one-pipe" {
        holds(in_v == 0, format!("{in_v} in V"));
    }
    if !what.combines.is_empty() || what.name == "cached" {
        let alone = run.instructions.iter().flat_map(|one| &one.refusals);
        let late = alone.filter(|(refusal, _)| matches!(refusal, Refusal::SecondNotFetched | Refusal::FirstExecution));
        let late: u64 = late.map(|(_, count)| count).sum();
        holds(late == 0, format!("{late} pairs lost to code that was not there"));
    }
    wrong
}

#[test]
fn a_supposition_ends_its_causes_and_changes_nothing_else() {
    let first = p5_seeds::seed();
    let mut all = Vec::new();
    for number in 0..PROGRAMS {
        let seed = first + number;
        let (model, options, text) = random_program(seed, number, |usual, _, _| Shape {
            privileged: false,
            ..usual
        });
        let base = simulate_on(model, &text, &options, seed);
        let on = |supposed: &Supposed, (engine, one_op_blocks)| {
            let options = Options {
                memory: supposed.memory,
                engine,
                one_op_blocks,
                ..options.clone()
            };
            simulate_on(supposed.model, &text, &options, seed)
        };
        for what in WHAT_IFS {
            let Some(supposed) = what.of(model, options.memory) else {
                continue;
            };
            let run = on(&supposed, (Interpreter, false));
            let mut found = wrong(what, model, &base, &run);
            if number % 4 == 1 {
                let otherwise = [(Interpreter, true), (Jit, false)].map(|way| on(&supposed, way));
                let differences = otherwise.iter().filter_map(|other| difference(&run, other));
                found.extend(differences.map(|words| format!("{}: {words}", what.name)));
            }
            all.extend(
                found
                    .into_iter()
                    .map(|words| format!("seed {seed}, {}: {words}", model.name)),
            );
        }
        // If memory takes no time, nothing that is early delays anything later.
        let cached = named("cached").of(model, options.memory).expect("it has memory");
        let both = named("no-agi").of(cached.model, cached.memory).expect("it waits");
        let [before, after] = [&cached, &both]
            .map(|supposed| on(supposed, (Interpreter, false)))
            .map(|run| run.whole.totals.cycles);
        if after > before {
            all.push(format!(
                "seed {seed}, {}: {after} clocks without AGIs, {before} with",
                model.name
            ));
        }
    }
    assert!(
        all.is_empty(),
        "{} in all:\n{}",
        all.len(),
        all[..all.len().min(30)].join("\n")
    );
}

type Variants = Vec<(Variant, Result<Outcome, NotRun>)>;

/// The program and all of its variants, as the command runs them.
fn variants(text: &str, model: &'static Model, options: &Options) -> (Run, Variants) {
    let on = |supposed: Supposed| {
        let options = Options {
            memory: supposed.memory,
            ..options.clone()
        };
        snapshots::run("t.asm", text, supposed.model, &options).map_err(NotRun::NotAssembled)
    };
    let memory = options.memory;
    let run = on(Supposed { model, memory }).expect("it assembles");
    let supposed = WHAT_IFS.iter().map(|what| {
        let supposed = what.of(model, memory).ok_or(NotRun::Unchanged);
        (
            Variant::Supposed(what),
            supposed.and_then(on).map(|run| Outcome::of(&run)),
        )
    });
    let others = MODELS.iter().filter(|other| other.name != model.name);
    let others = others.map(|other| {
        let outcome = on(Supposed { model: other, memory });
        (Variant::Chip(other), outcome.map(|run| Outcome::of(&run)))
    });
    let all = supposed.chain(others).collect();
    (run, all)
}

fn written(comparison: &Comparison, format: Format) -> String {
    let style = Style::plain(80, Detail::Short);
    let mut bytes = Vec::new();
    what_if::write(format, comparison, &style, &mut bytes).expect("a vector takes everything");
    String::from_utf8(bytes).expect("UTF-8")
}

/// The JSON of a comparison, after checking that its lines add up to the program and that its text fits.
fn told(name: &str, text: &str, model: &'static Model, options: &Options) -> (Value, String) {
    let (run, variants) = variants(text, model, options);
    let comparison = Comparison::new(&run, variants);
    let json: Value = serde_json::from_str(&written(&comparison, Format::Json)).expect("JSON");
    for variant in json["variants"].as_array().expect("a list") {
        let Some(saved) = variant["saved"].as_i64() else {
            assert!(
                variant["reason"].is_string() && variant["clocks"].is_null(),
                "{name}: {variant}"
            );
            continue;
        };
        let of = |line: &Value| line["saved"][variant["name"].as_str()?].as_i64();
        let lines = json["lines"].as_array().expect("a list");
        let sum: i64 = lines.iter().map(|line| of(line).expect("a number")).sum();
        assert_eq!(sum, saved, "{name}: the lines of {}", variant["name"]);
        let clocks = json["clocks"].as_i64().zip(variant["clocks"].as_i64());
        assert_eq!(clocks.map(|(before, after)| before - after), Some(saved), "{name}");
    }
    let text = written(&comparison, Format::Text);
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{name}: {line}");
    }
    (json, text)
}

#[test]
fn the_lines_of_a_comparison_add_up_to_the_program() {
    for (name, text) in [
        ("irregular", include_str!("../../asm/irregular.asm")),
        ("loop_in_a_loop", include_str!("../../asm/loop_in_a_loop.asm")),
        ("loop_on_three_paths", include_str!("../../asm/loop_on_three_paths.asm")),
        ("strings", include_str!("../../asm/strings.asm")),
        ("x87_overlap", include_str!("../../asm/x87_overlap.asm")),
        ("macros", include_str!("../../asm/macros.asm")),
    ] {
        let options = Options {
            runs: 2,
            ..Options::default()
        };
        told(name, text, snapshots::chip(), &options);
    }
}

#[test]
fn a_run_saves_nothing_beside_itself() {
    let text = include_str!("../../asm/loop_in_a_loop.asm");
    let run = simulate_on(snapshots::chip(), text, &Options::default(), 0);
    let itself = (Variant::Supposed(WHAT_IFS[0]), Ok(Outcome::of(&run)));
    let json: Value = serde_json::from_str(&written(&Comparison::new(&run, vec![itself]), Format::Json)).expect("JSON");
    assert_eq!(json["variants"][0]["saved"], 0);
    assert_eq!(json["variants"][0]["clocks"], run.own.totals.cycles);
    assert_eq!(json["lines"], Value::Array(Vec::new()));
}

#[test]
fn one_pipe_is_what_the_test_register_makes_of_two() {
    let source = |value: u32| {
        format!(
            ".586\n.model flat\n.data\na dd 64 dup(1)\n.code\nmain: mov ecx,0Eh\nmov edx,0\nmov eax,{value}\nwrmsr\n\
             mov esi,offset a\nmov ecx,64\nStartTSC r\nl: mov eax,[esi]\nadd esi,4\nadd ebx,eax\ndec ecx\njnz l\n\
             EndTSC\nret\nend main\n"
        )
    };
    let options = Options::default();
    let clocks = |run: &Run| run.regions[0].passes.iter().map(|pass| pass.cycles).collect::<Vec<_>>();
    let disabled = simulate_on(snapshots::chip(), &source(4), &options, 0);
    assert_eq!(
        disabled.whole.totals.v,
        disabled.whole.totals.instructions - disabled.whole.totals.u
    );
    let supposed = named("one-pipe")
        .of(snapshots::chip(), options.memory)
        .expect("it has two");
    let run = simulate_on(supposed.model, &source(0), &options, 0);
    assert_eq!(clocks(&disabled), clocks(&run));
}

#[test]
fn what_a_chip_lacks_is_said_and_never_0() {
    let text = ".586\n.mmx\n.model flat\n.data\na dq 5\n.code\nmain: mov ecx,9\nl: movq mm0,a\npaddb mm0,mm0\nmov eax,ecx\n\
                mov edx,dword ptr [eax*4+a]\ndec ecx\njnz l\nemms\nret\nend main\n";
    let chip = model::by_name("p55c").expect("a chip");
    let (json, text) = told("mmx", text, chip, &Options::default());
    let of = |name: &str| {
        let variants = json["variants"].as_array().expect("a list");
        variants
            .iter()
            .find(|one| one["name"] == name)
            .expect("a variant")
            .clone()
    };
    for other in MODELS.iter().filter(|other| !other.isa.has(Code::Emms)) {
        let reason = of(other.name)["reason"].to_string();
        assert!(reason.contains("#UD") && of(other.name)["clocks"].is_null(), "{reason}");
    }
    assert!(of("no-agi")["saved"].as_i64().is_some_and(|saved| saved > 0), "{text}");
    let combined = &json["combined"];
    assert_eq!(combined["saved"], of("together")["saved"]);
    let old = model::by_name("i486").expect("a chip");
    let (json, text) = told("plain", "mov eax,1\nret\n", old, &Options::default());
    assert_eq!(
        json["variants"][6]["reason"],
        "the i486 DX2 (one pipe) has one pipe as it is"
    );
    assert_eq!(
        json["variants"][4]["reason"],
        "the i486 DX2 (one pipe) makes one access in a clock"
    );
    assert_eq!(
        json["variants"][1]["reason"],
        "the i486 DX2 (one pipe) predicts no branch"
    );
    assert!(text.contains("add up: 0 clocks"), "{text}");
}

#[test]
fn what_if_tells_clocks_saved_by_region_and_line() {
    let text = include_str!("../../tutorials/02_agi/exercise.asm");
    let options = Options {
        memory: &MEMORY_PRESETS[0],
        ..Options::default()
    };
    let (json, text) = told("exercise", text, snapshots::chip(), &options);
    let combined = json["combined"].as_object().expect("all are known");
    assert_eq!(combined["names"].as_array().map(Vec::len), Some(5));
    insta::assert_snapshot!("what_if", text);
}
