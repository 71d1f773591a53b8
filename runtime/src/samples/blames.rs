//! What stalls are blamed on: the causes with their letters, which are those of DCPI where it has them.

use crate::run::Cause;

/// A cause of stalls that packets show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blame {
    /// Its letter.
    pub letter: char,
    /// What it is.
    pub title: &'static str,
    /// The causes of clocks that it stands for.
    pub causes: &'static [Cause],
    /// Whether it is inferred from the code; otherwise packets show it.
    pub inferred: bool,
}

/// The causes, in the order of the figures in a [`StallRow`].
pub const BLAMES: [Blame; 12] = [
    Blame {
        letter: 'd',
        title: "data cache miss",
        causes: &[Cause::DataReadMiss],
        inferred: false,
    },
    Blame {
        letter: 'D',
        title: "data TLB miss",
        causes: &[Cause::DataTlbMiss],
        inferred: false,
    },
    Blame {
        letter: 'i',
        title: "code cache miss",
        causes: &[Cause::CodeMiss, Cause::PrefetchQueue],
        inferred: false,
    },
    Blame {
        letter: 'I',
        title: "code TLB miss",
        causes: &[Cause::CodeTlbMiss],
        inferred: false,
    },
    Blame {
        letter: 'p',
        title: "misprediction",
        causes: &[Cause::Misprediction],
        inferred: false,
    },
    Blame {
        letter: 'm',
        title: "misaligned access",
        causes: &[Cause::Misaligned],
        inferred: false,
    },
    Blame {
        letter: 'b',
        title: "bank conflict",
        causes: &[Cause::BankConflict],
        inferred: false,
    },
    Blame {
        letter: 'l',
        title: "the other pipe",
        causes: &[Cause::Lockstep],
        inferred: true,
    },
    Blame {
        letter: 'a',
        title: "address interlock",
        causes: &[Cause::Agi],
        inferred: true,
    },
    Blame {
        letter: 'x',
        title: "slow instruction",
        causes: &[Cause::Execution, Cause::Interrupt],
        inferred: true,
    },
    Blame {
        letter: 'o',
        title: "prefix",
        causes: &[Cause::Prefix],
        inferred: true,
    },
    Blame {
        letter: 'f',
        title: "floating point",
        causes: &[Cause::FloatingPoint],
        inferred: true,
    },
];

/// The letter of what packets do not show.
pub const UNEXPLAINED: char = '?';
