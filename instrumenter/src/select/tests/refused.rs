//! What is refused, as a table.

/// What is refused, in which words, and the help.
pub(super) const REFUSED: &[(&str, &str, &str)] = &[
    (
        "mov [eax],[ebx]",
        "`mov` cannot move from memory to memory",
        "go through a register",
    ),
    (
        "add dword ptr [eax],[ebx]",
        "`add` cannot have two memory operands",
        "go through a register",
    ),
    ("push eax,ebx", "`push` takes 1 operand, not 2", ""),
    ("mov eax", "`mov` takes 2 operands, not 1", ""),
    ("imul", "`imul` takes 1, 2 or 3 operands, not 0", ""),
    ("cdq eax", "`cdq` takes no operands, not 1", ""),
    (
        "mov [ebx],5",
        "the operand's size is unknown",
        "write `byte ptr`, `word ptr` or `dword ptr`",
    ),
    (
        "movzx eax,[ebx]",
        "the operand's size is unknown",
        "write `byte ptr` or `word ptr`",
    ),
    (
        "fld [ebx]",
        "the operand's size is unknown",
        "write `dword ptr`, `qword ptr` or `tbyte ptr`",
    ),
    (
        "inc [ebx]",
        "the operand's size is unknown",
        "write `byte ptr`, `word ptr` or `dword ptr`",
    ),
    (
        "movs [edi],[esi]",
        "the operand's size is unknown",
        "write `byte ptr`, `word ptr` or `dword ptr`",
    ),
    (
        "movs",
        "the size of `movs` is unknown",
        "write `movsb`, `movsw` or `movsd`",
    ),
    (
        "mov al,dword ptr [ebx]",
        "the memory operand is a dword, and `mov` with `al` takes a byte",
        "write `byte ptr ...` if that is meant",
    ),
    (
        "fild byte ptr [ebx]",
        "the memory operand is a byte, and `fild` takes a word, dword or qword",
        "write `word ptr ...`, `dword ptr ...` or `qword ptr ...` if that is meant",
    ),
    (
        "mov eax,bx",
        "the operands of `mov` must have the same size: `eax` has 32 bits, `bx` has 16",
        "`movzx` or `movsx` widen while they move",
    ),
    ("add al,300", "300 does not fit in 8 bits", ""),
    ("mov cx,-40000", "-40000 does not fit in 16 bits", ""),
    ("add eax,100000000h", "4294967296 does not fit in 32 bits", ""),
    ("int 256", "256 does not fit in 8 bits", ""),
    ("shl eax,256", "256 does not fit in 8 bits", ""),
    (
        "mov 5,eax",
        "the first operand of `mov` cannot be a number",
        "memory at a fixed address is written `ds:[1234h]`",
    ),
    (
        "mov cs,ax",
        "CS cannot be loaded this way",
        "a far jump, call or return loads CS",
    ),
    (
        "mov ds,5",
        "a segment register cannot be loaded with a number",
        "go through a general register",
    ),
    (
        "mov ds,es",
        "`mov` cannot move from segment register to segment register",
        "go through a general register",
    ),
    (
        "mov eax,[esp*2]",
        "ESP cannot be an index register",
        "make it the base register, without a factor, or use another register",
    ),
    (
        "mov eax,[ebx+esi*3]",
        "an index cannot be multiplied by 3",
        "the factor is 1, 2, 4 or 8",
    ),
    (
        "mov eax,[bx+bp]",
        "`[bx+bp]` is no 16-bit address",
        "a 16-bit address takes one of bx and bp, one of si and di, or one of each",
    ),
    (
        "mov eax,[cx]",
        "`cx` cannot address memory",
        "a 16-bit address is made of bx, bp, si and di",
    ),
    (
        "mov eax,[bx+70000]",
        "the displacement 70000 does not fit in 16 bits",
        "",
    ),
    (
        "loop to 2000h",
        "the target is 4094 bytes ahead, and a short branch reaches 127 forward and 128 back",
        "write `dec ecx` and `jnz`, which reach everywhere",
    ),
    (
        "jz short to 0F00h",
        "the target is 258 bytes back, and a short branch reaches 127 forward and 128 back",
        "leave out `short`",
    ),
    ("call short to 1010h", "`call` has no short form", "leave out `short`"),
    (
        "loop near to 1010h",
        "`loop` has no near form",
        "leave out `near`: it reaches 127 bytes forward and 128 back",
    ),
    ("jz eax", "`jz` takes a label", ""),
    (
        "rep mov eax,ebx",
        "`mov` cannot be repeated",
        "`rep` goes with movs, stos, lods, cmps, scas, ins and outs only",
    ),
    (
        "lock add eax,ebx",
        "`lock` needs `add` to change memory",
        "without a memory operand the processor raises #UD",
    ),
    (
        "stos byte ptr ds:[edi]",
        "the destination of `stos` is always in ES",
        "leave out the segment override",
    ),
    (
        "lods byte ptr [ebx]",
        "`lods` works on `[esi]` here, and on nothing else",
        "",
    ),
    (
        "in bl,dx",
        "`in` does not take `bl` and `dx`",
        "it takes al,imm8 · ax,imm8 · eax,imm8 · al,dx · ax,dx · eax,dx",
    ),
    (
        "moov eax,ebx",
        "`moov` is not an instruction of the Pentium",
        "did you mean `mov`?",
    ),
    (
        "fdi",
        "`fdi` is not an instruction of the Pentium",
        "did you mean `fdiv`?",
    ),
    ("zzzz", "`zzzz` is not an instruction of the Pentium", ""),
];
