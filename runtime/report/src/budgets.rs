//! Judges budgets: the figure of each, whether the budget holds, and the reason if not. All formats use these results.
//!
//! The figures of a line, a label or a region are those of the last run, per execution of its first instruction or per
//! pass. The clocks of a region are the median of its warm passes (for an even number, the lower of the two in the
//! middle, which is the time of a real pass), or those of its first pass for a cold budget. A call of a macro includes
//! its expansion, except for the bundled library; a line of a compiled program includes the functions that are inlined
//! there. Code that a region calls elsewhere counts in the region's clocks and in their causes, which an audit tells;
//! other quantities of such a region are not judged.

mod block;
mod calls;
mod copied;
mod inlined;
mod times;
mod under;
mod words;

pub(super) use words::limit_text;

use super::lines::{self, Entry, Sum};
use super::printable::printable;
use super::{Detail, FAILURE, Style, folded, painted, paragraph, summary};
use calls::Calls;
use p5_results::{
    AuditedPass, Budget, Cause, Expected, Flow, InstructionResult, Label, Quantity, RegionResult, Relation, ResultOf,
    Run, Scope,
};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use times::{calls_others, clocks_of, executions, passes, total};

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
    /// The label on its line, if a loop begins there but the budget does not limit that loop.
    head: Option<&'a str>,
    /// What is said of a function that was inlined, or of a line that may have been copied.
    inlined: Option<String>,
    /// The answers to open questions under which it fails although it holds.
    under: Option<under::Under<'a>>,
}

/// A figure as a fraction: `amount` divided by `per`. A result is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) amount: i128,
    pub(super) per: u64,
    pub(super) holds: bool,
}

/// The reason why a budget has no figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unjudged {
    NotExecuted,
    OnlyLoops,
    NotCompleted,
    NotPassed,
    OnlyCold,
    NotCold,
    NotCounted,
    NoCalls,
    Calls,
    OfCall,
    OfStatementCall,
    Copied,
    NoRegion,
    NotOfStatement,
    NotEnded,
    NoValue,
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

/// Whether the run needs an audit: the clocks by cause of a region's pass are not known, and a budget of its clocks
/// does not hold, or one of a cause has to count what the region calls.
pub fn budgets_need_causes(run: &Run) -> bool {
    judged(run).iter().any(Judged::needs_causes)
}

