//! The words for faults.

use super::super::printable::printable;
use super::super::refused::unhandled;
use iced_x86::Mnemonic;
use p5_chips::{FIXED_COUNTERS, GENERAL_COUNTERS, MONITORS, Monitor};
use p5_results::{MadeBy, Stop};
use p5_words::fault::{FaultCause, HostFault, PageAccess, SelectorFault, SystemRegister};

/// The names of exceptions, given as the bits of the floating-point status word.
fn floating_point(exceptions: u8) -> String {
    let names = [
        "invalid operation",
        "denormal operand",
        "division by zero",
        "overflow",
        "underflow",
        "inexact result",
    ];
    let raised = names.iter().enumerate().filter(|(bit, _)| exceptions >> bit & 1 != 0);
    raised.map(|(_, &name)| name).collect::<Vec<_>>().join(", ")
}

/// A mnemonic as sentences quote it.
fn name(mnemonic: Mnemonic) -> String {
    format!("{mnemonic:?}").to_ascii_uppercase()
}

/// The monitor whose counter RDPMC reads with this index.
fn with_perfmon(counter: u32) -> &'static str {
    const FIXED: u32 = 1 << 30;
    let known = (counter as usize) < GENERAL_COUNTERS || (FIXED..FIXED + FIXED_COUNTERS as u32).contains(&counter);
    if known { " without `--monitor perfmon`" } else { "" }
}

/// The remedy for an instruction of later processors in Rust's library.
const OF_RUSTS_LIBRARY: &str = "Rust's library for this target is compiled for processors with SSE2, and `-C \
                                target-cpu=pentium` does not compile it again: compile with `--target \
                                i586-unknown-linux-gnu -C target-feature=+crt-static`, whose library has none, or do \
                                without `std`; `p5inst explain rust` says how";

/// An instruction that no chip has, with its function and a remedy for who compiled it.
pub(super) fn lacking(cause: FaultCause, stop: &Stop) -> Option<String> {
    let function = stop.lacks_in().map(printable)?;
    Some(match cause {
        FaultCause::UndefinedOnPurpose if stop.panicked().is_some() => format!("`ud2` in {function}"),
        FaultCause::UndefinedOnPurpose => format!(
            "`ud2` in {function}: compilers put it where what the source does is undefined, such as a division by zero \
             or a null pointer, and for __builtin_trap(); a build with -O1 or -fsanitize=undefined shows which"
        ),
        FaultCause::NeverHere { mnemonic, extension } => format!(
            "invalid opcode: {} ({extension:?}) in {function} is of later processors, and p5inst does not have it; {}",
            name(mnemonic),
            match stop.made_by() {
                MadeBy::Other => "compile with -march=pentium, without -msse, -mfpmath=sse or -march=native",
                MadeBy::Rust => "compile with `-C target-cpu=pentium`; `p5inst explain rust` has the whole command",
                MadeBy::RustLibrary => OF_RUSTS_LIBRARY,
            }
        ),
        // `--also` leads to the next instruction of SSE2 only.
        FaultCause::OfLaterProcessors { mnemonic, .. } if stop.made_by() == MadeBy::RustLibrary => format!(
            "invalid opcode: {} in {function} is of later processors; {OF_RUSTS_LIBRARY}",
            name(mnemonic)
        ),
        _ => return None,
    })
}

