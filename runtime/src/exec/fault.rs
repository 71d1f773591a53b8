//! What ends a row of operations early: faults and traps, and requests to the caller.

use crate::memory::PageFault;

/// An exception vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Vector {
    /// 0, #DE.
    DivideError = 0,
    /// 1, #DB.
    Debug = 1,
    /// 3, #BP.
    Breakpoint = 3,
    /// 4, #OF.
    Overflow = 4,
    /// 5, #BR.
    BoundRange = 5,
    /// 6, #UD.
    InvalidOpcode = 6,
    /// 7, #NM.
    DeviceNotAvailable = 7,
    /// 8, #DF.
    DoubleFault = 8,
    /// 10, #TS.
    InvalidTss = 10,
    /// 11, #NP.
    SegmentNotPresent = 11,
    /// 12, #SS.
    Stack = 12,
    /// 13, #GP.
    GeneralProtection = 13,
    /// 14, #PF.
    Page = 14,
    /// 16, #MF.
    FloatingPoint = 16,
    /// 17, #AC.
    AlignmentCheck = 17,
}

impl Vector {
    /// Every vector, in ascending order.
    pub const ALL: [Vector; 15] = [
        Vector::DivideError,
        Vector::Debug,
        Vector::Breakpoint,
        Vector::Overflow,
        Vector::BoundRange,
        Vector::InvalidOpcode,
        Vector::DeviceNotAvailable,
        Vector::DoubleFault,
        Vector::InvalidTss,
        Vector::SegmentNotPresent,
        Vector::Stack,
        Vector::GeneralProtection,
        Vector::Page,
        Vector::FloatingPoint,
        Vector::AlignmentCheck,
    ];

    /// The number of the vector, 0 to 17.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The name in the manuals, such as `#GP`.
    pub fn short_name(self) -> &'static str {
        match self {
            Vector::DivideError => "#DE",
            Vector::Debug => "#DB",
            Vector::Breakpoint => "#BP",
            Vector::Overflow => "#OF",
            Vector::BoundRange => "#BR",
            Vector::InvalidOpcode => "#UD",
            Vector::DeviceNotAvailable => "#NM",
            Vector::DoubleFault => "#DF",
            Vector::InvalidTss => "#TS",
            Vector::SegmentNotPresent => "#NP",
            Vector::Stack => "#SS",
            Vector::GeneralProtection => "#GP",
            Vector::Page => "#PF",
            Vector::FloatingPoint => "#MF",
            Vector::AlignmentCheck => "#AC",
        }
    }
}

/// A fault or trap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The vector.
    pub vector: Vector,
    /// The error code that it pushes, if the vector has one.
    pub error_code: Option<u32>,
    /// The linear address of a page fault (CR2) or a misaligned access.
    pub address: Option<u32>,
    /// One sentence without a full stop: `RDMSR needs privilege level 0`.
    pub why: &'static str,
}

impl Fault {
    /// A fault without an address.
    pub fn new(vector: Vector, error_code: Option<u32>, why: &'static str) -> Fault {
        Fault {
            vector,
            error_code,
            address: None,
            why,
        }
    }

    /// The page fault of an access at privilege level `cpl`; `fetch` for an instruction fetch.
    pub fn page(fault: PageFault, cpl: u8, fetch: bool) -> Fault {
        let why = match (fetch, fault.write, fault.present) {
            (true, ..) => "there is no memory where the next instruction should be",
            (_, true, true) => "the program wrote to memory that may only be read",
            (_, true, false) => "the program wrote where there is no memory",
            (_, false, _) => "the program read where there is no memory",
        };
        let error_code = u32::from(fault.present) | (u32::from(fault.write) << 1) | (u32::from(cpl == 3) << 2);
        Fault {
            vector: Vector::Page,
            error_code: Some(error_code),
            address: Some(fault.address),
            why,
        }
    }
}

/// What an instruction requests from the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// RDTSC: the counter to EDX:EAX.
    ReadTimeStampCounter,
    /// RDMSR: register ECX to EDX:EAX.
    ReadMsr,
    /// WRMSR: EDX:EAX to register ECX.
    WriteMsr,
    /// RDPMC: counter ECX to EDX:EAX. Never made by chips without the instruction.
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
    /// IN and INS: the value goes to [`State::input`](super::State::input).
    In {
        /// The port.
        port: u16,
        /// The number of bytes to read: 1, 2 or 4.
        size: u8,
    },
    /// OUT and OUTS.
    Out {
        /// The port.
        port: u16,
        /// The number of bytes to write: 1, 2 or 4.
        size: u8,
        /// The value, zero-extended.
        value: u32,
    },
    /// MOV CRn, LMSW, CLTS: the register already holds its new value.
    ControlRegisterWritten {
        /// 0, 2, 3 or 4.
        register: u8,
    },
    /// MOV DRn: the register already holds its new value.
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
