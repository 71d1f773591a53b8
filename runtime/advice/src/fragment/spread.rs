//! How far an access may be from its pointer because only bytes of a register change: those of an index, or those of
//! the pointer itself.

use super::Choice;
use super::uses::Access;
use iced_x86::{Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};

/// Whether an instruction sets a part of this register and no more.
fn sets(instruction: &Instruction, part: Register) -> bool {
    part != Register::None && instruction.op0_register() == part && writes_first(instruction)
}

/// Whether an instruction writes to its first operand, a register.
fn writes_first(instruction: &Instruction) -> bool {
    let writes = |access: OpAccess| {
        matches!(
            access,
            OpAccess::Write | OpAccess::ReadWrite | OpAccess::CondWrite | OpAccess::ReadCondWrite
        )
    };
    let mut factory = InstructionInfoFactory::new();
    instruction.op0_kind() == OpKind::Register && writes(factory.info(instruction).op0_access())
}

impl Choice<'_> {
    /// The bytes over which an index moves an access, if the code sets only bytes of the index, or widens a byte to it.
    pub(super) fn spread(&self, access: &Access) -> i64 {
        let at = &self.flow.code[access.at];
        let bits = matches!(
            at.mnemonic(),
            Mnemonic::Bt | Mnemonic::Bts | Mnemonic::Btr | Mnemonic::Btc
        );
        if bits && at.op0_kind() == OpKind::Memory && at.op1_kind() == OpKind::Register {
            return i64::from(self.share());
        }
        let scaled = [
            (at.memory_base(), 1),
            (at.memory_index(), i64::from(at.memory_index_scale())),
        ];
        // A single register is the pointer itself, unless the memory has a name.
        let alone = scaled.iter().any(|(register, _)| !register.is_gpr());
        if alone && access.pointer.is_some() {
            return 0;
        }
        let of_byte = |register: Register| {
            register.size() == 1
                || self.flow.code.iter().any(|one| {
                    let low = one.op0_register().size() == 1 && writes_first(one);
                    let widened = one.mnemonic() == Mnemonic::Movzx && one.op1_register().size() == 1
                        || one.mnemonic() == Mnemonic::Movzx && one.memory_size().size() == 1;
                    one.op0_kind() == OpKind::Register
                        && one.op0_register().full_register32() == register.full_register32()
                        && (low || widened)
                })
        };
        let half = |register: Register, high: bool| {
            self.flow.code.iter().any(|one| {
                let set = one.op0_register();
                let written = set.size() == 1 && writes_first(one);
                let is_high = matches!(set, Register::AH | Register::CH | Register::DH | Register::BH);
                written && is_high == high && set.full_register32() == register.full_register32()
            })
        };
        // Rows of a texture are often in the high byte, and columns in the low one.
        let reach = |register: Register| match half(register, false) && half(register, true) {
            true => 0xFFFF,
            false => 0xFF,
        };
        let spread = scaled
            .iter()
            .filter(|(register, _)| register.is_gpr() && of_byte(*register));
        spread
            .map(|&(register, scale)| reach(register) * scale)
            .max()
            .unwrap_or(0)
    }

    /// The bytes within which a pointer goes round, if the code changes only bytes of it, or its lower half: it begins
    /// at a multiple of them. 0 if it does not.
    pub(super) fn wrapped(&self, access: &Access) -> u32 {
        let at = &self.flow.code[access.at];
        let base = at.memory_base();
        if self.flow.width.is_narrow() || !base.is_gpr32() || at.memory_index() != Register::None {
            return 0;
        }
        // As long as the register holds the pointer.
        let changed = |part: Register| {
            let mut code = self.flow.code.iter().enumerate();
            code.any(|(number, one)| {
                let state = self.flow.states.get(number).and_then(Option::as_ref);
                let value = state.map_or(0, |state| {
                    let value = state.value(base);
                    let exact = value.exact.and_then(|(origin, _)| origin);
                    value.sum | value.other | exact.map_or(0, |origin| 1 << origin)
                });
                sets(one, part) && access.pointer.is_some_and(|pointer| value & 1 << pointer != 0)
            })
        };
        let [low, high, half] = match base {
            Register::EAX => [Register::AL, Register::AH, Register::AX],
            Register::EBX => [Register::BL, Register::BH, Register::BX],
            Register::ECX => [Register::CL, Register::CH, Register::CX],
            Register::EDX => [Register::DL, Register::DH, Register::DX],
            Register::ESI => [Register::None, Register::None, Register::SI],
            Register::EDI => [Register::None, Register::None, Register::DI],
            _ => return 0,
        };
        match (changed(high) || changed(half), changed(low)) {
            (true, _) => 1 << 16,
            (false, true) => 1 << 8,
            (false, false) => 0,
        }
    }
}
