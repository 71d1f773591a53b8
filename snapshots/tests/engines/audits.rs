//! Audits of random programs with regions in random places, and of those of the folder `asm`: the causes of an error
//! add up to it, and an audited run equals the plain run.

use crate::engines::generate::{Shape, program};
use crate::engines::identities::difference;
use crate::engines::random_options;
use fastrand::Rng;
use iced_x86::Code;
use instrumenter::source::Sources;
use instrumenter::{Library, assemble};
use runtime::image::{Image, RegionKind};
use runtime::instruments::{Audit, PassAudit, Program, audit};
use runtime::machine::{self, Options, simulate};
use runtime::model::{MODELS, Model};
use runtime::report::instruments::write_audit;
use runtime::report::{Detail, Format, Style};
use std::fs;
use std::path::Path;

const PROGRAMS: u64 = 64;

fn image(name: &str, text: &str, model: &'static Model, cpl: u8, library: Library) -> Option<Image> {
    let options = instrumenter::Options {
        library,
        cpl,
        chip: model,
        ..instrumenter::Options::default()
    };
    assemble(&Sources::single(name, text), &options).image
}

/// The program with StartTSC and EndTSC, or StartProfile and EndProfile, inserted between its lines once or twice.
fn with_regions(text: &str, profile: bool, random: &mut Rng) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let place = |line: &str| lines.iter().position(|other| *other == line).expect("a label");
    let (start, finish) = (place("start:") + 1, place("finish:"));
    let (begins, ends) = match profile {
        true => ("StartProfile EV_INSTRUCTIONS_EXECUTED, EV_DATA_READ", "EndProfile"),
        false => ("StartTSC", "EndTSC"),
    };
    let end = random.usize(start..finish);
    lines.insert(end, ends);
    lines.insert(random.usize(start..=end), begins);
    lines.join("\n") + "\n"
}

/// The identities that a pass violates.
fn wrong(pass: &PassAudit, kind: RegionKind) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut equal = |what: &str, one: i64, other: i64| {
        if one != other {
            wrong.push(format!("{what}: {one} is not {other} in {pass:?}"));
        }
    };
    let (Some(reported), Some(subtracted), Some(error)) = (pass.reported, pass.subtracted, pass.error()) else {
        return wrong;
    };
    if let (Ok(without), Some(changed), RegionKind::Tsc) = (pass.without, pass.changed, kind) {
        equal(
            "clocks without macros and changes",
            without + changed.total(),
            pass.truth[0],
        );
    }
    match (kind, pass.edges, pass.counted) {
        (RegionKind::Tsc, Some(edges), _) => {
            let around = edges.before.total() + edges.behind.total();
            equal("readings", around + pass.truth[0], reported[0] + subtracted[0]);
            let causes = pass.causes().unwrap_or(edges.error()).total();
            equal("causes and error", causes - pass.uncalibrated(), error[0]);
            let calibrated = edges.calibrated.map_or(subtracted[0], |stack| stack.total());
            equal("the empty region", calibrated, subtracted[0]);
        }
        (RegionKind::Profile, _, Some([before, behind])) => {
            for at in [0, 1] {
                equal("counts and error", before[at] + behind[at] - subtracted[at], error[at]);
            }
        }
        _ => equal("parts of a reported pass", 0, 1),
    }
    wrong
}

/// The audit of a program, and the identities that it violates.
fn audited(name: &str, text: &str, model: &'static Model, options: &Options) -> Option<(Audit, Vec<String>)> {
    let measured = image(name, text, model, options.cpl, Library::Pentium)?;
    let plain = image(name, text, model, options.cpl, Library::Unmeasured);
    let program = Program {
        name,
        image: &measured,
        model,
    };
    let mut found = Vec::new();
    let audit = audit(&program, plain.as_ref(), options, &mut |_| {});
    for region in &audit.regions {
        found.extend(region.passes.iter().flat_map(|pass| wrong(pass, region.kind)));
    }
    let one = simulate(&measured, name, model, options, &mut |_| {});
    let other = machine::audit(&measured, name, model, options, false, &mut |_| {});
    found.extend(difference(&one, &other.run));
    Some((audit, found))
}

