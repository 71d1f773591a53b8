//! Signals of Linux: the default action of each.

/// The default action for a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByDefault {
    /// The signal ends the program.
    Ends,
    /// The signal has no effect.
    Ignores,
    /// The signal stops the program until another one continues it, which none does here.
    Stops,
}

/// The default action for `signal`, by its number.
pub fn by_default(signal: u32) -> ByDefault {
    match signal {
        17 | 18 | 23 | 28 => ByDefault::Ignores,
        19..=22 => ByDefault::Stops,
        _ => ByDefault::Ends,
    }
}
