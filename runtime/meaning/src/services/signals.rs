//! Signals that a Linux program raises for itself, by a call or by a fault: their actions, the mask of held-back
//! signals, and the frames of their handlers.
//!
//! A fault without a handler ends the run and is its result, rather than a signal. Not modelled: signals from other
//! processes.

mod alternate;
mod pending;

use super::words::{halves, put, put_bytes, wide, words};
use crate::exec::{self, State};
use alternate::Alternate;
use p5_words::fault::{Fault, FaultCause, PageAccess, Vector};
use p5_words::registers::{CS, DF, DS, ES, FS, GS, RF, SS, TF};
use p5_words::signals::{ByDefault, by_default};
use pending::{Pending, bit};

/// The highest signal number; the lowest is 1.
pub const LAST: u32 = 64;
/// The signal of a trap (SIGTRAP).
const TRAP: u32 = 5;
/// The signal of an invalid access, of a frame for which there is no memory, and of a frame that cannot be left
/// (SIGSEGV).
const SEGMENTATION_FAULT: u32 = 11;
/// The signal that lets a stopped program continue.
const CONTINUE: u32 = 18;
/// The two signals that cannot be handled, ignored or held back: KILL and STOP.
const NOT_TO_BE_CAUGHT: u64 = bit(9) | bit(19);

/// The values in place of a handler for the default action and for no action.
const DEFAULT: u32 = 0;
const IGNORE: u32 = 1;

/// The bits of an action: the handler takes three arguments, the action has its own return code, the handler runs on
/// the alternate stack, the signal is not held back while it is handled, and it is handled only once.
const WITH_INFORMATION: u32 = 4;
const WITH_RESTORER: u32 = 0x0400_0000;
const ON_ALTERNATE: u32 = 0x0800_0000;
const NOT_HELD_BACK: u32 = 0x4000_0000;
const ONCE: u32 = 0x8000_0000;

/// The flags of EFLAGS that are cleared when a handler begins, and those that its return restores.
const CLEARED: u32 = TF | DF | RF;
const GIVEN_BACK: u32 = 0x0005_0DD5;

/// The sizes of the parts of frames in bytes.
const WORD: u32 = 4;
const CONTEXT_WORDS: usize = 22;
const CONTEXT: u32 = CONTEXT_WORDS as u32 * WORD;
/// The sizes of the floating-point image with its repeated status word, and of the mark that nothing else follows.
const UNIT: u32 = exec::UNIT_IMAGE as u32 + WORD;
/// The unused room in a plain frame after the context, and the parts of the other kind of frame before its context.
const UNUSED_UNIT: u32 = 624;
const INFORMATION: u32 = 128;
const BEFORE_CONTEXT: u32 = 5 * WORD;
/// `pop eax`, `mov eax,119`, `int 80h`; `mov eax,173`, `int 80h`.
const BACK: [u8; 8] = [0x58, 0xB8, 119, 0, 0, 0, 0xCD, 0x80];
const BACK_WITH_INFORMATION: [u8; 8] = [0xB8, 173, 0, 0, 0, 0xCD, 0x80, 0];

/// The codes of a signal's origin: `kill`, a call for one thread, and the system without details.
const BY_KILL: u32 = 0;
const BY_THREAD_KILL: u32 = -6i32 as u32;
const BY_SYSTEM: u32 = 0x80;

