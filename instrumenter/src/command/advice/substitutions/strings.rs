//! String instructions that are not repeated, as loads, stores and additions.
//!
//! Nothing is concluded about the direction flag of a program that may set it: one that has STD, takes flags from the
//! stack, or calls code of other tools.

use super::{Block, Rule, STATUS};
use iced_x86::{Mnemonic, OpKind, Register, RflagsBits};
use runtime::advice::instruction_at;
use runtime::image::{Image, Start};

/// What is known of a program that string instructions depend on.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Strings {
    /// Whether the direction flag is clear throughout.
    pub(in super::super) forward: bool,
    /// Whether DS and ES are the same segment throughout.
    pub(in super::super) one_segment: bool,
}

impl Strings {
    /// What is known of the program `image`.
    pub(in super::super) fn of(image: &Image) -> Strings {
        use Mnemonic::{Iret, Iretd, Lds, Les, Popf, Popfd, Std};
        let mut strings = Strings {
            forward: image.linked.is_empty(),
            one_segment: image.linked.is_empty() && image.start == Start::Flat,
        };
        for row in image.lines.iter().filter(|row| Some(row.file) != image.library) {
            // Data may be executed, too.
            let Some(instruction) = instruction_at(image, row.address).filter(|_| !row.data) else {
                continue;
            };
            let loads = instruction.op_count() > 0
                && instruction.op0_kind() == OpKind::Register
                && matches!(instruction.op0_register(), Register::DS | Register::ES)
                && instruction.mnemonic() != Mnemonic::Push;
            let far = matches!(instruction.mnemonic(), Lds | Les);
            strings.one_segment &= !loads && !far;
            strings.forward &= !matches!(instruction.mnemonic(), Iret | Iretd | Popf | Popfd | Std);
        }
        strings
    }
}

impl Block<'_> {
    /// The simple instructions that do what the string instruction at `at` does.
    pub(super) fn string(&self, at: usize, strings: Strings) -> Option<(Rule, Vec<String>)> {
        use Mnemonic::{Lodsb, Lodsd, Lodsw, Movsb, Movsd, Movsw, Scasb, Scasd, Scasw, Stosb, Stosd, Stosw};
        let instruction = self.instruction(at)?;
        let repeated = instruction.has_rep_prefix() || instruction.has_repne_prefix();
        let plain = instruction.is_string_instruction() && instruction.segment_prefix() == Register::None;
        if repeated || !plain || !strings.forward {
            return None;
        }
        let size = instruction.memory_size().size();
        let own = match size {
            1 => "al",
            2 => "ax",
            _ => "eax",
        };
        let (source, target) = match (0..instruction.op_count())
            .map(|which| instruction.op_kind(which))
            .find(is_place)?
        {
            OpKind::MemorySegESI | OpKind::MemoryESEDI => ("esi", "edi"),
            OpKind::MemorySegSI | OpKind::MemoryESDI => ("si", "di"),
            _ => return None,
        };
        let segment = if strings.one_segment { "" } else { "es:" };
        let written = format!("{segment}[{target}]");
        let texts = match instruction.mnemonic() {
            Lodsb | Lodsw | Lodsd => vec![format!("mov {own},[{source}]"), self.step(at, source, size)],
            Stosb | Stosw | Stosd => vec![format!("mov {written},{own}"), self.step(at, target, size)],
            Movsb | Movsw | Movsd => {
                let free = self.free_register(at, size)?;
                vec![
                    format!("mov {free},[{source}]"),
                    format!("mov {written},{free}"),
                    self.step(at, source, size),
                    self.step(at, target, size),
                ]
            }
            // The flags are those of the comparison.
            Scasb | Scasw | Scasd => vec![
                format!("cmp {own},{written}"),
                format!("lea {target},[{target}+{size}]"),
            ],
            _ => return None,
        };
        Some((Rule::String, texts))
    }

    /// The addition to a pointer, without flags if they are read.
    fn step(&self, at: usize, pointer: &str, size: usize) -> String {
        match size {
            1 if self.flags_are_dead(at, STATUS & !RflagsBits::CF) => format!("inc {pointer}"),
            2.. if self.flags_are_dead(at, STATUS) => format!("add {pointer},{size}"),
            _ => format!("lea {pointer},[{pointer}+{size}]"),
        }
    }
}

fn is_place(kind: &OpKind) -> bool {
    matches!(
        kind,
        OpKind::MemorySegESI | OpKind::MemoryESEDI | OpKind::MemorySegSI | OpKind::MemoryESDI
    )
}