/// Adds the clocks by cause to the budgets of regions that need them. `passes` has the passes of each region in an
/// audited run of the same program.
pub fn add_budget_causes(run: &mut Run, passes: &[Vec<AuditedPass>]) {
    let causes: Vec<_> = judged(run)
        .iter()
        .map(|one| {
            let region = one.region.filter(|_| one.needs_causes())?;
            let amount = clocks_of(run, region, one.budget.cold).ok()?;
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
    let texts = texts(run);
    let others = under::Others::of(run);
    let mut blocks = block::Blocks::default();
    let mut judged = Vec::with_capacity(run.budgets.len());
    for budget in &run.budgets {
        // Several budgets of one comment concern the same code.
        let same = known
            .take()
            .filter(|(other, _)| (other.file, &other.scope) == (budget.file, &budget.scope));
        let (_, part) = known.insert(same.unwrap_or_else(|| (budget, Part::of(run, budget))));
        let value = match &budget.result {
            Some(expected) => result(run, expected).map(|amount| Value {
                amount,
                per: 1,
                holds: related(budget.relation, amount.cmp(&expected.value)),
            }),
            None if budget.quantity == Quantity::TotalCycles => total(run, budget),
            None => part.judged(run, budget),
        };
        let failed = value.is_ok_and(|value| !value.holds);
        judged.push(Judged {
            budget,
            value,
            main: if failed { part.main(budget) } else { String::new() },
            region: part.region,
            under: value.ok().and_then(|value| others.fails(budget, part.region, value)),
            head: head(run, budget, &texts),
            inlined: match value {
                Err(Unjudged::Copied) => part.copied(budget),
                Err(Unjudged::NotOfStatement) => {
                    let inlined = inlined::inlined(run, budget, &texts);
                    inlined.or_else(|| blocks.opened(run, budget))
                }
                _ => inlined::inlined(run, budget, &texts).or_else(|| part.remarks(budget)),
            },
        });
    }
    judged
}

/// The texts of lines by file and line.
type Texts<'a> = BTreeMap<(u32, u32), &'a str>;

/// The texts of the lines with budgets, each file read once.
fn texts(run: &Run) -> Texts<'_> {
    let mut wanted: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for budget in &run.budgets {
        if let Scope::Line(line) | Scope::Statement(line) | Scope::Function { line, .. } = budget.scope {
            wanted.entry(budget.file).or_default().insert(line);
        }
    }
    let mut texts = BTreeMap::new();
    for (file, lines) in wanted {
        let Some(source) = run.files.get(file as usize) else {
            continue;
        };
        let numbered = (1..).zip(source.text.lines());
        let until = lines.last().copied().unwrap_or_default();
        let of_budgets = numbered.take_while(|(line, _)| *line <= until);
        let of_budgets = of_budgets.filter(|(line, _)| lines.contains(line));
        texts.extend(of_budgets.map(|(line, text)| ((file, line), text)));
    }
    texts
}

/// The label of a budget's line, if a jump of some later line leads back to it.
fn head<'a>(run: &'a Run, budget: &Budget, texts: &Texts<'_>) -> Option<&'a str> {
    let Scope::Line(line) = budget.scope else { return None };
    if matches!(budget.quantity, Quantity::Result | Quantity::TotalCycles) {
        return None;
    }
    let rows = || run.instructions.iter().filter(|row| !row.library);
    let first = rows().find(|row| row.place == Some((budget.file, line)))?;
    // The label may stand in a line before, in which case its budget is what the user wants.
    let text = texts.get(&(budget.file, line))?;
    let (name, _) = text.split_once(':')?;
    let is_own = |label: &&Label| label.address == first.address && label.name.eq_ignore_ascii_case(name.trim());
    let label = run.labels.iter().find(is_own)?;
    let leads_back = |row: &InstructionResult| {
        let written = row.written.as_ref().unwrap_or(&row.text);
        let target = written.rsplit(' ').next().unwrap_or_default();
        row.needs.flow == Flow::Jump && row.address >= first.address && target.eq_ignore_ascii_case(&label.name)
    };
    rows().any(leads_back).then_some(&*label.name)
}

/// Writes how many budgets fail, if there are budgets, and of each whether it holds, with its figure.
pub(super) fn write(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if run.budgets.is_empty() {
        return Ok(());
    }
    let judged = judged(run);
    let failed = judged.iter().filter(|one| !one.holds()).count();
    let words = match (failed, judged.len()) {
        (0, 1) => "The budget holds".to_owned(),
        (0, all) => format!("All {all} budgets hold"),
        (1, 1) => "The budget fails".to_owned(),
        (failed, all) if failed == all => format!("All {all} budgets fail"),
        (1, all) => format!("1 budget of {all} fails"),
        (failed, all) => format!("{failed} budgets of {all} fail"),
    };
    let unjudged = judged.iter().filter(|one| one.value.is_err()).count();
    let unjudged = match (unjudged, judged.len()) {
        (0, _) if failed == 0 && judged.iter().any(|one| one.under.is_some()) => {
            ", but not under every answer to open questions"
        }
        (0, _) => "",
        (1, 1) => ": it is not judged",
        (1, _) if failed == 1 => ", because it is not judged",
        (1, _) => ", 1 of them because it is not judged",
        _ => ", some of them because they are not judged",
    };
    writeln!(out)?;
    for line in folded(&format!("{words}{unjudged}"), style.width) {
        match failed {
            0 => writeln!(out, "{line}")?,
            _ => writeln!(out, "{}", painted(style, FAILURE, &line))?,
        }
    }
    let shown = if style.detail == Detail::Short {
        LISTED
    } else {
        usize::MAX
    };
    // Those that fail come first.
    let (holding, failing): (Vec<_>, Vec<_>) = judged.iter().partition(|one| one.holds());
    let several = judged.iter().any(|one| one.budget.file != judged[0].budget.file);
    for one in failing.into_iter().chain(holding).take(shown) {
        let file = lines::path_name(run, one.budget.file).filter(|_| several);
        let file = file.map_or(String::new(), |file| format!("{}, ", printable(file)));
        let mark = if one.holds() { "holds" } else { "fails" };
        paragraph(style, &format!("{mark}: {file}{}", one.told()), out)?;
    }
    match judged.len().saturating_sub(shown) {
        0 => Ok(()),
        left => paragraph(style, &format!("and {left} more; `--long` lists all"), out),
    }
}

struct Part<'a> {
    sum: Sum,
    /// The calls that were inlined into the line.
    calls: Option<Calls>,
    region: Option<&'a RegionResult>,
    /// Whether the lines of a region, or the one line, call code of others.
    calls_others: bool,
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
            _ => None,
        };
        let (first, last) = match (&budget.scope, region) {
            (Scope::Label { lines, .. }, _) => *lines,
            (Scope::Region(line), Some(region)) => (*line, region.end_line),
            (Scope::Line(line) | Scope::Statement(line) | Scope::Region(line), _) => (*line, *line),
            (Scope::Function { line, .. }, _) => (*line, *line),
        };
        let inside = |place: Option<(u32, u32)>| {
            place.is_some_and(|(file, line)| file == budget.file && (first..=last).contains(&line))
        };
        let calls = Calls::of(run, budget);
        let called = |entry| calls.as_ref().is_some_and(|calls| calls.brought(run, entry));
        let concerned = |&entry: &Entry| match &budget.scope {
            Scope::Function { addresses, .. } => {
                function_at(run, lines::function(run, entry)).is_some_and(|address| addresses.contains(&address))
            }
            _ => {
                !lines::in_library(run, entry)
                    && (inside(lines::place(run, entry)) || inside(lines::outermost(run, entry)) || called(entry))
            }
        };
        let entries: Vec<Entry> = lines::entries(run).filter(concerned).collect();
        let mut sum = Sum::of_entries(run, &entries);
        if let Some(calls) = &calls {
            calls.count(run, &entries, &mut sum);
        }
        let times = match region {
            Some(region) => passes(run, region),
            None if matches!(budget.scope, Scope::Region(_)) => Err(Unjudged::NoRegion),
            None if sum.executions == 0 && !run.stop.reason.by_program() && inside(run.stop.place) => {
                Err(Unjudged::NotCompleted)
            }
            None if sum.executions == 0 => Err(match budget.scope {
                Scope::Statement(_) => Unjudged::NotOfStatement,
                _ => Unjudged::NotExecuted,
            }),
            None => executions(run, budget, &sum, &entries),
        };
        Part {
            sum,
            calls,
            region,
            calls_others: !matches!(budget.scope, Scope::Label { .. } | Scope::Function { .. })
                && calls_others(run, &entries),
            times,
        }
    }

    /// The figure that a budget limits, if its code was executed `times`: an amount, and its divisor.
    fn figure(&self, run: &Run, budget: &Budget, times: Result<u64, Unjudged>) -> Result<(u64, u64), Unjudged> {
        match (self.region, budget.quantity) {
            (Some(region), Quantity::Cycles) => {
                return clocks_of(run, region, budget.cold).map(|clocks| (clocks, 1));
            }
            (Some(_), Quantity::Spent(cause)) if self.calls_others => {
                let causes = budget.causes.ok_or(Unjudged::Calls)?;
                let clocks = causes.parts().find(|part| part.0 == cause).map_or(0, |part| part.1);
                return Ok((u64::try_from(clocks).unwrap_or(0), 1));
            }
            (Some(_), _) if self.calls_others => return Err(Unjudged::Calls),
            // The clocks of a CALL alone are not what it is limited for.
            (None, Quantity::Cycles | Quantity::Instructions | Quantity::Spent(_)) if self.calls_others => {
                return Err(Unjudged::of_call(&budget.scope));
            }
            _ => {}
        }
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
            Quantity::Result | Quantity::TotalCycles => Err(Unjudged::NoValue),
        }
    }

    /// The main cause of a quantity, in words.
    fn main(&self, budget: &Budget) -> String {
        let most = |counts: Vec<(String, u64)>| counts.into_iter().rev().max_by_key(|&(_, count)| count);
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
            Quantity::Instructions | Quantity::Spent(_) | Quantity::Result | Quantity::TotalCycles => String::new(),
        }
    }
}

