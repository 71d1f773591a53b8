//! The macros of the bundled library, which people ask for by their names.
//!
//! Modelled: the texts. Not modelled: the macros, which are in `asm-macros/inc`.

use super::Concept;
use p5_chips::Text;

const LIBRARY: &str = "TalkieToaster, P5 basics, release 2; asm-macros/inc/p5.inc";

pub(super) static MACROS: &[Concept] = &[
    Concept {
        name: "StartTSC",
        text: Text {
            rule: "`StartTSC NAME` begins a region, `EndTSC` ends it: the report has a part for the code between them, \
                   with its clocks in each pass, and the time stamp counter measures it as on a Pentium (`p5inst \
                   explain measured`). NAME may be left out: then the region has the name of its line. `s` and `e` are \
                   short for both. They change no register and no flag, and their own clocks are no part of the \
                   program's. Regions may nest; none may be recursive.",
            source: LIBRARY,
            not_modelled: "",
            tests: &[(
                "instrumenter/tests/library.rs",
                "a_region_of_known_clocks_measures_exactly_these",
            )],
            said: &["endtsc", "start tsc", "end tsc"],
        },
    },
    Concept {
        name: "StartProfile",
        text: Text {
            rule: "`StartProfile EVENT, EVENT, NAME` begins a region in which the chip's two counters count these events, \
                   such as EV_BRANCHES; `EndProfile` ends it. `p5inst events` lists the events of a chip. NAME may be \
                   left out. With `+ COUNT_CYCLES`, an event counts clocks instead of occurrences; with `+ USER_CODE` \
                   or `+ SYS_CODE`, only at CPL 3 or only below it. In the report, `measured` is the counter's \
                   difference without what an empty region counts; the figures before it are the simulator's own. The \
                   counters are set with WRMSR, so that the program has to run at CPL 0.",
            source: LIBRARY,
            not_modelled: "",
            tests: &[(
                "instrumenter/tests/library/profiles.rs",
                "profiles_of_other_events_share_a_program",
            )],
            said: &["endprofile", "profile", "count cycles", "user code", "sys code"],
        },
    },
    Concept {
        name: "SetMSRTimers",
        text: Text {
            rule: "`SetMSRTimers EVENT, EVENT` lets counter 0 count the first event and counter 1 the second one, from \
                   there on; `ReadMSRTimer0` and `ReadMSRTimer1` read them into EDX:EAX. They mark no region: to have \
                   events in the report, use `StartProfile`. SetMSRTimers changes EAX, ECX, EDX and flags, the others \
                   ECX as well.",
            source: LIBRARY,
            not_modelled: "",
            tests: &[(
                "instrumenter/tests/library/profiles.rs",
                "the_control_register_keeps_its_reserved_bits",
            )],
            said: &["readmsrtimer0", "readmsrtimer1", "readmsrtimer"],
        },
    },
];
