//! The messages for a host that takes no samples or leaves some out.

use super::raw::BadRecord;
use super::sysfs::DEVICES;
use super::{UNIT_OF_PERIODS, Unit, Unsampled};
use asm_macros::Reason;
use p5_words::printable;
use std::{fmt, io};

/// The condition under which there is instruction-based sampling.
const WHERE_IBS: &str = "instruction-based sampling is in AMD processors from family 10h on; a virtual machine has it \
                         only if its host passes it on";

impl fmt::Display for BadRecord {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadRecord::Short { needed, found } => write!(
                out,
                "has {found} bytes of registers, and its capabilities call for {needed}"
            ),
            BadRecord::Ragged { found } => write!(out, "has {found} bytes of registers, which are no whole registers"),
            BadRecord::Long { found } => write!(out, "has {found} bytes of registers, more than any processor has"),
            BadRecord::NotValid => out.write_str("says itself that no sample is there"),
        }
    }
}

/// An option with its value, as the user typed it. Of the modes, only `dispatch` has a requirement.
fn spelled(option: &str) -> &str {
    if option == "--mode" { "--mode dispatch" } else { option }
}

impl fmt::Display for Unsampled {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsampled::NotRun(error) => error.fmt(out),
            Unsampled::OtherHost => out.write_str(
                "samples are taken through Linux performance events on x86-64, and p5inst was built for another \
                 machine; `p5inst sample` samples the simulated chip",
            ),
            Unsampled::NoUnit { hypervisor } => write!(
                out,
                "this machine has nothing to sample with: {DEVICES} has neither {} nor {}, and {}; {WHERE_IBS}",
                Unit::IbsOp.name(),
                Unit::Processor.name(),
                Reason::NoPmu {
                    hypervisor: *hypervisor
                }
            ),
            Unsampled::NeedsIbs {
                option,
                unit,
                ordinary,
                hypervisor,
            } => {
                write!(
                    out,
                    "`{}` needs {}, and {DEVICES} has none",
                    spelled(option),
                    unit.name()
                )?;
                if *ordinary {
                    write!(
                        out,
                        "; without it, the addresses of instructions can be sampled by clocks"
                    )?;
                } else if *hypervisor {
                    write!(out, "; neither has this virtual machine an ordinary unit")?;
                }
                write!(out, "; {WHERE_IBS}")
            }
            Unsampled::NoFormat { option, unit, format } => write!(
                out,
                "`{}` is not possible here: this processor or this kernel has no {DEVICES}/{}/format/{format}; leave \
                 the option out, or try a later kernel",
                spelled(option),
                unit.name()
            ),
            Unsampled::StrangeFormat { unit, format, text } => write!(
                out,
                "{DEVICES}/{}/format/{format} says `{}`, which does not place the option; a later p5inst may know it",
                unit.name(),
                printable::escaped(text.trim())
            ),
            Unsampled::NotSixteens { option, period } => {
                let below = (period / UNIT_OF_PERIODS).max(1) * UNIT_OF_PERIODS;
                write!(
                    out,
                    "`{option} {period}` cannot be counted: instruction-based sampling counts in sixteens; take {below} or {}",
                    below.saturating_add(UNIT_OF_PERIODS)
                )
            }
            Unsampled::Latency { latency, least, most } => write!(
                out,
                "`--ldlat {latency}` is no threshold: it can be {least} to {most} clocks"
            ),
            Unsampled::Refused { unit, reason } => write!(out, "{} cannot be sampled: {reason}", unit.name()),
            Unsampled::Invalid { unit } => {
                write!(out, "the kernel does not accept this event of {}", unit.name())?;
                if *unit == Unit::Processor {
                    write!(out, ": perhaps the unit cannot interrupt, as in some virtual machines")
                } else {
                    write!(
                        out,
                        ": kernels before 6.2 sample whole processors only, and short periods are refused; try a \
                         period of 160 or more, or a later kernel"
                    )
                }
            }
            Unsampled::NoMemory { kib, errno } => write!(
                out,
                "the kernel does not give {kib} KiB for samples ({}); raise `sysctl kernel.perf_event_mlock_kb` or \
                 end other profilers",
                io::Error::from_raw_os_error(*errno)
            ),
        }
    }
}