/// The signal that a fault raises and the code of its origin, if handlers may see it.
fn signal_of(fault: &Fault) -> Option<(u32, u32)> {
    const FLOATING_POINT: u32 = 8;
    Some(match (fault.vector, fault.cause) {
        (Vector::DivideError, _) => (FLOATING_POINT, 1),
        (_, FaultCause::FloatingPoint { exceptions }) => {
            // The codes begin with the lowest bit: invalid operation, denormal operand, division by zero, overflow,
            // underflow, inexact result.
            let codes = [7, 5, 3, 4, 5, 6];
            let first = (exceptions.trailing_zeros() as usize).min(codes.len() - 1);
            (FLOATING_POINT, codes[first])
        }
        (Vector::InvalidOpcode, _) => (4, 2),
        (Vector::Breakpoint, _) => (TRAP, BY_SYSTEM),
        (Vector::Debug, FaultCause::TrapFlag) => (TRAP, 2),
        (Vector::Debug, FaultCause::DebugInstruction) => (TRAP, 1),
        (Vector::Overflow, _) => (SEGMENTATION_FAULT, BY_SYSTEM),
        (Vector::AlignmentCheck, _) => (7, 1),
        (Vector::Stack, _) => (7, BY_SYSTEM),
        (Vector::BoundRange | Vector::GeneralProtection, _) => (SEGMENTATION_FAULT, BY_SYSTEM),
        (Vector::Page, _) => {
            let present = fault.error_code.is_some_and(|code| code & 1 != 0);
            let forbidden = fault.cause == FaultCause::Page(PageAccess::Forbidden);
            (SEGMENTATION_FAULT, if present || forbidden { 2 } else { 1 })
        }
        _ => return None,
    })
}

#[derive(Clone, Copy, Debug, Default)]
struct Action {
    handler: u32,
    flags: u32,
    restorer: u32,
    held_back: u64,
}

/// The origin of a signal, for the frame of its handler.
#[derive(Clone, Copy, Debug, Default)]
struct Origin {
    /// The code of the origin, and the address or process that it concerns.
    code: u32,
    concerns: u32,
    /// The exception and its error code; 0 after a call.
    vector: u32,
    error: u32,
    /// Whether the instruction that raised it is to be executed again.
    faulted: bool,
}

/// The call by which a program returns from a handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Return {
    /// `sigreturn`, from a plain frame.
    Plain,
    /// `rt_sigreturn`, from a frame with information.
    WithInformation,
}

/// The outcome of raising a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Raising {
    /// The signal waits, and is delivered unless it is held back.
    Done,
    /// The signal would stop the program.
    Stops,
    /// There is no room for another waiting signal.
    NoRoom,
}

/// The outcome of delivering the signals that were due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// The program continues after its call.
    GoesOn,
    /// The program continues in a handler, or at the point that a handler interrupted.
    Moved,
    /// This signal ends the program.
    Ends(u32),
}

/// The actions, masks and waiting signals of a program.
#[derive(Debug)]
pub struct Signals {
    actions: [Action; LAST as usize],
    held_back: u64,
    pending: Pending,
    returns: Option<Return>,
    alternate: Alternate,
}

impl Default for Signals {
    fn default() -> Signals {
        Signals {
            actions: [Action::default(); LAST as usize],
            held_back: 0,
            pending: Pending::default(),
            returns: None,
            alternate: Alternate::default(),
        }
    }
}

impl Signals {
    /// Serves `rt_sigaction`. Returns `None` if memory cannot be accessed, otherwise whether the arguments were valid.
    pub(super) fn set_action(&mut self, state: &mut State, signal: u32, new: u32, old: u32) -> Option<bool> {
        let given = if new == 0 { None } else { Some(words(state, new)?) };
        let catchable = (1..=LAST).contains(&signal) && (new == 0 || bit(signal) & NOT_TO_BE_CAUGHT == 0);
        if !catchable {
            return Some(false);
        }
        let action = &mut self.actions[signal as usize - 1];
        let before = *action;
        if let Some([handler, flags, restorer, low, high]) = given {
            *action = Action {
                handler,
                flags,
                restorer,
                held_back: wide([low, high]) & !NOT_TO_BE_CAUGHT,
            };
            let ignored = handler == IGNORE || handler == DEFAULT && by_default(signal) == ByDefault::Ignores;
            if ignored {
                self.pending.forget(bit(signal));
            }
        }
        if old != 0 {
            let [low, high] = halves(before.held_back);
            put(state, old, &[before.handler, before.flags, before.restorer, low, high])?;
        }
        Some(true)
    }

