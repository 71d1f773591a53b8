//! A processor in protected mode with descriptor tables, a task and two stacks.

use runtime::exec::{Exit, State, compile, run};
use runtime::fault::Fault;
use runtime::memory::Memory;
use runtime::model::MODELS;
use runtime::registers::{Registers, SystemSegment, TableRegister};

pub(crate) const CODE: u32 = 0x1000;
pub(crate) const GLOBAL: u32 = 0x5000;
pub(crate) const INTERRUPTS: u32 = 0x6000;
pub(crate) const TASK: u32 = 0x7000;
pub(crate) const LOCAL: u32 = 0x7800;
pub(crate) const OUTER_STACK: u32 = 0x9000;
pub(crate) const INNER_STACK: u32 = 0xA000;

/// Descriptors of segments, by selector: base, limit, access byte, flags.
#[rustfmt::skip] // One case per row.
const SEGMENTS: &[(u16, u32, u32, u8, u8)] = &[
    (0x08, 0, 0xF_FFFF, 0x9A, 0xC),      // code, level 0
    (0x10, 0, 0xF_FFFF, 0x92, 0xC),      // data, level 0
    (0x18, 0, 0xF_FFFF, 0xFA, 0xC),      // code, level 3
    (0x20, 0, 0xF_FFFF, 0xF2, 0xC),      // data, level 3
    (0x28, 0, 0xF_FFFF, 0x12, 0xC),      // data, not present
    (0x30, 0, 0xF_FFFF, 0x98, 0xC),      // code that cannot be read
    (0x38, 0, 0xF_FFFF, 0x90, 0xC),      // data that cannot be written
    (0x40, 0, 0xF_FFFF, 0x9E, 0xC),      // conforming code
    (0x48, 0x9000, 0x0FFF, 0x96, 4),     // data that expands down
    (0x50, 0xA000, 0x00FF, 0xF2, 4),     // 256 bytes of data, level 3
    (0x58, LOCAL, 0x0F, 0x82, 0),        // the local table
    (0x60, TASK, 0x67, 0x89, 0),         // a task state segment
    (0x80, 0, 0xF_FFFF, 0x1A, 0xC),      // code, not present
    (0x88, CODE, 0x0FFF, 0x9A, 4),       // 4 KiB of code
    (0xA8, 0, 0, 0x80, 0),               // no descriptor
    (0xB0, 0x9000, 0x0FFF, 0x96, 0),     // data that expands down, with 16-bit offsets
    (0xB8, TASK, 0x67, 0x8B, 0),         // a busy task state segment
    (0xC0, LOCAL, 0x0F, 0x02, 0),        // a local table that is not present
];

/// Call gates, by selector: selector and offset of the target, access byte, parameters.
#[rustfmt::skip] // One case per row.
const GATES: &[(u16, u16, u32, u8, u8)] = &[
    (0x68, 0x08, 0x2000, 0xEC, 2), // to level 0, for all
    (0x70, 0x08, 0x2000, 0x6C, 0), // not present
    (0x78, 0x08, 0x2000, 0x8C, 0), // for level 0
    (0x90, 0x18, 0x2000, 0xEC, 0), // to level 3
    (0xA0, 0x10, 0x2000, 0xEC, 0), // to data
];

pub(crate) fn segment((_, base, limit, access, flags): (u16, u32, u32, u8, u8)) -> [u32; 2] {
    let high =
        base & 0xFF00_0000 | u32::from(flags) << 20 | limit & 0xF_0000 | u32::from(access) << 8 | base >> 16 & 0xFF;
    [base << 16 | limit & 0xFFFF, high]
}

pub(crate) fn gate(selector: u16, offset: u32, access: u8, parameters: u8) -> [u32; 2] {
    let high = offset & 0xFFFF_0000 | u32::from(access) << 8 | u32::from(parameters);
    [u32::from(selector) << 16 | offset & 0xFFFF, high]
}

pub(crate) fn store(memory: &mut Memory, address: u32, words: &[u32]) {
    for (index, &word) in (0..).zip(words) {
        memory.write_u32(address + 4 * index, word).expect("mapped");
    }
}

/// A processor at privilege level 0 or 3 with tables, a task and two stacks, before it executes `code`.
pub(crate) fn processor(cpl: u8, code: &[u8]) -> State {
    let mut memory = Memory::new();
    memory.map(CODE, 0xA000, true).expect("maps");
    memory.load(CODE, code).expect("mapped");
    for &row in SEGMENTS {
        store(&mut memory, GLOBAL + u32::from(row.0), &segment(row));
    }
    for &(selector, target, offset, access, parameters) in GATES {
        let words = gate(target, offset, access, parameters);
        store(&mut memory, GLOBAL + u32::from(selector), &words);
    }
    store(&mut memory, LOCAL + 8, &segment((0xC, 0, 0xF_FFFF, 0xF2, 0xC)));
    store(&mut memory, TASK + 4, &[INNER_STACK, 0x10]);
    let mut registers = Registers::flat(cpl);
    registers.gdtr = TableRegister {
        base: GLOBAL,
        limit: 0xC7,
    };
    registers.ldtr = SystemSegment {
        selector: 0x58,
        base: LOCAL,
        limit: 0x0F,
        wide: false,
    };
    registers.task = SystemSegment {
        selector: 0x60,
        base: TASK,
        limit: 0x67,
        wide: true,
    };
    registers.eip = CODE;
    registers.general[4] = OUTER_STACK - 0x100;
    State::new(registers, memory)
}

/// Executes from EIP as long as instructions are consecutive in the code, each in the mode that the previous one left.
/// Returns the fault that ends it.
pub(crate) fn execute(state: &mut State, length: usize) -> Option<Fault> {
    let end = CODE + length as u32;
    while (CODE..end).contains(&state.registers.eip) {
        let mode = state.registers.mode();
        let mut bytes = [0; 15];
        let available = state.memory.fetch(state.registers.eip, &mut bytes);
        let offset = state.registers.instruction_pointer();
        let isa = MODELS[0].isa;
        let instruction = isa.decoder(mode.bits(), &bytes[..available], offset).decode();
        let op = compile(&instruction, isa, &mode);
        match run(&[op], state).exit {
            Exit::Next => {}
            Exit::Fault(fault) => return Some(fault),
            Exit::Request(request) => panic!("{request:?}"),
        }
    }
    None
}
