//! Budgets and their judgement in words.

use super::{Judged, Unjudged, Value};
use crate::phrases::{counted, lines_from};
use crate::printable;
use p5_results::{Budget, Quantity, RegionResult, Relation, Scope};

impl Judged<'_> {
    /// The budget in its canonical spelling.
    pub(crate) fn title(&self) -> String {
        let Budget {
            quantity,
            cold,
            relation,
            limit,
            ..
        } = self.budget;
        if let Some(expected) = &self.budget.result {
            return format!("{} {} {}", expected.of.name(), relation.sign(), expected.value);
        }
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
    pub(crate) fn place(&self) -> String {
        if self.budget.quantity == Quantity::Result {
            return "at the end".to_owned();
        }
        if self.budget.quantity == Quantity::TotalCycles {
            return "the whole program".to_owned();
        }
        let named = |region: &&RegionResult| region.name != format!("line {}", region.start_line);
        match &self.budget.scope {
            Scope::Line(line) | Scope::Statement(line) => format!("line {line}"),
            Scope::Function { name, line, .. } => format!("function {name}, line {line}"),
            Scope::Label { name, lines } => format!("{name}, {}", lines_from(*lines)),
            Scope::Region(line) => match self.region {
                Some(region) if named(&region) => {
                    format!("region {}, {}", region.name, lines_from((*line, region.end_line)))
                }
                Some(region) => format!("region in {}", lines_from((*line, region.end_line))),
                None => format!("region in line {line}"),
            },
        }
    }

    pub(crate) fn message(&self) -> String {
        match self.figure() {
            Some(figure) => format!("{figure}, but the budget is {}", self.limit()),
            None => format!("the budget `{}` is not judged", self.title()),
        }
    }

    /// The budget with its figure, in words.
    pub(super) fn told(&self) -> String {
        let place = printable::printable(&self.place());
        let (Some(figure), Ok(value)) = (self.figure(), self.value) else {
            return format!(
                "{place}: `{}` is not judged: {}",
                printable::printable(&self.title()),
                self.label()
            );
        };
        let parts = self.parts_of(value);
        let parts = if parts.is_empty() { parts } else { format!(" ({parts})") };
        let so = if value.holds { "; limit:" } else { ", but the budget is" };
        let alone = self.alone().map_or_else(String::new, |alone| format!("; {alone}"));
        let inlined = self
            .inlined
            .as_ref()
            .map_or_else(String::new, |inlined| format!("; {inlined}"));
        let under = self
            .fails_under()
            .map_or_else(String::new, |under| format!("; {under}"));
        format!("{place}: {figure}{parts}{so} {}{under}{alone}{inlined}", self.limit())
    }

    /// The parts of the figure, or the reason why there is none, and what the budget limits if that is not clear.
    pub(crate) fn details(&self) -> String {
        let parts = [Some(self.label()), self.alone()].into_iter().flatten();
        let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
        parts.join("; ")
    }

    /// What the budget of a line with the label of a loop limits.
    pub(crate) fn alone(&self) -> Option<String> {
        let label = printable::printable(self.head?);
        let how = format!("to limit the loop, put `{label}:` in a line of its own");
        Some(format!("this limits the instruction alone; {how}"))
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
        match &self.budget.result {
            Some(expected) => format!("{words} {}", expected.value),
            None => format!("{words} {}{percent}", limit_text(self.budget.limit)),
        }
    }

    /// The figure with its unit; `None` if there is none.
    pub(crate) fn figure(&self) -> Option<String> {
        self.figure_of(self.value.ok()?)
    }

    /// A figure of the budget with its unit.
    pub(super) fn figure_of(&self, value: Value) -> Option<String> {
        let Budget { quantity, limit, .. } = self.budget;
        if let Some(expected) = &self.budget.result {
            return Some(format!(
                "{} is {}",
                printable::printable(expected.of.name()),
                value.amount
            ));
        }
        let hundredfold = if quantity.is_share() { 100 } else { 1 };
        let amount = value.amount * hundredfold;
        let per = i128::from(value.per.max(1));
        let shown = match amount % per {
            0 => (amount / per).to_string(),
            _ => shown(amount as f64 / per as f64, *limit),
        };
        let plural = if shown == "1" { "" } else { "s" };
        let noun = match quantity {
            Quantity::Cycles | Quantity::TotalCycles => format!("clock{plural}"),
            Quantity::Instructions => format!("instruction{plural}"),
            Quantity::Pairs => format!("pair{plural}"),
            Quantity::PairedShare => "% of the instructions in pairs".to_owned(),
            Quantity::VShare => "% of the instructions in V".to_owned(),
            Quantity::ClocksPerInstruction => format!("clock{plural} per instruction"),
            Quantity::Spent(cause) => format!("clock{plural} for {}", cause.name()),
            Quantity::Result => return None,
        };
        let blank = if quantity.is_share() { "" } else { " " };
        let cold = if self.budget.cold { ", cold" } else { "" };
        Some(format!("{shown}{blank}{noun}{cold}"))
    }

    /// The parts of the figure, or the reason why there is none.
    pub(crate) fn label(&self) -> String {
        let value = match self.value {
            Ok(value) => value,
            Err(Unjudged::NotOfStatement | Unjudged::NotExecuted) if self.inlined.is_some() => {
                return self.inlined.clone().unwrap_or_default();
            }
            Err(Unjudged::NotExecuted) if let Some(words) = without_code(&self.budget.scope) => return words,
            Err(Unjudged::NotExecuted) if matches!(self.budget.scope, Scope::Function { .. }) => {
                return "the last run never called it, or the compiler has put it into its callers".to_owned();
            }
            Err(Unjudged::Copied) => {
                let copied = self.inlined.as_deref().unwrap_or_default();
                return format!("{copied}, and {}", Unjudged::Copied.words());
            }
            Err(why) => return why.words().to_owned(),
        };
        let inlined = self.inlined.clone().unwrap_or_default();
        let parts = [self.parts_of(value), inlined, self.main.clone()];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join("; ")
    }

    /// The two numbers that a figure is the quotient of, in words; empty for the clocks of one pass.
    fn parts_of(&self, value: Value) -> String {
        match (self.budget.quantity, &self.budget.scope) {
            (Quantity::PairedShare | Quantity::VShare | Quantity::ClocksPerInstruction, _) => {
                format!("{} in {}", value.amount, counted(value.per, "instruction"))
            }
            (Quantity::Cycles, Scope::Region(_)) | (Quantity::Result | Quantity::TotalCycles, _) => String::new(),
            (_, Scope::Region(_)) if value.per == 1 => format!("{} in its pass", value.amount),
            (_, Scope::Region(_)) => format!("{} in {} passes", value.amount, value.per),
            (_, Scope::Function { .. }) => format!("{} in {}", value.amount, counted(value.per, "call")),
            _ => format!("{} in {}", value.amount, counted(value.per, "execution")),
        }
    }
}

