//! Mnemonics that the decoder lacks: aliases, size suffixes, and string families whose size comes from an operand.

use crate::operand::CodeSize;
use iced_x86::Mnemonic;

/// The other names for the same forms: the alias, then the decoder's name.
pub(super) const ALIASES: &[(&str, &str)] = &[
    ("jz", "je"),
    ("jnz", "jne"),
    ("jc", "jb"),
    ("jnae", "jb"),
    ("jnc", "jae"),
    ("jnb", "jae"),
    ("jna", "jbe"),
    ("jnbe", "ja"),
    ("jpe", "jp"),
    ("jpo", "jnp"),
    ("jnge", "jl"),
    ("jnl", "jge"),
    ("jng", "jle"),
    ("jnle", "jg"),
    ("setz", "sete"),
    ("setnz", "setne"),
    ("setc", "setb"),
    ("setnae", "setb"),
    ("setnc", "setae"),
    ("setnb", "setae"),
    ("setna", "setbe"),
    ("setnbe", "seta"),
    ("setpe", "setp"),
    ("setpo", "setnp"),
    ("setnge", "setl"),
    ("setnl", "setge"),
    ("setng", "setle"),
    ("setnle", "setg"),
    ("sal", "shl"),
    ("xlat", "xlatb"),
    ("fwait", "wait"),
    ("setalc", "salc"),
    ("icebp", "int1"),
    ("loopz", "loope"),
    ("loopnz", "loopne"),
    ("retn", "ret"),
];

/// A name that means only some of a mnemonic's forms.
pub(super) struct Variant {
    pub(super) name: &'static str,
    pub(super) mnemonic: Mnemonic,
    /// The operand size in bits, or 0 for the size of the usual forms.
    pub(super) operand_size: u32,
    /// The address size in bits, or 0 for the usual size.
    pub(super) address_size: u32,
}

const fn sized(name: &'static str, mnemonic: Mnemonic, operand_size: u32) -> Variant {
    Variant {
        name,
        mnemonic,
        operand_size,
        address_size: 0,
    }
}

const fn counter(name: &'static str, mnemonic: Mnemonic, address_size: u32) -> Variant {
    Variant {
        name,
        mnemonic,
        operand_size: 0,
        address_size,
    }
}

impl Variant {
    /// The mnemonic and the operand size that the name means in code of this size.
    pub(super) fn in_code(&self, size: CodeSize) -> (Mnemonic, u32) {
        let narrow = match self.name {
            "pusha" => Mnemonic::Pusha,
            "popa" => Mnemonic::Popa,
            "pushf" => Mnemonic::Pushf,
            "popf" => Mnemonic::Popf,
            "iret" => Mnemonic::Iret,
            _ => return (self.mnemonic, self.operand_size),
        };
        match size {
            CodeSize::Bits16 => (narrow, 16),
            CodeSize::Bits32 => (self.mnemonic, self.operand_size),
        }
    }
}

