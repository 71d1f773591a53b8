//! A second definition of a structure or a record: MASM takes it if it is the same, and refuses it otherwise.

use super::structure::{Field, RecordType, StructureType};
use crate::diag::{Fault, Span, fault};

/// Refuses a structure that differs from the one of the same name above it.
pub(super) fn structure(name: &str, known: &StructureType, new: &StructureType, span: Span) -> Result<(), Fault> {
    let same =
        |(one, other): (&Field, &Field)| (one.name, one.offset, one.size) == (other.name, other.offset, other.size);
    let equal = known.size == new.size
        && known.union == new.union
        && known.fields.len() == new.fields.len()
        && known.fields.iter().zip(&new.fields).all(same);
    if equal { Ok(()) } else { Err(differs(name, span)) }
}

/// Refuses a record that differs from the one of the same name above it.
pub(super) fn record(name: &str, known: &RecordType, new: &RecordType, span: Span) -> Result<(), Fault> {
    let parts = |record: &RecordType| -> Vec<_> {
        let fields = record.fields.iter();
        fields.map(|field| (field.name, field.width, field.value)).collect()
    };
    if parts(known) == parts(new) {
        Ok(())
    } else {
        Err(differs(name, span))
    }
}

fn differs(name: &str, span: Span) -> Fault {
    fault(span, format!("`{name}` is already defined with other fields")).with_help("rename one of them")
}
