//! Whether an EXE program of DOS uses DS or ES without having loaded it. DOS starts it with the segment of the prefix
//! (PSP) in both, in which it has no data.

use crate::Machine;
use crate::ledger::Ledger;
use iced_x86::{Decoder, DecoderOptions, Formatter, Instruction, InstructionInfoFactory, OpAccess, Register};
use p5_image::dos::PREFIX;
use p5_image::{Start, SymbolKind};
use p5_results::Note;
use p5_words::registers::{DS, ES};

impl Machine<'_> {
    /// Whether a data segment register, by its index, is still that with which DOS starts an EXE program.
    pub(crate) fn keeps_segment_of_prefix(&self, index: usize) -> bool {
        let Start::Real(start) = self.image.start else {
            return false;
        };
        let prefix = (PREFIX >> 4) as u16;
        let starts_there = start.data == prefix && start.code != prefix;
        starts_there && self.state.registers.segments[index].selector() == prefix
    }

    /// Adds notes if the program has data, accesses memory by DS or writes it by ES, and has executed nothing that
    /// loads that register. What a program reads by ES may well be its command line, which is in the prefix.
    pub(crate) fn note_data_segment(&mut self, ledger: &Ledger) {
        let has_data = self
            .image
            .symbols
            .iter()
            .any(|symbol| matches!(symbol.kind, SymbolKind::Data { .. }) && !symbol.library);
        if !has_data {
            return;
        }
        if self.keeps_segment_of_prefix(DS) && first_access(ledger, Register::DS, false).is_some() {
            self.note(Note::DataSegmentNotLoaded);
        }
        if self.keeps_segment_of_prefix(ES)
            && let Some(found) = first_access(ledger, Register::ES, true)
        {
            let mut instruction = String::new();
            self.formatter().format(&found, &mut instruction);
            self.note(Note::ExtraSegmentNotLoaded { instruction });
        }
    }
}

/// The first instruction, of those that were executed, that accesses memory by a segment register, or writes it there;
/// `None` if one loads the register.
fn first_access(ledger: &Ledger, segment: Register, write: bool) -> Option<Instruction> {
    let mut factory = InstructionInfoFactory::new();
    let mut first: Option<(u32, Instruction)> = None;
    for kept in ledger.listed() {
        let instruction = Decoder::new(16, &kept.op.bytes, DecoderOptions::NONE).decode();
        let info = factory.info(&instruction);
        let writes = |access: OpAccess| !matches!(access, OpAccess::None | OpAccess::Read | OpAccess::NoMemAccess);
        let mut registers = info.used_registers().iter();
        if registers.any(|used| used.register() == segment && writes(used.access())) {
            return None;
        }
        let wanted = |access: OpAccess| writes(access) || !write && access != OpAccess::NoMemAccess;
        let mut memory = info.used_memory().iter();
        let accesses = memory.any(|used| used.segment() == segment && wanted(used.access()));
        if accesses && first.is_none_or(|(address, _)| kept.op.address < address) {
            first = Some((kept.op.address, instruction));
        }
    }
    first.map(|(_, instruction)| instruction)
}
