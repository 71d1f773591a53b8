; The mistakes that beginners make most often: each has a message that says what to write instead.
.386
.model flat
.data
m       dd      5
n       dd      6
small   db      3
count   dd      7
cnt     dd      8
.code
start:
;---
; Wrong sizes.
        mov     eax, bl
;! bl | operands of `mov` must be the same size: `eax` has 32 bits, `bl` has 8
;!   = use `movzx` or `movsx` to widen
        mov     al, ebx
;! ebx | operands of `mov` must be the same size: `al` has 8 bits, `ebx` has 32
;!   = use `bl`, the low part of `ebx`
        mov     al, esi
;! esi | operands of `mov` must be the same size: `al` has 8 bits, `esi` has 32
;!   = only `eax`, `ecx`, `edx` and `ebx` have parts of 8 bits
        mov     ax, ebx
;! ebx | operands of `mov` must be the same size: `ax` has 16 bits, `ebx` has 32
;!   = use `bx`, the low part of `ebx`
        add     eax, bx
;! bx | operands of `add` must be the same size: `eax` has 32 bits, `bx` has 16
;!   = widen `bx` to `ebx` with `movzx` first
        mov     eax, small
;! small | the memory operand is declared as a byte, but `mov` with `eax` takes a dword
;!   = use `movzx` or `movsx` to widen it; write `dword ptr ...` to read what follows it, too
        mov     small, eax
;! small | the memory operand is declared as a byte, but `mov` with `eax` takes a dword
;!   = write `dword ptr ...` if that is intended
        add     eax, small
;! small | the memory operand is declared as a byte, but `add` with `eax` takes a dword
;!   = widen it into a free register with `movzx` first, and `add` that; `dword ptr ...` reads what follows it, too
        mov     [eax], 5
