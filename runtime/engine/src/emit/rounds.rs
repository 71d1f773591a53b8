//! Rounds: a block that branches to itself, as a loop of the host.
//!
//! While such a block follows itself as predicted, and all its accesses are of plain lines, a round changes only the
//! clock and counts that grow by the same in each round. The loop counts the rounds, and adds up what they have changed
//! when it is left: to the code of a single replay, at the point that corresponds to where a round was interrupted.

use super::replayed::{PASSED_OVER, PREDICTS, SEEN, WAYS};
use super::{Emitter, Ending};
use crate::frame::{self, near};
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use p5_timing::pipeline::PlannedGroup;

/// The rounds below which entering the loop has not been worth it.
const FEW: i32 = 4;
/// The number of times that the loop is then passed over.
const TIMES_PASSED_OVER: i32 = 16;

/// The most clocks of a round. The last one may end so long after the clock at which code has to stop, which is farther
/// from the groups that a listener wants.
const MOST_CLOCKS: i32 = 1 << 10;

/// Where the loop is left to, and the routines that it calls before.
pub(super) struct Rounds {
    /// The code before the loop, which decides whether it is entered.
    pub(super) before: DynamicLabel,
    /// Adds up what the finished rounds have changed. Keeps `eax`.
    added_up: DynamicLabel,
    /// Whether the code of the loop is being generated.
    inside: bool,
    /// In the code of a single replay, the beginning of each access.
    accesses: Vec<DynamicLabel>,
    /// How many of these the loop has.
    passed: usize,
}

/// Points of the code of a single replay.
#[derive(Clone, Copy, Default)]
pub(super) struct Points {
    /// Where all accesses are checked one by one.
    pub(super) others: Option<DynamicLabel>,
    /// The branch that is not taken.
    pub(super) fallen: Option<DynamicLabel>,
    /// The end of a branch that was predicted.
    pub(super) left: Option<DynamicLabel>,
}

