//! Why a loop of a run that did not succeed goes on: its count is the address of a variable instead of what that holds,
//! or nothing in the loop changes what its ends depend on.
//!
//! The code is taken as it was executed, without its values: only what holds in every round is told. Not noticed:
//! counts that are computed from an address, and loops with calls.

use iced_x86::{ConditionCode, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};
use p5_image::{Image, Start, Symbol, SymbolKind};
use p5_results::{InstructionResult, Note, Run, StopReason};
use rustc_hash::FxHashMap;

/// The fewest rounds of a loop that seems to go on for ever.
const FEWEST: u64 = 1000;

/// An executed instruction.
struct Executed<'a> {
    instruction: Instruction,
    row: &'a InstructionResult,
}

/// The notes on a run, whose instructions are in the order of their addresses.
pub(super) fn told(image: &Image, run: &Run, decoded: impl Fn(&InstructionResult) -> Instruction) -> Vec<Note> {
    if run.stop.reason.succeeds() || run.instructions.iter().any(|row| row.changed) {
        return Vec::new();
    }
    let own = run.instructions.iter().filter(|row| !row.library);
    let mut code: Vec<Executed<'_>> = own
        .map(|row| Executed {
            instruction: decoded(row),
            row,
        })
        .collect();
    code.sort_by_key(|one| one.row.address);
    address_as_count(image, &code)
        .into_iter()
        .chain(unchanged(image, run, &code))
        .collect()
}

/// The address of a variable in a register that then counts the rounds of a loop.
fn address_as_count(image: &Image, code: &[Executed<'_>]) -> Option<Note> {
    let mut factory = InstructionInfoFactory::new();
    let data = |symbol: &&Symbol| matches!(symbol.kind, SymbolKind::Data { .. }) && !symbol.library;
    let variables = image.symbols.iter().filter(data);
    // Of several at one address, the first one.
    let variables: FxHashMap<u32, &Symbol> = variables.rev().map(|symbol| (symbol.value, symbol)).collect();
    for (at, one) in code.iter().enumerate() {
        let load = &one.instruction;
        let loads = load.mnemonic() == Mnemonic::Mov
            && load.op0_kind() == OpKind::Register
            && load.op0_register().is_gpr32()
            && load.op1_kind() == OpKind::Immediate32;
        let named = loads.then(|| variables.get(&load.immediate32())).flatten();
        let Some(symbol) = named else { continue };
        let register = load.op0_register();
        // What counts is the first instruction that writes the register again.
        let later = code.get(at + 1..)?;
        let counts = later
            .iter()
            .find(|later| writes(&mut factory, &later.instruction, register));
        let Some(counts) = counts else { continue };
        let after = later
            .iter()
            .find(|next| next.row.address == counts.instruction.next_ip32());
        let head = match counts.instruction.mnemonic() {
            Mnemonic::Loop => Some(counts.instruction.near_branch32()),
            Mnemonic::Dec => after
                .filter(|next| next.instruction.condition_code() == ConditionCode::ne)
                .map(|next| next.instruction.near_branch32()),
            _ => None,
        };
        let Some(head) = head.filter(|&head| head > one.row.address && head <= counts.row.address) else {
            continue;
        };
        let addresses = |one: &Executed<'_>| {
            let whole = |register: Register| register.full_register32();
            let operand = &one.instruction;
            whole(operand.memory_base()) == register || whole(operand.memory_index()) == register
        };
        let body = head..=counts.row.address;
        if later
            .iter()
            .any(|one| body.contains(&one.row.address) && addresses(one))
        {
            continue;
        }
        return Some(Note::AddressCounts {
            line: one.row.outermost?.1,
            register: format!("{register:?}").to_lowercase(),
            name: symbol.name.clone(),
        });
    }
    None
}

