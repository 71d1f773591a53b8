//! Requests of instructions to the machine: time stamps, CPUID, I/O, services.

mod data_segment;
mod still_time;
mod used_counter;

use super::blocks::Blocked;
use super::{Machine, parts};
use p5_meaning::exec::{self, Exit, Request};
use p5_meaning::memory::MEMORY_LIMIT;
use p5_meaning::services::signals::Settled;
use p5_meaning::services::{self, Service};
use p5_results::{Note, RefusedService, Stop, StopDetail, StopReason};
use p5_words::fault::{Fault, FaultCause, Vector};
use p5_words::registers::DS;
use std::time::Duration;

/// The most refused services that have a note of their own.
const REFUSED: usize = 100;
/// The interrupt of the services of DOS.
const DOS: u8 = 0x21;

impl Machine<'_> {
    /// Carries out the request of the only instruction of block `index`.
    ///
    /// # Errors
    ///
    /// The end of the run, or a fault that the instruction raises.
    pub(super) fn carry_out(&mut self, index: u32, request: Request) -> Result<(), Blocked> {
        if let Request::Interrupt { vector } = request
            && self.take_interrupt(index, vector)?
        {
            return Ok(());
        }
        // The time advances first: a reading includes everything before it and the reading instruction itself. Port
        // accesses are timed after completion, because only then is it known where INS stores and whether a repeat
        // continues. The same holds for calls after which a handler of the program may be entered or left.
        let signals = match request {
            Request::Interrupt { vector } => services::may_signal(vector, &self.state, &self.process),
            _ => false,
        };
        let timed_later = signals || matches!(request, Request::In { .. } | Request::Out { .. });
        if !timed_later {
            self.replay_request(index);
        }
        self.regions.settle(&mut self.pipeline, &self.counters);
        let now = self.time_stamp();
        if !matches!(request, Request::In { .. } | Request::Interrupt { .. }) {
            self.unchanging.ask(true);
        }
        match request {
            Request::ReadTimeStampCounter { auxiliary } => {
                if self.regions.audit.is_some() {
                    let address = self.state.registers.eip;
                    let library = parts::in_library(self.image, address);
                    self.regions.reading(address, library, self.pipeline.causes_at_issue());
                }
                self.regions.time_stamp_read(now);
                self.answer(now);
                if auxiliary {
                    self.state.registers.general[1] = self.time_stamp_auxiliary();
                }
            }
            Request::ReadMsr => self.read_msr()?,
            Request::WriteMsr => self.write_msr()?,
            Request::ReadCounter => self.read_counter()?,
            Request::Cpuid => self.identify(),
            Request::Halt => self.halt(index)?,
            Request::Interrupt { vector } => self.interrupt(vector)?,
            Request::In { port, size } => {
                self.unchanging.ask(services::ports::changes(port));
                self.state.input = services::ports::read(&mut self.process, port, size);
                self.note(Note::PortRead);
            }
            Request::Out { port, size, value } => {
                if !services::ports::write(&mut self.process, port, size, value) {
                    self.note(Note::PortWritten);
                }
            }
            Request::ControlRegisterWritten { register } => match register {
                0 => {
                    self.update_cache_switches();
                    self.paging_changed();
                }
                3 => {
                    self.pipeline.core.page_directory_loaded();
                    self.paging_changed();
                }
                _ => self.paging_changed(),
            },
            Request::DebugRegisterWritten { .. } => {}
            Request::InvalidatePage { address } => {
                self.pipeline.core.page_invalidated(address);
                self.paging_changed();
            }
            Request::InvalidateCaches { write_back } => self.pipeline.core.caches_flushed(write_back),
        }
        let Some(op) = self.blocks.get_mut(index).micro_ops.first().copied() else {
            return Ok(());
        };
        let returns = matches!(request, Request::Interrupt { .. });
        let completed = exec::complete(&op, &mut self.state, returns);
        let ended = if signals { self.settle_signals() } else { None };
        if timed_later {
            self.replay_request(index);
        }
        if let Some(stop) = ended {
            let place = self.place(op.address());
            return Err(Blocked::Stop(Stop { place, ..stop }));
        }
        // The facts have no word for a store by a service.
        if self.state.facts.code_written | self.state.memory.take_code_stored() {
            self.code_stored(1, None);
        }
        match completed {
            Exit::Fault(fault) => Err(Blocked::Fault(fault)),
            _ => Ok(()),
        }
    }

    /// Leaves and enters signal handlers after a call that may request it. Returns the stop if a signal ends the
    /// program.
    fn settle_signals(&mut self) -> Option<Stop> {
        match self.process.signals.settle(&mut self.state) {
            Settled::GoesOn => None,
            Settled::Moved => {
                self.state.facts.next = self.state.registers.eip;
                self.state.facts.taken = true;
                None
            }
            Settled::Ends(signal) => Some(Stop {
                code: Some(signal),
                ..Stop::plain(StopReason::Signal)
            }),
        }
    }

    fn elapsed(&self) -> Duration {
        let clocks = self.pipeline.clock().saturating_sub(self.run_start.clock);
        let hertz = self.options.hertz;
        let part = u128::from(clocks % hertz) * 1_000_000_000 / u128::from(hertz.get());
        Duration::from_secs(clocks / hertz) + Duration::from_nanos(part as u64)
    }

    pub(super) fn replay_request(&mut self, index: u32) {
        let block = self.blocks.get_mut(index);
        if let Some(time) = &mut block.time {
            self.pipeline.replay(time, &self.state.facts, 1);
        }
    }

    /// The value of the time stamp counter for the instruction issued last.
    pub(super) fn time_stamp(&self) -> u64 {
        let clocks = self.monitors.ratio.reference_clocks(self.pipeline.clock());
        clocks.wrapping_add(self.time_stamp_offset)
    }

    /// The value of the time stamp counter when everything that has issued has ended.
    pub(super) fn time_stamp_at_end(&self) -> u64 {
        let clocks = self.monitors.ratio.reference_clocks(self.pipeline.end());
        clocks.wrapping_add(self.time_stamp_offset)
    }

    pub(super) fn answer(&mut self, value: u64) {
        self.state.registers.general[0] = value as u32;
        self.state.registers.general[2] = (value >> 32) as u32;
    }

    pub(super) fn refused(cause: FaultCause) -> Blocked {
        Blocked::Fault(Fault::new(Vector::GeneralProtection, Some(0), cause))
    }

    fn read_counter(&mut self) -> Result<(), Blocked> {
        let number = self.state.registers.general[1];
        if let Some(value) = self.read_perfmon_counter(number) {
            self.answer(value?);
            return Ok(());
        }
        if number > 1 {
            return Err(Machine::refused(FaultCause::NoSuchCounter(number)));
        }
        let counter = number as usize;
        let value = self.counted(counter);
        self.regions.counter_read(counter, value);
        self.answer(value);
        Ok(())
    }

    fn identify(&mut self) {
        let [eax, ebx, ecx, edx] = self.model.leaf(self.state.registers.general[0]);
        let general = &mut self.state.registers.general;
        (general[0], general[3], general[1], general[2]) = (eax, ebx, ecx, edx);
    }

    fn interrupt(&mut self, vector: u8) -> Result<(), Blocked> {
        self.process.elapsed = self.elapsed().saturating_add(self.process.slept);
        if self.lacks_data_segment(vector) {
            self.note(Note::DataSegmentNotLoaded);
        }
        let service = services::call(vector, &mut self.state, &mut self.process);
        // Where no key is left, none will be.
        self.unchanging
            .ask(service != Service::Refused(RefusedService::Keyboard));
        if self.state.memory.was_refused() {
            self.note(Note::Refused(RefusedService::Memory {
                most: self.options.mapped.min(MEMORY_LIMIT),
            }));
        }
        // A service may read megabytes in the clocks of an INT.
        self.bounds.look_soon();
        match service {
            Service::Done => Ok(()),
            Service::Refused(service) => {
                match (service, self.process.refused_path.take()) {
                    (RefusedService::File, Some(path)) => self.note_file(&path, vector == DOS),
                    (RefusedService::FileChanged, Some(path)) => self.note_not_written(&path),
                    (service, _) => self.note(Note::Refused(service)),
                }
                Ok(())
            }
            Service::Exit(code) => Err(Blocked::Stop(Stop {
                code: Some(code),
                ..Stop::plain(StopReason::Exit)
            })),
            Service::Stuck(address) => {
                let detail = StopDetail::Stuck(address);
                Err(Blocked::Stop(self.stopped(
                    StopReason::Unsupported,
                    detail,
                    self.state.registers.eip,
                )))
            }
            Service::None => {
                let cause = FaultCause::UnhandledInterrupt(vector);
                let gate = exec::gate_error(vector);
                Err(Blocked::Fault(Fault::new(Vector::GeneralProtection, Some(gate), cause)))
            }
        }
    }

    /// Whether DOS is asked to write from DS:DX, but DS has not been loaded.
    fn lacks_data_segment(&self, vector: u8) -> bool {
        let function = self.state.registers.general[0] >> 8 & 0xFF;
        vector == DOS && matches!(function, 0x09 | 0x40) && self.keeps_segment_of_prefix(DS)
    }

    /// Notes the first file that the program opened where it is shown none.
    fn note_file(&mut self, path: &[u8], dos: bool) {
        if !self.notes.iter().any(|note| matches!(note, Note::NoFile { .. })) {
            self.note(Note::NoFile {
                path: String::from_utf8_lossy(path).into_owned(),
                dos,
                folder: self.options.files.is_some(),
            });
        }
    }

    /// Notes the first file that the program opened to write.
    fn note_not_written(&mut self, path: &[u8]) {
        if !self.notes.iter().any(|note| matches!(note, Note::NotWritten { .. })) {
            self.note(Note::NotWritten {
                path: String::from_utf8_lossy(path).into_owned(),
            });
        }
    }

    /// Adds a note for the reader, unless it has been added before.
    pub(super) fn note(&mut self, note: Note) {
        if self.notes.contains(&note) {
            return;
        }
        let refused = |note: &&Note| matches!(note, Note::Refused(_));
        if refused(&&note) && self.notes.iter().filter(refused).count() >= REFUSED {
            self.note(Note::MoreRefused { most: REFUSED });
        } else {
            self.notes.push(note);
        }
    }
}