    /// Serves `rt_sigprocmask`. Returns `None` if memory cannot be accessed, otherwise whether the arguments were
    /// valid.
    pub(super) fn set_mask(&mut self, state: &mut State, how: u32, new: u32, old: u32) -> Option<bool> {
        let before = self.held_back;
        if new != 0 {
            let given = wide(words(state, new)?);
            let after = match how {
                0 => before | given,
                1 => before & !given,
                2 => given,
                _ => return Some(false),
            };
            self.held_back = after & !NOT_TO_BE_CAUGHT;
        }
        if old != 0 {
            put(state, old, &halves(before))?;
        }
        Some(true)
    }

    /// Serves `rt_sigpending`. Returns none if memory cannot be accessed, otherwise whether it could be done.
    pub(super) fn tell_pending(&self, state: &mut State, place: u32, length: u32) -> Option<bool> {
        let [low, high] = halves(self.pending.set() & self.held_back);
        match length {
            ..=4 => put(state, place, &[low][..length as usize / 4])?,
            8 => put(state, place, &[low, high])?,
            _ => return Some(false),
        }
        Some(true)
    }

    /// Raises a signal, 1 to [`LAST`], which [`Signals::settle`] then delivers unless it is held back.
    pub(super) fn raise(&mut self, signal: u32, by_kill: bool) -> Raising {
        let stops = by_default(signal) == ByDefault::Stops;
        let caught = bit(signal) & NOT_TO_BE_CAUGHT == 0 && self.actions[signal as usize - 1].handler != DEFAULT;
        if stops && !caught {
            return Raising::Stops;
        }
        // Signals that stop a program and the signal that continues it cancel each other.
        if stops {
            self.pending.forget(bit(CONTINUE));
        } else if signal == CONTINUE {
            self.pending.forget(
                (1..=LAST)
                    .filter(|&one| by_default(one) == ByDefault::Stops)
                    .map(bit)
                    .sum(),
            );
        }
        match self.pending.add(signal, by_kill) {
            true => Raising::Done,
            false => Raising::NoRoom,
        }
    }

    /// Records that the program returns from a handler when its call is complete.
    pub(super) fn come_back(&mut self, how: Return) {
        self.returns = Some(how);
    }

    /// Leaves a handler, if the call requested it, and delivers the due signals after the call is complete.
    pub fn settle(&mut self, state: &mut State) -> Settled {
        let mut settled = Settled::GoesOn;
        if let Some(how) = self.returns.take() {
            settled = Settled::Moved;
            if self.leave(state, how).is_none() {
                settled = self.frame_failed(state);
            }
        }
        while !matches!(settled, Settled::Ends(_)) {
            let Some((signal, by_kill)) = self.pending.take(self.held_back) else {
                break;
            };
            let action = self.actions[signal as usize - 1];
            match action.handler {
                IGNORE => {}
                DEFAULT if by_default(signal) == ByDefault::Ends => settled = Settled::Ends(signal),
                DEFAULT => {}
                _ => {
                    let origin = Origin {
                        code: if by_kill { BY_KILL } else { BY_THREAD_KILL },
                        concerns: super::PROCESS,
                        ..Origin::default()
                    };
                    settled = match self.enter(state, signal, &action, &origin) {
                        Some(()) => Settled::Moved,
                        None => self.frame_failed(state),
                    };
                }
            }
        }
        settled
    }

    /// Raises a segmentation fault, because a frame can be neither left nor made. Its handler is entered unless the
    /// signal is held back.
    fn frame_failed(&mut self, state: &mut State) -> Settled {
        let action = self.actions[SEGMENTATION_FAULT as usize - 1];
        let origin = Origin {
            code: BY_SYSTEM,
            ..Origin::default()
        };
        let handled = !matches!(action.handler, DEFAULT | IGNORE) && self.held_back & bit(SEGMENTATION_FAULT) == 0;
        match handled && self.enter(state, SEGMENTATION_FAULT, &action, &origin).is_some() {
            true => Settled::Moved,
            false => Settled::Ends(SEGMENTATION_FAULT),
        }
    }

