//! The examples below the help of the commands.

use super::substitution_rules::{Known, Rule};

pub(super) const EXAMPLES: &str = "\
Examples:
  p5inst loop.asm                     five runs, the first one cold
  p5inst --long loop.asm              with a listing and events; --all has more
  p5inst --cpl 3 --runs 20 loop.asm   twenty runs at user level
  p5inst --format json loop.asm       as JSON; `p5inst schema` describes it
  p5inst --timeline loop.asm          U and V clock by clock, stalls as letters
  p5inst --what-if loop.asm           clocks saved without AGIs, misses, ...
  p5inst --format json -o a.json --format callgrind -o b.out loop.asm
  p5inst -I inc -D UNROLL=4 loop.asm  search inc/ too; define UNROLL as 4
  p5inst check *.asm                  only assemble each file
  printf 'mov eax,1\\nadd eax,ebx\\n' | p5inst -
  p5inst events cache                 the events with `cache` in their text
  p5inst events --demo 0Ah            a program that raises this event
  p5inst explain agi                  a rule, its source and its tests
  p5inst timings imul                 clocks, pairing and source of each form
  p5inst stat loop.asm                38 events, two an execution (P5Stat)
  p5inst stat --event 1Ah loop.asm    the mean clocks of an event
  p5inst msr dump --mhz 60            the model specific registers
  p5inst host run loop.asm            simulated, and natively on this machine
  p5inst loop.asm sort.o lib.a        link objects and archives (ELF, COFF)
  p5inst advise loop.asm              other orders that save clocks, as diffs
  p5inst advise --write loop.asm      the same, written to the file
  p5inst compare old.json new.json    two JSON reports; --fail-over 2% in CI
  p5inst program -x                   run a static Linux program, with argument -x
  p5inst --also cmov --dir . program  one with a C library for later processors

In the source, StartTSC and EndTSC measure the clocks of the lines between
them; `StartProfile EV0, EV1` and EndProfile count two events. The macros are
included automatically; a file may define its own. To run a file whose name is
a command, write `./events`.

Reports are as wide as the terminal, from 40 to 200 columns, or as COLUMNS
says; redirected ones have 80 columns.

Each -o names the file of the --format before it; a format without one goes to
standard output. `callgrind`, `collapsed`, `firefox` and `csv` have the last
run, summed by line; `timeline`, `kanata` and `perfetto` have the traced pass
of each region, or the last run without regions, up to 4,096 instructions.

A comment such as `; p5: cycles <= 16, agi == 0` is a budget of its line, label
or region.

Exit codes: 0 if the program ended by itself; 1 if it faulted, reached a limit,
or needs something that is not simulated, or if a budget does not hold; 2 for
bad input, or if a report cannot be written.";

pub(super) const CHECK_EXAMPLES: &str = "\
Examples:
  p5inst check main.asm sort.asm              errors and warnings of each file
  p5inst check --listing main.lst main.asm    each line with its bytes
  p5inst check --format json main.asm         as JSON; `p5inst schema check`

Each file is a program of its own. External symbols may be defined elsewhere,
and a file needs neither instructions nor an entry.

Exit codes: 0 if no file has an error; 2 otherwise.";

pub(super) const BUILD_EXAMPLES: &str = "\
Examples:
  p5inst build game.asm -o game.com           a COM program of DOS
  p5inst build main.asm sort.asm -o main.exe  two modules, linked
  p5inst build sort.asm -o sort.o             an object for `ld -m elf_i386`
  p5inst build sort.asm -o sort.obj --format omf   for Borland's linkers

The file is written whole or not at all. Flat code becomes objects and plain
bytes; 16-bit code also .com and .exe, and objects in OMF only.

Exit codes: 0 if all files are written; 2 otherwise.";

/// The examples of `advise`, with the list of its substitutions.
pub(super) fn advise_examples() -> String {
    let known = Rule::ALL.iter().map(|rule| {
        let Known { before, after, needs } = rule.words();
        format!("  {before:<27} {after}\n{:30}if {needs}\n", "")
    });
    [
        ADVISE_EXAMPLES.to_owned(),
        known.collect(),
        WRITING.to_owned(),
        ADVISE_EXIT_CODES.to_owned(),
    ]
    .concat()
}

