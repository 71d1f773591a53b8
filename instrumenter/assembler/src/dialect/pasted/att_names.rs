//! The names of instructions in AT&T syntax: what their suffixes say, and those that Intel calls otherwise.

use super::att_operand::Operand;
use super::table::{STRINGS, renamed};
use crate::select;

/// How operands stand compared with Intel's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Reversed,
    Same,
}

/// The instruction of Intel that a mnemonic of AT&T syntax means with its operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Operation {
    /// Intel's name.
    pub(super) name: String,
    /// The word for the size of its memory.
    pub(super) size: Option<&'static str>,
    pub(super) order: Order,
}

/// Instructions of the floating-point unit on integers.
pub(super) const OF_INTEGERS: [&str; 12] = [
    "fild", "fist", "fistp", "fisttp", "fiadd", "fisub", "fisubr", "fimul", "fidiv", "fidivr", "ficom", "ficomp",
];
fn of_suffix(suffix: &str) -> Option<&'static str> {
    match suffix {
        "b" => Some("byte"),
        "w" => Some("word"),
        "l" => Some("dword"),
        "q" => Some("qword"),
        _ => None,
    }
}

fn reversed(name: impl Into<String>, size: Option<&'static str>) -> Option<Operation> {
    Some(Operation {
        name: name.into(),
        size,
        order: Order::Reversed,
    })
}

/// What a name in lower case means with these operands; `None` if it is no instruction.
pub(super) fn operation(word: &str, operands: &[&Operand<'_>]) -> Option<Operation> {
    if let Some(found) = of_strings(word, operands).or_else(|| widened(word, operands)) {
        return Some(found);
    }
    if let Some(name) = renamed(word) {
        return reversed(name, None).map(keeping);
    }
    match word {
        "ljmp" | "ljmpl" => return reversed("jmp", Some("fword")).map(keeping),
        "lcall" | "lcalll" => return reversed("call", Some("fword")).map(keeping),
        _ => {}
    }
    if let ("pushw" | "popw", [Operand::Memory(_)]) = (word, operands) {
        return reversed(word.trim_end_matches('w'), Some("word"));
    }
    if word.starts_with('f') {
        return floating(word, operands);
    }
    if known(word) {
        let size = match word {
            "cmpxchg8b" => Some("qword"),
            _ if word.starts_with("set") => Some("byte"),
            "push" | "pop" => Some("dword"),
            "movd" => Some("dword"),
            "nop" => None,
            _ if has_multimedia(operands) => Some("qword"),
            _ => None,
        };
        return reversed(word, size).map(keeping);
    }
    let (name, suffix) = word.split_at_checked(word.len().checked_sub(1)?)?;
    let size = of_suffix(suffix)?;
    let segment = operands.iter().any(|operand| match operand {
        Operand::Register(name) => select::register(name).is_some_and(iced_x86::Register::is_segment_register),
        _ => false,
    });
    let size = match name {
        "mov" if segment => "word",
        _ => size,
    };
    (known(name) && !name.starts_with('f')).then(|| reversed(name, Some(size)).map(keeping))?
}

fn known(name: &str) -> bool {
    select::instruction(name).is_some() || select::is_later(name)
}

/// The operation with the order that its name has.
fn keeping(operation: Operation) -> Operation {
    let order = match operation.name.as_str() {
        "enter" | "bound" => Order::Same,
        _ => Order::Reversed,
    };
    Operation { order, ..operation }
}

fn has_multimedia(operands: &[&Operand<'_>]) -> bool {
    operands
        .iter()
        .any(|operand| matches!(operand, Operand::Register(name) if name.starts_with("mm")))
}

/// A string instruction: without operands, or with the memory at ESI or EDI.
fn of_strings(word: &str, operands: &[&Operand<'_>]) -> Option<Operation> {
    let (name, size) = match STRINGS.iter().find(|name| **name == word) {
        Some(name) => (*name, None),
        None => {
            let (name, suffix) = word.split_at_checked(word.len().checked_sub(1)?)?;
            let name = STRINGS.iter().find(|known| **known == name)?;
            (*name, Some(of_suffix(suffix)?))
        }
    };
    let strings = |operand: &&&Operand<'_>| match operand {
        Operand::Memory(memory) => matches!(memory.base, Some("esi" | "edi")) && memory.index.is_none(),
        _ => false,
    };
    let found = operands.iter().filter(strings).count();
    let other = operands.len() - found;
    let is_string = match name {
        _ if operands.is_empty() => true,
        "movs" | "cmps" => found == 2,
        _ => found == 1 && other <= 1,
    };
    is_string.then(|| reversed(name, size))?
}

/// `movzbl` and its kin.
fn widened(word: &str, operands: &[&Operand<'_>]) -> Option<Operation> {
    let (name, sizes) = match word.strip_prefix("movz") {
        Some(sizes) => ("movzx", sizes),
        None => ("movsx", word.strip_prefix("movs")?),
    };
    let size = match sizes {
        "bw" | "bl" => "byte",
        "wl" => "word",
        "b" if operands.len() == 2 => "byte",
        "w" if operands.len() == 2 => "word",
        _ => return None,
    };
    reversed(name, Some(size))
}

/// An instruction of the floating-point unit. Subtractions and divisions whose destination is not the top of the stack
/// have each other's names, as in the first assembler for AT&T's Unix.
fn floating(word: &str, operands: &[&Operand<'_>]) -> Option<Operation> {
    let memory = operands.iter().any(|operand| matches!(operand, Operand::Memory(_)));
    if known(word) {
        let elsewhere = match operands {
            [] => true,
            [_] => word.ends_with('p'),
            [_, destination] => !matches!(destination, Operand::Register("st" | "st(0)")),
            _ => false,
        };
        let swapped = match word {
            "fsub" => "fsubr",
            "fsubr" => "fsub",
            "fdiv" => "fdivr",
            "fdivr" => "fdiv",
            "fsubp" => "fsubrp",
            "fsubrp" => "fsubp",
            "fdivp" => "fdivrp",
            "fdivrp" => "fdivp",
            other => other,
        };
        let size = (memory && OF_INTEGERS.contains(&word)).then_some("word");
        return reversed(if elsewhere && !memory { swapped } else { word }, size);
    }
    let integers = |name: &str| OF_INTEGERS.contains(&name);
    for suffix in ["ll", "q", "s", "l", "t"] {
        let Some(name) = word.strip_suffix(suffix).filter(|name| known(name)) else {
            continue;
        };
        let size = match (suffix, integers(name)) {
            ("s", true) => "word",
            ("s", false) | ("l", true) => "dword",
            ("l", false) | ("ll" | "q", true) => "qword",
            ("t", false) => "tbyte",
            _ => continue,
        };
        return reversed(name, Some(size));
    }
    None
}
