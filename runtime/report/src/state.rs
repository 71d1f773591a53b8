//! The final state of a program: the registers and the data that its last run changed.

use super::phrases::counted;
use super::{Detail, Style, floating_point, heading, lines, paragraph, printable};
use p5_image::ElementKind;
use p5_results::{Change, MemoryPart, RegisterSet, Run, Screen, StopReason, SymbolValue};
use p5_words::flags::NAMED;
use p5_words::fpu::Extended;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::ops::Range;

const STACK_POINTER: usize = 4;
/// The names of the segment registers, by their numbers.
pub(super) const SELECTORS: [&str; 6] = ["es", "cs", "ss", "ds", "fs", "gs"];
/// CS changes with the code that the run ended in, and is told there.
const OF_CODE: usize = 1;
/// The customary order of the registers.
const SHOWN: [usize; 8] = [0, 3, 1, 2, 6, 7, 5, 4];

/// A register with this number or more below zero is shown in decimal, too: others are addresses, or bits.
const PLAINLY_NEGATIVE: i32 = -65_536;

/// The maximum number of changed symbols in a short report.
const SYMBOLS: usize = 8;
/// The maximum number of ranges of memory without a name in a short report.
const RANGES: usize = 4;

/// The changes of the last run in words.
pub(super) struct Changed {
    pub(super) registers: Vec<String>,
    pub(super) floating: Vec<String>,
    pub(super) screen: Option<String>,
    pub(super) symbols: Vec<String>,
    /// The ranges of memory without a name.
    pub(super) other_memory: Vec<String>,
    /// The number of the first symbols that a source declares.
    declared: usize,
    /// Whether it shows only the first of its elements, and a longer report lists them all.
    unlisted: bool,
}

