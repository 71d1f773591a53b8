//! A listing as text in 80 columns: line, address, bytes, macro depth and source; then the symbols.

use crate::command::diagnostics::Lines;
use p5_assembler::Assembly;
use p5_assembler::diag::{Diagnostic, Severity, Span};
use p5_assembler::listing::{ListedLine, Listing, PlacedBytes, Relocation};
use runtime::image::{Symbol, SymbolKind};
use runtime::report::escaped;
use std::collections::HashMap;
use std::io::{self, Write};

/// The width of a line, in columns.
const WIDTH: usize = 80;
/// The number of bytes in one line.
const BYTES: usize = 6;
/// The number of columns before the source.
const BEFORE: usize = 40;
/// The number of equal bytes from which on a line gives their number instead.
const MANY: usize = 3 * BYTES;
/// The distance of tab stops, in columns.
const TAB: usize = 8;

/// Writes the listing of the program in `name`, if it has one; `expand` shows each line of the library, and all bytes.
pub(crate) fn write(name: &str, assembly: &Assembly, expand: bool, out: &mut dyn Write) -> io::Result<()> {
    let Some(listing) = &assembly.listing else {
        return Ok(());
    };
    writeln!(out, "{}", escaped(name))?;
    writeln!(out)?;
    writeln!(out, " line   address  bytes              depth  source")?;
    let mut messages = messages(&assembly.diagnostics);
    let mut lines = Lines::new(&assembly.files);
    let file_name = |file: u32| assembly.files.get(file as usize).map_or("", |file| &file.name);
    let mut file = 0;
    let of_library = |line: &ListedLine| !expand && Some(line.file) == listing.library;
    for call in listing
        .lines
        .chunk_by(|one, other| of_library(one) && of_library(other))
    {
        let folded = call.first().is_some_and(of_library);
        if folded {
            write_call(call, file_name(call[0].file), out)?;
        }
        for line in call {
            if line.file != file && !folded {
                file = line.file;
                writeln!(out, "{:BEFORE$}; {}", "", escaped(file_name(file)))?;
            }
            if !folded {
                write_line(line, &mut lines, expand, out)?;
            }
            if let Some(diagnostics) = messages.remove(&(line.file, line.line, line.depth)) {
                for diagnostic in diagnostics {
                    write_message(diagnostic, out)?;
                }
            }
        }
    }
    if listing.cut {
        writeln!(out)?;
        writeln!(out, "The lines that follow are left out: there are too many.")?;
    }
    write_legend(listing, of_library, out)?;
    write_symbols(listing, out)
}

/// Writes a call of the library's macros as one row for each range of addresses.
fn write_call(call: &[ListedLine], library: &str, out: &mut dyn Write) -> io::Result<()> {
    let placed = call.iter().flat_map(|line| &line.placed);
    let mut ranges: Vec<(u32, u32, Option<u32>)> = placed
        .map(|placed| {
            let bytes = placed.bytes.len() as u32 + placed.zeroes;
            (placed.address, bytes, placed.frame)
        })
        .filter(|&(_, bytes, _)| bytes > 0)
        .collect();
    ranges.sort_unstable();
    let joined = ranges.chunk_by(|&(address, bytes, frame), &(next, _, of_next)| {
        frame == of_next && next.wrapping_sub(address.wrapping_add(bytes)) < 16
    });
    for range in joined {
        let (Some(&(first, _, frame)), Some(&(last, length, _))) = (range.first(), range.last()) else {
            continue;
        };
        let last = last.wrapping_add(length - 1);
        let bytes = last.wrapping_sub(first) + 1;
        let depth = call.first().map_or(1, |line| line.depth);
        let library = escaped(library);
        let (first, place) = (
            shown_address(first, frame),
            format!("to {}", shown_address(last, frame)),
        );
        writeln!(
            out,
            "       {first:9} {place:17}  {depth:>3}         ; {library}: {bytes} bytes"
        )?;
    }
    Ok(())
}

