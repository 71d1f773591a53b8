//! The functions of a program, by address: what the tools that made it call functions, and labels that are called.

use crate::{Image, SymbolKind};
use std::collections::HashSet;
use std::ops::Range;

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The name in the spelling of its definition.
    pub name: String,
    /// The linear address of its first byte.
    pub address: u32,
    /// The size in bytes; 0 if it reaches to the next function.
    pub size: u32,
}

/// The functions of a source that does not say where it begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standalone {
    /// All of them, by address.
    pub functions: Vec<Function>,
    /// The address of the one with which a run begins.
    pub entered: u32,
}

/// Whether `call next` stands before an address, where `next` is: position-independent code reads its address so.
fn reads_own_address(image: &Image, address: u32) -> bool {
    const CALL: [u8; 5] = [0xE8, 0, 0, 0, 0];
    let before = address.wrapping_sub(CALL.len() as u32);
    image.bytes_at(before).starts_with(&CALL)
}

/// The functions of a program in the order of their addresses.
#[derive(Clone, Debug, Default)]
pub struct Functions(pub Vec<Function>);

impl Functions {
    /// The functions of `image`: in a program of another tool all its names of code; otherwise procedures, the entry,
    /// the labels at the addresses that are `called`, which are in ascending order, and those after procedures.
    pub fn of(image: &Image, called: &[u32]) -> Functions {
        let process = image.process_stack().is_some();
        let code = |symbol: &&crate::Symbol| {
            let named = symbol.kind == SymbolKind::Code && !symbol.library && !symbol.name.is_empty();
            named && !(process && symbol.size == 0 && reads_own_address(image, symbol.value))
        };
        let mut symbols: Vec<&crate::Symbol> = image.symbols.iter().filter(code).collect();
        // Of several names of an address, the first one defined is used, or else the first one with a size.
        symbols.sort_by_key(|symbol| (symbol.value, symbol.size == 0));
        let mut all: Vec<Function> = Vec::new();
        for (number, symbol) in symbols.iter().enumerate() {
            let known = process || symbol.size > 0 || symbol.value == image.entry;
            let last = all.last();
            if last.is_some_and(|last| last.address == symbol.value) {
                continue;
            }
            // Behind the end of a function, each label has the code up to the next one.
            let behind = last.is_some_and(|last| last.size > 0 && symbol.value - last.address >= last.size);
            let begins = known || called.binary_search(&symbol.value).is_ok();
            if begins || behind {
                let next = symbols[number..].iter().find(|next| next.value > symbol.value);
                let size = match next {
                    Some(next) if !begins => next.value - symbol.value,
                    // The last function of a segment ends with it.
                    _ if process && symbol.size == 0 => image.bytes_at(symbol.value).len() as u32,
                    _ => symbol.size,
                };
                all.push(Function {
                    name: symbol.name.clone(),
                    address: symbol.value,
                    size,
                });
            }
        }
        Functions(all)
    }

    /// The functions of `image` whose ends are known: procedures, or in a program of another tool all its functions. A
    /// label between them may belong to any of them.
    pub fn bounded(image: &Image) -> Functions {
        let mut functions = Functions::of(image, &[]);
        if image.process_stack().is_none() {
            let procedures: HashSet<u32> = (image.symbols.iter())
                .filter(|symbol| symbol.kind == SymbolKind::Code && symbol.size > 0)
                .map(|symbol| symbol.value)
                .collect();
            functions.0.retain(|function| procedures.contains(&function.address));
        }
        functions
    }

    /// The number of the function whose code is at `address`, and all addresses around it with the same answer.
    pub fn around(&self, address: u32) -> (Option<usize>, Range<u32>) {
        let after = self.0.partition_point(|function| function.address <= address);
        let next = self.0.get(after).map_or(u32::MAX, |function| function.address);
        let Some(function) = after.checked_sub(1).and_then(|number| self.0.get(number)) else {
            return (None, 0..next);
        };
        let end = match function.size {
            0 => next,
            size => function.address.saturating_add(size).min(next),
        };
        match address < end {
            true => (Some(after - 1), function.address..end),
            false => (None, end..next),
        }
    }

    /// The number of the function whose code is at `address`.
    pub fn at(&self, address: u32) -> Option<usize> {
        let behind = self.0.partition_point(|function| function.address <= address);
        let number = behind.checked_sub(1)?;
        let function = &self.0[number];
        let inside = function.size == 0 || address - function.address < function.size;
        inside.then_some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Symbol;

    #[test]
    fn code_belongs_to_the_function_before_it_as_far_as_that_reaches() {
        let symbol = |name: &str, value, size| Symbol {
            name: name.to_owned(),
            value,
            size,
            kind: SymbolKind::Code,
            library: false,
            typed: true,
        };
        let mut image = Image {
            entry: 0x1000,
            symbols: vec![
                symbol("start", 0x1000, 0),
                symbol("again", 0x1010, 0),
                symbol("sum", 0x1020, 8),
                symbol("alias", 0x1020, 0),
                symbol("called", 0x1030, 0),
                symbol("behind", 0x1040, 0),
            ],
            ..Image::default()
        };
        let at = |image: &Image, called: &[u32], address| {
            let functions = Functions::of(image, called);
            functions.at(address).map(|number| functions.0[number].name.clone())
        };
        assert_eq!(at(&image, &[], 0x0FFF), None);
        assert_eq!(at(&image, &[], 0x1015).as_deref(), Some("start"));
        assert_eq!(at(&image, &[], 0x1027).as_deref(), Some("sum"));
        assert_eq!(at(&image, &[], 0x1028), None);
        assert_eq!(at(&image, &[], 0x1030).as_deref(), Some("called"));
        assert_eq!(at(&image, &[], 0x1041).as_deref(), Some("behind"));
        assert_eq!(at(&image, &[0x1030], 0x1041).as_deref(), Some("called"));
        assert_eq!(at(&image, &[0x1010], 0x1015).as_deref(), Some("again"));
        let around = |image: &Image, address| {
            let (number, addresses) = Functions::bounded(image).around(address);
            (number, addresses.start, addresses.end)
        };
        // Of a program without a process, only the procedure has a known end.
        assert_eq!(around(&image, 0x1015), (None, 0, 0x1020));
        assert_eq!(around(&image, 0x1027), (Some(0), 0x1020, 0x1028));
        assert_eq!(around(&image, 0x1028), (None, 0x1028, u32::MAX));
        image.stack = vec![0; 16];
        assert_eq!(at(&image, &[], 0x1015).as_deref(), Some("again"));
        assert_eq!(around(&image, 0x1015), (Some(1), 0x1010, 0x1020));
        assert_eq!(around(&image, 0x1028), (None, 0x1028, 0x1030));
    }
}
