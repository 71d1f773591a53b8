//! Counters two at a time against all events at once, on every program of the folder `asm`: the reading of P5Stat after
//! an execution has the events of that execution, and equals that of the last one unless the program or the chip makes
//! them differ.

use asm_macros::events::Event;
use instrumenter::source::Sources;
use runtime::image::Image;
use runtime::instruments::{self, Difference, Line, Program, Stat, Uncounted};
use runtime::machine::{Options, simulate};
use runtime::model::{self, Model};
use std::fs;
use std::num::NonZeroU64;
use std::path::Path;

/// The chips and programs whose executions differ although the program ends by itself, each with the reason.
const DIFFERENT: &[(&str, &str, Difference)] = &[
    // The program walks through more pages than the TLB has entries, and leaves the TLB in another state each time.
    ("p55c", "irregular.asm", Difference::NotSettled),
    // The branch target buffer is in another state after each execution.
    ("p5", "regions_left.asm", Difference::NotSettled),
    ("p54c", "regions_left.asm", Difference::NotSettled),
    // So it is here, with the branches of ten regions.
    ("p5", "early_writes.asm", Difference::NotSettled),
    ("p54c", "early_writes.asm", Difference::NotSettled),
];

/// A limit in clocks that every terminating program of the folder keeps.
const LIMIT: u64 = 400_000;

/// Programs that go round and round, and the limit of these.
const ENDLESS: [&str; 5] = [
    "code_written_in_a_loop.asm",
    "endless.asm",
    "repeat_at_a_loop_head.asm",
    "stack_in_nowhere.asm",
    "very_many_passes.asm",
];
const LIMIT_OF_ENDLESS: u64 = 40_000;

/// The settings with which a program waits for the clocks of another bus master: how long depends on its start.
const WAITS_FOR_OTHERS: [&str; 2] = ["; with monitor = snooper", "; with monitor = dual"];

/// Every program of the folder that assembles for `chip`: name, text and image.
fn programs(chip: &'static Model, cpl: u8) -> Vec<(String, String, Image)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("asm");
    let mut files: Vec<_> = fs::read_dir(&folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "asm"))
        .collect();
    files.sort();
    let assembled = files.into_iter().filter_map(|path| {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("UTF-8");
        if WAITS_FOR_OTHERS.iter().any(|setting| text.contains(setting)) {
            return None;
        }
        let image = image(&name, &text, chip, cpl)?;
        Some((name, text, image))
    });
    let programs: Vec<_> = assembled.collect();
    assert!(programs.len() > 60, "only {} programs", programs.len());
    programs
}

/// The image of a program; `None` if it names events that the chip does not have.
fn image(name: &str, text: &str, chip: &'static Model, cpl: u8) -> Option<Image> {
    let options = instrumenter::Options {
        cpl,
        chip,
        ..instrumenter::Options::default()
    };
    instrumenter::assemble(&Sources::single(name, text), &options).image
}

fn options(name: &str, cpl: u8) -> Options {
    Options {
        cpl,
        limit: if ENDLESS.contains(&name) {
            LIMIT_OF_ENDLESS
        } else {
            LIMIT
        },
        ..Options::default()
    }
}

fn stat(name: &str, image: &Image, model: &'static Model, options: &Options) -> Stat {
    let program = Program { name, image, model };
    instruments::stat(&program, options, true, &mut |_| {})
}

fn chips() -> impl Iterator<Item = &'static Model> {
    let counting = |model: &&'static Model| model.events.selections().next().is_some();
    model::MODELS.iter().copied().filter(counting)
}

/// Whether a program, or a macro that it uses, writes the counters.
fn sets_counters(stat: &Stat) -> bool {
    stat.lines.iter().any(|line| line.count == Err(Uncounted::SetByProgram))
}

