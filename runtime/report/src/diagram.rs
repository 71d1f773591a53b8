//! A traced pass as a diagram: the groups that issued in each clock, with the rounds of a loop folded into one.
//!
//! A loop is recognised by its jumps back. For each path through its rounds the most frequent round is kept, with the
//! clocks of all; among equally frequent ones it is the latest. Library code in a pass that belongs to an inner region
//! is one node.

mod asked;
mod busy;
mod elsewhere;
mod extent;
mod graph;
mod groups;
mod hottest;
pub(crate) mod inner;
mod loops;
mod nest;
mod passes;
mod place;
mod spans;

pub(super) use asked::{Found, begins, found, traced_loops};
pub(super) use elsewhere::Elsewhere;
pub(super) use extent::{Extent, extents};
pub(super) use groups::groups;
pub(super) use hottest::has_line;
pub(super) use passes::{Shown, shown};
pub(super) use place::{Site, place, site};
pub(super) use spans::{Spent, clocks_by_cause};

use inner::Inner;
use p5_advice::bound::{self, Bound, Step};
use p5_results::{Awaited, Cause, InstructionResult, Refusal, Run, Trace, UnitTime, WaitCauses};
use std::collections::{BTreeMap, BTreeSet};

/// What issued in a pass of a region, in order: groups, loops and probes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Diagram {
    pub(super) nodes: Vec<Node>,
    /// The lower bound on the clocks of a pass without loops.
    pub(super) bound: Option<Bound>,
}

/// A group of instructions, a loop, or a probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Group(Box<Group>),
    Loop(Loop),
    Probe(Probe),
}

/// A library macro at an edge of another region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Probe {
    /// The clock of its first instruction.
    pub(super) clock: u64,
    pub(super) cycles: u64,
    /// The index of that region in [`Run::regions`].
    pub(super) region: Option<usize>,
}

/// One instruction or a pair that issues in one clock. Instructions are indices into [`Run::instructions`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) clock: u64,
    /// The clocks until the next group issued.
    pub(super) cycles: u32,
    /// The part of these clocks that the instructions take by the timing table.
    pub(super) own: u32,
    /// The part of `own` that the instruction in U takes; in the rest V alone is busy.
    pub(super) own_of_u: u32,
    pub(super) u: usize,
    pub(super) v: Option<usize>,
    /// What was executed at the addresses of `u` and `v`, for [`Run::executed`].
    pub(super) executed: [Option<usize>; 2],
    /// Whether the pass begins with this group, and the group is the second half of a pair: `u` is in V.
    pub(super) begun_in_v: bool,
    /// The clocks of waiting before the issue, unless the previous group was mispredicted.
    pub(super) late: u32,
    /// The clocks of execution beyond those of the timing table.
    pub(super) longer: u32,
    /// The causes of `late`.
    pub(super) waited: WaitCauses,
    /// The causes of `longer`.
    pub(super) slowed: WaitCauses,
    /// The clocks from its issue during which an instruction of it keeps the floating-point unit, if they are many, and
    /// how many of those after its own clocks other instructions use; `None` for these if the trace ends before.
    pub(super) busy: Option<(u32, Option<u32>)>,
    /// How the operands and the precision control changed the time of `u` in that unit.
    pub(super) unit: UnitTime,
    /// The resource of the floating-point unit that it waited for, and the instruction that was using it.
    pub(super) awaited: Option<(Awaited, Option<usize>)>,
    /// The address of the data that it waited for: minimum and maximum over the rounds of a loop that it stands for.
    pub(super) data: Option<[u32; 2]>,
    /// Whether the page of these data is written through.
    pub(super) written_through: bool,
    /// The part of its wait for a line fill in which other transfers had the bus: the minimum over these rounds.
    pub(super) held: u32,
    /// The instruction whose buffered write it waited for in each of these rounds.
    pub(super) held_by: Option<usize>,
    /// The data cache bank that both of its instructions needed: minimum and maximum over these rounds.
    pub(super) bank: Option<[u32; 2]>,
    /// The clocks that the next group waited because this group's branch was mispredicted.
    pub(super) mispredicted: u32,
    /// The rounds in which its branch was mispredicted, though it was not in the round that is shown.
    pub(super) elsewhere: Option<Elsewhere>,
    /// The rounds in which the predictor took it for a branch, though it did not in the round that is shown.
    pub(super) met_elsewhere: Option<Elsewhere>,
    /// The clocks that the next group waited for other reasons, and these.
    pub(super) after: Option<(u32, WaitCauses)>,
    /// Whether the predictor took it for a branch, by an entry that is attached to the group before: `late` has the
    /// refill.
    pub(super) entry_met: bool,
    /// The last byte of the other branch whose entry misled its branch.
    pub(super) misled_by: Option<u32>,
    /// Whether its branch came too soon for its last outcomes.
    pub(super) hurried: bool,
    /// Whether it is the delivery of an interrupt or exception, instead of the instruction.
    pub(super) delivery: bool,
    /// Whether the previous group was mispredicted, and the chip cannot predict the branch of this one therefore.
    pub(super) after_misprediction: bool,
    /// The reason why U issued alone.
    pub(super) refusal: Option<Refusal>,
    /// The instructions of the previous group, for [`Run::executed`].
    pub(super) before: [Option<usize>; 2],
    /// The next instruction that issued, for [`Run::executed`].
    pub(super) next: Option<usize>,
    /// The unit that ends with this group, if any.
    pub(super) ends: Option<End>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Region,
    Program,
    /// The run, because it was stopped.
    Run,
}