/// The address of a function of the run.
fn function_at(run: &Run, function: Option<u32>) -> Option<u32> {
    Some(run.functions.get(function? as usize)?.address)
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

/// What the last run left in a register or in data. Data without a sign is compared with a negative number as signed.
fn result(run: &Run, expected: &Expected) -> Result<i128, Unjudged> {
    if !run.stop.reason.by_program() {
        return Err(Unjudged::NotEnded);
    }
    let (value, bits, signed) = match &expected.of {
        &ResultOf::Register {
            number, shift, bits, ..
        } => {
            let whole = run.registers[1].get(usize::from(number)).ok_or(Unjudged::NoValue)?;
            let part = (u64::from(*whole) >> shift) & ((1 << bits) - 1);
            (part, u32::from(bits), false)
        }
        ResultOf::Data(name) => {
            let symbol = run
                .symbols
                .iter()
                .find(|symbol| !symbol.library && symbol.name == *name);
            let symbol = symbol
                .filter(|symbol| (1..=8).contains(&symbol.size))
                .ok_or(Unjudged::NoValue)?;
            let value = symbol.value.ok_or(Unjudged::NoValue)?;
            (value, 8 * symbol.size, symbol.kind.is_signed())
        }
    };
    let negative = value >> (bits - 1) & 1 == 1 && (signed || expected.value < 0);
    Ok(i128::from(value) - if negative { 1 << bits } else { 0 })
}

/// Whether a figure is within its limit, compared exactly.
fn holds(budget: &Budget, amount: u64, per: u64) -> bool {
    related(budget.relation, order(budget, amount, per))
}

/// Where a figure is, seen from its limit.
fn order(budget: &Budget, amount: u64, per: u64) -> Ordering {
    let hundredfold = if budget.quantity.is_share() { 100 } else { 1 };
    (u128::from(amount) * hundredfold * UNIT).cmp(&(u128::from(budget.limit) * u128::from(per)))
}

fn related(relation: Relation, order: Ordering) -> bool {
    match relation {
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
        let needed = match self.budget.quantity {
            Quantity::Cycles => self.value.is_ok_and(|value| !value.holds),
            Quantity::Spent(_) => self.value == Err(Unjudged::Calls),
            _ => false,
        };
        needed && self.region.is_some() && self.budget.causes.is_none()
    }
}
