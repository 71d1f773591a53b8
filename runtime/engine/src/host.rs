//! What the processor of the host has.

/// Whether the host has LAHF and SAHF in 64-bit code, which the first processors lacked.
pub(crate) fn has_flag_moves() -> bool {
    const EXTENDED: u32 = 0x8000_0001;
    std::arch::x86_64::__cpuid(EXTENDED).ecx & 1 != 0
}

/// Whether the host's floating-point unit adds with 64 bits of precision.
pub(crate) fn is_precise() -> bool {
    let (one, small) = (1.0_f64, 2.0_f64.powi(-60));
    let mut sum = [0u8; 16];
    // SAFETY: the three instructions read two numbers, write ten bytes of `sum`, and leave the unit empty as it was.
    unsafe {
        std::arch::asm!(
            "fld qword ptr [{one}]", "fadd qword ptr [{small}]", "fstp tbyte ptr [{sum}]",
            one = in(reg) &one, small = in(reg) &small, sum = in(reg) sum.as_mut_ptr(),
            out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
            out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
            options(nostack)
        );
    }
    sum[..8] == (1_u64 << 63 | 1 << 3).to_le_bytes()
}
