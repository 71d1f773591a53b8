//! How native runs ended, in the terms of the simulated machine where both have the same ending.

use super::plan::Plan;
use super::shared::{Control, PASSES_MOST, REFUSED_MOST, SAMPLES_MOST, kind};
use super::{Note, segment, signals};
use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic};
use p5_image::Image;
use p5_meaning::memory::PageFault;
use p5_meaning::services::{OUTPUT_LIMIT, linux};
use p5_results::{RefusedService, Stop, StopDetail, StopReason};
use p5_words::fault::{FaultCause, HostFault, Lost, PageAccess, SystemRegister, Vector};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// How the process of the child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// It exited with this status.
    Status(i32),
    /// It was terminated by a signal.
    Signal(i32),
    /// The parent killed it because its time limit expired.
    Killed,
    /// Other code in this process waited for it, so its status is lost.
    Unknown,
}

/// Bits of a page fault's error code: the page is present, the access is a write, the access is a fetch.
const PRESENT: u32 = 1;
const WRITE: u32 = 2;
const FETCH: u32 = 16;
/// The bits of an error code that hold a selector without its RPL.
const SELECTOR: u32 = 0xFFFC;
/// The program's privilege level on the host, and its I/O privilege level.
const CPL: u8 = 3;
const IOPL: u8 = 0;

const LAST_VECTOR: u32 = 31;
/// The maximum length of an instruction, in bytes.
const LONGEST_INSTRUCTION: usize = 15;

type Place = Option<(u32, u32)>;

fn plain(reason: StopReason, code: Option<u32>) -> Stop {
    Stop {
        code,
        ..Stop::plain(reason)
    }
}

fn fault(vector: Option<u32>, cause: FaultCause, address: Option<u32>, place: Place) -> Stop {
    Stop {
        code: vector,
        detail: Some(StopDetail::Fault {
            cause,
            address,
            unlisted: None,
        }),
        place,
        ..Stop::plain(StopReason::Fault)
    }
}

fn host_fault(vector: Option<u32>, cause: HostFault, place: Place) -> Stop {
    fault(vector, FaultCause::Host(cause), None, place)
}

/// The stop of a run that did not end within `limit`.
pub(super) fn timed_out(limit: Duration, killed: bool, place: Place) -> Stop {
    Stop {
        detail: Some(StopDetail::NativeTime { limit, killed }),
        place,
        ..Stop::plain(StopReason::Limit)
    }
}

/// Whether the child's report, of at most `runs` runs, is consistent. A program that leaves its segment can write
/// anything there and exit as if the child had finished.
pub(super) fn is_sound(control: &Control, runs: u32) -> bool {
    let ended = match control.kind.load(Relaxed) {
        kind::GATE => control.how.load(Relaxed) < segment::BY_SIGNAL,
        kind::FAULT => control.vector.load(Relaxed) <= LAST_VECTOR,
        kind::END | kind::HALT | kind::EXIT | kind::SIGNAL | kind::CALL | kind::LIMIT => true,
        _ => false,
    };
    let at_most = [
        (&control.running, 0),
        (&control.failed_step, 0),
        (&control.byte_count, LONGEST_INSTRUCTION as u32),
        (&control.wrote, 1),
        (&control.output_refused, 1),
        (&control.refused_linux_count, REFUSED_MOST as u32),
        (&control.runs, runs),
        (&control.empty, SAMPLES_MOST as u32),
        (&control.chain, SAMPLES_MOST as u32),
        (&control.by_signal, SAMPLES_MOST as u32),
        (&control.passes, PASSES_MOST as u32),
    ];
    ended && at_most.iter().all(|(number, most)| number.load(Relaxed) <= *most)
}

pub(super) fn stop(image: &Image, plan: &Plan, control: &Control, limit: Duration) -> Stop {
    let place = |address: u64| {
        let row = image.line_at(u32::try_from(address).ok()?)?;
        Some(image.outermost(&row))
    };
    let at = control.instruction.load(Relaxed);
    let code = control.code.load(Relaxed);
    let in_program = control.selector.load(Relaxed) as u16 == segment::COMPATIBILITY;
    match control.kind.load(Relaxed) {
        kind::GATE if control.how.load(Relaxed) == segment::BY_RETURN => plain(StopReason::Return, None),
        kind::GATE | kind::END => plain(StopReason::End, None),
        kind::HALT => plain(StopReason::Halt, None),
        kind::EXIT => plain(StopReason::Exit, Some(code)),
        kind::SIGNAL => plain(StopReason::Signal, Some(code)),
        kind::LIMIT => timed_out(limit, false, place(at)),
        kind::CALL if in_program => {
            // SYSCALL is two bytes long, and it has completed when the signal arrives.
            let before = at.wrapping_sub(2);
            let vector = Some(u32::from(Vector::InvalidOpcode.number()));
            let cause = FaultCause::Host(HostFault::KernelEntry);
            fault(vector, cause, Some(before as u32), place(before))
        }
        kind::CALL => host_fault(None, HostFault::LongModeCall { number: code }, None),
        _ if !in_program => host_fault(Some(control.vector.load(Relaxed)), HostFault::LongMode, None),
        _ => processor_fault(plan, control, at as u32, place),
    }
}