/// A quotient that does not fit its register, with the dividend if it is known, and the remedy if its high half does
/// not only extend the low one.
pub(super) fn too_large(cause: FaultCause, stop: &Stop) -> Option<(String, String)> {
    let FaultCause::QuotientTooLarge { bits, signed } = cause else {
        return None;
    };
    let registers = &stop.culprit()?.registers;
    let value = |number: u8| {
        registers
            .iter()
            .find(|&&(known, _)| known == number)
            .map(|known| known.1)
    };
    let (low, high) = (value(EAX)?, value(EDX));
    let (low, high) = match bits {
        8 => (low & 0xFF, low >> 8 & 0xFF),
        16 => (low & 0xFFFF, high? & 0xFFFF),
        _ => (low, high?),
    };
    let digits = usize::from(bits / 4);
    let (dividend, register, unsigned_remedy, signed_remedy) = match bits {
        8 => ("AX", "AL", "xor ah,ah", "cbw"),
        16 => ("DX:AX", "AX", "xor dx,dx", "cwd"),
        _ => ("EDX:EAX", "EAX", "xor edx,edx", "cdq"),
    };
    let negative = low >> (bits - 1) & 1 != 0;
    let all = u32::MAX >> (32 - bits);
    let (extended, remedy) = match signed {
        true => (if negative { all } else { 0 }, signed_remedy),
        false => (0, unsigned_remedy),
    };
    let words = format!("the quotient of {dividend} ({high:0digits$X}{low:0digits$X}h) does not fit {register}");
    let remedy = match high == extended {
        true => String::new(),
        // A negative number is divided as one. AX is loaded as a whole, so that its low half says nothing.
        false if negative && !signed && bits > 8 => format!(
            "; to divide {register} alone, write `{remedy}` before it, or `{signed_remedy}` and `idiv` if {register} is \
             a signed number ({})",
            as_signed(low, bits)
        ),
        false => format!("; to divide {register} alone, write `{remedy}` before it"),
    };
    // AH may well be meant: the next wider division takes all of AX.
    let remedy = match (remedy.is_empty(), bits, signed) {
        (false, 8, false) => remedy + "; to divide all of AX, `xor dx,dx` and a divisor of 16 bits",
        (false, 8, true) => remedy + "; to divide all of AX, `cwd` and a divisor of 16 bits",
        _ => remedy,
    };
    Some((words, remedy))
}

/// The value of the low `bits` as a signed number.
fn as_signed(low: u32, bits: u8) -> i32 {
    let unused = 32 - u32::from(bits);
    (low << unused) as i32 >> unused
}

const EAX: u8 = 0;
const EDX: u8 = 2;

