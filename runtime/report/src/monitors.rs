//! The messages about monitors that a chip or a program cannot have.

use super::printable::printable;
use p5_chips::{LATER_INSTRUCTIONS, MONITORS, Misplaced, Monitor, NoMonitor, NoPlace, monitor};

/// Whether a monitor with this name, which may include settings, is another bus master.
pub(super) fn is_bus_master(name: &str) -> bool {
    monitor(name).is_ok_and(|monitor| monitor.master.is_some())
}

/// The reason why there is no such monitor, or not on this chip, and how to request one; without a full stop.
pub fn no_monitor(why: NoMonitor) -> String {
    let names = |wanted: fn(&&&Monitor) -> bool| -> Vec<&str> {
        let monitors = MONITORS.iter().filter(wanted);
        monitors.map(|monitor| monitor.name).collect()
    };
    match why {
        NoMonitor::Unknown => format!("no such monitor; there are {}", names(|_| true).join(", ")),
        NoMonitor::NoInstructions => {
            let names: Vec<&str> = LATER_INSTRUCTIONS.iter().map(|later| later.name).collect();
            format!("no such instructions; there are {}", names.join(" and "))
        }
        NoMonitor::WithoutSettings(name) => format!(
            "{name} has no settings; those that have are {}",
            names(|monitor| monitor.master.is_some()).join(" and ")
        ),
        NoMonitor::WithoutClocks { name, place } => {
            let place = printable(place);
            format!(
                "the clocks from one access to the next come first: write {name}=CLOCKS@{place}, for example \
                 {name}=1000@{place}"
            )
        }
        NoMonitor::NotASetting => {
            "write CLOCKS:WRITES:SEED@PLACE:BYTES, for example 500 or 500:100 or 500:25:7@table:64: the clocks from \
             one access to the next, at least 1; how many of 100 are writes; a seed; a name or an address of the \
             program"
                .to_owned()
        }
        NoMonitor::PlaceTooLarge { most } => format!("a place has at most {most} bytes"),
        NoMonitor::TwoMasters([first, other]) => {
            format!("{first} and {other} are two masters beside the chip; name one of them")
        }
        NoMonitor::WithoutRegisters { chip, monitor } => {
            format!("{chip} has no model specific registers, which {monitor} needs; name another `--cpu`")
        }
        NoMonitor::UnifiedCache { chip, monitor } => format!(
            "{chip} has one cache for code and data, and what that answers another bus master is not simulated, so \
             that {monitor} needs another `--cpu`"
        ),
    }
}

/// The reason why another bus master cannot be at the place that `--monitor` gives. `near` is a similar name of the
/// program.
pub fn misplaced(misplaced: &Misplaced, near: Option<&str>) -> String {
    let name = printable(misplaced.name);
    match misplaced.why {
        NoPlace::Unknown => {
            let help = match near {
                Some(near) => format!("did you mean `{}`?", printable(near)),
                None => "name a label or data of the program, or an address".to_owned(),
            };
            format!("`--monitor` puts another bus master at `{name}`, but the program has nothing of that name; {help}")
        }
        NoPlace::Number => format!(
            "`--monitor` puts another bus master at `{name}`, which is a number of the program; name a label or data, \
             or write an address in digits"
        ),
        NoPlace::Outside([first, last]) => format!(
            "`--monitor` puts another bus master at `{name}`, {first:08X}h to {last:08X}h, which is not all in the \
             memory of the program and its stack"
        ),
    }
}
