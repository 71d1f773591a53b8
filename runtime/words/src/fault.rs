//! Faults: which exception an instruction raises, and why.
//!
//! A fault ends the run and is its result. It holds data only; `report` words it.

use iced_x86::Mnemonic;
use std::fmt;

/// An access to a page that is not mapped or not writable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageFault {
    /// The linear address of the first inaccessible byte.
    pub address: u32,
    /// Whether it was a store.
    pub write: bool,
    /// Whether the page is mapped but read-only.
    pub present: bool,
}

/// An exception's vector.
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

    /// The vector of a number, if it is defined.
    pub fn from_number(number: u32) -> Option<Vector> {
        Vector::ALL
            .into_iter()
            .find(|vector| u32::from(vector.number()) == number)
    }

    /// The vector's number, 0 to 17.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The name manuals use, such as `#GP`.
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
    /// Which exception.
    pub vector: Vector,
    /// The error code it pushes, if this vector has one.
    pub error_code: Option<u32>,
    /// The linear address concerned: of a page fault (CR2), of a misaligned access or of bytes that do not decode.
    pub address: Option<u32>,
    /// Why it was raised.
    pub cause: FaultCause,
}

impl Fault {
    /// A fault that concerns no address.
    pub fn new(vector: Vector, error_code: Option<u32>, cause: FaultCause) -> Fault {
        Fault {
            vector,
            error_code,
            address: None,
            cause,
        }
    }

    /// The page fault of a data access at privilege level `cpl`.
    pub fn page(fault: PageFault, cpl: u8) -> Fault {
        let error_code = u32::from(fault.present) | (u32::from(fault.write) << 1) | (u32::from(cpl == 3) << 2);
        Fault {
            vector: Vector::Page,
            error_code: Some(error_code),
            address: Some(fault.address),
            cause: FaultCause::Page(PageAccess::of(fault)),
        }
    }
}

/// An access for which there is no page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageAccess {
    /// A fetch where nothing is mapped.
    Fetch,
    /// A read where nothing is mapped.
    Read,
    /// A write where nothing is mapped.
    Write,
    /// A write to memory that is read-only.
    WriteToReadOnly,
    /// An access of a program to a page of the system.
    SupervisorPage,
}

impl PageAccess {
    /// The data access that failed.
    pub fn of(fault: PageFault) -> PageAccess {
        match (fault.write, fault.present) {
            (true, true) => PageAccess::WriteToReadOnly,
            (true, false) => PageAccess::Write,
            (false, true) => PageAccess::SupervisorPage,
            (false, false) => PageAccess::Read,
        }
    }
}

/// The registers that only privilege level 0 can access with MOV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemRegister {
    /// CR0 to CR4.
    Control,
    /// DR0 to DR7.
    Debug,
}

/// Why a selector is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectorFault {
    /// A null selector for SS.
    NullForSs,
    /// A null selector for CS.
    NullForCs,
    /// No descriptor belongs to the selector.
    NoSegment,
    /// SS takes writable data of the current privilege level only.
    NotForSs,
    /// CS takes code of the privilege level to run at only.
    NotForCs,
    /// The segment belongs to a more privileged level.
    MorePrivileged,
    /// The selector's RPL is less privileged than the program.
    LessPrivilegedRpl,
    /// A return to a more privileged level.
    ReturnInward,
    /// LLDT: no local descriptor table belongs to the selector.
    NoLocalTable,
    /// No task state segment belongs to the selector.
    NoTask,
    /// The task runs, or another one will return to it.
    TaskBusy,
    /// The task that IRET returns to neither runs nor waits.
    TaskNotBusy,
    /// The segment, table, task or gate is not present.
    NotPresent,
    /// The selector is past the end of its table.
    PastTable,
    /// The descriptor is neither of a segment nor of a gate that the instruction can use.
    WrongKind,
    /// The segment cannot be read: only its code can be executed.
    NotReadable,
    /// A gate leads to something else than code of the same or an inner level.
    BadGateTarget,
    /// A stack of an inner level that is not writable data of that level.
    BadInnerStack,
    /// Out of virtual 8086 mode to code of another level than 0.
    VirtualNotToLevel0,
}

