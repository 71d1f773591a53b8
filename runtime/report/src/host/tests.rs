//! The reports of artificial native runs: their text, their JSON, and the reasons for missing figures.

use super::super::specimen::{self as simulated, stop_detail};
use super::super::{Detail, Format, Style};
use super::{Host, Worlds, specimen, write_cpi, write_run, write_tsc};
use crate::document::unversioned;
use crate::tests::published;
use iced_x86::Mnemonic;
use p5_host::native::{Error, Missing, Native, Note};
use p5_image::Image;
use p5_results::{self as run, RefusedService, Run, StopReason};
use p5_words::fault::FaultCause;
use serde_json::Value;

const PLAIN: Style = Style::plain(110, Detail::Short);

/// A style so wide that no sentence is folded.
const WIDE: Style = Style::plain(1000, Detail::Short);

const UNCOUNTED: &str = "this virtual machine has no performance monitoring unit";

struct Both {
    host: Host,
    run: Run,
    image: Image,
    native: Result<Native, Missing>,
}

#[derive(Clone, Copy)]
enum What {
    Run,
    Cpi,
}

fn both() -> Both {
    let run = simulated::run();
    Both {
        host: specimen::host(),
        image: specimen::image(&run),
        run,
        native: Ok(specimen::native()),
    }
}

fn told(both: &Both, what: What, format: Format, style: Style) -> String {
    let worlds = Worlds {
        host: &both.host,
        run: &both.run,
        image: &both.image,
        native: both.native.as_ref(),
        uncounted: UNCOUNTED,
    };
    let mut bytes = Vec::new();
    let written = match what {
        What::Run => write_run(format, &worlds, &style, &mut bytes),
        What::Cpi => write_cpi(format, &worlds, &style, &mut bytes),
    };
    written.expect("a vector takes everything");
    String::from_utf8(bytes).expect("reports are UTF-8")
}

fn json(both: &Both, what: What) -> Value {
    serde_json::from_str(&told(both, what, Format::Json, PLAIN)).expect("reports are JSON")
}

fn tsc(host: &Host, format: Format) -> String {
    let mut bytes = Vec::new();
    write_tsc(format, host, &PLAIN, &mut bytes).expect("a vector takes everything");
    String::from_utf8(bytes).expect("reports are UTF-8")
}

#[test]
fn text_of_a_counter() {
    insta::assert_snapshot!(tsc(&specimen::host(), Format::Text));
}

#[test]
fn json_of_a_counter() {
    insta::assert_snapshot!(unversioned(&tsc(&specimen::host(), Format::Json)));
}

#[test]
fn text_of_both_worlds() {
    insta::assert_snapshot!(told(&both(), What::Run, Format::Text, PLAIN));
}

#[test]
fn json_of_both_worlds() {
    insta::assert_snapshot!(unversioned(&told(&both(), What::Run, Format::Json, PLAIN)));
}

#[test]
fn text_of_clocks_per_instruction() {
    insta::assert_snapshot!(told(&both(), What::Cpi, Format::Text, PLAIN));
}

#[test]
fn json_of_clocks_per_instruction() {
    insta::assert_snapshot!(unversioned(&told(&both(), What::Cpi, Format::Json, PLAIN)));
}

#[test]
fn a_host_without_a_counter_or_a_native_world_is_told_with_its_reasons() {
    let mut lacking = both();
    lacking.host.counter = Err("RDTSC is disabled for this process".to_owned());
    lacking.host.processor = Err("CPUID gives none".to_owned());
    lacking.native = Err(Missing::NotRun(Error::OtherHost));
    let why = "native runs need an x86-64 Linux host, but p5inst was built for another one";
    insta::assert_snapshot!(format!(
        "{}\n{}\n{}",
        tsc(&lacking.host, Format::Text),
        told(&lacking, What::Run, Format::Text, PLAIN),
        told(&lacking, What::Cpi, Format::Text, PLAIN)
    ));
    let run = json(&lacking, What::Run);
    assert_eq!(run["native"]["value"], Value::Null);
    assert_eq!(run["native"]["missing"], why);
    assert_eq!(run["regions"][0]["host"]["ticks"]["missing"], why);
    assert_eq!(run["host"]["counter"]["missing"], "RDTSC is disabled for this process");
}

