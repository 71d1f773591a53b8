//! Every event that a chip counts has a stimulus: a fragment that raises it by the same number each time it stands in a
//! loop, once, twice or three times. A neutral fragment in its place raises none.

use asm_macros::events::Event;
use runtime::machine::Options;
use runtime::model::{self, MODELS, MemoryPreset, Model};
use runtime::run::{Run, StopReason};
use std::collections::HashSet;

const PASSES: u64 = 64;

/// What separates the copies: instructions that execute alone.
const SPACE: &str = "not edx / not edx / xchg edx,edx / xchg edx,edx / xchg edx,edx";

/// What replaces a stimulus: it executes alone and touches nothing.
const NEUTRAL: &str = "not edx";

/// A loop with `copies` of `text`.
fn run(chip: &'static Model, memory: &'static MemoryPreset, text: &str, copies: usize) -> Run {
    let own = if text == SPACE { "" } else { text };
    let lines = own.split(" / ").chain(SPACE.split(" / "));
    let copy: String = lines.map(|line| format!("    {line}\n")).collect();
    let mmx = match chip.name {
        "p55c" => "    pcmpeqb mm6,mm6\n    psrlw mm6,1\n    emms\n    fld1\n    fstp st(0)\n",
        _ => "",
    };
    let program = format!(
        "
.586
.mmx
.model flat
.data
align 4096
area dd 1024 dup(0)
never_read dd 1024 dup(0)
array db 1048576 dup(0)
.code
start:
    mov ebp,{PASSES}
    mov esi,offset area
    mov ebx,offset never_read
    mov edi,offset array
    mov eax,[esi+32]
    mov eax,[esi+64]
    mov eax,[esp]
    fninit
{mmx}    align 32
again:
    not edx
    not edx
{}    not edx
    not edx
    dec ebp
    jnz again
    ret
    align 32
routine:
    ret
end start
",
        copy.repeat(copies)
    );
    let options = Options {
        runs: 4,
        memory,
        ..Options::default()
    };
    let run = snapshots::run("stimulus.asm", &program, chip, &options)
        .unwrap_or_else(|why| panic!("{}: {why}\n{program}", chip.name));
    assert_eq!(run.stop.reason, StopReason::Return, "{:?}\n{program}", run.stop);
    run
}

/// How often an event occurred and in how many clocks, in the last run.
fn counts(run: &Run, event: Event) -> [u64; 2] {
    let found = run.whole.events.iter().find(|count| count.event == event);
    found.map_or([0; 2], |count| [count.occurrences, count.clocks])
}

/// What each of three copies adds in a pass, if they all add the same.
fn slope(chip: &'static Model, memory: &'static MemoryPreset, text: &str, event: Event) -> Result<[u64; 2], String> {
    let counted = [0, 1, 2, 3].map(|copies| counts(&run(chip, memory, text, copies), event));
    let more = |copies: usize| [0, 1].map(|at| counted[copies][at] as i64 - counted[copies - 1][at] as i64);
    let [one, two, three] = [1, 2, 3].map(more);
    if one != two || two != three || one.iter().any(|&more| more < 0 || more % PASSES as i64 != 0) {
        return Err(format!("{one:?} {two:?} {three:?} in {PASSES} passes"));
    }
    Ok(one.map(|more| more as u64 / PASSES))
}

/// A stimulus: the chips it is for, the fragment, the event, and how often and in how many clocks it raises that.
type Stimulus = (&'static [&'static str], &'static str, Event, [u64; 2]);

const BOTH: &[&str] = &["p54c", "p55c"];
const P54C: &[&str] = &["p54c"];
const P55C: &[&str] = &["p55c"];
/// A branch to the next instruction, which is never in the branch target buffer.
const TO_NEXT: &str = "jmp $+2";
const TAKEN: &str = "jmp $+3 / nop";
/// Five lines of one set, of which no chip keeps as many.
const MISSES: &str =
    "mov eax,[edi] / mov eax,[edi+4096] / mov eax,[edi+8192] / mov eax,[edi+12288] / mov eax,[edi+16384]";