const ADVISE_EXAMPLES: &str = "\
Examples:
  p5inst advise loop.asm                      each suggestion as a diff
  p5inst advise --write loop.asm              and write them to the file
  p5inst advise --write --dry-run loop.asm    show what would be written
  p5inst advise loop.asm | patch -p0          apply them with another tool
  p5inst advise --runs 1 --memory dram a.asm  for code that runs once, cold
  p5inst advise --format json loop.asm        `p5inst schema advise`

Each block that runs in a region, or without regions each executed block, is
tried in other orders that keep all dependences, and with instructions that do
the same. What the model favours is assembled and run again with the same
machine and limits. A suggestion is shown if the last run takes fewer clocks, by
at least 1 of 2000 (0.05 %), and the final state is the same, as described
below. Each one is on top of those before it, so that the savings add up. What
saves less, or changes the final state, is named at the end of the report.

Substitutions (r, s, t: registers; m: memory; n: a number, not a name):
";

const ADVISE_EXIT_CODES: &str = "
Exit codes: 0 if the program ended by itself, whether or not there was anything
to change; 1 if it faulted, reached a limit, or needs something that is not
simulated; 2 for bad input, or if the file cannot be written.";

/// What `advise --write` does and leaves alone.
const WRITING: &str = "
With `--write`, the file is replaced in one step. Its mode stays, and its owner
if the system allows that; other hard links keep the old text; symbolic links
are refused.

It is replaced only if the run leaves the same state as before: how it ended and
the exit code; all registers but the instruction pointer, the pointers of the
floating-point unit to its last instruction and model specific registers; the
output; and memory without the bytes of instructions, the data of the macro
library and what holds times. Whatever differs if the original runs with one
pipe and other memory holds times. The flags count only if the run goes on past
its last instruction, or ends with HLT, or the source is a fragment: an exit
service or the caller of a whole program does not look at them. ECX and EDX do
not count where a flat program returns that uses neither, nor any service.

If code becomes longer or shorter, what lies after it moves. Then the original
is also run with as many NOPs, so that all lies alike, and must leave the same
state as the suggestion. What the NOPs change must be addresses of what has
moved, by exactly its move; `org` or `align` before data keeps it in place.

Lines keep their labels, comments, line ends and encoding. Left alone are
instructions of macros, repeats and includes, lines with several instructions,
operands with `$`, and lines with a budget. An order is legal if no instruction
passes one that writes what it reads or writes, a branch, a call, what is
privileged, locked, a string instruction or a division, or if memory is written
and the ranges may overlap: other segment registers or other values of base and
index. Instructions of the floating-point unit keep their order. That no
instruction faults, that no code is modified, and that nothing depends on the
length or the bytes of code, the run shows for its own data only.
";

pub(super) const COMPARE_EXAMPLES: &str = "\
Examples:
  p5inst compare old.asm new.asm
  p5inst loop.asm --format json -o old.json
  p5inst compare old.json loop.asm --fail-over 2%

  p5inst compare --also cmov,endbr old new
  p5inst compare --dir data old new words.txt <input.txt
  p5inst compare loop.asm loop.asm --only-new \"-D FAST\"
  p5inst compare sort sort --old-args small.txt --new-args large.txt

Both runs get the same options, arguments after NEW and standard input, and one
of them those of --only-old or --old-args as well. Options stand before NEW if
it is a program, for what follows is for the programs.

Regions are compared by name, lines by text, or where lines replace others by
label or similar text, and the main files of both programs with each other. A
line without a counterpart is new or gone. Without `--long`, changes of less
than 0.1 % of the clocks are summed.

Exit codes: 0; 1 if the last run or a region is slower by more than --fail-over,
or if the runs are not comparable and --fail-over is given, or if the results
are not the same and --fail-on-other-results is given;
2 for a file that is no report of this version, and does not run.";

