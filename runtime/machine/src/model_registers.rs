//! The model specific registers, as accessed by RDMSR and WRMSR of the program, and by a tool outside the program.

use super::Machine;
use super::blocks::Blocked;
use asm_macros::msr;
use p5_chips::Role;
use p5_results::{Note, StopDetail, StopReason};
use p5_words::fault::FaultCause;
use p5_words::registers::CR0_CD;

/// The reason why a model specific register cannot be accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterFault {
    /// The chip has no register of this number: #GP.
    Missing,
    /// Reading it hangs the processor.
    Hangs,
    /// The written value has reserved bits, or the register is read-only: #GP.
    Reserved,
}

impl Machine<'_> {
    /// Reads a model specific register from outside the program, with the result of RDMSR.
    ///
    /// # Errors
    ///
    /// The reason why RDMSR cannot read it.
    pub(crate) fn read_model_register(&mut self, number: u32) -> Result<u64, RegisterFault> {
        let (index, role) = self.model_register(number)?;
        Ok(match role {
            Role::TimeStampCounter => self.time_stamp(),
            Role::ControlAndEventSelect => u64::from(self.counters.control()),
            Role::Counter(counter) => self.counted(counter),
            Role::HangsWhenRead => return Err(RegisterFault::Hangs),
            Role::Kept | Role::Test | Role::FeatureControl | Role::TimeStampAuxiliary => self.model_registers[index],
            Role::Perfmon(register) => self.read_perfmon(register),
            Role::Sampling(number) => self.read_sampling(number),
        })
    }

    /// Writes a model specific register from outside the program, with the effect of WRMSR.
    ///
    /// # Errors
    ///
    /// The reason why WRMSR cannot write it.
    pub fn write_model_register(&mut self, number: u32, value: u64) -> Result<(), RegisterFault> {
        let (index, role) = self.model_register(number)?;
        let low = value as u32;
        match role {
            Role::TimeStampCounter => {
                // A write loads the low half and clears the high half (Intel SDM 1997). It takes effect when WRMSR
                // ends.
                let now = self.monitors.ratio.reference_clocks(self.pipeline.end());
                self.time_stamp_offset = u64::from(low).wrapping_sub(now);
            }
            Role::ControlAndEventSelect => {
                let (system, user) = self.pipeline.tallies();
                self.counters.set_control(low, system, user);
            }
            Role::Counter(counter) => {
                let (system, user) = self.pipeline.tallies();
                self.counters.write(counter, value, system, user);
            }
            Role::FeatureControl => {
                self.model_registers[index] = value;
                self.pipeline.core.use_single_pipe(low & msr::TR12_SINGLE_PIPE != 0);
                self.pipeline.core.switches.no_btb_allocation = low & msr::TR12_NO_BRANCH_PREDICTION != 0;
                self.update_cache_switches();
            }
            Role::Kept => self.model_registers[index] = value,
            Role::TimeStampAuxiliary => match u32::try_from(value) {
                Ok(_) => self.model_registers[index] = value,
                Err(_) => return Err(RegisterFault::Reserved),
            },
            Role::Perfmon(register) => self.write_perfmon(register, value)?,
            Role::Sampling(number) => self.write_sampling(number, value),
            Role::Test | Role::HangsWhenRead => {
                self.model_registers[index] = value;
                self.note(Note::TestRegisterWritten);
            }
        }
        Ok(())
    }

    /// The number of writes to the two counters and their control register.
    pub(crate) fn counter_writes(&self) -> u64 {
        self.counters.writes()
    }

    pub(super) fn read_msr(&mut self) -> Result<(), Blocked> {
        let number = self.state.registers.general[1];
        let value = self
            .read_model_register(number)
            .map_err(|fault| self.not_accessed(number, fault))?;
        match self.model_register(number) {
            Ok((_, Role::TimeStampCounter)) => self.regions.time_stamp_read(value),
            Ok((_, Role::Counter(counter))) => self.regions.counter_read(counter, value),
            _ => {}
        }
        self.answer(value);
        Ok(())
    }

    pub(super) fn write_msr(&mut self) -> Result<(), Blocked> {
        let [low, number, high] = [0, 1, 2].map(|register| self.state.registers.general[register]);
        self.write_model_register(number, u64::from(high) << 32 | u64::from(low))
            .map_err(|fault| self.not_accessed(number, fault))
    }

    pub(super) fn time_stamp_auxiliary(&self) -> u32 {
        let registers = self.model.registers.iter().zip(&self.model_registers);
        let mut found = registers.filter(|(register, _)| register.role == Role::TimeStampAuxiliary);
        found.next().map_or(0, |(_, value)| *value as u32)
    }

    pub(super) fn counted(&mut self, counter: usize) -> u64 {
        let (system, user) = self.pipeline.tallies();
        self.counters.read(counter, system, user)
    }

    /// The index and the role of a model specific register.
    fn model_register(&self, number: u32) -> Result<(usize, Role), RegisterFault> {
        let registers = self.model.registers;
        let index = registers.iter().position(|register| register.number == number);
        index
            .map(|index| (index, registers[index].role))
            .ok_or(RegisterFault::Missing)
    }

    /// The outcome of an instruction that accesses such a register.
    fn not_accessed(&self, number: u32, fault: RegisterFault) -> Blocked {
        match fault {
            RegisterFault::Missing => Machine::refused(FaultCause::NoSuchMsr(number)),
            RegisterFault::Reserved => Machine::refused(FaultCause::ReservedMsrBits(number)),
            RegisterFault::Hangs => {
                let detail = StopDetail::HangingMsr(number);
                let address = self.state.registers.eip;
                Blocked::Stop(self.stopped(StopReason::Unsupported, detail, address))
            }
        }
    }

    pub(super) fn update_cache_switches(&mut self) {
        let registers = self.model.registers.iter().zip(&self.model_registers);
        let by_test_register = registers
            .filter(|(register, _)| register.role == Role::FeatureControl)
            .any(|(_, value)| *value as u32 & msr::TR12_CACHE_INHIBIT != 0);
        let by_control_register = self.state.registers.cr0 & CR0_CD != 0;
        self.pipeline
            .core
            .inhibit_cache(by_test_register || by_control_register);
    }
}
