//! The names of C++ and Rust as their programmers write them, in place of those that linkers see.
//!
//! A function of C++ is called without its parameters, as compilers call it where they inline it, and one of Rust
//! without the hash at the end of its name, unless another one has the same name.

use crate::Symbol;
use cpp_demangle::{BorrowedSymbol, DemangleOptions, ParseOptions};
use std::collections::HashMap;
use std::fmt::{self, Write};

/// The maximum length in bytes of a name that is looked at, and of what is told of it: a short name may stand for an
/// endless one.
const LONGEST_MANGLED: usize = 4096;
const LONGEST: usize = 256;
/// How deeply the parts of a name may be nested.
const DEEPEST: u32 = 64;
/// The digits of the hash at the end of an older name of Rust, after the length of `h` and these.
const HASH_DIGITS: usize = 16;

/// How much a name tells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// The name that programmers use for the function.
    Short,
    /// The name with all that tells it from others of the same short name.
    Whole,
}

/// Gives all symbols with names of C++ or Rust the names of their sources.
pub fn demangle(symbols: &mut [Symbol]) {
    // By name, the first address that has it, and whether others do.
    let mut places: HashMap<String, (u32, bool)> = HashMap::new();
    for symbol in symbols.iter() {
        if let Some(name) = told(&symbol.name, Extent::Short) {
            let place = places.entry(name).or_insert((symbol.value, false));
            place.1 |= place.0 != symbol.value;
        }
    }
    for symbol in symbols {
        let Some(name) = told(&symbol.name, Extent::Short) else {
            continue;
        };
        let several = places.get(&name).is_some_and(|&(_, several)| several);
        let whole = || told(&symbol.name, Extent::Whole);
        symbol.name = several.then(whole).flatten().unwrap_or(name);
    }
}

/// The whole name that the source has for one that linkers see; `None` if it is none of C++ or Rust.
pub fn demangled_name(name: &str) -> Option<String> {
    told(name, Extent::Whole)
}

/// The name that reports show for one that linkers see; `None` if it is none of C++ or Rust.
pub fn readable_name(name: &str) -> Option<String> {
    told(name, Extent::Short)
}

/// What a name means, if it is one of C++ or Rust.
fn told(name: &str, extent: Extent) -> Option<String> {
    if name.len() > LONGEST_MANGLED {
        return None;
    }
    if is_of_rust(name) {
        return of_rust(name, extent);
    }
    name.starts_with("_Z").then(|| of_cpp(name, extent)).flatten()
}

/// Whether a name is one of Rust: the older ones are names of C++ whose last part is a hash.
fn is_of_rust(name: &str) -> bool {
    let hashed = |rest: &str| {
        let mut ends = rest.match_indices("17h").map(|(at, start)| &rest[at + start.len()..]);
        ends.any(|hash| match hash.as_bytes().split_at_checked(HASH_DIGITS) {
            // The digits are small letters, so that they do not hold the `E` after them.
            Some((digits, [b'E'] | [b'E', b'.', ..])) => {
                digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
            }
            _ => false,
        })
    };
    name.starts_with("_R") || name.strip_prefix("_ZN").is_some_and(hashed)
}

fn of_rust(name: &str, extent: Extent) -> Option<String> {
    let name = rustc_demangle::try_demangle(name).ok()?;
    let mut written = Bounded::default();
    let whole = match extent {
        Extent::Short => write!(written, "{name:#}"),
        Extent::Whole => write!(written, "{name}"),
    };
    written.ended(whole.is_ok())
}

fn of_cpp(name: &str, extent: Extent) -> Option<String> {
    let options = DemangleOptions::new().recursion_limit(DEEPEST);
    let options = match extent {
        Extent::Short => options.no_params().no_return_type(),
        Extent::Whole => options,
    };
    let parse = ParseOptions::default().recursion_limit(DEEPEST);
    let (symbol, rest) = BorrowedSymbol::with_tail_and_options(name.as_bytes(), &parse).ok()?;
    let mut written = Bounded::default();
    let whole = symbol.structured_demangle(&mut written, &options).is_ok();
    written.ended(whole).filter(|_| !whole || rest.is_empty())
}

/// A text that takes no more than this many bytes.
#[derive(Default)]
struct Bounded {
    text: String,
    full: bool,
}

impl Bounded {
    /// The text, if it is `whole` or only too long.
    fn ended(self, whole: bool) -> Option<String> {
        match (whole, self.full) {
            (true, _) => Some(self.text),
            (false, true) => Some(self.text + "..."),
            (false, false) => None,
        }
    }
}

impl Write for Bounded {
    fn write_str(&mut self, part: &str) -> fmt::Result {
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
    fn names_of_rust_are_those_of_the_source_without_their_hashes() {
        let names = [
            "_ZN43_$LT$trait..Ring$u20$as$u20$trait..Sink$GT$3put17he18a9ef0f600a36eE",
            "_ZN5trait4feed17h6554cd12f7357a12E",
            "_RNvXCsjqiyUVrgZee_5traitNtB2_4RingNtB2_4Sink3put",
            "_RINvCsjqiyUVrgZee_5trait4feedNtB2_4RingEB2_",
            "_RNvNtCs6dEaQCQDGJx_4core9panicking18panic_bounds_check",
            "_ZN3std2rt10lang_start28_$u7b$$u7b$closure$u7d$$u7d$17h0901687dbc62e5c6E.llvm.17247856213271388764",
            "_ZN4core3ops8function6FnOnce9call_once17h0123456789abcdefE",
            // A name of C++, since its last part is no hash; a function of C; and none of Rust.
            "_ZN4math17h0123456789abcdegE",
            "_Reset",
            "_R",
        ];
        assert_eq!(
            named(&names),
            [
                // Two functions that programmers call the same are told apart by their hashes.
                "<trait::Ring as trait::Sink>::put::he18a9ef0f600a36e",
                "trait::feed",
                "<trait[e23ed8166b9ee478]::Ring as trait[e23ed8166b9ee478]::Sink>::put",
                "trait::feed::<trait::Ring>",
                "core::panicking::panic_bounds_check",
                "std::rt::lang_start::{{closure}}",
                "core::ops::function::FnOnce::call_once",
                "math::h0123456789abcdeg",
                "_Reset",
                "_R",
            ]
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
        // Rust likewise: each argument is a tuple of the one before it, twice, by its place after `_R`.
        let mut doubled = "INvC1a1fTllE".to_owned();
        let mut last = doubled.len() - "TllE".len();
        let digit = |value: usize| char::from(b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[value]);
        for _ in 0..24 {
            let place = doubled.len();
            let number = match last - 1 {
                small @ 0..62 => digit(small).to_string(),
                number => format!("{}{}", digit(number / 62), digit(number % 62)),
            };
            doubled += &format!("TB{number}_B{number}_E");
            last = place;
        }
        let told = named(&[&format!("_R{doubled}E")]).remove(0);
        assert!(
            told.starts_with("a::f::<(i32, i32), ((i32, i32), (i32, i32)), ((("),
            "{told}"
        );
        assert!(told.len() <= LONGEST + 3 && told.ends_with("..."), "{told}");
    }
}
