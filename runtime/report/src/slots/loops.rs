//! Loops in sentences: their rounds, the clocks of each round, and the lower bound of these.

use super::sign;
use crate::bundled;
use crate::diagram::{Loop, Node, Path, place};
use crate::lines;
use crate::phrases::counted;
use crate::printable;
use crate::reasons::{late_before_rounds, mnemonic, plain, unpaired};
use p5_advice::bound::{Bound, Limit};
use p5_results::{Cause, InstructionResult, Run};

/// A sentence about the rounds on further paths.
pub(crate) fn other_paths<'a>(paths: impl Iterator<Item = &'a Path> + Clone) -> Option<String> {
    let rounds: u64 = paths.clone().map(|path| path.rounds).sum();
    let cycles: u64 = paths.clone().map(|path| path.cycles).sum();
    let number = paths.count() as u64;
    let clocks = counted(cycles, "clock");
    (number > 0).then(|| {
        format!(
            "{} on {}: {clocks}.",
            counted(rounds, "round"),
            counted(number, "other path")
        )
    })
}

/// A sentence about a loop inside `depth` others. Unless `brief`, it says at which clock the rounds begin.
pub(crate) fn rounds(run: &Run, inner: &Loop, depth: usize, brief: bool) -> String {
    let traced = counted(inner.rounds, "round");
    let mut words = format!(
        "{}: {}{}, {} in all",
        printable::printable(&name(run, inner)),
        match inner.of {
            Some(all) => format!("{} of {} traced", inner.rounds, counted(all, "round")),
            None => traced,
        },
        match brief {
            true => String::new(),
            false => format!(" from clock {}{}", sign(depth), inner.clock),
        },
        counted(inner.cycles, "clock"),
    );
    let before = inner.late.as_ref().and_then(|group| late_before_rounds(run, group));
    let before = before.map_or_else(String::new, |waited| format!(" {waited}"));
    words += &match &inner.paths[..] {
        [path] if path.rounds > 1 => format!(": {}", each(run, path)),
        [_] => String::new(),
        paths => format!(", on {} paths", paths.len()),
    };
    words += match (inner.entered_in_v, inner.alone) {
        (true, false) => ". The first round began in V and is drawn above.",
        (true, true) => ". A round before these began in V and is not among them.",
        (false, _) => ".",
    };
    words + &before + &cut(inner) + &untypical(inner).unwrap_or_default()
}

/// The least difference of the clocks of the traced rounds and of all rounds that is told, in per cent of either.
const UNTYPICAL: u64 = 20;

/// A sentence about all rounds of the run, if the traced ones took quite another number of clocks.
fn untypical(inner: &Loop) -> Option<String> {
    let (all, traced) = (inner.of.filter(|&all| all > inner.rounds)?, inner.rounds);
    let clocks = inner.of_cycles?;
    let (of_all, of_traced) = (
        u128::from(clocks) * u128::from(traced),
        u128::from(inner.cycles) * u128::from(all),
    );
    let differ = of_all.abs_diff(of_traced) * 100 > of_all.max(of_traced) * u128::from(UNTYPICAL);
    differ.then(|| {
        format!(
            " The traced rounds are not typical: all {all} take {:.1} clocks on average, these {:.1}.",
            clocks as f64 / all as f64,
            inner.cycles as f64 / traced as f64
        )
    })
}

/// A sentence about the rounds that the ends of the trace cut.
fn cut(inner: &Loop) -> String {
    match inner.cut.map(|clocks| counted(clocks, "clock")) {
        _ if inner.cut == [0, 0] => String::new(),
        [_, behind] if inner.cut[0] == 0 => format!(" The trace ends {behind} into another round."),
        [before, _] if inner.cut[1] == 0 => format!(" The trace begins {before} before the end of another round."),
        [before, behind] => {
            format!(" The trace begins {before} before the end of a round, and ends {behind} into another one.")
        }
    }
}

