//! Every form of every name with random operands: encoded, decoded, and compared with the input.

use super::*;
use fastrand::Rng;

const GENERAL: [Register; 8] = [
    Register::EAX,
    Register::ECX,
    Register::EDX,
    Register::EBX,
    Register::ESP,
    Register::EBP,
    Register::ESI,
    Register::EDI,
];

fn one_of(random: &mut Rng, names: &[&str]) -> Operand {
    let name = random.choice(names).copied().unwrap_or("eax");
    Operand::Register(register(name).expect(name))
}

fn memory(random: &mut Rng, size: Option<u8>, code: CodeSize) -> Operand {
    let narrow = code == CodeSize::Bits16;
    let short = (random.u8(..8) == 0) != narrow;
    let mut operand = Memory {
        size,
        explicit_size: true,
        segment: if random.u8(..4) == 0 {
            Register::FS
        } else {
            Register::None
        },
        base: Register::None,
        index: Register::None,
        scale: 1,
        displacement: match random.u8(..4) {
            0 => 0,
            1 => i64::from(random.i8(..)),
            _ if short => i64::from(random.i16(..)),
            _ => i64::from(random.i32(..)),
        },
        volatile: random.u8(..4) == 0,
        has_displacement: true,
    };
    if short {
        let pairs = [
            (Register::BX, Register::SI),
            (Register::BP, Register::DI),
            (Register::BX, Register::None),
            (Register::SI, Register::None),
            (Register::BP, Register::None),
        ];
        let (base, index) = random.choice(pairs).unwrap_or((Register::BX, Register::None));
        operand.base = base;
        operand.index = index;
        return Operand::Memory(operand);
    }
    if random.bool() {
        operand.base = random.choice(GENERAL).unwrap_or(Register::EAX);
    }
    if random.bool() {
        let index = random.choice(GENERAL).unwrap_or(Register::EAX);
        if index != Register::ESP {
            operand.index = index;
            operand.scale = 1 << random.u8(..4);
        }
    }
    if narrow && operand.base == Register::None && operand.index == Register::None {
        operand.displacement = i64::from(random.u16(..));
    }
    Operand::Memory(operand)
}

fn number(random: &mut Rng, bits: u8, volatile: bool) -> Operand {
    let value = match bits {
        8 => i64::from(random.i16(-128..256)),
        16 => random.i64(-0x8000..0x1_0000),
        _ => random.i64(-0x8000_0000..0x1_0000_0000),
    };
    Operand::Immediate(Immediate {
        value,
        size: None,
        volatile,
    })
}

