//! What a program has before its first instruction: the registers that `--set` gives, those that a fragment needs, and
//! the command line that `--args` gives.

use super::args::{Place, ProgramArguments, REGISTERS};
use p5_assembler::source::Sources;
use p5_assembler::spelling::nearest;
use p5_assembler::{Assembly, Options, assemble};
use runtime::advice::fragment::{Given, assume};
use runtime::image::dos::{self, MOST_ARGUMENTS};
use runtime::image::{Image, Preset, Start, SymbolKind};
use runtime::report::escaped;

/// Assembles a source whose arguments are known to be right, and prepares its image.
pub(crate) fn assembled_ready(sources: &Sources, options: &Options, arguments: &ProgramArguments) -> Assembly {
    let mut assembly = assemble(sources, options);
    if let Some(image) = &mut assembly.image {
        // What cannot be set has been reported for the first image of the source.
        let _ = prepare(image, arguments);
    }
    assembly
}

/// Gives `image` the registers and the command line of the arguments, and the registers that it needs if it is a
/// fragment.
///
/// # Errors
/// One line: what a register is to be set to is neither a number nor a name of the program, or the program takes no
/// such command line.
pub(crate) fn prepare(image: &mut Image, arguments: &ProgramArguments) -> Result<(), String> {
    if arguments.entry.is_some() && image.standalone.entered == 0 {
        return Err(
            "`--entry` chooses a function of one assembly source; several sources, and a program that is already \
             built, begin where they say"
                .to_owned(),
        );
    }
    let mut given = Given::default();
    for set in &arguments.set {
        let mut wanted = value(image, &set.value)?;
        let (register, half) = match set.place {
            Place::Register { number, half } => (number, half),
            Place::Argument(distance) => {
                if image.fragment.is_none() || matches!(image.start, Start::Real(_)) {
                    return Err(format!(
                        "`--set` cannot give [esp+{distance}]: only a function of 32-bit code without a program around \
                         it has arguments that nothing passes"
                    ));
                }
                if given.arguments.insert(distance, wanted).is_some() {
                    return Err(format!("`--set` gives [esp+{distance}] twice"));
                }
                continue;
            }
        };
        if half {
            let name = &REGISTERS[register][1..];
            wanted = lower_half(wanted).ok_or_else(|| {
                let value = escaped(&set.value);
                format!("`--set` cannot put `{value}` into {name}, which holds 16 bits: it is {wanted:X}h")
            })?;
        }
        if given.registers[register].replace(wanted).is_some() {
            return Err(format!("`--set` gives {} twice", REGISTERS[register]));
        }
    }
    image.preset = assume(image, &given);
    arguments.args.as_deref().map_or(Ok(()), |text| give(image, text))
}

/// Gives a program of DOS its command line.
fn give(image: &mut Image, text: &str) -> Result<(), String> {
    let prefix = image.segments.iter_mut().find(|segment| dos::is_prefix(segment));
    let prefix = prefix.ok_or(
        "`--args` is for programs of DOS with 16-bit segments, which find it in the prefix before them; this one has \
         no prefix",
    )?;
    let words: Vec<&str> = Some(text).filter(|text| !text.is_empty()).into_iter().collect();
    // With the blank before it.
    *prefix = dos::prefix_with(&words).ok_or_else(|| {
        format!(
            "the command line has {} bytes; DOS has room for {}",
            text.len(),
            MOST_ARGUMENTS - 1
        )
    })?;
    Ok(())
}

/// Makes sure that a program needs nothing that native runs cannot give it.
///
/// # Errors
/// One line: it needs registers or memory that only the simulation sets.
pub(crate) fn natively_possible(image: &Image) -> Result<(), String> {
    match image.preset == Preset::default() {
        true => Ok(()),
        false => Err(
            "a fragment, and what `--set` gives, run in the simulation only; write a whole program: `.586`, \
                      `.model flat`, `.code`, and `mov` for each register before its first use"
                .to_owned(),
        ),
    }
}

/// A number as a register of 16 bits holds it, if it fits there with or without a sign.
fn lower_half(number: u32) -> Option<u32> {
    let fits = number <= 0xFFFF || (i32::from(i16::MIN)..0).contains(&(number as i32));
    fits.then_some(number & 0xFFFF)
}

/// A number, or the value of a symbol, to which a number may be added.
fn value(image: &Image, text: &str) -> Result<u32, String> {
    if let Some(number) = number(text) {
        return Ok(number);
    }
    let (name, distance) = match text.rfind(['+', '-']).filter(|&at| at > 0) {
        Some(at) => {
            let distance = number(text[at..].trim_start_matches('+'));
            let bad = || {
                let distance = escaped(&text[at + 1..]);
                format!("`--set` cannot use `{}`: `{distance}` is not a number", escaped(text))
            };
            (&text[..at], distance.ok_or_else(bad)?)
        }
        None => (text, 0),
    };
    let named = |symbol: &&runtime::image::Symbol| symbol.name.eq_ignore_ascii_case(name.trim());
    let mut symbols = image.symbols.iter();
    match symbols.find(named) {
        Some(symbol) => Ok(symbol.value.wrapping_add(distance)),
        None => {
            let own = image.symbols.iter().filter(|symbol| !symbol.library);
            let data = own.filter(|symbol| symbol.kind != SymbolKind::Constant);
            let near = nearest(name, data.map(|symbol| &*symbol.name));
            let help = near.map_or_else(
                || "write a number such as 100, 0x40 or 40h, or a name of the program".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            Err(format!("`--set` cannot use `{}`: {help}", escaped(text)))
        }
    }
}

/// A number of 32 bits in decimal, or in hexadecimal as C and MASM write it.
fn number(text: &str) -> Option<u32> {
    let text = text.trim().to_ascii_lowercase();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, &*text),
    };
    if !digits.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let number = match (digits.strip_prefix("0x"), digits.strip_suffix('h')) {
        (Some(digits), _) | (None, Some(digits)) => u32::from_str_radix(digits, 16).ok()?,
        _ => digits.parse().ok()?,
    };
    match negative {
        true => (number <= 1 << 31).then(|| number.wrapping_neg()),
        false => Some(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbers_and_symbols() {
        let mut image = Image::default();
        image.symbols.push(runtime::image::Symbol {
            name: "Table".to_owned(),
            value: 0x0040_2000,
            size: 4,
            kind: SymbolKind::Code,
            library: false,
            typed: true,
        });
        for (text, expected) in [
            ("100", 100),
            ("0x40", 0x40),
            ("0FFh", 0xFF),
            ("-2", 0xFFFF_FFFE),
            ("-2147483648", 0x8000_0000),
            ("table", 0x0040_2000),
            ("table+16", 0x0040_2010),
            ("table-10h", 0x0040_1FF0),
        ] {
            assert_eq!(value(&image, text), Ok(expected), "{text}");
        }
        assert!(value(&image, "-4294967295").is_err() && value(&image, "4294967296").is_err());
        assert_eq!([70_000, 0xFFFF_7FFF].map(lower_half), [None; 2]);
        assert_eq!(
            [65_535, u32::MAX, 0xFFFF_8000].map(lower_half),
            [0xFFFF, 0xFFFF, 0x8000].map(Some)
        );
        assert!(value(&image, "tabel").is_err_and(|why| why.ends_with("did you mean `Table`?")));
        assert!(value(&image, "table+zz").is_err_and(|why| why.ends_with("`zz` is not a number")));
        assert!(value(&image, "4294967296").is_err_and(|why| why.contains("write a number")));
    }
}