/// The clocks of each round on a path, in words.
pub(crate) fn each(run: &Run, path: &Path) -> String {
    if path.rounds == 1 {
        return counted(path.round_cycles, "clock");
    }
    if path.alike == path.rounds {
        return format!("{} each", path.round_cycles);
    }
    let reasons = |causes: &[(Cause, u64)]| -> Vec<String> {
        causes
            .iter()
            .take(2)
            .map(|&(cause, _)| plain(cause).to_owned())
            .collect()
    };
    let mut words = format!("{} in {} of them", path.round_cycles, path.alike);
    if path.others.is_some_and(|(_, most)| most < path.round_cycles) {
        words += &in_brackets(&reasons(&path.own_causes));
    }
    if let Some((least, most)) = path.others {
        words += &match (path.rounds - path.alike, least == most) {
            (1, _) => format!(", {least} in the other"),
            (_, true) => format!(", {least} in the others"),
            (_, false) => format!(", {least} to {most} in the others"),
        };
    }
    words += &in_brackets(&match inner_rounds(run, path) {
        Some((inner, true)) => vec![inner],
        Some((inner, false)) => [inner]
            .into_iter()
            .chain(reasons(&path.causes).into_iter().take(1))
            .collect(),
        None => reasons(&path.causes),
    });
    // The mean says what extremes do not: how often they occur.
    match path.others {
        Some((least, most)) if least < most => format!("{words}; mean {:.1}", path.cycles as f64 / path.rounds as f64),
        _ => words,
    }
}

fn in_brackets(reasons: &[String]) -> String {
    match reasons {
        [] => String::new(),
        _ => format!(" ({})", reasons.join(", ")),
    }
}

/// How many rounds of a loop inside the other rounds of a path make, and whether that alone decides their clocks.
fn inner_rounds(run: &Run, path: &Path) -> Option<(String, bool)> {
    let inner = path.inner.as_ref()?;
    let mut loops = path.round.iter().filter_map(|node| match node {
        Node::Loop(inner) => Some(inner),
        Node::Group(_) | Node::Probe(_) => None,
    });
    let of = loops.nth(inner.before)?;
    let head = run.instructions.get(of.head)?;
    let name = label(run, head.address).map(|name| printable::printable(&name));
    let name = name.unwrap_or_else(|| format!("the {}", unnamed(run, of)));
    let [least, most] = inner.rounds;
    let rounds = match least == most {
        true => counted(least, "round"),
        false => format!("{least} to {most} rounds"),
    };
    Some((format!("{rounds} of {name}"), inner.alone))
}

fn label(run: &Run, address: u32) -> Option<String> {
    [&run.labels, &run.local_labels].into_iter().find_map(|labels| {
        let at = labels.partition_point(|label| label.address < address);
        let label = labels.get(at).filter(|label| label.address == address)?;
        Some(label.name.clone())
    })
}

/// The name of a loop: the label of its first instruction, or else its place.
pub(crate) fn name(run: &Run, inner: &Loop) -> String {
    let head = run.instructions.get(inner.head);
    let label = head.and_then(|head| label(run, head.address));
    label.unwrap_or_else(|| unnamed(run, inner))
}

/// The name of a loop without a label: its line or its address. The line of another file than the regions' has the name
/// of the file.
fn unnamed(run: &Run, inner: &Loop) -> String {
    let own = |file: u32| match &run.regions[..] {
        [] => file == 0,
        regions => regions.iter().all(|region| region.file == file),
    };
    match (place(run, inner), run.instructions.get(inner.head)) {
        (Some((file, line)), _) if !own(file) => {
            let name = lines::file_name(run, file).unwrap_or(lines::MEMORY);
            format!("loop at {}:{line}", printable::printable(name))
        }
        (Some((_, line)), _) => format!("loop at line {line}"),
        (None, Some(head)) => format!("loop at {}", lines::instruction_name(run, head)),
        (None, None) => "loop".to_owned(),
    }
}

