//! Command lines of ml, masm, tasm and jwasm, as makefiles have them, in the words of `build` and `check`.
//!
//! Whether a line is one of these, the name says by which p5inst is called, or `P5INST_STYLE`; in `build` and `check`,
//! and in a line with `/c`, their options stand beside our own.

mod options;

use options::{Does, Found, find};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The most bytes of all files of arguments, and how deep they refer to others.
const MOST_OF_FILES: u64 = 1 << 20;
const DEEPEST: u32 = 8;

/// Whose command line it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Ml,
    Microsoft,
    Borland,
    Jwasm,
}

impl Style {
    fn named(name: &str) -> Option<Style> {
        Some(match name.to_ascii_lowercase().as_str() {
            "ml" => Style::Ml,
            "masm" => Style::Microsoft,
            "tasm" | "tasm32" | "tasmx" => Style::Borland,
            "jwasm" | "uasm" => Style::Jwasm,
            _ => return None,
        })
    }
}

/// What a command line asks for.
#[derive(Debug, Default)]
struct Asked {
    sources: Vec<String>,
    /// The names after the source that masm and tasm take: object, listing.
    after: Vec<String>,
    output: Option<String>,
    format: Option<&'static str>,
    each: bool,
    check: bool,
    lines: bool,
    upper: Option<bool>,
    listing: Option<String>,
    /// Words for our own command line.
    own: Vec<String>,
    idle: Vec<String>,
}

/// The line in the words of `build` or `check`, if it is one of another assembler; `say` is told of what has no effect.
pub(super) fn translated(line: Vec<OsString>, say: &mut dyn FnMut(&str)) -> Result<Vec<OsString>, String> {
    let called = line
        .first()
        .and_then(|name| Path::new(name).file_stem()?.to_str().map(str::to_owned));
    let by_name = called.as_deref().and_then(Style::named);
    let words: Option<Vec<String>> = line
        .iter()
        .skip(1)
        .map(|word| word.to_str().map(str::to_owned))
        .collect();
    let Some(words) = words else { return Ok(line) };
    let first = words.first().map_or("", String::as_str);
    let given = match std::env::var("P5INST_STYLE") {
        Ok(name) if !name.is_empty() => Some(
            Style::named(&name)
                .ok_or_else(|| format!("P5INST_STYLE is `{name}`; it is `ml`, `masm`, `tasm` or `jwasm`"))?,
        ),
        _ => None,
    };
    let beside = matches!(first, "build" | "check");
    let source = |word: &String| word.to_ascii_lowercase().ends_with(".asm");
    // CMake writes the options with dashes, as in `-c -Fo OBJECT SOURCE`.
    let dashes = |word: &String| word.starts_with("-Fo");
    let compiles = match words.iter().any(|word| word == "-c") && words.iter().any(dashes) {
        true => true,
        false => words.iter().any(|word| word == "/c"),
    };
    let compiles = compiles && words.iter().any(source);
    let style = match (by_name, given) {
        (Some(style), _) => style,
        (None, _) if beside => {
            let foreign = |word: &String| word.starts_with('@') || is_foreign(word);
            if !words.iter().any(foreign) {
                return Ok(line);
            }
            given.unwrap_or(Style::Ml)
        }
        (None, Some(style)) if !super::args::is_command(first) && !first.starts_with("--") => style,
        (None, None) if compiles => Style::Ml,
        _ => return Ok(line),
    };
    let mut words = expanded(&words, 0, &mut { MOST_OF_FILES })?;
    let mut asked = Asked::default();
    if beside {
        asked.check = words.remove(0) == "check";
    } else if matches!(
        words.first().map_or("", String::as_str),
        "" | "/?" | "-?" | "/help" | "/h"
    ) {
        return Ok(["p5inst", "build", "--help"].map(OsString::from).to_vec());
    }
    read(&words, style, beside, &mut asked)?;
    let checks = asked.check;
    let line = written(asked, style, beside, say)?;
    let command = if checks { "check" } else { "build" };
    let start = ["p5inst".to_owned(), command.to_owned()];
    Ok(start.into_iter().chain(line).map(OsString::from).collect())
}

