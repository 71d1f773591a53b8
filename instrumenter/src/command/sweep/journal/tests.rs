//! Journals with random damage: a sweep goes on from each, or refuses it in one line, and writes its table.

use super::super::super::includes::Includes;
use super::*;
use asm_macros::events::Event;
use cpu_time::ThreadTime;
use p5_assembler::{Options, assemble, source::Sources};
use p5_seeds::bounds::{assert_bounded_memory, slowness};
use p5_seeds::damage;
use runtime::report::sweep::{Axis, Sweep, SweepFormat};
use runtime::report::{Detail, Style};
use runtime::{machine, model};
use std::time::Duration;

/// The number of damaged journals, and the variable that sets another number.
const ROUNDS: u32 = 200;
const MORE: &str = "P5INST_ROUNDS";
/// The limit of processor time for one journal.
const PATIENCE: Duration = Duration::from_secs(10);
const EVENTS: &[Event] = &[Event::AGI_STALLS, Event::BRANCHES];

fn row(end: &str) -> Row {
    let text = format!("StartTSC one\nadd eax,ebx\nEndTSC\n{end}\n");
    let image = assemble(&Sources::single("kept.asm", &text), &Options::default()).image;
    let options = machine::Options {
        cpl: 3,
        ..machine::Options::default()
    };
    let image = image.expect("a program without errors");
    let run = machine::simulate(&image, "kept.asm", model::MODELS[0], &options, &mut |_| {});
    Row::of(&run, EVENTS)
}

/// The table of the rows that a journal has left, in all formats.
fn written(rows: HashMap<String, Row>) {
    let values: Vec<String> = (0..rows.len().max(1)).map(|value| value.to_string()).collect();
    let rows: Vec<Row> = rows.into_values().collect();
    let regions = rows.iter().map(|row| row.regions().map(str::to_owned).collect());
    let sweep = Sweep {
        program: "kept.asm".to_owned(),
        axes: vec![Axis {
            name: "runs".to_owned(),
            values,
        }],
        events: EVENTS.to_vec(),
        regions: super::super::union(regions),
        rows,
    }
    .aligned();
    if sweep.rows.is_empty() {
        return;
    }
    let style = Style::plain(80, Detail::Short);
    for format in [
        SweepFormat::Text,
        SweepFormat::Json,
        SweepFormat::Csv { headings: true },
        SweepFormat::Html,
    ] {
        let mut out = Vec::new();
        sweep
            .write(format, &[], &style, &mut out)
            .expect("memory takes everything");
    }
}

#[test]
fn damaged_journals_are_continued_or_refused() {
    let seed = p5_seeds::seed();
    let mut random = fastrand::Rng::with_seed(seed);
    let folder = tempfile::tempdir().expect("a temporary directory");
    let output = folder.path().join("table.csv");
    let path = folder.path().join(format!("table.csv{ENDING}"));
    let source = folder.path().join("kept.asm");
    fs::write(&source, "nop\n").expect("a source");
    let identity = Identity {
        p5inst_sweep: 1,
        tool: "tool".to_owned(),
        source: 2,
        options: 3,
    };
    let cache = || Cache::new(Includes::new(&source, &[]).expect("its folder"));
    let first = serde_json::to_string(&identity).expect("JSON");
    let rows = ["nop", "mov eax,[0]", "mov ecx,9\na: dec ecx\njnz a"].map(row);
    let lines: Vec<String> = (0..6)
        .map(|point| {
            let point = format!("point {point}");
            let row = random.choice(&rows).expect("a row").clone();
            serde_json::to_string(&Line::Row {
                point,
                row: Box::new(row),
            })
            .expect("JSON")
        })
        .collect();
    let rounds = p5_seeds::number(MORE).unwrap_or(ROUNDS);
    let mut kept = 0;
    for round in 0..rounds {
        let mut text = format!("{first}\n");
        for line in &lines {
            let mut line = line.clone();
            // Whoever changes a row may give it its checksum.
            if random.u8(..3) == 0 {
                damage::json(&mut random, &mut line);
            }
            text += &format!("{:016x} {line}\n", fingerprint(&line.as_str()));
        }
        let mut bytes = text.into_bytes();
        if random.u8(..4) == 0 {
            damage::bytes(&mut random, &mut bytes);
        }
        fs::write(&path, &bytes).expect("a journal is written");
        let started = ThreadTime::now();
        let ended = std::panic::catch_unwind(|| match Journal::open(&output, &identity, &cache()) {
            Ok(opened) => {
                let some = !opened.rows.is_empty();
                written(opened.rows);
                some
            }
            Err(why) => {
                assert!(!why.contains('\n'), "{why}");
                false
            }
        });
        let text = String::from_utf8_lossy(&bytes);
        kept += u32::from(ended.unwrap_or_else(|_| panic!("seed {seed}, round {round}:\n{text}")));
        assert!(
            started.elapsed() < PATIENCE.mul_f64(slowness()),
            "seed {seed}, round {round}: too slow\n{text}"
        );
    }
    assert_bounded_memory("damaged journals");
    // Chance decides of a few.
    assert!(
        kept >= rounds.saturating_sub(16) / 4,
        "seed {seed}: rows of only {kept} of {rounds} were kept"
    );
}