/// The lower bound of a pass without loops, which consists of `nodes`, as a sentence without a full stop.
pub(crate) fn least(run: &Run, nodes: &[Node], bound: &Bound) -> String {
    let clocks = counted(bound.clocks, "clock");
    format!("No order takes less than {clocks} ({})", limit(run, nodes, bound.limit))
}

/// The clocks of a round in which V is used, if there is such a pipe, and the lower bound of a round, as a sentence.
pub(crate) fn least_of_round(run: &Run, path: &Path, bound: &Bound, brief: bool) -> String {
    if run.pipes == 1 {
        return format!("{}.", least(run, &path.round, bound));
    }
    let used = if brief { "V in" } else { "V is used in" };
    let in_v = counted(path.clocks_with_v, "clock");
    let why = limit(run, &path.round, bound.limit);
    format!("{used} {in_v}; no order takes less than {} ({why}).", bound.clocks)
}

/// The most instructions that a limit names.
const NAMED: usize = 3;

/// What decides the lower bound of `nodes`.
fn limit(run: &Run, nodes: &[Node], limit: Limit) -> String {
    let why = match limit {
        Limit::Pipe => "one pipe",
        Limit::Pipes => "two pipes",
        Limit::U => "only U runs some",
        Limit::V => "some pair only in V",
        Limit::Unit => "one floating-point unit",
        Limit::PackedMultiplier => "one MMX multiplier",
        Limit::PackedShifter => "one MMX shifter",
        Limit::Chain => "a chain of results",
        Limit::Register => "one register",
        Limit::UnevenPairs => "uneven pairs",
        Limit::Alone => return alone(run, nodes),
        Limit::Longest => {
            let longest = executed(run, nodes).max_by_key(|one| one.needs.clocks);
            return longest.map_or("the longest one".to_owned(), |one| {
                format!("{} takes them", mnemonic(one))
            });
        }
    };
    why.to_owned()
}

/// Which of the instructions of `nodes` do not pair, those of the floating-point unit but with FXCH.
fn alone(run: &Run, nodes: &[Node]) -> String {
    let alone = || executed(run, nodes).filter(|one| one.needs.never_pairs());
    let with_exchange = alone().any(|one| one.needs.floating.is_some_and(|unit| unit.beside_exchange));
    let mut names: Vec<String> = Vec::new();
    // Procedures that p5inst brings are not the user's to change.
    for name in alone()
        .filter(|one| !bundled::is_within(run, one.address))
        .map(unpaired)
    {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.len() > NAMED {
        names.truncate(NAMED - 1);
        names.push("others".to_owned());
    }
    let pairs = |one: bool| match (with_exchange, one) {
        (true, true) => "pairs with fxch at most",
        (true, false) => "pair with fxch at most",
        (false, true) => "never pairs",
        (false, false) => "never pair",
    };
    match names.split_last() {
        None => "some never pair".to_owned(),
        Some((one, [])) => format!("{one} {}", pairs(true)),
        Some((last, before)) => format!("{} and {last} {}", before.join(", "), pairs(false)),
    }
}

/// What was executed in `nodes` and in the loops inside, in order.
fn executed<'a>(run: &'a Run, nodes: &'a [Node]) -> Box<dyn Iterator<Item = &'a InstructionResult> + 'a> {
    Box::new(
        nodes
            .iter()
            .flat_map(move |node| -> Box<dyn Iterator<Item = &InstructionResult>> {
                match node {
                    Node::Group(group) => {
                        Box::new(group.executed.into_iter().flatten().filter_map(|one| run.executed(one)))
                    }
                    Node::Loop(inner) => Box::new(inner.paths.iter().flat_map(|path| executed(run, &path.round))),
                    Node::Probe(_) => Box::new(std::iter::empty()),
                }
            }),
    )
}
