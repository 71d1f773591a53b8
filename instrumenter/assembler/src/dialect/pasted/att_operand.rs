//! Operands in AT&T syntax: `%eax`, `$1`, `*%eax`, `%gs:4(%eax,%ecx,2)`.

use super::cxx;
use super::word::character;
use crate::lex::marked_length;
use crate::select;
use std::ops::Range;

/// An operand; what is written in it stands at places of its line.
#[derive(Clone, Debug)]
pub(super) enum Operand<'l> {
    Register(&'l str),
    Immediate(Range<usize>),
    Memory(Memory<'l>),
    /// Behind an asterisk: where a branch finds its target.
    Indirect(Box<Operand<'l>>),
}

#[derive(Clone, Debug)]
pub(super) struct Memory<'l> {
    pub(super) segment: Option<&'l str>,
    pub(super) displacement: Range<usize>,
    pub(super) base: Option<&'l str>,
    pub(super) index: Option<&'l str>,
    pub(super) scale: &'l str,
}

impl Memory<'_> {
    /// Whether it is only an address.
    pub(super) fn is_plain(&self) -> bool {
        self.base.is_none() && self.index.is_none()
    }
}

/// The operands of an instruction, by their places: between commas outside parentheses and quotes.
pub(super) fn split(line: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    let bytes = line.as_bytes();
    let (mut start, mut depth, mut at, part_end) = (part.start, 0u32, part.start, part.end);
    let mut end = |start: usize, end: usize| {
        let text = line.get(start..end).unwrap_or_default();
        let begin = start + text.len() - text.trim_start().len();
        places.push(begin..begin + text.trim().len());
    };
    let (mut begins, mut may_be_long) = (true, true);
    while at < part.end {
        // A name of C++ may have commas outside parentheses.
        let begun = begins && !matches!(bytes[at], b' ' | b'\t' | b'*' | b'$');
        begins &= !begun;
        let name = match begun && may_be_long {
            true => cxx::of_att(line, at..part.end),
            false => Ok(None),
        };
        // Once for a line: what no name is may go up to its end.
        may_be_long &= name.is_ok();
        if let Ok(Some(name)) = name {
            at = name.end;
            continue;
        }
        let marked = marked_length(line.get(at..).unwrap_or_default());
        if marked > 0 {
            at += marked;
            continue;
        }
        match bytes[at] {
            b'\'' => {
                at += character(&line[at..part.end]).1;
                continue;
            }
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                end(start, at);
                start = at + 1;
                begins = true;
            }
            _ => {}
        }
        at += 1;
    }
    if !line.get(part).unwrap_or_default().trim().is_empty() {
        end(start, at.min(part_end));
    }
    places
}

/// The debug registers by their names in this syntax.
const DEBUG: [(&str, &str); 6] = [
    ("db0", "dr0"),
    ("db1", "dr1"),
    ("db2", "dr2"),
    ("db3", "dr3"),
    ("db6", "dr6"),
    ("db7", "dr7"),
];

/// The name of a register after its mark, as MASM has it.
fn register(text: &str) -> Option<&str> {
    let name = text.trim().strip_prefix('%')?.trim();
    if let Some((_, known)) = DEBUG.iter().find(|(other, _)| *other == name) {
        return Some(known);
    }
    let known = select::register(name).is_some() || name.starts_with("st(") && name.ends_with(')');
    known.then_some(name)
}

/// The operand in a part of a line; `None` if it is none.
pub(super) fn operand(line: &str, part: Range<usize>) -> Option<Operand<'_>> {
    match line.get(part.clone())?.strip_prefix('*') {
        Some(rest) => {
            let start = part.end - rest.trim_start().len();
            Some(Operand::Indirect(Box::new(direct(line, start..part.end)?)))
        }
        None => direct(line, part),
    }
}

/// An operand without an asterisk.
fn direct(line: &str, part: Range<usize>) -> Option<Operand<'_>> {
    let text = line.get(part.clone()).filter(|text| !text.starts_with('*'))?;
    if text.starts_with('$') {
        return Some(Operand::Immediate(part.start + 1..part.end));
    }
    if let Some(name) = register(text) {
        return Some(Operand::Register(name));
    }
    let mut segment = None;
    let mut start = part.start;
    if text.starts_with('%') {
        let (name, rest) = text.split_once(':')?;
        segment = Some(register(name)?);
        start = part.end - rest.len();
    }
    let text = line.get(start..part.end)?;
    let registers = text.rfind('(').filter(|open| {
        let inside = text[open + 1..].trim_start();
        text.ends_with(')') && inside.starts_with(['%', ','])
    });
    let Some(open) = registers else {
        return (!text.is_empty()).then_some(Operand::Memory(Memory {
            segment,
            displacement: start..part.end,
            base: None,
            index: None,
            scale: "1",
        }));
    };
    let mut inside = text[open + 1..text.len() - 1].split(',').map(str::trim);
    fn named(text: &str) -> Option<Option<&str>> {
        match text {
            "" => Some(None),
            text => register(text).map(Some),
        }
    }
    let pseudo = |text: &str| matches!(text, "%eiz" | "%riz");
    let base = named(inside.next()?)?;
    let index = match inside.next() {
        Some(text) if pseudo(text) => None,
        Some(text) => named(text)?,
        None => None,
    };
    // A port, which no address is.
    if base == Some("dx") && index.is_none() && open == 0 {
        return Some(Operand::Register("dx"));
    }
    let scale = inside.next().filter(|scale| !scale.is_empty()).unwrap_or("1");
    Some(Operand::Memory(Memory {
        segment,
        displacement: start..start + open,
        base,
        index,
        scale,
    }))
}

#[cfg(test)]
mod tests {
    use super::{Memory, Operand, operand, split};

    #[test]
    fn operands_are_between_commas_outside_parentheses() {
        let line = "movl %gs:-4(%eax,%ecx,2), $',, *8(,%edx,4)";
        let parts: Vec<&str> = split(line, 5..line.len()).into_iter().map(|part| &line[part]).collect();
        assert_eq!(parts, ["%gs:-4(%eax,%ecx,2)", "$',", "*8(,%edx,4)"]);
        let Some(Operand::Memory(Memory {
            segment: Some("gs"),
            displacement,
            base: Some("eax"),
            index: Some("ecx"),
            scale: "2",
        })) = operand(line, 5..24)
        else {
            panic!("{:?}", operand(line, 5..24));
        };
        assert_eq!(&line[displacement], "-4");
        assert!(operand("%eaz", 0..4).is_none());
        assert!(operand("*%eax", 0..5).is_some() && operand("**%eax", 0..6).is_none());
    }
}