/// The rounds of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loop {
    /// The first instruction of a round.
    pub(super) head: usize,
    /// The jump whose line names it: the one that jumps back, or of several that jump back or leave the loop the one
    /// with the first line, where the source has the condition.
    pub(super) repeat: usize,
    /// Its file and line, if it is a loop over the whole run.
    pub(super) place: Option<(u32, u32)>,
    /// The clocks of the rounds that the beginning and the end of the trace cut, which are not among the rounds.
    pub(super) cut: [u64; 2],
    /// The clock at which the first round begins.
    pub(super) clock: u64,
    pub(super) rounds: u64,
    /// The number of rounds in the last run, if only `rounds` of them fitted into the trace.
    pub(super) of: Option<u64>,
    /// The clocks of all these rounds, on every path and with the loops inside; `None` if its code calls other code,
    /// whose clocks may be those of other calls, too.
    pub(super) of_cycles: Option<u64>,
    /// Whether an earlier round, not included, began as the second half of a pair.
    pub(super) entered_in_v: bool,
    /// Whether what was drawn before it, that round too, is left out.
    pub(super) alone: bool,
    /// The first group of the first round, if it waited longer or shorter than in the most frequent round.
    pub(super) late: Option<Box<Group>>,
    pub(super) cycles: u64,
    /// The paths of the rounds, the most frequent one first.
    pub(super) paths: Vec<Path>,
}

/// The rounds of a loop that execute the same instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    pub(super) rounds: u64,
    /// The clock at which the first of them begins.
    pub(super) first: u64,
    /// The sum of their clocks.
    pub(super) cycles: u64,
    pub(super) round: Vec<Node>,
    /// The clocks of the most frequent round.
    pub(super) round_cycles: u64,
    /// The number of rounds that take as many clocks.
    pub(super) alike: u64,
    /// The minimum and maximum clocks of the other rounds.
    pub(super) others: Option<(u64, u64)>,
    /// The causes for which the other rounds wait longer than the most frequent one, with these clocks, most first.
    pub(super) causes: Vec<(Cause, u64)>,
    /// The causes for which the other rounds wait shorter than the most frequent one, with these clocks, most first.
    pub(super) own_causes: Vec<(Cause, u64)>,
    /// The loop inside that is why the other rounds take other clocks, if there is one.
    pub(super) inner: Option<Inner>,
    /// The clocks of the most frequent round in which V is used.
    pub(super) clocks_with_v: u64,
    /// The lower bound on the clocks of a round, unless it contains a probe.
    pub(super) bound: Option<Bound>,
}

impl Diagram {
    /// The diagram of a trace; `None` if nothing was traced.
    pub(super) fn of(run: &Run, trace: &Trace) -> Option<Diagram> {
        Diagram::of_groups(run, trace, &groups(run, trace))
    }

    /// The diagram of the trace with these groups.
    fn of_groups(run: &Run, trace: &Trace, groups: &[Group]) -> Option<Diagram> {
        if groups.is_empty() {
            return None;
        }
        let nodes = loops::folded(run, trace, groups);
        let straight = !trace.cut && nodes.iter().all(|node| matches!(node, Node::Group(_)));
        let bound = straight.then(|| bound::once(run, &steps(run, &nodes)));
        Some(Diagram { nodes, bound })
    }

    /// Removes nodes from the beginning until the rest `fits`. Returns the clock at which the rest begins, if any were
    /// removed.
    pub(super) fn keep_end(&mut self, fits: impl Fn(&Diagram) -> bool) -> Option<u64> {
        let all = self.nodes.len();
        while self.nodes.len() > 1 && !fits(self) {
            // In proportion, so that a long trace takes few steps.
            let surplus = (self.nodes.len() / 16).max(1);
            self.nodes.drain(..surplus);
        }
        if self.nodes.len() == all {
            return None;
        }
        self.bound = None;
        if let Some(first) = self.nodes.first_mut() {
            first.stand_alone();
        }
        self.nodes.first().map(Node::clock)
    }

    /// The clocks of the probes in the diagram, and the regions to which they belong.
    pub(super) fn probes(&self) -> (u64, BTreeSet<usize>) {
        let mut found = (0, BTreeSet::new());
        self.nodes.iter().for_each(|node| node.add_probes(1, &mut found));
        found
    }
}

impl Group {
    fn last(&self) -> usize {
        self.v.unwrap_or(self.u)
    }

    /// What was executed at the address of the last instruction, for [`Run::executed`].
    fn executed_last(&self) -> Option<usize> {
        self.executed[1].or(self.executed[0])
    }
}

