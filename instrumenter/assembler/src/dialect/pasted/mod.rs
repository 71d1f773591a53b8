//! What compilers and disassemblers print, read as it is pasted: the assembly source that GCC, Clang and Compiler
//! Explorer write for GNU's assembler, in Intel's or in AT&T's syntax, the listing of Microsoft's compilers, and that
//! of `objdump -d`.
//!
//! The lines of such a text are made into lines of the MASM dialect before they are parsed: `detect` tells such a
//! text from others, `clean` finds the statements of a line, `found` their parts and names, `gnu` has source, `msvc`
//! the listing of Microsoft's compilers, `listing` has disassembly, `printed` the lengths of its instructions,
//! `relocated` where a linker puts addresses in, `cxx` the names of C++, `data` the directives for data, `section`
//! which section lines are in, `placed` which of them are data where no directive says so, `functions` the names of
//! functions, `intel` what is spelled otherwise within instructions in Intel syntax, `att` instructions in AT&T syntax,
//! `expression` numbers and names, `tree` the order of operators, `table` words that MASM has others for,
//! `position_independent` code that finds its data by its own address, `rust` what only Rust's compiler writes,
//! `respelled` single instructions for tools that change them, `macros` what stands for other statements or leaves some
//! out; each part of a line knows where it comes from.

mod att;
mod att_names;
mod att_operand;
mod clean;
mod cxx;
mod data;
mod detect;
mod expression;
mod found;
mod functions;
mod gnu;
mod intel;
mod labels;
mod listing;
mod macros;
mod msvc;
mod placed;
mod position_independent;
mod printed;
mod relocated;
mod respelled;
mod rust;
mod section;
mod table;
mod tree;
mod unknown;
mod word;

use super::Reach;
use super::foreign::Sign;
use crate::diag::{Fault, Span, fault};
use crate::lex::{Made, marked};
use crate::names::{NONE, Names};
use crate::program::Padding;
use crate::select;
use detect::{Detected, LOOKED_AT, detect};
use macros::Expanded;
pub(crate) use macros::Told;
pub use respelled::{Spelling, att_in_intel, intel_in_att};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Names of this notation that MASM gives a meaning.
pub(super) struct Taken<'a> {
    names: &'a mut Names,
    is_keyword: fn(&mut Names, &str) -> bool,
    /// The names of places in the text, of these.
    defined: HashSet<String>,
    /// The names that the text defines as numbers.
    constants: HashSet<String>,
    /// The values of those whose values are known where the text is read: the one given last, or of a name that is
    /// given several, before any of them, the first.
    values: HashMap<String, i64>,
    /// The names that repeated lines give other values, so that their values are not known.
    varying: HashSet<String>,
}

impl Taken<'_> {
    /// Whether a name has a meaning in MASM.
    fn is_word(&mut self, name: &str) -> bool {
        (self.is_keyword)(self.names, name) || select::register(name).is_some() || name.eq_ignore_ascii_case("eiz")
    }

    /// Notes a name that the text defines, or in AT&T syntax uses. In Intel syntax a register has no mark, and is none
    /// of them.
    fn define(&mut self, name: &str, att: bool) {
        let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let is_register = select::register(name).is_some();
        let meant = (self.is_keyword)(self.names, name) || select::instruction(name).is_some();
        if plain && (meant && !is_register || is_register && att) {
            self.defined.insert(name.to_owned());
        }
    }

    /// The value of a name, if it is known here.
    fn value(&self, name: &str) -> Option<i64> {
        self.values.get(name).copied()
    }

    /// Gives a name a value from here on; `None` if it has one that is not known.
    fn give(&mut self, name: &str, value: Option<i64>) {
        match value.filter(|_| !self.varying.contains(name)) {
            Some(value) => _ = self.values.insert(name.to_owned(), value),
            None => _ = self.values.remove(name),
        }
    }

    /// The name as MASM reads it, if it is to be written otherwise.
    fn spelled(&self, name: &str) -> Option<String> {
        match cxx::is_cxx(name) {
            true => Some(marked(name)),
            false => self.apart(name),
        }
    }

    /// A name that MASM gives a meaning, as one without it.
    fn apart(&self, name: &str) -> Option<String> {
        self.defined.contains(name).then(|| format!("<:{name}>"))
    }
}

/// A text as lines of the MASM dialect.
pub(crate) struct Pasted {
    pub(crate) lines: Vec<Made>,
    /// What pads its code.
    pub(crate) padding: Padding,
    /// Whether it is in the notation of compilers, rather than in that of MASM.
    pub(crate) of_compilers: bool,
    /// The names of its functions that it defines by labels.
    pub(crate) functions: Vec<String>,
    /// Why it cannot be assembled as it is.
    pub(crate) refused: Option<Told>,
    /// How it was read where that is open, and what of it does not run.
    pub(crate) warnings: Vec<Told>,
}

impl Pasted {
    fn padded_by(padding: Padding) -> Pasted {
        Pasted {
            lines: Vec::new(),
            padding,
            of_compilers: true,
            functions: Vec::new(),
            refused: None,
            warnings: Vec::new(),
        }
    }
}

/// What a text is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Among {
    /// A program of its own.
    Nothing,
    /// A program with objects, which may have names that it lacks.
    Objects,
    /// An object, or one of several modules, which may have names that it lacks.
    Modules,
}