/// The names with a size suffix, and the names whose meaning in 32-bit code differs from the decoder's.
pub(super) const VARIANTS: &[Variant] = &[
    // The plain names mean the forms of the segment's size; the suffix `w` selects the 16-bit ones.
    sized("pusha", Mnemonic::Pushad, 32),
    sized("pushaw", Mnemonic::Pusha, 16),
    sized("popa", Mnemonic::Popad, 32),
    sized("popaw", Mnemonic::Popa, 16),
    sized("pushf", Mnemonic::Pushfd, 32),
    sized("pushfw", Mnemonic::Pushf, 16),
    sized("popf", Mnemonic::Popfd, 32),
    sized("popfw", Mnemonic::Popf, 16),
    sized("iret", Mnemonic::Iretd, 32),
    sized("iretw", Mnemonic::Iret, 16),
    sized("enterw", Mnemonic::Enter, 16),
    sized("enterd", Mnemonic::Enter, 32),
    sized("leavew", Mnemonic::Leave, 16),
    sized("leaved", Mnemonic::Leave, 32),
    sized("pushw", Mnemonic::Push, 16),
    sized("popw", Mnemonic::Pop, 16),
    sized("pushd", Mnemonic::Push, 32),
    sized("retw", Mnemonic::Ret, 16),
    sized("retnw", Mnemonic::Ret, 16),
    sized("retd", Mnemonic::Ret, 32),
    sized("retnd", Mnemonic::Ret, 32),
    sized("retfw", Mnemonic::Retf, 16),
    sized("retfd", Mnemonic::Retf, 32),
    sized("fldenvw", Mnemonic::Fldenv, 16),
    sized("fldenvd", Mnemonic::Fldenv, 32),
    sized("fstenvw", Mnemonic::Fstenv, 16),
    sized("fstenvd", Mnemonic::Fstenv, 32),
    sized("fnstenvw", Mnemonic::Fnstenv, 16),
    sized("fnstenvd", Mnemonic::Fnstenv, 32),
    sized("fsavew", Mnemonic::Fsave, 16),
    sized("fsaved", Mnemonic::Fsave, 32),
    sized("fnsavew", Mnemonic::Fnsave, 16),
    sized("fnsaved", Mnemonic::Fnsave, 32),
    sized("frstorw", Mnemonic::Frstor, 16),
    sized("frstord", Mnemonic::Frstor, 32),
    counter("loopw", Mnemonic::Loop, 16),
    counter("loopew", Mnemonic::Loope, 16),
    counter("loopzw", Mnemonic::Loope, 16),
    counter("loopnew", Mnemonic::Loopne, 16),
    counter("loopnzw", Mnemonic::Loopne, 16),
    counter("loopd", Mnemonic::Loop, 32),
    counter("looped", Mnemonic::Loope, 32),
    counter("loopzd", Mnemonic::Loope, 32),
    counter("loopned", Mnemonic::Loopne, 32),
    counter("loopnzd", Mnemonic::Loopne, 32),
    // TASM's spelling.
    counter("loopwe", Mnemonic::Loope, 16),
    counter("loopwz", Mnemonic::Loope, 16),
    counter("loopwne", Mnemonic::Loopne, 16),
    counter("loopwnz", Mnemonic::Loopne, 16),
    counter("loopde", Mnemonic::Loope, 32),
    counter("loopdz", Mnemonic::Loope, 32),
    counter("loopdne", Mnemonic::Loopne, 32),
    counter("loopdnz", Mnemonic::Loopne, 32),
];

/// Whether the decoder's own name of the mnemonic depends on the size of the code, or is unknown to assemblers.
pub(super) fn is_renamed(mnemonic: Mnemonic) -> bool {
    matches!(
        mnemonic,
        Mnemonic::Pusha | Mnemonic::Popa | Mnemonic::Pushf | Mnemonic::Popf | Mnemonic::Iret | Mnemonic::Sal
    )
}

/// A string instruction regardless of its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StringFamily {
    /// `movs destination, source`.
    Movs,
    /// `cmps source, destination`.
    Cmps,
    /// `lods source`.
    Lods,
    /// `stos destination`.
    Stos,
    /// `scas destination`.
    Scas,
    /// `ins destination, dx`.
    Ins,
    /// `outs dx, source`.
    Outs,
    /// `xlat table`.
    Xlat,
}

/// The families whose size may come from an operand: the name, the family, and the byte, word and dword mnemonics.
pub(super) const STRING_FAMILIES: &[(&str, StringFamily, [Mnemonic; 3])] = &[
    (
        "movs",
        StringFamily::Movs,
        [Mnemonic::Movsb, Mnemonic::Movsw, Mnemonic::Movsd],
    ),
    (
        "cmps",
        StringFamily::Cmps,
        [Mnemonic::Cmpsb, Mnemonic::Cmpsw, Mnemonic::Cmpsd],
    ),
    (
        "lods",
        StringFamily::Lods,
        [Mnemonic::Lodsb, Mnemonic::Lodsw, Mnemonic::Lodsd],
    ),
    (
        "stos",
        StringFamily::Stos,
        [Mnemonic::Stosb, Mnemonic::Stosw, Mnemonic::Stosd],
    ),
    (
        "scas",
        StringFamily::Scas,
        [Mnemonic::Scasb, Mnemonic::Scasw, Mnemonic::Scasd],
    ),
    (
        "ins",
        StringFamily::Ins,
        [Mnemonic::Insb, Mnemonic::Insw, Mnemonic::Insd],
    ),
    (
        "outs",
        StringFamily::Outs,
        [Mnemonic::Outsb, Mnemonic::Outsw, Mnemonic::Outsd],
    ),
];

/// A name of up to 16 bytes in lower case as one number; `None` if it is longer or empty.
pub(super) fn pack(name: &str) -> Option<u128> {
    let bytes = name.as_bytes();
    if bytes.is_empty() {
        return None;
    }
    let mut lower = [0u8; 16];
    lower.get_mut(..bytes.len())?.copy_from_slice(bytes);
    lower.make_ascii_lowercase();
    Some(u128::from_le_bytes(lower))
}

/// The first slot to examine for a packed name in a hash table of `1 << bits` slots.
pub(super) fn place(packed: u128, bits: u32) -> usize {
    let mixed = (packed as u64 ^ ((packed >> 64) as u64).rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> (64 - bits)) as usize
}
