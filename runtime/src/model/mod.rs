//! Chips as plain data: rules named after behaviour, and one timing row for each instruction form.
//!
//! Modelled: what a row or a rule says. Not modelled: anything over machine state; a chip is looked up here, never asked
//! what to do. A chip that differs from another is a file of differences with that other as its `base`.

mod geometry;
mod memory;
mod p5;
mod p54c;

pub use geometry::{CacheGeometry, Geometry, TableGeometry};
pub use memory::{MEMORY_PRESETS, MemoryPreset};

use iced_x86::Mnemonic;

/// A chip.
#[derive(Debug)]
pub struct Model {
    /// The short name `--cpu` takes.
    pub name: &'static str,
    /// The full name for reports.
    pub title: &'static str,
    /// The chip whose rows are looked up where this one has none.
    pub base: Option<&'static Model>,
    /// The sizes of its units.
    pub geometry: Geometry,
    /// Behaviour as numbers and switches.
    pub rules: Rules,
    /// Timing rows, the manual's order within each group; the first that fits is taken.
    pub rows: &'static [Row],
}

/// Every chip, the default first.
pub static MODELS: &[&Model] = &[&p54c::P54C, &p5::P5];

/// The chip called `name`, if there is one.
pub fn by_name(name: &str) -> Option<&'static Model> {
    MODELS
        .iter()
        .copied()
        .find(|model| model.name.eq_ignore_ascii_case(name))
}

impl Model {
    /// All rows that apply to this chip, its own before its base's.
    pub fn all_rows(&'static self) -> impl Iterator<Item = &'static Row> {
        let mut chips = vec![self];
        while let Some(base) = chips[chips.len() - 1].base {
            chips.push(base);
        }
        chips.into_iter().flat_map(|chip| chip.rows.iter())
    }
}

/// What a chip does where chips differ. Clocks are core clocks unless said otherwise.
#[derive(Clone, Debug)]
pub struct Rules {
    /// CPUID leaf 1 EAX: family, model, stepping.
    pub signature: u32,
    /// CPUID leaf 1 EDX: feature bits.
    pub features: u32,
    /// The longest instruction that pairs, in bytes.
    pub longest_paired: u8,
    /// Whether an instruction with both a displacement and an immediate never pairs.
    pub displacement_with_immediate_never_pairs: bool,
    /// Whether a prefixed instruction (0Fh of near Jcc excepted) goes to the U pipe only.
    pub prefixed_goes_to_u: bool,
    /// Whether an instruction of more than one byte pairs in U only after it was decoded once since its line was filled.
    pub pairs_after_first_execution: bool,
    /// Decode clocks of each prefix, and of the 0Fh of a two-byte opcode other than near Jcc.
    pub prefix_decode: u32,
    /// Clocks an address waits for a register written in the clock before.
    pub address_interlock: u32,
    /// Clocks the pipeline takes to refill after a misprediction that EX resolves.
    pub mispredicted_in_ex: u32,
    /// The same for a conditional branch in the V pipe, which WB resolves.
    pub mispredicted_in_wb: u32,
    /// Clocks added by an access that crosses an alignment boundary.
    pub misaligned: u32,
    /// Clocks the V pipe's access waits when both want the same bank.
    pub bank_conflict: u32,

    /// How many groups back a branch's own last lookup must lie for its counter to have been written back.
    pub btb_update_groups: u64,
    /// Clocks after which a microcoded instruction may use a 32-bit multiply's EDX:EAX, beyond the row's clocks.
    pub multiply_settles: u32,
}

/// Which pipe an instruction pairs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Either pipe.
    Uv,
    /// Pairs only in the U pipe.
    Pu,
    /// Pairs only in the V pipe; alone it runs in U.
    Pv,
    /// Never pairs.
    Np,
}

impl Class {
    /// The class as manuals abbreviate it.
    pub fn name(self) -> &'static str {
        match self {
            Class::Uv => "UV",
            Class::Pu => "PU",
            Class::Pv => "PV",
            Class::Np => "NP",
        }
    }
}

/// How many clocks a form takes in EX, at a data cache hit, aligned and rightly predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clocks {
    /// Always the same.
    Fixed(u32),
    /// At CPL 0; at CPL 1 to 3.
    ByPrivilege(u32, u32),
    /// Of a conditional jump that counts: not taken; taken.
    ByOutcome(u32, u32),
    /// A base, and clocks for each step of the count that execution leaves.
    PerCount(u32, u32),
    /// The same with thousandths of a clock a step, rounded to the nearest clock.
    PerCountMilli(u32, u32),
    /// A repeated string instruction: start-up, and clocks an iteration.
    PerIteration(u32, u32),
    /// ENTER: at nesting level 0, at level 1, and for each level (added to the level 1 figure) from 2 on.
    ByLevel(u32, u32, u32),
    /// PUSHA and POPA of words: usual; when ESP is a multiple of four.
    ByStackAlignment(u32, u32),
}

/// What must hold for a row to fit, all of a row's conditions together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// No memory operand.
    Register,
    /// A memory operand that is only read.
    Read,
    /// A memory operand that is only written.
    Write,
    /// A memory operand that is read and written.
    Modify,
    /// A memory operand of whatever use.
    Memory,
    /// Shift or rotate by one (opcodes D0h, D1h).
    ByOne,
    /// Shift or rotate by an immediate count, or a bit number given by an immediate.
    ByImmediate,
    /// Shift or rotate by CL.
    ByCl,
    /// 8-bit operands.
    Byte,
    /// 16-bit operands.
    Word,
    /// 32-bit operands.
    Dword,
    /// A segment register is the destination.
    ToSegment,
    /// SS is the destination.
    ToStackSegment,
    /// A segment register is the source.
    FromSegment,
    /// Two or three operands are written out.
    SeveralOperands,
    /// An immediate operand.
    Immediate,
    /// TEST in the one-byte accumulator encoding (A8h, A9h).
    ShortAccumulator,
    /// EAX, AX or AL is one of the operands (the 90h+r encoding of XCHG).
    WithAccumulator,
    /// A REP prefix.
    Repeated,
    /// A direct near target.
    Direct,
    /// A far target or return.
    Far,
    /// A control register is the destination.
    ToControl,
    /// A control register is the source.
    FromControl,
    /// A debug or test register is the destination.
    ToDebug,
    /// A debug or test register is the source.
    FromDebug,
    /// The control register is CR0.
    ControlZero,
}

/// The timing of one instruction form.
#[derive(Debug)]
pub struct Row {
    /// The form as the manual writes it, for `p5inst timings`.
    pub form: &'static str,
    /// The mnemonics it covers.
    pub mnemonics: &'static [Mnemonic],
    /// What else must hold.
    pub when: &'static [When],
    /// Where it pairs.
    pub class: Class,
    /// Clocks in EX.
    pub clocks: Clocks,
    /// Whether it waits for the write buffers and refills the prefetch queue.
    pub serializing: bool,
    /// Which document the figure is from.
    pub source: &'static str,
    /// Why the figure is uncertain, if it is.
    pub doubt: Option<&'static str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for model in MODELS {
            assert!(std::ptr::eq(by_name(model.name).expect("its own name"), *model));
        }
        assert!(by_name("p6").is_none());
    }

    #[test]
    fn a_repeated_form_and_no_other_is_timed_by_iterations() {
        for row in MODELS.iter().flat_map(|model| model.all_rows()) {
            let iterates = matches!(row.clocks, Clocks::PerIteration(..));
            assert_eq!(row.when.contains(&When::Repeated), iterates, "{}", row.form);
        }
    }
}