/// The most bytes that [`FaultCause::InvalidBytes`] keeps.
pub const INVALID_BYTES_SHOWN: usize = 4;

/// Why a fault was raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultCause {
    /// A division by 0.
    DivisionByZero,
    /// AAM with an immediate of 0.
    AamByZero,
    /// A quotient that does not fit its register.
    QuotientTooLarge,
    /// One of the two above; a host's processor does not say which.
    Division,
    /// INTO with the overflow flag set.
    Overflow,
    /// An index outside the bounds of BOUND.
    OutOfBounds,
    /// INT3.
    BreakpointInstruction,
    /// INT1.
    DebugInstruction,
    /// An instruction was executed with the trap flag set.
    TrapFlag,
    /// INT1 or the trap flag; a host's processor does not say which.
    DebugInstructionOrTrapFlag,
    /// Bytes that do not decode to an instruction.
    InvalidBytes {
        /// The first of them.
        bytes: [u8; INVALID_BYTES_SHOWN],
        /// How many of `bytes` there are.
        count: u8,
    },
    /// An instruction of more than 15 bytes, most of them prefixes.
    InstructionTooLong,
    /// An instruction that the chip does not have.
    Undefined,
    /// An instruction that the chip does not have, but a later one does.
    OnlyOnLaterChip {
        /// The short name of the first chip that has it.
        chip: &'static str,
        /// The name of the monitor with which this chip has it, if there is one.
        monitor: Option<&'static str>,
    },
    /// An instruction that the chip has only with a monitor.
    OnlyWithMonitor {
        /// The name of the monitor.
        monitor: &'static str,
    },
    /// WAIT with CR0.MP and CR0.TS set.
    WaitAfterTaskSwitch,
    /// A floating-point instruction with CR0.EM set.
    FloatingPointEmulated,
    /// An MMX instruction while CR0.EM is set.
    MmxEmulated,
    /// A floating-point instruction with CR0.TS set.
    FloatingPointAfterTaskSwitch,
    /// An exception of the floating-point unit that is not masked, raised by the next instruction that waits.
    FloatingPoint {
        /// The exceptions, as in the low bits of the status word.
        exceptions: u8,
    },
    /// The same with CR0.NE clear: the processor activates its error pin and waits for an external interrupt.
    FloatingPointErrorPin {
        /// The exceptions, as in the low bits of the status word.
        exceptions: u8,
    },
    /// An instruction of privilege level 0.
    Privileged {
        /// The instruction.
        mnemonic: Mnemonic,
        /// The level the program runs at.
        cpl: u8,
    },
    /// MOV to or from a register of privilege level 0.
    PrivilegedMove {
        /// What kind of register.
        register: SystemRegister,
        /// The level the program runs at.
        cpl: u8,
    },
    /// RDTSC above privilege level 0 with CR4.TSD set.
    TimeStampDisabled,
    /// RDPMC above privilege level 0 with CR4.PCE clear.
    CountersDisabled,
    /// An instruction that needs CPL <= IOPL.
    IoPrivilege {
        /// The instruction.
        mnemonic: Mnemonic,
        /// The level the program runs at.
        cpl: u8,
        /// The I/O privilege level.
        iopl: u8,
    },
    /// CR0 with paging but without protected mode.
    PagingWithoutProtection,
    /// CR0.NW without CR0.CD.
    NotWriteThroughWithoutCacheDisable,
    /// A bit of CR4 that the chip does not define.
    UndefinedCr4Bit,
    /// DR4 or DR5 with CR4.DE set.
    UndefinedDebugRegister,
    /// A model specific register that does not exist.
    NoSuchMsr(u32),
    /// WRMSR sets bits of this register that are reserved, or writes one that is read-only.
    ReservedMsrBits(u32),
    /// RDPMC of a counter that does not exist.
    NoSuchCounter(u32),
    /// An interrupt that is not a service.
    UnhandledInterrupt(u8),
    /// A selector that cannot be loaded.
    Selector(SelectorFault),
    /// An access through a segment register that holds a null selector.
    NullSegment,
    /// A write to a segment that is not writable.
    ReadOnlySegment,
    /// A read of a segment of code that can only be executed.
    ExecuteOnlySegment,
    /// A stack of an inner level without enough room.
    InnerStackFull,
    /// The task state segment ends before the stack of the level that is needed, or there is none.
    NoInnerStack {
        /// The level.
        level: u8,
    },
    /// No gate in the interrupt descriptor table.
    NoGate {
        /// The vector.
        vector: u8,
    },
    /// A gate in the interrupt descriptor table that is not present.
    GateNotPresent {
        /// The vector.
        vector: u8,
    },
    /// A gate in the interrupt descriptor table that INT cannot use at this level.
    GatePrivilege {
        /// The vector.
        vector: u8,
    },
    /// A second fault during the delivery of a first.
    DoubleFault,
    /// A breakpoint of a debug register.
    BreakpointRegister {
        /// Which of DR0 to DR3.
        number: u8,
    },
    /// A debug register was accessed with DR7.GD set.
    DebugRegisterGuarded,
    /// An instruction that virtual 8086 mode allows at IOPL 3 only.
    VirtualPrivilege {
        /// The instruction.
        mnemonic: Mnemonic,
        /// The I/O privilege level.
        iopl: u8,
    },
    /// An offset past the segment's limit.
    PastLimit,
    /// An access past the end of the address space.
    PastAddressSpace,
    /// A misaligned access with CR0.AM and EFLAGS.AC set.
    Misaligned,
    /// An access without a page.
    Page(PageAccess),
    /// IRET with the nested task flag set.
    NestedTask,
    /// A task switch without a task in the task register.
    NoTaskToSave,
    /// A task state segment whose limit is below what it has to hold.
    TaskTooSmall,
    /// A switch to a task with the trap bit in its task state segment.
    TaskTrap,
    /// A fault that only a native run can have.
    Host(HostFault),
}

