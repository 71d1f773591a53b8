//! The help where a variable of another size than the register stands for its address, as the name of an array does in
//! other languages.

use super::Program;
use crate::expression::{NodeKind, Type, Unary};
use crate::operand::CodeSize;
use crate::remedy::Remedy;
use crate::session::Session;
use crate::statement::Instruction;
use iced_x86::Register;

/// The remedy for a variable whose size is not that of the other operand, with the address of the variable if that may
/// be meant: if a register as wide as an address is to get it, and the variable has several elements or the register is
/// one that holds addresses.
pub(crate) fn with_address(
    session: &Session,
    program: &Program,
    instruction: &Instruction,
    size: CodeSize,
    rest: Remedy,
) -> Remedy {
    let kind = |place: usize| session.expressions.node(instruction.operands[place]).kind;
    if instruction.operand_count != 2 || session.names.text(instruction.mnemonic) != "mov" {
        return rest;
    }
    let (NodeKind::Register(to), mut from) = (kind(0), kind(1)) else {
        return rest;
    };
    let (whole, holds_addresses) = match size {
        CodeSize::Bits32 => (to.is_gpr32(), matches!(to, Register::ESI | Register::EDI)),
        CodeSize::Bits16 => (to.is_gpr16(), matches!(to, Register::SI | Register::DI | Register::BX)),
    };
    if !whole {
        return rest;
    }
    // IDEAL mode has brackets around every variable.
    while let NodeKind::Unary(Unary::Bracket, id) = from {
        from = session.expressions.node(id).kind;
    }
    let NodeKind::Symbol(name, procedure) = from else {
        return rest;
    };
    let index = program.symbols.index(&session.names, name, procedure);
    let Some(symbol) = program.symbols.get(index) else {
        return rest;
    };
    let Type::Bytes(element) = symbol.kind else {
        return rest;
    };
    let several = symbol.extent.max(symbol.size) > u32::from(element);
    if !several && !holds_addresses {
        return rest;
    }
    Remedy::AddressOf {
        variable: symbol.spelled.to_string(),
        register: format!("{to:?}").to_ascii_lowercase(),
        first: several,
        rest: Box::new(rest),
    }
}
