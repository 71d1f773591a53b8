//! String instructions with operands, in all sizes, segments and address sizes.

use super::*;
use iced_x86::MemorySize;

fn at(register: Register, size: u8, segment: Register) -> Operand {
    Operand::Memory(Memory {
        size: Some(size),
        explicit_size: true,
        segment,
        base: register,
        index: Register::None,
        scale: 1,
        displacement: 0,
        volatile: false,
        has_displacement: false,
    })
}

#[test]
fn operands_say_size_segment_and_address_size() {
    let port = Operand::Register(Register::DX);
    for (size, suffix) in [(1, "b"), (2, "w"), (4, "d")] {
        for (source, destination) in [(Register::ESI, Register::EDI), (Register::SI, Register::DI)] {
            for segment in [Register::None, Register::ES, Register::DS, Register::FS] {
                let from = at(source, size, segment);
                let to = at(destination, size, Register::None);
                let cases: [(&str, Vec<Operand>); 7] = [
                    ("movs", vec![to, from]),
                    ("cmps", vec![from, to]),
                    ("lods", vec![from]),
                    ("stos", vec![to]),
                    ("scas", vec![to]),
                    ("ins", vec![to, port]),
                    ("outs", vec![port, from]),
                ];
                for (family, operands) in cases {
                    let named = encode(&format!("{family}{suffix}"), Prefixes::NONE, &operands, wide(0));
                    let generic = encode(family, Prefixes::NONE, &operands, wide(0)).expect(family);
                    assert_eq!(named.as_ref(), Ok(&generic), "{family}{suffix}");
                    let decoded = instruction(generic.as_slice());
                    assert_eq!(
                        format!("{:?}", decoded.mnemonic()).to_ascii_lowercase(),
                        format!("{family}{suffix}")
                    );
                    assert_eq!(decoded.memory_size().size(), usize::from(size), "{family}{suffix}");
                    assert_ne!(decoded.memory_size(), MemorySize::Unknown);
                    let short = generic.as_slice().contains(&0x67);
                    assert_eq!(short, source == Register::SI, "{family}{suffix}");
                    if operands.contains(&from) {
                        assert_eq!(decoded.segment_prefix(), segment, "{family}{suffix}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_symbol_says_no_more_than_its_size() {
    let symbol = |size| {
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
    let bytes = |name: &str, operands: &[Operand]| {
        encode(name, Prefixes::NONE, operands, wide(0)).map(|encoded| encoded.as_slice().to_vec())
    };
    assert_eq!(bytes("movs", &[symbol(4), symbol(4)]), Ok(vec![0xA5]));
    assert_eq!(bytes("lods", &[symbol(2)]), Ok(vec![0x66, 0xAD]));
    assert_eq!(bytes("xlat", &[symbol(1)]), Ok(vec![0xD7]));
    let error = bytes("movs", &[symbol(4), symbol(2)]).expect_err("sizes differ");
    assert_eq!(
        error.message,
        "the operands of `movs` have different sizes, dword and word"
    );
    let error = bytes("stosb", &[symbol(4)]).expect_err("another size than the name's");
    assert_eq!(error.message, "`stosb` takes a byte, but the operand is a dword");
}