#[test]
fn the_causes_of_an_error_add_up_to_it_in_random_programs() {
    let first = p5_seeds::seed();
    let (mut all, mut passes, mut errors, mut without) = (Vec::new(), 0, 0, 0);
    for number in 0..4 * PROGRAMS {
        // A few programs have most of the passes: the usual number of programs may have none of these.
        if number >= PROGRAMS && passes > 20 && errors > 5 && without > 20 {
            break;
        }
        let seed = first + number;
        let mut random = Rng::with_seed(seed);
        let options = random_options(&mut random);
        let model = MODELS[number as usize % MODELS.len()];
        let shape = Shape {
            packed: model.isa.has(Code::Emms),
            modifies_itself: number % 8 == 0,
            ..Shape::default()
        };
        let text = program(&mut random, shape);
        let profile = options.cpl == 0 && number % 3 == 0;
        let text = with_regions(&text, profile, &mut random);
        let Some((audit, found)) = audited("random.asm", &text, model, &options) else {
            continue;
        };
        all.extend(
            found
                .into_iter()
                .map(|words| format!("seed {seed}, {}: {words}", model.name)),
        );
        for pass in audit.regions.iter().flat_map(|region| &region.passes) {
            passes += usize::from(pass.reported.is_some());
            errors += usize::from(pass.error().is_some_and(|error| error != [0; 2]));
            without += usize::from(pass.without.is_ok());
        }
    }
    assert!(
        all.is_empty(),
        "{} in all:\n{}",
        all.len(),
        all[..all.len().min(9)].join("\n")
    );
    assert!(
        passes > 20 && errors > 5 && without > 20,
        "{passes} passes, {errors} with errors, {without} known without macros"
    );
}

fn written(audit: &Audit, format: Format) -> String {
    let style = Style::plain(80, Detail::Short);
    let mut bytes = Vec::new();
    write_audit(format, audit, &style, &mut bytes).expect("a vector takes everything");
    String::from_utf8(bytes).expect("UTF-8")
}

/// Every program of a folder that has regions.
fn programs(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<_> = fs::read_dir(&folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "asm"))
        .collect();
    files.sort();
    let programs = files.into_iter().map(|path| {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        (name, fs::read_to_string(&path).expect("UTF-8"))
    });
    programs
        .filter(|(_, text)| text.to_lowercase().contains("start"))
        .collect()
}

#[test]
fn the_causes_of_an_error_add_up_to_it_in_every_program_with_regions() {
    let mut audits = 0;
    for folder in ["asm", "tutorials/15_counters", "tutorials/17_audit"] {
        for (name, text) in programs(folder) {
            let options = Options {
                runs: 2,
                limit: 100_000,
                ..Options::default()
            };
            for model in MODELS.iter().copied() {
                let Some((audit, found)) = audited(&name, &text, model, &options) else {
                    continue;
                };
                assert!(found.is_empty(), "{name} on {}: {}", model.name, found.join("\n"));
                audits += usize::from(audit.regions.iter().any(|region| !region.passes.is_empty()));
                let told = written(&audit, Format::Text);
                assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
                let json: serde_json::Value = serde_json::from_str(&written(&audit, Format::Json)).expect("JSON");
                for pass in json["regions"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .flat_map(|one| one["passes"].as_array())
                {
                    for pass in pass.iter().filter(|pass| pass["causes"].is_array()) {
                        let known = pass["without_macros"].is_i64();
                        let parts = pass["causes"].as_array().into_iter().flatten();
                        let sum: i64 = parts
                            .filter_map(|part| part[if known { "error" } else { "edges" }].as_i64())
                            .sum();
                        let uncalibrated = pass["uncalibrated"].as_i64().unwrap_or(0);
                        assert_eq!(pass["error"][0].as_i64(), Some(sum - uncalibrated), "{name}: {pass}");
                    }
                }
            }
        }
    }
    assert!(audits > 30, "only {audits} programs have passes");
}