pub(super) fn fault(cause: FaultCause) -> String {
    match cause {
        FaultCause::DivisionByZero => "division by zero",
        FaultCause::AamByZero => "AAM with an immediate of 0 divides by zero",
        FaultCause::QuotientTooLarge { .. } => "the quotient does not fit its register",
        FaultCause::Division => "division by zero, or the quotient does not fit its register",
        FaultCause::Overflow => "INTO with the overflow flag set",
        FaultCause::OutOfBounds => "the index is outside the bounds of BOUND",
        FaultCause::BreakpointInstruction => "breakpoint instruction",
        FaultCause::DebugInstruction => "debug interrupt instruction ICEBP (F1h)",
        FaultCause::TrapFlag => "single step: the trap flag is set",
        FaultCause::DebugInstructionOrTrapFlag => "debug interrupt instruction, or single step with the trap flag set",
        FaultCause::InvalidBytes { bytes, count } => {
            let shown = bytes.iter().take(usize::from(count));
            let shown: Vec<String> = shown.map(|byte| format!("{byte:02X}")).collect();
            return format!("the bytes {} are not a valid instruction", shown.join(" "));
        }
        FaultCause::InstructionTooLong => "the instruction is longer than 15 bytes",
        FaultCause::Undefined => "invalid opcode: the chip does not have this instruction",
        FaultCause::UndefinedOnPurpose => "`ud2`, which no processor executes",
        FaultCause::NeverHere { mnemonic, extension } => {
            return format!(
                "invalid opcode: {} ({extension:?}) is of later processors, and p5inst does not have it",
                name(mnemonic)
            );
        }
        FaultCause::OnlyOnLaterChip {
            mnemonic,
            chip,
            monitor,
        } => {
            let monitor = monitor.map_or_else(String::new, |monitor| format!("`--monitor {monitor}` or "));
            let mnemonic = name(mnemonic);
            return format!("invalid opcode: this chip has no {mnemonic}; {monitor}`--cpu {chip}` has it");
        }
        FaultCause::OfLaterProcessors { mnemonic, also, with } => {
            let with = with.map_or_else(String::new, |with| format!("{with},"));
            return format!(
                "invalid opcode: {} is of later processors; `p5inst --also {with}{also} PROGRAM` executes it; your \
                 own code can be compiled for a Pentium",
                name(mnemonic)
            );
        }
        FaultCause::OnlyWithMonitor { monitor } => return format!("invalid opcode: needs `--monitor {monitor}`"),
        FaultCause::WaitAfterTaskSwitch => "WAIT with CR0.MP and CR0.TS set",
        FaultCause::MmxEmulated => "MMX instruction with CR0.EM set",
        FaultCause::FloatingPointEmulated => "floating-point instruction with CR0.EM set",
        FaultCause::FloatingPointAfterTaskSwitch => "floating-point instruction with CR0.TS set",
        FaultCause::FloatingPoint { exceptions } => {
            return format!("unmasked floating-point exception: {}", floating_point(exceptions));
        }
        FaultCause::FloatingPointErrorPin { exceptions } => {
            return format!(
                "unmasked floating-point exception ({}) with CR0.NE clear: the processor waits for an external \
                 interrupt, and no interrupt controller is simulated",
                floating_point(exceptions)
            );
        }
        FaultCause::Privileged { mnemonic, cpl } => {
            return format!(
                "{} needs privilege level 0, but the program runs at level {cpl}",
                name(mnemonic)
            );
        }
        FaultCause::PrivilegedMove { register, cpl } => {
            let register = match register {
                SystemRegister::Control => "control",
                SystemRegister::Debug => "debug",
            };
            return format!(
                "access to a {register} register needs privilege level 0, but the program runs at level {cpl}"
            );
        }
        FaultCause::TimeStampDisabled => "RDTSC needs privilege level 0 while CR4.TSD is set",
        FaultCause::CountersDisabled => "RDPMC needs privilege level 0 while CR4.PCE is clear",
        FaultCause::IoPrivilege { mnemonic, cpl, iopl } => {
            return format!(
                "{} needs CPL <= IOPL, but CPL is {cpl} and IOPL is {iopl}",
                name(mnemonic)
            );
        }
        FaultCause::PagingWithoutProtection => "CR0.PG cannot be set without CR0.PE",
        FaultCause::NotWriteThroughWithoutCacheDisable => "CR0.NW cannot be set without CR0.CD",
        FaultCause::UndefinedCr4Bit => "the chip does not define this bit of CR4",
        FaultCause::UndefinedDebugRegister => "DR4 and DR5 do not exist while CR4.DE is set",
        FaultCause::NoSuchMsr(register) => {
            let missing = format!("model specific register {register:02X}h does not exist");
            let has = |monitor: &&&Monitor| monitor.registers.iter().any(|one| one.number == register);
            return match MONITORS.iter().find(has) {
                Some(monitor) => format!("{missing} without `--monitor {}`", monitor.name),
                None => missing,
            };
        }
        FaultCause::ReservedMsrBits(register) => {
            return format!(
                "bits of model specific register {register:02X}h are written that are reserved or read-only"
            );
        }
        FaultCause::NoSuchCounter(counter) => {
            return format!(
                "RDPMC reads no counter {counter:X}h on this chip{}",
                with_perfmon(counter)
            );
        }
        FaultCause::UnhandledInterrupt(vector) => {
            return unhandled(vector);
        }
        FaultCause::Selector(fault) => selector(fault),
        FaultCause::NullSegment => "the segment register holds a null selector",
        FaultCause::ReadOnlySegment => "the segment is not writable",
        FaultCause::ExecuteOnlySegment => "the segment cannot be read",
        FaultCause::InnerStackFull => "the inner stack has no room",
        FaultCause::NoInnerStack { level } => {
            return format!("no task state segment is loaded that has a stack for privilege level {level}");
        }
        FaultCause::NoGate { vector } => {
            return format!("the interrupt table has no gate for vector {vector:02X}h");
        }
        FaultCause::GateNotPresent { vector } => {
            return format!("the gate for vector {vector:02X}h is not present");
        }
        FaultCause::GatePrivilege { vector } => {
            return format!("the gate for vector {vector:02X}h is more privileged than the program");
        }
        FaultCause::DoubleFault => "a second fault while the first was being delivered",
        FaultCause::BreakpointRegister { number } => {
            return format!("breakpoint of debug register {number}");
        }
        FaultCause::DebugRegisterGuarded => "debug registers cannot be accessed while DR7.GD is set",
        FaultCause::VirtualPrivilege { mnemonic, iopl } => {
            return format!(
                "{} needs IOPL 3 in virtual 8086 mode, but IOPL is {iopl}",
                name(mnemonic)
            );
        }
        FaultCause::PastLimit => "the offset is past the segment limit",
        FaultCause::PastAddressSpace => "the access extends past the end of the address space",
        FaultCause::Misaligned => "misaligned access with CR0.AM and EFLAGS.AC set",
        FaultCause::Page(access) => match access {
            PageAccess::Fetch => "instruction fetch from unmapped memory",
            PageAccess::Read => "read from unmapped memory",
            PageAccess::Write => "write to unmapped memory",
            PageAccess::Forbidden => "access to memory that the program has protected",
            PageAccess::WriteToReadOnly => "write to read-only memory",
            PageAccess::SupervisorPage => "access to a page of the system",
        },
        FaultCause::NoTaskToSave => "the task register holds no task whose state the switch could save",
        FaultCause::TaskTooSmall => "the task state segment is too small for the state of a task",
        FaultCause::TaskTrap => "switch to a task with the trap bit set in its task state segment",
        FaultCause::NestedTask => "IRET with the nested task flag set, but there is no task to return to",
        FaultCause::Host(fault) => return host_fault(fault),
    }
    .to_owned()
}

