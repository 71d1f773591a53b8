//! The options of other assemblers, and what each does here.

use super::Style;

/// What an option does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    /// Write one object for each source.
    Compile,
    /// Write nothing.
    Check,
    Format(&'static str),
    /// Name the object, or the program.
    Output,
    Program,
    Define,
    Include,
    Listing,
    /// Whether names in objects are written in capitals.
    Upper(bool),
    /// Tell names apart by case.
    Case,
    /// Say in objects which line each instruction comes from.
    Lines,
    /// Name a source.
    Source,
    /// What it asks for is so anyway.
    Quiet,
    /// It has no meaning here.
    Nothing,
}

impl Does {
    pub(super) fn takes_value(self) -> bool {
        matches!(
            self,
            Does::Output | Does::Program | Does::Define | Does::Include | Does::Source
        )
    }
}

/// An option, and the value that is attached to it.
pub(super) struct Found<'w> {
    pub(super) does: Does,
    pub(super) value: &'w str,
}

/// How an option is spelled: whole, or with something attached.
enum Spelled {
    Whole,
    Attached,
}
use Spelled::{Attached, Whole};

/// The options of ml and jwasm, in which capitals matter; longer ones stand before those that begin them.
const ML: &[(&str, Spelled, Does)] = &[
    ("coff", Whole, Does::Format("coff")),
    ("omf", Whole, Does::Format("omf")),
    ("elf", Whole, Does::Format("elf")),
    ("bin", Whole, Does::Format("bin")),
    ("mz", Whole, Does::Format("exe")),
    ("AT", Whole, Does::Format("com")),
    ("c", Whole, Does::Compile),
    ("Zs", Whole, Does::Check),
    ("Cp", Whole, Does::Case),
    ("Cx", Whole, Does::Upper(false)),
    ("Cu", Whole, Does::Upper(true)),
    ("Fo", Attached, Does::Output),
    ("Fe", Attached, Does::Program),
    ("Fl", Attached, Does::Listing),
    ("Fm", Attached, Does::Nothing),
    ("FR", Attached, Does::Nothing),
    ("Fr", Attached, Does::Nothing),
    ("Fpi", Whole, Does::Nothing),
    ("Fpi87", Whole, Does::Quiet),
    ("nologo", Whole, Does::Quiet),
    ("Ta", Attached, Does::Source),
    ("D", Attached, Does::Define),
    ("I", Attached, Does::Include),
    ("WX", Whole, Does::Nothing),
    ("W", Attached, Does::Nothing),
    ("w", Whole, Does::Nothing),
    ("X", Whole, Does::Nothing),
    ("Zi", Whole, Does::Lines),
    ("Zd", Whole, Does::Lines),
    ("Zf", Whole, Does::Nothing),
    ("Zm", Whole, Does::Quiet),
    ("Zp", Attached, Does::Nothing),
    ("safeseh", Whole, Does::Nothing),
    ("errorReport", Attached, Does::Nothing),
    ("quiet", Whole, Does::Quiet),
    ("q", Whole, Does::Quiet),
    ("EP", Whole, Does::Nothing),
    ("Bl", Attached, Does::Nothing),
    ("Gc", Whole, Does::Nothing),
    ("Gd", Whole, Does::Nothing),
    ("Gz", Whole, Does::Nothing),
    ("H", Attached, Does::Nothing),
    ("Sa", Whole, Does::Nothing),
    ("Sc", Whole, Does::Nothing),
    ("Sf", Whole, Does::Nothing),
    ("Sg", Whole, Does::Nothing),
    ("Sl", Attached, Does::Nothing),
    ("Sn", Whole, Does::Nothing),
    ("Sp", Attached, Does::Nothing),
    ("Ss", Attached, Does::Nothing),
    ("St", Attached, Does::Nothing),
    ("Sx", Whole, Does::Nothing),
];

/// The options of tasm and masm, in which capitals do not matter.
const FOLDED: &[(&str, Spelled, Does)] = &[
    ("ml", Whole, Does::Case),
    ("mx", Whole, Does::Upper(false)),
    ("mu", Whole, Does::Upper(true)),
    ("mv", Attached, Does::Quiet),
    ("m", Attached, Does::Quiet),
    ("d", Attached, Does::Define),
    ("i", Attached, Does::Include),
    ("la", Whole, Does::Listing),
    ("l", Whole, Does::Listing),
    ("zi", Whole, Does::Lines),
    ("zd", Whole, Does::Lines),
    ("zn", Whole, Does::Quiet),
    ("z", Whole, Does::Quiet),
    ("q", Whole, Does::Quiet),
    ("t", Whole, Does::Quiet),
    ("a", Whole, Does::Nothing),
    ("s", Whole, Does::Quiet),
    ("b", Attached, Does::Quiet),
    ("c", Whole, Does::Nothing),
    ("e", Whole, Does::Nothing),
    ("r", Whole, Does::Quiet),
    ("j", Attached, Does::Nothing),
    ("kh", Attached, Does::Quiet),
    ("ks", Attached, Does::Quiet),
    ("n", Whole, Does::Nothing),
    ("o", Attached, Does::Nothing),
    ("p", Whole, Does::Nothing),
    ("u", Attached, Does::Nothing),
    ("v", Whole, Does::Quiet),
    ("w", Attached, Does::Nothing),
    ("x", Whole, Does::Nothing),
];

/// The option that a word without its slash is, in the style of an assembler. Those of the others are known, too, as
/// far as a word is not another one that only begins like them.
pub(super) fn find(word: &str, style: Style) -> Option<Found<'_>> {
    let folds_case = matches!(style, Style::Microsoft | Style::Borland);
    let own = in_table(word, folds_case);
    own.or_else(|| in_table(word, !folds_case).filter(|found| !begins_like_a_word(found.value)))
}

/// Whether what is attached to the name of an option goes on like a word, as `ebug` after `d`.
fn begins_like_a_word(value: &str) -> bool {
    value.starts_with(|first: char| first.is_ascii_alphabetic())
}

/// Looks in the table of tasm and masm, which folds case, or in that of ml and jwasm.
fn in_table(word: &str, folds_case: bool) -> Option<Found<'_>> {
    let table = if folds_case { FOLDED } else { ML };
    let same = |one: &str, other: &str| one == other || (folds_case && one.eq_ignore_ascii_case(other));
    table.iter().find_map(|(name, spelled, does)| {
        let (start, value) = word.split_at_checked(name.len())?;
        let fits = same(start, name) && (value.is_empty() || matches!(spelled, Attached));
        fits.then_some(Found {
            does: *does,
            value: value.trim_start_matches(':'),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_others_are_no_beginnings_of_words() {
        let does = |word, style| find(word, style).map(|found| (found.does, found.value.to_owned()));
        let none = String::new;
        assert_eq!(does("Zi", Style::Ml), Some((Does::Lines, none())));
        assert_eq!(does("ml", Style::Ml), Some((Does::Case, none())), "an option of tasm");
        assert_eq!(does("m2", Style::Ml), Some((Does::Quiet, "2".to_owned())));
        for word in ["debug", "machine:x86", "incremental:no"] {
            assert_eq!(does(word, Style::Ml), None, "{word}");
        }
        assert_eq!(does("dDEBUG", Style::Borland), Some((Does::Define, "DEBUG".to_owned())));
    }
}
