//! The figures of books and manuals, one row each, by their origin. The parent module explains how our figure is
//! computed.

use super::{Origin, Row, fragment, looped, of, program};

pub(super) const TOASTER: &str = "TalkieToaster, P5 basics, release 2";
pub(super) const ABRASH: &str = "Abrash, Graphics Programming Black Book, 19 to 21";
const ABRASH_63: &str = "Abrash, Graphics Programming Black Book, 63";
const FOG_FLOATING: &str = "Agner Fog, Pentium optimization 1996, Scheduling floating point code";
pub(super) const FOG: &str = "Agner Fog, Microarchitecture 2020, 4";
pub(super) const FOG_TABLES: &str = "Agner Fog, Instruction tables 2021";
const FOG_TESTING: &str = "Agner Fog, Pentium optimization 1996, Testing speed";
pub(super) const INTEL: &str = "Intel instruction set reference";
const INTEL_OPTIMIZATION: &str = "Intel optimization manual 1997, 3";
pub(super) const INTEL_DEVELOPER: &str = "Intel developer's manual 1997, 2";

/// The instructions and the constant of the macros of 1996. The measured region is empty.
const SEED_EMPTY: &str = "
.586
.model flat
.data
align 4
_TSC dd 0
.code
rdtsc_ macro
    db 0fh,31h
endm
StartTSC macro
    pushad
    popad
    pushad
    mov eax,_TSC
    imul _TSC
    rdtsc_
    mov _TSC,eax
    popad
endm
EndTSC macro
    pushad
    imul edx
    rdtsc_
    sub eax,27
    sub eax,_TSC
    mov _TSC,eax
    popad
endm
start:
    mov ebp,3
again:
    StartTSC
    EndTSC
    dec ebp
    jnz again
    mov eax,_TSC
    ret
end start
";

/// Time stamps before and after a store, CLD, eight NOPs and CLC, as their author places them around an empty test.
const FOG_HARNESS: &str = "
.586
.model flat
.data
align 4
before dd 0
_TSC dd 0
.code
start:
    mov ebp,3
again:
    rdtsc
    mov before,eax
    cld
    rept 8
    nop
    endm
    clc
    rdtsc
    sub eax,before
    mov _TSC,eax
    dec ebp
    jnz again
    ret
end start
";