pub(super) const RUN_EXAMPLES: &str = "\
Examples:
  p5inst host run loop.asm                    both worlds, line by line
  p5inst host run --host-runs 100 loop.asm    at most 100 native runs
  p5inst host run --format json loop.asm      as JSON; `p5inst schema host-run`

No native run starts after half a second, and a run still active after two
seconds is stopped. Native runs take place in a separate process that cannot
make system calls. Ticks are those of the time stamp counter; core clocks are
estimated from a chain of additions.

Exit codes: 0 for a report, even if the program faulted or this machine cannot
run it; 2 for bad input.";

pub(super) const CPI_EXAMPLES: &str = "\
Examples:
  p5inst host cpi loop.asm                    ticks and clocks per instruction
  p5inst host cpi --cpu p5 --runs 2 loop.asm  compared with the older chip
  p5inst host cpi --format json loop.asm      as JSON; `p5inst schema host-cpi`

StartTSC and the other measuring macros expand to nothing, so that both worlds
execute the same instructions; the simulation counts them. Core clocks are
estimated.

Exit codes: 0 for a report, even if the program faulted or this machine cannot
run it; 2 for bad input.";

pub(super) const HOST_SAMPLE_EXAMPLES: &str = "\
Examples:
  p5inst host sample loop.asm -o run.samples           an op every 100000
  p5inst host sample loop.asm -o run.samples --mode cycles --op 160000
  p5inst host sample loop.asm -o run.samples --fetch 16000 --op 16000
  p5inst query run.samples                             what the file has

Needs x86-64 Linux. Instruction-based sampling (AMD, units ibs_op and ibs_fetch)
records its registers as they are; on other processors clocks are sampled, and
a sample has the address of an instruction only. Samples outside the program
are left out. The measuring macros expand to nothing. The program runs as often
as it can in half a second, which is one run of the recording; its clocks are
nanoseconds.

Exit codes: 0; 1 if the program was stopped by a fault or the time limit, and
the samples until then are in the file; 2 for bad input, a file that cannot be
written, or if this machine cannot sample: the message says what is missing.";

pub(super) const STAT_EXAMPLES: &str = "\
Examples:
  p5inst stat loop.asm                        38 events, two an execution
  p5inst stat --bytes 992 --mhz 60 loop.asm   also clocks per byte, and MB/s
  p5inst stat --compare old.asm new.asm       two programs, with ratios
  p5inst stat loop.asm --against -D UNROLL=4  one program under two sets of
                                              options
  p5inst stat --event 1Ah loop.asm            its mean clocks; `p5inst events`
  p5inst stat --event 0B --every 5000 a.asm   a line for every 5000 clocks
  p5inst stat --format json loop.asm          as JSON; `p5inst schema stat`

The program is executed 20 times on one machine. The first execution warms the
caches; before each of the others the control and event select register (MSR
11h) is set to two events, and after it the counters (MSR 12h and 13h) are
read. Events that last are counted in clocks. The whole program is counted,
without the measuring macros of the library (StartTSC, StartProfile and their
ends), which are left out: its code then has other addresses and neighbours
than in a report with them, and may be predicted in another way, so that counts
such as those of flushes (15h) differ. Macros of its own are part of it. What
the program writes is not shown.

With `--event`, both counters count the event, counter 1 with its clock bit set;
numbers are hexadecimal. An event that does not last has a mean of 1, which is
not its cost. With `--every`, the program is executed once, with cold caches,
and up to two events are counted; the counts of the lines add up to the last
line. `p5inst schema ratio` and `watch` describe their JSON.

Exit codes: 0 if the program ended by itself; 1 if it faulted, reached a limit,
or needs something that is not simulated; 2 for bad input.";

pub(super) const AUDIT_EXAMPLES: &str = "\
Examples:
  p5inst audit loop.asm                       each region, by cause of its error
  p5inst audit --copies 16 loop.asm           calibrated by 16 and 32 copies
  p5inst audit --format json loop.asm         as JSON; `p5inst schema audit`

The program runs with its measuring macros and once more without them, one group
of instructions at a time. Edges are the clocks between the readings and the
region, less those around the empty region that the macros measure themselves;
region is what the macros change inside. Copies stand one after the other in
the same region; labels of a copy are its own.

