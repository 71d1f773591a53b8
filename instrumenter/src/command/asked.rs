//! `--show`: the code that the name of a function or of a label stands for, or a line.

use p5_assembler::spelling::nearest;
use runtime::image::{Functions, Image, LineRow, Start, SymbolKind, asked, without_variant};
use runtime::machine::functions::called_in;
use runtime::report::escaped;
use runtime::run::{Asked, AskedBy};
use std::collections::BTreeSet;
use std::ops::Range;

/// The addresses that code in real mode reaches.
const REAL_MODE: u32 = 0x11_0000;

/// The most names that an error lists.
const LISTED: usize = 8;

/// The code of `image` that `text` asks for: `FUNCTION`, `FUNCTION+60h`, an address, `LINE` or `FILE:LINE`.
///
/// # Errors
/// One line: there is no such function, file or code, or several files have code at the line.
pub(super) fn asked(image: &Image, text: &str) -> Result<Asked, String> {
    let (by, code) = match line_of(text) {
        Some((file, line)) => of_line(image, text, file, line)?,
        None => (
            AskedBy::Name(text.to_owned()),
            of_address(image, text).map_or_else(|| of_name(image, text), |code| Ok(vec![code]))?,
        ),
    };
    Ok(Asked {
        by,
        code: joined(code),
        executed: false,
    })
}

/// The name of a file, if there is one, and a line.
fn line_of(text: &str) -> Option<(Option<&str>, u32)> {
    match text.rsplit_once(':') {
        Some((file, line)) if !file.is_empty() => Some((Some(file), line.parse().ok()?)),
        _ => Some((None, text.parse().ok()?)),
    }
}

/// Ranges in ascending order, without overlap.
fn joined(mut code: Vec<Range<u32>>) -> Vec<Range<u32>> {
    code.sort_by_key(|range| range.start);
    let mut apart: Vec<Range<u32>> = Vec::new();
    for range in code {
        match apart.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => apart.push(range),
        }
    }
    apart
}

/// The instruction at an address, `160h` or `0x160`, or at one so far after a name, as reports print it: `start+60h`.
fn of_address(image: &Image, text: &str) -> Option<Range<u32>> {
    let number = |text: &str| {
        let digits = text.strip_prefix("0x").or_else(|| text.strip_suffix(['h', 'H']))?;
        u32::from_str_radix(digits, 16).ok()
    };
    let address = match text.rsplit_once('+') {
        Some((name, behind)) => {
            let mut symbols = image.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Code);
            symbols
                .find(|symbol| symbol.name == name)?
                .value
                .checked_add(number(behind)?)?
        }
        None => match image.start {
            Start::Flat => number(text)?,
            Start::Real(start) => start.in_code(u16::try_from(number(text)?).ok()?),
        },
    };
    // A program may have moved or made the code that a report names by its distance from a label.
    let is_in_reach = matches!(image.start, Start::Real(_)) && address < REAL_MODE;
    let is_code = text.contains('+') && is_in_reach || !image.bytes_at(address).is_empty();
    is_code.then_some(address..address.checked_add(1)?)
}

/// The code of a function, with what a compiler copied of it into others, or the instruction at a label.
fn of_name(image: &Image, name: &str) -> Result<Vec<Range<u32>>, String> {
    // A function reaches to the next one, past the labels inside it.
    let standalone = image.standalone.functions.iter().map(|function| function.address);
    let begins: BTreeSet<u32> = standalone.chain(called_in(image)).collect();
    let functions = Functions::of(image, &begins.into_iter().collect::<Vec<_>>());
    let symbols = || {
        let code = |symbol: &&runtime::image::Symbol| symbol.kind == SymbolKind::Code && !symbol.library;
        image.symbols.iter().filter(code)
    };
    // A listing has the names of functions in angle brackets.
    let bare = name.strip_prefix('<').and_then(|name| name.strip_suffix('>'));
    let name = bare
        .filter(|_| !symbols().any(|symbol| symbol.name == name))
        .unwrap_or(name);
    let inlined = &image.inlined;
    let known = || {
        let local = image.local_labels.iter().map(|(_, name)| name.as_str());
        let copied = inlined.names.iter().map(String::as_str);
        let all = symbols().map(|symbol| symbol.name.as_str()).chain(local).chain(copied);
        // A function may have been executed as a variant of it alone.
        all.flat_map(|name| [name, without_variant(name)])
    };
    let meant = asked::meant(known(), name);
    let several = asked::apart(&meant);
    if several.len() > 1 {
        let names = several.into_iter().map(|name| format!("`{}`", escaped(name)));
        return Err(format!(
            "`--show {}`: several functions have that name; write {}",
            escaped(name),
            listed(names.collect())
        ));
    }
    let is_it = |known: &str| meant.contains(known) || meant.contains(without_variant(known));
    let mut code: Vec<Range<u32>> = Vec::new();
    for symbol in symbols().filter(|symbol| is_it(&symbol.name)) {
        let (number, around) = functions.around(symbol.value);
        let begins = number.is_some_and(|number| functions.0[number].address == symbol.value);
        code.push(if begins { around } else { symbol.value..symbol.value + 1 });
    }
    let local = image.local_labels.iter().filter(|(_, known)| is_it(known));
    code.extend(local.map(|(address, _)| *address..address.saturating_add(1)));
    // A call precedes those within it.
    let mut inside: Vec<bool> = Vec::with_capacity(inlined.calls.len());
    for (call, one) in (0..).zip(&inlined.calls) {
        let around = one.within.and_then(|around| inside.get(around as usize)).copied();
        inside.push(around == Some(true) || inlined.name(call).is_some_and(is_it));
    }
    let pieces = inlined.pieces.iter();
    let pieces = pieces.filter(|piece| inside.get(piece.call as usize) == Some(&true));
    code.extend(pieces.map(|piece| piece.start..piece.end));
    if code.is_empty() {
        if image
            .regions
            .iter()
            .any(|region| region.name.eq_ignore_ascii_case(name))
        {
            let name = escaped(name);
            return Err(format!(
                "`{name}` is a region, which every report shows: `--long` shows its lines, and with `--timeline` all of \
                 its clocks; a line of it shows the loop there"
            ));
        }
        // A C library has a name for nearly everything.
        let has_lines = |symbol: &&runtime::image::Symbol| image.line_at(symbol.value).is_some();
        let own = symbols().filter(has_lines).map(|symbol| symbol.name.as_str());
        let own = own.chain(inlined.names.iter().map(String::as_str));
        let words = instead(own, name).or_else(|| instead(known(), name));
        return Err(format!(
            "`--show` finds no function `{}`; {}",
            escaped(name),
            words.unwrap_or_else(|| "write the name of a function, a line, or FILE:LINE".to_owned())
        ));
    }
    Ok(code)
}