impl Changed {
    /// The changes of `run`; lines on the floating-point unit are at most `width` columns wide.
    pub(super) fn of(run: &Run, detail: Detail, width: usize) -> Changed {
        let [before, after] = run.registers;
        // A return pops its address.
        let returned =
            run.stop.reason == StopReason::Return && after[STACK_POINTER] == before[STACK_POINTER].wrapping_add(4);
        let changed = SHOWN
            .into_iter()
            .filter(|&index| before[index] != after[index] && !(returned && index == STACK_POINTER));
        let registers = changed.map(|index| {
            let value = after[index];
            let plain = (PLAINLY_NEGATIVE..0).contains(&(value as i32));
            let negative = if plain {
                format!(" ({})", value as i32)
            } else {
                String::new()
            };
            format!("{} {value:08X}h{negative}", RegisterSet::GENERAL_NAMES[index])
        });
        let registers = registers.chain(changed_selectors(run)).chain(changed_flags(run.flags));
        // Of several names at an address, the first one among those with the most bytes is enough.
        let own = || run.symbols.iter().filter(|symbol| !symbol.library);
        let mut largest: HashMap<u32, u32> = HashMap::new();
        for symbol in own().filter(|symbol| symbol.changed.is_some()) {
            let size = largest.entry(symbol.address).or_default();
            *size = symbol.size.max(*size);
        }
        // What a source declares stands before what only has a name, as the data of a linked library does.
        let typed = |typed| own().filter(move |symbol| symbol.typed == typed);
        let (mut unlisted, mut declared) = (false, 0);
        let of_text = defined_by_text(run);
        let symbols = typed(true).chain(typed(false)).filter_map(|symbol| {
            let change = symbol.changed.as_ref()?;
            let first = largest.get(&symbol.address) == Some(&symbol.size);
            first.then(|| largest.remove(&symbol.address));
            first.then(|| {
                declared += usize::from(symbol.typed);
                let now = now(symbol, change, detail, &of_text);
                unlisted |= now.is_none() && change.elements > 1 && !change.now.is_empty();
                told(run, symbol, change) + &now.unwrap_or_default()
            })
        });
        let symbols = symbols.collect();
        Changed {
            registers: registers.collect(),
            screen: run.screen.as_ref().map(screen),
            other_memory: other_memory(run),
            symbols,
            declared,
            unlisted,
            floating: match &run.floating_point {
                Some(unit) if detail == Detail::Short => floating_point::short_lines(unit, width),
                Some(unit) => floating_point::lines(unit, width),
                None => Vec::new(),
            },
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.registers.is_empty()
            && self.symbols.is_empty()
            && self.floating.is_empty()
            && self.screen.is_none()
            && self.other_memory.is_empty()
    }
}

pub(super) fn write(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let width = style.width.saturating_sub(2);
    let changed = Changed::of(run, style.detail, width);
    if changed.is_empty() {
        return Ok(());
    }
    let Changed {
        registers,
        floating,
        screen,
        other_memory,
        symbols,
        declared,
        unlisted,
    } = changed;
    let most = match style.detail {
        Detail::Short if is_compiled(run) => declared.min(SYMBOLS),
        Detail::Short => SYMBOLS,
        Detail::Long | Detail::All => usize::MAX,
    };
    heading(style, "Changed", out)?;
    if !registers.is_empty() {
        // Each line holds as many as fit, without a break between a name and its value.
        let mut lines: Vec<String> = Vec::new();
        for register in &registers {
            match lines.last_mut().filter(|line| line.len() + 2 + register.len() <= width) {
                Some(line) => *line += &format!("  {register}"),
                None => lines.push(register.clone()),
            }
        }
        for line in lines {
            writeln!(out, "  {line}")?;
        }
    }
    for line in &floating {
        writeln!(out, "  {line}")?;
    }
    if let Some(screen) = &screen {
        paragraph(style, screen, out)?;
    }
    // A heap has what only a library knows, too.
    let ranges = match style.detail {
        Detail::Short if is_compiled(run) => 0,
        Detail::Short => RANGES,
        Detail::Long | Detail::All => usize::MAX,
    };
    for range in other_memory.iter().take(ranges) {
        paragraph(style, range, out)?;
    }
    let left = other_memory.len().saturating_sub(ranges);
    if left > 0 && ranges > 0 {
        let words = format!(
            "and {} of memory without a name; `--long` lists all",
            counted(left as u64, "range")
        );
        paragraph(style, &words, out)?;
    }
    for symbol in symbols.iter().take(most) {
        paragraph(style, symbol, out)?;
    }
    let left = symbols.len().saturating_sub(most);
    if left > 0 {
        let words = match left < symbols.len() {
            true => format!("and {left} more symbols; `--long` lists all"),
            false => format!("{} of libraries; `--long` lists them", counted(left as u64, "symbol")),
        };
        paragraph(style, &words, out)?;
    } else if unlisted {
        paragraph(style, "`--long` lists the elements", out)?;
    }
    Ok(())
}

/// Whether a program has sources that declare all of their own data: what they do not declare belongs to libraries.
/// Of assembly source, tools tell names without declarations.
fn is_compiled(run: &Run) -> bool {
    let mut files = 0..run.files.len() as u32;
    !run.files.is_empty() && !files.any(|file| lines::is_assembly(run, file))
}

/// The words for each range of memory without a name.
fn other_memory(run: &Run) -> Vec<String> {
    let all = run.other_memory.iter().flatten();
    let words = all.map(|one| {
        let place = place(one.first, one.last, one.part != MemoryPart::Flat);
        format!("no name: {} changed at {place}", counted(one.bytes.into(), "byte"))
    });
    words.collect()
}

/// The addresses of a range of memory in words; in real mode with the segment of 64 KiB, or that of text.
pub(super) fn place(first: u32, last: u32, real: bool) -> String {
    let [from, to] = [first, last].map(|address| match address {
        0xB_8000..=0xB_FFFF if real => format!("B800:{:04X}h", address - 0xB_8000),
        ..=0xF_FFFF if real => format!("{:04X}:{:04X}h", (address & 0xF_0000) >> 4, address & 0xFFFF),
        _ => format!("{address:08X}h"),
    });
    if from == to { from } else { format!("{from} to {to}") }
}

/// The words for the memory of a screen.
fn screen(screen: &Screen) -> String {
    let Range { start, end } = Screen::ADDRESSES;
    format!(
        "screen: {} of {start:X}h to {:X}h changed, the first at A000:{:04X}h",
        counted(screen.bytes.into(), "byte"),
        end - 1,
        screen.first
    )
}

/// The segment registers that the run has changed, but CS.
fn changed_selectors(run: &Run) -> impl Iterator<Item = String> {
    let [before, after] = run.selectors;
    let data = (0..SELECTORS.len()).filter(|&number| number != OF_CODE);
    let changed = data.filter(move |&number| before[number] != after[number]);
    changed.map(move |number| format!("{} {:04X}h", SELECTORS[number], after[number]))
}

/// The flags that are set, if the run has changed any.
fn changed_flags([before, after]: [u32; 2]) -> Option<String> {
    let of = |flags: u32| NAMED.iter().filter(move |(_, bit)| flags & bit != 0);
    if of(before).eq(of(after)) {
        return None;
    }
    let set: Vec<&str> = of(after).map(|&(name, _)| name).collect();
    Some(match set[..] {
        [] => "no flag set".to_owned(),
        _ => format!("flags {}", set.join(" ")),
    })
}

fn told(run: &Run, symbol: &SymbolValue, change: &Change) -> String {
    let name = printable::printable(&symbol.name);
    let elements = symbol.size / symbol.element.max(1);
    let field = change.field.as_ref();
    // An array of arrays has rows, of which each place has only an index.
    let in_row = field.is_some_and(|field| field.name.starts_with('['));
    let others = match field.is_some_and(|field| field.others) {
        true if in_row => "; others of this row changed, too",
        true => "; other fields changed, too",
        false => "",
    };
    let values = |place: String| {
        let place = place + &field.map_or_else(String::new, |field| printable::printable(&field.name));
        match change.values {
            Some(values) => {
                let kind = field.map_or(symbol.kind, |field| field.kind);
                let shown = |value: u128, name: &Option<String>| {
                    let printed = printed(symbol, change, value);
                    match name {
                        Some(name) => format!("{} ({printed})", printable::printable(name)),
                        None => printed,
                    }
                };
                let [was, is] = &change.names;
                let (before, after) = (shown(values[0], was), shown(values[1], is));
                let bits = match (kind, values[1]) {
                    (ElementKind::Real | ElementKind::Address | ElementKind::Boolean, _) | (_, 0..=9) => String::new(),
                    (ElementKind::Enumeration { .. }, _) if is.is_some() => String::new(),
                    // A dword of assembly source has a sign or none, as the code takes it; below this are addresses.
                    (ElementKind::Unsigned, bits @ 0xC000_0000..=0xFFFF_FFFF) if signless(run, symbol, change) => {
                        format!(" ({}, {bits:X}h)", bits as u32 as i32)
                    }
                    (_, bits) => format!(" ({bits:X}h)"),
                };
                format!("{place} = {after}{bits}, was {before}{others}")
            }
            None => format!("{place} changed{others}"),
        }
    };
    if elements <= 1 {
        return values(name);
    }
    values(format!(
        "{name}: {} of {elements} changed; {name}[{}]",
        counted(u64::from(change.elements), if in_row { "row" } else { "element" }),
        change.first
    ))
}

/// Whether nothing says if a value has a sign: it is a dword of assembly source.
fn signless(run: &Run, symbol: &SymbolValue, change: &Change) -> bool {
    let bytes = change.field.as_ref().map_or(symbol.element, |field| field.element);
    bytes == 4 && lines::is_assembly(run, 0)
}

/// The longest list of numbers in a short report, in characters.
const LISTED: usize = 40;
/// The longest text of an array, in characters, in a short report and in a long one.
const SHOWN_TEXT: usize = 64;
const WHOLE_TEXT: usize = 1024;

/// The elements of an array after the run: bytes as text if they are text, otherwise numbers; in a short report only a
/// few, and only if several have changed.
fn now(symbol: &SymbolValue, change: &Change, detail: Detail, of_text: &HashSet<String>) -> Option<String> {
    if detail == Detail::Short && change.elements < 2 {
        return None;
    }
    let is_text = |text: &String| has_words(text) || of_text.contains(&symbol.name.to_ascii_lowercase());
    if let Some(text) = text(symbol, change).filter(is_text) {
        let most = if detail == Detail::Short {
            SHOWN_TEXT
        } else {
            WHOLE_TEXT
        };
        return Some(format!("; now '{}'", printable::cut(&text, most)));
    }
    let elements = change.now.iter().map(|&bits| printed(symbol, change, bits));
    let listed = elements.collect::<Vec<_>>().join(", ");
    let all = (symbol.size / symbol.element.max(1)) as usize;
    let more = match all > change.now.len() {
        true => format!(", and {} more", all - change.now.len()),
        false => String::new(),
    };
    let shown = !listed.is_empty() && (detail != Detail::Short || more.is_empty() && listed.len() <= LISTED);
    shown.then(|| format!("; now {listed}{more}"))
}

/// What bytes say up to a zero, a `$` or the end, if they are two or more printable characters.
fn text(symbol: &SymbolValue, change: &Change) -> Option<String> {
    if symbol.element != 1 {
        return None;
    }
    let characters: Option<String> = change
        .now
        .iter()
        .map_while(|&byte| (byte != 0 && byte != u128::from(b'$')).then_some(byte))
        .map(|byte| match byte {
            0x20..=0x7E => Some(char::from(byte as u8)),
            _ => None,
        })
        .collect();
    characters.filter(|text| text.len() >= 2)
}

/// Whether two thirds of it are letters, digits and spaces. Small numbers in a table are signs as well.
fn has_words(text: &str) -> bool {
    let of_words = |letter: &char| letter.is_ascii_alphanumeric() || *letter == ' ';
    3 * text.chars().filter(of_words).count() >= 2 * text.len()
}

/// The first words, in lower case, of those lines of the sources that hold text. They include the names of what is
/// defined there.
fn defined_by_text(run: &Run) -> HashSet<String> {
    let lines = run.files.iter().flat_map(|file| file.text.lines());
    let of_text = lines.filter_map(|line| {
        let code = line.split(';').next().filter(|code| code.contains(['\'', '"']))?;
        let word = code.split_whitespace().next()?;
        Some(word.trim_end_matches(':').to_ascii_lowercase())
    });
    of_text.collect()
}

/// The value of the first changed element of `symbol`, in decimal.
pub(super) fn printed(symbol: &SymbolValue, change: &Change, bits: u128) -> String {
    let field = change.field.as_ref().map(|field| (field.kind, field.element));
    let (kind, element) = field.unwrap_or((symbol.kind, symbol.element));
    in_decimal(kind, element, bits)
}

/// An element of this kind and of this many bytes, in decimal; an address in hexadecimal, and what
/// can be printed of characters as such.
pub(super) fn in_decimal(kind: ElementKind, element: u32, bits: u128) -> String {
    match (kind, element) {
        (ElementKind::Real, 4) => format!("{:?}", f32::from_bits(bits as u32)),
        (ElementKind::Real, 8) => format!("{:?}", f64::from_bits(bits as u64)),
        (ElementKind::Real, 10) => floating_point::described(Extended::new((bits >> 64) as u16, bits as u64)),
        (ElementKind::Address, _) => format!("{bits:08X}h"),
        (ElementKind::Boolean, 1) if bits <= 1 => (bits == 1).to_string(),
        (ElementKind::Character, 1) if (0x20..0x7F).contains(&bits) => format!("'{}'", char::from(bits as u8)),
        (kind, bytes @ 1..=8) if kind.is_signed() => {
            let unused = u128::BITS - 8 * bytes;
            ((bits << unused) as i128 >> unused).to_string()
        }
        _ => bits.to_string(),
    }
}
