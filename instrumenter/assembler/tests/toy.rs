//! The smallest dialect: what is common to all dialects works with it, and none of it speaks another.

use super::{bytes, good};
use p5_assembler::source::Sources;
use p5_assembler::{Assembly, Options, TOY, assemble};
use p5_chips::MODELS;
use p5_machine::{self as machine, simulate};

fn toy(text: &str) -> Assembly {
    let options = Options {
        dialect: &TOY,
        ..Options::default()
    };
    assemble(&Sources::single("toy", text), &options)
}

#[test]
fn a_dialect_is_one_table() {
    let text = "mov ecx 10 ; ten times\nagain> dec ecx\njnz again\nret\nbytes 1 2 255\n";
    assert_eq!(bytes(&good(text, toy(text)), "code"), "b90a0000004975fdc30102ff");
}

#[test]
fn its_errors_have_their_places() {
    let assembly = toy("mov eax\njnz nowhere\nnonsense\n");
    let mut places: Vec<u32> = assembly
        .diagnostics
        .iter()
        .filter_map(|diagnostic| Some(diagnostic.span?.line))
        .collect();
    places.sort_unstable();
    assert_eq!(places, [1, 2, 3], "{:?}", assembly.diagnostics);
}

#[test]
fn no_message_speaks_another_dialect() {
    let assembly = toy("mov 5 eax\nmov al\nret\n");
    let helps: Vec<&str> = assembly
        .diagnostics
        .iter()
        .filter_map(|diagnostic| diagnostic.help.as_deref())
        .collect();
    assert_eq!(
        helps,
        [
            "for memory at a fixed address, write a memory operand",
            "write the destination and the source"
        ]
    );
}

#[test]
fn the_bundled_macros_are_read_in_their_own_dialect() {
    // 18h and 22 decimal: a call's numbers are in the notation of the call.
    let text = "StartTSC sum\nadd eax eax\nadd eax eax\nEndTSC\nStartProfile 22 23\nadd eax eax\nEndProfile\nret\n";
    let image = good(text, toy(text));
    let names: Vec<&str> = image.regions.iter().map(|region| region.name.as_str()).collect();
    assert_eq!(names, ["sum", "line 5"]);
    assert_eq!(image.regions[1].events, Some([0x16, 0x17]));
    let run = simulate(&image, "toy", MODELS[0], &machine::Options::default(), &mut |_| {});
    let value = |name: &str| {
        run.symbols
            .iter()
            .find(|symbol| symbol.name == name)
            .and_then(|symbol| symbol.value)
    };
    assert_eq!(
        ["_TSC_1", "_prof0_2", "_prof1_2"].map(value),
        [Some(2), Some(1), Some(0)]
    );
}
