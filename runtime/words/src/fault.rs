//! Faults: the exception that an instruction raises, and its cause.
//!
//! A fault ends the run and is its result. It holds data only; `report` words it.

use iced_x86::{CpuidFeature, Mnemonic};
use std::fmt;

/// An access to a page that is not mapped or not writable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageFault {
    /// The linear address of the first inaccessible byte.
    pub address: u32,
    /// Whether the access was a store.
    pub write: bool,
    /// Whether the page is mapped but read-only.
    pub present: bool,
    /// Whether the page is mapped, but no access is allowed.
    pub forbidden: bool,
}

/// The vector of an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Vector {
    /// Vector 0, #DE.
    DivideError = 0,
    /// Vector 1, #DB.
    Debug = 1,
    /// Vector 3, #BP.
    Breakpoint = 3,
    /// Vector 4, #OF.
    Overflow = 4,
    /// Vector 5, #BR.
    BoundRange = 5,
    /// Vector 6, #UD.
    InvalidOpcode = 6,
    /// Vector 7, #NM.
    DeviceNotAvailable = 7,
    /// Vector 8, #DF.
    DoubleFault = 8,
    /// Vector 10, #TS.
    InvalidTss = 10,
    /// Vector 11, #NP.
    SegmentNotPresent = 11,
    /// Vector 12, #SS.
    Stack = 12,
    /// Vector 13, #GP.
    GeneralProtection = 13,
    /// Vector 14, #PF.
    Page = 14,
    /// Vector 16, #MF.
    FloatingPoint = 16,
    /// Vector 17, #AC.
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

    /// The vector with this number; `None` if the number is reserved.
    pub fn from_number(number: u32) -> Option<Vector> {
        Vector::ALL
            .into_iter()
            .find(|vector| u32::from(vector.number()) == number)
    }

    /// The vector's number, 0 to 17.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The abbreviation in the manuals, such as `#GP`.
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

/// A fault or trap, with its cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The vector of the exception.
    pub vector: Vector,
    /// The error code that it pushes, if this vector has one.
    pub error_code: Option<u32>,
    /// The linear address of a page fault (CR2), of a misaligned access, or of bytes that do not decode.
    pub address: Option<u32>,
    /// The reason why it was raised.
    pub cause: FaultCause,
}

impl Fault {
    /// A fault without an address.
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

/// An access that no page permits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageAccess {
    /// A fetch from an address that is not mapped.
    Fetch,
    /// A read from an address that is not mapped.
    Read,
    /// A write to an address that is not mapped.
    Write,
    /// A write to a page that is read-only.
    WriteToReadOnly,
    /// An access to a page that the program has protected from every access.
    Forbidden,
    /// An access of a program to a page of the system.
    SupervisorPage,
}