#[test]
fn a_region_without_a_simulated_figure_has_the_reason_in_text_and_json() {
    let mut lacking = both();
    lacking.run.regions[0].passes.clear();
    lacking.run.regions[0].pass_count = 0;
    let why = "no pass reached its end macro in the simulated run";
    assert!(told(&lacking, What::Run, Format::Text, WIDE).contains(why));
    let simulated = &json(&lacking, What::Run)["regions"][0]["simulated"];
    assert_eq!(simulated["measured"], Value::Null);
    assert_eq!(simulated["missing"], why);
    let whole = &json(&both(), What::Run)["regions"][0]["simulated"];
    assert!(
        whole["measured"].is_object() && whole.get("missing").is_none(),
        "{whole}"
    );
}

#[test]
fn a_simulated_run_without_an_instruction_says_so_beside_its_dashes() {
    let mut nothing = both();
    nothing.run.whole.totals.instructions = 0;
    let text = told(&nothing, What::Cpi, Format::Text, WIDE);
    assert!(text.contains("the simulated run executed no instruction"), "{text}");
    assert!(!told(&both(), What::Cpi, Format::Text, WIDE).contains("executed no instruction"));
}

#[test]
fn a_program_that_faults_natively_is_told_with_its_place() {
    let mut faulted = both();
    let native = faulted.native.as_mut().expect("a native world");
    native.runs.clear();
    native.stop.reason = StopReason::Fault;
    native.stop.code = Some(13);
    native.stop.detail = Some(stop_detail(FaultCause::Privileged {
        mnemonic: Mnemonic::Rdmsr,
        cpl: 3,
    }));
    let why = "stopped by fault #GP: RDMSR needs privilege level 0, but the program runs at level 3 (loop.asm:15)";
    let text = told(&faulted, What::Run, Format::Text, WIDE);
    assert!(text.contains(&format!("\n  did not complete: {why}\n")), "{text}");
    assert!(
        text.contains(&format!(
            "host: -, the program did not complete on the host: it was {why}\n"
        )),
        "{text}"
    );
    let cpi = told(&faulted, What::Cpi, Format::Text, WIDE);
    for text in [text, cpi] {
        assert!(text.contains("the program did not complete on the host"), "{text}");
        assert!(
            !text.contains("Disturbances") && !text.contains("runs completed"),
            "{text}"
        );
        assert!(
            !text.contains("core clocks per tick while") && !text.contains("steps of"),
            "{text}"
        );
    }
    let json = json(&faulted, What::Run);
    assert_eq!(json["disturbances"], Value::Array(Vec::new()));
    let ratio = &json["native"]["value"]["core_clocks_per_tick"];
    assert!(
        ratio["missing"].as_str().is_some_and(|missing| missing.contains(why)),
        "{ratio}"
    );

    // The program completes in neither world: there is no table and no figure.
    faulted.run.stop = faulted.native.as_ref().expect("a native world").stop.clone();
    for what in [What::Run, What::Cpi] {
        let text = told(&faulted, what, Format::Text, WIDE);
        assert_eq!(text.matches(why).count(), 2, "{text}");
        assert!(!text.contains("Regions") && !text.contains("per instruction"), "{text}");
    }
    // The program completes in the simulation only.
    let mut alone = both();
    alone.run.stop = faulted.run.stop;
    for what in [What::Run, What::Cpi] {
        let text = told(&alone, what, Format::Text, WIDE);
        assert!(
            text.contains("the program did not complete in the simulation"),
            "{text}"
        );
        assert!(text.contains("1000 runs completed"), "{text}");
    }
}

#[test]
fn a_call_refused_in_both_worlds_is_noted_once() {
    let mut refused = both();
    let service = RefusedService::Linux { call: 99 };
    refused.run.notes.push(run::Note::Refused(service));
    refused.native.as_mut().expect("a native world").notes = vec![Note::Refused(service)];
    let words = "int 80h call 99 (statfs) is not supported: it returned ENOSYS";
    for what in [What::Run, What::Cpi] {
        let text = told(&refused, what, Format::Text, WIDE);
        assert_eq!(text.matches(words).count(), 1, "{text}");
        assert!(text.contains(&format!("both: {words}")), "{text}");
        let json = json(&refused, what);
        let notes = json["notes"].as_array().expect("notes");
        assert_eq!(notes.iter().filter(|note| *note == words).count(), 1, "{json:#}");
    }
}