/// Sequences whose clocks their author measured or counted.
#[rustfmt::skip] // One figure a row.
pub(super) static STATED: &[Row] = &of(Origin::Stated, [
    fragment("S0-a", "mov eax,1 / mov edx,2 / mov ecx,3 / mov ebx,4", 2.0, TOASTER),
    fragment("S0-b", "add eax,ecx / add eax,ecx", 2.0, TOASTER),
    fragment("S0-c", "add eax,ecx / add ebx,ecx", 1.0, TOASTER),
    fragment("S0-d", "add [edx],eax / dec ecx", 3.0, TOASTER),
    program("S0-e cpl 0", SEED_EMPTY, 0, 0.0, TOASTER),
    program("AF96 harness", FOG_HARNESS, 0, 15.0, FOG_TESTING),

    fragment("AGN-01 mov mov", "mov eax,[esi] / mov ecx,[edi]", 1.0, FOG),
    fragment("AGN-01 mov rm", "mov eax,[esi] / add ecx,[edi]", 2.0, FOG),
    fragment("AGN-01 mov rmw", "mov eax,[esi] / add [edi],ecx", 3.0, FOG),
    fragment("AGN-01 rm mov", "add eax,[esi] / mov ecx,[edi]", 2.0, FOG),
    fragment("AGN-01 rm rm", "add eax,[esi] / add ecx,[edi]", 2.0, FOG),
    fragment("AGN-01 rm rmw", "add eax,[esi] / add [edi],ecx", 3.0, FOG),
    fragment("AGN-01 rmw mov", "add [esi],eax / mov ecx,[edi]", 3.0, FOG),
    fragment("AGN-01 rmw rm", "add [esi],eax / add ecx,[edi]", 4.0, FOG),
    fragment("AGN-01 rmw rmw", "add [esi],eax / add [edi],ecx", 5.0, FOG),
    fragment("AGN-01 reg reg", "inc eax / dec ecx", 1.0, FOG),
    fragment("AGN-01 reg rm", "inc eax / add ecx,[edi]", 2.0, FOG),
    fragment("AGN-01 reg rmw", "inc eax / add [edi],ecx", 3.0, FOG),
    fragment("AGN-01 rm reg", "add eax,[esi] / inc ecx", 2.0, FOG),
    fragment("AGN-01 rmw reg", "add [esi],eax / inc ecx", 3.0, FOG),

    fragment("ABR-19a", "add edx,4 / mov ecx,[ebx] / add ebx,4 / mov [edx],ecx", 3.0, ABRASH),
    fragment("ABR-19a moved", "mov ecx,[ebx] / add ebx,4 / mov [edx+4],ecx / add edx,4", 2.0, ABRASH),
    fragment("ABR-20b", "add esi,m1 / add edi,m2", 2.0, ABRASH),
    fragment("ABR-20c", "and [ebx],al / and [ecx],dl", 5.0, ABRASH).after("mov ecx,edi"),
    fragment("ABR-20c split", "mov cl,[esi] / mov bl,[edi] / and cl,al / and bl,dl / mov [esi],cl / mov [edi],bl", 3.0, ABRASH),
    fragment("ABR-20d", "mov dl,[ebx] / and dl,al / mov [ebx],dl", 3.0, ABRASH),
    looped("ABR-21c", "again: / mov [esi],eax / add esi,4 / dec ecx / jnz again", 2.0, ABRASH),
    looped("ABR-21c odd", "again: / inc edx / mov [esi],eax / add esi,4 / dec ecx / jnz again", 3.0, ABRASH),
    fragment("ABR-21d", "inc eax / and ebx,eax", 2.0, ABRASH),
    looped("ABR-M1", "again: / add ax,[esi] / adc ax,0 / add esi,2 / dec ecx / jnz again", 5.0, ABRASH).measured(),
    looped("ABR-M1 adc eax", "again: / add ax,[esi] / adc eax,0 / add esi,2 / dec ecx / jnz again", 4.0, ABRASH),
    looped("ABR-21-2", "again: / add al,dl / mov dl,[esi] / adc ah,dh / mov dh,[esi+1] / adc eax,0 / add esi,2 / dec ecx / jnz again", 4.0, ABRASH),
    looped("ABR-21-4", "again: / add eax,edx / mov edx,[esi] / adc eax,0 / add esi,4 / dec ecx / jnz again", 3.0, ABRASH),

    fragment("lockstep 1", "add m1,eax / add ebx,m2", 4.0, INTEL_OPTIMIZATION),
    fragment("lockstep 2", "add ebx,m2 / add m1,eax", 3.0, INTEL_OPTIMIZATION),
    fragment("lockstep 3", "add m1,eax / add m2,ebx", 5.0, INTEL_DEVELOPER),
    fragment("lockstep 4", "add eax,m1 / add ebx,m2", 2.0, FOG),

    // Loads and multiplies of three products, whose sums wait for one another. With FXCH, the first two do not wait for
    // the third.
    fragment("ABR-63-2", "fld dword ptr [esi] / fmul dword ptr [esi+16] / fld dword ptr [esi+4] / fmul dword ptr [esi+20] / fld dword ptr [esi+8] / fmul dword ptr [esi+24] / faddp st(1),st(0) / faddp st(1),st(0) / fstp dword ptr [edi]", 17.0, ABRASH_63),
    fragment("ABR-63-3", "fld dword ptr [esi] / fmul dword ptr [esi+16] / fld dword ptr [esi+4] / fmul dword ptr [esi+20] / fld dword ptr [esi+8] / fmul dword ptr [esi+24] / fxch st(1) / faddp st(2),st(0) / faddp st(1),st(0) / fstp dword ptr [edi]", 15.0, ABRASH_63),
    fragment("ABR-63-7 FMUL, FST", "fmul st(0),st(1) / fst dword ptr [edi]", 6.0, ABRASH_63).after("fninit / fld1 / fld1"),
    fragment("ABR-63-7 FLD, FMUL, FST", "fld dword ptr [esi] / fmul dword ptr [esi+4] / fstp dword ptr [edi]", 7.0, ABRASH_63),
    fragment("FMUL in three streams", "fld dword ptr [esi] / fmul dword ptr [esi+4] / fld dword ptr [esi+8] / fmul dword ptr [esi+12] / fld dword ptr [esi+16] / fmul dword ptr [esi+20] / fxch st(2) / fstp dword ptr [edi] / fstp dword ptr [edi+4] / fstp dword ptr [edi+8]", 12.0, FOG_FLOATING),
]);

