//! What instructions ask for from outside the arithmetic: time stamps, model specific registers, CPUID, I/O, services.

use super::Machine;
use crate::counters::Tally;
use crate::exec::{self, Exit, Request};
use crate::registers::CR0_CD;
use crate::run::{Stop, StopReason};
use crate::services::{self, Service};
use asm_macros::msr;

impl Machine<'_> {
    /// Carries out the request of the only instruction of block `index`; the run's end if it is one.
    pub(super) fn carry_out(&mut self, index: u32, request: Request) -> Option<Stop> {
        // Time first: whoever looks sees all that came before, the looking instruction included.
        // Only when it is complete is it known where INS stores, and whether a repeated port access goes on.
        let timed_later = matches!(request, Request::In { .. } | Request::Out { .. });
        if !timed_later {
            self.replay_request(index);
        }
        self.regions
            .settle(&mut self.pipeline, &self.counters, &self.other_tally);
        let now = self.time_stamp();
        let result = match request {
            Request::ReadTimeStampCounter => {
                self.regions.time_stamp_read(now);
                self.answer(now);
                Ok(())
            }
            Request::ReadMsr => {
                self.pipeline.count_replays();
                self.read_msr(now)
            }
            Request::WriteMsr => {
                self.pipeline.count_replays();
                self.write_msr()
            }
            Request::ReadCounter => Err(self.refused(6, "#UD: this chip has no RDPMC")),
            Request::Cpuid => {
                self.identify();
                Ok(())
            }
            Request::Halt => Err(Stop {
                reason: StopReason::Halt,
                code: None,
                message: None,
                place: None,
            }),
            Request::Interrupt { vector } => self.interrupt(vector),
            Request::In { size, .. } => {
                // Nothing answers on any port: the bus floats high.
                self.state.input = if size >= 4 {
                    u32::MAX
                } else {
                    (1 << (8 * u32::from(size))) - 1
                };
                self.note("a port was read: no device is simulated, every port reads as all ones");
                Ok(())
            }
            Request::Out { .. } => {
                self.note("a port was written: no device is simulated, the value went nowhere");
                Ok(())
            }
            Request::ControlRegisterWritten { register } => {
                match register {
                    0 => self.update_cache_switches(),
                    3 => self.pipeline.core.page_directory_loaded(),
                    _ => {}
                }
                Ok(())
            }
            Request::DebugRegisterWritten { .. } => {
                self.note("a debug register was written: breakpoint matches are not simulated");
                Ok(())
            }
            Request::InvalidatePage { address } => {
                self.pipeline.core.page_invalidated(address);
                Ok(())
            }
            Request::InvalidateCaches { write_back } => {
                self.pipeline.core.caches_flushed(write_back);
                Ok(())
            }
        };
        if let Err(stop) = result {
            return Some(stop);
        }
        let op = *self.blocks.get_mut(index).micro_ops.first()?;
        let completed = exec::complete(&op, &mut self.state);
        if timed_later {
            self.replay_request(index);
        }
        if self.state.facts.code_written {
            self.code_stored();
        }
        match completed {
            Exit::Fault(fault) => Some(self.fault(&fault)),
            _ => None,
        }
    }

    fn replay_request(&mut self, index: u32) {
        let block = self.blocks.get_mut(index);
        if let Some(time) = &mut block.time {
            self.pipeline.replay(time, &self.state.facts, 1);
        }
    }

    /// The time stamp counter as the instruction issued last sees it.
    fn time_stamp(&self) -> u64 {
        self.pipeline.core.clock.wrapping_add(self.time_stamp_offset)
    }

    fn answer(&mut self, value: u64) {
        self.state.registers.general[0] = value as u32;
        self.state.registers.general[2] = (value >> 32) as u32;
    }

    fn refused(&self, vector: u32, message: &str) -> Stop {
        Stop {
            reason: StopReason::Fault,
            code: Some(vector),
            message: Some(message.to_owned()),
            place: self.place(self.state.registers.eip),
        }
    }

    fn read_msr(&mut self, now: u64) -> Result<(), Stop> {
        let register = self.state.registers.general[1];
        let value = match register {
            msr::TIME_STAMP_COUNTER => {
                self.regions.time_stamp_read(now);
                now
            }
            msr::CONTROL_AND_EVENT_SELECT => u64::from(self.counters.control()),
            msr::COUNTER_0 | msr::COUNTER_1 => {
                let counter = (register - msr::COUNTER_0) as usize;
                let (system, user) = self.tallies();
                let value = self.counters.read(counter, system, user);
                self.regions.counter_read(counter, value);
                value
            }
            0x0A => {
                return Err(Stop {
                    reason: StopReason::Unsupported,
                    code: None,
                    message: Some("reading MSR 0Ah hangs real parts".to_owned()),
                    place: self.place(self.state.registers.eip),
                });
            }
            0x03 | 0x0F | 0x14.. => {
                return Err(self.refused(
                    13,
                    &format!("#GP: model specific register {register:02X}h does not exist"),
                ));
            }
            _ => self.msr[register as usize],
        };
        self.answer(value);
        Ok(())
    }

    fn write_msr(&mut self) -> Result<(), Stop> {
        let register = self.state.registers.general[1];
        let (low, high) = (self.state.registers.general[0], self.state.registers.general[2]);
        let value = u64::from(high) << 32 | u64::from(low);
        match register {
            msr::TIME_STAMP_COUNTER => {
                // A write loads the low half and clears the high one (Intel SDM 1997). It takes effect as WRMSR ends.
                self.time_stamp_offset = u64::from(low).wrapping_sub(self.pipeline.core.end());
            }
            msr::CONTROL_AND_EVENT_SELECT => {
                let (system, user) = self.both_tallies();
                self.counters.set_control(low, &system, &user);
            }
            msr::COUNTER_0 | msr::COUNTER_1 => {
                let (system, user) = self.both_tallies();
                self.counters
                    .write((register - msr::COUNTER_0) as usize, value, &system, &user);
            }
            0x03 | 0x0F | 0x14.. => {
                return Err(self.refused(
                    13,
                    &format!("#GP: model specific register {register:02X}h does not exist"),
                ));
            }
            _ => {
                self.msr[register as usize] = value;
                if register == msr::TR12 {
                    self.pipeline.core.single_pipe = low & msr::TR12_SINGLE_PIPE != 0;
                    self.pipeline.core.no_btb_allocation = low & msr::TR12_NO_BRANCH_PREDICTION != 0;
                    self.update_cache_switches();
                } else if register > 1 {
                    self.note("a test register was written: its value is kept, the unit it tests is not touched");
                }
            }
        }
        Ok(())
    }

    fn both_tallies(&self) -> (Tally, Tally) {
        let (system, user) = self.tallies();
        (system.clone(), user.clone())
    }

    fn update_cache_switches(&mut self) {
        let by_test_register = self.msr[msr::TR12 as usize] as u32 & msr::TR12_CACHE_INHIBIT != 0;
        let by_control_register = self.state.registers.cr0 & CR0_CD != 0;
        self.pipeline.core.cache_inhibited = by_test_register || by_control_register;
    }

    fn identify(&mut self) {
        let leaf = self.state.registers.general[0];
        // "GenuineIntel" in EBX, EDX, ECX; leaves above the last answer as the last does.
        let [eax, ebx, ecx, edx] = match leaf {
            0 => [1, 0x756E_6547, 0x6C65_746E, 0x4965_6E69],
            _ => [self.model.rules.signature, 0, 0, self.model.rules.features],
        };
        let general = &mut self.state.registers.general;
        (general[0], general[3], general[1], general[2]) = (eax, ebx, ecx, edx);
    }

    fn interrupt(&mut self, vector: u8) -> Result<(), Stop> {
        let service = services::call(vector, &mut self.state, &mut self.output);
        match service {
            Service::Done => Ok(()),
            Service::Refused(note) => {
                self.note(&note);
                Ok(())
            }
            Service::Exit(code) => Err(Stop {
                reason: StopReason::Exit,
                code: Some(code),
                message: None,
                place: None,
            }),
            Service::None => Err(self.refused(
                13,
                &format!("#GP: nothing handles interrupt {vector:02X}h; int 20h, int 21h and int 80h are served here"),
            )),
        }
    }

    /// Keeps a sentence for the reader, once.
    pub(super) fn note(&mut self, note: &str) {
        if self.notes.len() < 100 && !self.notes.iter().any(|known| known == note) {
            self.notes.push(note.to_owned());
        }
    }
}