const MMX_MISSES: &str =
    "movq mm0,[edi] / movq mm0,[edi+4096] / movq mm0,[edi+8192] / movq mm0,[edi+12288] / movq mm0,[edi+16384]";
/// Pairs of writes that no cache holds: more than there are write buffers.
const FOUR_WRITES: &str = "mov [ebx],eax / mov [ebx+8],eax / mov [ebx],eax / mov [ebx+8],eax";
const SIX_WRITES: &str =
    "mov [ebx],eax / mov [ebx+8],eax / mov [ebx],eax / mov [ebx+8],eax / mov [ebx],eax / mov [ebx+8],eax";
const EIGHT_MMX_WRITES: &str = "movq [ebx],mm0 / movq [ebx],mm0 / movq [ebx],mm0 / movq [ebx],mm0 / movq [ebx],mm0 / \
                                movq [ebx],mm0 / movq [ebx],mm0 / movq [ebx],mm0";
/// Its page is looked up again.
const WALK: &str = "invlpg [esi] / mov eax,[esi+32]";
const CODE_MISS: &str = "align 32 / mov byte ptr [$+64],90h / align 32 / nop / align 32 / nop / align 32 / nop";
/// The call pushes the address of ADD, the return goes behind RET.
const RETURN_ELSEWHERE: &str = "call $+5 / add dword ptr [esp],5 / ret";
/// Two jumps whose last bytes are in the same aligned dword.
const SHARED: &str = "align 4 / jmp $+6 / jmp $+6 / nop / nop / jmp $-4";
const SATURATING: &str = "paddsw mm0,mm0";

