//! Which data that the source gives no kind hold reals: `dd ?` and `dq ?` that executed code loads or stores as reals.
//!
//! Not noticed: reals that are only accessed by pointers without the name of the data.

use crate::Machine;
use crate::decode::decoded;
use iced_x86::{Instruction, MemorySize, Mnemonic, OpKind, Register};
use p5_image::{ElementKind, Symbol, SymbolKind};
use p5_results::InstructionResult;
use p5_words::registers::{CS, DS, ES, FS, GS, SS};

/// The addresses that the program's own instructions name, in order, with the bytes at each.
#[derive(Default)]
pub(super) struct Reals {
    reals: Vec<(u32, u32)>,
    // Those of integers of the floating-point unit, and what integer instructions compute.
    integers: Vec<u32>,
}

impl Reals {
    /// Whether the elements of this data are reals.
    pub(super) fn hold(&self, symbol: &Symbol, element: u32) -> bool {
        let begin = self.reals.partition_point(|&(address, _)| address < symbol.value);
        let inside = |address: u32| address.wrapping_sub(symbol.value) < symbol.size;
        let mut reals = self.reals[begin..].iter().take_while(|&&(address, _)| inside(address));
        let integer = self.integers.partition_point(|&address| address < symbol.value);
        reals.any(|&(_, size)| size == element) && !self.integers.get(integer).copied().is_some_and(inside)
    }
}

impl Machine<'_> {
    /// What the executed instructions tell of data without a kind.
    pub(super) fn reals(&self, instructions: &[InstructionResult]) -> Reals {
        let mut found = Reals::default();
        let unknown = |symbol: &Symbol| match symbol.kind {
            SymbolKind::Data {
                kind: ElementKind::Unsigned,
                element,
            } => matches!(element, 4 | 8 | 10) && !symbol.library,
            _ => false,
        };
        if !self.image.symbols.iter().any(unknown) {
            return found;
        }
        for row in instructions.iter().filter(|row| row.executions > 0 && !row.library) {
            let decoded = decoded(self.image, row);
            let Some(address) = self.named_by(&decoded) else {
                continue;
            };
            match decoded.memory_size() {
                MemorySize::Float32 | MemorySize::Float64 | MemorySize::Float80 => {
                    found.reals.push((address, decoded.memory_size().size() as u32));
                }
                _ if computes(&decoded) => found.integers.push(address),
                _ => {}
            }
        }
        found.reals.sort_unstable();
        found.integers.sort_unstable();
        found
    }

    /// The linear address that the displacement of an instruction's memory operand is.
    fn named_by(&self, decoded: &Instruction) -> Option<u32> {
        if decoded.memory_displ_size() < 2 || decoded.memory_size() == MemorySize::Unknown {
            return None;
        }
        let segment = match decoded.memory_segment() {
            Register::ES => ES,
            Register::CS => CS,
            Register::SS => SS,
            Register::FS => FS,
            Register::GS => GS,
            _ => DS,
        };
        let base = self.state.registers.segments[segment].base();
        Some(base.wrapping_add(decoded.memory_displacement32()))
    }
}

/// Whether an instruction takes its memory operand for an integer: all that do not only copy it.
fn computes(decoded: &Instruction) -> bool {
    let copies = matches!(
        decoded.mnemonic(),
        Mnemonic::Mov | Mnemonic::Push | Mnemonic::Pop | Mnemonic::Lea
    );
    let memory = (0..decoded.op_count()).any(|operand| decoded.op_kind(operand) == OpKind::Memory);
    memory && !copies
}
