//! The tests of the assembler through its public interface, in one program: source to bytes, lines, regions and errors.
//! Each of these modules is a subject.

#![allow(clippy::unwrap_used)] // A test fails by panicking.

mod common;
mod definitions;
mod dialects;
mod encoding;
mod errors;
mod events;
mod foreign;
mod listed;
mod macros;
mod meant;
mod memory;
mod messages;
mod nasm;
mod pasted;
mod regions;
mod toy;

use p5_assembler::source::Sources;
use p5_assembler::{Assembly, Options, assemble};
use p5_image::{Image, Symbol};

/// Assembles a text that must have no errors.
fn image(text: &str) -> Image {
    let assembly = assemble(&Sources::single("test.asm", text), &Options::default());
    good(text, assembly)
}

fn symbol<'a>(image: &'a Image, name: &str) -> &'a Symbol {
    let mut symbols = image.symbols.iter();
    let found = symbols.find(|symbol| symbol.name.eq_ignore_ascii_case(name));
    found.unwrap_or_else(|| panic!("no symbol {name}"))
}

fn good(text: &str, assembly: Assembly) -> Image {
    assert!(assembly.diagnostics.is_empty(), "{text}\n{:#?}", assembly.diagnostics);
    assembly.image.expect("an image")
}

/// The bytes of the segment called `name`, in hexadecimal.
fn bytes(image: &Image, name: &str) -> String {
    let segment = image.segments.iter().find(|segment| segment.name == name);
    let segment = segment.unwrap_or_else(|| panic!("no segment {name}"));
    segment.bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn code(text: &str, expected: &str) {
    assert_eq!(bytes(&image(text), "_TEXT"), expected.replace(' ', ""), "{text}");
}

fn data(text: &str, expected: &str) {
    let image = image(&format!(
        ".586\n.model flat\n.data\n{text}\n.code\nstart: ret\nend start\n"
    ));
    assert_eq!(bytes(&image, "_DATA"), expected.replace(' ', ""), "{text}");
}

/// Errors and warnings as `line: message | help`.
fn complaints(text: &str) -> Vec<String> {
    let assembly = assemble(&Sources::single("test.asm", text), &Options::default());
    let line = |diagnostic: &p5_assembler::diag::Diagnostic| {
        let line = diagnostic.span.map_or(0, |span| span.line);
        match &diagnostic.help {
            Some(help) => format!("{line}: {} | {help}", diagnostic.message),
            None => format!("{line}: {}", diagnostic.message),
        }
    };
    assembly.diagnostics.iter().map(line).collect()
}