/// Whether a word is an option of another assembler with a slash, and no file.
fn is_foreign(word: &str) -> bool {
    word.starts_with('/') && !word[1..].contains('/') && !Path::new(word).exists()
        || word.starts_with("/Fo")
        || word.starts_with("/I")
}

/// The words, with those of the files that `@file` names in its place.
fn expanded(words: &[String], depth: u32, left: &mut u64) -> Result<Vec<String>, String> {
    let mut all = Vec::with_capacity(words.len());
    for word in words {
        let Some(name) = word.strip_prefix('@').filter(|name| !name.is_empty()) else {
            all.push(word.clone());
            continue;
        };
        if depth >= DEEPEST {
            return Err(format!(
                "files of arguments refer to others deeper than {DEEPEST}, at `{word}`"
            ));
        }
        let problem = |why: String| format!("cannot read the arguments in `{name}`: {why}");
        let metadata = fs::metadata(name).map_err(|error| problem(error.to_string()))?;
        if !metadata.is_file() {
            return Err(problem("it is no regular file".to_owned()));
        }
        let mut text = String::new();
        let file = File::open(name).map_err(|error| problem(error.to_string()))?;
        let read = file.take(*left + 1).read_to_string(&mut text);
        *left = read
            .map_err(|error| problem(error.to_string()))
            .map(|read| left.checked_sub(read as u64))?
            .ok_or_else(|| problem(format!("these files have more than {MOST_OF_FILES} bytes in all")))?;
        all.extend(expanded(&split(&text), depth + 1, left)?);
    }
    Ok(all)
}

/// The words of a file of arguments, in which quotes keep blanks together.
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    for character in text.chars() {
        match character {
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            _ if character.is_whitespace() && !quoted => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

fn read(words: &[String], style: Style, beside: bool, asked: &mut Asked) -> Result<(), String> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word.eq_ignore_ascii_case("/link") || word.eq_ignore_ascii_case("-link") {
            asked.idle.extend(std::iter::once(word.clone()).chain(words.cloned()));
            return Ok(());
        }
        let slash = word.starts_with('/') && is_option(word);
        let dash = word.starts_with('-') && word.len() > 1 && !beside;
        if !slash && !dash {
            if beside && word.starts_with('-') {
                // Our own options, whose values clap knows.
                asked.own.push(word.clone());
                if matches!(
                    word.as_str(),
                    "-o" | "-I" | "-D" | "--format" | "--listing" | "--encode" | "--cpu" | "--cpl" | "--color"
                ) {
                    asked.own.extend(words.next().cloned());
                }
                continue;
            }
            name(word, style, asked);
            continue;
        }
        let Some(Found { does, value }) = find(&word[1..], style) else {
            let help = "`p5inst build --help` lists those that have a meaning here";
            return Err(format!("unknown option `{word}`; {help}"));
        };
        let mut value = value.to_owned();
        if does.takes_value() && value.is_empty() {
            value = words
                .next()
                .cloned()
                .ok_or_else(|| format!("`{word}` needs a value after it"))?;
        }
        perform(does, value, word, asked);
    }
    Ok(())
}

/// Whether a word with a slash is an option: not a path of a file.
fn is_option(word: &str) -> bool {
    let path = Path::new(word);
    !(path.is_file() || word.to_ascii_lowercase().ends_with(".asm"))
}

/// A name without a slash: a source, or with commas the names that follow it in the style of masm and tasm.
fn name(word: &str, style: Style, asked: &mut Asked) {
    if !matches!(style, Style::Microsoft | Style::Borland) {
        asked.sources.push(word.to_owned());
        return;
    }
    for (place, part) in word.trim_end_matches(';').split(',').enumerate() {
        // A comma at the start continues the last word.
        let continues = !asked.after.is_empty() || (place > 0 && !asked.sources.is_empty());
        match (continues || place > 0, part) {
            (false, "") => {}
            (false, part) => asked.sources.extend(part.split('+').map(with_ending)),
            (true, part) => asked.after.push(part.to_owned()),
        }
    }
}

/// A name of masm and tasm, which add `.asm` if there is no ending.
fn with_ending(name: &str) -> String {
    let path = Path::new(name);
    match path.extension() {
        None if !path.is_file() => path.with_extension("asm").display().to_string(),
        _ => name.to_owned(),
    }
}