const STIMULI: &[Stimulus] = &[
    (BOTH, "mov eax,[esi+32]", Event::DATA_READ, [1, 1]),
    (BOTH, "mov [esi+32],eax", Event::DATA_WRITE, [1, 1]),
    (BOTH, WALK, Event::DATA_TLB_MISS, [1, 1]),
    (BOTH, MISSES, Event::DATA_READ_MISS, [5, 5]),
    (BOTH, "mov [ebx],eax", Event::DATA_WRITE_MISS, [1, 1]),
    (BOTH, "mov [esi+32],eax", Event::WRITE_HIT_TO_M_OR_E_LINE, [1, 1]),
    (
        BOTH,
        "mov eax,[edi] / xchg edx,edx / xchg edx,edx / mov [edi],eax / add edi,4096",
        Event::DATA_LINES_WRITTEN_BACK,
        [1, 1],
    ),
    (
        BOTH,
        "mov eax,[esi+32] / mov ecx,[esi+36]",
        Event::MEMORY_ACCESSES_IN_BOTH_PIPES,
        [1, 1],
    ),
    (
        BOTH,
        "mov eax,[esi+32] / mov ecx,[esi+32]",
        Event::BANK_CONFLICTS,
        [1, 1],
    ),
    (BOTH, "mov eax,[esi+34]", Event::MISALIGNED_REFERENCES, [1, 1]),
    (BOTH, "align 32 / nop", Event::CODE_READ, [1, 1]),
    (BOTH, "invlpg routine", Event::CODE_TLB_MISS, [1, 1]),
    (BOTH, CODE_MISS, Event::CODE_CACHE_MISS, [1, 1]),
    (BOTH, "mov ax,ds / mov es,ax", Event::SEGMENT_REGISTER_LOADED, [1, 1]),
    (BOTH, TAKEN, Event::BRANCHES, [1, 1]),
    (BOTH, TAKEN, Event::BTB_HITS, [1, 1]),
    (BOTH, TAKEN, Event::TAKEN_BRANCH_OR_BTB_HIT, [1, 1]),
    (BOTH, TO_NEXT, Event::PIPELINE_FLUSHES, [1, 1]),
    (BOTH, SPACE, Event::INSTRUCTIONS_EXECUTED, [5, 5]),
    (
        BOTH,
        "mov eax,ecx / mov ecx,edx",
        Event::INSTRUCTIONS_EXECUTED_V_PIPE,
        [1, 1],
    ),
    (BOTH, "mov [ebx],eax", Event::BUS_CYCLE_DURATION, [1, 2]),
    (P54C, FOUR_WRITES, Event::WRITE_BUFFER_FULL_STALL, [2, 3]),
    (P55C, SIX_WRITES, Event::WRITE_BUFFER_FULL_STALL, [1, 2]),
    (BOTH, MISSES, Event::DATA_READ_STALL, [5, 28]),
    (
        BOTH,
        "mov [ebx],eax / mov [esi+32],eax",
        Event::WRITE_TO_M_OR_E_LINE_STALL,
        [1, 1],
    ),
    (BOTH, "lock inc dword ptr [ebx]", Event::LOCKED_BUS_CYCLE, [1, 1]),
    (BOTH, "out 80h,al", Event::IO_CYCLE, [1, 1]),
    (BOTH, "mov eax,ds:[0A0000h]", Event::NONCACHEABLE_READS, [1, 1]),
    (BOTH, "lea ecx,[esi+32] / mov eax,[ecx]", Event::AGI_STALLS, [1, 1]),
    (BOTH, "fld1 / fadd st,st(0) / fstp st(0)", Event::FLOPS, [1, 1]),
    (BOTH, "mov eax,[esi+32]", Event::DATA_READ_OR_WRITE, [1, 1]),
    (BOTH, "mov [ebx],eax", Event::DATA_READ_OR_WRITE_MISS, [1, 1]),
    (P55C, "paddb mm0,mm1", Event::MMX_INSTRUCTIONS_EXECUTED_U_PIPE, [1, 1]),
    (
        P55C,
        "paddb mm0,mm1 / paddb mm2,mm3",
        Event::MMX_INSTRUCTIONS_EXECUTED_V_PIPE,
        [1, 1],
    ),
    (P55C, "emms", Event::EMMS_EXECUTED, [1, 1]),
    (P55C, "emms / fld1 / fstp st(0)", Event::MMX_FP_TRANSITIONS, [2, 2]),
    (P55C, "mov [ebx],eax", Event::BUS_USED_BY_PROCESSOR, [1, 2]),
    (P55C, "out 80h,al", Event::NONCACHEABLE_WRITES, [1, 1]),
    (P55C, "mov ds:[0A0000h],eax", Event::NONCACHEABLE_WRITES, [1, 1]),
    (P55C, SATURATING, Event::SATURATING_MMX_EXECUTED, [1, 1]),
    (P55C, "paddsw mm6,mm6", Event::SATURATIONS_PERFORMED, [1, 1]),
    (P55C, SPACE, Event::CLOCKS_NOT_HALTED, [0, 11]),
    (
        P55C,
        "invlpg [esi] / mov eax,[esi+32]",
        Event::DATA_TLB_MISS_STALL,
        [1, 4],
    ),
    (P55C, "movq mm0,[esi+32]", Event::MMX_DATA_READ, [1, 1]),
    (P55C, MMX_MISSES, Event::MMX_DATA_READ_MISS, [5, 5]),
    (
        P55C,
        "fld1 / fadd st,st(0) / fstp st(0)",
        Event::FLOATING_POINT_STALL,
        [1, 2],
    ),
    (P55C, TAKEN, Event::TAKEN_BRANCHES, [1, 1]),
    (P55C, TO_NEXT, Event::D1_STARVED, [1, 1]),
    (
        P55C,
        "jmp $+2 / mov eax,ecx / mov cx,dx",
        Event::D1_HAD_ONE_INSTRUCTION,
        [1, 1],
    ),
    (P55C, "movq [esi+32],mm0", Event::MMX_DATA_WRITE, [1, 1]),
    (P55C, "movq [ebx],mm0", Event::MMX_DATA_WRITE_MISS, [1, 1]),
    (P55C, TO_NEXT, Event::MISPREDICTED_FLUSHES, [1, 1]),
    (P55C, "cmp esi,esi / jz $+2", Event::MISPREDICTED_FLUSHES_IN_WB, [1, 1]),
    (P55C, "movq mm0,[esi+36]", Event::MMX_MISALIGNED_REFERENCES, [1, 1]),
    (P55C, MMX_MISSES, Event::MMX_DATA_READ_STALL, [5, 28]),
    (P55C, RETURN_ELSEWHERE, Event::RETURNS_NOT_PREDICTED, [1, 1]),
    (P55C, "call routine", Event::PREDICTED_RETURNS, [1, 1]),
    (
        P55C,
        "pmullw mm0,mm1 / paddw mm0,mm1",
        Event::MMX_MULTIPLY_STALL,
        [1, 2],
    ),
    (
        P55C,
        "paddb mm0,mm1 / movq [esi+32],mm0",
        Event::MMX_STORE_STALL,
        [1, 1],
    ),
    (P55C, "call routine", Event::RETURNS, [1, 1]),
    (P55C, SHARED, Event::BTB_FALSE_ENTRIES, [2, 2]),
    (P55C, "mov ecx,2 / loop $", Event::NOT_TAKEN_PREDICTED_TAKEN, [1, 1]),
    (P55C, EIGHT_MMX_WRITES, Event::MMX_WRITE_BUFFER_FULL_STALL, [1, 1]),
    (
        P55C,
        "movq [ebx],mm0 / movq [esi+32],mm0",
        Event::MMX_WRITE_TO_M_OR_E_LINE_STALL,
        [1, 1],
    ),
];