/// How a text is to be read.
#[derive(Clone, Copy, Debug)]
struct Notation {
    /// Whether it is in AT&T syntax.
    att: bool,
    among: Among,
    /// Whether Rust's compiler wrote it.
    of_rustc: bool,
}

impl Notation {
    /// Whether it is to become an object.
    fn is_module(self) -> bool {
        self.among == Among::Modules
    }

    /// Whether it may leave names to others.
    fn leaves_names(self) -> bool {
        self.among != Among::Nothing
    }
}

/// Reads a text in such a notation; `None` if it is in another one. `own` has the signs of the MASM dialect,
/// `is_keyword` tells its words.
pub(super) fn pasted(
    text: &str,
    among: Among,
    own: &[Sign],
    reach: &mut dyn Reach,
    is_keyword: fn(&mut Names, &str) -> bool,
) -> Option<Pasted> {
    let text = &*rust::without_source(text);
    let seen = text.get(..text.floor_char_boundary(LOOKED_AT)).unwrap_or_default();
    if let Some(refused) = listed_by_gnu(seen) {
        return Some(Pasted {
            refused: Some((refused, NONE)),
            ..Pasted::padded_by(Padding::Moves)
        });
    }
    let module = among == Among::Modules;
    if msvc::is_msvc(seen) && !(module && msvc::is_module(seen)) {
        return Some(Pasted {
            lines: msvc::lines(text, module),
            ..Pasted::padded_by(Padding::Moves)
        });
    }
    let Detected {
        listing,
        att,
        style,
        warning,
    } = detect(text, own)?;
    let mut pasted = Pasted::padded_by(Padding::Leas);
    let mut lines = match listing {
        true => Vec::new(),
        false => clean::clean(text, style),
    };
    let mut expanded = Expanded::default();
    if macros::are_used(&lines) {
        match macros::expand(lines, style, reach) {
            Ok(found) => expanded = found,
            Err(refused) => {
                pasted.refused = Some(refused);
                return Some(pasted);
            }
        }
        lines = std::mem::take(&mut expanded.lines);
    }
    let mut taken = Taken {
        names: &mut reach.session().names,
        is_keyword,
        defined: HashSet::new(),
        constants: HashSet::new(),
        values: HashMap::new(),
        varying: HashSet::new(),
    };
    let notation = Notation {
        att,
        among,
        of_rustc: rust::is_of_rustc(text),
    };
    let mut warnings: Vec<Fault> = Vec::new();
    let read = match listing {
        true => match position_independent::of_listing(text) {
            Some(refused) => Err(refused),
            None => {
                pasted.functions = functions::of_listing(text);
                warnings.extend(listing::unrelocated(text));
                listing::lines(text, notation, &mut taken)
            }
        },
        false => {
            found::end(&mut lines);
            let left_out = rust::left_out(&lines).filter(|_| !module);
            if !module {
                warnings.extend(section::not_called(&lines));
            }
            pasted.functions = functions::of_source(&lines, notation);
            match left_out {
                Some(refused) => Err(refused),
                None => gnu::lines(&lines, notation, &mut taken, &mut warnings),
            }
        }
    };
    match read {
        Ok(lines) if expanded.is_empty() => pasted.lines = lines,
        Ok(lines) => pasted.lines = lines.iter().map(|line| expanded.made(line)).collect(),
        Err(refused) => pasted.refused = Some(expanded.told(refused)),
    }
    // What is told of the whole text has its own lines.
    pasted.warnings.extend(warning.map(|warning| (warning, NONE)));
    pasted
        .warnings
        .extend(warnings.into_iter().map(|one| expanded.told(one)));
    pasted.warnings.append(&mut expanded.warnings);
    Some(pasted)
}

/// The fault of a listing that GNU's assembler makes of a source, with numbers of lines, addresses and bytes.
fn listed_by_gnu(text: &str) -> Option<Fault> {
    let (number, line) = (1..).zip(text.lines()).find(|(_, line)| !line.trim().is_empty())?;
    let is_heading = line.trim_start_matches('\u{c}').starts_with("GAS LISTING ");
    is_heading.then(|| {
        fault(
            Span::of(number, &(0..line.len())),
            "a listing of GNU's assembler, which is not read",
        )
        .with_help("give the source that it lists, or what `objdump -d` or `objdump -dwr` prints of the object")
    })
}

/// The directives after which lines are not what they seem: what has them is left to GNU's assembler.
const NOT_READ: [&str; 4] = [".incbin", ".code16", ".code16gcc", ".code64"];

/// The fault of a directive that is not read.
fn refused(number: u32, line: &str, word: Range<usize>) -> Option<Fault> {
    let name = &line[word.clone()];
    NOT_READ.contains(&name).then(|| {
        let span = Span::of(number, &word);
        let message = format!("GNU assembler source with `{name}`, which is not supported");
        fault(span, message).with_help(
            "give the object that GNU's assembler makes of it: `gcc -m32 -g -c FILE.s`, then `p5inst DRIVER.asm \
             FILE.o`, where the driver calls it, or link a program and run that; or write the lines that it stands \
             for; what `objdump -dr -M intel FILE.o` prints is enough for code that uses no data",
        )
    })
}