impl Emitter<'_> {
    /// Prepares the loop if the block can be one. `plain_operations` if its operations are translated and do not leave
    /// the block except for an access.
    pub(super) fn prepare_rounds(&mut self, plain_operations: bool) {
        let (source, plan) = (self.source, self.source.plan);
        let itself = match self.ending {
            Ending::Jumps(target) | Ending::Chooses(target, _) => target == source.instructions[0].ip32(),
            _ => false,
        };
        let suited = |groups: &[PlannedGroup]| {
            let [.., last] = groups else { return false };
            groups.len() > 1 && groups.iter().all(|group| group.usual) && last.branch.is_some()
        };
        if itself && plain_operations && self.clocks() < MOST_CLOCKS && plan.entry == plan.exit && suited(&plan.groups)
        {
            let [before, added_up] = [(); 2].map(|()| self.label());
            self.rounds = Some(Rounds {
                before,
                added_up,
                inside: false,
                accesses: Vec::new(),
                passed: 0,
            });
        }
    }

    /// Gives up the loop if accesses of the block are never of plain lines.
    pub(super) fn reconsider_rounds(&mut self) {
        let groups = &self.source.plan.groups;
        let none = groups.iter().all(|group| group.accesses.is_empty());
        if !none && !self.may_be_plain(groups) {
            self.rounds = None;
        }
    }

    /// At the beginning of an access: where the loop goes, with the address in `eax`, if the access is not made in it;
    /// `None` in the code of a single replay.
    pub(super) fn access_in_rounds(&mut self) -> Option<DynamicLabel> {
        let label = self.label();
        let rounds = self.rounds.as_mut()?;
        if !rounds.inside {
            rounds.accesses.push(label);
            dynasm!(self.a; .arch x64; =>label);
            return None;
        }
        let (access, added_up) = (rounds.accesses[rounds.passed], rounds.added_up);
        rounds.passed += 1;
        self.aside(move |emitter| dynasm!(emitter.a; .arch x64; =>label; call =>added_up; xor esi, esi; jmp =>access));
        Some(label)
    }

    /// Whether the code of the loop is being generated.
    pub(super) fn inside_rounds(&self) -> bool {
        self.rounds.as_ref().is_some_and(|rounds| rounds.inside)
    }

    /// Generates the loop, and what belongs to it.
    pub(super) fn rounds(&mut self) -> Option<()> {
        let Some(rounds) = &mut self.rounds else {
            return Some(());
        };
        rounds.inside = true;
        let (before, added_up) = (rounds.before, rounds.added_up);
        let source = self.source;
        let (plan, places) = (source.plan, source.places);
        let groups = &plan.groups;
        let [head, fallen, waits, over] = [(); 4].map(|()| self.label());
        self.flags_held = false;
        self.before_rounds(before);
        dynasm!(self.a; .arch x64; =>head);
        self.operations()?;
        self.charge_first(&groups[0]);
        if groups.len() < 3 {
            self.store_state(groups);
        }
        self.banks_differ(groups, waits);
        let after: u32 = groups.iter().map(|group| group.interlock + group.clocks).sum();
        dynasm!(self.a; .arch x64; add rbx, after as i32);
        if let Ending::Chooses(..) = self.ending {
            dynasm!(self.a; .arch x64; cmp BYTE [BYTE rsp + near::TAKEN], 0; je =>fallen);
        }
        dynasm!(self.a; .arch x64
            ; inc DWORD [BYTE rsp + near::ROUNDS]; cmp rbx, [BYTE rsp + near::DUE]; jb =>head
            ; call =>added_up; xor esi, esi; jmp =>self.outs[0]
            ; =>fallen; call =>added_up; call =>over);
        if let Some(to) = self.points.fallen {
            dynasm!(self.a; .arch x64; jmp =>to);
        }
        dynasm!(self.a; .arch x64; =>waits; call =>added_up; call =>over);
        if let Some(to) = self.points.others {
            dynasm!(self.a; .arch x64; jmp =>to);
        }
        // The part of a round that is done before its accesses are checked.
        let (replayed, last) = (plan.replayed as i64, self.last_line());
        dynasm!(self.a; .arch x64
            ; =>over; mov rdx, QWORD replayed; inc QWORD [rdx]; add QWORD [rsi + places.groups], groups.len() as i32
            ; mov DWORD [rsi + places.line], last as i32);
        if groups.len() > 2 {
            self.store_state(groups);
        }
        dynasm!(self.a; .arch x64; ret);
        self.add_up(added_up, groups);
        Some(())
    }

    /// Enters the loop after a branch that was predicted; or goes on as usual if this is not
    /// worth it, or if more than the clock may change in a round.
    fn before_rounds(&mut self, before: DynamicLabel) {
        let Some(left) = self.points.left else { return };
        let source = self.source;
        let (plan, places) = (source.plan, source.places);
        let (replayed, code) = (plan.replayed as i64, self.own_place as i64);
        let last = plan.groups.last().map_or(0, |group| group.address);
        let unmet = places.unmet + (last % places.absent_count) as i32 * 4;
        let accesses = || plan.groups.iter().flat_map(|group| &group.accesses);
        let [now, near, known] = [(); 3].map(|()| self.label());
        dynasm!(self.a; .arch x64
            ; =>before; mov rdx, QWORD replayed; sub DWORD [rdx + PASSED_OVER], 1; jc =>now; jmp =>left
            ; =>now; mov DWORD [rdx + PASSED_OVER], 0
            ; cmp rbx, [BYTE rsp + near::DUE]; jae =>left
            // The block is still the one that follows it.
            ; mov rax, QWORD code; cmp [rdx + WAYS], rax; jne =>left
            // The first group meets no entry of another branch.
            ; cmp DWORD [rdi + unmet], last as i32; jne =>near; =>known
            ; mov rdx, QWORD replayed; mov rax, [BYTE rsp + near::EPOCH]
            ; cmp [rdx + SEEN], rax; jne =>left);
        if accesses().any(|access| !access.writes) {
            dynasm!(self.a; .arch x64; cmp [rdi + places.filling_until], rbx; ja =>left);
        }
        if accesses().any(|access| access.writes) {
            dynasm!(self.a; .arch x64; cmp [rdi + places.settled], rbx; ja =>left);
        }
        dynasm!(self.a; .arch x64
            ; mov BYTE [BYTE rsp + near::UNPLAIN], 0
            ; mov DWORD [rsi + places.line], places.no_line as i32; mov DWORD [BYTE rsp + near::ROUNDS], 0);
        self.aside(move |emitter| {
            dynasm!(emitter.a; .arch x64; =>near);
            let [found, other] = [(); 2].map(|()| emitter.label());
            emitter.find_slot(Some(last), found);
            dynasm!(emitter.a; .arch x64
                ; =>other; mov DWORD [rdi + unmet], last as i32; jmp =>known
                // An entry that predicts no jump is not noticed.
                ; =>found; imul ecx, ecx, places.slot_size
                ; test BYTE [rdi + rcx + places.slots + places.mark], PREDICTS; jz =>other; jmp =>left);
        });
    }

    /// The routine that adds up what the finished rounds have changed.
    fn add_up(&mut self, added_up: DynamicLabel, groups: &[PlannedGroup]) {
        let source = self.source;
        let places = source.places;
        let replayed = source.plan.replayed as i64;
        let [enough, done] = [(); 2].map(|()| self.label());
        // The call has moved the stack by eight bytes.
        dynasm!(self.a; .arch x64
            ; =>added_up; mov ecx, [rsp + 8 + frame::ROUNDS]; cmp ecx, FEW; jae =>enough
            ; mov rdx, QWORD replayed; mov DWORD [rdx + PASSED_OVER], TIMES_PASSED_OVER
            ; test ecx, ecx; jz =>done
            ; =>enough; mov DWORD [rsp + 8 + frame::ROUNDS], 0
            ; mov rdx, QWORD replayed; add [rdx], rcx
            ; add [rsi + places.btb_hits], rcx
            ; imul rcx, rcx, groups.len() as i32; add [rsi + places.groups], rcx);
        if groups.len() > 2 {
            self.store_state(groups);
        }
        dynasm!(self.a; .arch x64; =>done; ret);
    }
}