/// What to write instead of a name that none of the known ones is, if one is like it.
fn instead<'n>(known: impl Iterator<Item = &'n str> + Clone, name: &str) -> Option<String> {
    let plain: Vec<(String, &str)> = known.clone().map(|known| (asked::simple(known), known)).collect();
    let near = nearest(name, known.clone())
        .or_else(|| nearest(name, plain.iter().map(|(simple, _)| simple.as_str())))
        .and_then(|near| plain.iter().find(|(simple, known)| simple == near || *known == near));
    let mut all: Vec<&str> = near.map(|(_, known)| *known).into_iter().collect();
    let containing = asked::containing(known, name).into_iter();
    all.extend(containing.filter(|known| near.is_none_or(|(_, near)| near != known)));
    let names: Vec<String> = all.into_iter().map(|name| format!("`{}`", escaped(name))).collect();
    (!names.is_empty()).then(|| format!("did you mean {}?", listed(names)))
}

/// The code of a line: its own, and that of the macros that it calls.
fn of_line(image: &Image, text: &str, file: Option<&str>, line: u32) -> Result<(AskedBy, Vec<Range<u32>>), String> {
    let meant = |number: u32| match (file, image.files.get(number as usize)) {
        (Some(file), Some(known)) => is_file(&known.name, file),
        (given, _) => given.is_none(),
    };
    if let Some(file) = file.filter(|_| !(0..image.files.len() as u32).any(meant)) {
        let names = image
            .files
            .iter()
            .filter(|file| !file.text.is_empty())
            .map(|file| escaped(&file.name));
        return Err(format!(
            "`--show` finds no source `{}` of the program; it has {}",
            escaped(file),
            listed(names.collect())
        ));
    }
    let places = |row: &LineRow| [(row.file, row.line), image.outermost(row)];
    let rows = || image.lines.iter().filter(|row| !row.data);
    let mut code: Vec<(u32, Range<u32>)> = Vec::new();
    let mut near: BTreeSet<u32> = BTreeSet::new();
    for row in rows() {
        let mut places = places(&row)
            .into_iter()
            .filter(|(file, _)| meant(*file) && Some(*file) != image.library);
        let range = row.address..row.address.saturating_add(row.length);
        code.extend(
            places
                .clone()
                .find(|place| place.1 == line)
                .map(|(file, _)| (file, range)),
        );
        near.extend(places.next().map(|(_, line)| line));
    }
    let files: BTreeSet<u32> = code.iter().map(|(file, _)| *file).collect();
    // A line of a source is one of the file that was given, rather than of what it includes.
    let first = files
        .first()
        .copied()
        .filter(|first| files.len() == 1 || *first == 0 && image.process_stack().is_none());
    let Some(file) = first else {
        if files.is_empty() {
            let [before, behind] = [near.range(..line).next_back(), near.range(line..).next()];
            let lines: Vec<String> = before.into_iter().chain(behind).map(u32::to_string).collect();
            let nearest = match &lines[..] {
                [] => String::new(),
                [line] => format!("; the nearest line with code is {line}"),
                lines => format!("; the nearest lines with code are {}", lines.join(" and ")),
            };
            return Err(format!("`--show {}`: that line has no code{nearest}", escaped(text)));
        }
        let names = files.iter().filter_map(|&file| image.files.get(file as usize));
        let names = names.map(|file| format!("{}:{line}", escaped(&file.name)));
        return Err(format!(
            "`--show {}`: several files have code at that line; write {}",
            escaped(text),
            listed(names.collect())
        ));
    };
    let code = code.into_iter().filter(|(of, _)| *of == file).map(|(_, range)| range);
    Ok((AskedBy::Line { file, line }, code.collect()))
}

/// Whether the path `known` is, or ends with, the path `given`.
fn is_file(known: &str, given: &str) -> bool {
    let rest = known.strip_suffix(given.strip_prefix("./").unwrap_or(given));
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(['/', '\\']))
}

/// Names as alternatives.
fn listed(mut names: Vec<String>) -> String {
    if names.len() > LISTED {
        names.truncate(LISTED);
        names.push("others".to_owned());
    }
    match names.split_last() {
        None => "none".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} or {last}", before.join(", ")),
    }
}
