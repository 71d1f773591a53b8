//! The model specific registers of a chip as they were read, and the name of each.

use p5_chips::Role;
use p5_chips::ibs::sample_register;
use p5_machine::instruments::Subject;

/// The model specific registers of a chip, each read twice.
#[derive(Clone, Debug)]
pub struct MsrDump {
    /// The chip's short name, as `--cpu` accepts it.
    pub cpu: &'static str,
    /// The full name of the chip.
    pub cpu_title: &'static str,
    /// The program that ran between the readings; `None` if RDMSR read each register twice.
    pub around: Option<Subject>,
    /// The registers in ascending order of their numbers.
    pub rows: Vec<MsrRow>,
    /// The clock rate in MHz, if it is known.
    pub megahertz: Option<f64>,
}

/// A model specific register with its readings.
#[derive(Clone, Copy, Debug)]
pub struct MsrRow {
    /// The register number, as in ECX.
    pub number: u32,
    /// The role of the register; `None` if the chip does not have it.
    pub role: Option<Role>,
    /// The result of reading it.
    pub reading: MsrReading,
}

/// The result of reading a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MsrReading {
    /// The values of both readings: the second is taken after all registers were read once, or after the program.
    Values([u64; 2]),
    /// RDMSR raised the exception with this vector.
    Exception(u8),
    /// Reading it would hang the processor, so it was not read.
    Hangs,
}

impl MsrDump {
    /// The time stamp counter at the first reading, or after the program, and the seconds since power-up that it
    /// represents.
    pub(super) fn time(&self) -> (Option<u64>, Option<f64>) {
        let counter = self.rows.iter().find(|row| row.role == Some(Role::TimeStampCounter));
        let clocks = match counter.map(|row| row.reading) {
            Some(MsrReading::Values([first, second])) => Some(if self.around.is_some() { second } else { first }),
            _ => None,
        };
        let seconds = clocks.zip(self.megahertz);
        (
            clocks,
            seconds.map(|(clocks, megahertz)| clocks as f64 / (megahertz * 1e6)),
        )
    }
}

/// The name of a register; `None` if the chip does not have it.
pub(super) fn title(row: &MsrRow) -> Option<String> {
    Some(match row.role? {
        Role::Kept if row.number == asm_macros::msr::MACHINE_CHECK_ADDRESS => "machine check address".to_owned(),
        Role::Kept => "machine check type".to_owned(),
        Role::Test | Role::HangsWhenRead => "test register".to_owned(),
        Role::FeatureControl => "test register 12, feature control".to_owned(),
        Role::TimeStampCounter => "time stamp counter".to_owned(),
        Role::ControlAndEventSelect => "control and event select".to_owned(),
        Role::TimeStampAuxiliary => "TSC_AUX".to_owned(),
        Role::Perfmon(register) => register.name(),
        Role::Sampling(number) => sample_register(number).map_or(String::new(), |register| register.name.to_owned()),
        Role::Counter(counter) => format!("event counter {counter}"),
    })
}