/// The events that any instruction raises.
const OF_ALL: &[Event] = &[Event::INSTRUCTIONS_EXECUTED, Event::CLOCKS_NOT_HALTED];

/// The events that need a handler of the program. `machine` has tests with one, in real mode.
const WITH_HANDLER: &[Event] = &[
    Event::BREAKPOINT_MATCH_DR0,
    Event::BREAKPOINT_MATCH_DR1,
    Event::BREAKPOINT_MATCH_DR2,
    Event::BREAKPOINT_MATCH_DR3,
];

/// The memory for a stimulus: the fastest, or one with a video card.
fn memory(text: &str) -> &'static MemoryPreset {
    let name = if text.contains("0A0000h") { "vga" } else { "ideal" };
    MemoryPreset::by_name(name).expect("a preset")
}

#[test]
fn every_event_has_a_stimulus_and_a_neutral_program() {
    let mut wrong = Vec::new();
    let mut stimulated = HashSet::new();
    for &(chips, text, event, expected) in STIMULI {
        for chip in chips.iter().map(|name| model::by_name(name).expect("a chip")) {
            stimulated.insert((chip.name, event));
            match slope(chip, memory(text), text, event) {
                Ok(found) if found == expected => {}
                other => wrong.push(format!(
                    "{}: {} by {text}: {other:?}, not {expected:?}",
                    chip.name,
                    event.name()
                )),
            }
        }
    }
    for chip in MODELS {
        let neutral = [0, 1, 2, 3].map(|copies| run(chip, memory(NEUTRAL), NEUTRAL, copies));
        for selection in chip.events.selections() {
            let event = selection.event;
            if chip.events.why_unavailable(event).is_some() || OF_ALL.contains(&event) {
                continue;
            }
            // Longer code is in more lines.
            let counted = neutral.each_ref().map(|run| counts(run, event));
            let quiet = event == Event::CODE_READ || counted.iter().all(|&count| count == counted[0]);
            if !quiet {
                wrong.push(format!("{}: {} by {NEUTRAL}: {counted:?}", chip.name, event.name()));
            }
            // The P5 has the core of the P54C.
            let tested = if chip.name == "p5" { "p54c" } else { chip.name };
            if !stimulated.contains(&(tested, event)) && !WITH_HANDLER.contains(&event) {
                wrong.push(format!("{}: {} has no stimulus", chip.name, event.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
