//! Budgets of functions that a compiler has inlined.

use super::Texts;
use crate::lines::file_name;
use crate::printable::printable;
use p5_results::{Budget, Run, Scope};
use std::collections::BTreeSet;

/// The most places that are named.
const PLACES: usize = 4;

/// What is said of a budget on a function whose code was inlined: where that was, and what can be limited instead.
pub(super) fn inlined(run: &Run, budget: &Budget, texts: &Texts<'_>) -> Option<String> {
    let (line, also, without_code) = match &budget.scope {
        Scope::Statement(line) => (*line, false, None),
        Scope::Function {
            name, line, addresses, ..
        } if addresses.is_empty() => (*line, false, Some(name)),
        Scope::Function { line, .. } => (*line, true, None),
        _ => return None,
    };
    let text = texts.get(&(budget.file, line))?;
    let code = ["//", "/*"]
        .iter()
        .fold(*text, |code, comment| code.split(comment).next().unwrap_or(code));
    if code.trim_end().ends_with(';') {
        return None;
    }
    let named = |name: &str| {
        if let Some(own) = without_code {
            return name == own;
        }
        let begins = code.match_indices(name);
        begins.into_iter().any(|(at, _)| {
            let in_name = |one: char| one.is_alphanumeric() || one == '_';
            let (before, after) = (&code[..at], &code[at + name.len()..]);
            !before.ends_with(in_name) && after.trim_start().starts_with(['(', '<'])
        })
    };
    let (mut name, mut places) = (None, BTreeSet::new());
    for call in &run.inlined {
        let base = base(&call.name);
        if base.is_empty() || !named(base) {
            continue;
        }
        // A line that calls the function is not the one that defines it.
        if call.place == Some((budget.file, line)) {
            return None;
        }
        name = Some(base);
        places.extend(call.place);
    }
    let name = printable(name?);
    let place = |&(file, line): &(u32, u32)| match file == budget.file {
        true => format!("line {line}"),
        false => format!("{}:{line}", printable(file_name(run, file).unwrap_or_default())),
    };
    let mut told: Vec<String> = places.iter().take(PLACES).map(place).collect();
    if places.len() > PLACES {
        told.push("others".to_owned());
    }
    let of = if told.is_empty() {
        String::new()
    } else {
        format!(" in {}", told.join(", "))
    };
    Some(match also {
        true => format!("calls of `{name}` were inlined{of}, and do not count here"),
        false => format!(
            "the compiler inlined `{name}`{of}: limit the lines that call it or its own, as its code counts for \
             both, or keep it apart by `__attribute__((noinline))` or `#[inline(never)]`"
        ),
    })
}

/// The last part of the name of a function, without its parameters and those of its templates.
pub(super) fn base(name: &str) -> &str {
    let plain = name.split(['(', '<', '.']).next().unwrap_or(name);
    plain.rsplit([':', ' ']).next().unwrap_or(plain)
}
