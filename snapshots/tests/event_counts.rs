//! The contribution of a fragment to each event, compared with Intel's definitions: a loop with the fragment minus the
//! loop without it.
//!
//! Source: Intel, Pentium Processor Family Developer's Manual 1997, 16.4; clocks as `runtime::counters` defines them.

use asm_macros::events::Event;
use runtime::machine::Options;
use runtime::model::{self, Model};
use runtime::run::{Run, StopReason};

const PASSES: u32 = 100;

fn warm(text: &str, model: &'static Model) -> Run {
    let body: String = text.split(" / ").map(|line| format!("    {line}\n")).collect();
    let program = format!(
        "
.586
.model flat
.data
align 4096
area dd 1024 dup(0)
.code
start:
    mov ebp,{PASSES}
    mov esi,offset area
    mov eax,[esi]
    mov eax,[esi+32]
    mov eax,[esp]
again:
    not edx
    not edx
{body}over:
    not edx
    not edx
    dec ebp
    jnz again
    ret
end start
"
    );
    let options = Options {
        runs: 5,
        ..Options::default()
    };
    let run = snapshots::run("events.asm", &program, model, &options).unwrap_or_else(|why| panic!("{why}\n{program}"));
    assert_eq!(run.stop.reason, StopReason::Return, "{program}");
    run
}

/// A fragment, an event, its occurrences in one pass, and their clocks.
type Row = (&'static str, Event, u64, u64);

/// Rows of the P55C: the partner of an MMX instruction does not count as MMX, and pairs that the decoder delivers just
/// in time do not starve D1.
const ROWS_OF_MMX: &[Row] = &[
    ("movq mm0,[esi]", Event::MMX_DATA_READ, 1, 1),
    ("paddb mm0,mm1", Event::MMX_DATA_READ, 0, 0),
    ("mov eax,[esi+32] / paddb mm0,mm1", Event::MMX_DATA_READ, 0, 0),
    ("mov [esi+32],eax / paddb mm0,mm1", Event::MMX_DATA_WRITE, 0, 0),
    ("jmp $+2", Event::D1_STARVED, 1, 1),
    (
        "jmp $+2 / mov eax,ecx / mov edx,ecx / mov eax,ecx / mov edx,ecx",
        Event::D1_STARVED,
        1,
        1,
    ),
];

const ROWS: &[Row] = &[
    ("mov eax,[esi] / mov [esi+4],ebx", Event::DATA_READ_OR_WRITE, 2, 1),
    (
        "mov eax,[esi] / mov [esi+4],ebx",
        Event::MEMORY_ACCESSES_IN_BOTH_PIPES,
        1,
        1,
    ),
    ("mov eax,[esi] / mov [esi],ebx", Event::DATA_READ_OR_WRITE, 2, 2),
    ("mov eax,[esi] / mov [esi],ebx", Event::BANK_CONFLICTS, 1, 1),
    ("mov eax,[esi] / mov ebx,[esi+4]", Event::DATA_READ, 2, 1),
    ("mov [esi],eax / mov [esi+4],ebx", Event::WRITE_HIT_TO_M_OR_E_LINE, 2, 1),
    ("mov [esi],eax / mov [esi],ebx", Event::WRITE_HIT_TO_M_OR_E_LINE, 2, 2),
    // The write of ADD is in its last clock, together with that of MOV.
    ("add [esi],eax / mov [esi+4],ebx", Event::DATA_WRITE, 2, 1),
    ("add [esi],eax / mov [esi+4],ebx", Event::WRITE_HIT_TO_M_OR_E_LINE, 2, 1),
    ("add [esi],eax / mov ecx,[esi+4]", Event::DATA_READ, 2, 2),
    ("mov [esi+2],eax", Event::MISALIGNED_REFERENCES, 1, 1),
    ("mov [esi+2],eax", Event::DATA_WRITE, 2, 2),
    ("add [esi+2],eax", Event::MISALIGNED_REFERENCES, 2, 2),
    ("push cs / push offset over / retf", Event::PIPELINE_FLUSHES, 1, 1),
    ("push cs / push offset over / retf", Event::BRANCHES, 1, 1),
    ("jmp over", Event::PIPELINE_FLUSHES, 1, 1),
    ("verr ax", Event::BRANCHES, 1, 1),
    ("cpuid", Event::PIPELINE_FLUSHES, 0, 0),
    (
        "mov edi,esi / mov ecx,4 / rep stosd",
        Event::INSTRUCTIONS_EXECUTED,
        3,
        2,
    ),
    ("xchg eax,[esi+64]", Event::LOCKED_BUS_CYCLE, 1, 1),
];

/// Asserts that each of `rows` has its counts on `model`.
fn counts(rows: &[Row], model: &'static Model) {
    let plain = warm("not edx", model);
    let mut wrong = Vec::new();
    for &(text, event, occurrences, clocks) in rows {
        let run = warm(&format!("not edx / {text}"), model);
        let of = |run: &Run| {
            let row = run.whole.events.iter().find(|row| row.event == event);
            let row = row.unwrap_or_else(|| panic!("{} does not count {}", model.name, event.name()));
            [row.occurrences, row.clocks]
        };
        let (with, without) = (of(&run), of(&plain));
        let ours = [0, 1]
            .map(|at: usize| with[at] as f64 - without[at] as f64)
            .map(|more| more / f64::from(PASSES));
        if ours != [occurrences, clocks].map(|count| count as f64) {
            wrong.push(format!(
                "{text}: {} {ours:?} instead of {:?}",
                event.name(),
                [occurrences, clocks]
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn fragments_count_what_the_manual_says() {
    counts(ROWS, snapshots::chip());
}

#[test]
fn fragments_beside_mmx_count_what_the_manual_says() {
    counts(ROWS_OF_MMX, model::by_name("p55c").expect("a chip"));
}
