//! Exceptions and software interrupts: delivery to the program's handlers, or the end of the run.
//!
//! The time of a delivery is that of an instruction of its own, which makes all accesses of the delivery. Its
//! statistics belong to the instruction that raised the exception.

use super::Machine;
use super::blocks::Blocked;
use super::calls::rust::made_by;
use iced_x86::{CpuidFeature, Decoder, DecoderOptions, Instruction, Mnemonic};
use p5_chips::{INSTRUCTION_SETS, LATER_INSTRUCTIONS, MONITORS, Monitor};
use p5_image::{Functions, Image};
use p5_meaning::exec::{self, Delivery, Event};
use p5_results::{Blamed, Raised, Stop, StopDetail, StopReason, Unlisted};
use p5_words::fault::{Fault, FaultCause, Vector};
use p5_words::isa::LONGEST_INSTRUCTION;
use p5_words::mode::Mode;

impl Machine<'_> {
    /// Delivers the exception that the instruction at EIP raised. `unissued` is the number of that instruction if it
    /// is the first of its block and may not have been issued.
    ///
    /// # Errors
    /// The stop, if the program has no handler for it.
    #[cold]
    pub(super) fn take_exception(&mut self, fault: &Fault, unissued: Option<u32>) -> Result<(), Stop> {
        let address = self.state.registers.eip;
        let mode = *self.blocks.mode();
        let matched = match fault.cause {
            FaultCause::BreakpointRegister { .. } => self.state.breakpoints(),
            _ => 0,
        };
        if fault.vector == Vector::Page {
            self.state.registers.cr2 = fault.address.unwrap_or(0);
        }
        let raising = self.raising(address);
        let delivery = exec::deliver(Event::Exception(fault.clone()), &mut self.state);
        let handled = matches!(delivery, Delivery::Unhandled) && self.enter_handler_of_signal(fault);
        if handled || matches!(delivery, Delivery::Delivered) {
            self.time_delivery(address, &mode, raising, unissued);
        }
        // The instruction that matched has issued by now, and so has the beginning of a region at it.
        self.pipeline.count_breakpoints(matched);
        match delivery {
            Delivery::Unhandled if !handled => Err(self.fault(fault)),
            Delivery::Delivered | Delivery::Unhandled => {
                if self.state.facts.code_written {
                    self.code_stored(1, None);
                }
                Ok(())
            }
            Delivery::Shutdown => Err(self.shut_down(address)),
        }
    }

    /// Enters the program's Linux signal handler for `fault`, if it has one.
    fn enter_handler_of_signal(&mut self, fault: &Fault) -> bool {
        if !self.process.signals.enter_for(fault, &mut self.state) {
            return false;
        }
        let facts = &mut self.state.facts;
        facts.clear();
        (facts.taken, facts.next) = (true, self.state.registers.eip);
        facts.code_written = self.state.memory.take_code_stored();
        true
    }

    /// Delivers a software interrupt for the instruction at EIP, the only one of block `index`. Returns whether the
    /// program has a handler for it.
    pub(super) fn take_interrupt(&mut self, index: u32, vector: u8) -> Result<bool, Blocked> {
        let address = self.state.registers.eip;
        match exec::deliver(Event::Software(vector), &mut self.state) {
            Delivery::Delivered => {
                self.replay_request(index);
                if self.state.facts.code_written {
                    self.code_stored(1, None);
                }
                Ok(true)
            }
            Delivery::Unhandled => Ok(false),
            Delivery::Shutdown => Err(Blocked::Stop(self.shut_down(address))),
        }
    }

    /// The instruction at `address` in the form that the classifier needs for a delivery, unless a delivery there is
    /// known. It has to be read before the delivery, which may enter a task with other page tables.
    pub(super) fn raising(&self, address: u32) -> Option<(Instruction, [u8; LONGEST_INSTRUCTION])> {
        (!self.blocks.knows_delivery(address)).then(|| self.instruction_at(address))
    }

    /// Advances time by a delivery caused by the instruction `raising` at `address`, in code of `mode`. The facts of
    /// the delivery must be complete.
    pub(super) fn time_delivery(
        &mut self,
        address: u32,
        mode: &Mode,
        raising: Option<(Instruction, [u8; LONGEST_INSTRUCTION])>,
        unissued: Option<u32>,
    ) {
        let mut time = match (self.blocks.take_delivery(address), raising) {
            (Some(time), _) => time,
            (None, None) => return,
            (None, Some((instruction, bytes))) => {
                let bytes = &bytes[..instruction.len().max(1)];
                let Some(mut op) = self.classifier.delivery(&instruction, address, bytes, mode) else {
                    return;
                };
                op.chain = self.blocks.chain();
                self.pipeline.add_block(&mut vec![op])
            }
        };
        if let Some(op) = unissued {
            self.regions.delivers(op, time.ops.start, &mut self.pipeline);
        }
        self.pipeline.replay(&mut time, &self.state.facts, 1);
        self.blocks.keep_delivery(address, time);
    }

    /// The stop after an exception that even the handler of double faults cannot handle.
    pub(super) fn shut_down(&self, address: u32) -> Stop {
        let mut stop = match self.state.raised().last().map(|raised| &raised.event) {
            Some(Event::Exception(fault)) => self.faulted(fault, address),
            _ => Stop::plain(StopReason::Fault),
        };
        stop.shutdown = true;
        // The last one is the fault itself.
        let others = stop.raised.len().saturating_sub(1);
        stop.raised = stop.raised[..others].into();
        stop
    }

    /// The stop after `fault`, which the instruction at EIP raised.
    fn fault(&self, fault: &Fault) -> Stop {
        let address = self.state.registers.eip;
        if fault.cause != FaultCause::Undefined {
            return self.faulted(fault, address);
        }
        let cause = self.owner(address).unwrap_or(FaultCause::Undefined);
        let blamed = self.function_of(address).map(|function| Blamed {
            made_by: made_by(self.image, address, &function),
            lacks_in: Some(function),
            ..Blamed::default()
        });
        Stop {
            blamed: blamed.map(Box::new),
            ..self.faulted(&Fault { cause, ..fault.clone() }, address)
        }
    }

    /// The function of the code at `address`, if another tool made the program.
    pub(super) fn function_of(&self, address: u32) -> Option<String> {
        self.image.process_stack()?;
        let mut functions = Functions::of(self.image, &[]);
        let function = functions.at(address)?;
        Some(functions.0.swap_remove(function).name)
    }

    /// What has the instruction at `address`, if this chip lacks it: a chip, a monitor, or later processors.
    fn owner(&self, address: u32) -> Option<FaultCause> {
        let (instruction, _) = self.instruction_at(address);
        let code = instruction.code();
        if self.model.isa.has(code) {
            return None;
        }
        let chip = INSTRUCTION_SETS.iter().find(|set| set.has(code));
        let monitor = MONITORS.iter().find(|monitor| monitor.adds(code));
        let monitor = monitor.map(|monitor| monitor.name);
        let later = chip.map(|set| FaultCause::OnlyOnLaterChip {
            mnemonic: instruction.mnemonic(),
            chip: set.chip,
            monitor,
        });
        let of_later = || {
            let also = LATER_INSTRUCTIONS.iter().find(|later| later.adds(code))?.name;
            let mnemonic = instruction.mnemonic();
            // An option that is given again replaces the first one, so that the advice names both. What the program
            // has will fault next.
            let mut given = self.model.monitors.iter().map(|monitor| monitor.name);
            let given = given.find(|name| LATER_INSTRUCTIONS.iter().any(|later| later.name == *name));
            let has = || {
                let mut others = LATER_INSTRUCTIONS.iter().filter(|later| later.name != also);
                Some(others.find(|later| has_instructions(self.image, later))?.name)
            };
            let with = given.or_else(has);
            Some(FaultCause::OfLaterProcessors { mnemonic, also, with })
        };
        let nowhere = || {
            if instruction.mnemonic() == Mnemonic::Ud2 {
                return Some(FaultCause::UndefinedOnPurpose);
            }
            let extension = code.cpuid_features().iter().copied().find(is_of_later)?;
            let mnemonic = instruction.mnemonic();
            Some(FaultCause::NeverHere { mnemonic, extension })
        };
        later
            .or_else(|| monitor.map(|monitor| FaultCause::OnlyWithMonitor { monitor }))
            .or_else(of_later)
            .or_else(nowhere)
    }

    /// The stop after `fault` at `address`. If that address has no source line, the place is the line that led there.
    pub(super) fn faulted(&self, fault: &Fault, address: u32) -> Stop {
        let own = self.place(address);
        let unlisted = match own {
            Some(_) => None,
            None if self.image.is_linked(address) => Some(Unlisted::Linked { at: address }),
            None => self.way_astray(address).map(Unlisted::Strayed),
        };
        let unlined = match unlisted {
            Some(Unlisted::Linked { at }) => Some(self.unlined(at)),
            Some(Unlisted::Strayed(_)) => self.left_from(),
            None => None,
        };
        Stop {
            code: Some(u32::from(fault.vector.number())),
            detail: Some(StopDetail::Fault {
                cause: fault.cause,
                address: fault.address,
                unlisted,
            }),
            place: own.or_else(|| unlisted.and(self.line_before())),
            unlined,
            raised: self.raised(),
            ..Stop::plain(StopReason::Fault)
        }
    }

    /// The exceptions that were being handled when the run ended.
    fn raised(&self) -> Box<[Raised]> {
        let raised = self.state.raised().iter().map(|raised| {
            let (vector, cause, concerns) = match &raised.event {
                Event::Software(vector) | Event::External(vector) => (*vector, None, None),
                Event::Exception(fault) => (fault.vector.number(), Some(fault.cause), fault.address),
            };
            Raised {
                vector,
                cause,
                concerns,
                address: raised.address,
                place: self.place(raised.address),
            }
        });
        raised.collect()
    }
}

/// Whether a function of a Linux program has instructions that `later` adds.
fn has_instructions(image: &Image, later: &Monitor) -> bool {
    /// The most bytes that are decoded.
    const MOST: usize = 8 << 20;
    if image.process_stack().is_none() {
        return false;
    }
    let mut left = MOST;
    let functions = Functions::of(image, &[]);
    functions.0.iter().any(|function| {
        let (_, addresses) = functions.around(function.address);
        let bytes = image.bytes_at(function.address);
        let bytes = &bytes[..bytes.len().min(addresses.len()).min(left)];
        left -= bytes.len();
        let decoder = Decoder::with_ip(32, bytes, function.address.into(), DecoderOptions::NONE);
        decoder.into_iter().any(|instruction| later.adds(instruction.code()))
    })
}

/// Whether an extension came after the chips: it is none of a processor that came before, or of another maker.
fn is_of_later(extension: &CpuidFeature) -> bool {
    let name = format!("{extension:?}");
    let others = ["INTEL", "CYRIX", "PADLOCK", "FPU", "CPUID", "KNC"];
    !others.iter().any(|other| name.starts_with(other))
}
