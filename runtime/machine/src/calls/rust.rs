//! Programs of Rust: which of their code is compiled in advance, and the call by which one of them panicked.

use super::called::own;
use crate::Machine;
use p5_image::load::readable_name;
use p5_image::{CRATES_OF_RUST, Functions, Image, SymbolKind, is_of_panic, never_returns};
use p5_results::{Called, MadeBy, StopReason};

impl Machine<'_> {
    /// Tells the call by which a program of Rust panicked, if the run ended in the panic or by what handles it. Returns
    /// whether it did.
    pub(super) fn find_panic(&mut self) -> bool {
        let called = match self.stop.reason {
            // The instruction that made the system call is complete.
            StopReason::Exit | StopReason::Signal => true,
            StopReason::Fault | StopReason::Limit | StopReason::Timeout | StopReason::Endless => false,
            _ => return false,
        };
        let image = self.image;
        if !has_panics(image) {
            return false;
        }
        let functions = Functions::of(image, &[]);
        let named = |address: u32| Some(functions.0[functions.at(address)?].name.as_str());
        let mut calls = self.calls_out(called);
        let is_panic = |&(callee, _): &(u32, u32)| named(callee).is_some_and(is_of_panic);
        let Some(begin) = calls.iter().position(is_panic) else {
            return false;
        };
        calls.drain(..begin);
        let with_line = calls.iter().find_map(|&(callee, call)| {
            let (place, _) = own(image, &functions, call, Some(callee))?;
            Some((callee, call, Some(place)))
        });
        // Without lines of the program, names tell its functions.
        let with_name = || {
            let of_program = |&&(_, call): &&(u32, u32)| named(call).is_some_and(|name| !is_of_library(name));
            let &(callee, call) = calls.iter().find(of_program)?;
            Some((callee, call, None))
        };
        let Some((callee, call, place)) = with_line.or_else(with_name) else {
            return false;
        };
        let Some(function) = named(callee).map(str::to_owned) else {
            return false;
        };
        let caller = named(call).map(str::to_owned);
        self.stop.place = place;
        self.tell_called(Called {
            function,
            caller,
            panicked: true,
            missing: false,
        });
        true
    }

    /// Tells the call by which a fragment panicked. Returns whether it did.
    pub(super) fn find_supplied_panic(&mut self) -> bool {
        let Some((place, called)) = self.supplied_panic() else {
            return false;
        };
        self.stop.place = place;
        self.tell_called(called);
        true
    }

    /// The line of a call of a function that panics and that a fragment lacks, and that call, if its stub was reached.
    fn supplied_panic(&self) -> Option<(Option<(u32, u32)>, Called)> {
        let image = self.image;
        image.fragment.as_ref()?;
        let registers = &self.state.registers;
        let stub = image
            .symbols
            .iter()
            .find(|one| one.kind == SymbolKind::Code && one.value == registers.eip && never_returns(&one.name))?;
        let back = self.state.memory.read_bytes(registers.general[4], 4)?;
        let call = u32::from_le_bytes(*back.first_chunk()?).wrapping_sub(1);
        let functions = Functions::of(image, &[]);
        let caller = functions.at(call).map(|at| in_source(&functions.0[at].name));
        let called = Called {
            function: in_source(&stub.name),
            caller,
            panicked: true,
            missing: true,
        };
        Some((image.line_at(call).map(|row| (row.file, row.line)), called))
    }
}

/// A name as the source of Rust or C++ has it: a text of a compiler has those that linkers see.
pub(crate) fn in_source(name: &str) -> String {
    readable_name(name).unwrap_or_else(|| name.to_owned())
}

/// Who made the code at `address`, which belongs to `function`.
pub(crate) fn made_by(image: &Image, address: u32, function: &str) -> MadeBy {
    let file = |number: u32| image.files.get(number as usize);
    if let Some(((number, _), _)) = image.own_place(address) {
        return match file(number).is_some_and(|file| file.is_of_rust()) {
            true => MadeBy::Rust,
            false => MadeBy::Other,
        };
    }
    let line = image.line_at(address).and_then(|row| file(row.file));
    // C++ has names that begin with `std::`, too.
    let is_of_rust = || has_panics(image) || image.files.iter().any(|file| file.is_of_rust());
    match line.is_some_and(|file| file.is_of_rust_library()) || (is_of_library(function) && is_of_rust()) {
        true => MadeBy::RustLibrary,
        false => MadeBy::Other,
    }
}

/// Whether a program has code that handles or begins panics.
fn has_panics(image: &Image) -> bool {
    image
        .symbols
        .iter()
        .any(|symbol| symbol.kind == SymbolKind::Code && is_of_panic(&symbol.name))
}

/// Whether a function of Rust is one of its library: `core::fmt::write`, `<u32 as core::fmt::Display>::fmt`. A method
/// is one of the program if its type or its trait is.
fn is_of_library(name: &str) -> bool {
    let of_crate = |path: &str| {
        path.split_once("::")
            .is_some_and(|(root, _)| CRATES_OF_RUST.contains(&root))
    };
    // A type without a path is built in.
    let of_type = |name: &str| {
        let name = name.trim_start_matches(['&', '*', '[', '(']);
        let bare = ["mut ", "const ", "dyn "]
            .iter()
            .find_map(|word| name.strip_prefix(word));
        let name = bare.unwrap_or(name);
        of_crate(name) || !name.contains("::")
    };
    match name.strip_prefix('<') {
        None => of_crate(name),
        Some(method) => match method.split_once(" as ") {
            Some((of, implemented)) => of_type(of) && of_crate(implemented),
            None => of_type(method.split_once(">::").map_or(method, |(of, _)| of)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_of_the_library_if_their_type_and_their_trait_are() {
        for (name, of_library) in [
            ("core::fmt::write", true),
            ("std::rt::lang_start_internal", true),
            ("<u32 as core::fmt::Display>::fmt", true),
            ("<core::fmt::Formatter>::pad_integral", true),
            ("<u32>::_fmt", true),
            ("<&mut alloc::string::String as core::fmt::Write>::write_str", true),
            ("<u32 as trait::Sink>::put", false),
            ("<trait::Ring as core::fmt::Display>::fmt", false),
            ("<trait::Ring>::new", false),
            ("core_dump::write", false),
            ("core", false),
            ("main", false),
        ] {
            assert_eq!(is_of_library(name), of_library, "{name}");
        }
    }
}
