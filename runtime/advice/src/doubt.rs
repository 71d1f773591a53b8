//! The reasons why more counts as read than is known to be read.

/// Why something counts as read although nothing is known to read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The instruction at this address may set a handler for exceptions, which may read anything.
    Handler(u32),
    /// A linked object may set such a handler.
    LinkedHandler,
    /// It is not known where the instruction at this address leads.
    Way(u32),
    /// What lies at this address is no instruction of the program.
    NoCode(u32),
    /// More instructions follow than are followed.
    Long,
}
