//! A rule in words.
//!
//! Modelled: its sources and tests beside it. Not modelled: the rule itself.

/// A rule in words.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// The rule. A name in braces stands for a figure of the chip, which `p5inst explain` looks up.
    pub rule: &'static str,
    /// Who says so.
    pub source: &'static str,
    /// What is left out; empty if nothing is known to be.
    pub not_modelled: &'static str,
    /// The tests that hold it: a file, and the name of a test or of a row in it.
    pub tests: &'static [(&'static str, &'static str)],
    /// The words by which reports and users call it, beside its name.
    pub said: &'static [&'static str],
}
