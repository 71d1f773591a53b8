//! For each event, a few instructions that raise it once.
//!
//! Modelled: the instructions that raise an event, as source text with their preparation. Not modelled: the counts,
//! which a simulated run determines; events that nothing here raises.

use super::{Model, WriteBuffers};
use asm_macros::events::Event;

/// Instructions that raise an event once.
///
/// Lines are separated by ` / `. A program sets ESI to `area`, of 64 KiB, which is aligned to a page and whose first 64
/// bytes are in the data cache, executes `before` once and then the stimulus any number of times. `{i}` stands for its
/// number, from 0, and `{fill}` for writes that miss, one for each write buffer.
#[derive(Clone, Copy, Debug)]
pub struct Stimulus {
    /// The event that is raised.
    pub event: Event,
    /// The instructions to execute once before the stimulus.
    pub before: &'static str,
    /// The instructions that raise the event.
    pub text: &'static str,
    /// The data definitions that they need.
    pub data: &'static str,
    /// The code after the program's end.
    pub code: &'static str,
    /// The memory that it needs, as `--memory` takes it; empty if any will do.
    pub memory: &'static str,
    /// The monitor without which the event is not raised, as `--monitor` takes it; empty if it needs none.
    pub monitor: &'static str,
    /// The number of times that it raises the event.
    pub times: u32,
    /// Whether the event never occurs but lasts, so that its clocks are counted.
    pub in_clocks: bool,
}

/// The source of two writes that miss and pair.
const FILL: &str = "mov [esi+{i}*32],eax / mov [esi+{i}*32+4],eax";

/// A stimulus without preparation, data or monitor.
const fn plain(event: Event, text: &'static str) -> Stimulus {
    Stimulus {
        event,
        before: "",
        text,
        data: "",
        code: "",
        memory: "",
        monitor: "",
        times: 1,
        in_clocks: false,
    }
}

impl Stimulus {
    /// The lines of a stimulus on `model`.
    pub fn numbered(&self, model: &Model, number: u32) -> String {
        let pairs = match model.geometry.write_buffers {
            WriteBuffers::OfEachPipe(buffers) => buffers,
            WriteBuffers::Shared(buffers) => buffers.div_ceil(2),
        };
        let text = self.text.replace("{fill}", &vec![FILL; pairs as usize].join(" / "));
        text.replace("{i}", &number.to_string())
    }

    const fn after(self, before: &'static str) -> Stimulus {
        Stimulus { before, ..self }
    }

    const fn data(self, data: &'static str) -> Stimulus {
        Stimulus { data, ..self }
    }

    const fn code(self, code: &'static str) -> Stimulus {
        Stimulus { code, ..self }
    }

    const fn monitor(self, monitor: &'static str) -> Stimulus {
        Stimulus { monitor, ..self }
    }

    const fn times(self, times: u32) -> Stimulus {
        Stimulus { times, ..self }
    }

    const fn in_clocks(self) -> Stimulus {
        Stimulus {
            in_clocks: true,
            ..self
        }
    }

    const fn memory(self, memory: &'static str) -> Stimulus {
        Stimulus { memory, ..self }
    }
}

/// The source of a read of 64 KiB, after which the data cache holds nothing else.
macro_rules! sweep {
    () => {
        "mov edi,offset swept / mov ecx,2048 / sweep: mov eax,[edi] / add edi,32 / dec ecx / jnz sweep"
    };
}
const SWEEP: &str = sweep!();
/// The same source after a read of a third line of the area, so that a second level cache holds the lines of three
/// writes.
macro_rules! sweep_of_writes {
    () => {
        concat!("mov eax,[esi+64] / ", sweep!())
    };
}
const SWEPT: &str = "align 4096 / swept dd 16384 dup(0)";

/// The source of descriptors like those in use, and of a handler of debug exceptions.
const TABLES: &str = "align 8 / gdt dd 64 dup(0) / idt dd 4 dup(0) / gdtr dw 255 / dd gdt / idtr dw 15 / dd idt";
const HANDLER: &str = "handler: iretd";

/// The source that watches `area` with a debug register.
macro_rules! watch {
    ($register:literal, $control:literal) => {
        concat!(
            "mov eax,cs / and eax,0FFF8h / mov gdt[eax],0FFFFh / mov gdt[eax+4],0CF9B00h / mov eax,ds / \
             and eax,0FFF8h / mov gdt[eax],0FFFFh / mov gdt[eax+4],0CF9300h / lgdt gdtr / mov eax,offset handler / \
             mov idt[8],eax / mov idt[12],eax / mov word ptr idt[10],cs / mov word ptr idt[12],8E00h / lidt idtr / \
             mov eax,offset area / mov ",
            $register,
            ",eax / mov eax,",
            $control,
            " / mov dr7,eax"
        )
    };
}

