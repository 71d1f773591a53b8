//! The end of a native run in words, the same words as for the simulated machine where the meaning is the same.

use super::parent::Ended;
use super::plan::Plan;
use super::shared::{Control, REFUSED_MOST, kind};
use super::{segment, signals};
use crate::exec::{Fault, Vector};
use crate::image::Image;
use crate::memory::PageFault;
use crate::run::{Stop, StopReason};
use crate::services::{dos, linux};
use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// An error code of a page fault: the page was there, it was a write, it was a fetch.
const PRESENT: u32 = 1;
const WRITE: u32 = 2;
const FETCH: u32 = 16;

fn plain(reason: StopReason, code: Option<u32>) -> Stop {
    Stop {
        reason,
        code,
        message: None,
        place: None,
    }
}

fn fault(code: Option<u32>, message: String, place: Option<(u32, u32)>) -> Stop {
    Stop {
        reason: StopReason::Fault,
        code,
        message: Some(message),
        place,
    }
}

/// How the last run ended.
pub(super) fn stop(image: &Image, plan: &Plan, control: &Control, limit: Duration) -> Stop {
    let place = |address: u64| {
        let row = image.line_at(u32::try_from(address).ok()?)?;
        Some(image.outermost(row))
    };
    let at = control.instruction.load(Relaxed);
    let code = control.code.load(Relaxed);
    let in_program = control.selector.load(Relaxed) as u16 == segment::COMPATIBILITY;
    match control.kind.load(Relaxed) {
        kind::GATE if control.how.load(Relaxed) == segment::BY_RETURN => plain(StopReason::Return, None),
        kind::GATE | kind::END => plain(StopReason::End, None),
        kind::HALT => plain(StopReason::Halt, None),
        kind::EXIT => plain(StopReason::Exit, Some(code)),
        kind::LIMIT => Stop {
            reason: StopReason::Limit,
            code: None,
            message: Some(format!("still running after {} ms", limit.as_millis())),
            place: place(at),
        },
        kind::CALL if in_program => {
            // SYSCALL is two bytes long and has completed when the kernel reports it.
            let before = at.wrapping_sub(2);
            let message = format!(
                "#UD: the instruction at {before:08X}h is a system call of the host that no Pentium has; it was refused"
            );
            fault(Some(6), message, place(before))
        }
        kind::CALL => fault(
            None,
            format!("the program entered 64-bit code and made a system call there (number {code}), which was refused"),
            None,
        ),
        _ if !in_program => {
            let vector = control.vector.load(Relaxed);
            let message = format!(
                "{}: the program entered 64-bit code and faulted there (address {at:X}h)",
                name(vector)
            );
            fault(Some(vector), message, None)
        }
        _ => processor_fault(plan, control, at as u32, place),
    }
}

fn known(vector: u32) -> Option<Vector> {
    Vector::ALL
        .into_iter()
        .find(|known| u32::from(known.number()) == vector)
}

/// The name of the vector in the manuals.
fn name(vector: u32) -> String {
    match known(vector) {
        Some(known) => known.short_name().to_owned(),
        None => format!("exception {vector}"),
    }
}

/// A fault of the program itself.
fn processor_fault(plan: &Plan, control: &Control, at: u32, place: impl Fn(u64) -> Option<(u32, u32)>) -> Stop {
    let vector = control.vector.load(Relaxed);
    let error = control.error.load(Relaxed);
    let bytes: Vec<u8> = control
        .bytes
        .iter()
        .flat_map(|word| word.load(Relaxed).to_le_bytes())
        .collect();
    let count = (control.byte_count.load(Relaxed) as usize).min(15);
    let bytes = bytes.get(..count).unwrap_or_default();
    let instruction = Decoder::with_ip(32, bytes, u64::from(at), DecoderOptions::NONE).decode();
    // These two are traps: the processor is already at the next instruction.
    let trapped = matches!(known(vector), Some(Vector::Breakpoint | Vector::Overflow));
    let here = place(u64::from(at.wrapping_sub(u32::from(trapped))));
    let why = match known(vector) {
        Some(Vector::Page) => return page_fault(plan, control, at, error, here),
        Some(Vector::InvalidOpcode) => {
            let shown: Vec<String> = bytes.iter().take(4).map(|byte| format!("{byte:02X}")).collect();
            format!(
                "the bytes {} at {at:08X}h are not an instruction of this processor",
                shown.join(" ")
            )
        }
        Some(Vector::DivideError) => {
            String::from("a division by zero, or one whose quotient does not fit its register")
        }
        Some(Vector::Debug) => String::from("a debug interrupt instruction, or the trap flag was set"),
        Some(Vector::Breakpoint) => String::from("a breakpoint instruction"),
        Some(Vector::Overflow) => String::from("INTO while the overflow flag is set"),
        Some(Vector::BoundRange) => String::from("the index of BOUND lies outside its bounds"),
        Some(Vector::AlignmentCheck) => String::from("a misaligned access while CR0.AM and EFLAGS.AC are set"),
        Some(Vector::FloatingPoint) => String::from("an unmasked exception of the floating point unit"),
        Some(Vector::Stack) => String::from("an access through SS goes past the end of the address space"),
        Some(Vector::SegmentNotPresent) => no_segment(error),
        Some(Vector::GeneralProtection) => protection(&instruction, error),
        _ => format!("raised by the host's processor at {at:08X}h"),
    };
    fault(Some(vector), format!("{}: {why}", name(vector)), here)
}

