//! Groups of the floating-point unit: the wait for it and its registers, one access, and the work that is left.

use super::Emitter;
use crate::frame::near;
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use p5_timing::pipeline::PlannedFloating;

impl Emitter<'_> {
    /// Issues group `index`, which is of the floating-point unit and not usual. If a group of the block has `used` the
    /// unit, and only usual ones follow it, then no other user of its registers has come between.
    pub(super) fn floating_group(&mut self, index: usize, floating: &PlannedFloating, used: bool) {
        let source = self.source;
        let (places, group) = (source.places, &source.plan.groups[index]);
        let of_unit = places.floating;
        let [otherwise, left, waits, waited] = [(); 4].map(|()| self.label());
        if index == 0 {
            // The front end has to be ahead.
            dynasm!(self.a; .arch x64; cmp BYTE [BYTE rsp + near::LATE], 0; jne =>otherwise);
        }
        if !used {
            let packed = of_unit.users[1] as i8;
            dynasm!(self.a; .arch x64; cmp BYTE [rsi + of_unit.user], packed; je =>otherwise);
        }
        self.awaited(floating);
        // `rdx` is the clock until which it waits, and then the clocks that it waits.
        dynasm!(self.a; .arch x64; sub rdx, rbx; ja =>waits; xor edx, edx; =>waited);
        self.store_waited(index);
        if let Some(access) = group.accesses.first() {
            let [slow, done] = [(); 2].map(|()| self.label());
            let (count, sole) = (of_unit.accesses[usize::from(access.writes)], floating.sole);
            let [checked, hit] = [(); 2].map(|()| self.label());
            if self.plain_access(access, checked) {
                dynasm!(self.a; .arch x64; =>hit);
                self.aside(move |emitter| {
                    dynasm!(emitter.a; .arch x64; =>checked);
                    emitter.access_hits(access, 0, slow);
                    dynasm!(emitter.a; .arch x64; jmp =>hit);
                });
            } else {
                self.access_hits(access, 0, slow);
                // Its line may have taken the place of another one.
                dynasm!(self.a; .arch x64; mov BYTE [BYTE rsp + near::UNPLAIN], 1);
            }
            dynasm!(self.a; .arch x64; inc QWORD [rsi + count]; =>done);
            self.aside(move |emitter| {
                let places = emitter.source.places;
                let [anothers, made] = [(); 2].map(|()| emitter.label());
                dynasm!(emitter.a; .arch x64; =>slow);
                if emitter.access_alone(access, sole, 0, anothers) {
                    dynasm!(emitter.a; .arch x64; inc QWORD [rsi + count]; jmp =>made);
                }
                dynasm!(emitter.a; .arch x64; =>anothers; mov [rsi + places.clock], rbx);
                emitter.call_time(emitter.source.calls.access_floating, index as u32);
                dynasm!(emitter.a; .arch x64
                    ; =>made
                    ; mov BYTE [BYTE rsp + near::UNPLAIN], 1; add rbx, rax; add [rsi + places.busy], rax; jmp =>done);
            });
        }
        dynasm!(self.a; .arch x64; add rbx, group.clocks as i32);
        if !used {
            let stack = of_unit.users[0] as i8;
            dynasm!(self.a; .arch x64
                ; mov BYTE [rsi + of_unit.idle], 0; mov BYTE [rsi + of_unit.user], stack);
        }
        self.leave_work(index, floating, left);
        dynasm!(self.a; .arch x64; =>left);
        let charge = floating.waits;
        self.aside(move |emitter| {
            let places = emitter.source.places;
            let [stalls, clocks] = places.floating.stalls;
            dynasm!(emitter.a; .arch x64
                ; =>waits; mov rax, [BYTE rsp + near::STATISTICS]; add DWORD [rax + charge as i32], edx
                ; inc QWORD [rsi + stalls]; add [rsi + clocks], rdx
                ; mov QWORD [rsi + places.refill], 0; mov QWORD [rsi + places.code_walk], 0
                ; mov QWORD [rsi + places.ready], 0; jmp =>waited
                ; =>otherwise);
            emitter.other_group(index);
            dynasm!(emitter.a; .arch x64; jmp =>left);
        });
    }

    /// Computes in `rdx` the clock until which a group waits for the unit and its registers. Uses `rax` and `rcx`.
    fn awaited(&mut self, floating: &PlannedFloating) {
        let of_unit = self.source.places.floating;
        if floating.awaits_unit {
            dynasm!(self.a; .arch x64; mov rdx, [rsi + of_unit.unit]);
        } else {
            dynasm!(self.a; .arch x64; xor edx, edx);
        }
        if floating.multiplier.is_some() {
            dynasm!(self.a; .arch x64; mov rax, [rsi + of_unit.multiplier]; cmp rdx, rax; cmovb rdx, rax);
        }
        for &number in &floating.needs {
            dynasm!(self.a; .arch x64; mov eax, [rsi + of_unit.names]);
            self.register(number);
            dynasm!(self.a; .arch x64; mov rax, [rsi + rax + of_unit.registers]);
            if floating.operands_ahead > 0 {
                // There may never have been any work.
                let never = self.label();
                dynasm!(self.a; .arch x64
                    ; test rax, rax; jz =>never; add rax, floating.operands_ahead as i32; =>never);
            }
            dynasm!(self.a; .arch x64; cmp rdx, rax; cmovb rdx, rax);
        }
    }

    /// Changes the names in `eax` to the distance of the work on register `number`.
    fn register(&mut self, number: u8) {
        if number > 0 {
            dynasm!(self.a; .arch x64; shr eax, 4 * number as i8);
        }
        dynasm!(self.a; .arch x64; and eax, 7; shl eax, self.source.places.floating.work);
    }

    /// Stores the state of the pipeline after the issue of group `index`, which has waited for `rdx` clocks, and adds
    /// these to `rbx`.
    fn store_waited(&mut self, index: usize) {
        let places = self.source.places;
        let groups = &self.source.plan.groups;
        let group = &groups[index];
        let before = index.checked_sub(1).map(|before| &groups[before]);
        dynasm!(self.a; .arch x64; mov rax, [rsi + places.busy]);
        match before.map(|before| before.holds) {
            Some(true) => dynasm!(self.a; .arch x64; mov ecx, 1),
            Some(false) => dynasm!(self.a; .arch x64; mov rcx, rax),
            None => dynasm!(self.a; .arch x64; mov ecx, 1; cmp BYTE [rsi + places.holds], 0; cmove rcx, rax),
        }
        dynasm!(self.a; .arch x64
            ; add rax, [rsi + places.lead]; add rax, rdx; mov [rsi + places.ahead], rax
            ; add rcx, rdx; mov [rsi + places.lead], rcx
            ; mov QWORD [rsi + places.busy], group.clocks as i32
            ; mov BYTE [rsi + places.holds], i8::from(group.holds); add rbx, rdx);
    }

    /// Records the work that group `index` leaves when it ends at `rbx`. Goes to `left` after a function has done so.
    fn leave_work(&mut self, index: usize, floating: &PlannedFloating, left: DynamicLabel) {
        let source = self.source;
        let of_unit = source.places.floating;
        let address = source.plan.groups[index].address as i32;
        if let Some(word) = floating.circumstances {
            let unusual = self.label();
            dynasm!(self.a; .arch x64; test DWORD [rbp + 4 * word as i32], of_unit.unusual as i32; jnz =>unusual);
            self.aside(move |emitter| {
                dynasm!(emitter.a; .arch x64; =>unusual);
                emitter.store_clock();
                emitter.call_time(emitter.source.calls.leave_floating, index as u32);
                emitter.load_clock();
                dynasm!(emitter.a; .arch x64; jmp =>left);
            });
        }
        dynasm!(self.a; .arch x64
            ; mov [rsi + of_unit.used], rbx; mov DWORD [rsi + of_unit.used + of_unit.by], address
            ; mov DWORD [rsi + of_unit.unsafe_operands], 0
            ; lea rax, [rbx + floating.occupies as i32]; mov [rsi + of_unit.unit], rax
            ; mov DWORD [rsi + of_unit.unit + of_unit.by], address);
        if let Some(clocks) = floating.multiplier {
            dynasm!(self.a; .arch x64
                ; lea rax, [rbx + clocks as i32]; mov [rsi + of_unit.multiplier], rax
                ; mov DWORD [rsi + of_unit.multiplier + of_unit.by], address);
        }
        dynasm!(self.a; .arch x64; mov ecx, [rsi + of_unit.names]; lea rdx, [rbx + floating.settles as i32]);
        for &number in &floating.writes {
            dynasm!(self.a; .arch x64; mov eax, ecx);
            self.register(number);
            dynasm!(self.a; .arch x64
                ; mov [rsi + rax + of_unit.registers], rdx
                ; mov DWORD [rsi + rax + of_unit.registers + of_unit.by], address);
        }
        self.exchange_names(floating.exchanges);
        let rotated = 4 * (floating.rotation & 7);
        if rotated > 0 {
            dynasm!(self.a; .arch x64; ror ecx, rotated);
        }
        self.exchange_names(floating.exchanges_in_v);
        if floating.exchanges > 0 || rotated > 0 || floating.exchanges_in_v > 0 {
            dynasm!(self.a; .arch x64; mov [rsi + of_unit.names], ecx);
        }
        if floating.operations > 0 {
            dynasm!(self.a; .arch x64; add QWORD [rsi + of_unit.operations], floating.operations as i32);
        }
    }

    /// Exchanges the names of ST(0) and ST(`number`) in `ecx`. Uses `eax`.
    fn exchange_names(&mut self, number: u8) {
        if number > 0 {
            let place = 4 * (number & 7) as i8;
            dynasm!(self.a; .arch x64
                ; mov eax, ecx; shr eax, place; xor eax, ecx; and eax, 7; xor ecx, eax; shl eax, place; xor ecx, eax);
        }
    }
}
