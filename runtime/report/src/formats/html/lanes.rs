//! U and V clock by clock: time runs downwards, with a row for each clock or for several equal ones, and each row shows
//! the work of each pipe and the reason for its waits.

use super::rules::{Rule, Rules};
use super::{name, text};
use crate::diagram::{Diagram, Group, Loop, Node, Spent};
use crate::phrases::counted;
use crate::reasons::{plain, reason, told};
use crate::slots;
use maud::{Markup, html};
use p5_results::{InstructionResult, Refusal, Run};
use std::collections::BTreeSet;

/// The file and line of every row of the listing.
pub(super) type Places = BTreeSet<(u32, u32)>;

/// The number of equal clocks from which on they share a row.
const LEAST_TOGETHER: u32 = 3;
/// The maximum depth of loops that are set apart from the one around them.
const DEEPEST: usize = 4;

pub(super) struct Lanes<'a> {
    run: &'a Run,
    places: &'a Places,
    rules: &'a mut Rules,
    /// The number of further rows that may be written.
    room: usize,
    /// The number of rows that were left out for lack of room.
    left_out: u64,
    bodies: Vec<Body>,
}

struct Body {
    depth: usize,
    words: Vec<String>,
    rows: Vec<Markup>,
}

/// The table of a pass with at most `room` rows, and its number of rows.
pub(super) fn table(
    run: &Run,
    diagram: &Diagram,
    caption: &str,
    (places, rules): (&Places, &mut Rules),
    room: usize,
) -> (Markup, usize) {
    let mut lanes = Lanes {
        run,
        places,
        rules,
        room,
        left_out: 0,
        bodies: Vec::new(),
    };
    for node in &diagram.nodes {
        lanes.add(node, 0, 0);
    }
    let rows = room - lanes.room;
    let bound = diagram.bound.filter(|bound| bound.instructions > 1);
    let markup = html! {
        div .scroll tabindex="0" role="region" aria-label=(caption) {
            table .lanes {
                caption { (caption) }
                thead {
                    tr {
                        th scope="col" { "clock" }
                        th scope="col" { "U" }
                        @if run.pipes > 1 { th scope="col" { "V" } }
                        th scope="col" { "why not faster" }
                    }
                }
                @for body in &lanes.bodies {
                    tbody data-depth=(body.depth.min(DEEPEST)) {
                        @for words in &body.words {
                            tr .words { th colspan="4" scope="rowgroup" { (words) } }
                        }
                        @for row in &body.rows { (row) }
                    }
                }
            }
        }
        @if let Some(bound) = &bound {
            p .note { (slots::least(run, &diagram.nodes, bound)) "." }
        }
        @if lanes.left_out > 0 {
            p .note {
                "And " (counted(lanes.left_out, "more row")) ", for which the page has no room; "
                code { "--format json --all" } " has them."
            }
        }
    };
    (markup, rows)
}