#[test]
fn instructions_of_another_end_are_not_divided_by() {
    let mut other = both();
    other.native.as_mut().expect("a native world").stop.reason = StopReason::End;
    let text = told(&other, What::Cpi, Format::Text, PLAIN);
    assert!(
        text.contains("ended differently in the two worlds (return; end)"),
        "{text}"
    );
    let json = json(&other, What::Cpi);
    assert_eq!(json["ticks_per_instruction"]["value"], Value::Null);
    assert!(
        json["whole"]["ticks"]["value"]["mean"].is_number(),
        "the time itself is known"
    );
}

#[test]
fn every_width_and_colour_say_the_same() {
    let both = both();
    for what in [What::Run, What::Cpi] {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let wide = told(&both, what, Format::Text, PLAIN);
        let of_width = |width| {
            let style = Style {
                color: false,
                width,
                ..PLAIN
            };
            words(&told(&both, what, Format::Text, style))
        };
        for width in [80, 99, 200] {
            assert_eq!(of_width(width), words(&wide), "width {width}");
        }
        // Paragraphs that replace tables have the same figures with the same names.
        let figures = |words: Vec<String>| {
            let bare = words.into_iter().map(|word| word.trim_end_matches(',').to_owned());
            let mut figures: Vec<String> = bare
                .filter(|word| word.contains(|one: char| one.is_ascii_digit()))
                .collect();
            figures.sort_unstable();
            figures.dedup();
            figures
        };
        assert_eq!(figures(of_width(40)), figures(words(&wide)));
        let colored = told(&both, what, Format::Text, Style { color: true, ..PLAIN });
        let mut stripped = String::new();
        let mut rest = colored.as_str();
        while let Some((before, escape)) = rest.split_once("\x1b[") {
            stripped += before;
            rest = escape.split_once('m').expect("an escape ends in m").1;
        }
        assert!(colored.contains("\x1b["));
        assert_eq!(stripped + rest, wide);
    }
}

#[test]
fn names_from_the_source_cannot_steer_the_terminal() {
    let mut wild = both();
    for region in &mut wild.run.regions {
        region.name = "é\x1b[2J name".repeat(5);
    }
    wild.native.as_mut().expect("a native world").notes = vec![Note::ResultOutside {
        region: "\x07".to_owned(),
        address: 0,
    }];
    for what in [What::Run, What::Cpi] {
        let text = told(&wild, what, Format::Text, PLAIN);
        assert!(!text.contains(['\x1b', '\x07']), "{text}");
    }
}

/// Collects the names of a schema's required fields at every depth.
fn required(schema: &Value, found: &mut Vec<String>) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::Array(names)) = fields.get("required") {
                found.extend(names.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            fields.values().for_each(|value| required(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| required(value, found)),
        _ => {}
    }
}

fn fields(report: &Value, found: &mut Vec<String>) {
    match report {
        Value::Object(members) => {
            for (name, value) in members {
                found.push(name.clone());
                fields(value, found);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| fields(value, found)),
        _ => {}
    }
}

#[test]
fn the_schemas_describe_the_reports() {
    let mut both = both();
    both.host.counter.as_mut().expect("a counter").auxiliary = Ok((3, 0));
    let tsc = serde_json::from_str(&tsc(&both.host, Format::Json)).expect("JSON");
    for (schema, report) in [
        (published("host-run"), json(&both, What::Run)),
        (published("host-cpi"), json(&both, What::Cpi)),
        (published("host-tsc"), tsc),
    ] {
        let (mut needed, mut present) = (Vec::new(), Vec::new());
        required(&schema, &mut needed);
        fields(&report, &mut present);
        assert!(needed.len() > 10, "{schema:#}");
        for name in &needed {
            assert!(present.contains(name), "{name} is missing in {report:#}");
        }
        let text = schema.to_string();
        for name in &present {
            assert!(text.contains(&format!("\"{name}\"")), "{name} is not described");
        }
    }
}