fn page_fault(plan: &Plan, control: &Control, at: u32, error: u32, here: Option<(u32, u32)>) -> Stop {
    let address = control.address.load(Relaxed) as u32;
    let held = plan.areas.iter().any(|area| area.holds(address, 1));
    if error & FETCH != 0 || (address == at && error & WRITE == 0 && !held) {
        return fault(
            Some(14),
            format!("#PF: no memory at {at:08X}h, where the next instruction should be"),
            here,
        );
    }
    let page = PageFault {
        address,
        write: error & WRITE != 0,
        present: error & PRESENT != 0 || held,
    };
    let why = Fault::page(page, 3, false).why;
    fault(Some(14), format!("#PF: {why} (address {address:08X}h)"), here)
}

fn no_segment(error: u32) -> String {
    format!("the host has no segment for selector {:04X}h", error & 0xFFFC)
}

/// Why an instruction raised #GP, as far as can be told from the instruction.
fn protection(instruction: &Instruction, error: u32) -> String {
    let mnemonic = format!("{:?}", instruction.mnemonic()).to_ascii_uppercase();
    match instruction.mnemonic() {
        Mnemonic::Rdtsc => String::from(
            "RDTSC needs privilege level 0 while CR4.TSD is set, as it is for this process (prctl PR_SET_TSC)",
        ),
        Mnemonic::Int => format!(
            "nothing handles interrupt {:02X}h; int 20h, int 21h and int 80h are served here",
            instruction.immediate8()
        ),
        Mnemonic::In
        | Mnemonic::Out
        | Mnemonic::Insb
        | Mnemonic::Insw
        | Mnemonic::Insd
        | Mnemonic::Outsb
        | Mnemonic::Outsw
        | Mnemonic::Outsd
        | Mnemonic::Cli
        | Mnemonic::Sti => {
            format!("{mnemonic} needs a privilege level at or below IOPL; the host runs programs at CPL 3 with IOPL 0")
        }
        Mnemonic::Mov if instruction.is_privileged() => String::from(
            "MOV to or from a control or debug register needs privilege level 0, and the host runs programs at CPL 3",
        ),
        _ if instruction.is_privileged() => {
            format!("{mnemonic} needs privilege level 0, and the host runs programs at CPL 3")
        }
        // The error code is a selector with its kind in the low bits.
        _ if error & 0xFFFC != 0 => no_segment(error),
        _ => String::from(
            "the access goes past the end of the address space or through a null selector, or the host does not allow \
             the instruction",
        ),
    }
}

/// A child that ended prematurely.
pub(super) fn lost(ended: Ended) -> Stop {
    let how = match ended {
        Ended::Signal(number) => format!("was terminated by signal {number}"),
        Ended::Status(signals::HARNESS_BROKEN) => String::from("faulted outside the program"),
        Ended::Status(status) => format!("exited with status {status}"),
        Ended::Killed => String::from("was killed"),
        Ended::Unknown => String::from("was reaped by other code"),
    };
    fault(
        None,
        format!("the process that ran the program {how}; the program may have overwritten its harness"),
        None,
    )
}

/// Notes for the reader about the runs.
pub(super) fn notes(control: &Control) -> Vec<String> {
    let mut notes = Vec::new();
    if control.wrote.load(Relaxed) != 0 {
        notes.push(String::from(
            "text that the program wrote was discarded; each call costs a signal, which is included in the ticks of the run",
        ));
    }
    for (index, word) in control.refused_dos.iter().enumerate() {
        let word = word.load(Relaxed);
        let functions = (0..32).filter(|bit| word >> bit & 1 != 0);
        notes.extend(functions.map(|bit| dos::refusal(index as u32 * 32 + bit)));
    }
    let count = (control.refused_linux_count.load(Relaxed) as usize).min(REFUSED_MOST);
    for number in control.refused_linux.iter().take(count) {
        notes.push(linux::refusal(number.load(Relaxed)));
    }
    let lost = control.lost_in_log.load(Relaxed);
    if lost > 0 {
        notes.push(format!("the log had no room for {lost} passes"));
    }
    let lost = control.lost_here.load(Relaxed);
    if lost > 0 {
        notes.push(format!(
            "{lost} passes were discarded: at most {} are kept over all runs",
            super::shared::PASSES_MOST
        ));
    }
    notes
}
