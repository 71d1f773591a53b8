//! Tests of selection: classic forms byte by byte, a round trip of every form, rejected operands, and NASM if it is
//! installed.

use super::*;
use crate::dialect::wording;
use crate::operand::Distance;
use forms::Fill;
use iced_x86::{Code, Decoder, DecoderOptions};
use std::collections::HashSet;

mod classic;
mod narrow;
mod notation;
mod oracle;
mod refused;
mod round_trip;
mod speed;
mod strings;

use classic::CLASSIC;
use narrow::NARROW;
use notation::{instruction, instruction_of, parse};
use refused::REFUSED;

impl Encoded {
    fn as_slice(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

fn wide(address: u32) -> Place {
    Place {
        address,
        size: CodeSize::Bits32,
    }
}

fn hex(text: &str) -> Result<String, SelectError> {
    let (mnemonic, prefixes, operands) = parse(text);
    let encoded = encode(&mnemonic, prefixes, &operands, wide(0x1000))?;
    Ok(encoded
        .as_slice()
        .iter()
        .map(|byte| format!("{byte:02X}"))
        .collect::<Vec<_>>()
        .join(" "))
}

/// The remedy of an error in the words of the default dialect.
fn worded(error: &SelectError) -> String {
    error.help.as_ref().map_or(String::new(), wording)
}

#[test]
fn classic_forms_are_those_of_masm() {
    let mut wrong = Vec::new();
    for &(text, expected) in CLASSIC {
        match hex(text) {
            Ok(bytes) if bytes == expected => {}
            Ok(bytes) => wrong.push(format!("{text}: {bytes}, should be {expected}")),
            Err(error) => wrong.push(format!("{text}: {error:?}")),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        CLASSIC.len(),
        wrong.join("\n")
    );
}

#[test]
fn forms_of_16_bit_code_are_those_of_another_assembler() {
    // The order of an instruction's prefixes differs between assemblers.
    let sorted = |bytes: &[u8]| {
        let count = bytes
            .iter()
            .take_while(|byte| matches!(byte, 0x26 | 0x2E | 0x36 | 0x3E | 0x64..=0x67 | 0xF0 | 0xF2 | 0xF3))
            .count();
        let mut bytes = bytes.to_vec();
        bytes[..count].sort_unstable();
        bytes
    };
    let mut wrong = Vec::new();
    for &(text, expected) in NARROW {
        let expected: Vec<u8> = expected
            .split(' ')
            .map(|byte| u8::from_str_radix(byte, 16).expect(text))
            .collect();
        let (mnemonic, prefixes, operands) = parse(text);
        let place = Place {
            address: 0x1000,
            size: CodeSize::Bits16,
        };
        match encode(&mnemonic, prefixes, &operands, place) {
            Ok(encoded) if sorted(encoded.as_slice()) == sorted(&expected) => {}
            other => wrong.push(format!("{text}: {other:02X?}, should be {expected:02X?}")),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        NARROW.len(),
        wrong.join("\n")
    );
}

#[test]
fn refusals_say_what_is_wrong_and_what_would_do() {
    let mut wrong = Vec::new();
    for &(text, message, help) in REFUSED {
        match hex(text) {
            Err(error) if error.message == message && worded(&error) == help => {}
            other => wrong.push(format!("{text}: {other:?}")),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        REFUSED.len(),
        wrong.join("\n")
    );
}

#[test]
fn only_an_open_choice_may_grow() {
    let relaxable = |text: &str| {
        let (mnemonic, prefixes, operands) = parse(text);
        encode(&mnemonic, prefixes, &operands, wide(0x1000)).map(|encoded| encoded.relaxable)
    };
    assert_eq!(relaxable("jmp to 1010h"), Ok(true));
    assert_eq!(relaxable("jc to 1010h"), Ok(true));
    assert_eq!(relaxable("jmp to 2000h"), Ok(false));
    assert_eq!(relaxable("jmp short to 1010h"), Ok(false));
    assert_eq!(relaxable("loop to 1010h"), Ok(false));
    assert_eq!(relaxable("call to 1010h"), Ok(false));
}

#[test]
fn instructions_that_take_a_target_are_the_direct_branches() {
    for name in &Table::get(CodeSize::Bits32).names {
        let text = name.text.as_str();
        let branches = text.starts_with('j') || text.starts_with("loop") || text == "call";
        assert_eq!(name.takes_target, branches, "{text}");
    }
}

#[test]
fn code_of_both_sizes_has_the_same_instructions() {
    let names = |size: CodeSize| {
        let mut names: Vec<&str> = Table::get(size).names.iter().map(|name| name.text.as_str()).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(names(CodeSize::Bits16), names(CodeSize::Bits32));
    let empty = |size: CodeSize| Table::get(size).names.iter().find(|name| name.forms.is_empty());
    assert!(empty(CodeSize::Bits16).is_none(), "{:?}", empty(CodeSize::Bits16));
}

#[test]
fn names_are_found_in_any_case_and_nothing_else_is() {
    for name in [
        "mov",
        "MOV",
        "Jnae",
        "rdtsc",
        "CMPXCHG8B",
        "movs",
        "fnstenvw",
        "loopnzd",
        "setalc",
    ] {
        assert!(super::instruction(name).is_some(), "{name}");
    }
    for name in [
        "",
        "ud2",
        "addps",
        "cmovz",
        "rep",
        "lock",
        "mov ",
        "loadall",
        "a very long name, longer than any",
    ] {
        assert!(super::instruction(name).is_none(), "{name}");
    }
    assert_eq!(nearest_mnemonic("pusj"), Some("push"));
    assert_eq!(nearest_mnemonic("rdstc"), Some("rdtsc"));
    assert_eq!(register("EAX"), Some(Register::EAX));
    assert_eq!(register("st"), Some(Register::ST0));
    assert_eq!(register("Tr6"), Some(Register::TR6));
    assert_eq!(register("r8d"), None);
    assert_eq!(register("cr1"), None);
    assert_eq!(register(""), None);
}

#[test]
fn a_declared_size_is_told_from_a_written_one() {
    let declared = |size| {
        Operand::Memory(Memory {
            size: Some(size),
            explicit_size: false,
            segment: Register::None,
            base: Register::None,
            index: Register::None,
            scale: 1,
            displacement: 0x40_1000,
            volatile: true,
            has_displacement: true,
        })
    };
    let error = encode(
        "mov",
        Prefixes::NONE,
        &[Operand::Register(Register::EAX), declared(2)],
        wide(0),
    )
    .expect_err("a word does not fill EAX");
    assert_eq!(
        error.message,
        "the memory operand is declared as a word, but `mov` with `eax` takes a dword"
    );
    assert_eq!(
        worded(&error),
        "use `movzx` or `movsx` to widen it; write `dword ptr ...` to read what follows it, too"
    );
    assert_eq!(error.operand, Some(1));
    let bytes =
        |name: &str, operand| encode(name, Prefixes::NONE, &[operand], wide(0)).map(|found| found.as_slice().to_vec());
    assert_eq!(bytes("imul", declared(4)), Ok(vec![0xF7, 0x2D, 0x00, 0x10, 0x40, 0x00]));
    assert_eq!(bytes("fld", declared(8)), Ok(vec![0xDD, 0x05, 0x00, 0x10, 0x40, 0x00]));
    assert_eq!(bytes("push", declared(4)), Ok(vec![0xFF, 0x35, 0x00, 0x10, 0x40, 0x00]));
}
