//! Which texts are programs for NASM.

use crate::dialect::foreign::{Construction, Sign, foreign_signs, is_wide, strength, without_texts};

/// The least total weight at which the notation is recognised.
const ENOUGH: u32 = 2;
/// The measuring macros, which count as signs of MASM elsewhere.
const MEASURING: [&str; 4] = ["starttsc", "endtsc", "startprofile", "endprofile"];
/// The maximum number of bytes examined in a file.
const LOOKED_AT: usize = 1 << 20;

/// Whether a text is a program for NASM, as the constructions in it show; `own` are the signs of MASM. A few lines that
/// are nothing but labels and instructions are none: `fragment` reads them.
pub(super) fn is_program(text: &str, own: &[Sign]) -> bool {
    let Some(signs) = Signs::of(text, own) else {
        return false;
    };
    let Signs {
        found,
        against,
        whole,
        data,
        origin,
    } = signs;
    // An origin begins a program, of which one more construction says for which assembler it is.
    if origin && found > 0 && against == 0 {
        return true;
    }
    let is_fragment = || super::fragment::read(text, own).is_some();
    found >= ENOUGH && found > against && (whole || (data && against == 0 && !is_fragment()))
}

/// Whether a text has more that only NASM has than what only MASM has, so that it may be for NASM.
pub(super) fn may_be(text: &str, own: &[Sign]) -> bool {
    Signs::of(text, own).is_some_and(|signs| signs.found > signs.against)
}

/// What a text has of both notations.
struct Signs {
    /// The total weight of what NASM has, and of what MASM has.
    found: u32,
    against: u32,
    /// Whether some of it stands only in a whole program.
    whole: bool,
    data: bool,
    origin: bool,
}

impl Signs {
    /// `None` for 64-bit code.
    fn of(text: &str, own: &[Sign]) -> Option<Signs> {
        let text = text.get(..text.floor_char_boundary(LOOKED_AT)).unwrap_or_default();
        if is_wide(text) {
            return None;
        }
        let of_fragments = |construction: Construction| construction.is_of_fragments();
        let (mut found, mut against, mut whole, mut data, mut origin) = (0, 0, false, false, false);
        for line in text.lines() {
            let plain = without_texts(line).to_ascii_lowercase();
            let words: Vec<&str> = plain
                .split([' ', '\t', ',', '(', ')'])
                .filter(|word| !word.is_empty())
                .collect();
            // What the library measures is measured in any dialect.
            let measures = words.first().is_some_and(|word| MEASURING.contains(word));
            against += if measures { 0 } else { strength(own, &words) };
            data |= words.get(1).is_some_and(|word| super::data::word(word).is_some());
            // A line that only says the size of code may stand before a few instructions of any dialect.
            let sized = words.first() == Some(&"bits");
            origin |= words.first() == Some(&"org");
            for sign in foreign_signs("NASM") {
                let strength = strength(&[*sign], &words);
                found += strength;
                whole |= strength > 0 && !of_fragments(sign.0) && !sized;
            }
        }
        Some(Signs {
            found,
            against,
            whole,
            data,
            origin,
        })
    }
}
