//! Protected mode, compared with a table of the manual's cases: the exception, its error code, and whether the old or
//! the new task raises it.
//!
//! Source: Intel Architecture Software Developer's Manual 1997, volume 3, chapters 4 to 6.

/// A program whose exceptions are handled by tasks, so that it can be left in any state. Each handler records the
/// vector, its error code and the interrupted task, and halts.
const PROGRAM: &str = "
.586p
.model flat
.data
align 8
gdt         dq 0
            dw 0FFFFh, 0, 9A00h, 0CFh   ; 08h: code
            dw 0FFFFh, 0, 9200h, 0CFh   ; 10h: data
main_task   dw 67h, 0, 8900h, 0         ; 18h
other_task  dw 67h, 0, 8900h, 0         ; 20h
other_gate  dw 0, 20h, 8500h, 0         ; 28h
first_      dw 67h, 0, 8900h, 0         ; 30h: the task that handles #DB
            dw 67h, 0, 8900h, 0         ; 38h: #DF
            dw 67h, 0, 8900h, 0         ; 40h: #TS
            dw 67h, 0, 8900h, 0         ; 48h: #NP
            dw 67h, 0, 8900h, 0         ; 50h: #SS
            dw 67h, 0, 8900h, 0         ; 58h: #GP
            dw 67h, 0, 8900h, 0         ; 60h: #PF
            dw 67h, 0, 8900h, 0         ; 68h: #AC
user_code   dw 0FFFFh, 0, 0FA00h, 0CFh  ; 70h
user_data   dw 0FFFFh, 0, 0F200h, 0CFh  ; 78h
scratch     dw 0FFFFh, 0, 9200h, 0CFh   ; 80h: what a case changes
call_gate   dw 0, 8, 8C00h, 0           ; 88h
conforming  dw 0FFFFh, 0, 9E00h, 0CFh   ; 90h
executable  dw 0FFFFh, 0, 9800h, 0CFh   ; 98h
readable    dw 0FFFFh, 0, 9000h, 0CFh   ; 0A0h
gdtr        dw 0A7h
            dd offset gdt
idt         dq 256 dup(0)
idtr        dw 7FFh
            dd offset idt
align 4
main        dd 26 dup(0)
other       dd 26 dup(0)
handling    dd 8*26 dup(0)
stacks      dd 11*64 dup(0)
stacks_end  label dword
memory      dd 64 dup(0)
place       df 0
vector      dd 0
code        dd 0
task        dd 0
.code
based   macro descriptor, where
        mov eax,offset where
        mov descriptor+2,ax
        shr eax,16
        mov byte ptr descriptor+4,al
        mov byte ptr descriptor+7,ah
        endm
filled  macro where, first, number
        mov dword ptr where+20h,offset first
        mov dword ptr where+24h,2
        mov dword ptr where+38h,offset stacks+256*number
        mov dword ptr where+48h,10h
        mov dword ptr where+4Ch,8
        mov dword ptr where+50h,10h
        mov dword ptr where+54h,10h
        endm
handler macro number, what, has_code
        local entry, over
        jmp over
entry:  mov vector,what
        if has_code
        pop code
        endif
        movzx eax,word ptr handling+number*104
        mov task,eax
        hlt
over:   mov eax,offset handling+number*104
        mov first_+number*8+2,ax
        shr eax,16
        mov byte ptr first_+number*8+4,al
        mov byte ptr first_+number*8+7,ah
        filled handling+number*104, entry, number+3
        mov word ptr idt[what*8+2],30h+number*8
        mov word ptr idt[what*8+4],8500h
        endm
; Level 3, on the other stack.
to_user macro
        local below
        mov word ptr main+8,10h
        mov dword ptr main+4,offset stacks+256
        push 7Bh
        push offset stacks+512
        push 73h
        push offset below
        retf
below:  mov ax,7Bh
        mov ds,ax
        endm
start:  based main_task, main
        based other_task, other
        filled other, reached, 2
        handler 0, 1, 0
        handler 1, 8, 1
        handler 2, 10, 1
        handler 3, 11, 1
        handler 4, 12, 1
        handler 5, 13, 1
        handler 6, 14, 1
        handler 7, 17, 1
        mov eax,offset reached
        mov call_gate,ax
        shr eax,16
        mov call_gate+6,ax
        lgdt fword ptr gdtr
        lidt fword ptr idtr
        mov ax,18h
        ltr ax
{act}
reached:
        mov vector,0FFh
        hlt
        end start
