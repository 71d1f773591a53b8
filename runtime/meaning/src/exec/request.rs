//! Requests: what an instruction asks of the machine that runs the processor.

/// What an instruction asks of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// RDTSC: the counter to EDX:EAX.
    ReadTimeStampCounter {
        /// RDTSCP: also TSC_AUX to ECX.
        auxiliary: bool,
    },
    /// RDMSR: register ECX to EDX:EAX.
    ReadMsr,
    /// WRMSR: EDX:EAX to register ECX.
    WriteMsr,
    /// RDPMC: counter ECX to EDX:EAX. Chips without the instruction never ask.
    ReadCounter,
    /// CPUID: leaf EAX to EAX, EBX, ECX and EDX.
    Cpuid,
    /// HLT.
    Halt,
    /// INT n.
    Interrupt {
        /// The vector n.
        vector: u8,
    },
    /// IN and INS: put the value into [`State::input`](super::State::input).
    In {
        /// The port.
        port: u16,
        /// Bytes to read: 1, 2 or 4.
        size: u8,
    },
    /// OUT and OUTS.
    Out {
        /// The port.
        port: u16,
        /// Bytes to write: 1, 2 or 4.
        size: u8,
        /// The value, zero-extended.
        value: u32,
    },
    /// MOV CRn, LMSW, CLTS: the register holds its new value already.
    ControlRegisterWritten {
        /// 0, 2, 3 or 4.
        register: u8,
    },
    /// MOV DRn: the register holds its new value already.
    DebugRegisterWritten {
        /// 0 to 3, 6 or 7.
        register: u8,
    },
    /// INVLPG.
    InvalidatePage {
        /// A linear address in the page.
        address: u32,
    },
    /// INVD and WBINVD.
    InvalidateCaches {
        /// Whether modified lines are written back first.
        write_back: bool,
    },
}
