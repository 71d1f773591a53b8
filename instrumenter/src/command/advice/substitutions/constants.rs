//! Operands that are constants, as numbers or as the names of constants of the program.
//!
//! A name may have another value in a later version of the program. A substitution that depends on its value says so in
//! a comment.

use super::{Block, is_literal, split};
use runtime::advice::is_number;
use runtime::image::{Image, SymbolKind};
use std::collections::HashSet;

/// The longest operand that a comment repeats.
const LONGEST_TOLD: usize = 24;

/// The names of the constants of a program, in lower case.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Constants(HashSet<String>);

impl Constants {
    /// Those of the program `image`, without names that stand for something else in another spelling.
    pub(in super::super) fn of(image: &Image) -> Constants {
        let named = |constant: bool| {
            let all = image.symbols.iter();
            let all = all.filter(move |symbol| (symbol.kind == SymbolKind::Constant) == constant);
            all.map(|symbol| symbol.name.to_lowercase())
        };
        let others: HashSet<String> = named(false).collect();
        Constants(named(true).filter(|name| !others.contains(name)).collect())
    }
}

/// The names and numbers in an operand.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|one: char| one.is_whitespace() || "+-*()".contains(one))
        .filter(|word| !word.is_empty())
}

impl Block<'_> {
    /// Whether the text of an operand is one number or the name of one, perhaps with a sign.
    pub(super) fn is_one_number(&self, text: &str) -> bool {
        is_literal(text) || self.is_name(text.trim().trim_start_matches('-'))
    }

    /// Whether the text of an operand is made of numbers and names of numbers alone, so that an immediate operand is
    /// its value.
    pub(super) fn is_constant(&self, text: &str) -> bool {
        words(text).next().is_some() && words(text).all(|word| is_literal(word) || self.is_name(word))
    }

    fn is_name(&self, word: &str) -> bool {
        self.constants.0.contains(&word.to_lowercase())
    }

    /// The value of a named constant on which `texts`, which replace the instruction at `at`, depend, as a comment.
    pub(super) fn told(&self, at: usize, texts: &[String]) -> Option<String> {
        let instruction = self.instruction(at)?;
        let last = instruction.op_count().checked_sub(1)?;
        let text = *split(self.text(at)?.split_once([' ', '\t'])?.1).last()?;
        let number = is_number(instruction.op_kind(last));
        if !number || is_literal(text) || !self.is_constant(text) || text.len() > LONGEST_TOLD {
            return None;
        }
        let kept = texts.iter().any(|new| new.contains(text));
        (!kept).then(|| format!("{text} = {}", instruction.immediate(last) as u32 as i32))
    }
}
