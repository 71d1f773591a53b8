//! Judges budgets: the figure of each, whether the budget holds, and the reason if not. All formats use these results.
//!
//! The figures of a line, a label or a region are those of the last run, per execution of its first instruction or per
//! pass. The clocks of a region are the median of its warm passes (for an even number, the lower of the two in the
//! middle, which is the time of a real pass), or those of its first pass for a cold budget. A call of a macro includes
//! its expansion, except for the bundled library. Code that a region calls elsewhere counts in the region's clocks
//! only.

use super::header::counted;
use super::lines::{self, Entry, Sum};
use super::{Detail, FAILURE, Style, painted, paragraph, printable, summary};
use p5_results::{AuditedPass, Budget, Cause, Quantity, RegionResult, Relation, Run, Scope};
use std::cmp::Ordering;
use std::io::{self, Write};

/// The maximum number of causes of lost clocks named for a budget that does not hold.
const LOST_NAMED: usize = 3;
/// The maximum number of budgets in a short report.
const LISTED: usize = 8;
/// The unit of limits: one is this many millionths.
const UNIT: u128 = 1_000_000;

/// A budget with its judgement.
pub(super) struct Judged<'a> {
    pub(super) budget: &'a Budget,
    /// The figure, or the reason why there is none.
    pub(super) value: Result<Value, Unjudged>,
    /// The main cause of the figure, in words; empty if the budget holds or if the cause adds nothing.
    pub(super) main: String,
    /// The region that the budget concerns, if any.
    region: Option<&'a RegionResult>,
}

/// A figure as a fraction: `amount` divided by `per`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) amount: u64,
    pub(super) per: u64,
    pub(super) holds: bool,
}

/// The reason why a budget has no figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unjudged {
    NotExecuted,
    NotCompleted,
    NotPassed,
    OnlyCold,
    NotCold,
    NotCounted,
}

/// A budget that does not hold, for a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedBudget<'a> {
    /// The budget in the source.
    pub budget: &'a Budget,
    /// The figure and the limit.
    pub message: String,
    /// The parts of the figure; empty if there are none.
    pub label: String,
}

/// The budgets of a run that do not hold, in their order.
pub fn failed_budgets(run: &Run) -> Vec<FailedBudget<'_>> {
    let failed = judged(run).into_iter().filter(|one| !one.holds());
    let failed = failed.map(|one| FailedBudget {
        budget: one.budget,
        message: one.message(),
        label: one.label(),
    });
    failed.collect()
}

/// Whether the run needs an audit: some budget of a region's clocks does not hold, and the clocks by cause of its pass
/// are not known.
pub fn budgets_need_causes(run: &Run) -> bool {
    judged(run).iter().any(Judged::needs_causes)
}

/// Adds the clocks by cause to the budgets of regions that do not hold. `passes` has the passes of each region in an
/// audited run of the same program.
pub fn add_budget_causes(run: &mut Run, passes: &[Vec<AuditedPass>]) {
    let causes: Vec<_> = judged(run)
        .iter()
        .map(|one| {
            let amount = one.value.ok().filter(|_| one.needs_causes())?.amount;
            let region = one.region?;
            let place = run.regions.iter().position(|other| std::ptr::eq(other, region))?;
            let mut of_region = passes.get(place)?.iter().rev();
            let first = |pass: &AuditedPass| pass.pass.run == 0 && pass.number == 0;
            let same = |pass: &&AuditedPass| pass.pass.cycles == amount && first(pass) == one.budget.cold;
            of_region.find(same).map(|pass| pass.inside)
        })
        .collect();
    for (budget, causes) in run.budgets.iter_mut().zip(causes) {
        budget.causes = budget.causes.or(causes);
    }
}

pub(super) fn judged(run: &Run) -> Vec<Judged<'_>> {
    let mut known: Option<(&Budget, Part)> = None;
    let mut judged = Vec::with_capacity(run.budgets.len());
    for budget in &run.budgets {
        // Several budgets of one comment concern the same code.
        let same = known
            .take()
            .filter(|(other, _)| (other.file, &other.scope) == (budget.file, &budget.scope));
        let (_, part) = known.insert(same.unwrap_or_else(|| (budget, Part::of(run, budget))));
        let value = part.figure(run, budget).map(|(amount, per)| Value {
            amount,
            per,
            holds: holds(budget, amount, per),
        });
        let failed = value.is_ok_and(|value| !value.holds);
        judged.push(Judged {
            budget,
            value,
            main: if failed { part.main(budget) } else { String::new() },
            region: part.region,
        });
    }
    judged
}

