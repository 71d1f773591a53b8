//! The replay of a schedule: its plan as code.
//!
//! A run of usual groups is laid out as if all accesses hit: the state of the pipeline after it is stored first, and
//! each access is then only checked. Where one does not simply hit, a function makes the accesses of the whole group,
//! and the clocks it takes longer are added to what was stored. Other groups are issued by a function, between two such
//! runs.

use super::Emitter;
use super::replayed::{LONGER, PREDICTS};
use crate::frame::{self, near};
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use p5_timing::pipeline::PlannedGroup;
use std::ops::Range;

/// The most groups of a plan for which a function is called if there are more of them than of others.
const MOST_OTHERS: usize = 2;

impl Emitter<'_> {
    /// Generates the code of the replay, up to the ways out.
    pub(super) fn schedule(&mut self) {
        let source = self.source;
        let (plan, places) = (source.plan, source.places);
        self.fetch();
        let is_other = |group: &&PlannedGroup| !group.usual && group.floating.is_none() && group.prefixed.is_none();
        let others = plan.groups.iter().filter(is_other).count();
        if others > MOST_OTHERS && 2 * others > plan.groups.len() {
            return self.replay_at_once();
        }
        self.meet_entry();
        self.count_replay();
        dynasm!(self.a; .arch x64; add QWORD [rsi + places.groups], plan.groups.len() as i32);
        self.pass_trail();
        let groups = &plan.groups;
        let mut at = 0;
        while at < groups.len() {
            if groups[at].usual {
                let end = (at..groups.len())
                    .find(|&index| !groups[index].usual)
                    .unwrap_or(groups.len());
                self.usual_groups(at..end);
                at = end;
            } else {
                match (&groups[at].floating, groups[at].prefixed) {
                    (Some(floating), _) => {
                        let used = self.uses_unit(..at);
                        self.floating_group(at, floating, used);
                    }
                    (None, Some(prefixes)) => self.prefixed_group(at, prefixes),
                    (None, None) => self.other_group(at),
                }
                at += 1;
            }
        }
        self.end_of_schedule();
    }

    /// Whether the last group of these that is not usual has begun work of the floating-point unit.
    fn uses_unit(&self, before: std::ops::RangeTo<usize>) -> bool {
        let groups = &self.source.plan.groups[before];
        groups
            .iter()
            .rfind(|group| !group.usual)
            .is_some_and(|group| group.floating.is_some())
    }

    /// Counts the replay of the plan whose [`Replayed`] is at `rdx`.
    fn count_replay(&mut self) {
        let [noted, on] = [(); 2].map(|()| self.label());
        dynasm!(self.a; .arch x64; inc QWORD [rdx]; jz =>noted; =>on);
        self.aside(move |emitter| {
            dynasm!(emitter.a; .arch x64; =>noted);
            emitter.call_time(emitter.source.calls.note, 0);
            dynasm!(emitter.a; .arch x64; jmp =>on);
        });
    }

    /// Replays all groups by a function, because it would have to be called for most of them.
    fn replay_at_once(&mut self) {
        self.count_replay();
        self.store_outcome();
        self.store_clock();
        self.call_time(self.source.calls.replay, 0);
        self.load_clock();
        self.go_on(None);
    }

    /// Stores the clock of the last group. Uses `rax`.
    pub(super) fn store_clock(&mut self) {
        let places = self.source.places;
        dynasm!(self.a; .arch x64; mov rax, rbx; sub rax, [rsi + places.busy]; mov [rsi + places.clock], rax);
    }

    /// Loads the clock after the last group, which a function has stored.
    pub(super) fn load_clock(&mut self) {
        let places = self.source.places;
        dynasm!(self.a; .arch x64; mov rbx, [rsi + places.clock]; add rbx, [rsi + places.busy]);
    }

    /// Applies an entry of the branch target buffer that a first group without a branch may meet. Keeps `rdx`.
    fn meet_entry(&mut self) {
        let places = self.source.places;
        if self.source.plan.groups[0].branch.is_some() {
            return;
        }
        let [met, near, on] = [(); 3].map(|()| self.label());
        let replayed = self.source.plan.replayed as i64;
        dynasm!(self.a; .arch x64
            ; cmp BYTE [rsi + places.last_branched], 0; je =>on
            ; mov eax, [rsi + places.last_u]; mov ecx, eax; and ecx, places.absent_count as i32 - 1
            ; cmp [rdi + rcx * 4 + places.unmet], eax; jne =>near; =>on);
        self.aside(move |emitter| {
            let places = emitter.source.places;
            let [found, unmet] = [(); 2].map(|()| emitter.label());
            dynasm!(emitter.a; .arch x64; =>near);
            emitter.find_slot(None, found);
            dynasm!(emitter.a; .arch x64
                ; =>unmet; mov rdx, QWORD replayed; mov ecx, eax; and ecx, places.absent_count as i32 - 1
                ; mov [rdi + rcx * 4 + places.unmet], eax; jmp =>on
                ; =>found; imul ecx, ecx, places.slot_size
                ; test BYTE [rdi + rcx + places.slots + places.mark], PREDICTS; jz =>unmet; =>met);
            emitter.store_clock();
            emitter.call_time(emitter.source.calls.meet, 0);
            dynasm!(emitter.a; .arch x64; mov rdx, QWORD replayed; jmp =>on);
        });
    }

    fn pass_trail(&mut self) {
        let places = self.source.places;
        let [.., last] = self.source.plan.groups.as_slice() else {
            return;
        };
        match self.source.plan.groups.as_slice() {
            [.., before, _] => {
                dynasm!(self.a; .arch x64; mov DWORD [rsi + places.previous_u], before.address as i32);
            }
            _ => dynasm!(self.a; .arch x64; mov eax, [rsi + places.last_u]; mov [rsi + places.previous_u], eax),
        }
        dynasm!(self.a; .arch x64
            ; mov DWORD [rsi + places.last_u], last.address as i32
            ; mov BYTE [rsi + places.last_branched], i8::from(last.branch.is_some()));
    }

    /// Issues the groups of `range`, all of which are usual.
    fn usual_groups(&mut self, range: Range<usize>) {
        let source = self.source;
        let groups = &source.plan.groups[range.clone()];
        let number = range.start;
        let first = &groups[0];
        let begun = self.label();
        if number == 0 {
            // The front end has to be ahead; if not, the first group is issued otherwise.
            let [late, ahead] = [(); 2].map(|()| self.label());
            dynasm!(self.a; .arch x64; cmp BYTE [BYTE rsp + near::LATE], 0; jne =>late; =>ahead);
            self.aside(move |emitter| emitter.begin_late(late, ahead, begun, range));
            self.charge_first(first);
        }
        self.store_state(groups);
        let after: u32 = groups.iter().map(|group| group.interlock + group.clocks).sum();
        if self.may_be_plain(groups) {
            let [others, done] = [(); 2].map(|()| self.label());
            self.points.others = Some(others);
            self.all_plain(groups, others);
            dynasm!(self.a; .arch x64; =>done);
            self.aside(move |emitter| {
                dynasm!(emitter.a; .arch x64; =>others);
                emitter.all_checks(number, groups, begun);
                dynasm!(emitter.a; .arch x64; jmp =>done);
            });
        } else {
            self.all_checks(number, groups, begun);
        }
        dynasm!(self.a; .arch x64; add rbx, after as i32);
    }

    /// Checks the accesses of all `groups`, the first of which has this number. Those of the first one have been made
    /// at `begun`.
    fn all_checks(&mut self, number: usize, groups: &[PlannedGroup], begun: DynamicLabel) {
        let mut after = 0;
        for (index, group) in groups.iter().enumerate() {
            self.checks(number + index, number + groups.len(), after + group.interlock, false);
            if index == 0 {
                dynasm!(self.a; .arch x64; =>begun);
            }
            after += group.interlock + group.clocks;
        }
    }

    /// Charges the wait of the first group, whose front end is ahead.
    pub(super) fn charge_first(&mut self, first: &PlannedGroup) {
        let places = self.source.places;
        let Some(charge) = first.charged else { return };
        let clocks = first.interlock as i32;
        dynasm!(self.a; .arch x64
            ; mov rax, [BYTE rsp + near::STATISTICS]; add DWORD [rax + charge.statistic as i32], clocks
            ; mov QWORD [rsi + places.refill], 0; mov QWORD [rsi + places.code_walk], 0);
        if let Some(([occurrences, lasted], times)) = charge.event {
            dynasm!(self.a; .arch x64
                ; add QWORD [rsi + occurrences as i32], times as i32; add QWORD [rsi + lasted as i32], clocks);
        }
    }

    /// Begins the first group of `range` at `late`, where the front end may not be ahead of it. Goes on at `ahead`, or
    /// at `begun` after a function has issued it.
    fn begin_late(&mut self, late: DynamicLabel, ahead: DynamicLabel, begun: DynamicLabel, range: Range<usize>) {
        let source = self.source;
        let (places, groups) = (source.places, &source.plan.groups[range]);
        let [slow, charged] = [(); 2].map(|()| self.label());
        dynasm!(self.a; .arch x64; =>late; mov BYTE [BYTE rsp + near::LATE], 0);
        self.store_clock();
        if groups[0].interlock > 0 {
            // Its entry into D1 is that of the last group into D2 only if the front end was ready by then.
            dynasm!(self.a; .arch x64
                ; mov rcx, rax; sub rcx, [rsi + places.lead]; cmp [rsi + places.ready], rcx; jbe =>ahead; jmp =>slow);
        }
        // The group enters D1 when the front end is ready, D2 a clock later or when the last group leaves it, and EX a
        // clock after that or when that group leaves EX. `rcx` is when it enters D2, and `rdx` when it issues.
        dynasm!(self.a; .arch x64
            ; mov rdx, [rsi + places.ready]; cmp rdx, rax; jb =>ahead
            ; cmp QWORD [rsi + places.code_walk], 0; jne =>slow
            ; mov rcx, [rsi + places.busy]; lea rcx, [rax + rcx - 1]; cmp BYTE [rsi + places.holds], 0; cmove rcx, rax
            ; inc rdx; cmp rcx, rdx; cmovb rcx, rdx
            ; lea rdx, [rcx + 1]; cmp rdx, rbx; cmovb rdx, rbx
            ; mov rax, rdx; sub rax, rbx; jz =>charged
            // All clocks of the delay are those of the misprediction.
            ; cmp rax, [rsi + places.refill]; ja =>slow; cmp DWORD [rsi + places.refill_op], -1; je =>slow
            ; push rcx; mov ecx, [rsi + places.refill_op]; imul rcx, rcx, places.statistics as i32
            ; add rcx, [rsp + 8 + frame::STATISTICS]; add [rcx + places.mispredictions as i32], eax; pop rcx
            // The state before is such that the group's leads follow from it as usual.
            ; =>charged
            ; mov rbx, rdx
            ; sub rdx, rcx; mov [rsi + places.busy], rdx
            ; sub rcx, [rsi + places.ready]; mov [rsi + places.lead], rcx; mov BYTE [rsi + places.holds], 0
            ; mov QWORD [rsi + places.ready], 0; mov QWORD [rsi + places.refill], 0
            ; jmp =>ahead
            ; =>slow);
        self.call_time(source.calls.begin, 0);
        self.load_clock();
        if groups.len() > 1 {
            self.store_state(&groups[1..]);
        }
        let issued = (groups[0].interlock + groups[0].clocks) as i32;
        dynasm!(self.a; .arch x64; sub rbx, issued; jmp =>begun);
    }

    /// Stores the state of the pipeline after `groups`, none of which waits.
    pub(super) fn store_state(&mut self, groups: &[PlannedGroup]) {
        let places = self.source.places;
        let lead = |before: &PlannedGroup, group: &PlannedGroup| {
            (if before.holds { 1 } else { before.clocks }) + group.interlock
        };
        let (known_lead, known_ahead, last) = match groups {
            [only] => (None, None, only),
            [first, last] => (Some(lead(first, last)), None, last),
            [.., first, second, last] => {
                let ahead = second.clocks + last.interlock + lead(first, second);
                (Some(lead(second, last)), Some(ahead), last)
            }
            [] => return,
        };
        if known_ahead.is_none() {
            // The lead of the first group depends on the group before it.
            let first = &groups[0];
            dynasm!(self.a; .arch x64
                ; mov rax, [rsi + places.busy]; mov ecx, 1; cmp BYTE [rsi + places.holds], 0; cmove rcx, rax);
            match groups {
                [first, last] => {
                    let more = first.interlock + first.clocks + last.interlock;
                    dynasm!(self.a; .arch x64; add rcx, more as i32; mov [rsi + places.ahead], rcx);
                }
                _ => dynasm!(self.a; .arch x64
                    ; add rax, [rsi + places.lead]; add rax, first.interlock as i32; mov [rsi + places.ahead], rax
                    ; add rcx, first.interlock as i32; mov [rsi + places.lead], rcx),
            }
        }
        if let Some(lead) = known_lead {
            dynasm!(self.a; .arch x64; mov QWORD [rsi + places.lead], lead as i32);
        }
        if let Some(ahead) = known_ahead {
            dynasm!(self.a; .arch x64; mov QWORD [rsi + places.ahead], ahead as i32);
        }
        dynasm!(self.a; .arch x64
            ; mov QWORD [rsi + places.busy], last.clocks as i32; mov BYTE [rsi + places.holds], i8::from(last.holds));
    }

    /// Checks the accesses of group `index`, which issues `issue` clocks after `rbx`. The groups up to `end` are usual.
    /// With `usual`, the state of the pipeline after the block is not stored, and waits are noted beside it.
    pub(super) fn checks(&mut self, index: usize, end: usize, issue: u32, usual: bool) {
        let source = self.source;
        let group = &source.plan.groups[index];
        if group.accesses.is_empty() {
            return;
        }
        let [slow, done, made] = [(); 3].map(|()| self.label());
        if usual {
            self.unmade_accesses(group, issue, [slow, done, made]);
        } else {
            self.accesses(group, issue, slow);
        }
        dynasm!(self.a; .arch x64; =>done);
        let holds = group.holds;
        self.aside(move |emitter| {
            let places = emitter.source.places;
            let anothers = emitter.label();
            dynasm!(emitter.a; .arch x64; =>slow);
            if emitter.sole_access(group, issue, anothers) {
                emitter.aside(move |emitter| {
                    emitter.access_otherwise(index, issue, anothers);
                    dynasm!(emitter.a; .arch x64; jmp =>made);
                });
            } else if emitter.pair_of_accesses(index, group, issue, [anothers, made]) {
                emitter.aside(move |emitter| {
                    emitter.access_otherwise(index, issue, anothers);
                    dynasm!(emitter.a; .arch x64; jmp =>made);
                });
            } else {
                emitter.access_otherwise(index, issue, anothers);
            }
            dynasm!(emitter.a; .arch x64; =>made; add rbx, rax);
            if usual && end - index <= 3 {
                let replayed = emitter.source.plan.replayed as i64;
                dynasm!(emitter.a; .arch x64; mov rdx, QWORD replayed);
            }
            // Of the last groups, these are longer: the clocks of the last one, those between entries, and both.
            let [last, lead, ahead] = [
                end - index == 1,
                end - index == 2 && !holds,
                end - index == 2 || end - index == 3 && !holds,
            ];
            for (number, (grows, place)) in [(last, places.busy), (lead, places.lead), (ahead, places.ahead)]
                .into_iter()
                .enumerate()
            {
                match (grows, usual) {
                    (true, true) => dynasm!(emitter.a; .arch x64; add [rdx + LONGER + 4 * number as i32], eax),
                    (true, false) => dynasm!(emitter.a; .arch x64; add [rsi + place], rax),
                    (false, _) => {}
                }
            }
            dynasm!(emitter.a; .arch x64; jmp =>done);
        });
    }

    /// Makes the accesses of group `index` by a function, at label `slow`.
    fn access_otherwise(&mut self, index: usize, issue: u32, slow: DynamicLabel) {
        let places = self.source.places;
        dynasm!(self.a; .arch x64; =>slow; lea rax, [rbx + issue as i32]; mov [rsi + places.clock], rax);
        self.call_time(self.source.calls.access, index as u32);
    }

    /// Issues group `index` by a function, with its branch.
    pub(super) fn other_group(&mut self, index: usize) {
        // A repeat whose next instruction is itself goes on, so that no group may see an earlier outcome.
        self.store_outcome();
        self.store_clock();
        self.call_time(self.source.calls.issue, index as u32);
        dynasm!(self.a; .arch x64; mov BYTE [BYTE rsp + near::UNPLAIN], 1);
        self.load_clock();
    }
}