    /// Enters the handler for a fault of the instruction at EIP. Returns false if there is none that may be entered.
    pub fn enter_for(&mut self, fault: &Fault, state: &mut State) -> bool {
        let Some((signal, code)) = signal_of(fault) else {
            return false;
        };
        let action = self.actions[signal as usize - 1];
        if matches!(action.handler, DEFAULT | IGNORE) || self.held_back & bit(signal) != 0 {
            return false;
        }
        // A trap is reported after the instruction that raised it.
        let trap = matches!(fault.vector, Vector::Breakpoint | Vector::Overflow | Vector::Debug);
        if trap {
            state.registers.eip = state.facts.next;
        }
        let concerns = match (fault.vector, code) {
            (Vector::AlignmentCheck, _) | (_, BY_SYSTEM) => 0,
            _ => fault.address.unwrap_or(state.registers.eip),
        };
        let origin = Origin {
            code,
            concerns,
            vector: u32::from(fault.vector.number()),
            error: fault.error_code.unwrap_or(0),
            faulted: !trap,
        };
        self.enter(state, signal, &action, &origin).is_some()
    }

    /// Enters the handler of `signal` with a frame for its return.
    fn enter(&mut self, state: &mut State, signal: u32, action: &Action, origin: &Origin) -> Option<()> {
        let stack = state.registers.general[4];
        let alternate = self.alternate;
        let wanted = alternate.top(stack).filter(|_| action.flags & ON_ALTERNATE != 0);
        let on_alternate = wanted.is_some() || alternate.is_in_use(stack);
        let mut top = wanted.unwrap_or(stack);
        let mut unit = 0;
        if state.registers.fpu.used {
            top = top.wrapping_sub(UNIT) & !0xF;
            unit = top;
            let image = exec::unit_image(&state.registers.fpu);
            put_bytes(state, unit, &image)?;
            let mark = u32::from(state.registers.fpu.status()) | 0xFFFF_0000;
            put(state, unit.wrapping_add(exec::UNIT_IMAGE as u32), &[mark])?;
        }
        let context = context(state, unit, self.held_back as u32, origin);
        let informed = action.flags & WITH_INFORMATION != 0;
        let size = match informed {
            true => 4 * WORD + INFORMATION + BEFORE_CONTEXT + CONTEXT + 4 * WORD,
            false => 2 * WORD + CONTEXT + UNUSED_UNIT + 3 * WORD,
        };
        // After the return address, which a call would have pushed, the stack has the alignment that it has before a
        // call.
        let frame = (top.wrapping_sub(size).wrapping_add(WORD) & !0xF).wrapping_sub(WORD);
        if on_alternate && !alternate.has_room(frame) {
            return None;
        }
        let code = frame.wrapping_add(size - 2 * WORD);
        let back = if action.flags & WITH_RESTORER != 0 {
            action.restorer
        } else {
            code
        };
        let (information, place) = (frame.wrapping_add(4 * WORD), frame.wrapping_add(4 * WORD + INFORMATION));
        let arguments = if informed {
            let mut details = [0; (INFORMATION / WORD) as usize];
            details[..4].copy_from_slice(&[signal, 0, origin.code, origin.concerns]);
            put(state, frame, &[back, signal, information, place])?;
            put(state, information, &details)?;
            let [base, flags, size] = alternate.words();
            put(state, place, &[0, 0, base, flags, size])?;
            put(state, place.wrapping_add(BEFORE_CONTEXT), &context)?;
            put(
                state,
                place.wrapping_add(BEFORE_CONTEXT + CONTEXT),
                &halves(self.held_back),
            )?;
            put_bytes(state, code, &BACK_WITH_INFORMATION)?;
            [place, information]
        } else {
            put(state, frame, &[back, signal])?;
            put(state, frame.wrapping_add(2 * WORD), &context)?;
            let rest = frame.wrapping_add(2 * WORD + CONTEXT + UNUSED_UNIT);
            put(state, rest, &halves(self.held_back)[1..])?;
            put_bytes(state, code, &BACK)?;
            [0, 0]
        };
        let registers = &mut state.registers;
        registers.general[0] = signal;
        (registers.general[1], registers.general[2]) = (arguments[0], arguments[1]);
        registers.general[4] = frame;
        registers.eip = action.handler;
        registers.set_eflags(registers.eflags() & !CLEARED);
        registers.fpu.initialize();
        self.alternate = alternate.while_handled();
        self.held_back |= action.held_back;
        if action.flags & NOT_HELD_BACK == 0 {
            self.held_back |= bit(signal);
        }
        self.held_back &= !NOT_TO_BE_CAUGHT;
        if action.flags & ONCE != 0 {
            self.actions[signal as usize - 1].handler = DEFAULT;
        }
        Some(())
    }