/// Writes how many budgets fail, if there are budgets, and the figure of each.
pub(super) fn write(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if run.budgets.is_empty() {
        return Ok(());
    }
    let judged = judged(run);
    let failed = judged.iter().filter(|one| !one.holds()).count();
    let words = match (failed, judged.len()) {
        (0, 1) => "The budget holds".to_owned(),
        (0, all) => format!("All {all} budgets hold"),
        (1, 1) => painted(style, FAILURE, "The budget fails"),
        (failed, all) if failed == all => painted(style, FAILURE, &format!("All {all} budgets fail")),
        (1, all) => painted(style, FAILURE, &format!("1 of {all} budgets fails")),
        (failed, all) => painted(style, FAILURE, &format!("{failed} of {all} budgets fail")),
    };
    writeln!(out, "\n{words}")?;
    let shown = if style.detail == Detail::Short {
        LISTED
    } else {
        usize::MAX
    };
    for one in judged.iter().take(shown) {
        paragraph(style, &one.told(), out)?;
    }
    match judged.len().saturating_sub(shown) {
        0 => Ok(()),
        left => paragraph(style, &format!("and {left} more; `--long` lists all"), out),
    }
}

struct Part<'a> {
    sum: Sum,
    region: Option<&'a RegionResult>,
    /// The number of executions or passes, if it was counted.
    times: Result<u64, Unjudged>,
}

impl<'a> Part<'a> {
    fn of(run: &'a Run, budget: &Budget) -> Part<'a> {
        let region = match budget.scope {
            Scope::Region(line) => run
                .regions
                .iter()
                .find(|region| (region.file, region.start_line) == (budget.file, line)),
            Scope::Line(_) | Scope::Label { .. } => None,
        };
        let (first, last) = match (&budget.scope, region) {
            (Scope::Label { lines, .. }, _) => *lines,
            (Scope::Region(line), Some(region)) => (*line, region.end_line),
            (Scope::Line(line) | Scope::Region(line), _) => (*line, *line),
        };
        let inside = |place: Option<(u32, u32)>| {
            place.is_some_and(|(file, line)| file == budget.file && (first..=last).contains(&line))
        };
        let concerned = |&entry: &Entry| {
            !lines::in_library(run, entry) && (inside(lines::place(run, entry)) || inside(lines::outermost(run, entry)))
        };
        let entries: Vec<Entry> = lines::entries(run).filter(concerned).collect();
        let sum = Sum::of_entries(run, &entries);
        let times = match region {
            Some(region) => passes(run, region),
            None if sum.executions == 0 && !run.stop.reason.by_program() && inside(run.stop.place) => {
                Err(Unjudged::NotCompleted)
            }
            None if sum.executions == 0 => Err(Unjudged::NotExecuted),
            // Rows are in the order of their addresses.
            None => match entries.first().and_then(|&entry| run.instructions.get(entry)) {
                Some(first) if sum.unlisted == 0 => Ok(first.executions),
                _ => Err(Unjudged::NotCounted),
            },
        };
        Part { sum, region, times }
    }

    /// The figure that a budget limits: an amount, and its divisor.
    fn figure(&self, run: &Run, budget: &Budget) -> Result<(u64, u64), Unjudged> {
        if let (Some(region), Quantity::Cycles) = (self.region, budget.quantity) {
            let summary = summary::region(run, region);
            return match (budget.cold, summary.cold, &summary.warm) {
                (true, Some(cold), _) => Ok((cold.cycles, 1)),
                (true, None, _) => Err(Unjudged::NotCold),
                (false, _, Some(_)) => summary
                    .warm_clocks()
                    .map(|clocks| (clocks, 1))
                    .ok_or(Unjudged::NotCounted),
                (false, Some(_), None) => Err(Unjudged::OnlyCold),
                (false, None, None) => Err(Unjudged::NotPassed),
            };
        }
        let times = self.times;
        let of_instructions = |amount: u64| match self.sum.executions {
            0 => Err(times.err().unwrap_or(Unjudged::NotExecuted)),
            instructions => Ok((amount, instructions)),
        };
        match budget.quantity {
            Quantity::Cycles => Ok((self.sum.cycles, times?)),
            Quantity::Instructions => Ok((self.sum.executions, times?)),
            Quantity::Pairs => Ok((self.sum.v, times?)),
            Quantity::Spent(cause) => Ok((self.sum.spent(cause), times?)),
            Quantity::PairedShare => of_instructions(self.sum.executions.min(2 * self.sum.v)),
            Quantity::VShare => of_instructions(self.sum.v),
            Quantity::ClocksPerInstruction => of_instructions(self.sum.cycles),
        }
    }

    /// The main cause of a quantity, in words.
    fn main(&self, budget: &Budget) -> String {
        let most = |counts: Vec<(String, u64)>| {
            let counts = counts.into_iter().rev();
            counts.max_by_key(|&(_, count)| count)
        };
        match budget.quantity {
            // The lines of a region may include clocks at its edges that do not belong to its pass, and these are of
            // the last run.
            Quantity::Cycles if self.region.is_some() => budget.causes.map_or_else(String::new, |causes| {
                let parts = causes.parts();
                let parts = parts.filter_map(|(cause, clocks)| Some((cause, u64::try_from(clocks).ok()?)));
                most_of(&parts.collect::<Vec<_>>(), causes.total().unsigned_abs())
            }),
            Quantity::Cycles | Quantity::ClocksPerInstruction => {
                let causes = Cause::ALL.iter().map(|&cause| (cause, self.sum.spent(cause)));
                most_of(&causes.collect::<Vec<_>>(), self.sum.cycles)
            }
            Quantity::Pairs | Quantity::PairedShare | Quantity::VShare => {
                let words = |(name, count)| format!("most alone for {name}: {count}");
                most(self.sum.refusals()).map_or_else(String::new, words)
            }
            Quantity::Instructions | Quantity::Spent(_) => String::new(),
        }
    }
}

/// The main cause of some clocks and the main causes of the lost ones, in words.
fn most_of(causes: &[(Cause, u64)], clocks: u64) -> String {
    let is_plain = |cause: Cause| matches!(cause, Cause::Issue | Cause::Execution);
    let mut by_clocks: Vec<(Cause, u64)> = causes.iter().copied().filter(|&(_, clocks)| clocks > 0).collect();
    // Equal causes keep the order of the list.
    by_clocks.sort_by_key(|&(_, clocks)| std::cmp::Reverse(clocks));
    let lost = by_clocks
        .iter()
        .filter(|&&(cause, _)| !is_plain(cause))
        .take(LOST_NAMED);
    let lost: Vec<String> = lost
        .map(|(cause, clocks)| format!("{}: {clocks}", cause.name()))
        .collect();
    let lost = lost.join(", ");
    match by_clocks.first() {
        Some((cause, count)) if is_plain(*cause) => {
            let other = by_clocks[1..].iter().find(|&&(cause, _)| is_plain(cause));
            let other = other.map_or_else(String::new, |(cause, count)| format!(", {}: {count}", cause.name()));
            let main = format!("most for {}: {count} of {clocks}{other}", cause.name());
            if lost.is_empty() {
                main
            } else {
                format!("{main}, lost to {lost}")
            }
        }
        Some(_) => format!("most of {clocks} lost to {lost}"),
        None => String::new(),
    }
}

/// The number of passes of a region in the last run.
fn passes(run: &Run, region: &RegionResult) -> Result<u64, Unjudged> {
    let kept = summary::passes_by_run(run, region).last().copied().unwrap_or(0);
    match kept {
        _ if region.pass_count > region.passes.len() as u64 => Err(Unjudged::NotCounted),
        0 => Err(Unjudged::NotPassed),
        kept => Ok(kept),
    }
}

/// Whether a figure is within its limit, compared exactly.
fn holds(budget: &Budget, amount: u64, per: u64) -> bool {
    let hundredfold = if budget.quantity.is_share() { 100 } else { 1 };
    let order = (u128::from(amount) * hundredfold * UNIT).cmp(&(u128::from(budget.limit) * u128::from(per)));
    match budget.relation {
        Relation::AtMost => order != Ordering::Greater,
        Relation::Below => order == Ordering::Less,
        Relation::AtLeast => order != Ordering::Less,
        Relation::Above => order == Ordering::Greater,
        Relation::Exactly => order == Ordering::Equal,
    }
}

impl Judged<'_> {
    /// Whether the budget is known to hold.
    pub(super) fn holds(&self) -> bool {
        self.value.is_ok_and(|value| value.holds)
    }

