//! The events of the chip: their constants, and calls that select events.

use super::{bytes, complaints, good, image};
use asm_macros::events::Event;
use p5_assembler::source::Sources;
use p5_assembler::{Options, assemble};
use p5_chips::{MODELS, Model, by_name};
use p5_machine::{self as machine, simulate};
use p5_results::{Levels, RegionResult};

#[test]
fn the_constants_and_the_events_they_name_are_those_of_the_chip() {
    let mut events = MODELS[0].events;
    events.selected[0][0x2A] = Some(Event::BRANCHES);
    events.selected[1][0x2A] = Some(Event::FLOPS);
    for (counter, selector) in [(0, 0x12), (1, 0x12), (0, 0x22), (1, 0x22), (0, 0x1F), (1, 0x1F)] {
        events.selected[counter][selector] = None;
    }
    let chip: &'static Model = Box::leak(Box::new(Model { events, ..*MODELS[0] }));
    let source =
        "StartProfile EV_BRANCHES, EV_FLOPS\njmp next\nnext:\nEndProfile\nmov eax,EV_BRANCHES\nv dd EV_FLOPS\n";
    let options = Options {
        chip,
        ..Options::default()
    };
    let image = good(source, assemble(&Sources::single("test.asm", source), &options));
    let run = simulate(&image, "test.asm", chip, &machine::Options::default(), &mut |_| {});
    let value = |name: &str| {
        run.symbols
            .iter()
            .find(|symbol| symbol.name == name)
            .and_then(|symbol| symbol.value)
    };
    assert_eq!(["_prof0", "_prof1", "v"].map(value), [Some(1), Some(0), Some(0x2A)]);
    let refused = |arguments: &str| {
        let source = format!("nop\nStartProfile {arguments}\nEndProfile\n");
        let found = assemble(&Sources::single("test.asm", &source), &options).diagnostics;
        let first = found.first().expect("an error");
        assert_eq!(first.span.map(|span| (span.file, span.line)), Some((0, 2)), "{found:?}");
        (first.message.clone(), first.help.clone())
    };
    let (message, help) = refused("EV_AGI_STALLS, 16h");
    assert_eq!(
        (message.as_str(), help.is_some()),
        ("unknown event `EV_AGI_STALLS`", true)
    );
    assert!(refused("16h, 12h").0.contains("counter 1 of the") && refused("16h, 12h").0.contains("no event 12h"));
}

#[test]
fn an_unknown_event_is_an_error_of_the_call_and_suggests_one() {
    for (arguments, message, help) in [
        (
            "0, AGI_STALLS",
            "unknown event `AGI_STALLS`",
            "did you mean `EV_AGI_STALLS`?",
        ),
        ("EV_AGI, 0", "unknown event `EV_AGI`", "did you mean `EV_AGI_STALLS`?"),
        (
            "EV_Flops+COUNT_CYCLE, 0",
            "unknown constant `COUNT_CYCLE`",
            "did you mean `COUNT_CYCLES`?",
        ),
        (
            "ev_brunches, 0",
            "unknown event `ev_brunches`",
            "did you mean `EV_BRANCHES`?",
        ),
        (
            "nonsense, 0",
            "unknown event `nonsense`",
            "`p5inst events` lists the events",
        ),
    ] {
        for name in ["StartProfile", "SetMSRTimers"] {
            let rest = if name == "StartProfile" { "EndProfile" } else { "" };
            let source = format!("nop\n{name} {arguments}\nnop\n{rest}\nStartTSC\nEndTSC\n");
            let found = assemble(&Sources::single("test.asm", &source), &Options::default()).diagnostics;
            let [first] = &found[..] else {
                panic!("{source}: {found:?}");
            };
            let place = first.span.map(|span| (span.file, span.line));
            assert_eq!(
                (first.message.as_str(), first.help.as_deref(), place),
                (message, Some(help), Some((0, 2)))
            );
        }
    }
}