pub(super) fn sample(random: &mut Rng, slot: Slot, code: CodeSize) -> Operand {
    let bytes = ["al", "cl", "dl", "bl", "ah", "ch", "dh", "bh"];
    let words = ["ax", "cx", "dx", "bx", "sp", "bp", "si", "di"];
    let dwords = ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"];
    let or_memory = random.bool();
    match slot {
        Slot::R8 => one_of(random, &bytes),
        Slot::R16 => one_of(random, &words),
        Slot::R32 | Slot::WordRegister => one_of(random, &dwords),
        Slot::Rm8 if !or_memory => one_of(random, &bytes),
        Slot::Rm16 if !or_memory => one_of(random, &words),
        Slot::Rm32 | Slot::Word | Slot::WordResult if !or_memory => one_of(random, &dwords),
        Slot::Al => one_of(random, &["al"]),
        Slot::Cl => one_of(random, &["cl"]),
        Slot::Ax => one_of(random, &["ax"]),
        Slot::Dx => one_of(random, &["dx"]),
        Slot::Eax => one_of(random, &["eax"]),
        Slot::Segment | Slot::SegmentLoad => one_of(random, &["es", "ss", "ds", "fs", "gs"]),
        Slot::Es => one_of(random, &["es"]),
        Slot::Cs => one_of(random, &["cs"]),
        Slot::Ss => one_of(random, &["ss"]),
        Slot::Ds => one_of(random, &["ds"]),
        Slot::Fs => one_of(random, &["fs"]),
        Slot::Gs => one_of(random, &["gs"]),
        Slot::Control => one_of(random, &["cr0", "cr2", "cr3", "cr4"]),
        Slot::Debug => one_of(random, &["dr0", "dr3", "dr6", "dr7"]),
        Slot::Test => one_of(random, &["tr3", "tr6", "tr7"]),
        Slot::Mm => one_of(random, &["mm0", "mm3", "mm7"]),
        Slot::MmMemory | Slot::MmMemoryLow if !or_memory => one_of(random, &["mm0", "mm3", "mm7"]),
        Slot::StackTop => one_of(random, &["st"]),
        Slot::Stack => one_of(random, &["st0", "st1", "st4", "st7"]),
        Slot::Offset8 | Slot::Offset16 | Slot::Offset32 => match memory(random, slot.memory_bytes(), code) {
            Operand::Memory(memory) => Operand::Memory(Memory {
                base: Register::None,
                index: Register::None,
                scale: 1,
                displacement: match code {
                    CodeSize::Bits16 => memory.displacement & 0xFFFF,
                    CodeSize::Bits32 => memory.displacement,
                },
                ..memory
            }),
            other => other,
        },
        Slot::Imm8 => number(random, 8, false),
        Slot::Imm16 => number(random, 16, random.clone().bool()),
        Slot::Imm32 => number(random, 32, random.clone().bool()),
        Slot::Signed16 | Slot::Signed32 => Operand::Immediate(Immediate {
            value: i64::from(random.i8(..)),
            size: None,
            volatile: false,
        }),
        Slot::CalledWordSigned => Operand::Immediate(Immediate {
            value: i64::from(random.i8(..)),
            size: Some(2),
            volatile: false,
        }),
        Slot::CalledDwordSigned => Operand::Immediate(Immediate {
            value: i64::from(random.i8(..)),
            size: Some(4),
            volatile: false,
        }),
        Slot::CalledDword => Operand::Immediate(Immediate {
            value: i64::from(random.u32(..)),
            size: Some(4),
            volatile: false,
        }),
        Slot::CalledWord => Operand::Immediate(Immediate {
            value: i64::from(random.u16(..)),
            size: Some(2),
            volatile: false,
        }),
        Slot::One => Operand::Immediate(Immediate {
            value: 1,
            size: None,
            volatile: false,
        }),
        Slot::Three => Operand::Immediate(Immediate {
            value: 3,
            size: None,
            volatile: false,
        }),
        Slot::Short => {
            let address = 0x1000u32.wrapping_add_signed(i32::from(random.i8(-100..100)));
            Operand::Target(Target {
                address,
                distance: Distance::Short,
            })
        }
        Slot::Near => Operand::Target(Target {
            address: match code {
                CodeSize::Bits16 => u32::from(random.u16(..)),
                CodeSize::Bits32 => random.u32(..),
            },
            distance: Distance::Near,
        }),
        Slot::FarPointer => Operand::FarPointer {
            selector: random.u16(..),
            offset: match code {
                CodeSize::Bits16 => u32::from(random.u16(..)),
                CodeSize::Bits32 => random.u32(..),
            },
            wide: false,
        },
        Slot::FarPointerWide => Operand::FarPointer {
            selector: random.u16(..),
            offset: random.u32(..),
            wide: true,
        },
        Slot::MemoryOther => memory(random, Some(Memory::OTHER_POINTER), code),
        _ => memory(random, slot.memory_bytes(), code),
    }
}