impl PageAccess {
    /// The kind of a data access that failed.
    pub fn of(fault: PageFault) -> PageAccess {
        match (fault.write, fault.present) {
            _ if fault.forbidden => PageAccess::Forbidden,
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
    /// A control register, CR0 to CR4.
    Control,
    /// A debug register, DR0 to DR7.
    Debug,
}

/// The reason why a selector is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectorFault {
    /// A null selector for SS.
    NullForSs,
    /// A null selector for CS.
    NullForCs,
    /// No descriptor belongs to the selector.
    NoSegment,
    /// A selector for SS that is not writable data of the current privilege level.
    NotForSs,
    /// A selector for CS whose segment is not code, or has the wrong privilege level.
    NotForCs,
    /// The segment belongs to a more privileged level.
    MorePrivileged,
    /// The selector's RPL is less privileged than the program.
    LessPrivilegedRpl,
    /// A return to a more privileged level.
    ReturnInward,
    /// LLDT with a selector that belongs to no local descriptor table.
    NoLocalTable,
    /// No task state segment belongs to the selector.
    NoTask,
    /// The task is running, or another one will return to it.
    TaskBusy,
    /// The task to which IRET returns is neither running nor waiting.
    TaskNotBusy,
    /// The segment, table, task or gate is not present.
    NotPresent,
    /// The selector is past the end of its table.
    PastTable,
    /// The descriptor is neither a segment nor a gate that the instruction can use.
    WrongKind,
    /// The segment cannot be read, because its code can only be executed.
    NotReadable,
    /// A gate that leads to anything but code of the same or an inner level.
    BadGateTarget,
    /// A stack for an inner level that is not writable data of that level.
    BadInnerStack,
    /// A transfer out of virtual 8086 mode to code of another level than 0.
    VirtualNotToLevel0,
}

/// The maximum number of bytes that [`FaultCause::InvalidBytes`] keeps.
pub const INVALID_BYTES_SHOWN: usize = 4;

/// The reason why a fault was raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultCause {
    /// DIV or IDIV with a divisor of 0.
    DivisionByZero,
    /// AAM with an immediate of 0.
    AamByZero,
    /// A quotient that does not fit its register.
    QuotientTooLarge {
        /// The bits of the quotient's register: 8, 16 or 32.
        bits: u8,
        /// Whether the division is signed.
        signed: bool,
    },
    /// A division by 0 or a quotient that is too large; a host's processor does not say which.
    Division,
    /// INTO with the overflow flag set.
    Overflow,
    /// An index outside the bounds of BOUND.
    OutOfBounds,
    /// INT3, the breakpoint instruction.
    BreakpointInstruction,
    /// INT1, the debug instruction.
    DebugInstruction,
    /// An instruction was executed with the trap flag set.
    TrapFlag,
    /// INT1 or the trap flag; a host's processor does not say which.
    DebugInstructionOrTrapFlag,
    /// Bytes that do not decode to an instruction.
    InvalidBytes {
        /// The first bytes, padded with zeros.
        bytes: [u8; INVALID_BYTES_SHOWN],
        /// The number of `bytes` that are known.
        count: u8,
    },
    /// An instruction of more than 15 bytes, most of them prefixes.
    InstructionTooLong,
    /// An instruction that the chip does not have.
    Undefined,
    /// UD2, which is undefined on purpose.
    UndefinedOnPurpose,
    /// An instruction of later processors that no chip here can execute.
    NeverHere {
        /// The instruction.
        mnemonic: Mnemonic,
        /// The extension that it belongs to.
        extension: CpuidFeature,
    },
    /// An instruction that only a later chip has.
    OnlyOnLaterChip {
        /// The instruction.
        mnemonic: Mnemonic,
        /// The short name of the first chip that has it.
        chip: &'static str,
        /// The name of the monitor that adds it to this chip, if there is one.
        monitor: Option<&'static str>,
    },
    /// An instruction of later processors, which the chip executes only if it is asked to.
    OfLaterProcessors {
        /// The instruction.
        mnemonic: Mnemonic,
        /// The name of the instructions that it is one of, for `--also`.
        also: &'static str,
        /// The name of other such instructions, which the chip executes already or the program has, too.
        with: Option<&'static str>,
    },
    /// An instruction that the chip has only with a monitor.
    OnlyWithMonitor {
        /// The name of the monitor that adds it.
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
    /// An unmasked exception of the floating-point unit, raised by the next instruction that waits.
    FloatingPoint {
        /// The exceptions, as in the low bits of the status word.
        exceptions: u8,
    },
    /// An unmasked exception with CR0.NE clear: the processor activates its error pin and waits for an external
    /// interrupt.
    FloatingPointErrorPin {
        /// The exceptions, as in the low bits of the status word.
        exceptions: u8,
    },
    /// An instruction that requires privilege level 0.
    Privileged {
        /// The mnemonic of the instruction.
        mnemonic: Mnemonic,
        /// The privilege level of the program, 1 to 3.
        cpl: u8,
    },
    /// MOV to or from a register that requires privilege level 0.
    PrivilegedMove {
        /// The kind of the register.
        register: SystemRegister,
        /// The privilege level of the program, 1 to 3.
        cpl: u8,
    },
    /// RDTSC above privilege level 0 with CR4.TSD set.
    TimeStampDisabled,
    /// RDPMC above privilege level 0 with CR4.PCE clear.
    CountersDisabled,
    /// An instruction that needs CPL <= IOPL.
    IoPrivilege {
        /// The mnemonic of the instruction.
        mnemonic: Mnemonic,
        /// The privilege level of the program, 0 to 3.
        cpl: u8,
        /// The I/O privilege level, 0 to 3.
        iopl: u8,
    },
    /// Setting CR0.PG without CR0.PE.
    PagingWithoutProtection,
    /// Setting CR0.NW without CR0.CD.
    NotWriteThroughWithoutCacheDisable,
    /// Setting a bit of CR4 that the chip does not define.
    UndefinedCr4Bit,
    /// An access to DR4 or DR5 with CR4.DE set.
    UndefinedDebugRegister,
    /// An access to a model specific register that does not exist.
    NoSuchMsr(u32),
    /// WRMSR to a read-only register or to reserved bits of this register.
    ReservedMsrBits(u32),
    /// RDPMC of a counter that does not exist.
    NoSuchCounter(u32),
    /// An interrupt that is not a service, by its vector.
    UnhandledInterrupt(u8),
    /// A selector that cannot be loaded.
    Selector(SelectorFault),
    /// An access through a segment register that holds a null selector.
    NullSegment,
    /// A write to a segment that is not writable.
    ReadOnlySegment,
    /// A read from a code segment that can only be executed.
    ExecuteOnlySegment,
    /// A stack of an inner level that is too small.
    InnerStackFull,
    /// The task state segment ends before the stack of the required level, or there is none.
    NoInnerStack {
        /// The required privilege level, 0 to 2.
        level: u8,
    },
    /// A vector without a gate in the interrupt descriptor table.
    NoGate {
        /// The vector of the interrupt.
        vector: u8,
    },
    /// A gate in the interrupt descriptor table that is not present.
    GateNotPresent {
        /// The vector of the interrupt.
        vector: u8,
    },
    /// A gate in the interrupt descriptor table that INT cannot use at this level.
    GatePrivilege {
        /// The vector of the interrupt.
        vector: u8,
    },
    /// A second fault during the delivery of a first.
    DoubleFault,
    /// A breakpoint set in a debug register.
    BreakpointRegister {
        /// The number of the register, from DR0 to DR3.
        number: u8,
    },
    /// A debug register was accessed with DR7.GD set.
    DebugRegisterGuarded,
    /// An instruction that virtual 8086 mode allows only at IOPL 3.
    VirtualPrivilege {
        /// The mnemonic of the instruction.
        mnemonic: Mnemonic,
        /// The I/O privilege level, 0 to 2.
        iopl: u8,
    },
    /// An offset past the segment's limit.
    PastLimit,
    /// An access past the end of the address space.
    PastAddressSpace,
    /// A misaligned access with CR0.AM and EFLAGS.AC set.
    Misaligned,
    /// An access that no page permits.
    Page(PageAccess),
    /// IRET with the nested task flag set.
    NestedTask,
    /// A task switch without a task in the task register.
    NoTaskToSave,
    /// A task state segment whose limit is below its required size.
    TaskTooSmall,
    /// A switch to a task with the trap bit in its task state segment.
    TaskTrap,
    /// A fault that only a native run can have.
    Host(HostFault),
}

impl FaultCause {
    /// The cause for `bytes`, which do not decode.
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

/// The reason why a native run was stopped where the simulated machine has no such fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostFault {
    /// An instruction that enters the host's kernel and that no Pentium has.
    KernelEntry,
    /// A system call from 64-bit code.
    LongModeCall {
        /// The number of the system call.
        number: u32,
    },
    /// A fault in 64-bit code.
    LongMode,
    /// An unmasked exception of the floating-point unit.
    FloatingPoint,
    /// RDTSC, which is disabled for this process.
    TimeStampDisabled,
    /// A selector for which the host has no segment.
    NoSegment {
        /// The value of the selector.
        selector: u16,
    },
    /// A general protection fault whose instruction does not tell the reason.
    Protection,
    /// An exception that gives only its vector.
    Other,
    /// The child process ended without a result.
    Lost(Lost),
}

/// The way in which a child process ended without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// By the signal with this number.
    Signal(i32),
    /// By exiting with this status.
    Status(i32),
    /// By a fault in code outside the program.
    OutsideTheProgram,
    /// By a normal exit with a report that the child cannot have written.
    DamagedReport,
    /// In an unknown way, because a process other than its parent waited for it.
    Unknown,
}

/// Shows the way as a predicate.
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
