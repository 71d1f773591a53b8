//! The names of C++ as its programmers write them, in place of those that linkers see.
//!
//! A function is called without its parameters, as compilers call it where they inline it, unless another one has the
//! same name.

use crate::Symbol;
use cpp_demangle::{BorrowedSymbol, DemangleOptions, DemangleWrite, ParseOptions};
use std::collections::HashMap;
use std::fmt;

/// The maximum length in bytes of a name that is looked at, and of what is told of it: a short name may stand for an
/// endless one.
const LONGEST_MANGLED: usize = 4096;
const LONGEST: usize = 256;
/// How deeply the parts of a name may be nested.
const DEEPEST: u32 = 64;

/// Gives all symbols with names of C++ the names of their sources.
pub(super) fn demangle(symbols: &mut [Symbol]) {
    // By name, the first address that has it, and whether others do.
    let mut places: HashMap<String, (u32, bool)> = HashMap::new();
    let short = DemangleOptions::new()
        .no_params()
        .no_return_type()
        .recursion_limit(DEEPEST);
    for symbol in symbols.iter() {
        if let Some(name) = told(&symbol.name, short) {
            let place = places.entry(name).or_insert((symbol.value, false));
            place.1 |= place.0 != symbol.value;
        }
    }
    for symbol in symbols {
        let Some(name) = told(&symbol.name, short) else {
            continue;
        };
        let several = places.get(&name).is_some_and(|&(_, several)| several);
        let whole = || told(&symbol.name, DemangleOptions::new().recursion_limit(DEEPEST));
        symbol.name = several.then(whole).flatten().unwrap_or(name);
    }
}

/// What a name means, if it is one of C++.
fn told(name: &str, options: DemangleOptions) -> Option<String> {
    if !name.starts_with("_Z") || name.len() > LONGEST_MANGLED {
        return None;
    }
    let parse = ParseOptions::default().recursion_limit(DEEPEST);
    let (symbol, rest) = BorrowedSymbol::with_tail_and_options(name.as_bytes(), &parse).ok()?;
    let mut written = Bounded::default();
    let whole = symbol.structured_demangle(&mut written, &options).is_ok();
    match (whole, written.full) {
        (true, _) if rest.is_empty() => Some(written.text),
        (false, true) => Some(written.text + "..."),
        _ => None,
    }
}

/// A text that takes no more than so many bytes.
#[derive(Default)]
struct Bounded {
    text: String,
    full: bool,
}

impl DemangleWrite for Bounded {
    fn write_string(&mut self, part: &str) -> fmt::Result {
        let room = LONGEST - self.text.len();
        self.text.push_str(&part[..part.floor_char_boundary(room)]);
        self.full |= part.len() > room;
        if self.full { Err(fmt::Error) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SymbolKind;

    fn named(names: &[&str]) -> Vec<String> {
        let mut symbols: Vec<Symbol> = (0..)
            .zip(names)
            .map(|(number, &name)| Symbol {
                name: name.to_owned(),
                value: 0x1000 + number,
                size: 1,
                kind: SymbolKind::Code,
                library: false,
                typed: false,
            })
            .collect();
        demangle(&mut symbols);
        symbols.into_iter().map(|symbol| symbol.name).collect()
    }

    #[test]
    fn names_of_cpp_are_those_of_the_source_and_tell_functions_apart() {
        let names = [
            "_ZL3cmpPKvS0_",
            "_Z7mul_ikjIdEvPKT_S2_PS0_i",
            "_Z3mini",
            "_Z3mind",
            "main",
            "_Zebra",
        ];
        assert_eq!(
            named(&names),
            ["cmp", "mul_ikj<double>", "min(int)", "min(double)", "main", "_Zebra"]
        );
    }

    #[test]
    fn a_short_name_with_an_endless_meaning_is_cut() {
        // Each parameter is a pair of the one before it, twice.
        let doubled: String = (0..24)
            .map(|number| {
                let last = match number {
                    0 => "i".to_owned(),
                    _ => format!("S{}_", char::from_digit(number, 36).unwrap_or('0').to_ascii_uppercase()),
                };
                format!("1pI{last}{last}E")
            })
            .collect();
        let names = [&*format!("_Z1f{doubled}"), &*format!("_Z1f{doubled}i")];
        for name in named(&names) {
            assert!(name.len() <= LONGEST + 3, "{name}");
        }
        assert_eq!(named(&[&format!("_Z{}", "N".repeat(4000))]).len(), 1);
    }
}
