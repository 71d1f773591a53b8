//! Faults that several parts of the program share.

use crate::diag::{Fault, Span, fault};

/// The fault for a program that exceeds the limit of `limit` bytes. Nothing more is read.
pub(super) fn too_large(limit: u64, span: Span) -> Fault {
    fault(span, format!("program larger than {} MiB", limit >> 20)).ending()
}

/// The fault for initializers that fill more than `limit` bytes. Nothing more is read.
pub(super) fn too_much_filled(limit: u64, span: Span) -> Fault {
    fault(span, format!("initializers fill more than {} MiB", limit >> 20)).ending()
}

pub(super) fn structure_too_large(limit: u64, span: Span) -> Fault {
    fault(span, format!("structure larger than {} KiB", limit >> 10))
}

/// The fault for data with more than `limit` addresses. Nothing more is read.
pub(super) fn too_many_addresses(limit: usize, span: Span) -> Fault {
    fault(span, format!("too many addresses in data: more than {limit}")).ending()
}

/// The fault for parameters or locals that exceed the limit of `limit` bytes.
pub(super) fn frame_too_large(limit: u32, span: Span) -> Fault {
    fault(span, format!("stack frame larger than {} KiB", limit >> 10))
}

/// The fault for a register in the place of a name to be defined.
pub(super) fn register(spelled: &str, span: Span) -> Fault {
    fault(span, format!("`{spelled}` is a register and cannot be defined"))
}

/// The fault for a register among the values of data.
pub(crate) fn register_in_data(span: Span) -> Fault {
    fault(span, "register not allowed in a data initializer")
}

/// The fault for a 16-bit segment of more than 64 KiB. Nothing more is read.
pub(super) fn segment_too_large(name: &str, span: Span) -> Fault {
    fault(span, format!("16-bit segment `{name}` is larger than 64 KiB")).ending()
}

/// The fault for a second field of the same name in a structure.
pub(super) fn field_twice(span: Span) -> Fault {
    fault(span, "field is already defined in this structure")
}

/// The fault for an expression whose value must be known before the layout is.
pub(super) fn forward_reference(span: Span) -> Fault {
    fault(
        span,
        "forward reference not allowed here: the value must already be known",
    )
}
