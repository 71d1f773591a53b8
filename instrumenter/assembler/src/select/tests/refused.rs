//! Rejected instructions, as a table.

/// The instruction, the message, and the help.
pub(super) const REFUSED: &[(&str, &str, &str)] = &[
    (
        "mov [eax],[ebx]",
        "`mov` cannot move from memory to memory",
        "load one of them into a register first",
    ),
    (
        "add dword ptr [eax],[ebx]",
        "`add` cannot have two memory operands",
        "load one of them into a register first",
    ),
    (
        "push eax,ebx",
        "`push` takes 1 operand, not 2",
        "write one `push` for each operand",
    ),
    (
        "mov eax",
        "`mov` takes 2 operands, not 1",
        "write the destination and the source",
    ),
    ("imul", "`imul` takes 1, 2 or 3 operands, not 0", ""),
    ("cdq eax", "`cdq` takes no operands, not 1", ""),
    (
        "mov [ebx],5",
        "operand size not specified",
        "write `byte ptr`, `word ptr` or `dword ptr`",
    ),
    (
        "movzx eax,[ebx]",
        "operand size not specified",
        "write `byte ptr` or `word ptr`",
    ),
    (
        "fld [ebx]",
        "operand size not specified",
        "write `dword ptr`, `qword ptr` or `tbyte ptr`",
    ),
    (
        "inc [ebx]",
        "operand size not specified",
        "write `byte ptr`, `word ptr` or `dword ptr`",
    ),
    (
        "movs [edi],[esi]",
        "operand size not specified",
        "write `byte ptr`, `word ptr` or `dword ptr`",
    ),
    (
        "movs",
        "operand size of `movs` not specified",
        "write `movsb`, `movsw` or `movsd`",
    ),
    (
        "mov al,dword ptr [ebx]",
        "the memory operand is a dword, but `mov` with `al` takes a byte",
        "write `byte ptr ...` if that is intended",
    ),
    (
        "fild byte ptr [ebx]",
        "the memory operand is a byte, but `fild` takes a word, dword or qword",
        "write `word ptr ...`, `dword ptr ...` or `qword ptr ...` if that is intended",
    ),
    (
        "mov eax,bx",
        "operands of `mov` must be the same size: `eax` has 32 bits, `bx` has 16",
        "use `movzx` or `movsx` to widen",
    ),
    ("add al,300", "300 does not fit in 8 bits", ""),
    ("mov cx,-70000", "-70000 does not fit in 16 bits", ""),
    ("add eax,100000000h", "4294967296 does not fit in 32 bits", ""),
    ("int 256", "256 does not fit in 8 bits", ""),
    ("shl eax,256", "256 does not fit in 8 bits", ""),
    (
        "mov 5,eax",
        "immediate not allowed as the first operand of `mov`",
        "the first operand is the destination; for memory at a fixed address, write `ds:[1234h]`",
    ),
    ("mov cs,ax", "`mov` cannot load `cs`", "use a far jump, call or return"),
    (
        "mov ds,5",
        "`mov` cannot load a segment register with an immediate",
        "load it through a general register",
    ),
    (
        "mov ds,es",
        "`mov` cannot copy one segment register to another",
        "load it through a general register",
    ),
    (
        "mov eax,[esp*2]",
        "`esp` cannot be an index register",
        "use it as the base register, without a scale factor, or use another register",
    ),
    (
        "mov eax,[ebx+esi*3]",
        "invalid scale factor 3",
        "the scale factor is 1, 2, 4 or 8",
    ),
    (
        "mov eax,[bx+bp]",
        "`[bx+bp]` is not a valid 16-bit address",
        "a 16-bit address uses one of bx and bp, one of si and di, or one of each",
    ),
    (
        "mov eax,[cx]",
        "`cx` cannot be used in an address",
        "a 16-bit address uses bx, bp, si and di",
    ),
    ("mov eax,[bx+70000]", "displacement 70000 does not fit in 16 bits", ""),
    (
        "loop to 2000h",
        "branch target out of range: it is 4094 bytes ahead, and a short branch reaches 127 forward and 128 back",
        "use `dec ecx` and `jnz`, which reaches any address",
    ),
    (
        "jz short to 0F00h",
        "branch target out of range: it is 258 bytes back, and a short branch reaches 127 forward and 128 back",
        "remove `short`",
    ),
    ("call short to 1010h", "`call` has no short form", "remove `short`"),
    (
        "loop near to 1010h",
        "`loop` has no near form",
        "remove `near`: the branch reaches 127 bytes forward and 128 back",
    ),
    (
        "jz eax",
        "`jz` requires a label",
        "only `jmp` and `call` can branch to an address in a register or memory",
    ),
    (
        "rep mov eax,ebx",
        "`mov` cannot take a repeat prefix",
        "`rep` applies to movs, stos, lods, cmps, scas, ins and outs only",
    ),
    (
        "lock add eax,ebx",
        "`lock add` requires a memory destination",
        "without one the processor raises #UD",
    ),
    (
        "stos byte ptr ds:[edi]",
        "the destination of `stos` is always in ES",
        "remove the segment override",
    ),
    (
        "lods byte ptr [ebx]",
        "the address of this operand of `lods` must be `[esi]`",
        "",
    ),
    (
        "in bl,dx",
        "`in` transfers `al`, `ax` or `eax` only",
        "read into one of these, then move it",
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