impl Lanes<'_> {
    /// Adds a node at a depth of loops. Its clocks are counted from `start`.
    fn add(&mut self, node: &Node, depth: usize, start: u64) {
        match node {
            Node::Group(group) => self.group(group, depth, start),
            Node::Loop(inner) => self.inner(inner, depth, start),
            Node::Probe(probe) => {
                let region = probe.region.and_then(|region| self.run.regions.get(region));
                let whose = region.map_or_else(String::new, |region| format!(" of {}", name(&region.name)));
                let clock = label(depth, probe.clock.saturating_sub(start), probe.cycles);
                self.row(depth, || {
                    html! {
                        tr .probe data-clocks=(probe.cycles) {
                            th scope="row" { (clock) }
                            td colspan="2" { "probe" (whose) }
                            td { (counted(probe.cycles, "clock")) }
                        }
                    }
                });
            }
        }
    }

    fn inner(&mut self, inner: &Loop, depth: usize, start: u64) {
        // The clock of the loop is counted like those around it.
        let shifted = Loop {
            clock: inner.clock.saturating_sub(start),
            ..inner.clone()
        };
        self.begin(depth + 1, slots::rounds(self.run, &shifted, depth, false));
        let single = inner.paths.len() == 1;
        for path in inner.paths.iter().take(slots::PATHS) {
            if !single {
                let rounds = counted(path.rounds, "round");
                self.begin(depth + 1, format!("{rounds}: {}.", slots::each(self.run, path)));
            }
            if let Some(bound) = path.bound.filter(|bound| bound.instructions > 1) {
                self.begin(depth + 1, slots::least_of_round(self.run, path, &bound, false));
            }
            let start = path.round.first().map_or(0, Node::clock);
            path.round.iter().for_each(|node| self.add(node, depth + 1, start));
        }
        let others = slots::other_paths(inner.paths.iter().skip(slots::PATHS));
        others.into_iter().for_each(|words| self.begin(depth + 1, words));
    }

    /// Begins a loop, or one of its paths, with a sentence.
    fn begin(&mut self, depth: usize, words: String) {
        match self.bodies.last_mut() {
            Some(last) if last.depth == depth && last.rows.is_empty() => last.words.push(words),
            _ => self.bodies.push(Body {
                depth,
                words: vec![words],
                rows: Vec::new(),
            }),
        }
    }

    fn row(&mut self, depth: usize, markup: impl FnOnce() -> Markup) {
        if self.room == 0 {
            self.left_out += 1;
            return;
        }
        self.room -= 1;
        if self.bodies.last().is_none_or(|last| last.depth != depth) {
            self.bodies.push(Body {
                depth,
                words: Vec::new(),
                rows: Vec::new(),
            });
        }
        if let Some(body) = self.bodies.last_mut() {
            body.rows.push(markup());
        }
    }

    fn group(&mut self, group: &Group, depth: usize, start: u64) {
        let mut clock = group.clock.saturating_sub(start);
        let spans = group.spans();
        let begins_lost = spans.first().is_none_or(|span| span.spent != Spent::Own);
        self.issue(group, depth, clock, u32::from(!begins_lost));
        let mut own = !begins_lost;
        for span in spans {
            let first = u32::from(std::mem::take(&mut own));
            clock += u64::from(first);
            let mut left = span.clocks - first;
            let together = if left >= LEAST_TOGETHER { left } else { 1 };
            while left > 0 {
                self.goes_on(depth, (clock, together), span.spent, group, span.executing);
                (clock, left) = (clock + u64::from(together), left - together);
            }
        }
    }

    /// Adds the row in which a group issues. The group may take no clock of its own.
    fn issue(&mut self, group: &Group, depth: usize, clock: u64, clocks: u32) {
        let (run, places) = (self.run, self.places);
        let instruction = |index: usize| run.executed(index);
        let mut members = group.executed.map(|index| index.and_then(instruction));
        if group.begun_in_v {
            members.swap(0, 1);
        }
        let why = text(&reason(run, group));
        if self.room == 0 {
            return self.row(depth, || html! {});
        }
        let why = self.rules.link(&why, &rules_of(run, group));
        let pipes = run.pipes as usize;
        self.row(depth, || {
            html! {
                tr .issue data-clocks=(clocks) data-cycles=(group.cycles) data-u=(group.u) data-v=[group.v] {
                    th scope="row" { (label(depth, clock, 1)) }
                    @for (member, pipe) in members.iter().zip(["u", "v"]).take(pipes) {
                        @match member {
                            Some(one) => td class=(pipe) { (slot(one, places)) },
                            None => td .empty { span { "empty" } },
                        }
                    }
                    td { (why) }
                }
            }
        });
    }

    /// Adds clocks in which a group continues, or which are lost.
    fn goes_on(&mut self, depth: usize, (clock, clocks): (u64, u32), spent: Spent, group: &Group, executing: bool) {
        let head = label(depth, clock, u64::from(clocks));
        let many = if clocks > 1 {
            counted(u64::from(clocks), "clock")
        } else {
            String::new()
        };
        let pipes = self.run.pipes;
        if spent == Spent::Own {
            let uses = [!group.begun_in_v, group.v.is_some() || group.begun_in_v];
            return self.row(depth, || {
                html! {
                    tr data-clocks=(clocks) {
                        th scope="row" { (head) }
                        @for (used, class) in uses.into_iter().zip(["u on", "v on"]).take(pipes as usize) {
                            @if used { td class=(class) { "goes on" } } @else { td .empty { span { "empty" } } }
                        }
                        td { (many) }
                    }
                }
            });
        }
        if self.room == 0 {
            return self.row(depth, || html! {});
        }
        let name = match spent {
            Spent::Lost(cause) => self.rules.link(plain(cause), &[Rule::Cause(cause)]),
            _ => html! { "lesser causes" },
        };
        self.row(depth, || {
            html! {
                tr .lost data-clocks=(clocks) {
                    th scope="row" { (head) }
                    td colspan=(pipes) { span .sign aria-hidden="true" { "×" } " " (name) }
                    td { (many) @if executing && clocks > 1 { ", " } @if executing { "in execution" } }
                }
            }
        });
    }
}

/// The rules that explain the reason of a group, in the order of the reason's parts.
fn rules_of(run: &Run, group: &Group) -> Vec<Rule> {
    let causes = [group.waited, group.slowed]
        .into_iter()
        .flat_map(|waits| waits.by_size());
    let mut rules: Vec<Rule> = causes.map(|one| Rule::Cause(one.cause)).collect();
    use p5_results::Cause;
    if group.mispredicted > 0 {
        rules.push(Rule::Cause(Cause::Misprediction));
    }
    if group.own > 1 {
        let clocks = |index: Option<usize>| {
            let one = index.and_then(|index| run.executed(index));
            one.map_or(0, |one| one.needs.clocks)
        };
        let longest = clocks(group.executed[0]).max(clocks(group.executed[1]));
        let lockstep = group.v.is_some() && group.own > longest;
        rules.push(Rule::Cause(if lockstep { Cause::Lockstep } else { group.goes_on() }));
    }
    let harmless = [Refusal::TakenBranch, Refusal::LastInstruction];
    let refusal = group.refusal.filter(|refusal| !harmless.contains(refusal));
    rules.extend(refusal.map(Rule::Refusal));
    rules
}

/// An instruction in its pipe, with its line.
fn slot(one: &InstructionResult, places: &Places) -> Markup {
    html! {
        code { (name(told(one))) }
        @if let Some((file, line)) = one.outermost.filter(|place| places.contains(place)) {
            " " a .line href={ "#L" (file) "-" (line) } aria-label={ "line " (line) } { (line) }
        }
    }
}

/// A clock, or the first and last of several, with a `+` for each loop from whose round it is counted.
fn label(depth: usize, clock: u64, clocks: u64) -> String {
    let sign = &"++++"[..depth.min(DEEPEST)];
    match clocks {
        0 | 1 => format!("{sign}{clock}"),
        _ => format!("{sign}{clock}\u{2013}{}", clock + clocks - 1),
    }
}