/// Compares one operand of the decoded instruction with the operand in the source.
fn same(decoded: &Instruction, place: u32, fill: Fill, operands: &[Operand], code: CodeSize) -> Result<(), String> {
    let fail = |what: &str| Err(format!("operand {place}: {what}"));
    let given = |index: u8| operands.get(usize::from(index)).copied();
    let value = |index: u8| match given(index) {
        Some(Operand::Immediate(immediate)) => immediate.value,
        other => panic!("no number: {other:?}"),
    };
    match fill {
        Fill::Fixed(register) if decoded.op_register(place) != register => fail("another register"),
        Fill::Number(number) if decoded.immediate8() != number => fail("another number"),
        Fill::Operand(index) | Fill::Widened(index) | Fill::Narrowed(index) => match given(index) {
            Some(Operand::Register(register)) => {
                let found = decoded.op_register(place);
                let other = match fill {
                    Fill::Narrowed(_) => registers::narrowed(register),
                    _ => registers::widened(register),
                };
                if found == register || other == found {
                    Ok(())
                } else {
                    fail(&format!("{found:?} instead of {register:?}"))
                }
            }
            Some(Operand::Target(target)) if decoded.near_branch_target() != u64::from(target.address) => {
                fail("another target")
            }
            Some(Operand::FarPointer { selector, offset, .. })
                if decoded.far_branch_selector() != selector
                    || offset
                        != match decoded.op_kind(place) {
                            OpKind::FarBranch16 => u32::from(decoded.far_branch16()),
                            _ => decoded.far_branch32(),
                        } =>
            {
                fail("another far target")
            }
            Some(Operand::Memory(memory)) => {
                let plain = memory.base == Register::None && memory.index == Register::None;
                let short = memory.base.is_gpr16() || (plain && code == CodeSize::Bits16);
                let mask = if short { 0xFFFF } else { 0xFFFF_FFFF };
                let wanted = memory.displacement as u64 & mask;
                let registers = (decoded.memory_base(), decoded.memory_index());
                if decoded.op_kind(place) != OpKind::Memory || registers != (memory.base, memory.index) {
                    return fail(&format!("other address registers {registers:?}"));
                }
                if memory.index != Register::None && decoded.memory_index_scale() != u32::from(memory.scale) {
                    return fail("another factor");
                }
                if decoded.memory_displacement64() & mask != wanted {
                    return fail("another displacement");
                }
                let full = if short { 2 } else { 4 };
                if memory.volatile && decoded.memory_displ_size() != full {
                    return fail("a short displacement that may grow");
                }
                if memory.segment != Register::None && decoded.memory_segment() != memory.segment {
                    return fail("another segment");
                }
                Ok(())
            }
            _ => Ok(()),
        },
        Fill::Immediate8(index) if decoded.immediate(place) as u8 != value(index) as u8 => fail("another number"),
        Fill::Immediate8Second(index) if decoded.immediate8_2nd() != value(index) as u8 => fail("another number"),
        Fill::Immediate16(index) | Fill::Immediate8To16(index)
            if decoded.immediate(place) as u16 != value(index) as u16 =>
        {
            fail("another number")
        }
        Fill::Immediate32(index) | Fill::Immediate8To32(index)
            if decoded.immediate(place) as u32 != value(index) as u32 =>
        {
            fail("another number")
        }
        _ => Ok(()),
    }
}

/// Compares the decoded instruction through the form that was selected, because an earlier form may accept the same
/// operands.
fn check(name: &Name, text: &str, operands: &[Operand], table: &Table) -> Result<Code, String> {
    let place = Place {
        address: 0x1000,
        size: table.size,
    };
    let encoded = encode(text, Prefixes::NONE, operands, place).map_err(|error| format!("{error:?}"))?;
    let decoded = instruction_of(table.size, encoded.as_slice());
    // The decoder does not distinguish `xchg eax,eax` from `nop`, nor a waiting form from WAIT and an instruction.
    let forms = table.forms.get(name.forms.clone()).unwrap_or_default();
    let chosen = forms
        .iter()
        .filter(|form| form.code == decoded.code() && form.count() == operands.len())
        .find(|form| {
            (0u32..)
                .zip(form.fills.iter().take(usize::from(form.filled)))
                .all(|(place, &fill)| same(&decoded, place, fill, operands, table.size).is_ok())
        });
    match chosen {
        Some(form) => Ok(form.code),
        None => Err(format!("{:02X?} is {:?}", encoded.as_slice(), decoded.code())),
    }
}

#[test]
fn every_form_decodes_to_what_was_written() {
    for size in [CodeSize::Bits32, CodeSize::Bits16] {
        every_form_of(size);
    }
}

fn every_form_of(size: CodeSize) {
    let seed = p5_seeds::seed();
    let mut random = Rng::with_seed(seed);
    let table = Table::get(size);
    let place = Place { address: 0x1000, size };
    let mut codes = HashSet::new();
    let mut wrong = Vec::new();
    let mut tried = 0;
    for name in &table.names {
        if name.string.is_some() {
            continue;
        }
        for form in table.forms.get(name.forms.clone()).unwrap_or_default() {
            let waits = form.code.op_code().fwait();
            for _ in 0..if form.count() == 0 { 1 } else { 60 } {
                let operands: Vec<Operand> = form
                    .slots
                    .iter()
                    .filter(|&&slot| slot != Slot::Absent)
                    .map(|&slot| sample(&mut random, slot, size))
                    .collect();
                tried += 1;
                if waits {
                    let encoded = encode(&name.text, Prefixes::NONE, &operands, place);
                    assert_eq!(
                        encoded.map(|encoded| encoded.bytes[0]),
                        Ok(0x9B),
                        "{} {operands:?}",
                        name.text
                    );
                    codes.insert(form.code);
                    continue;
                }
                if name.text == "xchg" && operands[0] == operands[1] {
                    codes.insert(form.code);
                    continue;
                }
                match check(name, &name.text, &operands, table) {
                    Ok(code) => {
                        codes.insert(code);
                    }
                    Err(error) => wrong.push(format!("{} {operands:?}: {error}", name.text)),
                }
            }
        }
    }
    wrong.truncate(12);
    assert!(wrong.is_empty(), "seed {seed}:\n{}", wrong.join("\n"));
    let all: HashSet<Code> = table
        .names
        .iter()
        .filter(|name| name.string.is_none())
        .flat_map(|name| table.forms.get(name.forms.clone()).unwrap_or_default())
        .map(|form| form.code)
        .collect();
    let never: Vec<&Code> = all.difference(&codes).collect();
    eprintln!("{tried} instructions, {} forms", codes.len());
    // Registers only use the load direction, so every form must have come up.
    assert!(never.is_empty(), "never chosen: {never:?}");
    assert!(codes.len() > 600, "only {} forms are known", codes.len());
}

