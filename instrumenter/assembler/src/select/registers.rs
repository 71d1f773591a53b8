//! The names of the Pentium's registers.

use iced_x86::Register;

/// The register called `name`, in any case: general, segment, control, debug, test, x87 (`st` and `st0` to `st7`) and
/// MMX registers. `None` if there is no such register in 32-bit code.
pub(crate) fn register(name: &str) -> Option<Register> {
    let bytes = name.as_bytes();
    let mut lower = [0u8; 3];
    let lower = lower.get_mut(..bytes.len())?;
    lower.copy_from_slice(bytes);
    lower.make_ascii_lowercase();
    Some(match &*lower {
        b"eax" => Register::EAX,
        b"ecx" => Register::ECX,
        b"edx" => Register::EDX,
        b"ebx" => Register::EBX,
        b"esp" => Register::ESP,
        b"ebp" => Register::EBP,
        b"esi" => Register::ESI,
        b"edi" => Register::EDI,
        b"ax" => Register::AX,
        b"cx" => Register::CX,
        b"dx" => Register::DX,
        b"bx" => Register::BX,
        b"sp" => Register::SP,
        b"bp" => Register::BP,
        b"si" => Register::SI,
        b"di" => Register::DI,
        b"al" => Register::AL,
        b"cl" => Register::CL,
        b"dl" => Register::DL,
        b"bl" => Register::BL,
        b"ah" => Register::AH,
        b"ch" => Register::CH,
        b"dh" => Register::DH,
        b"bh" => Register::BH,
        b"es" => Register::ES,
        b"cs" => Register::CS,
        b"ss" => Register::SS,
        b"ds" => Register::DS,
        b"fs" => Register::FS,
        b"gs" => Register::GS,
        b"st" | b"st0" => Register::ST0,
        b"st1" => Register::ST1,
        b"st2" => Register::ST2,
        b"st3" => Register::ST3,
        b"st4" => Register::ST4,
        b"st5" => Register::ST5,
        b"st6" => Register::ST6,
        b"st7" => Register::ST7,
        b"cr0" => Register::CR0,
        b"cr2" => Register::CR2,
        b"cr3" => Register::CR3,
        b"cr4" => Register::CR4,
        b"dr0" => Register::DR0,
        b"dr1" => Register::DR1,
        b"dr2" => Register::DR2,
        b"dr3" => Register::DR3,
        b"dr4" => Register::DR4,
        b"dr5" => Register::DR5,
        b"dr6" => Register::DR6,
        b"dr7" => Register::DR7,
        b"tr3" => Register::TR3,
        b"tr4" => Register::TR4,
        b"tr5" => Register::TR5,
        b"tr6" => Register::TR6,
        b"tr7" => Register::TR7,
        b"mm0" => Register::MM0,
        b"mm1" => Register::MM1,
        b"mm2" => Register::MM2,
        b"mm3" => Register::MM3,
        b"mm4" => Register::MM4,
        b"mm5" => Register::MM5,
        b"mm6" => Register::MM6,
        b"mm7" => Register::MM7,
        _ => return None,
    })
}

/// The name of a register in assembly source: `st(1)`, and all others in lower case.
pub(super) fn spelling(register: Register) -> String {
    if register.is_st() {
        return match register.number() {
            0 => "st".to_owned(),
            number => format!("st({number})"),
        };
    }
    format!("{register:?}").to_ascii_lowercase()
}

/// The 16-bit part of a 32-bit general register; any other register unchanged.
pub(super) fn narrowed(register: Register) -> Register {
    match register {
        Register::EAX => Register::AX,
        Register::ECX => Register::CX,
        Register::EDX => Register::DX,
        Register::EBX => Register::BX,
        Register::ESP => Register::SP,
        Register::EBP => Register::BP,
        Register::ESI => Register::SI,
        Register::EDI => Register::DI,
        other => other,
    }
}

/// The 32-bit register that contains a 16-bit general register; any other register unchanged.
pub(super) fn widened(register: Register) -> Register {
    match register {
        Register::AX => Register::EAX,
        Register::CX => Register::ECX,
        Register::DX => Register::EDX,
        Register::BX => Register::EBX,
        Register::SP => Register::ESP,
        Register::BP => Register::EBP,
        Register::SI => Register::ESI,
        Register::DI => Register::EDI,
        other => other,
    }
}