fn selector(fault: SelectorFault) -> &'static str {
    match fault {
        SelectorFault::NullForSs => "SS cannot hold a null selector",
        SelectorFault::NullForCs => "CS cannot hold a null selector",
        SelectorFault::NoSegment => "no segment has this selector",
        SelectorFault::NotForSs => "SS needs a writable data segment of the current privilege level",
        SelectorFault::NotForCs => "CS needs a code segment of the privilege level to run at",
        SelectorFault::MorePrivileged => "the segment is more privileged than the program",
        SelectorFault::LessPrivilegedRpl => "the selector's RPL is less privileged than the program",
        SelectorFault::ReturnInward => "a return cannot go to a more privileged level",
        SelectorFault::NoLocalTable => "no local descriptor table has this selector",
        SelectorFault::NoTask => "no task state segment has this selector",
        SelectorFault::TaskBusy => "the task is busy",
        SelectorFault::TaskNotBusy => "the task to return to is not busy",
        SelectorFault::NotPresent => "the descriptor of this selector is not present",
        SelectorFault::PastTable => "the selector is past the end of its descriptor table",
        SelectorFault::WrongKind => "the descriptor of this selector is not of a kind that can be used here",
        SelectorFault::NotReadable => "the segment cannot be read",
        SelectorFault::BadGateTarget => "the gate does not lead to code of the same or an inner privilege level",
        SelectorFault::BadInnerStack => "the inner stack needs a writable data segment of its privilege level",
        SelectorFault::VirtualNotToLevel0 => "virtual 8086 mode can only be left for privilege level 0",
    }
}

fn host_fault(fault: HostFault) -> String {
    match fault {
        HostFault::KernelEntry => {
            "this instruction enters the host's kernel and does not exist on a Pentium; it was refused".to_owned()
        }
        HostFault::LongModeCall { number } => {
            format!("the program switched to 64-bit code and made system call {number}, which was refused")
        }
        HostFault::LongMode => "the program switched to 64-bit code and faulted there".to_owned(),
        HostFault::FloatingPoint => "unmasked floating point exception".to_owned(),
        HostFault::TimeStampDisabled => {
            "RDTSC needs privilege level 0 while CR4.TSD is set, as it is for this process (prctl PR_SET_TSC)"
                .to_owned()
        }
        HostFault::NoSegment { selector } => format!("the host has no segment for selector {selector:04X}h"),
        HostFault::Protection => {
            "the access extends past the end of the address space or uses a null selector, or the host \
                                  reserves the instruction for itself"
                .to_owned()
        }
        HostFault::Other => "raised by the host's processor".to_owned(),
        HostFault::Lost(how) => {
            format!(
                "the process that ran the program {}; the program may have overwritten its surroundings",
                how
            )
        }
    }
}
