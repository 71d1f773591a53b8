//! The data of the specimen.

use p5_image::ElementKind;
use p5_results::{Change, SymbolValue};

/// A symbol of one element at an address, with its size and its values before and after the run.
pub(super) fn symbol(name: &str, [address, size]: [u32; 2], values: [u64; 2], library: bool) -> SymbolValue {
    SymbolValue {
        name: name.to_owned(),
        address,
        size,
        element: size,
        kind: ElementKind::Unsigned,
        value: Some(values[1]),
        digest: None,
        changed: Some(Change {
            names: [None, None],
            now: Vec::new(),
            elements: 1,
            first: 0,
            field: None,
            values: Some(values.map(u128::from)),
        }),
        library,
        typed: true,
    }
}
