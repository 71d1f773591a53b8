//! Budgets that name a local variable, which is on a stack or in a register only while its function is executed.

use super::Wrong;
use super::code::Code;
use super::comments::Notation;

/// The error with other words, if what it does not know is a local variable of the code.
pub(crate) fn told<'a>(wrong: Wrong<'a>, code: &Code<'_>) -> Wrong<'a> {
    let name = wrong.at;
    if !wrong.unknown || !code.lines().any(|line| declares(line, name, code.notation())) {
        return wrong;
    }
    let message = format!("`{name}` is a local variable, which no budget can require");
    let help = format!(
        "registers and global data have their values at the end of the program: copy `{name}` to a global variable, \
         and require that"
    );
    Wrong::new(name, message, help)
}

/// Whether a line of code may declare or use `name` as a local variable: in C and its like any line with this word, as
/// it is no global one; in assembly one with LOCAL.
fn declares(line: &str, name: &str, notation: Notation) -> bool {
    let is_word = |one: char| one.is_alphanumeric() || one == '_';
    let begins = |first: char| first.is_alphabetic() || first == '_';
    let mut words = line.split(|one| !is_word(one)).filter(|word| !word.is_empty());
    match notation {
        Notation::C => name.starts_with(begins) && words.any(|word| word == name),
        Notation::Gnu => false,
        Notation::Semicolon => {
            let first = words.next().unwrap_or_default();
            first.eq_ignore_ascii_case("local") && words.any(|word| word.eq_ignore_ascii_case(name))
        }
    }
}
