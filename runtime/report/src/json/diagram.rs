//! Diagrams in the JSON report of a run: their rows and loops, and the bound of each.

use super::Ordered;
use crate::diagram::{self, Node};
use crate::document::document;
use p5_advice::bound;
use p5_results::{Refusal, Run, Trace, WaitCauses};

/// The clocks of a wait by cause, if there are several.
fn by_cause(waits: WaitCauses) -> Option<Ordered<u64>> {
    let causes = waits.by_size();
    let named = causes.iter().map(|one| (one.cause.name().to_owned(), one.cycles));
    (causes.len() > 1).then(|| Ordered(named.collect()))
}

document! {
    /// The instructions that issued in each clock of a pass, as indices into `instructions`.
    pub(crate) struct Diagram {
        /// Groups and loops, in order.
        rows: Vec<Row> = diagram.nodes.iter().map(Row::of).collect(),
        /// The least clocks the instructions can take in any order; null if the pass has loops.
        bound: Option<Bound> = diagram.bound.map(Bound::of),
    }
    from (diagram: &diagram::Diagram)

    /// One instruction, or a pair.
    pub(crate) struct Group {
        /// Clocks from the issue of the region's first instruction.
        clock: u64 = group.clock,
        /// Clocks until the next group issued.
        cycles: u32 = group.cycles,
        /// The instruction in U.
        u: usize = group.u,
        /// The instruction in V; null if V is empty.
        v: Option<usize> = group.v,
        /// Clocks it waited before its issue; 0 after a misprediction, which counts as its branch's.
        late: u32 = group.late,
        /// Clocks it executed beyond those of the timing table.
        longer: u32 = group.longer,
        /// The main reason for `late`; null if it is 0.
        waited: Option<&'static str> = group.waited.main().map(|main| main.cause.name()),
        /// The main reason for `longer`; null if it is 0.
        slowed: Option<&'static str> = group.slowed.main().map(|main| main.cause.name()),
        /// The next reason for `longer`; absent if the main one has all of it.
        #[serde(skip_serializing_if = "Option::is_none")]
        slowed_also: Option<&'static str> = group.slowed.by_size().get(1).map(|also| also.cause.name()),
        /// The clocks of `late` by cause; absent if the main reason has all of them.
        #[serde(skip_serializing_if = "Option::is_none")]
        waited_by: Option<Ordered<u64>> = by_cause(group.waited),
        /// The clocks of `longer` by cause; absent if the main reason has all of them.
        #[serde(skip_serializing_if = "Option::is_none")]
        slowed_by: Option<Ordered<u64>> = by_cause(group.slowed),
        /// Clocks from its issue during which it keeps the floating-point unit, if these are many more than its own.
        #[serde(skip_serializing_if = "Option::is_none")]
        unit_busy: Option<u32> = group.busy.map(|(clocks, _)| clocks),
        /// Clocks of these, after its own, that other instructions use; absent if the trace ends before.
        #[serde(skip_serializing_if = "Option::is_none")]
        unit_hidden: Option<u32> = group.busy.and_then(|(_, hidden)| hidden),
        /// The linear address of the data that it waited for, if it is the same in all rounds of the group.
        #[serde(skip_serializing_if = "Option::is_none")]
        data: Option<u32> = group.data.and_then(same),
        /// The data cache bank that both instructions wanted, if it is the same in all such rounds.
        #[serde(skip_serializing_if = "Option::is_none")]
        bank: Option<u32> = group.bank.and_then(same),
        /// Clocks the next group waited because its branch was mispredicted.
        mispredicted: u32 = group.mispredicted,
        /// The number of rounds of its path in which its branch was mispredicted, if it was not in the round shown and
        /// these take a part of the clocks that is worth telling.
        #[serde(skip_serializing_if = "Option::is_none")]
        mispredicted_in_rounds: Option<u64> = group.elsewhere.map(|elsewhere| elsewhere.rounds),
        /// Clocks that the end macro waited after the last group of a region, except after a misprediction. They are
        /// part of `cycles`; for other groups they are `late` of the next one.
        #[serde(skip_serializing_if = "Option::is_none")]
        end_macro_late: Option<u32> = group.after.filter(|_| group.next.is_none()).map(|(clocks, _)| clocks),
        /// The main reason for `end_macro_late`.
        #[serde(skip_serializing_if = "Option::is_none")]
        end_macro_waited: Option<&'static str> = group
            .after
            .filter(|_| group.next.is_none())
            .and_then(|(_, waits)| waits.main())
            .map(|main| main.cause.name()),
        /// Why it is not a pair; null if it is.
        not_paired: Option<&'static str> = group.refusal.map(Refusal::name),
    }
    from (group: &diagram::Group)

    /// The rounds of a loop.
    pub(crate) struct Loop {
        /// The instruction it begins with.
        head: usize = inner.head,
        /// The jump whose source line is that of the loop: the one that jumps back, or of several that jump back or
        /// leave the loop the one with the first line.
        repeat: usize = inner.repeat,
        /// The clock in which the first of these rounds begins.
        clock: u64 = inner.clock,
        /// The number of rounds.
        rounds: u64 = inner.rounds,
        /// Whether one more round came before, which began in V.
        entered_in_v: bool = inner.entered_in_v,
        /// The number of rounds in the last run, if only some were traced; null otherwise.
        rounds_in_run: Option<u64> = inner.of,
        /// The clocks of all rounds.
        cycles: u64 = inner.cycles,
        /// The clocks of rounds that are not among these, because the beginning and the end of the trace cut them;
        /// absent if there are none.
        #[serde(skip_serializing_if = "Option::is_none")]
        cut: Option<[u64; 2]> = Some(inner.cut).filter(|cut| *cut != [0, 0]),
        /// The paths that the rounds take, the most frequent one first.
        paths: Vec<Path> = inner.paths.iter().map(Path::of).collect(),
    }
    from (inner: &diagram::Loop)

    /// The instructions of a library macro at an edge of another region.
    pub(crate) struct Probe {
        /// Clocks from the issue of the region's first instruction.
        clock: u64 = probe.clock,
        /// Its clocks.
        cycles: u64 = probe.cycles,
        /// Index into `regions` of the region it belongs to; null if it belongs to none.
        region: Option<usize> = probe.region,
    }
    from (probe: &diagram::Probe)

    /// The rounds of a loop that execute the same instructions.
    pub(crate) struct Path {
        /// The number of rounds.
        rounds: u64 = path.rounds,
        /// Their clocks.
        cycles: u64 = path.cycles,
        /// The number of rounds that take as many clocks as the one shown.
        alike: u64 = path.alike,
        /// The clocks of the round shown.
        round_cycles: u64 = path.round_cycles,
        /// The least and the most clocks of the other rounds; null if there are none.
        others: Option<[u64; 2]> = path.others.map(|(least, most)| [least, most]),
        /// The clocks that the other rounds waited longer than the one shown, by cause.
        others_waited: Ordered<u64> = Ordered(
            path.causes.iter().map(|&(cause, clocks)| (cause.name().to_owned(), clocks)).collect(),
        ),
        /// The loop inside whose numbers of rounds order the clocks of these rounds; absent if there is none.
        #[serde(skip_serializing_if = "Option::is_none")]
        others_inner: Option<Inner> = path.inner.as_ref().map(Inner::of),
        /// The clocks of the round shown in which V is used.
        clocks_with_v: u64 = path.clocks_with_v,
        /// The most frequent round.
        round: Vec<Row> = path.round.iter().map(Row::of).collect(),
        /// The least clocks the instructions of a round can take in any order, those of inner loops included; null if a
        /// probe is in it.
        bound: Option<Bound> = path.bound.map(Bound::of),
    }
    from (path: &diagram::Path)

    /// A loop inside a round: the more rounds it makes, the more clocks the round around it takes. The first of these
    /// rounds, which finds its code and data in memory, may be an exception.
    pub(crate) struct Inner {
        /// The number of loops before it in the round.
        before: usize = inner.before,
        /// The least and the most of its rounds, where the round around it takes other clocks than the one shown.
        rounds: [u64; 2] = inner.rounds,
        /// Whether rounds with equal numbers of its rounds take equal clocks.
        alone: bool = inner.alone,
    }
    from (inner: &diagram::inner::Inner)

    /// The least clocks that some instructions can take.
    pub(crate) struct Bound {
        /// The number of instructions.
        instructions: u64 = bound.instructions,
        /// Their clocks by the timing table, added up.
        work: u64 = bound.work,
        /// The least clocks.
        clocks: u64 = bound.clocks,
        /// The limit that requires them: `pipes` (there are two), `u` or `v` (only that pipe executes some of them),
        /// `unit` (there is one floating-point unit), `mmx multiplier` or `mmx shifter` (there is one), `chain` (each
        /// result is needed by the next), `register` (its values need it one after another), `alone` (some never pair),
        /// `uneven pairs` (they last as long as their longer half) or `longest` (one takes all of them).
        limit: &'static str = bound.limit.name(),
    }
    from (bound: bound::Bound)
}

/// A row of a diagram.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum Row {
    /// One instruction, or a pair.
    Group(Group),
    /// A loop.
    Loop(Loop),
    /// The instructions of a library macro at an edge of another region.
    Probe(Probe),
}

impl Row {
    fn of(node: &Node) -> Row {
        match node {
            Node::Group(group) => Row::Group(Group::of(group)),
            Node::Loop(inner) => Row::Loop(Loop::of(inner)),
            Node::Probe(probe) => Row::Probe(Probe::of(probe)),
        }
    }
}

impl Diagram {
    /// The diagram of a trace; `None` if the trace is empty.
    pub(super) fn of_trace(run: &Run, trace: &Trace) -> Option<Diagram> {
        diagram::Diagram::of(run, trace).as_ref().map(Diagram::of)
    }
}

/// The value that all rounds of a row have in common, if they have.
fn same([least, most]: [u32; 2]) -> Option<u32> {
    (least == most).then_some(least)
}
