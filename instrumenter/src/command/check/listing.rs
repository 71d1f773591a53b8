//! A listing as text, in 80 columns: line, address, bytes, macro depth and source; then the symbols.

use crate::Assembly;
use crate::command::diagnostics::Lines;
use crate::diag::{Diagnostic, Severity, Span};
use crate::listing::{ListedLine, Listing, PlacedBytes};
use runtime::image::{Symbol, SymbolKind};
use runtime::report::escaped;
use std::collections::HashMap;
use std::io::{self, Write};

/// The columns of a line.
const WIDTH: usize = 80;
/// The bytes in one line.
const BYTES: usize = 6;
/// The columns in front of the source.
const BEFORE: usize = 40;
/// From this many equal bytes on, a line says how many there are.
const MANY: usize = 3 * BYTES;
/// Tabs of the source lead to multiples of this.
const TAB: usize = 8;

/// Writes the listing of the program in `name`, if it has one.
pub(super) fn write(name: &str, assembly: &Assembly, out: &mut dyn Write) -> io::Result<()> {
    let Some(listing) = &assembly.listing else {
        return Ok(());
    };
    writeln!(out, "{}", escaped(name))?;
    writeln!(out)?;
    writeln!(out, " line   address  bytes              depth  source")?;
    let mut messages = messages(&assembly.diagnostics);
    let mut lines = Lines::new(&assembly.files);
    let mut file = 0;
    for line in &listing.lines {
        if line.file != file {
            file = line.file;
            let name = assembly.files.get(file as usize).map_or("", |file| &file.name);
            writeln!(out, "{:BEFORE$}; {}", "", escaped(name))?;
        }
        write_line(line, &mut lines, out)?;
        if let Some(diagnostics) = messages.remove(&(line.file, line.line, line.depth)) {
            for diagnostic in diagnostics {
                write_message(diagnostic, out)?;
            }
        }
    }
    if listing.cut {
        writeln!(out)?;
        writeln!(out, "The lines that follow are left out: there are too many.")?;
    }
    write_symbols(listing, out)
}

/// The diagnostics by file, line and macro depth.
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

/// A line: its bytes and its text side by side, each over as many lines as it takes.
fn write_line(line: &ListedLine, lines: &mut Lines<'_>, out: &mut dyn Write) -> io::Result<()> {
    let span = Span {
        file: line.file,
        line: line.line,
        ..Span::default()
    };
    let text = line.text.as_deref().or_else(|| lines.line(span)).unwrap_or_default();
    let text = expanded(text.trim_end());
    let mut parts = folded(&text, WIDTH - BEFORE).into_iter();
    let mut rows = line.placed.iter().flat_map(rows);
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
        let (address, bytes) = row.unwrap_or_default();
        let columns = format!(
            "{number:>5}  {address:8}  {bytes:17}  {depth:>3} {}",
            part.unwrap_or_default()
        );
        writeln!(out, "{}", columns.trim_end())?;
        number.clear();
        depth = "";
    }
}

/// Bytes in rows of an address and a few bytes. Many equal bytes are one row.
fn rows(placed: &PlacedBytes) -> impl Iterator<Item = (String, String)> {
    let mut rest = placed.bytes.as_slice();
    let mut zeroes = placed.zeroes as usize;
    let mut address = placed.address;
    let mut empty = rest.is_empty() && zeroes == 0;
    std::iter::from_fn(move || {
        let (count, shown) = match rest.first() {
            Some(&first) => {
                let equal = rest.iter().take_while(|&&byte| byte == first).count();
                let count = if equal >= MANY { equal } else { rest.len().min(BYTES) };
                let (row, behind) = rest.split_at(count);
                rest = behind;
                (count, shown_bytes(row))
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
        let row = (format!("{address:08X}"), shown);
        address = address.wrapping_add(count as u32);
        Some(row)
    })
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

/// The user's symbols, and the external ones.
fn write_symbols(listing: &Listing, out: &mut dyn Write) -> io::Result<()> {
    if !listing.symbols.is_empty() || !listing.externals.is_empty() {
        writeln!(out)?;
        writeln!(out, "    value  size      symbol")?;
    }
    for symbol in &listing.symbols {
        let size = match symbol.kind {
            SymbolKind::Code => "code".to_owned(),
            SymbolKind::Constant => "number".to_owned(),
            SymbolKind::Data { .. } => symbol.size.to_string(),
        };
        write_symbol(&shown_value(symbol), &size, &symbol.name, out)?;
    }
    for name in &listing.externals {
        write_symbol("", "external", name, out)?;
    }
    writeln!(out)
}

fn shown_value(symbol: &Symbol) -> String {
    format!("{:08X}", symbol.value)
}

fn write_symbol(value: &str, size: &str, name: &str, out: &mut dyn Write) -> io::Result<()> {
    const BEFORE_NAME: usize = 21;
    let mut columns = format!(" {value:8}  {size:8}  ");
    for part in folded(&escaped(name), WIDTH - BEFORE_NAME) {
        writeln!(out, "{columns}{part}")?;
        columns = " ".repeat(BEFORE_NAME);
    }
    Ok(())
}

/// Escapes a line and expands its tabs.
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

/// A text in parts of at most `width` characters, broken at blanks where that is possible.
fn folded(text: &str, width: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        let Some((end, _)) = rest.char_indices().nth(width) else {
            parts.push(rest);
            return parts;
        };
        // A blank at the end of the part takes no column.
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