/// Writes the meaning of the marks after bytes, if there are any.
fn write_legend(listing: &Listing, hidden: impl Fn(&ListedLine) -> bool, out: &mut dyn Write) -> io::Result<()> {
    let shown = listing.lines.iter().filter(|line| !hidden(line));
    let marks: Vec<Relocation> = shown
        .flat_map(|line| &line.placed)
        .filter_map(|placed| placed.relocation)
        .collect();
    for (relocation, meaning) in [
        (Relocation::Relocated, "contains an address, which the linker adjusts"),
        (
            Relocation::External,
            "contains the address of an external symbol, which the linker adds",
        ),
    ] {
        if marks.contains(&relocation) {
            if relocation == Relocation::Relocated || !marks.contains(&Relocation::Relocated) {
                writeln!(out)?;
            }
            writeln!(out, " {}  {meaning}", mark(relocation))?;
        }
    }
    Ok(())
}

/// The mark after bytes that the linker completes.
fn mark(relocation: Relocation) -> char {
    match relocation {
        Relocation::Relocated => 'R',
        Relocation::External => 'E',
    }
}

fn messages(diagnostics: &[Diagnostic]) -> HashMap<(u32, u32, u32), Vec<&Diagnostic>> {
    let mut messages: HashMap<_, Vec<&Diagnostic>> = HashMap::new();
    for diagnostic in diagnostics {
        if let Some(span) = diagnostic.span {
            let place = (span.file, span.line, diagnostic.trail.len() as u32);
            messages.entry(place).or_default().push(diagnostic);
        }
    }
    messages
}

