//! Instructions and registers that no chip here has: one error for the text.

use super::intel::behind_prefixes;
use super::word::words;
use super::{Notation, att};
use crate::diag::{Fault, Span, fault};
use crate::select;
use std::ops::Range;

/// The fault of an instruction of later processors only, or of a register of theirs, unless `is_own` knows its name.
pub(super) fn unknown(
    line: &str,
    number: u32,
    part: Range<usize>,
    Notation { att, of_rustc, .. }: Notation,
    is_own: impl Fn(&str) -> bool,
) -> Option<Fault> {
    let (mnemonic, operands) = behind_prefixes(line, part);
    let word = line[mnemonic.clone()].to_ascii_lowercase();
    let known = select::instruction(&word).is_some() || select::is_later(&word) || att && att::is_instruction(&word);
    let bare = word.strip_suffix(['b', 'w', 'l', 'q', 's']).filter(|_| att);
    let foreign = !known && (select::is_foreign(&word) || bare.is_some_and(select::is_foreign));
    let is_register = |place: &Range<usize>| {
        let name = &line[place.clone()];
        line[..place.start].ends_with('%') == att && select::is_foreign_register(name) && !is_own(name)
    };
    let (place, what) = match foreign {
        true => (mnemonic, "an instruction"),
        false => (words(line, operands).into_iter().find(is_register)?, "a register"),
    };
    let span = Span::of(number, &place);
    let message = format!("`{}` is {what} of other processors", &line[place]);
    Some(fault(span, message).with_help(match of_rustc {
        true => {
            "compile it for a Pentium: `rustc --target i586-unknown-linux-gnu -C target-cpu=pentium -O --crate-type lib \
             --emit asm FILE.rs`, after `rustup target add i586-unknown-linux-gnu`"
        }
        false => {
            "compile it for a Pentium: `gcc -m32 -march=pentium -O2 -S FILE.c`, in Compiler Explorer with the options \
             `-m32 -march=pentium`"
        }
    }))
}