;! [eax | operand size not specified
;!   = write `byte ptr`, `word ptr` or `dword ptr`
        inc     [eax]
;! [eax | operand size not specified
;!   = write `byte ptr`, `word ptr` or `dword ptr`
        mov     byte ptr m, 300
;! 300 | 300 does not fit in 8 bits
        movzx   eax, ebx
;! eax | `movzx` widens, and `eax` is not wider
;!   = use `mov` to copy between registers of one size
        movzx   al, bl
;! al | `movzx` widens, and `al` is not wider
;!   = use `mov` to copy between registers of one size
        movsx   eax, [ebx]
;! [ebx | operand size not specified
;!   = write `byte ptr` or `word ptr`
        movzx   eax, 5
;! 5 | `movzx` cannot take an immediate
;!   = use `mov` to load a number
        push    al
;! al | `push` takes 16 or 32 bits, and `al` has 8
;!   = use `eax`
        pop     bl
;! bl | `pop` takes 16 or 32 bits, and `bl` has 8
;!   = use `ebx`
        push    byte ptr small
;! byte ptr small | the memory operand is a byte, but `push` takes a word or dword
;!   = write `word ptr ...` or `dword ptr ...` if that is intended
        setz    eax
;! eax | `setz` sets a byte, and `eax` is wider
;!   = use `al`
        mov     eax, dword m
;! dword | `dword` takes `ptr` before its operand
;!   = write `dword ptr m`
;---
; Wrong kinds of operands.
        mov     [m], [n]
;! [n | `mov` cannot move from memory to memory
;!   = load one of them into a register first
        mov     m, n
;! n | `mov` cannot move from memory to memory
;!   = load one of them into a register first
        add     m, n
;! n | `add` cannot have two memory operands
;!   = load one of them into a register first
        inc     5
;! 5 | `inc` changes its operand, which cannot be an immediate
;!   = use a register or memory
        mul     5
;! 5 | `mul` cannot take an immediate
;!   = load the number into a register first
        div     10
;! 10 | `div` cannot take an immediate
;!   = load the number into a register first
        neg     7
;! 7 | `neg` changes its operand, which cannot be an immediate
;!   = use a register or memory
        pop     5
;! 5 | `pop` changes its operand, which cannot be an immediate
;!   = use a register or memory
        mov     5, eax
;! 5 | immediate not allowed as the first operand of `mov`
;!   = the first operand is the destination; for memory at a fixed address, write `ds:[1234h]`
        cmp     5, eax
;! 5 | immediate not allowed as the first operand of `cmp`
;!   = the first operand is the destination; for memory at a fixed address, write `ds:[1234h]`
        lea     eax, ebx
;! ebx | `lea` takes the address of a memory operand, not a register
;!   = write `[ebx]`, or use `mov` to copy the register
        lea     eax, 5
;! 5 | `lea` takes the address of a memory operand, not an immediate
;!   = use `mov` to load a number
        xchg    eax, 5
;! 5 | `xchg` changes both operands, which cannot be immediates
;!   = use `mov` to load a number
        test    eax, m
        xadd    eax, m
;! m | the memory operand of `xadd` is its first operand
;!   = swap the operands
        mov     ds, 5
;! 5 | `mov` cannot load a segment register with an immediate
;!   = load it through a general register
        mov     ds, es
;! es | `mov` cannot copy one segment register to another
;!   = load it through a general register
        mov     cs, ax
;! cs | `mov` cannot load `cs`
;!   = use a far jump, call or return
        mov     cr0, 5
;! 5 | `mov` cannot load `cr0` with an immediate
;!   = load it through a general register
        jz      eax
;! eax | `jz` requires a label
;!   = only `jmp` and `call` can branch to an address in a register or memory
;---
        loop    eax
;! eax | `loop` requires a label
;!   = only `jmp` and `call` can branch to an address in a register or memory
        mov     mm0, eax
;! mov | `mov` cannot access MMX registers
;!   = use `movd` for 32 bits and `movq` for 64
        movq    eax, mm0
;! movq | `movq` moves 64 bits, and a general register has 32
;!   = use `movd`
        fld     eax
;! eax | `fld` cannot access general registers
;!   = use memory: the floating point unit reads and writes memory and its own registers
        fild    5
;! 5 | `fild` cannot take an immediate
;!   = define the number as data and load it from there
        fstp    eax
;! eax | `fstp` cannot access general registers
;!   = use memory: the floating point unit reads and writes memory and its own registers
        fadd    eax
;! eax | `fadd` cannot access general registers
;!   = use memory: the floating point unit reads and writes memory and its own registers
        fld     1.0
;! 1.0 | real number not allowed here
;!   = define it with `dd`, `dq` or `dt` and load it from there
        movsd   eax, ebx
;! eax | `movsd` takes a memory operand here
;!   = a string instruction with a size in its name needs no operands
        rep     mov eax, ebx
;! mov | `mov` cannot take a repeat prefix
;!   = `rep` applies to movs, stos, lods, cmps, scas, ins and outs only
;---
; Shifts, ports and products.
        shl     eax, ecx
;! ecx | the count of `shl` must be `cl` or an immediate
;!   = load the count into `cl`
        shr     m, bl
;! bl | the count of `shr` must be `cl` or an immediate
;!   = load the count into `cl`
        rol     eax, ebx
;! ebx | the count of `rol` must be `cl` or an immediate
;!   = load the count into `cl`
        shl     eax, 300
;! 300 | 300 does not fit in 8 bits
        shld    eax, ebx, ecx
;! ecx | the count of `shld` must be `cl` or an immediate
;!   = load the count into `cl`
        in      eax, bx
;! bx | the port of `in` must be `dx` or an immediate below 256
;!   = load it into `dx`
        in      ebx, dx
;! ebx | `in` transfers `al`, `ax` or `eax` only
;!   = read into one of these, then move it
        in      al, 300h
;! 300h | port 768 does not fit in 8 bits
;!   = load it into `dx` and use `dx`
        out     300h, al
;! 300h | port 768 does not fit in 8 bits
;!   = load it into `dx` and use `dx`
        out     dx, bl
;! bl | `out` transfers `al`, `ax` or `eax` only
;!   = move the value into one of these first
        imul    eax, 5, ebx
;! 5 | the immediate of `imul` is its last operand
;!   = swap the last two operands
        imul    al, bl
;! al | `imul` of bytes has one operand
;!   = it multiplies `al` by its operand; the product is in `ax`
        mul     eax, ebx
;! ebx | `mul` takes 1 operand, not 2
;!   = it multiplies `eax`, `ax` or `al` by its operand; `imul` can have two or three operands
        idiv    eax, ebx
;! ebx | `idiv` takes 1 operand, not 2
;!   = it divides `edx:eax` by its operand: quotient in `eax`, remainder in `edx`
;---
; Wrong numbers of operands.
        mov     eax
;! eax | `mov` takes 2 operands, not 1
;!   = write the destination and the source
        mov     eax, ebx, ecx
;! ecx | `mov` takes 2 operands, not 3
        inc     eax, 1
;! 1 | `inc` takes 1 operand, not 2
;!   = it adds 1; use `add`
        neg     eax, ebx
;! ebx | `neg` takes 1 operand, not 2
;!   = it changes its operand in place; copy it with `mov` first
        add     esp
;! esp | `add` takes 2 operands, not 1
;!   = write both operands
        and     eax, ebx, 1
;! 1 | `and` takes 2 operands, not 3
;!   = the first operand is the destination and one of the sources
        push    ds, es
        ret     5, 6
;! 6 | `ret` takes 0 or 1 operands, not 2
        jmp
;! jmp | `jmp` takes 1 operand, not 0
;!   = write a label
        call
;! call | `call` takes 1 operand, not 0
;!   = write a label
        int
;! int | `int` takes 1 operand, not 0
;!   = write the number of the interrupt
        cpuid   eax
;! eax | `cpuid` takes no operands, not 1
;---
; Addresses.
        mov     eax, [eax*3]
;! * | index register scale must be 1, 2, 4 or 8
        mov     eax, [ax]
;! [ax | `ax` cannot be used in an address
;!   = a 16-bit address uses bx, bp, si and di
        mov     eax, [al]
;! [ | only a 32-bit or 16-bit general register can form an address
        mov     eax, [esp*2]
;! * | only a 32-bit general register other than `esp` can be scaled
        mov     eax, [ebx+ecx+edx]
;! + | an address can have at most a base and an index register
        mov     eax, ebx+4
;! ebx+4 | register arithmetic is only allowed in brackets
;!   = write `[eax+4]` to access memory
        mov     eax, offset [ebx]
;! offset | an operand with registers has no constant offset
;!   = use `lea` to compute an address at run time
        mov     eax, [m+n]
;! + | cannot add two addresses
;!   = subtract them to get their distance
        mov     eax, m.x
;! . | undefined field `x`
;---
; Names that are far from any other.
        mov     eax, sma
;! sma | undefined symbol `sma`
        mov     eax, smll
;! smll | undefined symbol `smll`
;!   = did you mean `small`?
        mov     eax, cn
;! cn | undefined symbol `cn`
        mov     eax, cnt1
;! cnt1 | undefined symbol `cnt1`
;!   = did you mean `cnt`?
;---
; Names, numbers and marks.
        mov     eax, cout
;! cout | undefined symbol `cout`
;!   = did you mean `count`?
        mov     eax, conut
;! conut | undefined symbol `conut`
;!   = did you mean `count`?
        mov     eax, xyz
;! xyz | undefined symbol `xyz`
        mov     rax, 5
;! rax | undefined symbol `rax`
;!   = the Pentium has no register of this name
        push    r8
;! r8 | undefined symbol `r8`
;!   = the Pentium has no register of this name
        mov     eax, ffh
;! ffh | undefined symbol `ffh`
;!   = a number begins with a digit: write `0ffh`
        mov     eax, 12a
;! 12a | invalid digit in a decimal number; write `h` after a hexadecimal number
        mov     eax, #5
;! # | expected an operand, found `#`
        mov     eax, 'open
;! 'open | unterminated string
        mvo     eax, ebx
;! mvo | unknown instruction, directive or macro `mvo`
;!   = did you mean `mov`?
        movl    eax, 5
;! movl | unknown instruction, directive or macro `movl`
;!   = write `mov`: the operands give the size
        cmovz   eax, ebx
;! cmovz | `cmovz` is an instruction of other processors
;!   = the assembler has the instructions of the Pentium; `--also` is for programs that other tools built
        jmp     nowhere
;! nowhere | undefined symbol `nowhere`
        start2
;! start2 | unknown instruction, directive or macro `start2`
;!   = write `start2:` to define a label
m       dd      5
;! m | `m` is already defined
;!   = rename one of them; the first definition is on line 5
eax     dd      5
;! eax | `eax` is a register and cannot be defined
;---
; Missing and superfluous marks.
        mov     eax ebx
;! ebx | expected `,` or the end of the line
        mov     eax, (5
;!  | expected `)` (unclosed parenthesis)
        mov     eax, 5)
;! ) | expected `,` or the end of the line
        mov     eax, [ebx
;!  | expected `]` (unclosed bracket)
        mov     eax, 5 +
;!  | missing operand
        add     eax,, ebx
;! , | expected an operand, found `,`
        mov     eax, ebx nop
;! nop | unexpected second instruction
;!   = write one instruction per line
        if      eax == 1
;! eax | expected a number
;!   = registers have values only when the program runs
        endif
;---

        .586
        .model  flat
        .data
far     dq      1.0
;! far | `far` is an operator and cannot name a variable
;!   = choose another name
and     dd      1
;! and | `and` is an operator and cannot name a variable
;!   = choose another name
mov     dd      1
;! mov | warning: `mov` is an instruction, too: MASM 6 refuses it as a name
;!   = name it `mov_` where it is defined and used
size    dd      1
point   struct
offset  dd      ?
point   ends
        .code
        mov     eax, mov
        mov     eax, size
        mov     eax, [ebx].point.offset
        ret