    /// Whether its clocks are of a pass whose causes are not known.
    fn needs_causes(&self) -> bool {
        let failed = self.value.is_ok_and(|value| !value.holds);
        failed && self.region.is_some() && self.budget.quantity == Quantity::Cycles && self.budget.causes.is_none()
    }

    /// The budget in its canonical spelling.
    pub(super) fn title(&self) -> String {
        let Budget {
            quantity,
            cold,
            relation,
            limit,
            ..
        } = self.budget;
        let cold = if *cold { "cold " } else { "" };
        let percent = if quantity.is_share() { "%" } else { "" };
        format!(
            "{cold}{} {} {}{percent}",
            quantity.name(),
            relation.sign(),
            limit_text(*limit)
        )
    }

    /// The code that the budget concerns, in words.
    pub(super) fn place(&self) -> String {
        let named = |region: &&RegionResult| region.name != format!("line {}", region.start_line);
        match &self.budget.scope {
            Scope::Line(line) => format!("line {line}"),
            Scope::Label {
                name,
                lines: (first, last),
            } => format!("{name}, lines {first}-{last}"),
            Scope::Region(line) => match self.region {
                Some(region) if named(&region) => {
                    format!("region {}, lines {line}-{}", region.name, region.end_line)
                }
                Some(region) => format!("region in lines {line}-{}", region.end_line),
                None => format!("region in line {line}"),
            },
        }
    }

