//! Which memory of a fragment, assumed for a name that it does not define or for a pointer, a fault was about.

use crate::Machine;
use iced_x86::{FlowControl, InstructionInfoFactory, OpKind, Register};
use p5_image::{Assumed, Fragment, Place, SymbolKind};
use p5_results::{Astray, Blamed, NamedMemory, ScratchMemory, StopDetail, Unlisted};
use p5_words::fault::FaultCause;

impl Machine<'_> {
    /// Adds an undefined name to a memory fault: the one whose memory ends before the address of the fault, or from
    /// whose memory a jump took its target.
    pub(crate) fn blame_names(&mut self) {
        let Some(StopDetail::Fault {
            cause,
            address,
            unlisted,
        }) = self.stop.detail
        else {
            return;
        };
        let Some(fragment) = &self.image.fragment else { return };
        if !matches!(cause, FaultCause::Page(_) | FaultCause::PastAddressSpace) {
            return;
        }
        let jumped = matches!(unlisted, Some(Unlisted::Strayed(Astray { jumped: true, .. })));
        let named = match (jumped, address) {
            (true, _) => self.named_target(fragment),
            (false, Some(address)) => self.named_before(fragment, address),
            (false, None) => None,
        };
        let scratch = address.filter(|_| !jumped && named.is_none());
        let scratch = scratch.and_then(|address| self.scratch_before(address));
        if named.is_some() || scratch.is_some() {
            let blamed: &mut Blamed = self.stop.blamed.get_or_insert_default();
            (blamed.named, blamed.scratch) = (named, scratch);
        }
    }

    /// Notes whether what faulted, or led out of the program's code, are bytes of data: code without an end runs into
    /// the data behind it.
    pub(crate) fn blame_data(&mut self) {
        let at = match self.stop.detail {
            Some(StopDetail::Fault { unlisted: None, .. }) => Some(self.state.registers.eip),
            Some(
                StopDetail::Astray(_)
                | StopDetail::Fault {
                    unlisted: Some(Unlisted::Strayed(_)),
                    ..
                },
            ) => self.left_by(),
            _ => None,
        };
        let Some(at) = at.filter(|&at| self.place(at).is_some() && self.place(at) == self.stop.place) else {
            return;
        };
        let is_data = self.image.symbols.iter().any(|symbol| {
            let named = matches!(symbol.kind, SymbolKind::Data { .. }) && !symbol.library;
            named && at.wrapping_sub(symbol.value) < symbol.size
        });
        if is_data {
            self.stop.blamed.get_or_insert_default().is_data = true;
        }
    }

    /// The scratch memory that `address` is outside of: that of a register in the operand.
    fn scratch_before(&self, address: u32) -> Option<ScratchMemory> {
        let (instruction, _) = self.instruction_at(self.state.registers.eip);
        let mut factory = InstructionInfoFactory::new();
        let accesses = factory.info(&instruction).used_memory().iter();
        let used: Vec<Register> = accesses
            .flat_map(|access| [access.base(), access.index()])
            .filter(|part| part.is_gpr())
            .map(|part| part.full_register32())
            .collect();
        let mut told = self.image.preset.assumed.iter().filter_map(|one| match one {
            Assumed::Pointer { place, bytes, .. } => match place {
                Place::Register(register) => Some((*register, *bytes)),
                Place::Memory(_) => None,
            },
            _ => None,
        });
        told.find_map(|(register, bytes)| {
            let begin = self.image.preset.registers.get(usize::from(register)).copied()??;
            let own = used.iter().any(|part| part.number() == usize::from(register));
            let outside = address.wrapping_sub(begin) >= bytes;
            (own && outside).then_some(ScratchMemory { register, bytes })
        })
    }

    /// The memory of a name, which begins there.
    fn named(&self, name: &str, jumped: bool) -> Option<(u32, NamedMemory)> {
        let symbol = self.image.symbols.iter().find(|symbol| symbol.name == name)?;
        let named = NamedMemory {
            name: name.to_owned(),
            bytes: symbol.size,
            jumped,
        };
        Some((symbol.value, named))
    }

    /// The data from which the jump that left the code took its target.
    fn named_target(&self, fragment: &Fragment) -> Option<NamedMemory> {
        let (jump, _) = self.instruction_at(self.left_by()?);
        let indirect = matches!(
            jump.flow_control(),
            FlowControl::IndirectBranch | FlowControl::IndirectCall
        );
        if !indirect || jump.op0_kind() != OpKind::Memory {
            return None;
        }
        let address = jump.memory_displacement32();
        let mut data = fragment.supplied.iter().filter_map(|one| match one {
            Assumed::Data { name, .. } => self.named(name, true),
            _ => None,
        });
        data.find(|(begin, named)| address.wrapping_sub(*begin) < named.bytes)
            .map(|(_, named)| named)
    }

    /// The memory that ends before `address`: that of the name in the operand, or else the last one.
    fn named_before(&self, fragment: &Fragment, address: u32) -> Option<NamedMemory> {
        /// The size of the zeros after all names and of a page.
        const BEHIND: u32 = 16384;
        let (instruction, _) = self.instruction_at(self.state.registers.eip);
        let mut factory = InstructionInfoFactory::new();
        let accesses = factory.info(&instruction).used_memory().iter();
        let all: Vec<(u32, NamedMemory)> = fragment
            .scratch
            .iter()
            .filter_map(|scratch| self.named(&scratch.name, false))
            .collect();
        let around = |one: u32| all.iter().any(|(begin, _)| begin.abs_diff(one) < fragment.room);
        let mut names = accesses
            .map(|access| access.displacement() as u32)
            .filter(|&one| around(one));
        let before = all
            .iter()
            .filter(|(begin, named)| address >= begin.saturating_add(named.bytes));
        let nearest = match names.next() {
            Some(name) => before.min_by_key(|(begin, _)| begin.abs_diff(name)),
            None => before
                .filter(|(begin, _)| address - begin < fragment.room + BEHIND)
                .max_by_key(|(begin, _)| *begin),
        };
        nearest.map(|(_, named)| named.clone())
    }
}