/// Sequences whose clocks follow from the rules of a manual.
#[rustfmt::skip] // One figure a row.
pub(super) static DERIVED: &[Row] = &of(Origin::Derived, [
    program("S0-e cpl 3", SEED_EMPTY, 3, 5.0, TOASTER),
    fragment("bank, same dword", "mov al,[esi] / mov bl,[esi+1]", 2.0, FOG),
    fragment("bank, next dword", "mov al,[esi+3] / mov bl,[esi+4]", 1.0, FOG),
    fragment("bank, far same", "mov [esi],eax / mov [esi+32000],ebx", 2.0, FOG).after("mov eax,[esi+32000]"),
    fragment("bank, far next", "mov [esi],eax / mov [esi+32004],ebx", 1.0, FOG).after("mov eax,[esi+32004]"),
    fragment("AGI in V", "mov eax,esi / nop / inc ebx / mov ecx,[eax]", 3.0, FOG),

    fragment("AGI from U", "mov eax,esi / nop / mov ecx,[eax]", 3.0, FOG),
    fragment("AGI from V", "nop / mov eax,esi / mov ecx,[eax]", 3.0, FOG),
    fragment("AGI, index", "mov eax,4 / nop / mov ecx,[esi+eax*4]", 3.0, FOG),
    fragment("AGI, part of it", "mov al,0 / nop / mov ecx,[eax]", 3.0, FOG).after("mov eax,esi"),
    fragment("AGI, LEA", "mov eax,esi / nop / lea ecx,[eax+4]", 3.0, FOG),
    fragment("AGI, 3 back", "mov eax,esi / nop / nop / mov ecx,[eax]", 3.0, FOG),
    fragment("AGI, in time", "mov eax,esi / nop / nop / nop / mov ecx,[eax]", 3.0, FOG),
    fragment("AGI, ESP then PUSH", "sub esp,4 / nop / push eax", 3.0, INTEL_OPTIMIZATION),
    fragment("AGI, ESP then POP", "sub esp,4 / nop / pop eax", 3.0, INTEL_OPTIMIZATION),
    fragment("AGI, PUSH then [ESP]", "push eax / nop / mov ecx,[esp]", 2.0, INTEL_OPTIMIZATION),
    fragment("AGI, PUSH [ESP] pair", "push edi / mov ebx,[esp]", 2.0, INTEL_OPTIMIZATION),
    fragment("AGI, RET i then POP", "push eax / call returns_4 / pop ecx", 6.0, FOG),
    fragment("AGI, CALL then [ESP]", "call reads_stack", 4.0, FOG),
    fragment("AGI, AND writes", "and eax,eax / nop / mov ecx,[eax]", 3.0, ABRASH).after("mov eax,esi"),
    fragment("AGI, TEST does not", "test eax,eax / nop / mov ecx,[eax]", 2.0, ABRASH).after("mov eax,esi"),
    fragment("AGI, late write", "add ebx,zero / nop / mov ecx,[ebx]", 4.0, FOG),

    fragment("pair, CMP then reader", "cmp eax,ecx / add ebx,eax", 1.0, FOG),
    fragment("pair, WAR", "mov eax,ecx / mov ecx,ebx", 1.0, FOG),
    fragment("pair, part of it", "mov al,cl / mov ah,bl", 2.0, FOG),
    fragment("pair, A3h form", "mov m1,eax / mov ebx,eax", 2.0, FOG_TABLES),
    fragment("pair, 89h form", "mov m1,ecx / mov ebx,ecx", 1.0, FOG_TABLES),
    fragment("pair, disp and imm", "mov m1,5 / nop", 2.0, FOG),
    fragment("pair, imm alone", "mov dword ptr [esi],5 / nop", 1.0, FOG),
    fragment("pair, SHL in U", "shl eax,1 / nop", 1.0, FOG_TABLES),
    fragment("pair, SHL in V", "nop / shl eax,1", 2.0, FOG_TABLES),
    fragment("pair, ADC in V", "nop / adc eax,ecx", 2.0, FOG_TABLES),
    fragment("pair, ROL by 3", "rol eax,3 / nop", 2.0, FOG_TABLES),
    fragment("pair, PUSH PUSH", "push eax / push ecx", 1.0, FOG),
    fragment("pair, POP POP", "pop eax / pop ecx", 1.0, FOG),
    fragment("pair, PUSH POP", "push eax / pop ecx", 2.0, FOG),
    fragment("pair, POP PUSH", "pop eax / push ecx", 2.0, FOG),
    fragment("pair, PUSH CALL", "push eax / call returns_4", 4.0, FOG),
    fragment("pair, TEST al,i", "test al,1 / nop", 1.0, FOG_TABLES),
    fragment("pair, TEST cl,i", "test cl,1 / nop", 2.0, FOG_TABLES),
    fragment("pair, branch in U", "not ebx / jc never / nop", 3.0, FOG).after("clc"),
    fragment("pair, branch in V", "dec eax / js never / nop", 2.0, FOG),
    fragment("prefix", "mov ax,cx", 2.0, FOG),
    fragment("prefix, then pairs", "mov ax,cx / mov ebx,1", 2.0, FOG),
    fragment("prefix, not in V", "mov ebx,1 / mov ax,cx", 3.0, FOG),
    fragment("prefix, two of them", "mov ax,es:[esi]", 3.0, FOG),
    fragment("prefix, shadowed", "add [esi],ecx / mov ax,cx", 4.0, FOG),
    fragment("prefix, 0Fh shadowed", "imul ecx / movzx eax,cl", 13.0, FOG),
    fragment("prefix, by AGI", "mov eax,esi / nop / mov ecx,[eax] / mov ax,cx", 4.0, FOG),
    fragment("misaligned read", "mov eax,[esi+2]", 4.0, FOG),
    fragment("misaligned write", "mov [esi+2],eax", 4.0, FOG),
    fragment("misaligned word", "mov ax,[esi+3]", 5.0, FOG),
    fragment("aligned odd word", "mov ax,[esi+1]", 2.0, FOG),
    // Intel and the 27 clocks of 1996 say 10, after which microcode can use EDX:EAX, as in S0-e; the pipe is free after
    // 9.
    fragment("IMUL r32, RDTSC", "imul ecx / rdtsc", 16.0, TOASTER).measured(),
    fragment("JMP in V", "inc eax / jmp over / nop / over:", 1.0, INTEL_DEVELOPER),
    // The branch is taken every other time: the counter alternates between 3 and 2, so every fall-through is
    // mispredicted.
    fragment("Jcc in V, to and fro", "test al,1 / jnz over / not ebx / over:", 3.5, INTEL_DEVELOPER).after("mov eax,counter"),
    fragment("Jcc in U, to and fro", "test al,1 / not ebx / jnz over / not ebx / over:", 5.0, INTEL_DEVELOPER).after("mov eax,counter"),

    // The prefix decodes as a separate instruction: one clock, and the seven bytes after it pair.
    fragment("eight bytes with prefix", "mov dx,[esi+ecx*4+1024] / inc eax", 2.0, FOG),
    // PUSH reads ESP as its operand, and changes it like every PUSH.
    fragment("PUSH ESP, then POP", "push esp / pop eax", 2.0, FOG),
    fragment("ABR-63-7 FADD, FADD", "fadd st(1),st(0) / fadd st(2),st(0)", 2.0, ABRASH_63).after("fninit / fld1 / fld1 / fld1"),
    fragment("ABR-63-7 FMUL, FMUL", "fmul st(1),st(0) / fmul st(2),st(0)", 3.0, ABRASH_63).after("fninit / fld1 / fld1 / fld1"),
    // Addition takes 3, the store 2.
    fragment("ABR-63-7 fresh FADD, FST", "fadd st(0),st(1) / fst dword ptr [edi]", 6.0, ABRASH_63).after("fninit / fld1 / fld1"),

    fragment("independent FADD", "fadd st(1),st(0) / fadd st(2),st(0) / fadd st(3),st(0) / fadd st(4),st(0)", 4.0, FOG_FLOATING).after("fninit / fld1 / fld1 / fld1 / fld1 / fld1"),
    // The sum is ready after 12 clocks, and FSTP ST(0) takes another one.
    fragment("FADD in two streams", "fld dword ptr [esi] / fadd dword ptr [esi+4] / fld dword ptr [esi+8] / fadd dword ptr [esi+12] / fxch st(1) / fadd dword ptr [esi+16] / fxch st(1) / fadd dword ptr [esi+20] / faddp st(1),st(0) / fstp st(0)", 13.0, FOG_FLOATING),
    fragment("FXCH before an integer", "fadd st(1),st(0) / fxch st(2)", 2.0, FOG_FLOATING).after("fninit / fld1 / fld1 / fld1"),
    fragment("FLD, FSTP of 64 bits", "fld qword ptr [esi] / fstp qword ptr [edi+4]", 4.0, FOG_FLOATING),
]);