fn processor_fault(plan: &Plan, control: &Control, at: u32, place: impl Fn(u64) -> Place) -> Stop {
    let number = control.vector.load(Relaxed);
    let vector = Vector::from_number(number);
    let error = control.error.load(Relaxed);
    let bytes: Vec<u8> = control
        .bytes
        .iter()
        .flat_map(|word| word.load(Relaxed).to_le_bytes())
        .collect();
    let count = (control.byte_count.load(Relaxed) as usize).min(LONGEST_INSTRUCTION);
    let bytes = bytes.get(..count).unwrap_or_default();
    let instruction = Decoder::with_ip(32, bytes, u64::from(at), DecoderOptions::NONE).decode();
    // These two are traps: EIP points to the next instruction.
    let trapped = matches!(vector, Some(Vector::Breakpoint | Vector::Overflow));
    let here = place(u64::from(at.wrapping_sub(u32::from(trapped))));
    let mut address = None;
    let cause = match vector {
        Some(Vector::Page) => return page_fault(plan, control, at, error, here),
        Some(Vector::InvalidOpcode) => {
            address = Some(at);
            FaultCause::invalid_bytes(bytes)
        }
        Some(Vector::DivideError) => FaultCause::Division,
        Some(Vector::Debug) => FaultCause::DebugInstructionOrTrapFlag,
        Some(Vector::Breakpoint) => FaultCause::BreakpointInstruction,
        Some(Vector::Overflow) => FaultCause::Overflow,
        Some(Vector::BoundRange) => FaultCause::OutOfBounds,
        Some(Vector::AlignmentCheck) => FaultCause::Misaligned,
        Some(Vector::FloatingPoint) => FaultCause::Host(HostFault::FloatingPoint),
        Some(Vector::Stack) => FaultCause::PastAddressSpace,
        Some(Vector::SegmentNotPresent) => no_segment(error),
        Some(Vector::GeneralProtection) => protection(&instruction, error),
        _ => {
            address = Some(at);
            FaultCause::Host(HostFault::Other)
        }
    };
    fault(Some(number), cause, address, here)
}

fn page_fault(plan: &Plan, control: &Control, at: u32, error: u32, here: Place) -> Stop {
    let address = control.address.load(Relaxed) as u32;
    let held = plan.areas.iter().any(|area| area.holds(address, 1));
    let fetch = error & FETCH != 0 || (address == at && error & WRITE == 0 && !held);
    let (access, address) = if fetch {
        (PageAccess::Fetch, address)
    } else {
        let fault = PageFault {
            address,
            write: error & WRITE != 0,
            present: error & PRESENT != 0 || held,
            forbidden: false,
        };
        (PageAccess::of(fault), address)
    };
    let vector = Some(u32::from(Vector::Page.number()));
    fault(vector, FaultCause::Page(access), Some(address), here)
}

fn no_segment(error: u32) -> FaultCause {
    FaultCause::Host(HostFault::NoSegment {
        selector: (error & SELECTOR) as u16,
    })
}

/// Why an instruction raised #GP, as far as its operands and the error code show.
fn protection(instruction: &Instruction, error: u32) -> FaultCause {
    let mnemonic = instruction.mnemonic();
    match mnemonic {
        Mnemonic::Rdtsc => FaultCause::Host(HostFault::TimeStampDisabled),
        Mnemonic::Int => FaultCause::UnhandledInterrupt(instruction.immediate8()),
        Mnemonic::In
        | Mnemonic::Out
        | Mnemonic::Insb
        | Mnemonic::Insw
        | Mnemonic::Insd
        | Mnemonic::Outsb
        | Mnemonic::Outsw
        | Mnemonic::Outsd
        | Mnemonic::Cli
        | Mnemonic::Sti => FaultCause::IoPrivilege {
            mnemonic,
            cpl: CPL,
            iopl: IOPL,
        },
        Mnemonic::Mov if instruction.is_privileged() => FaultCause::PrivilegedMove {
            register: if (0..2).any(|operand| instruction.op_register(operand).is_dr()) {
                SystemRegister::Debug
            } else {
                SystemRegister::Control
            },
            cpl: CPL,
        },
        _ if instruction.is_privileged() => FaultCause::Privileged { mnemonic, cpl: CPL },
        // An error code is a selector with its kind in the low bits.
        _ if error & SELECTOR != 0 => no_segment(error),
        _ => FaultCause::Host(HostFault::Protection),
    }
}

pub(super) fn damaged() -> Stop {
    host_fault(None, HostFault::Lost(Lost::DamagedReport), None)
}

/// The stop of a child that ended before it finished.
pub(super) fn lost(ended: Ended, limit: Duration) -> Stop {
    let how = match ended {
        Ended::Killed => return timed_out(limit, true, None),
        Ended::Signal(number) => Lost::Signal(number),
        Ended::Status(signals::HARNESS_BROKEN) => Lost::OutsideTheProgram,
        Ended::Status(status) => Lost::Status(status),
        Ended::Unknown => Lost::Unknown,
    };
    host_fault(None, HostFault::Lost(how), None)
}

pub(super) fn notes(control: &Control) -> Vec<Note> {
    let mut notes = Vec::new();
    if control.wrote.load(Relaxed) != 0 {
        notes.push(Note::OutputDropped);
    }
    if control.output_refused.load(Relaxed) != 0 {
        notes.push(Note::Refused(OUTPUT_LIMIT));
    }
    for function in 0..=u8::MAX {
        let word = control.refused_dos[usize::from(function / 32)].load(Relaxed);
        if word >> (function % 32) & 1 != 0 {
            notes.push(Note::Refused(RefusedService::Dos { function }));
        }
    }
    let count = (control.refused_linux_count.load(Relaxed) as usize).min(REFUSED_MOST);
    for number in control.refused_linux.iter().take(count) {
        let call = number.load(Relaxed);
        notes.push(Note::Refused(linux::refusal(call)));
    }
    let lost = control.lost_in_log.load(Relaxed);
    if lost > 0 {
        notes.push(Note::LogFull { lost });
    }
    let lost = control.lost_here.load(Relaxed);
    if lost > 0 {
        let capacity = PASSES_MOST;
        notes.push(Note::PassesDropped { lost, capacity });
    }
    notes
}