#[test]
fn two_at_a_time_count_what_all_at_once_do() {
    let mut equal = 0;
    let levels = |chip: &'static Model| [0, 3].into_iter().map(move |cpl| (chip, cpl));
    let at_both = levels(snapshots::chip());
    let others = chips().skip(1).map(|chip| (chip, 0));
    for (chip, cpl) in at_both.chain(others) {
        for (name, text, image) in programs(chip, cpl) {
            let stat = stat(&name, &image, chip, &options(&name, cpl));
            let lower = text.to_ascii_lowercase();
            let known = DIFFERENT
                .iter()
                .find(|(other, program, _)| (*other, *program) == (chip.name, &*name));
            for line in &stat.lines {
                let what = format!(
                    "{} {name} CPL {cpl}: {} {line:?}",
                    chip.name,
                    line.selection.event.name()
                );
                match line.count {
                    Err(Uncounted::Unavailable(reason)) => {
                        assert_eq!(chip.events.why_unavailable(line.selection.event), Some(reason));
                        assert_eq!(line.at_once, None, "{what}");
                    }
                    Err(Uncounted::SetByProgram) => {
                        assert!(lower.contains("startprofile") || lower.contains("wrmsr"), "{what}");
                    }
                    Err(Uncounted::OutOfTime | Uncounted::Refused(_)) => panic!("{what}"),
                    Ok(_) => match line.difference {
                        None => equal += 1,
                        Some(Difference::Miscounted | Difference::Path) => panic!("{what}"),
                        Some(why) if stat.subject.stop.reason.by_program() => {
                            assert_eq!(known.map(|(.., why)| *why), Some(why), "{what}");
                        }
                        Some(_) => {}
                    },
                }
            }
        }
    }
    assert!(equal > 9_000, "only {equal} counts were equal");
}

#[test]
fn executions_are_those_of_a_machine_that_counts_nothing() {
    let chip = snapshots::chip();
    for (name, _, image) in programs(chip, 0) {
        let stat = stat(&name, &image, chip, &options(&name, 0));
        if sets_counters(&stat) {
            continue;
        }
        let options = Options {
            runs: stat.clocks.len() as u32,
            ..options(&name, 0)
        };
        let run = simulate(&image, &name, chip, &options, &mut |_| {});
        if run.runs.len() < stat.clocks.len() {
            // A program that runs several times ends with the first execution that is cut off.
            continue;
        }
        let clocks: Vec<u64> = run.runs.iter().map(|run| run.whole.cycles).collect();
        assert_eq!(stat.clocks, clocks, "{name}");
        let count = |event: Event| {
            let lines: Vec<&Line> = stat.lines.iter().filter(|line| line.selection.event == event).collect();
            lines[0].count
        };
        // The sums hold although their parts come from different executions.
        for (sum, parts) in [
            (Event::DATA_READ_OR_WRITE, [Event::DATA_READ, Event::DATA_WRITE]),
            (
                Event::DATA_READ_OR_WRITE_MISS,
                [Event::DATA_READ_MISS, Event::DATA_WRITE_MISS],
            ),
        ] {
            let parts = parts.map(|part| count(part).expect("a count"));
            assert_eq!(count(sum), Ok(parts[0] + parts[1]), "{name}");
        }
        assert_eq!(
            count(Event::INSTRUCTIONS_EXECUTED),
            Ok(run.whole.totals.instructions),
            "{name}"
        );
        assert_eq!(
            count(Event::INSTRUCTIONS_EXECUTED_V_PIPE),
            Ok(run.whole.totals.v),
            "{name}"
        );
    }
}

#[test]
fn a_program_that_reads_time_is_found_out() {
    let text = "again: rdtsc\nadd total,eax\nmov ecx,eax\nand ecx,127\ninc ecx\nspin: dec ecx\njnz spin\nret\n\
                total dd 0\n";
    let chip = snapshots::chip();
    let image = image("time.asm", text, chip, 0).expect("it assembles");
    let stat = stat("time.asm", &image, chip, &options("time.asm", 0));
    let differ = stat.lines.iter().filter_map(|line| line.difference);
    let why: Vec<Difference> = differ.collect();
    assert!(
        !why.is_empty() && why.iter().all(|why| *why == Difference::Path),
        "{why:?}"
    );
}

