//! The causes on which stalls are blamed, with their letters: those of DCPI where it has them.

use p5_results::Cause;

/// The part of a recording that shows a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// The packets of samples show it.
    ByPackets,
    /// Replaying the code with the events of the samples shows it.
    ByCode,
    /// Only exact figures show it.
    Nowhere,
}

/// A row of the table: letter, name in words, the causes of clocks that it stands for, where a recording shows it.
type Row = (char, &'static str, &'static [Cause], Told);

macro_rules! blames {
    ($($(#[$doc:meta])* $name:ident = $row:expr;)*) => {
        /// A cause of stalls.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Blame {
            $($(#[$doc])* $name,)*
        }

        impl Blame {
            /// All causes, in the order of reports.
            pub const ALL: [Blame; [$(Blame::$name),*].len()] = [$(Blame::$name),*];

            const fn row(self) -> Row {
                match self {
                    $(Blame::$name => $row,)*
                }
            }
        }
    };
}

blames! {
    /// A read waits for its line.
    DataMiss = ('d', "data cache miss", &[Cause::DataReadMiss], Told::ByPackets);
    /// The page tables are walked for data.
    DataTlb = ('D', "data TLB miss", &[Cause::DataTlbMiss], Told::ByPackets);
    /// A store waits for a write buffer, or for the stores before it.
    Store = ('w', "stores waiting", &[Cause::WriteBufferFull, Cause::WriteOrder], Told::ByCode);
    /// Decoding waits for its line.
    CodeMiss = ('i', "code cache miss", &[Cause::CodeMiss], Told::ByPackets);
    /// The page tables are walked for code.
    CodeTlb = ('I', "code TLB miss", &[Cause::CodeTlbMiss], Told::ByPackets);
    /// The prefetch queue is empty.
    Queue = ('q', "prefetch queue", &[Cause::PrefetchQueue], Told::ByCode);
    /// The pipeline is refilled.
    Misprediction = ('p', "misprediction", &[Cause::Misprediction], Told::ByPackets);
    /// An access crosses a boundary.
    Misaligned = ('m', "misaligned access", &[Cause::Misaligned], Told::ByPackets);
    /// Both accesses of a pair use the same bank.
    BankConflict = ('b', "bank conflict", &[Cause::BankConflict], Told::ByPackets);
    /// V works on when U has finished.
    Lockstep = ('l', "the other pipe", &[Cause::Lockstep], Told::ByCode);
    /// An instruction takes more than a clock.
    Slow = ('x', "slow instruction", &[Cause::Execution], Told::ByCode);
    /// An address waits for its register.
    Interlock = ('a', "address interlock", &[Cause::Agi], Told::ByCode);
    /// Prefixes are decoded.
    Prefix = ('o', "prefix", &[Cause::Prefix], Told::ByCode);
    /// The floating-point unit is not ready, or its result is not.
    FloatingPoint = ('f', "floating point", &[Cause::FloatingPoint], Told::ByCode);
    /// An access has the bus for itself, or waits until everything is written.
    Bus = (
        's',
        "locked bus, port, serialising",
        &[Cause::LockedBus, Cause::Io, Cause::Serialize],
        Told::ByCode
    );
    /// An interrupt is delivered.
    Delivery = ('e', "delivery of an interrupt", &[Cause::Interrupt], Told::Nowhere);
    /// HLT sleeps.
    Halted = ('h', "halted", &[Cause::Halted], Told::Nowhere);
}

impl Blame {
    /// The number of causes.
    pub const COUNT: usize = Blame::ALL.len();

    /// Its letter in reports.
    pub const fn letter(self) -> char {
        self.row().0
    }

    /// Its name in words.
    pub const fn title(self) -> &'static str {
        self.row().1
    }

    /// The causes of clocks that it stands for.
    pub const fn causes(self) -> &'static [Cause] {
        self.row().2
    }

    /// The part of a recording that shows it.
    pub const fn told(self) -> Told {
        self.row().3
    }

    /// Its clocks among those `of` each cause.
    pub(super) fn sum(self, of: impl Fn(Cause) -> u64) -> u64 {
        self.causes().iter().map(|&cause| of(cause)).sum()
    }
}

/// The letter of stalls without a known cause.
pub const UNEXPLAINED: char = '?';

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_but_issue_has_one_letter_of_its_own() {
        for cause in Cause::ALL {
            let blames = Blame::ALL.into_iter().filter(|blame| blame.causes().contains(cause));
            assert_eq!(blames.count(), usize::from(*cause != Cause::Issue), "{cause:?}");
        }
        for blame in Blame::ALL {
            let of_letter = Blame::ALL.into_iter().filter(|other| other.letter() == blame.letter());
            assert_eq!(of_letter.count(), 1, "{blame:?}");
            assert_ne!(blame.letter(), UNEXPLAINED);
            assert_eq!(Blame::ALL[blame as usize], blame);
        }
    }
}
