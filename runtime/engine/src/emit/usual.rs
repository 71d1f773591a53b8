//! The usual course of a block: all groups are usual, all accesses are of plain lines, and its branch is predicted.
//!
//! Then a replay only adds to the clock and to counts, and decides the state of the pipeline together with the blocks
//! before. Code counts the replay by the way it goes on, and notes its number; what follows from these is computed when
//! it is needed. Nothing is changed before it is certain that the course is usual: otherwise the code of `schedule`
//! makes the whole replay.

use super::replayed::{BEGINNINGS, FALLEN, PASSED, PASSED_OVER, PREDICTS, SEEN, SLOT, STATE, TAKEN, WAITED, WRONGLY};
use super::{Emitter, Ending};
use crate::frame::{self, near};
use crate::links::Beginning;
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use p5_timing::pipeline::{After, Course, PlannedBranch};

/// How a usual replay is made.
#[derive(Clone, Copy)]
struct Means {
    /// With accesses that may wait.
    waits: bool,
    /// With a branch that can use its prediction.
    reads: bool,
}

/// In the frame, the clock from which on a usual replay is not made, if it has accesses that may wait or not.
fn until(waits: bool) -> i8 {
    if waits { near::WAITING_UNTIL } else { near::USUAL_UNTIL }
}

impl Emitter<'_> {
    /// Whether the block may be replayed in the usual way.
    pub(super) fn may_be_usual(&self) -> bool {
        let plan = self.source.plan;
        let [.., last] = plan.groups.as_slice() else {
            return false;
        };
        let branch = match self.ending {
            Ending::Falls(_) => last.branch.is_none(),
            _ => last.branch.is_some() && plan.attached.is_some(),
        };
        let no_access = plan.groups.iter().all(|group| group.accesses.is_empty());
        branch && plan.groups.iter().all(|group| group.usual) && (no_access || self.may_be_plain(&plan.groups))
    }

    /// Generates the code of the replay, after that of the operations.
    pub(super) fn course(&mut self) {
        let settle = self.source.common.settle;
        if !self.may_be_usual() {
            if let Some(resumed) = self.resumed {
                dynasm!(self.a; .arch x64; =>resumed);
            }
            dynasm!(self.a; .arch x64; call extern settle);
            return self.schedule();
        }
        let [taken, otherwise, otherwise_taken, otherwise_fallen] = [(); 4].map(|()| self.label());
        let chooses = matches!(self.ending, Ending::Chooses(..));
        if let Some(resumed) = self.resumed.filter(|_| self.taken.is_none()) {
            dynasm!(self.a; .arch x64; =>resumed);
        }
        let taken = match (chooses, self.taken) {
            (true, Some(taken)) => {
                self.resume(taken);
                taken
            }
            (true, None) => {
                dynasm!(self.a; .arch x64; cmp BYTE [BYTE rsp + near::TAKEN], 0; jne =>taken);
                taken
            }
            _ => taken,
        };
        if chooses || matches!(self.ending, Ending::Falls(_)) {
            self.usual_way(FALLEN, otherwise_fallen);
        }
        if !matches!(self.ending, Ending::Falls(_)) {
            dynasm!(self.a; .arch x64; =>taken);
            self.usual_way(TAKEN, otherwise_taken);
        }
        dynasm!(self.a; .arch x64; =>otherwise_taken);
        if chooses {
            dynasm!(self.a; .arch x64
                ; mov BYTE [BYTE rsp + near::TAKEN], 1; jmp =>otherwise
                ; =>otherwise_fallen; mov BYTE [BYTE rsp + near::TAKEN], 0);
        } else {
            dynasm!(self.a; .arch x64; =>otherwise_fallen);
        }
        dynasm!(self.a; .arch x64; =>otherwise; call extern settle);
        self.schedule();
    }

    /// After handlers have executed the rest of the block, only the frame knows whether its branch is `taken`.
    fn resume(&mut self, taken: DynamicLabel) {
        let Some(resumed) = self.resumed else { return };
        let fallen = self.label();
        dynasm!(self.a; .arch x64; =>fallen);
        self.aside(move |emitter| {
            dynasm!(emitter.a; .arch x64
                ; =>resumed; cmp BYTE [BYTE rsp + near::TAKEN], 0; jne =>taken; jmp =>fallen);
        });
    }

    /// Generates the replay that goes on by `way`, or goes to `otherwise` with nothing changed.
    fn usual_way(&mut self, way: usize, otherwise: DynamicLabel) {
        let accesses = self.source.plan.groups.iter().any(|group| !group.accesses.is_empty());
        let [plain, late] = [(); 2].map(|()| self.label());
        let [waits, unreadable] =
            [accesses, self.may_be_unreadable()].map(|has| if has { self.label() } else { plain });
        if accesses {
            self.aside(move |emitter| {
                dynasm!(emitter.a; .arch x64; =>waits);
                let means = Means {
                    waits: true,
                    reads: true,
                };
                emitter.certain_way(way, means, otherwise, late);
            });
        }
        if unreadable != plain {
            self.aside(move |emitter| {
                dynasm!(emitter.a; .arch x64; =>unreadable);
                let means = Means {
                    waits: accesses,
                    reads: false,
                };
                emitter.certain_way(way, means, otherwise, otherwise);
            });
        }
        self.aside(move |emitter| emitter.catch_up(late, [plain, waits, unreadable], otherwise));
        dynasm!(self.a; .arch x64; =>plain);
        let means = Means {
            waits: false,
            reads: true,
        };
        self.certain_way(way, means, otherwise, if accesses { waits } else { late });
    }

    /// The same by these means. Goes to `unplain` if the limit is near, or an access may wait that may not.
    fn certain_way(&mut self, way: usize, means: Means, otherwise: DynamicLabel, unplain: DynamicLabel) {
        let Means { waits, reads } = means;
        let source = self.source;
        let plan = source.plan;
        let replayed = plan.replayed as i64;
        dynasm!(self.a; .arch x64
            ; lea rax, [rbx + self.clocks()]; cmp rax, [BYTE rsp + until(waits)]; jae =>unplain
            ; mov rdx, QWORD replayed; mov rax, [BYTE rsp + near::EPOCH]; cmp [rdx + SEEN], rax; jne =>otherwise);
        if waits {
            dynasm!(self.a; .arch x64
                ; lea rax, [rbx + plan.longest as i32]; cmp rax, [rsp + frame::WATCHED]; jae =>otherwise);
        } else {
            self.nothing_waits(&plan.groups, unplain);
            self.banks(&plan.groups, unplain);
        }
        let branch = plan.groups.last().and_then(|group| group.branch);
        let course = if way == TAKEN { Course::Jumps } else { Course::Falls };
        match (branch, plan.attached) {
            (Some(branch), Some(attached)) if way == TAKEN && reads => {
                self.is_predicted(branch, attached, waits, otherwise);
            }
            (Some(branch), Some(attached)) if way == TAKEN => {
                dynasm!(self.a; .arch x64; mov ecx, [rdx + SLOT]);
                self.is_slot(attached, otherwise);
                return self.jumps_wrongly(branch, attached, waits, otherwise);
            }
            (Some(branch), Some(attached)) => self.is_absent(branch, attached, means, otherwise),
            _ => {}
        }
        if way == TAKEN && self.rounds.is_some() && !waits && reads {
            let [none, on] = [(); 2].map(|()| self.label());
            dynasm!(self.a; .arch x64
                ; cmp DWORD [rdx + PASSED_OVER], 0; je =>none; dec DWORD [rdx + PASSED_OVER]; =>on);
            self.aside(move |emitter| {
                // The loop is not entered while a line is being filled.
                let filling = emitter.source.places.filling_until;
                dynasm!(emitter.a; .arch x64; =>none; cmp [rdi + filling], rbx; ja =>on; jmp =>otherwise);
            });
        }
        self.pass(course, waits, otherwise);
        self.may_meet(way);
        self.follow_usually(way, waits);
    }

    /// Goes to `otherwise` unless the slot at `ecx` has the entry attached to `attached`. Uses `eax`.
    fn is_slot(&mut self, attached: u32, otherwise: DynamicLabel) {
        let places = self.source.places;
        dynasm!(self.a; .arch x64
            ; mov eax, [rdi + rcx + places.slots + places.mark]; or eax, STATE
            ; cmp eax, (attached | STATE as u32) as i32; jne =>otherwise);
    }

    /// Goes on only if an entry predicts the taken branch.
    fn is_predicted(&mut self, branch: PlannedBranch, attached: u32, waits: bool, otherwise: DynamicLabel) {
        let places = self.source.places;
        let [near, known] = [(); 2].map(|()| self.label());
        let mark = u64::from(attached | STATE as u32) << 32;
        match self.ending {
            Ending::Jumps(target) | Ending::Chooses(target, _) => {
                dynasm!(self.a; .arch x64; mov rax, QWORD (mark | u64::from(target)) as i64);
            }
            _ => dynasm!(self.a; .arch x64
                ; mov ecx, [BYTE rsp + near::NEXT]; mov rax, QWORD mark as i64; or rax, rcx),
        }
        dynasm!(self.a; .arch x64
            ; mov ecx, [rdx + SLOT]; cmp rax, [rdi + rcx + places.slots + places.target]; jne =>near; =>known);
        self.aside(move |emitter| {
            let (target, mark) = (places.slots + places.target, places.slots + places.mark);
            let wrong = emitter.label();
            dynasm!(emitter.a; .arch x64; =>near);
            emitter.is_slot(attached, otherwise);
            dynasm!(emitter.a; .arch x64; test BYTE [rdi + rcx + mark], PREDICTS; jz =>wrong);
            emitter.load_target();
            dynasm!(emitter.a; .arch x64
                ; cmp [rdi + rcx + target], eax; jne =>wrong; or BYTE [rdi + rcx + mark], STATE as i8; jmp =>known
                ; =>wrong);
            emitter.jumps_wrongly(branch, attached, waits, otherwise);
        });
    }

    /// Replays the block if its branch is taken although that is not predicted. Its entry is in the slot at `ecx`.
    fn jumps_wrongly(&mut self, branch: PlannedBranch, attached: u32, waits: bool, otherwise: DynamicLabel) {
        let places = self.source.places;
        let mark = places.slots + places.mark;
        let [weak, unknown] = [(); 2].map(|()| self.label());
        dynasm!(self.a; .arch x64; test BYTE [rdi + rcx + mark], PREDICTS; jz =>weak);
        self.pass_wrongly(Course::JumpsWrongly, branch, waits, otherwise);
        dynasm!(self.a; .arch x64; or BYTE [rdi + rcx + mark], STATE as i8);
        self.jump_wrongly(attached, waits);
        dynasm!(self.a; .arch x64; =>weak);
        if let Ending::Jumps(target) | Ending::Chooses(target, _) = self.ending
            && target == branch.after
        {
            dynasm!(self.a; .arch x64; jmp =>otherwise);
            return;
        }
        dynasm!(self.a; .arch x64; test BYTE [rdi + rcx + mark], 1; jz =>unknown);
        self.pass_wrongly(Course::JumpsWrongly, branch, waits, otherwise);
        dynasm!(self.a; .arch x64; xor BYTE [rdi + rcx + mark], STATE as i8);
        self.jump_wrongly(attached, waits);
        dynasm!(self.a; .arch x64; =>unknown);
        self.pass_wrongly(Course::JumpsUnknown, branch, waits, otherwise);
        let [one, up] = [(); 2].map(|()| self.label());
        self.load_groups();
        dynasm!(self.a; .arch x64
            ; sub rax, [rdi + rcx + places.slots + places.updated]
            ; cmp rax, places.update_groups as i32; jbe =>one; or BYTE [rdi + rcx + mark], STATE as i8; jmp =>up
            ; =>one; or BYTE [rdi + rcx + mark], 1; =>up);
        self.jump_wrongly(attached, waits);
    }

    /// Loads the number of the last group into `rax`.
    fn load_groups(&mut self) {
        let groups = self.source.places.groups;
        dynasm!(self.a; .arch x64
            ; mov rax, [BYTE rsp + near::PIPELINE]; mov rax, [rax + groups]; add rax, [BYTE rsp + near::GROUPS]);
    }

    /// Ends a course in which the branch is taken and mispredicted, with the entry in the slot at `ecx`.
    fn jump_wrongly(&mut self, attached: u32, waits: bool) {
        let places = self.source.places;
        self.load_target();
        dynasm!(self.a; .arch x64; mov [rdi + rcx + places.slots + places.target], eax);
        self.may_be_met(Some(attached));
        self.follow_usually(TAKEN, waits);
    }

    /// Goes on only if the branch that is not taken has no entry.
    fn is_absent(&mut self, branch: PlannedBranch, attached: u32, means: Means, otherwise: DynamicLabel) {
        let places = self.source.places;
        let Means { waits, reads } = means;
        let place = (attached % places.absent_count) as i32 * 4;
        let near = self.label();
        dynasm!(self.a; .arch x64; cmp DWORD [rdi + places.absent + place], attached as i32; jne =>near);
        self.aside(move |emitter| {
            let mark = places.slots + places.mark;
            let [wrong, again, lowest] = [(); 3].map(|()| emitter.label());
            dynasm!(emitter.a; .arch x64; =>near; mov ecx, [rdx + SLOT]);
            emitter.is_slot(attached, otherwise);
            dynasm!(emitter.a; .arch x64
                ; test BYTE [rdi + rcx + mark], PREDICTS; jnz =>wrong; test BYTE [rdi + rcx + mark], 1; jnz =>again);
            emitter.pass(Course::Falls, waits, otherwise);
            dynasm!(emitter.a; .arch x64; jmp =>lowest; =>again);
            emitter.pass(Course::FallsAgain, waits, otherwise);
            dynasm!(emitter.a; .arch x64; and BYTE [rdi + rcx + mark], !STATE as i8; =>lowest);
            emitter.load_groups();
            dynasm!(emitter.a; .arch x64; mov [rdi + rcx + places.slots + places.updated], rax);
            emitter.may_meet(FALLEN);
            emitter.follow_usually(FALLEN, waits);
            dynasm!(emitter.a; .arch x64; =>wrong);
            if reads {
                emitter.pass_wrongly(Course::FallsWrongly, branch, waits, otherwise);
                dynasm!(emitter.a; .arch x64; dec BYTE [rdi + rcx + mark]);
            } else {
                emitter.pass(Course::FallsAgain, waits, otherwise);
                dynasm!(emitter.a; .arch x64; dec BYTE [rdi + rcx + mark]);
                emitter.may_meet(FALLEN);
            }
            emitter.follow_usually(FALLEN, waits);
        });
    }

    /// Counts the replay if the branch has been mispredicted: the next group issues later. Keeps `ecx`, the slot.
    fn pass_wrongly(&mut self, course: Course, branch: PlannedBranch, waits: bool, otherwise: DynamicLabel) {
        let way = if course == Course::FallsWrongly { FALLEN } else { TAKEN };
        self.pass_later(course, WRONGLY + way, branch.penalty, waits, otherwise);
        // A branch right after this one could not use its prediction, and a wait for this group would be hidden.
        let [other, on] = [(); 2].map(|()| self.label());
        dynasm!(self.a; .arch x64
            ; mov BYTE [BYTE rsp + near::INTERLOCKED], 1
            ; cmp BYTE [rdx + BEGINNINGS + way as i32], Beginning::Plain as i8; jne =>other; =>on);
        self.aside(move |emitter| {
            dynasm!(emitter.a; .arch x64
                ; =>other; mov QWORD [BYTE rsp + near::USUAL_UNTIL], 0; mov QWORD [BYTE rsp + near::WAITING_UNTIL], 0
                ; jmp =>on);
        });
    }

    /// The clocks of the replay.
    pub(super) fn clocks(&self) -> i32 {
        let groups = self.source.plan.groups.iter();
        groups.map(|group| group.interlock + group.clocks).sum::<u32>() as i32
    }

    /// Counts the replay. Keeps `ecx` if it is the slot.
    fn pass(&mut self, course: Course, waits: bool, otherwise: DynamicLabel) {
        let way = if course == Course::Jumps { TAKEN } else { FALLEN };
        self.pass_later(course, way, 0, waits, otherwise);
    }

    /// Counts the replay, after which the next group issues `later`, and which leaves state number `after`.
    fn pass_later(&mut self, course: Course, after: usize, later: u32, waits: bool, otherwise: DynamicLabel) {
        let source = self.source;
        let plan = source.plan;
        let [noted, on] = [(); 2].map(|()| self.label());
        let clocks = self.clocks() + later as i32;
        let count = PASSED + 8 * course as i32;
        if later > 0 {
            dynasm!(self.a; .arch x64
                ; lea rax, [rbx + clocks]; cmp rax, [BYTE rsp + until(waits)]; jae =>otherwise);
        }
        let after = if waits { WAITED + after } else { after };
        if waits {
            self.make_accesses(otherwise);
        }
        dynasm!(self.a; .arch x64
            ; add rbx, clocks; inc QWORD [rdx + count]; jz =>noted; =>on
            ; add QWORD [BYTE rsp + near::GROUPS], plan.groups.len() as i32);
        if plan.groups[0].interlock > 0 {
            dynasm!(self.a; .arch x64; mov BYTE [BYTE rsp + near::INTERLOCKED], 1);
        }
        let number = source.passed[after] as i32;
        if plan.after[after].groups < After::ALL {
            dynasm!(self.a; .arch x64; shl rsi, frame::PASSED_BITS as i8; or rsi, number);
        } else {
            dynasm!(self.a; .arch x64; mov esi, number);
        }
        let replayed = plan.replayed as i64;
        self.aside(move |emitter| {
            dynasm!(emitter.a; .arch x64
                ; =>noted; mov [BYTE rsp + near::PASSED], rsi);
            emitter.call_time(emitter.source.calls.note, 0);
            dynasm!(emitter.a; .arch x64; mov rsi, [BYTE rsp + near::PASSED]; mov rdx, QWORD replayed
                ; mov ecx, [rdx + SLOT]; jmp =>on);
        });
    }

    /// Lets the next block be replayed otherwise if its first group may meet the entry of another branch. The address
    /// of this block's [`Replayed`] is in `rdx`.
    pub(super) fn may_meet(&mut self, way: usize) {
        let plan = self.source.plan;
        if !plan.after[way].branched {
            return;
        }
        let last = plan.after[way].last_u;
        let place = self.source.places.unmet + (last % self.source.places.absent_count) as i32 * 4;
        let [near, on] = [(); 2].map(|()| self.label());
        let (replayed, branches) = (plan.replayed as i64, Beginning::Branches as i8);
        dynasm!(self.a; .arch x64; cmp DWORD [rdi + place], last as i32; jne =>near; =>on);
        self.aside(move |emitter| {
            let places = emitter.source.places;
            let [found, other, known] = [(); 3].map(|()| emitter.label());
            // A branch in that group has the entry for its own.
            dynasm!(emitter.a; .arch x64; =>near; cmp BYTE [rdx + BEGINNINGS + way as i32], branches; je =>on);
            emitter.find_slot(Some(last), found);
            dynasm!(emitter.a; .arch x64
                ; =>other; mov DWORD [rdi + place], last as i32
                ; =>known; mov rdx, QWORD replayed; jmp =>on
                ; =>found; imul ecx, ecx, places.slot_size
                ; test BYTE [rdi + rcx + places.slots + places.mark], PREDICTS; jz =>other
                ; inc ecx; mov [rsp + frame::MET_SLOT], ecx; mov QWORD [BYTE rsp + near::USUAL_UNTIL], 0
                ; mov QWORD [BYTE rsp + near::WAITING_UNTIL], 0; jmp =>known);
        });
    }
}