#[test]
fn whatever_is_written_is_one_instruction_or_refused() {
    for size in [CodeSize::Bits32, CodeSize::Bits16] {
        whatever_is_written_in(size);
    }
}

fn whatever_is_written_in(size: CodeSize) {
    let seed = p5_seeds::seed();
    let mut random = Rng::with_seed(seed);
    let slots = [
        Slot::R8,
        Slot::R16,
        Slot::R32,
        Slot::Rm8,
        Slot::Rm32,
        Slot::Segment,
        Slot::Control,
        Slot::Debug,
        Slot::Test,
        Slot::Mm,
        Slot::Stack,
        Slot::Memory16,
        Slot::Memory48,
        Slot::Memory64,
        Slot::Memory80,
        Slot::Offset32,
        Slot::Imm8,
        Slot::Imm16,
        Slot::Imm32,
        Slot::CalledWord,
        Slot::Near,
        Slot::Short,
        Slot::FarPointer,
    ];
    let all_registers: Vec<Register> = Register::values().collect();
    let repeats = [
        RepeatPrefix::None,
        RepeatPrefix::Rep,
        RepeatPrefix::Repe,
        RepeatPrefix::Repne,
    ];
    let segments = [Register::None, Register::ES, Register::GS, Register::EAX];
    let mut encoded = 0;
    let names = &Table::get(size).names;
    for _ in 0..100_000 {
        let name = &names[random.usize(..names.len())];
        let mut operands: Vec<Operand> = (0..random.usize(..5))
            .map(|_| {
                let slot = random.choice(slots).unwrap_or(Slot::R32);
                sample(&mut random, slot, size)
            })
            .collect();
        if let (Some(Operand::Memory(memory)), 0) = (operands.first_mut(), random.u8(..4)) {
            memory.size = [None, Some(1), Some(3), Some(0)][random.usize(..4)];
            memory.base = all_registers[random.usize(..all_registers.len())];
            memory.index = all_registers[random.usize(..all_registers.len())];
            memory.segment = all_registers[random.usize(..all_registers.len())];
            memory.scale = random.u8(..10);
            memory.displacement = random.i64(..);
        }
        let plain = random.u8(..4) != 0;
        let prefixes = Prefixes {
            lock: !plain && random.bool(),
            repeat: if plain {
                RepeatPrefix::None
            } else {
                random.choice(repeats).unwrap_or_default()
            },
            of_operand: false,
            segment: if plain {
                Register::None
            } else {
                random.choice(segments).unwrap_or(Register::None)
            },
            lengthen: false,
            no_near: false,
            compiled: false,
            stores: false,
        };
        let address = match size {
            CodeSize::Bits16 => u32::from(random.u16(..)),
            CodeSize::Bits32 => random.u32(..),
        };
        match encode(&name.text, prefixes, &operands, Place { address, size }) {
            Ok(found) => {
                encoded += 1;
                let bytes = found.as_slice();
                // A waiting form is WAIT followed by an instruction.
                let waits = bytes.len() > 1 && bytes.first() == Some(&0x9B);
                let decoded = instruction_of(size, bytes.get(usize::from(waits)..).unwrap_or_default());
                assert!(
                    !decoded.is_invalid(),
                    "seed {seed}: {} {operands:?} is {bytes:02X?}",
                    name.text
                );
            }
            Err(error) => {
                assert!(
                    !error.message.is_empty() && !error.message.ends_with('.'),
                    "seed {seed}: {error:?}"
                );
                assert!(
                    !error.message.contains("encoded so"),
                    "seed {seed}: {} {operands:?}: {error:?}",
                    name.text
                );
            }
        }
    }
    assert!(encoded > 5_000, "only {encoded} were encoded, seed {seed}");
}
