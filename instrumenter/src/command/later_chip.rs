//! The chip for a program that needs another one than the usual: it stops at an instruction that only a later chip
//! has, as one of MMX, and no chip was asked for.

use super::args::ProgramArguments;
use super::setting::{Setting, assuming};
use runtime::fault::FaultCause;
use runtime::model::{MODELS, Model, Supposed};
use runtime::run::{Note, Run, StopDetail};

/// A later chip, and the instruction for which it is needed.
pub(super) struct Later {
    pub(super) chip: &'static Model,
    note: Note,
}

impl Later {
    /// The setting with this chip.
    pub(super) fn setting(&self, setting: &Setting, arguments: &ProgramArguments) -> Setting {
        let machine = Supposed {
            model: assuming(arguments, self.chip),
            memory: setting.machine.memory,
        };
        setting.on_chip(self.chip, machine)
    }

    /// These arguments, as if they asked for this chip.
    pub(super) fn arguments(&self, arguments: &ProgramArguments) -> ProgramArguments {
        let mut asked = arguments.clone();
        asked.assembly.cpu = self.chip;
        asked.assembly.cpu_asked = true;
        asked
    }

    /// Why it is this chip.
    pub(super) fn note(self) -> Note {
        self.note
    }

    /// Says in the report of a run on this chip why it is on this one.
    pub(super) fn tell(self, run: &mut Run) {
        run.notes.insert(0, self.note);
    }
}

/// The chip that a stopped run needs, unless the user chose one, or a monitor that not every chip can have.
pub(super) fn later_chip(run: &Run, arguments: &ProgramArguments) -> Option<Later> {
    let Some(StopDetail::Fault {
        cause: FaultCause::OnlyOnLaterChip { mnemonic, chip, .. },
        ..
    }) = run.stop.detail
    else {
        return None;
    };
    if arguments.assembly.cpu_asked || !arguments.monitors.monitor.is_empty() {
        return None;
    }
    let usual = arguments.assembly.cpu.name;
    let chip = MODELS.iter().copied().find(|model| model.name == chip)?;
    Some(Later {
        chip,
        note: Note::LaterChip {
            instruction: format!("{mnemonic:?}").to_uppercase(),
            usual,
        },
    })
}