impl FaultCause {
    /// The cause of `bytes`, which do not decode.
    pub fn invalid_bytes(bytes: &[u8]) -> FaultCause {
        let mut shown = [0; INVALID_BYTES_SHOWN];
        let count = bytes.len().min(INVALID_BYTES_SHOWN);
        shown[..count].copy_from_slice(&bytes[..count]);
        FaultCause::InvalidBytes {
            bytes: shown,
            count: count as u8,
        }
    }
}

/// Why a native run was stopped where the simulated machine has no such fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostFault {
    /// An instruction that enters the host's kernel and that no Pentium has.
    KernelEntry,
    /// A system call from 64-bit code.
    LongModeCall {
        /// The call's number.
        number: u32,
    },
    /// A fault in 64-bit code.
    LongMode,
    /// An unmasked exception of the floating point unit.
    FloatingPoint,
    /// RDTSC, which is disabled for this process.
    TimeStampDisabled,
    /// A selector that the host has no segment for.
    NoSegment {
        /// The selector.
        selector: u16,
    },
    /// A general protection fault whose instruction does not tell why.
    Protection,
    /// An exception that says no more than its vector.
    Other,
    /// The child process ended without a result.
    Lost(Lost),
}

/// How a child process ended without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// By this signal.
    Signal(i32),
    /// By exiting with this status.
    Status(i32),
    /// By a fault outside the program.
    OutsideTheProgram,
    /// By exiting as if it had finished, but with a report that it cannot have written.
    DamagedReport,
    /// By a process other than its parent, which has waited for it.
    Unknown,
}

/// As a predicate.
impl fmt::Display for Lost {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lost::Signal(number) => write!(out, "was ended by signal {number}"),
            Lost::Status(status) => write!(out, "exited with status {status}"),
            Lost::OutsideTheProgram => out.write_str("faulted outside the program"),
            Lost::DamagedReport => out.write_str("left a damaged report"),
            Lost::Unknown => out.write_str("was waited for by another part of p5inst"),
        }
    }
}