Exit codes: as for `p5inst stat`.";

pub(super) const SWEEP_EXAMPLES: &str = "\
Examples:
  p5inst sweep a.asm --cpl 0,3 --memory l2,dram         a map of four runs
  p5inst sweep a.asm -D N=1..64                         a curve
  p5inst sweep a.asm -D N=1..64 -o a.csv -o a.html      CSV, and a page
  p5inst sweep a.asm -D N=1..64 --event AGI_STALLS --figure event.AGI_STALLS
  p5inst sweep a.asm -D N=1..64 --jobs | parallel -k    by GNU parallel

The rows are in the order of the options, the last one varying fastest. Figures
are those of the user's program in the last run, and of warm passes of regions.
A run that faults or reaches a limit has a row with its status and without
figures. Programs find standard input empty. RAYON_NUM_THREADS limits the
threads; each has a machine with up to 256 MiB of memory. At most 100000 runs.

Exit codes: 0 if every program ended by itself and kept its budgets; 1 if one
faulted, reached a limit, needs something that is not simulated, or fails a
budget; 2 for bad input, also if one could not be assembled.";

pub(super) const MSR_EXAMPLES: &str = "\
Examples:
  p5inst msr dump --mhz 60                    values, faults, and the time
  p5inst msr dump prog.asm                    before and after a run of prog.asm
  p5inst msr dump prog.asm --monitor perfmon  with the registers of a monitor
  p5inst msr dump --cpu p5 --format json      as JSON; `p5inst schema msr-dump`

Without a program, one at CPL 0 reads the registers and handles the exceptions.
It leaves out 0Ah, which hangs a real processor. Around a program, which runs
once, the registers that the chip has are read from outside, at no clock.";

pub(super) const SAMPLE_EXAMPLES: &str = "\
Examples:
  p5inst sample loop.asm -o run.samples          an op in 1000
  p5inst sample loop.asm -o run.samples --op 100 --fetch 50 --truth
  p5inst sample loop.asm -o run.samples --mode cycles --seed 7
  p5inst sample loop.asm -o run.samples --event IBS_OP_ALL:5000:1
  p5inst sample loop.asm -o run.samples --ldlat 16 --keep rip,data3,dclinad
  p5inst sample loop.asm -o run.samples --op 500 --paired --window 32
  p5inst sample loop.asm --study                 how good sampling is
  p5inst sample loop.asm --study --seeds 50 --periods 64,256,1024
  p5inst sample loop.asm --study --format html -o study.html

The last run is sampled; sampling takes no clocks of it. `p5inst query` asks the
file. With --truth what is exactly true of that run goes into it, too: of every
op, so that simulating takes more than ten times as long.

A distance varies by 16 fetches or 128 ops (--rand hw), or 4096 ops (lfsr12),
and is at least half of that. A filter leaves samples out, so that what remains
is further apart.

A study shows how the error of shares falls with the number of samples, what a
period does that a loop's length divides, what random distances cure of it (by
chi-square), and what samples by clocks show instead of executions. All its
samplers see one run, so that seeds and options alone decide what it says. Seeds
times periods are at most 1000. JSON: `p5inst schema study`.

Exit codes: 0 written, 1 written and the program was stopped, 2 bad input.";

pub(super) const QUERY_EXAMPLES: &str = "\
Examples:
  p5inst query run.samples                       what it holds
  p5inst query run.samples derive --truth        events, graded by exact ones
  p5inst query run.samples hist IbsDcMissLat     a spike for each memory level
  p5inst query run.samples hist IbsDcMissLat --by insn    for each instruction
  p5inst query run.samples top --by proc --pm dcmiss+cbrmispredict::retired
  p5inst query run.samples \"select count(*) from ops where IbsDcMiss\"
  p5inst query run.samples --export lake         Parquet for DuckDB or Spark

The file is one of SQLite: any tool that reads those can ask it, too. What a
sampler left is in it bit by bit, so no question needs to be known before the
program runs. Fewer than 100 samples are not enough to act on.

Exit codes: 0 answered, 2 bad input or usage.";
