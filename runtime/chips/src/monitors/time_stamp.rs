//! RDTSCP, its register TSC_AUX and the bit of a time stamp counter that never changes its rate.
//!
//! Modelled: RDTSCP as RDTSC that also reads TSC_AUX. Not modelled: the wait for earlier instructions, because on the
//! Pentium they have been executed when RDTSCP issues.

use super::{BorrowedForm, LeafBits, Monitor};
use crate::Text;
use crate::{ModelRegister, Role};
use iced_x86::{CpuidFeature, Mnemonic};

pub(super) static RDTSCP: Monitor = Monitor {
    name: "rdtscp",
    title: "RDTSCP, TSC_AUX and the bit of the invariant time stamp counter",
    text: Text {
        rule: "With `--monitor rdtscp` there is RDTSCP, which reads the time stamp counter into EDX:EAX and the 32 \
               bits of TSC_AUX (model specific register C0000103h) into ECX, and CPUID says that there is and that \
               the rate of the counter never changes. TSC_AUX is a tag that an operating system gives each processor: \
               it does not select whose counter is read. CR4.TSD keeps RDTSCP, as RDTSC, for privilege level 0.",
        source: "Intel Software Developer's Manual, volume 2B, RDTSCP, and volume 3B, 18.17",
        not_modelled: "Waiting for earlier instructions, which the Pentium has executed when RDTSCP is issued. No \
                       Pentium has RDTSCP: it takes the clocks of RDTSC, which is a guess.",
        tests: &[
            ("snapshots/asm/time_stamp_with_auxiliary.asm", "selects nothing"),
            (
                "snapshots/tests/engines/monitors.rs",
                "a_run_with_monitors_equals_one_without",
            ),
        ],
        said: &["tsc_aux", "with rdtscp attached"],
    },
    cpuid: &[
        LeafBits {
            leaf: 0x8000_0001,
            bits: [0, 0, 0, 1 << 27],
        },
        LeafBits {
            leaf: 0x8000_0007,
            bits: [0, 0, 0, 1 << 8],
        },
    ],
    registers: &[ModelRegister {
        number: 0xC000_0103,
        role: Role::TimeStampAuxiliary,
        reset: 0,
    }],
    features: &[CpuidFeature::RDTSCP],
    control_register_4: 0,
    forms: &[BorrowedForm {
        form: "RDTSCP",
        mnemonics: &[Mnemonic::Rdtscp],
        like: Mnemonic::Rdtsc,
        doubt: "no Pentium has it: the clocks of RDTSC, which waits for all earlier instructions, too",
    }],
    rows: &[],
    interrupts: false,
    raises: &[],
    master: None,
};