#[test]
fn miscounts_of_the_chip_are_told_from_other_differences() {
    let text = "mov esi,offset cells\nmov ecx,20\nagain: in al,60h\nmov eax,[esi+2]\nadd esi,64\ndec ecx\njnz again\nret\n\
                .data\nalign 32\ncells dd 400 dup(0)\n";
    let chip = snapshots::chip();
    let image = image("ports.asm", text, chip, 0).expect("it assembles");
    let flawed = chip.assuming(&[model::choice("errata=on").expect("an assumption")]);
    let differ = |chip| {
        let stat = stat("ports.asm", &image, chip, &options("ports.asm", 0));
        let differ = stat.lines.into_iter().filter(|line| line.difference.is_some());
        differ
            .map(|line| (line.selection.event, line.difference))
            .collect::<Vec<_>>()
    };
    assert_eq!(differ(chip), []);
    assert_eq!(
        differ(flawed),
        [(Event::NONCACHEABLE_READS, Some(Difference::Miscounted))]
    );
}

#[test]
fn intervals_add_up_to_the_execution_and_change_nothing() {
    let of = |event: Event| {
        let mut selections = snapshots::chip().events.selections();
        selections.find(|one| one.event == event)
    };
    let selections = [of(Event::MISALIGNED_REFERENCES), of(Event::INSTRUCTIONS_EXECUTED)];
    for (name, _, image) in programs(snapshots::chip(), 0) {
        let program = Program {
            name: &name,
            image: &image,
            model: snapshots::chip(),
        };
        let run = simulate(
            &image,
            &name,
            program.model,
            &Options {
                runs: 1,
                ..options(&name, 0)
            },
            &mut |_| {},
        );
        for every in [7, 5_000] {
            let (mut until, mut sums, mut unknown) = (0, [0; 2], false);
            let mut show = |interval: &instruments::Interval| {
                assert_eq!(interval.until, until + interval.clocks, "{name}");
                until = interval.until;
                match interval.counts {
                    Ok(counts) => sums = [0, 1].map(|counter| sums[counter] + counts[counter]),
                    Err(_) => unknown = true,
                }
            };
            let every = NonZeroU64::new(every).expect("not zero");
            let watched = instruments::watch(&program, selections, every, &options(&name, 0), &mut show, &mut |_| {});
            assert_eq!(watched.total.clocks, run.whole.totals.cycles, "{name}");
            assert_eq!(until, watched.total.clocks, "{name}");
            match watched.total.counts {
                Ok(counts) => {
                    assert_eq!((sums, unknown), (counts, false), "{name}");
                    assert_eq!(counts[1], run.whole.totals.instructions, "{name}");
                }
                Err(why) => assert_eq!((why, unknown), (Uncounted::SetByProgram, true), "{name}"),
            }
        }
    }
}

#[test]
fn the_mean_wait_of_reads_that_all_miss_is_the_latency_of_the_memory() {
    // A chain of pointers, one in each line of 64 KiB, so that every read misses the first level cache.
    let text = ".data\nalign 4096\nchain label dword\nn = 0\nREPT 2048\nn = n + 1\ndd offset chain + (n and 2047)*32\n\
                dd 7 dup(0)\nENDM\n.code\nmov esi,offset chain\nmov ecx,2048\nagain: mov esi,[esi]\ndec ecx\n\
                jnz again\nret\n";
    let chip = snapshots::chip();
    let image = image("chase.asm", text, chip, 0).expect("it assembles");
    let program = Program {
        name: "chase.asm",
        image: &image,
        model: chip,
    };
    let mut events = chip.events.selections();
    let event = events
        .find(|one| one.event == Event::DATA_READ_STALL)
        .expect("an event");
    let mut rounds = Vec::new();
    for name in ["l2", "dram"] {
        let memory = model::MemoryPreset::by_name(name).expect("a memory");
        let options = Options {
            memory,
            ..options("chase.asm", 0)
        };
        let warm = instruments::ratio(&program, event, &options, &mut |_| {}).rows[1];
        let [waits, clocks] = warm.counts.expect("counts");
        assert!((2_048..2_060).contains(&waits), "{name}: {waits}");
        let mean = warm.mean().expect("a mean");
        assert_eq!(mean, clocks as f64 / waits as f64);
        let clocks = warm.clocks.expect("it was completed");
        rounds.push((mean, clocks as f64 / 2_048.0));
    }
    // Whatever the clocks of the memory, the rest of a round is the same.
    let [(near, near_round), (far, far_round)] = rounds[..] else {
        panic!("{rounds:?}")
    };
    assert!(far > near + 5.0 && near > 5.0, "{rounds:?}");
    assert!((far_round - near_round - (far - near)).abs() < 0.2, "{rounds:?}");
}