    pub(super) fn message(&self) -> String {
        match self.figure() {
            Some(figure) => format!("{figure}, but the budget is {}", self.limit()),
            None => format!("cannot judge the budget `{}`", self.title()),
        }
    }

    /// The budget with its figure, in words.
    fn told(&self) -> String {
        let place = printable::printable(&self.place());
        let (Some(figure), Ok(value)) = (self.figure(), self.value) else {
            return format!("{place}: {} fails: {}", self.title(), self.label());
        };
        let parts = self.parts_of(value);
        let parts = if parts.is_empty() { parts } else { format!(" ({parts})") };
        let fails = if value.holds { "" } else { "fails: " };
        format!("{place}: {figure}{parts}; {fails}{}", self.limit())
    }

    /// The limit in words.
    fn limit(&self) -> String {
        let words = match self.budget.relation {
            Relation::AtMost => "at most",
            Relation::Below => "less than",
            Relation::AtLeast => "at least",
            Relation::Above => "more than",
            Relation::Exactly => "exactly",
        };
        let percent = if self.budget.quantity.is_share() { "%" } else { "" };
        format!("{words} {}{percent}", limit_text(self.budget.limit))
    }

    /// The figure with its unit; `None` if there is none.
    fn figure(&self) -> Option<String> {
        let Budget { quantity, limit, .. } = self.budget;
        let value = self.value.ok()?;
        let hundredfold = if quantity.is_share() { 100 } else { 1 };
        let amount = u128::from(value.amount) * hundredfold;
        let per = u128::from(value.per.max(1));
        let shown = match amount % per {
            0 => (amount / per).to_string(),
            _ => shown(amount as f64 / per as f64, *limit),
        };
        let plural = if shown == "1" { "" } else { "s" };
        let noun = match quantity {
            Quantity::Cycles => format!("clock{plural}"),
            Quantity::Instructions => format!("instruction{plural}"),
            Quantity::Pairs => format!("pair{plural}"),
            Quantity::PairedShare => "% of the instructions in pairs".to_owned(),
            Quantity::VShare => "% of the instructions in V".to_owned(),
            Quantity::ClocksPerInstruction => format!("clock{plural} per instruction"),
            Quantity::Spent(cause) => format!("clock{plural} for {}", cause.name()),
        };
        let blank = if quantity.is_share() { "" } else { " " };
        let cold = if self.budget.cold { ", cold" } else { "" };
        Some(format!("{shown}{blank}{noun}{cold}"))
    }

    /// The parts of the figure, or the reason why there is none.
    pub(super) fn label(&self) -> String {
        let value = match self.value {
            Ok(value) => value,
            Err(why) => return why.words().to_owned(),
        };
        let parts = [self.parts_of(value), self.main.clone()];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join("; ")
    }

    /// What a figure is the quotient of, in words; empty for the clocks of one pass.
    fn parts_of(&self, value: Value) -> String {
        match (self.budget.quantity, &self.budget.scope) {
            (Quantity::PairedShare | Quantity::VShare | Quantity::ClocksPerInstruction, _) => {
                format!("{} in {}", value.amount, counted(value.per, "instruction"))
            }
            (Quantity::Cycles, Scope::Region(_)) => String::new(),
            (_, Scope::Region(_)) if value.per == 1 => format!("{} in its pass", value.amount),
            (_, Scope::Region(_)) => format!("{} in {} passes", value.amount, value.per),
            _ => format!("{} in {}", value.amount, counted(value.per, "execution")),
        }
    }
}

impl Unjudged {
    fn words(self) -> &'static str {
        match self {
            Unjudged::NotExecuted => "the last run never got here",
            Unjudged::NotCompleted => "the last run stopped here: this did not complete",
            Unjudged::NotPassed => "the last run did not complete this region",
            Unjudged::OnlyCold => "it was passed only once, cold: write `cold`, or let it run more often",
            Unjudged::NotCold => "the first run did not complete this region",
            Unjudged::NotCounted => "too much was executed to count how often: limit a share or cpi instead",
        }
    }
}

/// A limit, given in millionths, as a decimal number.
pub(super) fn limit_text(limit: u64) -> String {
    let fraction = format!("{:06}", limit % 1_000_000);
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{}{point}{fraction}", limit / 1_000_000)
}

/// A figure with just enough decimals to differ from the limit.
fn shown(value: f64, limit: u64) -> String {
    let limit = limit as f64 / 1e6;
    let texts = (2..=6).map(|digits| format!("{value:.digits$}"));
    let mut texts = texts.filter(|text| text.parse().is_ok_and(|rounded: f64| (rounded - limit).abs() > 1e-9));
    texts.next().unwrap_or_else(|| format!("{value:.6}"))
}