/// The stimulus of a match of a debug register, which raises an exception.
const fn breakpoint(event: Event, watched: &'static str) -> Stimulus {
    plain(event, "mov eax,[esi]").after(watched).data(TABLES).code(HANDLER)
}

/// The source of a wait until the time stamp counter, whose upper bits are in EBX, passes the next multiple of 65536,
/// at which another bus master accesses a line; for use in a stimulus and before the first one.
macro_rules! until {
    ($then:literal) => {
        concat!(
            "until{i}: rdtsc / shr eax,16 / cmp eax,ebx / je until{i} / mov ebx,eax",
            $then
        )
    };
}
macro_rules! begin_with {
    ($then:literal) => {
        concat!(
            "rdtsc / shr eax,16 / mov ebx,eax / begin: rdtsc / shr eax,16 / cmp eax,ebx / je begin / mov ebx,eax",
            $then
        )
    };
}
/// A line that the other master accesses.
const OTHER: &str = "align 32 / other dd 8 dup(0)";
const WRITTEN_BY_OTHER: &str = "dual=65536:100@other:32";

/// The stimuli, by selector.
pub static STIMULI: &[Stimulus] = &[
    plain(Event::DATA_READ, "mov eax,[esi]"),
    plain(Event::DATA_WRITE, "mov [esi],eax"),
    // The stimulus reads a line in each of 80 pages. None is in the set of its own lines, which stay cached.
    plain(Event::DATA_TLB_MISS, "mov eax,[esi+{i}*4096+3200+{i}*32]")
        .after(
            "mov eax,[esi+3200] / mov eax,[esi+4096+3232] / mov eax,[esi+8192+3264] / mov edi,offset pages / \
             mov ecx,80 / sweep: mov eax,[edi] / add edi,4096+32 / dec ecx / jnz sweep",
        )
        .data("align 4096 / pages dd 84000 dup(0)"),
    plain(Event::DATA_READ_MISS, "mov eax,[esi+{i}*32]")
        .after(SWEEP)
        .data(SWEPT),
    plain(Event::DATA_WRITE_MISS, "mov [esi+{i}*32],eax")
        .after(SWEEP)
        .data(SWEPT),
    plain(Event::WRITE_HIT_TO_M_OR_E_LINE, "mov [esi],eax"),
    // The lines are in one set and all modified, and a read evicts one of them.
    plain(Event::DATA_LINES_WRITTEN_BACK, "mov eax,[esi+{i}*32+32768]").after(
        "mov ebx,offset area / mov edx,3 / sets: mov edi,ebx / mov ecx,4 / ways: mov eax,[edi] / mov [edi],eax / \
         add edi,4096 / dec ecx / jnz ways / add ebx,32 / dec edx / jnz sets",
    ),
    plain(Event::EXTERNAL_SNOOPS, until!(""))
        .monitor("snooper=65536:0@other:32")
        .after(begin_with!(""))
        .data(OTHER),
    plain(Event::EXTERNAL_SNOOP_HITS, until!(""))
        .monitor("snooper=65536:0@area:32")
        .after(begin_with!("")),
    plain(Event::MEMORY_ACCESSES_IN_BOTH_PIPES, "mov eax,[esi] / mov ebx,[esi+4]"),
    plain(Event::BANK_CONFLICTS, "mov eax,[esi] / mov ebx,[esi]"),
    plain(Event::MISALIGNED_REFERENCES, "mov eax,[esi+2]"),
    plain(Event::CODE_READ, "jmp read{i} / align 32 / read{i}:"),
    plain(Event::CODE_TLB_MISS, "call page{i}")
        .after("mov edi,offset pages / mov ecx,40 / sweep: call edi / add edi,4096+32 / dec ecx / jnz sweep")
        .code(
            "align 4096 / page0: ret / db 4095+96 dup(90h) / page1: ret / db 4095+96 dup(90h) / page2: ret / \
             align 4096 / pages: / rept 40 / ret / db 4095+32 dup(90h) / endm",
        ),
    plain(Event::CODE_CACHE_MISS, "call line{i}")
        .after("mov edi,offset lines / mov ecx,1024 / sweep: call edi / add edi,32 / dec ecx / jnz sweep")
        .code(
            "align 32 / line0: ret / db 95 dup(90h) / line1: ret / db 95 dup(90h) / line2: ret / db 95 dup(90h) / \
             align 32 / lines: / rept 1024 / ret / db 31 dup(90h) / endm",
        ),
    plain(Event::SEGMENT_REGISTER_LOADED, "mov es,ax").after("mov ax,ds"),
    plain(Event::BRANCHES, "jc never").after("clc").code("never: ret"),
    plain(Event::BTB_HITS, "jmp next{i} / nop / next{i}:"),
    plain(Event::TAKEN_BRANCH_OR_BTB_HIT, "jmp next{i} / nop / next{i}:"),
    plain(
        Event::PIPELINE_FLUSHES,
        "push cs / push offset next{i} / retf / next{i}:",
    ),
    plain(Event::INSTRUCTIONS_EXECUTED, "not edx"),
    plain(Event::INSTRUCTIONS_EXECUTED_V_PIPE, "inc eax / inc ebx"),
    plain(
        Event::BUS_CYCLE_DURATION,
        "mov eax,[esi+{i}*32] / imul ebx / imul ebx / imul ebx",
    )
    .after(SWEEP)
    .data(SWEPT),
    plain(
        Event::WRITE_BUFFER_FULL_STALL,
        "{fill} / mov [esi+{i}*32],eax / imul ebx / imul ebx / imul ebx / imul ebx / imul ebx",
    )
    .after(sweep_of_writes!())
    .data(SWEPT),
    plain(
        Event::DATA_READ_STALL,
        "mov eax,[esi+{i}*32] / imul ebx / imul ebx / imul ebx",
    )
    .after(SWEEP)
    .data(SWEPT),
    plain(
        Event::WRITE_TO_M_OR_E_LINE_STALL,
        "mov [esi+{i}*32],eax / mov [ebp],eax / imul ebx / imul ebx / imul ebx",
    )
    .after(concat!(sweep_of_writes!(), " / lea ebp,[esi+2048] / mov eax,[ebp]"))
    .data(SWEPT),
    plain(Event::LOCKED_BUS_CYCLE, "xchg eax,[esi]"),
    plain(Event::IO_CYCLE, "in al,80h"),
    plain(Event::NONCACHEABLE_READS, "mov eax,ds:[0A0000h]").memory("vga"),
    plain(Event::AGI_STALLS, "mov ebx,esi / mov eax,[ebx]"),
    plain(Event::FLOPS, "fadd st(0),st(1)").after("fninit / fld1 / fld1"),
    breakpoint(Event::BREAKPOINT_MATCH_DR0, watch!("dr0", "0F0001h")),
    breakpoint(Event::BREAKPOINT_MATCH_DR1, watch!("dr1", "0F00004h")),
    breakpoint(Event::BREAKPOINT_MATCH_DR2, watch!("dr2", "0F000010h")),
    breakpoint(Event::BREAKPOINT_MATCH_DR3, watch!("dr3", "0F0000040h")),
    // HLT waits for the timer, which expires in its first clocks.
    plain(Event::HARDWARE_INTERRUPTS, "mov dword ptr ds:[0FEE00380h],100 / hlt")
        .monitor("perfmon")
        .after(
            "lidt fword ptr limit / mov eax,offset tick / mov word ptr gates[8*40h],ax / \
             mov word ptr gates[8*40h+2],cs / mov word ptr gates[8*40h+4],8E00h / shr eax,16 / \
             mov word ptr gates[8*40h+6],ax / mov dword ptr ds:[0FEE000F0h],1FFh / \
             mov dword ptr ds:[0FEE003E0h],0Bh / mov dword ptr ds:[0FEE00320h],40h / sti",
        )
        .data("gates dq 41h dup(0) / limit dw sizeof gates - 1 / dd offset gates")
        .code("tick: mov dword ptr ds:[0FEE000B0h],0 / iretd"),
    plain(Event::DATA_READ_OR_WRITE, "mov eax,[esi]"),
    plain(Event::DATA_READ_OR_WRITE_MISS, "mov eax,[esi+{i}*32]")
        .after(SWEEP)
        .data(SWEPT),
    plain(Event::BUS_OWNERSHIP_LATENCY, until!(" / mov eax,other"))
        .monitor(WRITTEN_BY_OTHER)
        .after(begin_with!(" / mov eax,other"))
        .data(OTHER),
    plain(Event::BUS_OWNERSHIP_TRANSFERS, until!(" / mov eax,other"))
        .monitor(WRITTEN_BY_OTHER)
        .after(begin_with!(" / mov eax,other"))
        .data(OTHER),
    plain(
        Event::CACHE_M_LINE_SHARING,
        until!(" / mov eax,other / mov other,eax / mov other,eax"),
    )
    .monitor(WRITTEN_BY_OTHER)
    .after(begin_with!(" / mov eax,other / mov other,eax / mov other,eax"))
    .data(OTHER),
    plain(Event::CACHE_LINE_SHARING, until!(" / mov eax,other"))
        .monitor(WRITTEN_BY_OTHER)
        .after(begin_with!(" / mov eax,other"))
        .data(OTHER),
    plain(Event::MMX_INSTRUCTIONS_EXECUTED_U_PIPE, "paddb mm0,mm1"),
    plain(Event::MMX_INSTRUCTIONS_EXECUTED_V_PIPE, "paddb mm0,mm1 / paddb mm2,mm3"),
    plain(Event::EMMS_EXECUTED, "emms"),
    plain(Event::MMX_FP_TRANSITIONS, "emms / fld1 / fstp st(0)")
        .after("fninit")
        .times(2),
    plain(
        Event::BUS_USED_BY_PROCESSOR,
        "mov eax,[esi+{i}*32] / imul ebx / imul ebx / imul ebx",
    )
    .after(SWEEP)
    .data(SWEPT),
    plain(Event::NONCACHEABLE_WRITES, "mov ds:[0A0000h],eax").memory("vga"),
    plain(Event::SATURATING_MMX_EXECUTED, "paddsw mm0,mm0"),
    plain(Event::SATURATIONS_PERFORMED, "paddsw mm6,mm6").after("pcmpeqb mm6,mm6 / psrlw mm6,1"),
    plain(Event::CLOCKS_NOT_HALTED, "not edx").in_clocks(),
    plain(Event::DATA_TLB_MISS_STALL, "invlpg [esi] / mov eax,[esi+32]"),
    plain(Event::MMX_DATA_READ, "movq mm0,[esi]"),
    plain(Event::MMX_DATA_READ_MISS, "movq mm0,[esi+{i}*32]")
        .after(SWEEP)
        .data(SWEPT),
    plain(Event::FLOATING_POINT_STALL, "fld1 / fadd st,st(0) / fstp st(0)").after("fninit"),
    plain(Event::TAKEN_BRANCHES, "jmp next{i} / nop / next{i}:"),
    plain(Event::D1_STARVED, "jmp next{i} / next{i}:"),
    plain(
        Event::D1_HAD_ONE_INSTRUCTION,
        "jmp next{i} / next{i}: / mov eax,ecx / mov cx,dx",
    ),
    plain(Event::MMX_DATA_WRITE, "movq [esi],mm0"),
    plain(Event::MMX_DATA_WRITE_MISS, "movq [esi+{i}*32],mm0")
        .after(SWEEP)
        .data(SWEPT),
    plain(Event::MISPREDICTED_FLUSHES, "jmp next{i} / next{i}:"),
    plain(Event::MISPREDICTED_FLUSHES_IN_WB, "cmp esi,esi / jz next{i} / next{i}:"),
    plain(Event::MMX_MISALIGNED_REFERENCES, "movq mm0,[esi+4]"),
    plain(
        Event::MMX_DATA_READ_STALL,
        "movq mm0,[esi+{i}*32] / imul ebx / imul ebx / imul ebx",
    )
    .after(SWEEP)
    .data(SWEPT),
    // The call pushes the address of ADD, but the return goes to the instruction after RET.
    plain(Event::RETURNS_NOT_PREDICTED, "call $+5 / add dword ptr [esp],5 / ret"),
    plain(Event::PREDICTED_RETURNS, "call routine").code("routine: ret"),
    plain(Event::MMX_MULTIPLY_STALL, "pmullw mm0,mm1 / paddw mm0,mm1"),
    plain(Event::MMX_STORE_STALL, "paddb mm0,mm1 / movq [esi],mm0"),
    plain(Event::RETURNS, "call routine").code("routine: ret"),
    // The last bytes of the two jumps are in the same aligned dword.
    plain(
        Event::BTB_FALSE_ENTRIES,
        "align 4 / jmp $+6 / jmp $+6 / nop / nop / jmp $-4",
    )
    .times(2),
    plain(Event::NOT_TAKEN_PREDICTED_TAKEN, "mov ecx,2 / loop $"),
    plain(
        Event::MMX_WRITE_BUFFER_FULL_STALL,
        "movq [esi+{i}*32],mm0 / movq [esi+{i}*32],mm0 / movq [esi+{i}*32],mm0 / \
         movq [esi+{i}*32],mm0 / movq [esi+{i}*32],mm0 / imul ebx / imul ebx / imul ebx / imul ebx / imul ebx",
    )
    .after(SWEEP)
    .data(SWEPT),
    plain(
        Event::MMX_WRITE_TO_M_OR_E_LINE_STALL,
        "movq [esi+{i}*32],mm0 / movq [ebp],mm0 / imul ebx / imul ebx / imul ebx",
    )
    .after(concat!(sweep!(), " / lea ebp,[esi+2048] / mov eax,[ebp]"))
    .data(SWEPT),
];