fn perform(does: Does, value: String, word: &str, asked: &mut Asked) {
    match does {
        Does::Compile => asked.each = true,
        Does::Check => asked.check = true,
        Does::Format(format) => asked.format = Some(format),
        Does::Output | Does::Program => asked.output = Some(value),
        Does::Define => asked.own.extend(["-D".to_owned(), value]),
        Does::Include => {
            for folder in value.split(';').filter(|folder| !folder.is_empty()) {
                asked.own.extend(["-I".to_owned(), folder.to_owned()]);
            }
        }
        Does::Listing => asked.listing = Some(value),
        Does::Upper(upper) => asked.upper = Some(upper),
        Does::Case => {
            asked.upper = Some(false);
            asked.own.push("--by-case".to_owned());
        }
        Does::Lines => asked.lines = true,
        Does::Source => asked.sources.push(value),
        Does::Quiet => {}
        Does::Nothing => asked.idle.push(word.to_owned()),
    }
}

/// The words for our own command line.
fn written(asked: Asked, style: Style, beside: bool, say: &mut dyn FnMut(&str)) -> Result<Vec<String>, String> {
    let mut asked = asked;
    let mut after = asked.after.drain(..).collect::<Vec<_>>().into_iter();
    asked.output = asked.output.or(after.next().filter(|name| !name.is_empty()));
    if let Some(listing) = after
        .next()
        .filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("nul"))
    {
        asked.listing = Some(listing);
    }
    let mut line = std::mem::take(&mut asked.own);
    if matches!(style, Style::Ml | Style::Jwasm) && !line.iter().any(|word| word.starts_with("--encode")) {
        line.extend(["--encode".to_owned(), "masm".to_owned()]);
    }
    let objects = matches!(style, Style::Microsoft | Style::Borland | Style::Jwasm);
    let stem = asked
        .sources
        .first()
        .map(|name| PathBuf::from(Path::new(name).file_name().unwrap_or_default()));
    if let Some(listing) = asked.listing {
        let named = match (listing.as_str(), &stem) {
            ("", Some(stem)) => stem.with_extension("lst").display().to_string(),
            ("", None) => String::new(),
            (name, _) => with(name, "lst"),
        };
        line.extend(["--listing".to_owned(), named]);
    }
    if !asked.check {
        if asked.lines {
            line.push("--lines".to_owned());
        }
        let upper = asked
            .upper
            .unwrap_or(matches!(style, Style::Microsoft | Style::Borland));
        if upper {
            line.push("--upper".to_owned());
        }
        let has_output = line.iter().any(|word| word == "-o") || asked.output.is_some();
        let each = asked.each || (!beside && objects && !matches!(asked.format, Some("bin" | "exe")));
        if each {
            line.push("--each".to_owned());
        }
        let format = match (asked.format, each, objects) {
            (Some(format), ..) => Some(format),
            (None, true, true) => Some("omf"),
            (None, true, false) => Some("obj"),
            (None, false, _) if !beside && !has_output => Some("exe"),
            _ => None,
        };
        if let Some(format) = format {
            line.extend(["--format".to_owned(), format.to_owned()]);
        }
        if let Some(output) = asked.output {
            let ending = match format {
                Some("elf") => "o",
                Some(format @ ("bin" | "com" | "exe")) => format,
                _ => "obj",
            };
            line.extend([
                "-o".to_owned(),
                if beside && !each { output } else { with(&output, ending) },
            ]);
        } else if let (false, false, Some(stem)) = (each, has_output, stem) {
            let ending = format.unwrap_or("exe");
            line.extend(["-o".to_owned(), stem.with_extension(ending).display().to_string()]);
        }
    }
    if !asked.idle.is_empty() {
        say(&format!("without effect here: {}", asked.idle.join(" ")));
    }
    line.push("--".to_owned());
    line.extend(asked.sources);
    Ok(line)
}

/// A name with an ending, if it has none.
fn with(name: &str, ending: &str) -> String {
    match Path::new(name).extension() {
        None if !name.ends_with(['/', '\\']) => format!("{name}.{ending}"),
        _ => name.to_owned(),
    }
}