fn write_message(diagnostic: &Diagnostic, out: &mut dyn Write) -> io::Result<()> {
    let severity = match diagnostic.severity {
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let message = escaped(&format!("{severity}: {}", diagnostic.message));
    for part in folded(&message, WIDTH - BEFORE - 2) {
        writeln!(out, "{:BEFORE$}; {part}", "")?;
    }
    Ok(())
}

/// Writes a line: its bytes and its text side by side, each in as many rows as it needs.
fn write_line(line: &ListedLine, lines: &mut Lines<'_>, expand: bool, out: &mut dyn Write) -> io::Result<()> {
    let span = Span {
        file: line.file,
        line: line.line,
        ..Span::default()
    };
    let text = line.text.as_deref().or_else(|| lines.line(span)).unwrap_or_default();
    let text = expanded(text.trim_end());
    let mut parts = folded(&text, WIDTH - BEFORE).into_iter();
    let mut rows = line.placed.iter().flat_map(|placed| rows(placed, expand));
    let depth = if line.depth > 0 {
        line.depth.to_string()
    } else {
        String::new()
    };
    let mut number = line.line.to_string();
    let mut depth = depth.as_str();
    loop {
        let (row, part) = (rows.next(), parts.next());
        if row.is_none() && part.is_none() && number.is_empty() {
            return Ok(());
        }
        let Row { address, bytes, mark } = row.unwrap_or_default();
        let mark = mark.unwrap_or(' ');
        let columns = format!(
            "{number:>5}  {address:9} {bytes:17} {mark}{depth:>3} {}",
            part.unwrap_or_default()
        );
        writeln!(out, "{}", columns.trim_end())?;
        number.clear();
        depth = "";
    }
}

/// An address, some bytes and their mark.
#[derive(Default)]
struct Row {
    address: String,
    bytes: String,
    mark: Option<char>,
}

/// An address as its programmer knows it: linear in a flat program, or else the frame as a segment register has it, and
/// the offset.
fn shown_address(address: u32, frame: Option<u32>) -> String {
    match frame {
        None => format!("{address:08X}"),
        Some(frame) => format!("{:04X}:{:04X}", frame >> 4, address.wrapping_sub(frame)),
    }
}

/// Divides bytes into rows. Many equal bytes are one row, and so is long data unless `expand` is set.
fn rows(placed: &PlacedBytes, expand: bool) -> impl Iterator<Item = Row> {
    let mut rest = placed.bytes.as_slice();
    let mut zeroes = placed.zeroes as usize;
    let mut address = placed.address;
    let mut empty = rest.is_empty() && zeroes == 0;
    let mut mark = placed.relocation.map(mark);
    std::iter::from_fn(move || {
        let (count, shown) = match rest.first() {
            Some(&first) => {
                let equal = rest.iter().take_while(|&&byte| byte == first).count();
                let count = match rest.len() {
                    _ if equal >= MANY => equal,
                    all if all > MANY && !expand => all,
                    all => all.min(BYTES),
                };
                let (row, behind) = rest.split_at(count);
                rest = behind;
                let shown = if count > BYTES && equal < count {
                    first_bytes(row)
                } else {
                    shown_bytes(row)
                };
                (count, shown)
            }
            None if zeroes > 0 => {
                let count = if zeroes >= MANY { zeroes } else { zeroes.min(BYTES) };
                zeroes -= count;
                let row = [0; BYTES];
                (count, row.get(..count).map_or_else(|| many(0, count), shown_bytes))
            }
            None if empty => {
                empty = false;
                (0, String::new())
            }
            None => return None,
        };
        let row = Row {
            address: shown_address(address, placed.frame),
            bytes: shown,
            mark: mark.take(),
        };
        address = address.wrapping_add(count as u32);
        Some(row)
    })
}

/// The first bytes of a row, as many as fit, and the number of all.
fn first_bytes(row: &[u8]) -> String {
    const COLUMNS: usize = 17;
    let total = format!(".. {} bytes", row.len());
    let fit = COLUMNS.saturating_sub(total.len()) / 3;
    let shown: String = row.iter().take(fit).map(|byte| format!("{byte:02X} ")).collect();
    shown + &total
}

fn shown_bytes(row: &[u8]) -> String {
    match row.first() {
        Some(&first) if row.len() > BYTES => many(first, row.len()),
        _ => {
            let shown: Vec<String> = row.iter().map(|byte| format!("{byte:02X}")).collect();
            shown.join(" ")
        }
    }
}

fn many(byte: u8, count: usize) -> String {
    format!("{byte:02X} * {count}")
}

/// Writes the user's symbols and the external ones.
fn write_symbols(listing: &Listing, out: &mut dyn Write) -> io::Result<()> {
    if !listing.symbols.is_empty() || !listing.externals.is_empty() {
        writeln!(out)?;
        writeln!(out, "    value  size      symbol")?;
    }
    let frames = frames(listing);
    for symbol in &listing.symbols {
        let size = match symbol.kind {
            SymbolKind::Code => "code".to_owned(),
            SymbolKind::Constant => "number".to_owned(),
            SymbolKind::Data { .. } => symbol.size.to_string(),
        };
        write_symbol(&shown_value(symbol, &frames), &size, &symbol.name, out)?;
    }
    for name in &listing.externals {
        write_symbol("", "external", name, out)?;
    }
    writeln!(out)
}

/// The addresses of all bytes and labels with their frames, in ascending order.
fn frames(listing: &Listing) -> Vec<(u32, Option<u32>)> {
    let placed = listing.lines.iter().flat_map(|line| &line.placed);
    let mut frames: Vec<(u32, Option<u32>)> = placed.map(|placed| (placed.address, placed.frame)).collect();
    frames.sort_unstable();
    frames
}

/// The value of a constant, or the address of another symbol in the frame of the bytes there.
fn shown_value(symbol: &Symbol, frames: &[(u32, Option<u32>)]) -> String {
    let behind = frames.partition_point(|&(address, _)| address <= symbol.value);
    let frame = behind.checked_sub(1).and_then(|last| frames[last].1);
    shown_address(symbol.value, frame.filter(|_| symbol.kind != SymbolKind::Constant))
}

fn write_symbol(value: &str, size: &str, name: &str, out: &mut dyn Write) -> io::Result<()> {
    const BEFORE_NAME: usize = 21;
    let mut columns = format!(" {value:9} {size:8}  ");
    for part in folded(&escaped(name), WIDTH - BEFORE_NAME) {
        writeln!(out, "{columns}{part}")?;
        columns = " ".repeat(BEFORE_NAME);
    }
    Ok(())
}

fn expanded(line: &str) -> String {
    let mut text = String::new();
    let mut column = 0;
    for character in escaped(line).chars() {
        if character == '\t' {
            let blanks = TAB - column % TAB;
            text.extend(std::iter::repeat_n(' ', blanks));
            column += blanks;
        } else {
            text.push(character);
            column += 1;
        }
    }
    text
}

/// A text in parts of at most `width` characters, broken at blanks if possible.
fn folded(text: &str, width: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        let Some((end, _)) = rest.char_indices().nth(width) else {
            parts.push(rest);
            return parts;
        };
        // A blank at the end of a part needs no column.
        let fits = &rest[..end];
        let indented = fits.len() - fits.trim_start().len();
        let at = match fits.rfind(' ') {
            _ if rest[end..].starts_with(' ') => end,
            Some(blank) if blank > indented => blank,
            _ => end,
        };
        parts.push(rest[..at].trim_end());
        rest = rest[at..].trim_start();
    }
}
