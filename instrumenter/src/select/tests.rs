//! Tests of selection: classic forms byte by byte, every form there and back, refusals, and NASM where it is installed.

use super::*;
use crate::operand::Distance;
use forms::Fill;
use iced_x86::{Code, Decoder, DecoderOptions};
use std::collections::HashSet;

mod notation;
mod oracle;
mod round_trip;
mod speed;

use notation::{instruction, parse};

fn hex(text: &str) -> Result<String, SelectError> {
    let (mnemonic, prefixes, operands) = parse(text);
    let encoded = encode(&mnemonic, prefixes, &operands, 0x1000)?;
    Ok(encoded
        .as_slice()
        .iter()
        .map(|byte| format!("{byte:02X}"))
        .collect::<Vec<_>>()
        .join(" "))
}

/// The bytes that MASM and TASM write at address 1000h.
const CLASSIC: &[(&str, &str)] = &[
    // Register to register: the load direction.
    ("mov eax,ebx", "8B C3"),
    ("mov al,bl", "8A C3"),
    ("mov ax,bx", "66 8B C3"),
    ("add eax,ecx", "03 C1"),
    ("sub edx,edx", "2B D2"),
    ("xor eax,eax", "33 C0"),
    ("cmp ah,dl", "3A E2"),
    ("test eax,ebx", "85 C3"),
    ("test eax,eax", "85 C0"),
    ("test dword ptr [ebx],eax", "85 03"),
    ("test eax,[ebx]", "85 03"),
    ("xchg ebx,ecx", "87 D9"),
    ("xchg eax,ecx", "91"),
    ("xchg ecx,eax", "91"),
    ("xchg eax,eax", "90"),
    ("xchg ax,dx", "66 92"),
    ("xchg al,ah", "86 C4"),
    ("xchg [ebx],eax", "87 03"),
    ("xchg eax,[ebx]", "87 03"),
    // Numbers: sign-extended, accumulator, long.
    ("add eax,5", "83 C0 05"),
    ("add eax,12345678h", "05 78 56 34 12"),
    ("add ecx,12345678h", "81 C1 78 56 34 12"),
    ("add eax,-1", "83 C0 FF"),
    ("add eax,0FFFFFFFFh", "83 C0 FF"),
    ("add ax,0FFFFh", "66 83 C0 FF"),
    ("add ax,1234h", "66 05 34 12"),
    ("add al,5", "04 05"),
    ("add bl,5", "80 C3 05"),
    ("cmp al,-1", "3C FF"),
    ("and eax,volatile 1", "25 01 00 00 00"),
    ("and ecx,volatile 1", "81 E1 01 00 00 00"),
    ("add byte ptr [ebx],5", "80 03 05"),
    ("add word ptr [ebx],5", "66 83 03 05"),
    ("add dword ptr [ebx],5", "83 03 05"),
    ("mov eax,1", "B8 01 00 00 00"),
    ("mov ax,1", "66 B8 01 00"),
    ("mov cl,255", "B1 FF"),
    ("mov dword ptr [ebx],1", "C7 03 01 00 00 00"),
    ("mov byte ptr [ebx],-1", "C6 03 FF"),
    ("test al,1", "A8 01"),
    ("test eax,1", "A9 01 00 00 00"),
    ("test ebx,1", "F7 C3 01 00 00 00"),
    ("test byte ptr [ebx],80h", "F6 03 80"),
    // Plain addresses and the accumulator.
    ("mov eax,dword ptr [12345678h]", "A1 78 56 34 12"),
    ("mov [12345678h],eax", "A3 78 56 34 12"),
    ("mov al,[12345678h]", "A0 78 56 34 12"),
    ("mov [12345678h],ax", "66 A3 78 56 34 12"),
    ("mov ebx,[12345678h]", "8B 1D 78 56 34 12"),
    ("mov [12345678h],ebx", "89 1D 78 56 34 12"),
    ("mov eax,fs:[0]", "64 A1 00 00 00 00"),
    ("mov eax,[0FFFFFFF0h]", "A1 F0 FF FF FF"),
    ("inc dword ptr [0FFFFFFF0h]", "FF 05 F0 FF FF FF"),
    // Addresses.
    ("mov eax,[ebx]", "8B 03"),
    ("mov eax,[ebx+0]", "8B 03"),
    ("mov eax,[ebx+4]", "8B 43 04"),
    ("mov eax,[ebx-128]", "8B 43 80"),
    ("mov eax,[ebx+128]", "8B 83 80 00 00 00"),
    ("mov eax,[ebx+volatile 4]", "8B 83 04 00 00 00"),
    ("mov eax,[ebp]", "8B 45 00"),
    ("mov eax,[esp]", "8B 04 24"),
    ("mov eax,[esp+8]", "8B 44 24 08"),
    ("mov eax,[ebx+esi]", "8B 04 33"),
    ("mov eax,[ebx+esi*4+4]", "8B 44 B3 04"),
    ("mov eax,[ebp+eax]", "8B 44 05 00"),
    ("mov eax,[eax+ebp]", "8B 04 28"),
    ("mov eax,[eax+esp]", "8B 04 04"),
    ("mov eax,[esi*2]", "8B 04 75 00 00 00 00"),
    ("mov eax,[esi*4+12345678h]", "8B 04 B5 78 56 34 12"),
    ("mov eax,[bx+si]", "67 8B 00"),
    ("mov eax,[si+bx]", "67 8B 00"),
    ("mov eax,[bp]", "67 8B 46 00"),
    ("mov eax,[bp+di+4]", "67 8B 43 04"),
    ("mov eax,[bx+300]", "67 8B 87 2C 01"),
    ("mov ax,[di]", "66 67 8B 05"),
    // Segments.
    ("mov eax,ds:[ebx]", "8B 03"),
    ("mov eax,es:[edi]", "26 8B 07"),
    ("mov eax,ss:[ebp]", "8B 45 00"),
    ("mov eax,ds:[ebp]", "3E 8B 45 00"),
    ("mov eax,ss:[ebx]", "36 8B 03"),
    ("mov eax,gs:[ebx]", "65 8B 03"),
    ("mov ds,ax", "8E D8"),
    ("mov ds,eax", "8E D8"),
    ("mov ax,ds", "66 8C D8"),
    ("mov eax,ds", "8C D8"),
    ("mov es,[ebx]", "8E 03"),
    ("mov word ptr [ebx],fs", "8C 23"),
    ("push ds", "1E"),
    ("pop es", "07"),
    ("push fs", "0F A0"),
    ("pop gs", "0F A9"),
    ("pushw ds", "66 1E"),
    ("lds esi,[ebx]", "C5 33"),
    ("les edi,fword ptr [ebx]", "C4 3B"),
    ("lss esp,[ebx]", "0F B2 23"),
    ("les di,[ebx]", "66 C4 3B"),
    // Stack.
    ("push eax", "50"),
    ("push ax", "66 50"),
    ("push 5", "6A 05"),
    ("push -1", "6A FF"),
    ("push 80h", "68 80 00 00 00"),
    ("push volatile 5", "68 05 00 00 00"),
    ("push word ptr 5", "66 6A 05"),
    ("push word ptr 500", "66 68 F4 01"),
    ("pushw 5", "66 6A 05"),
    ("pushd 5", "6A 05"),
    ("push dword ptr [ebx]", "FF 33"),
    ("push [ebx]", "FF 33"),
    ("push word ptr [ebx]", "66 FF 33"),
    ("pop dword ptr [ebx]", "8F 03"),
    ("pop ebp", "5D"),
    ("pusha", "60"),
    ("pushad", "60"),
    ("pushaw", "66 60"),
    ("popa", "61"),
    ("popad", "61"),
    ("popaw", "66 61"),
    ("pushf", "9C"),
    ("pushfd", "9C"),
    ("pushfw", "66 9C"),
    ("popf", "9D"),
    ("popfw", "66 9D"),
    ("enter 8,0", "C8 08 00 00"),
    ("enter 256,1", "C8 00 01 01"),
    ("leave", "C9"),
    // One operand.
    ("inc eax", "40"),
    ("inc ax", "66 40"),
    ("inc al", "FE C0"),
    ("dec dword ptr [ebx]", "FF 0B"),
    ("neg eax", "F7 D8"),
    ("not byte ptr [ebx]", "F6 13"),
    ("mul ebx", "F7 E3"),
    ("imul ebx", "F7 EB"),
    ("imul dword ptr [12345678h]", "F7 2D 78 56 34 12"),
    ("imul eax,ebx", "0F AF C3"),
    ("imul eax,[ebx]", "0F AF 03"),
    ("imul eax,5", "6B C0 05"),
    ("imul eax,500", "69 C0 F4 01 00 00"),
    ("imul eax,ebx,5", "6B C3 05"),
    ("imul ax,bx,500", "66 69 C3 F4 01"),
    ("div cl", "F6 F1"),
    ("idiv dword ptr [esp]", "F7 3C 24"),
    ("bswap eax", "0F C8"),
    // Shifts.
    ("shl eax,1", "D1 E0"),
    ("sal eax,1", "D1 E0"),
    ("shl eax,2", "C1 E0 02"),
    ("shl eax,volatile 1", "C1 E0 01"),
    ("shr eax,cl", "D3 E8"),
    ("sar byte ptr [ebx],1", "D0 3B"),
    ("rcl ax,3", "66 C1 D0 03"),
    ("rol al,cl", "D2 C0"),
    ("shld eax,ebx,4", "0F A4 D8 04"),
    ("shrd [ecx],edx,cl", "0F AD 11"),
    // Bits and widening.
    ("bt eax,5", "0F BA E0 05"),
    ("bts [ebx],eax", "0F AB 03"),
    ("bsf eax,ebx", "0F BC C3"),
    ("movzx eax,bl", "0F B6 C3"),
    ("movzx eax,bx", "0F B7 C3"),
    ("movzx ax,bl", "66 0F B6 C3"),
    ("movsx eax,byte ptr [ebx]", "0F BE 03"),
    ("movsx edx,word ptr [ebx]", "0F BF 13"),
    ("cbw", "66 98"),
    ("cwde", "98"),
    ("cwd", "66 99"),
    ("cdq", "99"),
    ("setz al", "0F 94 C0"),
    ("setnbe byte ptr [ebx]", "0F 97 03"),
    ("lea eax,[ebx+ecx*2+1]", "8D 44 4B 01"),
    ("lea ax,[ebx]", "66 8D 03"),
    ("lea esi,dword ptr [12345678h]", "8D 35 78 56 34 12"),
    ("cmpxchg [ebx],ecx", "0F B1 0B"),
    ("cmpxchg8b qword ptr [ebx]", "0F C7 0B"),
    ("cmpxchg8b [ebx]", "0F C7 0B"),
    ("xadd [ebx],ecx", "0F C1 0B"),
    ("lock xadd [ebx],ecx", "F0 0F C1 0B"),
    ("lock inc dword ptr [ebx]", "F0 FF 03"),
    ("bound eax,[ebx]", "62 03"),
    ("arpl ax,bx", "63 D8"),
    ("lar eax,bx", "0F 02 C3"),
    ("lsl ax,bx", "66 0F 03 C3"),
    ("aam", "D4 0A"),
    ("aad 16", "D5 10"),
    ("xlat", "D7"),
    ("xlatb", "D7"),
    ("xlat byte ptr es:[ebx]", "26 D7"),
    ("salc", "D6"),
    ("nop", "90"),
    ("wait", "9B"),
    ("fwait", "9B"),
    ("hlt", "F4"),
    // Strings.
    ("movsb", "A4"),
    ("movsw", "66 A5"),
    ("movsd", "A5"),
    ("rep movsd", "F3 A5"),
    ("repne scasb", "F2 AE"),
    ("repe cmpsb", "F3 A6"),
    ("lodsd", "AD"),
    ("stosw", "66 AB"),
    ("movs dword ptr [edi],[esi]", "A5"),
    ("movs byte ptr [edi],byte ptr fs:[esi]", "64 A4"),
    ("movs word ptr es:[edi],[esi]", "66 A5"),
    ("movs byte ptr [di],byte ptr [si]", "67 A4"),
    ("lods byte ptr ds:[esi]", "3E AC"),
    ("lods byte ptr es:[esi]", "26 AC"),
    ("cmps word ptr [esi],[edi]", "66 A7"),
    ("scas dword ptr [edi]", "AF"),
    ("ins byte ptr [edi],dx", "6C"),
    ("outs dx,word ptr [esi]", "66 6F"),
    ("insd", "6D"),
    // Ports and system.
    ("in al,60h", "E4 60"),
    ("in eax,dx", "ED"),
    ("out 61h,al", "E6 61"),
    ("out dx,ax", "66 EF"),
    ("int 3", "CC"),
    ("int 21h", "CD 21"),
    ("int3", "CC"),
    ("into", "CE"),
    ("icebp", "F1"),
    ("iret", "CF"),
    ("iretd", "CF"),
    ("iretw", "66 CF"),
    ("cpuid", "0F A2"),
    ("rdtsc", "0F 31"),
    ("rdmsr", "0F 32"),
    ("wrmsr", "0F 30"),
    ("rsm", "0F AA"),
    ("invd", "0F 08"),
    ("wbinvd", "0F 09"),
    ("invlpg [ebx]", "0F 01 3B"),
    ("invlpg byte ptr [ebx]", "0F 01 3B"),
    ("lgdt [ebx]", "0F 01 13"),
    ("sidt fword ptr [ebx]", "0F 01 0B"),
    ("lmsw ax", "0F 01 F0"),
    ("ltr ax", "0F 00 D8"),
    ("str eax", "0F 00 C8"),
    ("mov cr0,eax", "0F 22 C0"),
    ("mov eax,cr4", "0F 20 E0"),
    ("mov dr7,ecx", "0F 23 F9"),
    ("mov eax,tr6", "0F 24 F0"),
    ("clts", "0F 06"),
    // Branches; the instruction stands at 1000h.
    ("jmp to 1000h", "EB FE"),
    ("jmp to 2000h", "E9 FB 0F 00 00"),
    ("jmp short to 1010h", "EB 0E"),
    ("jmp near to 1010h", "E9 0B 00 00 00"),
    ("jz to 1081h", "74 7F"),
    ("jz to 1082h", "0F 84 7C 00 00 00"),
    ("jnb to 0F82h", "73 80"),
    ("jnb to 0F81h", "0F 83 7B FF FF FF"),
    ("call to 1010h", "E8 0B 00 00 00"),
    ("call eax", "FF D0"),
    ("call dword ptr [ebx]", "FF 13"),
    ("call [ebx]", "FF 13"),
    ("call fword ptr [ebx]", "FF 1B"),
    ("jmp dword ptr [eax*4+12345678h]", "FF 24 85 78 56 34 12"),
    ("jmp far 8:12345678h", "EA 78 56 34 12 08 00"),
    ("call far 8:12345678h", "9A 78 56 34 12 08 00"),
    ("loop to 1000h", "E2 FE"),
    ("loopw to 1000h", "67 E2 FD"),
    ("loopne to 1000h", "E0 FE"),
    ("loopz to 1000h", "E1 FE"),
    ("jecxz to 1000h", "E3 FE"),
    ("jcxz to 1000h", "67 E3 FD"),
    ("ret", "C3"),
    ("ret 8", "C2 08 00"),
    ("retn 8", "C2 08 00"),
    ("retf", "CB"),
    ("retf 4", "CA 04 00"),
    // x87.
    ("fld dword ptr [ebx]", "D9 03"),
    ("fld qword ptr [ebx]", "DD 03"),
    ("fld tbyte ptr [ebx]", "DB 2B"),
    ("fld st(1)", "D9 C1"),
    ("fld st", "D9 C0"),
    ("fstp qword ptr [esp]", "DD 1C 24"),
    ("fst st(2)", "DD D2"),
    ("fild word ptr [ebx]", "DF 03"),
    ("fild dword ptr [ebx]", "DB 03"),
    ("fistp qword ptr [ebx]", "DF 3B"),
    ("fadd", "DE C1"),
    ("fmul", "DE C9"),
    ("fsub", "DE E9"),
    ("fsubr", "DE E1"),
    ("fdiv", "DE F9"),
    ("fdivr", "DE F1"),
    ("fadd st,st(1)", "D8 C1"),
    ("fadd st(1),st", "DC C1"),
    ("fsub st(1),st", "DC E9"),
    ("fsubr st(1),st", "DC E1"),
    ("fsub st,st(1)", "D8 E1"),
    ("fsubp st(1),st", "DE E9"),
    ("fsubrp st(1),st", "DE E1"),
    ("faddp st(2),st", "DE C2"),
    ("fmul dword ptr [ebx]", "D8 0B"),
    ("fxch", "D9 C9"),
    ("fxch st(2)", "D9 CA"),
    ("fxch st,st(3)", "D9 CB"),
    ("fcom", "D8 D1"),
    ("fcomp st(2)", "D8 DA"),
    ("fucompp", "DA E9"),
    ("fstsw ax", "9B DF E0"),
    ("fnstsw ax", "DF E0"),
    ("fnstsw [ebx]", "DD 3B"),
    ("finit", "9B DB E3"),
    ("fninit", "DB E3"),
    ("fclex", "9B DB E2"),
    ("fstcw [ebx]", "9B D9 3B"),
    ("fnstcw word ptr [ebx]", "D9 3B"),
    ("fldcw [ebx]", "D9 2B"),
    ("fsave [ebx]", "9B DD 33"),
    ("fnsave es:[ebx]", "26 DD 33"),
    ("fstenv [ebx]", "9B D9 33"),
    ("fldenv [ebx]", "D9 23"),
    ("fldenvw [ebx]", "66 D9 23"),
    ("frstor [ebx]", "DD 23"),
    ("fbld [ebx]", "DF 23"),
    ("fptan", "D9 F2"),
    // MMX.
    ("movd mm0,eax", "0F 6E C0"),
    ("movq mm1,[ebx]", "0F 6F 0B"),
    ("paddw mm0,mm1", "0F FD C1"),
    ("psllq mm3,5", "0F 73 F3 05"),
    ("emms", "0F 77"),
    // Any case.
    ("MOV EAX,EBX", "8B C3"),
];

