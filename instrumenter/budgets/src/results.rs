//! Budgets that require a result: what a register or data holds when the program ends.

use super::Wrong;
use p5_assembler::spelling::nearest;
use p5_image::{ElementKind, Image, SourceFile, Symbol, SymbolKind};
use p5_results::{Expected, Quantity, ResultOf, Scope};

/// The names of registers, each with the number of the whole one, its lowest bit, and the number of bits.
const REGISTERS: [(&str, u8, u8, u8); 24] = [
    ("eax", 0, 0, 32),
    ("ecx", 1, 0, 32),
    ("edx", 2, 0, 32),
    ("ebx", 3, 0, 32),
    ("esp", 4, 0, 32),
    ("ebp", 5, 0, 32),
    ("esi", 6, 0, 32),
    ("edi", 7, 0, 32),
    ("ax", 0, 0, 16),
    ("cx", 1, 0, 16),
    ("dx", 2, 0, 16),
    ("bx", 3, 0, 16),
    ("sp", 4, 0, 16),
    ("bp", 5, 0, 16),
    ("si", 6, 0, 16),
    ("di", 7, 0, 16),
    ("al", 0, 0, 8),
    ("cl", 1, 0, 8),
    ("dl", 2, 0, 8),
    ("bl", 3, 0, 8),
    ("ah", 0, 8, 8),
    ("ch", 1, 8, 8),
    ("dh", 2, 8, 8),
    ("bh", 3, 8, 8),
];

/// What is known of the data that may be a result.
#[derive(Clone, Copy)]
pub(crate) enum Known<'a> {
    /// The data of a program.
    Data(&'a Image),
    /// The names at the beginnings of the lines of these files, which are not a program yet.
    Named(&'a [SourceFile]),
}

/// The result `name` that is compared with `limit`; `None` if it names neither a register nor data of the program.
pub(crate) fn expected<'a>(name: &'a str, limit: &'a str, known: Known<'_>) -> Option<Result<Expected, Wrong<'a>>> {
    let of = match register(name) {
        Some(register) => register,
        None => match known.data(name)? {
            Ok(data) => data,
            Err((message, help)) => return Some(Err(Wrong::new(name, message, help))),
        },
    };
    Some(match number(limit) {
        Some(value) => Ok(Expected { of, value }),
        None => Err(Wrong::new(
            if limit.is_empty() { name } else { limit },
            "a result is compared with a whole number",
            format!("write for example `{name} == 150`, `{name} == -1` or `{name} == 0FFh`"),
        )),
    })
}

/// The data of the program with the most similar name.
pub(crate) fn similar<'a>(name: &str, known: Known<'a>) -> Option<&'a str> {
    match known {
        Known::Data(image) => nearest(name, numbers(image).map(|symbol| symbol.name.as_str())),
        Known::Named(_) => None,
    }
}

impl Known<'_> {
    fn data(self, name: &str) -> Option<Result<ResultOf, (String, String)>> {
        match self {
            Known::Data(image) => data(image, name),
            Known::Named(files) => begins_a_line(files, name).then(|| Ok(ResultOf::Data(name.to_owned()))),
        }
    }
}

/// Whether a line has `name` where data and labels have theirs.
fn begins_a_line(files: &[SourceFile], name: &str) -> bool {
    let mut first_words = files.iter().flat_map(|file| file.text.lines()).filter_map(|line| {
        let words = line.trim_start();
        words.split(|one: char| one.is_whitespace() || one == ':').next()
    });
    !name.is_empty() && first_words.any(|word| word.eq_ignore_ascii_case(name))
}

/// Whether it is the name of a register.
pub(crate) fn is_register(name: &str) -> bool {
    register(name).is_some()
}

fn register(name: &str) -> Option<ResultOf> {
    let known = REGISTERS.iter().find(|(known, ..)| known.eq_ignore_ascii_case(name));
    known.map(|&(name, number, shift, bits)| ResultOf::Register {
        name,
        number,
        shift,
        bits,
    })
}

fn numbers(image: &Image) -> impl Iterator<Item = &Symbol> {
    let symbols = image.symbols.iter();
    symbols.filter(|symbol| !symbol.library && matches!(symbol.kind, SymbolKind::Data { .. }))
}

/// The data with a name, in its spelling if several differ in case only; the error if it is not one number.
fn data(image: &Image, name: &str) -> Option<Result<ResultOf, (String, String)>> {
    let exact = numbers(image).find(|symbol| symbol.name == name);
    let symbol = exact.or_else(|| numbers(image).find(|symbol| symbol.name.eq_ignore_ascii_case(name)))?;
    let several = numbers(image)
        .filter(|other| other.name == symbol.name)
        .nth(1)
        .is_some();
    if several {
        return Some(Err((
            format!("`{}` is the name of several data", symbol.name),
            "give the one that the budget means a name of its own".to_owned(),
        )));
    }
    let SymbolKind::Data { element, kind } = symbol.kind else {
        return None;
    };
    let is_number = !matches!(kind, ElementKind::Structure(_) | ElementKind::Real);
    Some(match is_number && symbol.size == element && element <= 8 {
        true => Ok(ResultOf::Data(symbol.name.clone())),
        false => Err((
            format!("`{}` is not one whole number of at most 8 bytes", symbol.name),
            "compare such data in the program, and require the outcome, for example `mov ok,1` and `ok == 1`"
                .to_owned(),
        )),
    })
}

/// A whole number: decimal, or hexadecimal as `0FFh` or `0xFF`, with `_` between digits and a sign.
fn number(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits.trim_start()),
        None => (false, text),
    };
    let digits: String = digits.chars().filter(|&one| one != '_').collect();
    let digits = digits.to_ascii_lowercase();
    let (radix, digits) = match (digits.strip_prefix("0x"), digits.strip_suffix('h')) {
        (Some(digits), _) | (None, Some(digits)) => (16, digits),
        (None, None) => (10, &*digits),
    };
    let plain = digits.starts_with(|one: char| one.is_ascii_digit() || radix == 16 && text.contains(['x', 'X']));
    let value = u64::from_str_radix(digits, radix).ok().filter(|_| plain)?;
    Some(if negative { -i128::from(value) } else { value.into() })
}

/// The budgets in a comment.
pub(super) fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim)
}

/// Whether a budget requires what the program leaves, wherever it stands.
pub(super) fn is_result(part: &str, line: u32, known: Known<'_>) -> bool {
    super::parse(part, &Scope::Line(line), known)
        .is_ok_and(|parsed| parsed.result.is_some() || parsed.quantity == Quantity::TotalCycles)
}
