//! Whether a program of Linux asks which processor it runs on: it may then take other code than on another one.

use p5_image::{Functions, Image};
use p5_results::{InstructionResult, Note};

/// The note for the first CPUID of the program's own code: that with lines, if there is any. The start-up code of some
/// C libraries asks in every program.
pub(super) fn note(image: &Image, instructions: &[InstructionResult]) -> Option<Note> {
    image.process_stack()?;
    let own = || instructions.iter().filter(|one| !one.library);
    let has_lines = own().any(|one| one.place.is_some());
    let asks = own().find(|one| one.text == "cpuid" && one.place.is_some() == has_lines)?;
    let functions = Functions::bounded(image);
    let name = functions.at(asks.address).map(|at| functions.0[at].name.clone());
    Some(Note::AskedProcessor {
        function: name,
        line: asks.place.map(|(_, line)| line),
    })
}