#[test]
fn classic_forms_are_those_of_masm() {
    let mut wrong = Vec::new();
    for &(text, expected) in CLASSIC {
        match hex(text) {
            Ok(bytes) if bytes == expected => {}
            Ok(bytes) => wrong.push(format!("{text}: {bytes}, should be {expected}")),
            Err(error) => wrong.push(format!("{text}: {error:?}")),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        CLASSIC.len(),
        wrong.join("\n")
    );
}

/// What is refused, in which words, and the help.
const REFUSED: &[(&str, &str, &str)] = &[
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
        "`moov` is no instruction of the Pentium",
        "did you mean `mov`?",
    ),
    ("fdi", "`fdi` is no instruction of the Pentium", "did you mean `fdiv`?"),
    ("zzzz", "`zzzz` is no instruction of the Pentium", ""),
];

#[test]
fn refusals_say_what_is_wrong_and_what_would_do() {
    let mut wrong = Vec::new();
    for &(text, message, help) in REFUSED {
        match hex(text) {
            Err(error) if error.message == message && error.help.as_deref().unwrap_or("") == help => {}
            other => wrong.push(format!("{text}: {other:?}")),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        REFUSED.len(),
        wrong.join("\n")
    );
}

#[test]
fn only_an_open_choice_may_grow() {
    let relaxable = |text: &str| {
        let (mnemonic, prefixes, operands) = parse(text);
        encode(&mnemonic, prefixes, &operands, 0x1000).map(|encoded| encoded.relaxable)
    };
    assert_eq!(relaxable("jmp to 1010h"), Ok(true));
    assert_eq!(relaxable("jc to 1010h"), Ok(true));
    assert_eq!(relaxable("jmp to 2000h"), Ok(false));
    assert_eq!(relaxable("jmp short to 1010h"), Ok(false));
    assert_eq!(relaxable("loop to 1010h"), Ok(false));
    assert_eq!(relaxable("call to 1010h"), Ok(false));
}

#[test]
fn names_are_found_in_any_case_and_nothing_else_is() {
    for name in [
        "mov",
        "MOV",
        "Jnae",
        "rdtsc",
        "CMPXCHG8B",
        "movs",
        "fnstenvw",
        "loopnzd",
        "setalc",
    ] {
        assert!(is_mnemonic(name), "{name}");
    }
    for name in [
        "",
        "ud2",
        "addps",
        "cmovz",
        "rep",
        "lock",
        "mov ",
        "loadall",
        "a very long name, longer than any",
    ] {
        assert!(!is_mnemonic(name), "{name}");
    }
    assert_eq!(nearest_mnemonic("pusj"), Some("push"));
    assert_eq!(nearest_mnemonic("rdstc"), Some("rdtsc"));
    assert_eq!(register("EAX"), Some(Register::EAX));
    assert_eq!(register("st"), Some(Register::ST0));
    assert_eq!(register("Tr6"), Some(Register::TR6));
    assert_eq!(register("r8d"), None);
    assert_eq!(register("cr1"), None);
    assert_eq!(register(""), None);
}

#[test]
fn the_same_id_gives_the_same_bytes() {
    let mut selector = Selector::new();
    for &(text, _) in CLASSIC {
        let (mnemonic, prefixes, operands) = parse(text);
        let id = mnemonic_id(&mnemonic).expect(text);
        assert_eq!(
            selector.encode_id(id, prefixes, &operands, 0x1000),
            encode(&mnemonic, prefixes, &operands, 0x1000),
            "{text}"
        );
    }
}
