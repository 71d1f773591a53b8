//! Data symbols in the JSON report of a run.

use crate::document::document;
use crate::state::{in_decimal, printed};
use p5_image::ElementKind;
use p5_results::{Change, Run, SymbolValue};

document! {
    /// A data symbol.
    pub(crate) struct Symbol<'a> {
        /// Its name.
        name: &'a str = &symbol.name,
        /// Its linear address.
        address: u32 = symbol.address,
        /// Bytes in all.
        size: u32 = symbol.size,
        /// Bytes of one element.
        element: u32 = symbol.element,
        /// Its value as an unsigned little-endian number; null if it is longer than 8 bytes.
        value: Option<u64> = symbol.value,
        /// A digest of its bytes, as 16 hexadecimal digits, if it has no value: two variables of one size with the same
        /// digest hold the same bytes. Absent if it has a value, or was not read as a whole.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        digest: Option<String> = symbol.digest.map(|digest| format!("{digest:016x}")),
        /// What its elements are: `signed`, `real`, `address` or `structure`; absent for unsigned numbers and for bytes
        /// of which the source says nothing.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        kind: Option<&'static str> = kind(symbol.kind),
        /// What more the source declares its elements to be: `boolean`, `character` or `enumeration`; else absent.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        declared: Option<&'static str> = declared(symbol.kind),
        /// The change by the last run; null if there is none.
        changed: Option<Changed<'a>> = symbol.changed.as_ref().map(|change| Changed::of(symbol, change)),
        /// Whether it belongs to the bundled library.
        library: bool = symbol.library,
        /// Whether no source that is known declares it, so that its elements are guessed; absent for others.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        undeclared: bool = !symbol.typed,
    }
    from (symbol: &'a SymbolValue)

    /// The change of a symbol by a run.
    pub(crate) struct Changed<'a> {
        /// The number of elements that differ from their loaded values.
        elements: u32 = change.elements,
        /// The index of the first of these elements.
        first: u32 = change.first,
        /// If it is a structure, the name of the first field that differs, with a dot before each part; else null.
        field: Option<&'a str> = change.field.as_ref().map(|field| field.name.as_str()),
        /// The value of the field, or else of the element, before and after; null if it is longer than 8 bytes.
        values: Option<[u64; 2]> = change
            .values
            .and_then(|values| Some([values[0].try_into().ok()?, values[1].try_into().ok()?])),
        /// The names of these values, of an enumeration or of addresses, each null if it has none; absent if both are.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        names: Option<&'a [Option<String>; 2]> = Some(&change.names).filter(|names| names.iter().any(Option::is_some)),
        /// The elements after the run, at most 64, if there are several of at most 8 bytes; absent for others.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        now: Vec<u64> = change.now.iter().filter_map(|&bits| bits.try_into().ok()).collect(),
        /// The same values in decimal, if the source declares reals; else null.
        reals: Option<[String; 2]> = change
            .values
            .filter(|_| change.field.as_ref().map_or(symbol.kind, |field| field.kind) == ElementKind::Real)
            .map(|values| values.map(|value| printed(symbol, change, value))),
        /// The same values, if the source declares signed numbers; absent for others.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        signed: Option<[i64; 2]> = change
            .values
            .filter(|_| change.field.as_ref().map_or(symbol.kind, |field| field.kind).is_signed())
            .and_then(|[before, after]| {
                let element = change.field.as_ref().map_or(symbol.element, |field| field.element);
                let number = |value| in_decimal(ElementKind::Signed, element, value).parse().ok();
                Some([number(before)?, number(after)?])
            }),
    }
    from (symbol: &SymbolValue, change: &'a Change)
}

/// What more the source says of a kind than what it counts as.
fn declared(kind: ElementKind) -> Option<&'static str> {
    match kind {
        ElementKind::Boolean => Some("boolean"),
        ElementKind::Character => Some("character"),
        ElementKind::Enumeration { .. } => Some("enumeration"),
        _ => None,
    }
}

/// The name of a kind; `None` for unsigned numbers.
fn kind(kind: ElementKind) -> Option<&'static str> {
    match kind {
        ElementKind::Unsigned | ElementKind::Boolean | ElementKind::Enumeration { signed: false, .. } => None,
        ElementKind::Signed | ElementKind::Character | ElementKind::Enumeration { signed: true, .. } => Some("signed"),
        ElementKind::Real => Some("real"),
        ElementKind::Address => Some("address"),
        ElementKind::Structure(_) => Some("structure"),
    }
}

pub(super) fn symbols(run: &Run) -> Vec<Symbol<'_>> {
    let (library, own): (Vec<_>, Vec<_>) = run.symbols.iter().partition(|symbol| symbol.library);
    own.into_iter().chain(library).map(Symbol::of).collect()
}
