//! End to end: source to bytes, to lines and regions, to errors.

mod dialects;
mod encoding;
mod errors;
mod macros;
mod regions;
mod toy;

use crate::dialect::masm::MASM;
use crate::source::Sources;
use crate::{Assembly, Options, assemble};
use runtime::image::Image;

/// Assembles with a macro library other than the bundled one.
fn assemble_with(sources: &Sources<'_>, options: &Options, library: &str) -> Assembly {
    assemble::assemble(sources, options, library, &MASM)
}

/// Assembles a text that must be without fault.
fn image(text: &str) -> Image {
    let assembly = assemble(&Sources::single("test.asm", text), &Options::default());
    good(text, assembly)
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

/// Asserts what code a snippet assembles to.
fn code(text: &str, expected: &str) {
    assert_eq!(bytes(&image(text), "_TEXT"), expected.replace(' ', ""), "{text}");
}

/// Asserts what data a program's `.data` holds.
fn data(text: &str, expected: &str) {
    let image = image(&format!(
        ".586\n.model flat\n.data\n{text}\n.code\nstart: ret\nend start\n"
    ));
    assert_eq!(bytes(&image, "_DATA"), expected.replace(' ', ""), "{text}");
}

/// Errors and warnings as `line: message | help`.
fn complaints(text: &str) -> Vec<String> {
    let assembly = assemble(&Sources::single("test.asm", text), &Options::default());
    let line = |diagnostic: &crate::diag::Diagnostic| {
        let line = diagnostic.span.map_or(0, |span| span.line);
        match &diagnostic.help {
            Some(help) => format!("{line}: {} | {help}", diagnostic.message),
            None => format!("{line}: {}", diagnostic.message),
        }
    };
    assembly.diagnostics.iter().map(line).collect()
}
