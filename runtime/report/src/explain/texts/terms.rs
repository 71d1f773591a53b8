//! Terms of processors, of reports and of the systems that programs run on, which people ask for by name.
//!
//! Modelled: the texts. Not modelled: the rules, which are in `pipeline`, `units` and the services.

use super::Concept;
use super::{FOG, IDENTITIES, INTEL, OPTIMIZATION, TABLE};
use p5_chips::Text;

pub(crate) static TERMS: &[Concept] = &[
    Concept {
        name: "pipes",
        text: Text {
            rule: "The chip has two pipes for integer instructions, U and V. U executes every instruction. V executes \
                   only simple ones: moves, arithmetic, logic, PUSH, POP, LEA and near jumps and calls; no shift but \
                   in U, no multiply, and nothing with a prefix. The older instruction of a pair is in U, the younger \
                   one in V, and both go through the stages in the same clocks (`p5inst explain stages`). `p5inst \
                   timings MNEMONIC` says where an instruction may go: UV, U only, V only, or never paired.",
            source: INTEL,
            not_modelled: "",
            tests: &[
                ("runtime/tests/diagram.rs", "no_straight_code_beats_its_bound"),
                (TABLE, "S0-a"),
            ],
            said: &[
                "u pipe",
                "v pipe",
                "u and v",
                "pipe",
                "a u pipe",
                "a v pipe",
                "the u pipe",
                "the v pipe",
                "what is a u pipe",
                "what is a v pipe",
                "pipeline",
            ],
        },
    },
    Concept {
        name: "stages",
        text: Text {
            rule: "An integer instruction passes five stages, one a clock unless it waits: PF reads code bytes; D1 \
                   decodes them and decides whether two instructions form a pair; D2 computes addresses; EX reads or \
                   writes the data cache and computes; WB writes registers. Chips with MMX have one more, F, after \
                   PF. An address in D2 cannot use what EX computes in the same clock, so it waits one clock (AGI). A \
                   branch is resolved in EX if it is in U and in WB if it is in V; after a misprediction, all that is \
                   behind it is fetched again, which costs as many clocks as it has come on. A floating-point \
                   instruction goes on through X1, X2, WF and ER. Diagrams and timelines show one clock for each \
                   instruction, that of its issue; the stages before and after it are not drawn.",
            source: INTEL,
            not_modelled: "Stages are no units of the simulation: what waits for what is in its rules.",
            tests: &[
                ("runtime/tests/diagram.rs", "no_straight_code_beats_its_bound"),
                (TABLE, "S0-a"),
            ],
            said: &[
                "stage",
                "pipeline stages",
                "five stages",
                "d1",
                "d2",
                "ex stage",
                "wb",
                "write-back stage",
                "prefetch stage",
                "decode",
            ],
        },
    },
    Concept {
        name: "registers",
        text: Text {
            rule: "Eight general registers of 32 bits: EAX, EBX, ECX, EDX, ESI, EDI, EBP and ESP, the stack pointer. \
                   Their low halves are AX to SP, and those of the first four have parts of 8 bits, AL and AH to DL \
                   and DH. For pairing, a part is the whole register: a write of AL and a read of AH do not pair. A \
                   program starts with 0 in all but ESP, a .COM or .EXE program with what DOS leaves in them; \
                   `--set REG=VALUE` sets others. Reports show what the last run changed under Changed, and \
                   `--format json` all of them, before and after. Eight registers of \
                   80 bits, ST(0) to ST(7), belong to the floating-point unit. `p5inst msr` has the model specific \
                   registers.",
            source: INTEL,
            not_modelled: "",
            tests: &[(TABLE, "S0-a")],
            said: &["general registers", "initial registers"],
        },
    },
    Concept {
        name: "write after read",
        text: Text {
            rule: "A register that the first instruction reads and the second one writes does not prevent pairing: \
                   both read their operands before either writes its result. `mov eax,ebx` and `inc ebx` pair.",
            source: OPTIMIZATION,
            not_modelled: "",
            tests: &[IDENTITIES, ("snapshots/tests/tables.rs", "the_table_as_it_is")],
            said: &["war", "anti dependence", "antidependence"],
        },
    },
    Concept {
        name: "latency",
        text: Text {
            rule: "The clocks after which the next instruction can use a result. An integer instruction has it when it \
                   leaves EX, so that its clocks are its latency; an address needs a result a clock earlier, see \
                   `agi`. Of the floating-point unit, and of MMX multiplies, the latency is longer than the clocks \
                   that pass until the next instruction may begin: `p5inst timings fadd` has both.",
            source: FOG,
            not_modelled: "",
            tests: &[
                (TABLE, "FADD in two streams"),
                ("snapshots/asm/packed_latency.asm", "expect"),
            ],
            said: &["result latency", "throughput", "latency and throughput"],
        },
    },
    Concept {
        name: "clock",
        text: Text {
            rule: "The unit of all times here: a period of the core's clock, also called a cycle. At 100 MHz it takes \
                   10 nanoseconds. Each clock of a run has one cause, and each one is charged to one instruction. CPI \
                   are the clocks per instruction: of instructions of one clock 0.5 if all pair, 1 if none does.",
            source: "the report's own rule",
            not_modelled: "",
            tests: &[IDENTITIES],
            said: &["cpi", "ipc", "clocks per instruction", "clock cycle"],
        },
    },
    Concept {
        name: "services",
        text: Text {
            rule: "A program may ask for services of DOS: int 21h writes (02h, 06h, 09h, 40h), reads the keyboard \
                   (01h, 06h to 08h, 0Ah to 0Ch, 3Fh of handle 0), reads files of `--dir` (3Dh, 3Fh, 42h, 3Eh), ends \
                   (00h, 4Ch), tells drive, date, time and version (19h, 2Ah, 2Ch, 30h); in real mode it sets \
                   handlers (25h, 35h) and gives memory (48h to 4Ah). int 20h ends. Of the BIOS, int 10h writes a \
                   character (0Eh), int 16h reads keys, int 1Ah tells ticks (00h), and in 16-bit programs int 15h \
                   tells the memory above 1 MiB (88h, E801h). What is typed is standard input, if it is a file or a pipe: the end of a \
                   line is Enter. When it is used up, and always at port 60h, Esc is pressed, so that a program that \
                   waits for a key ends. No timer and no keyboard interrupts a program: handlers that it sets for \
                   08h, 09h and 1Ch are never called. Port 3DAh is in and out of the retrace by turns; 3C6h to 3C9h \
                   keep the colours of a video card; other ports read as all ones. int 80h has the calls of Linux for \
                   programs of Linux and flat source: files and folders of `--dir` are only read, and their time is \
                   that at which the run begins, 1 January 1997. \
                   A service takes no clocks but those of the INT. What is refused has a note.",
            source: "Ralf Brown's Interrupt List, release 61; the Linux manual pages, section 2",
            not_modelled: "The clocks of the code of DOS, of the BIOS and of Linux; devices; the time between retraces.",
            tests: &[
                ("snapshots/asm/dos_services.asm", "expect"),
                ("snapshots/asm/dos_refusals.asm", "expect"),
                ("snapshots/asm/linux_services.asm", "expect"),
                ("snapshots/asm/waits_of_games.asm", "expect"),
            ],
            said: &[
                "dos",
                "bios",
                "int 21h",
                "int 10h",
                "int 16h",
                "int 20h",
                "int 80h",
                "linux",
                "keyboard",
                "key",
                "keys",
                "int 21h function",
                "retrace",
                "port",
                "ports",
                "port was read",
            ],
        },
    },
    Concept {
        name: "ud2",
        text: Text {
            rule: "An instruction that no processor has, so that it raises #UD on purpose. Compilers put it where what \
                   the source does is undefined, for example a division by a constant zero or a write through a null \
                   pointer, often in a part of the function named `main.cold`, and for __builtin_trap(). The line of \
                   the stop is that of the defect. A build with -O1 keeps the operation itself, whose fault then says \
                   more; -fsanitize=undefined names the defect on the machine that compiles.",
            source: "Intel, Intel 64 and IA-32 Architectures Software Developer's Manual 2: UD; GCC 12 manual, \
                     -fisolate-erroneous-paths-dereference",
            not_modelled: "",
            tests: &[(
                "runtime/machine/src/tests/stops.rs",
                "an_instruction_of_a_later_chip_says_which_one_has_it",
            )],
            said: &[
                "ud",
                "#ud",
                "invalid opcode",
                "undefined",
                "trap",
                "builtin trap",
                "__builtin_trap",
            ],
        },
    },
    Concept {
        name: "denormal",
        text: Text {
            rule: "A real below the smallest normal one of its format, such as 1E-40 in a float: what underflows \
                   becomes one, and then 0. The values are exact, and DE and UE in the status word tell of it. It \
                   takes no clocks of its own here: what is denormal in a float or a double is normal in the \
                   registers, and {denormal_delays}.",
            source: "Intel, Pentium Processor Family Developer's Manual 1997, 3: floating-point unit; Agner Fog, \
                     Instruction tables 2021",
            not_modelled: "The clocks that a processor takes for an operand or a result that is denormal; the sources \
                           of this model give no figure.",
            tests: &[(
                "instrumenter/tests/time_of_programs.rs",
                "a_denormal_operand_takes_no_clocks_of_its_own",
            )],
            said: &[
                "denormals",
                "underflow",
                "subnormal",
                "subnormals",
                "denormalized",
                "denormal operand",
            ],
        },
    },
    Concept {
        name: "fragment",
        text: Text {
            rule: "A text without an entry, a segment or data of its own is a fragment: lines out of a program. \
                   Registers that it uses as addresses before it sets them point at scratch memory, those that count \
                   hold counts, missing labels get targets, and a loop runs for as many rounds as its data has room \
                   for. A name that it does not define is that of 16 bytes, or of scratch memory if it uses the \
                   address: by OFFSET, LEA or an index. A name that is only compared with, as in `cmp esi,offset \
                   table_end`, is where the loop has done its rounds. Scratch memory holds bytes of 1, so that a \
                   dword is 01010101h; or, where they index a table, dwords of 1 or of the size of an element; or its \
                   own address if the code follows it as a list, which then has one element; it has up to 64 KiB where \
                   the code changes only bytes of a pointer or index. Variables of integers hold 0, and reals are \
                   1.0, so that nothing divides by 0 and no text is empty. Where only 16-bit registers address memory, `[si]` or `[bx+di]`, or a segment register gets a value or the \
                   BIOS is called or CX counts a LOOP and nothing has 32 bits, or a line names a processor without 32-bit registers or \
                   says `use16` or `bits 16`, it is 16-bit code, as with `.model tiny`. The line `assumed` \
                   says what was chosen, what repeats in memory, and which other registers are read that begin with 0; a note tells of \
                   lines that did not run with these data; `--set REG=VALUE` and `--set REG=buf` change it. \
                   Of several functions that stand alone, as compilers write them, the first one runs, and the others \
                   are named as not run; `--entry NAME` begins with another one. Arguments that nothing passes are \
                   chosen like registers, or are 0. \
                   Scratch memory is not in the cache before a run reads it, and a write alone does not bring it \
                   there. A note tells of a pointer that goes on from its scratch memory into that of another one.",
            source: "the command's own rule",
            not_modelled: "What the rest of the program would leave in registers, caches and the branch target buffer.",
            tests: &[(
                "instrumenter/tests/fragments.rs",
                "steady_rounds_take_the_clocks_of_a_whole_program",
            )],
            said: &[
                "fragments",
                "scratch",
                "scratch memory",
                "separate memory",
                "assumed",
                "not run",
                "entry",
                "16-bit code",
                "taken as 16-bit code",
                "use16",
                "bits 16",
            ],
        },
    },
    Concept {
        name: "estimates",
        text: Text {
            rule: "`p5inst query` multiplies samples by what each stands for: those are its estimates. With `--truth`, \
                   `exact` or `true` is what the same run really had, and a figure is `off by` their difference, in \
                   standard errors where chance chose the samples. `topstalls` lists instructions by the clocks that \
                   they lose, `whatcg` (where have all the cycles gone) the whole run by cause. H, M and L say how \
                   far the figure may be trusted.",
            source: "Anderson et al., Continuous Profiling: Where Have All the Cycles Gone?, 1997",
            not_modelled: "What no sample can show, such as the delivery of interrupts; notes under an answer say it.",
            tests: &[(
                "instrumenter/tests/samples/blame.rs",
                "stall_clocks_of_random_programs_are_blamed_on_the_right_cause",
            )],
            said: &[
                "estimate",
                "estimated",
                "exact",
                "true",
                "off by",
                "whatcg",
                "topstalls",
                "confidence",
            ],
        },
    },
    Concept {
        name: "pass",
        text: Text {
            rule: "A run is the program from its entry to its end; a pass is one time through a region. The diagram \
                   shows one pass, from its trace: the clocks and pipes of up to 4096 of its instructions. A share is \
                   a part of the clocks of the last run.",
            source: "the report's own rule",
            not_modelled: "Passes longer than a trace: the diagram says how much of them it shows.",
            tests: &[(
                "runtime/tests/diagram.rs",
                "no_loop_beats_its_bound_and_no_round_is_lost",
            )],
            said: &["passes", "trace", "traced", "run", "runs", "share", "shares"],
        },
    },
    Concept {
        name: "cpl",
        text: Text {
            rule: "The current privilege level: 0 for the system, 3 for programs of users. Sources run at 0, where \
                   they may read the counters and disable interrupts, and Linux programs at 3; `--cpl` chooses. Each \
                   of the two counters can count at one level or at both.",
            source: INTEL,
            not_modelled: "Levels 1 and 2.",
            tests: &[("snapshots/tests/asm.rs", "programs_come_out_as_they_say")],
            said: &["privilege level", "privilege", "ring", "ring 0", "ring 3"],
        },
    },
];
