//! Whether an EXE program of DOS uses DS without having loaded it. DOS starts it with the segment of the prefix (PSP),
//! in which it has no data.

use crate::Machine;
use crate::ledger::Ledger;
use iced_x86::{Decoder, DecoderOptions, InstructionInfoFactory, OpAccess, Register};
use p5_image::dos::PREFIX;
use p5_image::{Start, SymbolKind};
use p5_results::Note;
use p5_words::registers::DS;

impl Machine<'_> {
    /// Whether DS is still that with which DOS starts an EXE program.
    pub(crate) fn keeps_segment_of_prefix(&self) -> bool {
        let Start::Real(start) = self.image.start else {
            return false;
        };
        let prefix = (PREFIX >> 4) as u16;
        let starts_there = start.data == prefix && start.code != prefix;
        starts_there && self.state.registers.segments[DS].selector() == prefix
    }

    /// Adds a note if the program has data, accesses memory by DS, and has executed nothing that loads DS.
    pub(crate) fn note_data_segment(&mut self, ledger: &Ledger) {
        let has_data = self
            .image
            .symbols
            .iter()
            .any(|symbol| matches!(symbol.kind, SymbolKind::Data { .. }) && !symbol.library);
        if !has_data || !self.keeps_segment_of_prefix() {
            return;
        }
        let mut factory = InstructionInfoFactory::new();
        let mut accesses = false;
        for kept in ledger.listed() {
            let instruction = Decoder::new(16, &kept.op.bytes, DecoderOptions::NONE).decode();
            let info = factory.info(&instruction);
            let loads = |access: OpAccess| !matches!(access, OpAccess::None | OpAccess::Read | OpAccess::NoMemAccess);
            let mut registers = info.used_registers().iter();
            if registers.any(|used| used.register() == Register::DS && loads(used.access())) {
                return;
            }
            let mut memory = info.used_memory().iter();
            accesses |= memory.any(|used| used.segment() == Register::DS && used.access() != OpAccess::NoMemAccess);
        }
        if accesses {
            self.note(Note::DataSegmentNotLoaded);
        }
    }
}