#[test]
fn only_the_arguments_that_select_events_are_events() {
    let code = bytes(
        &image("x equ edi\nP5_Subtract 12345678h\nP5_Subtract x\nP5_Subtract [esi]\n"),
        "_TEXT",
    );
    let subtracted = |edx: &str| format!("{edx}f7d28d440201");
    assert_eq!(code, ["ba78563412", "8bd7", "8b16"].map(subtracted).concat());
    // The third argument is a name, the others are not read as one.
    let measured = image("EV_FLOPS macro\nendm\n_ equ edi\nStartProfile 22h, 1, x1\nEndProfile\n");
    assert_eq!(measured.regions[0].events, Some([0x22, 1]));
    assert_eq!(measured.regions[0].name, "x1");
}

#[test]
fn an_event_of_the_other_counter_is_a_warning_that_names_the_one_that_is_counted() {
    let options = Options {
        chip: by_name("p55c").expect("a chip"),
        ..Options::default()
    };
    for (arguments, warned) in [
        ("EV_EMMS_EXECUTED, EV_MMX_DATA_WRITE_MISS", None),
        ("EV_FLOPS, EV_FLOPS", None),
        ("34h, 34h", None),
        (
            "EV_EMMS_EXECUTED, EV_MMX_DATA_WRITE + COUNT_CYCLES",
            Some((
                "counter 1 counts MMX_DATA_WRITE_MISS instead of `EV_MMX_DATA_WRITE`: both have the number 34h",
                "only counter 0 counts `EV_MMX_DATA_WRITE`: write it as the first event",
            )),
        ),
        (
            "ev_mmx_data_write_miss, EV_FLOPS",
            Some((
                "counter 0 counts MMX_DATA_WRITE instead of `EV_MMX_DATA_WRITE_MISS`: both have the number 34h",
                "only counter 1 counts `EV_MMX_DATA_WRITE_MISS`: write it as the second event",
            )),
        ),
    ] {
        let source = format!(".586\n.mmx\nStartProfile {arguments}\nEndProfile\n");
        let found = assemble(&Sources::single("test.asm", &source), &options).diagnostics;
        let found: Vec<_> = found
            .iter()
            .map(|one| (one.message.as_str(), one.help.as_deref().unwrap_or_default()))
            .collect();
        assert_eq!(found, warned.into_iter().collect::<Vec<_>>(), "{arguments}");
    }
}

#[test]
fn an_event_behind_the_name_is_an_error_of_the_call() {
    for rest in ["EV_FLOPS", "ev_flops+COUNT_CYCLES", "other, EV_FLOPS"] {
        let source = format!("nop\nStartProfile EV_BRANCHES, EV_AGI_STALLS, name, {rest}\nnop\nEndProfile\n");
        let found = complaints(&source);
        let [only] = &found[..] else { panic!("{found:?}") };
        let found = only.to_ascii_lowercase();
        assert!(
            found.starts_with("2: `ev_flops` is not counted: there are two counters | "),
            "{only}"
        );
    }
    let found = complaints("StartProfile EV_BRANCHES, EV_AGI_STALLS, name, other\nnop\nEndProfile\n");
    assert!(
        matches!(&found[..], [only] if only.contains("too many arguments")),
        "{found:?}"
    );
}

#[test]
fn a_region_knows_at_which_levels_its_counters_count_and_which_event_is_never_raised() {
    let text = include_str!("../../../snapshots/asm/counters_that_do_not_count.asm");
    let run = simulate(
        &image(text),
        "test.asm",
        MODELS[0],
        &machine::Options::default(),
        &mut |_| {},
    );
    let [snoops, levels] = &run.regions[..] else {
        panic!("{:?}", run.regions);
    };
    assert_eq!(snoops.levels, [Levels::All, Levels::User]);
    assert_eq!(levels.levels, [Levels::System, Levels::All]);
    let known = |region: &RegionResult| region.unavailable.map(|why| why.is_none());
    assert_eq!([snoops, levels].map(known), [[false, true], [true, false]]);
}
