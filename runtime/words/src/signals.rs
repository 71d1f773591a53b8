//! Signals of Linux: what the system does about those that a program leaves to it.

/// What the system does about a signal that a program leaves to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByDefault {
    /// It ends the program.
    Ends,
    /// Nothing.
    Ignores,
    /// It stops the program until another one lets it continue, for which there is none.
    Stops,
}

/// What the system does about `signal` by default.
pub fn by_default(signal: u32) -> ByDefault {
    match signal {
        17 | 18 | 23 | 28 => ByDefault::Ignores,
        19..=22 => ByDefault::Stops,
        _ => ByDefault::Ends,
    }
}