impl Unjudged {
    /// That of a line that calls.
    pub(super) fn of_call(scope: &Scope) -> Unjudged {
        match scope {
            Scope::Statement(_) => Unjudged::OfStatementCall,
            _ => Unjudged::OfCall,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Unjudged::NotExecuted => "the last run never got here",
            Unjudged::NotCompleted => "the last run stopped here: this did not complete",
            Unjudged::NotPassed => "the last run did not complete this region",
            Unjudged::OnlyCold => "it was passed only once, cold: write `cold`, or let it run more often",
            Unjudged::NotCold => "the first run did not complete this region",
            Unjudged::NoRegion => {
                "regions are known of assembled sources: this line of a built program is only its start macro"
            }
            Unjudged::NotOfStatement => {
                "no instruction of this line was executed: the last run never got here, or the compiler left the line \
                 out, inlined the function, or was called without -g"
            }
            Unjudged::OnlyLoops => {
                "all of it is loops of what is inlined here, which do not tell how often it was executed: limit a \
                 share, cpi, or the lines of these loops"
            }
            Unjudged::NotEnded => "the program did not end by itself",
            Unjudged::NoValue => "its value at the end is not known",
            Unjudged::Copied => {
                "the limit lies between the figures for the fewest and the most executions: limit a share, cpi, or the \
                 function"
            }
            Unjudged::Calls => {
                "the region calls code of other lines, which counts in its clocks and their causes only: limit these, or \
                 the procedure that it calls"
            }
            Unjudged::OfCall => {
                "the line calls a procedure, whose clocks are not its own: write the budget after the `proc` of that, or \
                 after the StartTSC of a region around the call"
            }
            Unjudged::OfStatementCall => {
                "the line calls a function, whose clocks are not its own: limit that function, or a share or cpi"
            }
            Unjudged::NoCalls => {
                "its first instruction is one of too many to be counted one by one, so that its calls are not known: \
                 limit `cpi` or `v`, which need no calls"
            }
            Unjudged::NotCounted => "too much was executed to count how often: limit a share or cpi instead",
        }
    }
}

/// Why a function without code in the program is not judged.
fn without_code(scope: &Scope) -> Option<String> {
    let Scope::Function {
        name, same, addresses, ..
    } = scope
    else {
        return None;
    };
    let why = match same {
        Some(same) => format!(
            "the compiler folded it into {}, which does the same",
            printable::printable(same)
        ),
        None => {
            "the compiler inlined it, folded it into another one or left it out, or was called without -g".to_owned()
        }
    };
    let name = printable::printable(name);
    (addresses.is_empty()).then(|| format!("function {name} has no code of its own: {why}"))
}

/// A limit, given in millionths, as a decimal number.
pub(crate) fn limit_text(limit: u64) -> String {
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
