//! Everything that reports print as a reason is explained.

use super::*;
use crate::diagram::Group;
use crate::{reasons, slots, specimen};
use p5_advice::bound::{Bound, Limit};
use p5_chips::MODELS;
use p5_results::{Awaited, WaitCauses};
use std::cell::RefCell;
use std::collections::BTreeMap;

#[test]
fn every_topic_has_its_figures_sources_and_tests_and_is_found_by_its_name() {
    for model in MODELS.iter().copied() {
        let mut bytes = Vec::new();
        let style = Style::plain(80, crate::Detail::Short);
        for topic in topics(model) {
            assert!(!topic.rule.contains('{') && !topic.source.is_empty(), "{topic:?}");
            assert!(!topic.tests.is_empty(), "{topic:?}");
            let found = explained(model, &topic.name);
            assert!(found.iter().any(|found| found.name == topic.name), "{}", topic.name);
            write_topics(&found, Format::Text, &style, &mut bytes).expect("a vector");
        }
        write_topic_list(&topics(model), Format::Text, &style, &mut bytes).expect("a vector");
        let text = String::from_utf8_lossy(&bytes);
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}

#[test]
fn what_reports_say_is_explained() {
    let model = MODELS[0];
    let only = |wanted: &str| match explained(model, wanted).as_slice() {
        [topic] => topic.name.clone(),
        several => format!("{:?}", several.iter().map(|topic| &topic.name).collect::<Vec<_>>()),
    };
    let run = specimen::run();
    let instruction = &run.instructions[0];
    for &refusal in Refusal::ALL {
        let Some(reason) = reasons::refused(refusal, instruction, Some(instruction), None) else {
            continue;
        };
        let found = explained(model, &reason);
        assert!(
            found.iter().any(|topic| topic.name == refusal.name()),
            "{reason}: {found:?}"
        );
    }
    for &cause in Cause::ALL {
        let reason = format!("waited 3: {}", reasons::plain(cause));
        assert_eq!(only(&reason), cause.name(), "{reason}");
    }
    for (reason, name) in [
        ("+3: mispredicted", "misprediction"),
        ("waited 1: AGI, lea wrote esi", "agi"),
        ("waited 1: AGI, xor wrote ebp and add wrote eax", "agi"),
        ("both access bank 5", "bank conflict"),
        ("the pair takes 3 in lockstep", "lockstep"),
        ("add takes 2", "execution"),
        ("imul takes 9 and never pairs", "not pairable"),
        ("next mov needs eax", "read after write"),
        ("st(0) of fadd is not ready", "floating point"),
        (
            "unit busy for 39 clocks, 38 of them hidden by other work",
            "floating point",
        ),
        ("unit busy for 39 clocks, none hidden by other work", "floating point"),
        ("0Ah", "BANK_CONFLICTS"),
        ("EV_AGI_STALLS", "AGI_STALLS"),
        ("bank", "bank conflict"),
        ("prefix", "prefix"),
        ("shadow_reach", "shadow_reach"),
        ("tlb", "data tlb miss"),
        ("F206", "op_data_cache_miss"),
        ("op_all", "op_all"),
        ("slow instruction", "execution"),
        ("hlt", "halted"),
        ("or 255 to 263 under open question imul_r32", "how sure"),
        ("15 clocks come from 2 instruction timings in doubt", "how sure"),
        ("15 clocks rest on doubted REP STOS", "how sure"),
        ("doubted", "how sure"),
        ("bar", "how sure"),
        ("rest on", "how sure"),
        ("mean", "rounds"),
        ("sigmas", "sigmas"),
        ("dropped", "sigmas"),
        ("#DE", "end of a run"),
        ("not cached", "cache"),
        ("limit", "end of a run"),
        ("ExitProcess", "end of a run"),
        ("windows", "end of a run"),
        ("exit", "end of a run"),
        ("Irvine32", "end of a run"),
        ("--timeout", "end of a run"),
        ("fault", "end of a run"),
        ("past the end", "past the end"),
        ("off by one", "past the end"),
        (
            "line 9: the misses are conflicts: 3 cache lines",
            "conflicts and capacity",
        ),
        ("macros", "misses by macros"),
        ("misses that the macros cause", "misses by macros"),
        (
            "line 9 writes list[8], which is top: list has 8 elements",
            "past the end",
        ),
    ] {
        assert_eq!(only(reason), name, "{reason}");
    }
    assert!(explained(model, "zzz").is_empty());
}
/// A group of the first two instructions of a run, without lost clocks.
fn group() -> Group {
    Group {
        clock: 0,
        cycles: 1,
        own: 1,
        own_of_u: 1,
        u: 0,
        v: None,
        executed: [Some(0), None],
        begun_in_v: false,
        late: 0,
        longer: 0,
        waited: WaitCauses::NONE,
        slowed: WaitCauses::NONE,
        busy: None,
        unit: Default::default(),
        awaited: None,
        data: None,
        written_through: false,
        held: 0,
        held_by: None,
        bank: None,
        mispredicted: 0,
        elsewhere: None,
        after: None,
        entry_met: false,
        misled_by: None,
        hurried: false,
        delivery: false,
        met_elsewhere: None,
        after_misprediction: false,
        refusal: None,
        before: [Some(0), None],
        next: Some(1),
        ends: None,
    }
}

#[test]
fn every_reason_of_a_row_is_explained() {
    let model = MODELS[0];
    let run = specimen::run();
    // Many rows have the same reason.
    let known: RefCell<BTreeMap<String, Vec<Topic>>> = RefCell::default();
    let explains = |reason: &str, names: &[&str]| {
        let mut known = known.borrow_mut();
        let found = known
            .entry(reason.to_owned())
            .or_insert_with(|| explained(model, reason));
        let found: Vec<&str> = found.iter().map(|topic| topic.name.as_str()).collect();
        assert_eq!(found, names, "{reason}");
    };
    let places = [
        None,
        Some([run.symbols[0].address; 2]),
        Some([0, 0]),
        Some([0, u32::MAX]),
    ];
    let banks = [None, Some([5, 5]), Some([2, 5])];
    let awaited = [
        Awaited::General,
        Awaited::Stack(3),
        Awaited::Packed(4),
        Awaited::Switch,
        Awaited::Unit,
        Awaited::SafeOperands,
        Awaited::Multiplier,
        Awaited::Status,
    ];
    for &cause in Cause::ALL {
        for (data, bank) in places.iter().flat_map(|&data| banks.map(|bank| (data, bank))) {
            for before in [[Some(0), None], [None; 2]] {
                let main = WaitCauses::of(cause, 3);
                let mut group = Group {
                    data,
                    bank,
                    before,
                    ..group()
                };
                (group.waited, group.late) = (main, 3);
                let outside = (before == [None; 2]).then_some("before the region");
                let names: Vec<&str> = outside.into_iter().chain([cause.name()]).collect();
                explains(&reasons::reason(&run, &group), &names);
                (group.waited, group.late) = (WaitCauses::NONE, 0);
                (group.slowed, group.longer) = (main, 5);
                explains(&reasons::reason(&run, &group), &["part of a wait", cause.name()]);
            }
        }
    }
    let cause = Cause::FloatingPoint;
    let main = WaitCauses::of(cause, 3);
    for awaited in awaited {
        // The words for general registers do not name the unit.
        let name = match awaited {
            Awaited::General => "execution",
            Awaited::Switch => "mmx",
            _ => cause.name(),
        };
        for by in [None, Some(1)] {
            let mut group = group();
            (group.waited, group.late, group.awaited) = (main, 3, Some((awaited, by)));
            explains(&reasons::reason(&run, &group), &[name]);
        }
    }
    let mut first = Group {
        before: [None; 2],
        ..group()
    };
    (first.waited, first.late) = (WaitCauses::of(Cause::Agi, 1), 2);
    let reason = reasons::reason(&run, &first);
    assert_eq!(reason, "waited 2 before the region, 1 of it: AGI");
    explains(&reason, &["before the region", "part of a wait", "agi"]);
    (first.late, first.mispredicted) = (1, 3);
    let reason = reasons::reason(&run, &first);
    explains(&reason, &["before the region", "agi", "misprediction"]);
    for (after_misprediction, name) in [(true, "misprediction right after another"), (false, "misprediction")] {
        let group = Group {
            mispredicted: 4,
            after_misprediction,
            ..group()
        };
        explains(&reasons::reason(&run, &group), &[name]);
    }
    {
        let group = Group {
            late: 3,
            waited: WaitCauses::of(Cause::Misprediction, 3),
            entry_met: true,
            ..group()
        };
        let reason = reasons::reason(&run, &group);
        assert_eq!(reason, "waited 3: the predictor took it for a branch");
        explains(&reason, &["entry met by another"]);
    }
    for misled_by in [run.instructions[1].address, u32::MAX] {
        let group = Group {
            mispredicted: 4,
            misled_by: Some(misled_by),
            ..group()
        };
        explains(&reasons::reason(&run, &group), &["entry of two branches"]);
    }
    {
        let group = Group {
            mispredicted: 4,
            hurried: true,
            ..group()
        };
        explains(&reasons::reason(&run, &group), &["tight"]);
    }
    for refusal in [None, Some(Refusal::FirstNotPairable)] {
        let group = Group {
            own: 9,
            refusal,
            ..group()
        };
        let name = refusal.map_or("execution", Refusal::name);
        explains(&reasons::reason(&run, &group), &[name]);
    }
    explains(
        &reasons::reason(
            &run,
            &Group {
                own: 9,
                v: Some(1),
                executed: [Some(0), Some(1)],
                ..group()
            },
        ),
        &["lockstep"],
    );
}

#[test]
fn what_reports_say_of_loops_bounds_and_runs_is_explained() {
    let model = MODELS[0];
    let limits = [
        Limit::Pipe,
        Limit::Pipes,
        Limit::U,
        Limit::V,
        Limit::Unit,
        Limit::PackedMultiplier,
        Limit::PackedShifter,
        Limit::Chain,
        Limit::Register,
        Limit::Alone,
        Limit::UnevenPairs,
        Limit::Longest,
    ];
    let bounds = limits.map(|limit| {
        let bound = Bound {
            instructions: 4,
            work: 5,
            clocks: 3,
            limit,
        };
        (slots::least(&specimen::run(), &[], &bound), "bound")
    });
    let said = [
        ("next: 64 rounds from clock 0, 259 clocks in all", "rounds"),
        ("4 in 63 of them, 7 in the other", "rounds"),
        ("4 in 63 of them, 7 to 9 in the others", "rounds"),
        (
            "next: 64 rounds, 259 clocks in all: 4 in 63 of them, 7 in the other",
            "rounds",
        ),
        ("next: 64 of 128 rounds traced, 259 clocks in all: 4 each", "rounds"),
        ("V in 2 clocks", "rounds"),
        ("4 each", "rounds"),
        (
            "inner: 7 rounds, 25 clocks in all. The first round began in V and is drawn above",
            "rounds",
        ),
        ("V is used in 2 clocks", "rounds"),
        ("x3, clocks +2 to +4", "rounds"),
        ("3 runs: 380 clocks cold, then 380, 114 warm", "warm"),
        ("not settled", "warm"),
        ("259 clocks warm, 445 cold", "warm"),
        ("15000 passes in 5 runs, the warm figure is of 1500", "warm"),
        ("measured 259", "measured"),
        ("not measured", "measured"),
        ("p5.inc probe", "measured"),
        ("the short mov [m],eax counts as writing it", "read after write"),
        ("write order of total", "write order"),
        ("the program ends", "last instruction"),
    ];
    let said = said.map(|(words, name)| (words.to_owned(), name));
    for (words, name) in bounds.into_iter().chain(said) {
        let found = explained(model, &words);
        assert!(
            found.first().is_some_and(|topic| topic.name == name),
            "{words}: {found:?}"
        );
    }
    let names = |words: &str| -> Vec<String> {
        let found = explained(model, words);
        found.into_iter().map(|topic| topic.name).collect()
    };
    assert_eq!(
        names("Before the region it waited 1: prefix."),
        ["before the region", "prefix"]
    );
    let needs = "next add needs eax; the short mov [m],eax counts as writing it";
    assert_eq!(explained(model, needs)[0].name, "read after write");
    assert_eq!(explained(model, needs).len(), 1);
}

#[test]
fn what_one_chip_alone_has_is_explained_without_naming_it() {
    let names = |found: Vec<Topic>| -> Vec<String> { found.into_iter().map(|topic| topic.name).collect() };
    for (wanted, expected) in [
        ("2Ah", &["BUS_OWNERSHIP_LATENCY", "BUS_OWNERSHIP_TRANSFERS"][..]),
        ("2Ah:1", &["BUS_OWNERSHIP_TRANSFERS"]),
        ("EV_BUS_OWNERSHIP_LATENCY", &["BUS_OWNERSHIP_LATENCY"]),
        ("1Fh", &["AGI_STALLS"]),
        ("agi", &["agi"]),
        ("zzzzz", &[]),
    ] {
        assert_eq!(names(explained_on_any(wanted)), expected, "{wanted}");
    }
    let rule = |wanted: &str| explained_on_any(wanted)[0].rule.clone();
    assert!(
        rule("2Ah:0").contains("only counter 0 counts it; of the chips, p55c has it"),
        "{}",
        rule("2Ah:0")
    );
    assert!(!rule("1Fh").contains("of the chips"));
    let all = names(topics_of_any());
    for model in MODELS {
        assert!(topics(model).iter().all(|topic| all.contains(&topic.name)));
    }
    let count = all.len();
    assert_eq!(all.into_iter().collect::<std::collections::BTreeSet<_>>().len(), count);
}

#[test]
fn lists_and_signals_are_topics() {
    let model = MODELS[0];
    for wanted in ["assume", "open", "open question", "Open questions"] {
        let found = explained(model, wanted);
        assert!(
            matches!(&found[..], [one] if one.name == "open questions"),
            "{wanted}: {found:?}"
        );
        for assumption in ASSUMPTIONS {
            assert!(found[0].rule.contains(assumption.name) && found[0].rule.contains(assumption.decides));
        }
    }
    assert_eq!(explained(model, "under open question imul_r32")[0].name, "how sure");
    for wanted in [
        "signal",
        "SIGSEGV",
        "signal 7",
        "ended by raising SIGABRT, exit code 134 in a shell",
    ] {
        let found = explained(model, wanted);
        assert!(
            matches!(&found[..], [one] if one.name == "signals"),
            "{wanted}: {found:?}"
        );
    }
    let rule = &explained(model, "fetch_killed")[0].rule;
    assert!(
        rule.contains("the samples of fetches without IbsFetchComp or IbsIcMiss"),
        "{rule}"
    );
    let rule = &explained(model, "signals")[0].rule;
    assert!(
        rule.contains("stops it for good (STOP, TSTP, TTIN, TTOU), or does nothing (CHLD, CONT, URG, WINCH)"),
        "{rule}"
    );
}

#[test]
fn a_part_of_a_reason_leads_to_the_topic_of_the_whole() {
    let named = |words: &str| -> Vec<String> {
        let topics = explained(MODELS[0], words).into_iter();
        topics.map(|topic| topic.name).collect()
    };
    for words in [
        "the predictor took it for a branch",
        "predictor took it for a branch",
        "took it for a branch",
        "took it",
    ] {
        assert_eq!(named(words), ["entry met by another"], "{words}");
    }
    assert_eq!(named("branch"), ["btb"], "words of their own stay first");
}