/// Entries of instruction tables, each with the code that its execution needs: the figure includes the clocks of an 0Fh
/// that nothing hides, or of an instruction that balances the stack.
#[rustfmt::skip] // One figure a row.
pub(super) static ENTRIES: &[Row] = &of(Origin::Entry, [
    fragment("MOVZX r,r", "movzx eax,cl", 4.0, FOG_TABLES),
    fragment("MOVSX r,m", "movsx eax,byte ptr [esi]", 4.0, FOG_TABLES),
    fragment("LEA", "lea eax,[esi+edi*2+3]", 1.0, FOG_TABLES),
    fragment("PUSH i", "push 5", 1.0, FOG_TABLES),
    fragment("PUSH m", "push dword ptr [esi]", 2.0, FOG_TABLES),
    fragment("POP m", "pop dword ptr [esi]", 3.0, FOG_TABLES),
    fragment("PUSH sreg", "push ds", 1.0, FOG_TABLES),
    fragment("PUSHAD", "pushad", 5.0, FOG_TABLES),
    fragment("POPAD", "popad", 5.0, FOG_TABLES).after("sub esp,32"),
    fragment("PUSHFD", "pushfd", 3.0, INTEL),
    fragment("POPFD", "popfd", 4.0, INTEL).after("pushfd"),
    fragment("LAHF", "lahf", 2.0, FOG_TABLES),
    fragment("SAHF", "sahf", 2.0, FOG_TABLES),
    fragment("XCHG acc,r", "xchg eax,ecx", 2.0, FOG_TABLES),
    fragment("XCHG r,r", "xchg ebx,ecx", 3.0, FOG_TABLES),
    fragment("XLAT", "xlat", 4.0, FOG_TABLES).after("mov eax,0"),
    fragment("BSWAP", "bswap eax", 2.0, FOG_TABLES),
    fragment("ALU r,r", "add eax,ecx", 1.0, FOG_TABLES),
    fragment("ALU r,m", "sub eax,[esi]", 2.0, FOG_TABLES),
    fragment("ALU m,r", "xor [esi],eax", 3.0, FOG_TABLES),
    fragment("ALU m,i", "or dword ptr [esi],8", 3.0, FOG_TABLES),
    fragment("ADC r,m", "adc eax,[esi]", 2.0, FOG_TABLES),
    fragment("SBB m,r", "sbb [esi],eax", 3.0, FOG_TABLES),
    fragment("CMP r,m", "cmp eax,[esi]", 2.0, FOG_TABLES),
    fragment("CMP m,i", "cmp dword ptr [esi],1", 2.0, FOG_TABLES),
    fragment("TEST m,r", "test [esi],eax", 2.0, FOG_TABLES),
    fragment("TEST r,i", "test ecx,1", 1.0, FOG_TABLES),
    fragment("TEST m,i", "test dword ptr [esi],1", 2.0, FOG_TABLES),
    fragment("INC m", "inc dword ptr [esi]", 3.0, FOG_TABLES),
    fragment("NEG r", "neg eax", 1.0, FOG_TABLES),
    fragment("NOT m", "not dword ptr [esi]", 3.0, FOG_TABLES),
    fragment("SHL r,i", "shl eax,5", 1.0, FOG_TABLES),
    fragment("SAR m,1", "sar dword ptr [esi],1", 3.0, FOG_TABLES),
    fragment("ROL r,i", "rol eax,5", 1.0, FOG_TABLES),
    fragment("SHL r,CL", "shl eax,cl", 4.0, FOG_TABLES),
    fragment("ROR m,CL", "ror dword ptr [esi],cl", 5.0, FOG_TABLES),
    fragment("SHLD r,r,i", "shld eax,edx,3", 5.0, FOG_TABLES),
    fragment("SHRD m,r,CL", "shrd [esi],eax,cl", 6.0, FOG_TABLES),
    fragment("BT r,r", "bt eax,ecx", 5.0, FOG_TABLES),
    fragment("BT m,r", "bt [esi],ecx", 10.0, FOG_TABLES),
    fragment("BTS r,i", "bts eax,3", 8.0, FOG_TABLES),
    fragment("BTC m,i", "btc dword ptr [esi],3", 9.0, FOG_TABLES),
    fragment("SETcc r", "setz al", 2.0, FOG_TABLES),
    fragment("SETcc m", "setc byte ptr [esi]", 3.0, FOG_TABLES),
    fragment("CMPXCHG r,r", "cmpxchg ebx,ecx", 6.0, INTEL),
    fragment("CMPXCHG m,r", "cmpxchg [esi],ecx", 7.0, INTEL),
    fragment("CMPXCHG8B", "cmpxchg8b qword ptr [esi]", 11.0, INTEL),
    fragment("XADD r,r", "xadd eax,ecx", 4.0, INTEL),
    fragment("XADD m,r", "xadd [esi],ecx", 5.0, INTEL),

    fragment("MUL r8", "mul cl", 11.0, FOG_TABLES),
    fragment("MUL r16", "mul cx", 12.0, FOG_TABLES),
    fragment("MUL r32", "mul ecx", 9.0, FOG_TABLES).measured(),
    fragment("IMUL r32", "imul ecx", 9.0, FOG_TABLES).measured(),
    fragment("IMUL r,r", "imul eax,ecx", 10.0, FOG_TABLES).measured(),
    fragment("IMUL r,r,i", "imul eax,ecx,10", 9.0, FOG_TABLES).measured(),
    fragment("DIV r8", "div cl", 17.0, FOG_TABLES),
    fragment("DIV r16", "div cx", 26.0, FOG_TABLES).after("mov edx,0"),
    fragment("DIV r32", "div ecx", 41.0, FOG_TABLES).after("mov edx,0"),
    fragment("IDIV r8", "idiv cl", 22.0, FOG_TABLES),
    fragment("IDIV r16", "idiv cx", 31.0, FOG_TABLES).after("mov edx,0"),
    fragment("IDIV r32", "idiv ecx", 46.0, FOG_TABLES).after("mov edx,0"),
    fragment("CWDE", "cwde", 3.0, FOG_TABLES),
    fragment("CDQ", "cdq", 2.0, FOG_TABLES),
    fragment("AAA", "aaa", 3.0, INTEL),
    fragment("DAS", "das", 3.0, INTEL),
    fragment("AAM", "aam", 18.0, INTEL),
    fragment("AAD", "aad", 10.0, INTEL),

    fragment("JMP", "jmp over / nop / over:", 1.0, INTEL_DEVELOPER),
    fragment("CALL and RET", "call returns", 3.0, FOG_TABLES),
    fragment("CALL r and RET", "call eax", 4.0, FOG_TABLES).after("mov eax,offset returns"),
    fragment("JMP r", "jmp eax / nop / over:", 2.0, FOG_TABLES).after("mov eax,offset over_line"),
    fragment("CALL and RET i", "push eax / call returns_4", 4.0, FOG_TABLES),
    fragment("JECXZ, not taken", "jecxz never", 5.0, INTEL),
    fragment("LOOP, not taken", "loop never", 5.0, INTEL).after("mov ecx,1"),
    fragment("LOOPE, not taken", "loope never", 7.0, INTEL).after("mov ecx,1"),
    fragment("BOUND", "bound eax,[esi]", 8.0, INTEL).after("mov eax,0"),
    fragment("ENTER n,0", "enter 8,0", 11.0, INTEL),
    fragment("NOT and LEAVE", "not ebx / leave", 4.0, INTEL).after("mov ebp,esp"),

    fragment("LODS", "lodsd", 2.0, FOG_TABLES),
    fragment("STOS", "stosd", 3.0, FOG_TABLES),
    fragment("MOVS", "movsd", 4.0, FOG_TABLES),
    fragment("SCAS", "scasd", 4.0, FOG_TABLES),
    fragment("CMPS", "cmpsd", 5.0, FOG_TABLES),
    fragment("REP LODS, 5", "rep lodsd", 23.0, FOG_TABLES).measured(),
    fragment("REP STOS, 5", "rep stosd", 16.0, FOG_TABLES).measured(),
    fragment("REP MOVS, 5", "rep movsd", 18.0, FOG_TABLES).measured(),
    fragment("REPNE SCAS, 5", "repne scasd", 30.0, FOG_TABLES).measured(),
    fragment("REPE CMPS, 5", "repe cmpsd", 29.0, FOG_TABLES).measured(),

    fragment("CLC", "clc", 2.0, FOG_TABLES),
    fragment("CLI", "cli", 7.0, FOG_TABLES),
    fragment("SGDT", "sgdt fword ptr [esi+2]", 5.0, INTEL),
    fragment("SMSW", "smsw ax", 6.0, INTEL),
    fragment("MOV r,CR", "mov eax,cr0", 5.0, INTEL),
    fragment("RDMSR", "rdmsr", 21.0, INTEL).after("mov ecx,10h"),
    fragment("RDTSC, CPL 0", "rdtsc", 7.0, FOG_TABLES).measured(),
    fragment("RDTSC, CPL 3", "rdtsc", 12.0, FOG_TABLES).measured().at_cpl(3),
    // A chain of divisions in a loop whose DEC and JNZ overlap with them.
    looped("ABR-63-7 FDIV", "fld1 / fld1 / again: fdiv st(0),st(1) / dec ecx / jnz again", 39.0, ABRASH_63),
    looped("ABR-63-7 FDIV, 53 bits", "push 027Fh / fldcw [esp] / fld1 / fld1 / again: fdiv st(0),st(1) / dec ecx / jnz again", 33.0, ABRASH_63),
    looped("ABR-63-7 FDIV, 24 bits", "push 007Fh / fldcw [esp] / fld1 / fld1 / again: fdiv st(0),st(1) / dec ecx / jnz again", 19.0, ABRASH_63),
    fragment("FSQRT", "fsqrt / fstp st(0)", 71.0, FOG_TABLES).after("fninit / fld1"),
    fragment("FILD, FISTP", "fild dword ptr [esi] / fistp dword ptr [edi]", 9.0, FOG_TABLES),
    fragment("FIADD", "fiadd dword ptr [esi] / fstp st(0)", 7.0, FOG_TABLES).after("fninit / fld1"),
    fragment("FIDIV", "fidiv dword ptr [esi] / fstp st(0)", 43.0, FOG_TABLES).after("fninit / fld1"),
    fragment("FCOM, FNSTSW", "fcom st(1) / fnstsw ax", 7.0, FOG_TABLES).after("fninit / fld1 / fld1"),
    fragment("FLDCW", "fldcw [esp]", 8.0, FOG_TABLES).after("push 027Fh"),
]);
