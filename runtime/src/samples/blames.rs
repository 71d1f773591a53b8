//! What stalls are blamed on: the causes with their letters, which are those of DCPI where it has them.

use crate::run::Cause;

/// Where a recording tells of a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// The packets of samples show it.
    ByPackets,
    /// It is inferred from the code.
    ByCode,
    /// Nowhere: only exact figures do.
    Nowhere,
}

/// A cause of stalls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blame {
    /// Its letter.
    pub letter: char,
    /// What it is.
    pub title: &'static str,
    /// The causes of clocks that it stands for.
    pub causes: &'static [Cause],
    /// What tells of it.
    pub told: Told,
}

/// The causes, in the order of the figures in a [`StallRow`].
pub const BLAMES: [Blame; 14] = [
    Blame {
        letter: 'd',
        title: "data cache miss",
        causes: &[Cause::DataReadMiss],
        told: Told::ByPackets,
    },
    Blame {
        letter: 'D',
        title: "data TLB miss",
        causes: &[Cause::DataTlbMiss],
        told: Told::ByPackets,
    },
    Blame {
        letter: 'i',
        title: "code cache miss",
        causes: &[Cause::CodeMiss, Cause::PrefetchQueue],
        told: Told::ByPackets,
    },
    Blame {
        letter: 'I',
        title: "code TLB miss",
        causes: &[Cause::CodeTlbMiss],
        told: Told::ByPackets,
    },
    Blame {
        letter: 'p',
        title: "misprediction",
        causes: &[Cause::Misprediction],
        told: Told::ByPackets,
    },
    Blame {
        letter: 'm',
        title: "misaligned access",
        causes: &[Cause::Misaligned],
        told: Told::ByPackets,
    },
    Blame {
        letter: 'b',
        title: "bank conflict",
        causes: &[Cause::BankConflict],
        told: Told::ByPackets,
    },
    Blame {
        letter: 'l',
        title: "the other pipe",
        causes: &[Cause::Lockstep],
        told: Told::ByCode,
    },
    Blame {
        letter: 'a',
        title: "address interlock",
        causes: &[Cause::Agi],
        told: Told::ByCode,
    },
    Blame {
        letter: 'x',
        title: "slow instruction",
        causes: &[Cause::Execution],
        told: Told::ByCode,
    },
    Blame {
        letter: 'o',
        title: "prefix",
        causes: &[Cause::Prefix],
        told: Told::ByCode,
    },
    Blame {
        letter: 'f',
        title: "floating point",
        causes: &[Cause::FloatingPoint],
        told: Told::ByCode,
    },
    Blame {
        letter: 'e',
        title: "delivery of an interrupt",
        causes: &[Cause::Interrupt],
        told: Told::Nowhere,
    },
    Blame {
        letter: 'h',
        title: "halted",
        causes: &[Cause::Halted],
        told: Told::Nowhere,
    },
];

/// The letter of what packets do not show.
pub const UNEXPLAINED: char = '?';
