//! Monitors in a machine: their registers, their interrupts, and HLT that waits for one.
//!
//! While a monitor has to be checked after each instruction, each is a block of its own, which changes no clock. The
//! program's own samplers need no check, and nothing is recorded, until their next sample may be near. A sample
//! interrupts the program after the sampled instruction, so from then on each instruction is a block of its own.
//! Samplers that count clocks, of which a block may take any number, are always near. An interrupt is delivered
//! between two instructions; an instruction that waits in U for a partner is issued alone then.

use super::Machine;
use super::blocks::{Blocked, MOST_STEPS};
use super::model_registers::RegisterFault;
use crate::monitor::local_apic::{LocalApic, NON_MASKABLE_INTERRUPT, PAGE_ADDRESS, REGISTERS};
use crate::monitor::perfmon::{Perfmon, Progress};
use crate::monitor::{Monitors, ibs};
use iced_x86::{Mnemonic, Register};
use p5_chips::PerfmonRegister;
use p5_meaning::exec::{self, Delivery, Event};
use p5_results::{Refusal, Stop, StopReason};
use p5_timing::pipeline::Pipeline;
use p5_words::facts::PageKind;
use p5_words::fault::{Fault, FaultCause, Vector};
use p5_words::registers::IF;
use std::ops::Range;

/// The bytes between two registers of the local APIC.
const STRIDE: u32 = 16;

/// The counts so far. An instruction that waits in U counts only as executed.
fn progress<'a>(pipeline: &'a mut Pipeline, monitors: &Monitors) -> Progress<'a> {
    let user = pipeline.is_user();
    let waiting = u64::from(pipeline.is_open());
    let (system, user_tally) = pipeline.tallies();
    Progress {
        tallies: [system, user_tally],
        waiting: [if user { 0 } else { waiting }, if user { waiting } else { 0 }],
        ratio: monitors.ratio,
    }
}