impl Node {
    pub(super) fn clock(&self) -> u64 {
        match self {
            Node::Group(group) => group.clock,
            Node::Loop(inner) => inner.clock,
            Node::Probe(probe) => probe.clock,
        }
    }

    /// Records that nothing is drawn before it.
    fn stand_alone(&mut self) {
        if let Node::Loop(inner) = self {
            inner.alone = true;
        }
    }

    pub(super) fn cycles(&self) -> u64 {
        match self {
            Node::Group(group) => u64::from(group.cycles),
            Node::Loop(inner) => inner.cycles,
            Node::Probe(probe) => probe.cycles,
        }
    }

    /// Adds the clocks of the probes in `rounds` rounds of this node, and their regions.
    fn add_probes(&self, rounds: u64, found: &mut (u64, BTreeSet<usize>)) {
        match self {
            Node::Group(_) => {}
            Node::Loop(inner) => {
                for path in &inner.paths {
                    path.round
                        .iter()
                        .for_each(|node| node.add_probes(rounds * path.rounds, found));
                }
            }
            Node::Probe(probe) => {
                found.0 += rounds * probe.cycles;
                found.1.extend(probe.region);
            }
        }
    }

    /// Makes each group stand for the corresponding group of an equal round as well.
    fn join(&mut self, other: &Node) {
        let (Node::Group(group), Node::Group(other)) = (self, other) else {
            return;
        };
        let join = |one: Option<[u32; 2]>, other: Option<[u32; 2]>| {
            one.zip(other)
                .map(|([least, most], other)| [least.min(other[0]), most.max(other[1])])
        };
        group.data = join(group.data, other.data);
        group.written_through &= other.written_through;
        group.held = group.held.min(other.held);
        group.held_by = group.held_by.filter(|_| group.held_by == other.held_by);
        group.bank = join(group.bank, other.bank);
    }

    /// The properties by which rounds differ.
    fn signature(&self) -> [u64; 6] {
        match self {
            Node::Group(group) => [
                group.u as u64,
                group.v.map_or(u64::MAX, |v| v as u64),
                u64::from(group.cycles) << 32 | u64::from(group.late),
                u64::from(group.longer) << 32 | u64::from(group.mispredicted),
                u64::from(cause_number(group.waited)) << 32 | u64::from(cause_number(group.slowed)),
                group.refusal.map_or(u64::MAX, |refusal| refusal as u64),
            ],
            Node::Loop(inner) => [
                inner.head as u64,
                u64::MAX - 1,
                inner.cycles,
                inner.rounds,
                inner.paths.len() as u64,
                0,
            ],
            Node::Probe(probe) => [u64::MAX, u64::MAX, probe.cycles, 0, 0, 0],
        }
    }

    fn waits(&self, sums: &mut BTreeMap<Cause, i128>, sign: i128) {
        match self {
            Node::Group(group) => {
                for waits in [group.waited, group.slowed] {
                    for one in waits.by_size() {
                        *sums.entry(one.cause).or_default() += sign * i128::from(one.cycles);
                    }
                }
                *sums.entry(Cause::Misprediction).or_default() += sign * i128::from(group.mispredicted);
            }
            Node::Loop(inner) => {
                for path in &inner.paths {
                    for (causes, sign) in [(&path.causes, sign), (&path.own_causes, -sign)] {
                        for &(cause, clocks) in causes {
                            *sums.entry(cause).or_default() += sign * i128::from(clocks);
                        }
                    }
                    for node in &path.round {
                        node.waits(sums, sign * i128::from(path.rounds));
                    }
                }
            }
            Node::Probe(_) => {}
        }
    }
}

/// The main cause as a number for comparison; that of no wait is the greatest.
fn cause_number(waits: WaitCauses) -> u32 {
    waits.main().map_or(u32::MAX, |main| main.cause as u32)
}

fn steps(run: &Run, nodes: &[Node]) -> Vec<Step> {
    let groups = nodes.iter().filter_map(|node| match node {
        Node::Group(group) => Some(&**group),
        Node::Loop(_) | Node::Probe(_) => None,
    });
    steps_of(run, groups)
}

/// The instructions of groups, each with its clocks.
fn steps_of<'a>(run: &Run, groups: impl IntoIterator<Item = &'a Group>) -> Vec<Step> {
    let groups = groups.into_iter();
    let steps = groups.flat_map(|group| {
        let [u, v] = group.executed;
        let exchange = v.and_then(|v| run.executed(v)).map(|v| v.needs.exchanges());
        let of_u = u.map(|u| Step {
            instruction: u,
            took: exchange.unwrap_or(true).then_some(group.own),
            saved: Some(group.unit.saved),
        });
        let of_v = v.map(|v| Step {
            instruction: v,
            took: None,
            saved: Some(0),
        });
        [of_u, of_v]
    });
    steps.flatten().collect()
}

fn instruction(run: &Run, index: usize) -> Option<&InstructionResult> {
    run.instructions.get(index)
}
