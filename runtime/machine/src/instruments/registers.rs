//! The model specific registers before and after a run of a program.

use super::{Program, Subject};
use crate::{Machine, Options, Progress, RegisterFault};
use p5_chips::Role;

/// The model specific registers before and after a run.
#[derive(Clone, Debug)]
pub struct RegistersAround {
    /// The program and its machine.
    pub subject: Subject,
    /// All model specific registers of the chip, by number.
    pub rows: Vec<RegisterAround>,
}

/// A model specific register before and after the run.
#[derive(Clone, Copy, Debug)]
pub struct RegisterAround {
    /// Its number, as in ECX for RDMSR.
    pub number: u32,
    /// The role that it has on the chip.
    pub role: Role,
    /// Its values before and after the run, or the reason why it cannot be read.
    pub values: Result<[u64; 2], RegisterFault>,
}

/// Runs a program once and reads every model specific register before and after, from outside the program.
pub fn registers_around(
    program: &Program<'_>,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> RegistersAround {
    let options = Options {
        runs: 1,
        ..options.clone()
    };
    let mut registers = program.model.registers.to_vec();
    registers.sort_by_key(|register| register.number);
    let mut machine = Machine::new(program.model, program.image, options.clone());
    let read = |machine: &mut Machine<'_>| -> Vec<Result<u64, RegisterFault>> {
        let each = registers.iter().map(|register| match register.role {
            // All clocks of the run, as the counters have them: RDTSC would show the clock of the last issue.
            Role::TimeStampCounter => Ok(machine.time_stamp_at_end()),
            _ => machine.read_model_register(register.number),
        });
        each.collect()
    };
    let mut before = Vec::new();
    let stop = machine.run_prepared(|machine| before = read(machine), progress).clone();
    let after = read(&mut machine);
    let rows = registers.iter().zip(before.iter().zip(&after));
    RegistersAround {
        subject: Subject::new(program, &options, &stop),
        rows: rows
            .map(|(register, (&before, &after))| RegisterAround {
                number: register.number,
                role: register.role,
                values: before.and_then(|before| Ok([before, after?])),
            })
            .collect(),
    }
}