impl Machine<'_> {
    /// Resets the monitors for a run, and maps the page of a local APIC.
    pub(super) fn begin_monitors(&mut self) {
        self.monitors.reset();
        if self.sampler.is_none() && self.watcher.is_none() {
            self.pipeline.stop_observing();
        }
        self.find_apic();
        self.watch_monitors();
    }

    /// Watches stores to the page of the local APIC, and makes accesses to it those of an uncached page.
    pub(super) fn find_apic(&mut self) {
        if self.monitors.apic.is_some() {
            self.state.memory.mark_code(PAGE_ADDRESS);
            let uncached = PageKind {
                uncached: true,
                ..PageKind::USUAL
            };
            self.state.facts.pages.note(PAGE_ADDRESS >> 12, uncached);
            self.show_apic();
        }
    }

    /// The current time in reference clocks, which the timer of the local APIC counts.
    fn reference_now(&self) -> u64 {
        self.monitors.ratio.reference_clocks(self.pipeline.end())
    }

    fn show_apic(&mut self) {
        self.show_registers(0..REGISTERS);
    }

    /// Writes the registers of the local APIC at `offsets` to its page.
    fn show_registers(&mut self, offsets: Range<u32>) {
        let now = self.reference_now();
        if let Some(apic) = &self.monitors.apic {
            for offset in offsets.step_by(STRIDE as usize) {
                let value = apic.read(offset, now).to_le_bytes();
                // A program that does not map the page there does not read it either.
                let _ = self.state.memory.load(PAGE_ADDRESS + offset, &value);
            }
        }
    }

    /// Handles a store that may be to the page of the local APIC.
    pub(super) fn apic_stored(&mut self, address: u32, length: u32) {
        let Some(offset) = address.checked_sub(PAGE_ADDRESS).filter(|&offset| offset < REGISTERS) else {
            return;
        };
        if self.monitors.apic.is_none() {
            return;
        }
        let now = self.reference_now();
        // A register is the first four of 16 bytes; a store to only some of them has no effect.
        let behind = (offset + length).min(REGISTERS);
        let whole = |&register: &u32| register >= offset && register + 4 <= behind;
        for register in (offset & !(STRIDE - 1)..behind).step_by(STRIDE as usize).filter(whole) {
            let value = self.state.memory.read_u32(PAGE_ADDRESS + register);
            if let (Some(apic), Ok(value)) = (&mut self.monitors.apic, value) {
                apic.write(register, value, now);
            }
        }
        self.show_apic();
        self.watch_monitors();
    }

    /// Updates whether the monitors are checked after each instruction.
    pub(super) fn watch_monitors(&mut self) {
        let samples = self.monitors.sampling.as_ref().is_some_and(ibs::Unit::watches);
        let quiet = self.pipeline.quiet_until(MOST_STEPS).filter(|_| samples);
        let watch = self.monitors.watch(quiet.is_some());
        if watch != self.blocks.are_looked_at() {
            // The current instruction writes to a monitor or to its page, so its effect on interrupts is unknown.
            self.looked = None;
            if let Some(apic) = &mut self.monitors.apic {
                apic.comes_to_return(false);
            }
        }
        self.blocks.look_at_each(watch);
        let records = self.watcher.is_some() || self.sampler.is_some() && !self.pipeline.pauses();
        self.bounds.watch(watch || records, quiet);
    }

    pub(super) fn read_perfmon(&mut self, register: PerfmonRegister) -> u64 {
        let progress = progress(&mut self.pipeline, &self.monitors);
        let value = self
            .monitors
            .perfmon
            .as_mut()
            .map(|perfmon| perfmon.read(register, &progress));
        self.watch_monitors();
        value.unwrap_or_default()
    }

    pub(super) fn write_perfmon(&mut self, register: PerfmonRegister, value: u64) -> Result<(), RegisterFault> {
        let progress = progress(&mut self.pipeline, &self.monitors);
        let written = self
            .monitors
            .perfmon
            .as_mut()
            .map(|perfmon| perfmon.write(register, value, &progress));
        self.watch_monitors();
        match written {
            Some(true) => Ok(()),
            Some(false) => Err(RegisterFault::Reserved),
            None => Err(RegisterFault::Missing),
        }
    }

    pub(super) fn read_sampling(&mut self, register: u32) -> u64 {
        self.pipeline.resume_observing();
        self.take_records();
        let now = self.pipeline.end();
        let sampling = self.monitors.sampling.as_mut();
        sampling.map_or(0, |unit| unit.read(register, now))
    }

    pub(super) fn write_sampling(&mut self, register: u32, value: u64) {
        // The new setting does not count the ops that have retired before.
        self.pipeline.resume_observing();
        self.show_records();
        let now = self.pipeline.end();
        if let Some(unit) = &mut self.monitors.sampling {
            unit.write(register, value, now);
            if unit.watches() {
                self.pipeline.observe(true);
                self.expect_samples();
            }
        }
        self.watch_monitors();
    }

    /// Executes RDPMC of a chip with architectural performance monitoring; `None` if the chip has none.
    pub(super) fn read_perfmon_counter(&mut self, number: u32) -> Option<Result<u64, Blocked>> {
        self.monitors.perfmon.as_ref()?;
        Some(match Perfmon::counter(number) {
            Some(register) => Ok(self.read_perfmon(register)),
            None => Err(Machine::refused(FaultCause::NoSuchCounter(number))),
        })
    }

    /// Checks the monitors after an instruction. Returns whether an interrupt has been delivered.
    ///
    /// # Errors
    ///
    /// The stop, if the program has no handler for it.
    #[cold]
    pub(super) fn look_at_monitors(&mut self) -> Result<bool, Stop> {
        let looked = self.looked;
        if let Some(apic) = &mut self.monitors.apic {
            apic.executed();
        }
        self.take_records();
        let now = self.reference_now();
        let progress = progress(&mut self.pipeline, &self.monitors);
        let overflowed = self
            .monitors
            .perfmon
            .as_mut()
            .is_some_and(|perfmon| perfmon.look(&progress));
        let Some(apic) = &mut self.monitors.apic else {
            return Ok(false);
        };
        if overflowed {
            apic.counter_overflowed();
        }
        apic.reach(now);
        let non_maskable = apic.is_non_maskable_deliverable();
        let deliverable = apic.deliverable();
        let changed = apic.take_changed();
        self.show_registers(changed);
        let enabled = self.state.registers.flags.rest & IF != 0;
        let vector = match non_maskable {
            true => Some(NON_MASKABLE_INTERRUPT),
            false => deliverable.filter(|_| enabled),
        };
        let delivered = match vector {
            Some(vector) if !self.is_shadowed(looked) => self.interrupt_from_outside(vector)?,
            _ => false,
        };
        self.watch_monitors();
        if self.blocks.are_looked_at() {
            self.note_looked();
        }
        Ok(delivered)
    }

    /// Records the check of the monitors before the instruction at EIP.
    fn note_looked(&mut self) {
        let registers = &self.state.registers;
        self.looked = Some((registers.eip, registers.flags.rest & IF != 0));
        // The instruction is read before its execution, because it may not be readable at another privilege level
        // afterwards.
        let waits = self.monitors.apic.as_ref().is_some_and(LocalApic::waits_for_return);
        let address = registers.eip;
        let returns = waits
            && matches!(
                self.instruction_at(address).0.mnemonic(),
                Mnemonic::Iret | Mnemonic::Iretd
            );
        if let Some(apic) = &mut self.monitors.apic {
            apic.comes_to_return(returns);
        }
    }

    /// Delivers an interrupt of the local APIC before the instruction at EIP.
    fn interrupt_from_outside(&mut self, vector: u8) -> Result<bool, Stop> {
        if self.state.facts.mode_changed {
            self.change_mode();
        }
        self.pipeline.close_open(Refusal::LastInstruction, &self.state.facts);
        let address = self.state.registers.eip;
        let mode = *self.blocks.mode();
        self.state.facts.next = address;
        let raising = self.raising(address);
        match exec::deliver(Event::External(vector), &mut self.state) {
            Delivery::Delivered => {}
            Delivery::Unhandled => {
                let cause = FaultCause::UnhandledInterrupt(vector);
                let fault = Fault::new(Vector::GeneralProtection, Some(0), cause);
                return Err(self.faulted(&fault, address));
            }
            Delivery::Shutdown => return Err(self.shut_down(address)),
        }
        self.time_delivery(address, &mode, raising, None);
        self.pipeline.count_hardware_interrupt();
        if let Some(apic) = &mut self.monitors.apic {
            match vector {
                NON_MASKABLE_INTERRUPT => apic.deliver_non_maskable(),
                _ => apic.deliver(vector),
            }
        }
        if self.state.facts.code_written {
            self.code_stored(1, None);
        }
        self.show_apic();
        Ok(true)
    }

    /// Whether the instruction executed last, after the last check, keeps interrupts from the next one: an STI that
    /// enables them, or a load of SS. If several were executed without a check, the last one is a repeated
    /// instruction, which does neither.
    fn is_shadowed(&mut self, looked: Option<(u32, bool)>) -> bool {
        let Some((address, enabled)) = looked else {
            return false;
        };
        let (instruction, _) = self.instruction_at(address);
        match instruction.mnemonic() {
            Mnemonic::Sti => !enabled,
            Mnemonic::Mov | Mnemonic::Pop => instruction.op0_register() == Register::SS,
            _ => false,
        }
    }

    /// Executes HLT of block `index`: waits for an interrupt, if one can come, otherwise ends the run.
    pub(super) fn halt(&mut self, index: u32) -> Result<(), Blocked> {
        let wakes = match &self.monitors.apic {
            Some(apic) if apic.is_non_maskable_deliverable() => Some(0),
            Some(apic) if self.state.registers.flags.rest & IF != 0 => match apic.deliverable() {
                Some(_) => Some(0),
                None => apic.wakes(),
            },
            _ => None,
        };
        let Some(wakes) = wakes else {
            return Err(Blocked::Stop(Stop::plain(StopReason::Halt)));
        };
        // The ops that have retired before are not part of the sleep.
        self.take_records();
        let (begun, until) = (
            self.pipeline.end(),
            self.monitors.ratio.core_clocks(wakes).min(self.bounds.end),
        );
        let op = self.blocks.get_mut(index).first();
        while let Some(clocks) = until.checked_sub(self.pipeline.end()).filter(|&clocks| clocks > 0) {
            if self.pipeline.stats_are_due() {
                self.take_stats();
            }
            self.pipeline.halt(op, clocks);
            if self.bounds.is_late() {
                self.bounds.look_soon();
                break;
            }
        }
        let slept = self.pipeline.end() - begun;
        self.sampling_halted(slept);
        Ok(())
    }
}