/// The loop in which a run was stopped by a limit, if nothing in it changes what its ends depend on.
fn unchanged(image: &Image, run: &Run, code: &[Executed<'_>]) -> Option<Note> {
    if !matches!(run.stop.reason, StopReason::Limit | StopReason::Timeout) || image.start != Start::Flat {
        return None;
    }
    let most = code.iter().map(|one| one.row.executions).max()?;
    // The innermost loop of the most rounds: in an outer one something may change.
    let branches = code.iter().filter(|one| {
        let branch = one.instruction.flow_control();
        let jumps = matches!(
            branch,
            FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch
        );
        let near = jumps && one.instruction.op0_kind() == OpKind::NearBranch32;
        // The last round is not complete.
        near && one.instruction.near_branch32() <= one.row.address && one.row.executions + 1 >= most.max(FEWEST)
    });
    let back = branches.min_by_key(|one| one.row.address - one.instruction.near_branch32())?;
    let body = back.instruction.near_branch32()..=back.row.address;
    let inside: Vec<&Executed<'_>> = code.iter().filter(|one| body.contains(&one.row.address)).collect();
    let plain = |one: &&Executed<'_>| {
        matches!(
            one.instruction.flow_control(),
            FlowControl::Next | FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch
        )
    };
    if !inside.iter().all(plain) {
        return None;
    }
    let mut exit = None;
    for one in inside.iter().filter(|one| is_end(&one.instruction, &inside)) {
        let read = one.instruction.rflags_read();
        let before = inside.iter().filter(|other| other.row.address < one.row.address);
        let setter = before
            .rev()
            .find(|other| other.instruction.rflags_modified() & read != 0)?;
        if read == 0 || !stays(&setter.instruction, &inside) {
            return None;
        }
        exit = Some(setter);
    }
    let exit = exit?;
    Some(Note::NeverLeft {
        line: exit.row.outermost?.1,
        instruction: exit.row.written.clone().unwrap_or_else(|| exit.row.text.clone()),
    })
}

/// Whether an instruction of a loop is a branch by which it may end: one of its ways leads to code that is not in the
/// loop, or has not been executed.
fn is_end(instruction: &Instruction, inside: &[&Executed<'_>]) -> bool {
    let conditional = instruction.flow_control() == FlowControl::ConditionalBranch;
    let executed = |address: u32| inside.iter().any(|one| one.row.address == address);
    conditional && !(executed(instruction.near_branch32()) && executed(instruction.next_ip32()))
}

/// Whether what a comparison reads is the same in all rounds of a loop.
fn stays(comparison: &Instruction, inside: &[&Executed<'_>]) -> bool {
    let mut factory = InstructionInfoFactory::new();
    if !matches!(comparison.mnemonic(), Mnemonic::Cmp | Mnemonic::Test) {
        return false;
    }
    let info = factory.info(comparison);
    let registers: Vec<Register> = info
        .used_registers()
        .iter()
        .map(|used| used.register())
        .filter(|register| register.is_gpr())
        .collect();
    let reads_memory = !info.used_memory().is_empty();
    inside.iter().all(|one| {
        let stores = factory.info(&one.instruction).used_memory().iter().any(|used| {
            !matches!(
                used.access(),
                OpAccess::Read | OpAccess::CondRead | OpAccess::None | OpAccess::NoMemAccess
            )
        });
        let changes = registers
            .iter()
            .any(|&register| writes(&mut factory, &one.instruction, register.full_register32()));
        !(changes || reads_memory && stores)
    })
}

/// Whether an instruction writes a general register, or a part of it.
fn writes(factory: &mut InstructionInfoFactory, instruction: &Instruction, register: Register) -> bool {
    factory.info(instruction).used_registers().iter().any(|used| {
        let reads = matches!(
            used.access(),
            OpAccess::None | OpAccess::Read | OpAccess::CondRead | OpAccess::NoMemAccess
        );
        !reads && used.register().is_gpr() && used.register().full_register32() == register
    })
}