    /// Continues at the point that a handler interrupted. Returns `None` if its frame cannot be read, or needs other
    /// segments than the program's.
    fn leave(&mut self, state: &mut State, how: Return) -> Option<()> {
        let stack = state.registers.general[4];
        let mut alternate = None;
        let (place, mask) = match how {
            Return::Plain => {
                // The handler's return has dropped the return address, and `pop eax` the number of the signal.
                let context = stack;
                let high = words::<1>(state, context.wrapping_add(CONTEXT + UNUSED_UNIT))?[0];
                let low = words::<CONTEXT_WORDS>(state, context)?[20];
                (context, wide([low, high]))
            }
            Return::WithInformation => {
                let place = stack.wrapping_add(3 * WORD + INFORMATION);
                let [_, _, base, flags, size] = words(state, place)?;
                alternate = Some([base, flags, size]);
                let context = place.wrapping_add(BEFORE_CONTEXT);
                (context, wide(words(state, context.wrapping_add(CONTEXT))?))
            }
        };
        // The mask is restored even if the rest is invalid.
        self.held_back = mask & !NOT_TO_BE_CAUGHT;
        let given: [u32; CONTEXT_WORDS] = words(state, place)?;
        let held = selectors(state);
        let asked = [given[0], given[1], given[2], given[3], given[15], given[18]];
        if asked.iter().zip(held).any(|(&asked, held)| asked as u16 != held as u16) {
            return None;
        }
        let unit = given[19];
        if unit == 0 {
            state.registers.fpu.initialize();
        } else {
            let mut image = [0; exec::UNIT_IMAGE];
            for (index, byte) in (0..).zip(&mut image) {
                *byte = state.memory.read_u8(unit.wrapping_add(index)).ok()?;
            }
            exec::take_unit_image(&mut state.registers.fpu, &image);
        }
        let registers = &mut state.registers;
        let [edi, esi, ebp, esp, ebx, edx, ecx, eax] = std::array::from_fn(|index| given[4 + index]);
        registers.general = [eax, ecx, edx, ebx, esp, ebp, esi, edi];
        registers.eip = given[14];
        registers.set_eflags(registers.eflags() & !GIVEN_BACK | given[16] & GIVEN_BACK);
        if let Some(given) = alternate {
            // Invalid values leave the stack as it is.
            let _ = self.alternate.set(given, esp);
        }
        Some(())
    }
}

/// GS, FS, ES, DS, CS and SS in the order of a context.
fn selectors(state: &State) -> [u32; 6] {
    [GS, FS, ES, DS, CS, SS].map(|number| u32::from(state.registers.segments[number].selector()))
}

/// The registers of the program in the order of a context.
fn context(state: &State, unit: u32, held_back: u32, origin: &Origin) -> [u32; CONTEXT_WORDS] {
    let [gs, fs, es, ds, cs, ss] = selectors(state);
    let [eax, ecx, edx, ebx, esp, ebp, esi, edi] = state.registers.general;
    let (eip, flags) = (state.registers.eip, state.flags_at_interrupt(origin.faulted));
    let (vector, error, cr2) = (origin.vector, origin.error, state.registers.cr2);
    [
        gs, fs, es, ds, edi, esi, ebp, esp, ebx, edx, ecx, eax, vector, error, eip, cs, flags, esp, ss, unit,
        held_back, cr2,
    ]
}
