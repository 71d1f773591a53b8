//! Requests of instructions to the machine that runs the processor.

/// A request of an instruction to the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// RDTSC: the time stamp counter is to go to EDX:EAX.
    ReadTimeStampCounter {
        /// Whether TSC_AUX is to go to ECX, for RDTSCP.
        auxiliary: bool,
    },
    /// RDMSR: register ECX is to go to EDX:EAX.
    ReadMsr,
    /// WRMSR: EDX:EAX is to go to register ECX.
    WriteMsr,
    /// RDPMC: counter ECX is to go to EDX:EAX. Chips without the instruction never request it.
    ReadCounter,
    /// CPUID: the result of leaf EAX is to go to EAX, EBX, ECX and EDX.
    Cpuid,
    /// HLT: the processor is to wait for an interrupt.
    Halt,
    /// INT n: the interrupt is to be served or delivered.
    Interrupt {
        /// The vector n of the interrupt.
        vector: u8,
    },
    /// IN and INS: the value is to go to [`State::input`](super::State::input).
    In {
        /// The number of the port.
        port: u16,
        /// The number of bytes to read: 1, 2 or 4.
        size: u8,
    },
    /// OUT and OUTS: the value is to go to the port.
    Out {
        /// The number of the port.
        port: u16,
        /// The number of bytes to write: 1, 2 or 4.
        size: u8,
        /// The value to write, zero-extended.
        value: u32,
    },
    /// MOV CRn, LMSW, CLTS: the register holds its new value already.
    ControlRegisterWritten {
        /// The number of the register: 0, 2, 3 or 4.
        register: u8,
    },
    /// MOV DRn: the register holds its new value already.
    DebugRegisterWritten {
        /// The number of the register: 0 to 3, 6 or 7.
        register: u8,
    },
    /// INVLPG: the translation of a page is to be forgotten.
    InvalidatePage {
        /// A linear address in that page.
        address: u32,
    },
    /// INVD and WBINVD: the caches are to be emptied.
    InvalidateCaches {
        /// Whether modified lines are written back first.
        write_back: bool,
    },
}