";

/// The selectors of the old and of the new task.
const OLD: u32 = 0x18;
const NEW: u32 = 0x20;

/// The code, the vector, the error code and the task that raises it. Vector FFh means no exception.
type Case = (&'static str, u32, u32, u32);

const NONE: u32 = 0xFF;

const TASKS: &[Case] = &[
    ("jmp 20h:0", NONE, 0, 0),
    ("call 20h:0", NONE, 0, 0),
    ("jmp 28h:0", NONE, 0, 0),
    ("call 28h:0", NONE, 0, 0),
    // These are raised before the state is exchanged.
    ("mov other_task,66h / jmp 20h:0", 10, 0x20, OLD),
    (
        "mov byte ptr other_task+5,81h / mov other_task,2Ah / jmp 20h:0",
        10,
        0x20,
        OLD,
    ),
    ("mov byte ptr other_task+5,9h / jmp 20h:0", 11, 0x20, OLD),
    ("mov byte ptr other_task+5,9h / jmp 28h:0", 11, 0x20, OLD),
    ("mov byte ptr other_task+5,8Bh / jmp 20h:0", 13, 0x20, OLD),
    ("mov byte ptr other_task+5,8Bh / call 28h:0", 13, 0x20, OLD),
    ("jmp 18h:0", 13, 0x18, OLD),
    ("jmp 23h:0", 13, 0x20, OLD),
    ("jmp 2Bh:0", 13, 0x28, OLD),
    ("mov other_gate+4,500h / jmp 28h:0", 11, 0x28, OLD),
    ("mov other_gate+2,24h / jmp 28h:0", 13, 0x24, OLD),
    ("mov other_gate+2,10h / jmp 28h:0", 13, 0x10, OLD),
    ("mov other_gate+2,0 / jmp 28h:0", 13, 0, OLD),
    ("mov other_gate+2,0F00h / call 28h:0", 13, 0xF00, OLD),
    ("to_user / jmp 20h:0", 13, 0x20, OLD),
    ("mov byte ptr other_task+5,0E9h / to_user / jmp 20h:0", NONE, 0, 0),
    ("to_user / jmp 28h:0", 13, 0x28, OLD),
    ("mov other_gate+4,0E500h / to_user / jmp 28h:0", NONE, 0, 0),
    // This is a task gate in the interrupt table.
    (
        "mov word ptr idt[82h],20h / mov word ptr idt[84h],8500h / int 10h",
        NONE,
        0,
        0,
    ),
    (
        "mov word ptr idt[82h],20h / mov word ptr idt[84h],8500h / to_user / int 10h",
        13,
        0x82,
        OLD,
    ),
    (
        "mov word ptr idt[82h],20h / mov word ptr idt[84h],500h / int 10h",
        11,
        0x82,
        OLD,
    ),
    (
        "mov word ptr idt[82h],10h / mov word ptr idt[84h],8500h / int 10h",
        13,
        0x10,
        OLD,
    ),
    (
        "mov word ptr idt[82h],18h / mov word ptr idt[84h],8500h / int 10h",
        13,
        0x18,
        OLD,
    ),
    // These are returns of a nested task.
    ("push 4002h / popfd / mov word ptr main,20h / iretd", 10, 0x20, OLD),
    ("push 4002h / popfd / mov word ptr main,24h / iretd", 10, 0x24, OLD),
    ("push 4002h / popfd / mov word ptr main,0F00h / iretd", 10, 0xF00, OLD),
    ("push 4002h / popfd / mov word ptr main,10h / iretd", 10, 0x10, OLD),
    (
        "push 4002h / popfd / mov word ptr main,20h / mov byte ptr other_task+5,0Bh / iretd",
        11,
        0x20,
        OLD,
    ),
    (
        "push 4002h / popfd / mov word ptr main,20h / mov byte ptr other_task+5,8Bh / iretd",
        NONE,
        0,
        0,
    ),
    // These have a new task whose state cannot be loaded.
    ("mov other[60h],10h / jmp 20h:0", 10, 0x10, NEW),
    ("mov other[60h],84h / jmp 20h:0", 10, 0x84, NEW),
    ("mov other[60h],0F00h / jmp 20h:0", 10, 0xF00, NEW),
    ("mov scratch+4,200h / mov other[60h],80h / jmp 20h:0", 10, 0x80, NEW),
    ("mov scratch+4,8200h / mov other[60h],80h / jmp 20h:0", NONE, 0, 0),
    ("mov other[4Ch],0 / jmp 20h:0", 10, 0, NEW),
    ("mov other[4Ch],10h / jmp 20h:0", 10, 0x10, NEW),
    ("mov other[4Ch],0Bh / jmp 20h:0", 10, 8, NEW),
    ("mov other[4Ch],70h / jmp 20h:0", 10, 0x70, NEW),
    ("mov scratch+4,1A00h / mov other[4Ch],80h / jmp 20h:0", 11, 0x80, NEW),
    ("mov other[50h],0 / jmp 20h:0", 10, 0, NEW),
    ("mov other[50h],8 / jmp 20h:0", 10, 8, NEW),
    ("mov other[50h],0A0h / jmp 20h:0", 10, 0xA0, NEW),
    ("mov other[50h],13h / jmp 20h:0", 10, 0x10, NEW),
    ("mov other[50h],78h / jmp 20h:0", 10, 0x78, NEW),
    ("mov scratch+4,1200h / mov other[50h],80h / jmp 20h:0", 12, 0x80, NEW),
    ("mov other[54h],98h / jmp 20h:0", 10, 0x98, NEW),
    ("mov other[54h],18h / jmp 20h:0", 10, 0x18, NEW),
    ("mov other[54h],0F00h / jmp 20h:0", 10, 0xF00, NEW),
    ("mov scratch+4,1200h / mov other[54h],80h / jmp 20h:0", 11, 0x80, NEW),
    (
        "mov other[54h],0 / mov other[48h],0 / mov other[20h],offset waits / jmp 20h:0 / waits: mov al,es:[0]",
        13,
        0,
        NEW,
    ),
    // The instruction pointer is past the limit of its code.
    (
        "mov scratch,0FFFh / mov scratch+4,9A00h / mov scratch+6,0 / mov other[4Ch],80h / jmp 20h:0",
        13,
        0,
        NEW,
    ),
    ("mov other[64h],1 / jmp 20h:0", 1, 0, NEW),
];

/// Loads of segments, gates and returns.
const SEGMENTS: &[Case] = &[
    ("mov ax,0 / mov ss,ax", 13, 0, OLD),
    ("mov ax,8 / mov ss,ax", 13, 8, OLD),
    ("mov ax,0A0h / mov ss,ax", 13, 0xA0, OLD),
    ("mov ax,13h / mov ss,ax", 13, 0x10, OLD),
    ("mov ax,78h / mov ss,ax", 13, 0x78, OLD),
    ("mov scratch+4,1200h / mov ax,80h / mov ss,ax", 12, 0x80, OLD),
    ("mov ax,98h / mov es,ax", 13, 0x98, OLD),
    ("mov ax,18h / mov es,ax", 13, 0x18, OLD),
    ("mov ax,0A8h / mov es,ax", 13, 0xA8, OLD),
    ("mov ax,84h / mov es,ax", 13, 0x84, OLD),
    ("mov scratch+4,1200h / mov ax,80h / mov es,ax", 11, 0x80, OLD),
    ("to_user / mov ax,10h / mov es,ax", 13, 0x10, OLD),
    ("mov ax,0 / mov es,ax / mov al,es:[0]", 13, 0, OLD),
    ("mov ax,0A0h / mov es,ax / mov es:memory,eax", 13, 0, OLD),
    ("mov ax,90h / mov es,ax / mov eax,es:memory", NONE, 0, 0),
    // An expand-down segment is valid above its limit.
    (
        "mov scratch+4,9600h / mov scratch+6,0C0h / mov ax,80h / mov es,ax / mov al,es:[0FFFFh]",
        13,
        0,
        OLD,
    ),
    ("mov ax,10h / lldt ax", 13, 0x10, OLD),
    ("mov scratch+4,200h / mov ax,80h / lldt ax", 11, 0x80, OLD),
    ("mov ax,18h / ltr ax", 13, 0x18, OLD),
    ("mov ax,0 / ltr ax", 13, 0, OLD),
    ("mov byte ptr other_task+5,9h / mov ax,20h / ltr ax", 11, 0x20, OLD),
    // These are transfers to code.
    ("jmp 0:0", 13, 0, OLD),
    ("jmp 10h:0", 13, 0x10, OLD),
    ("jmp 70h:0", 13, 0x70, OLD),
    ("jmp 0A8h:0", 13, 0xA8, OLD),
    ("mov scratch+4,1A00h / jmp 80h:0", 11, 0x80, OLD),
    (
        "mov scratch,0FFFh / mov scratch+4,9A00h / mov scratch+6,0 / jmp 80h:1000h",
        13,
        0,
        OLD,
    ),
    ("to_user / jmp 8:0", 13, 8, OLD),
    ("push 10h / push offset reached / retf", 13, 0x10, OLD),
    ("push 0 / push offset reached / retf", 13, 0, OLD),
    ("to_user / push 8 / push offset reached / retf", 13, 8, OLD),
    (
        "push 10h / push offset memory / push 73h / push offset reached / retf",
        13,
        0x10,
        OLD,
    ),
    // These are call gates.
    ("call 88h:0", NONE, 0, 0),
    ("jmp 88h:0", NONE, 0, 0),
    ("mov call_gate+4,0C00h / call 88h:0", 11, 0x88, OLD),
    ("to_user / call 88h:0", 13, 0x88, OLD),
    ("mov call_gate+2,0 / call 88h:0", 13, 0, OLD),
    ("mov call_gate+2,10h / call 88h:0", 13, 0x10, OLD),
    ("mov call_gate+2,70h / call 88h:0", 13, 0x70, OLD),
    ("mov scratch+4,1A00h / mov call_gate+2,80h / call 88h:0", 11, 0x80, OLD),
    ("mov call_gate+4,0EC00h / to_user / jmp 88h:0", 13, 8, OLD),
    ("mov call_gate+4,0EC00h / to_user / mov ax,10h / call 88h:0", NONE, 0, 0),
    (
        "mov call_gate+4,0EC00h / to_user / mov main[8],0 / call 88h:0",
        10,
        0,
        OLD,
    ),
    (
        "mov call_gate+4,0EC00h / to_user / mov main[8],78h / call 88h:0",
        10,
        0x78,
        OLD,
    ),
    (
        "mov call_gate+4,0EC00h / to_user / mov main[8],0A0h / call 88h:0",
        10,
        0xA0,
        OLD,
    ),
    (
        "mov scratch+4,1200h / mov call_gate+4,0EC00h / to_user / mov main[8],80h / call 88h:0",
        12,
        0x80,
        OLD,
    ),
    (
        "mov scratch,0FFFh / mov scratch+6,40h / mov call_gate+4,0EC00h / to_user / mov main[8],80h / call 88h:0",
        12,
        0x80,
        OLD,
    ),
    // These are interrupts.
    ("db 0Fh,0Bh", 13, 0x33, OLD),
    ("mov word ptr idt[84h],8E00h / int 10h", 13, 0, OLD),
    (
        "mov word ptr idt[82h],8 / mov word ptr idt[84h],0E00h / int 10h",
        11,
        0x82,
        OLD,
    ),
    (
        "mov word ptr idt[82h],10h / mov word ptr idt[84h],8E00h / int 10h",
        13,
        0x10,
        OLD,
    ),
    (
        "mov word ptr idt[82h],8 / mov word ptr idt[84h],8C00h / int 10h",
        13,
        0x82,
        OLD,
    ),
    (
        "mov word ptr idt[82h],8 / mov word ptr idt[84h],8E00h / to_user / int 10h",
        13,
        0x82,
        OLD,
    ),
    // The gate of an exception is not present; that exception comes from outside the program.
    (
        "mov word ptr idt[36h],0E00h / mov word ptr idt[34h],0E00h / db 0Fh,0Bh",
        11,
        0x33,
        OLD,
    ),
];

fn program(case: &Case) -> String {
    let &(act, vector, code, task) = case;
    let lines: Vec<String> = act.split(" / ").map(|line| format!("        {line}")).collect();
    let expected = format!("; expect vector = {vector}\n; expect code = {code}\n; expect task = {task}\n");
    format!(
        "; expect stop = halt\n{expected}{}",
        PROGRAM.replace("{act}", &lines.join("\n"))
    )
}

fn wrong(cases: &[Case]) -> Vec<String> {
    let refused = |case: &Case| snapshots::check("case.asm", &program(case)).err();
    let told = cases
        .iter()
        .filter_map(|case| refused(case).map(|why| format!("{}\n{why}", case.0)));
    told.collect()
}

#[test]
fn switches_to_tasks_fault_where_the_manual_says() {
    let wrong = wrong(TASKS);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn segments_gates_and_interrupts_fault_where_the_manual_says() {
    let wrong = wrong(SEGMENTS);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
