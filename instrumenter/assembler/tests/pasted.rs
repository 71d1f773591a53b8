//! Text that compilers and disassemblers print is read as it stands: the same bytes as the lines for MASM.

use super::{bytes, code, complaints, image};

#[test]
fn source_of_compilers_is_the_code_that_it_describes() {
    // The directives tell of the code, and one operand shifts by one.
    code(
        "\t.file\t\"a.c\"\n\t.intel_syntax noprefix\n\t.text\n\t.globl\tf\n\t.type\tf, @function\nf:\n.LFB0:\n\
         \t.cfi_startproc\n\tmov\teax, DWORD PTR [esp+4]\n.L3:\n\tshr\teax\n\tsal\tBYTE PTR [ecx]\n\tjne\t.L3\n\
         \tret\n\t.cfi_endproc\n.LFE0:\n\t.size\tf, .-f\n\t.ident\t\"GCC: (GNU) 12\"\n\
         \t.section\t.note.GNU-stack,\"\",@progbits\n",
        "8b442404 d1e8 d021 75fa c3",
    );
    // What Clang writes, with its remarks.
    code(
        "sum:                                    # @sum\n# %bb.0:\n        xor     eax, eax\n        .p2align        4, \
         0x90\n.LBB0_1:                                # =>This Inner Loop Header: Depth=1\n        add     eax, dword \
         ptr [edx + 4*ecx - 4]\n        dec     ecx\n        jne     .LBB0_1\n        ret\n",
        "33c0 8db42600000000 8db42600000000 03448afc 49 75f9 c3",
    );
    // An alignment that would take more than is allowed takes nothing.
    code("\t.p2align 4,,7\nf:\tnop\n\t.p2align 4,,7\n.L3:\tret\n", "90 c3");
    code("f:\tnop\n\t.p2align 2,,3\n.L3:\tjmp .L3\n", "90 8d7600 ebfe");
    // Numbers as labels, and names that have a meaning in MASM.
    code(".intel_syntax noprefix\n1:\tdec ecx\n\tjnz 1b\n", "49 75fd");
    code(
        "\t.globl length\nlength:\tcall length\n\tjmp length\n",
        "e8fbffffff ebf9",
    );
    code(
        "\t.text\nf:\tcall g@PLT\ng:\tmov al, BYTE PTR 4[esp]\n\tret\n",
        "e800000000 8a442404 c3",
    );
}

#[test]
fn data_of_compilers_has_its_bytes_and_its_names() {
    let image = image(
        "\t.text\nf:\tmov eax, DWORD PTR counter.0\n\tmov ecx, OFFSET FLAT:.LC0\n\tret\n\t.data\n\t.align 4\n\
         \t.type\tcounter.0, @object\ncounter.0:\n\t.long\t7\n\t.value 1\n\t.section\t.rodata.str1.1,\"aMS\",@progbits,1\n\
         .LC0:\n\t.string\t\"a;\\n#\"\n\t.byte 1,2\n\t.zero 2\n\t.section .debug_info\n\t.long .Lnowhere\n",
    );
    assert_eq!(
        bytes(&image, "_DATA"),
        "07000000 0100 613b0a2300 0102 0000".replace(' ', "")
    );
    let names = |name: &str| image.symbols.iter().any(|symbol| symbol.name == name);
    assert!(names("counter.0") && names(".LC0"), "{:#?}", image.symbols);
}

#[test]
fn listings_of_objdump_are_the_code_that_they_show() {
    let listed = "\na.o:     file format elf32-i386\n\n\nDisassembly of section .text:\n\n00000000 <f>:\n   0:\t8b 44 24 04 \
                  \tmov    eax,DWORD PTR [esp+0x4]\n   4:\ta8 01                \ttest   al,0x1\n   6:\t74 02                \
                  \tje     a <f+0xa>\n   8:\td1 e8                \tshr    eax,1\n   a:\te8 f1 ff ff ff       \tcall   0 \
                  <f>\n   f:\te9 fc ff ff ff       \tjmp    10 <f+0x10>\n\t\t\t10: R_386_PC32\tg\n\n00000014 <g>:\n  14:\t\
                  c3                   \tret\n";
    let bytes = "8b442404 a801 7402 d1e8 e8f1ffffff eb00 c3";
    code(listed, bytes);
    let bare: String = listed
        .lines()
        .map(|line| match line.split('\t').collect::<Vec<_>>()[..] {
            [address, _, code] if address.ends_with(':') => format!("{address} {code}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    assert!(bare.contains("   6: je     a <f+0xa>\n"), "{bare}");
    code(&bare, bytes);
}

#[test]
fn att_syntax_is_the_code_that_the_gnu_assembler_makes_of_it() {
    // The bytes are those of GNU's assembler 2.40.
    for (line, made) in [
        ("repnz scas %es:(%edi),%al", "f2ae"),
        ("rep movsl %ds:(%esi),%es:(%edi)", "f3a5"),
        ("movsl %gs:(%esi),%es:(%edi)", "65a5"),
        ("lods %ds:(%esi),%eax", "ad"),
        ("repz ret", "f3c3"),
        ("lret $4", "ca0400"),
        ("data16 nop", "6690"),
        ("xchg %ax,%ax", "6690"),
        ("nopw 0x0(%eax,%eax,1)", "660f1f0400"),
        ("jmp *4(,%eax,4)", "ff248504000000"),
        ("call *8(%eax)", "ff5008"),
        ("call *0x804c010", "ff1510c00408"),
        ("fld %st(1)", "d9c1"),
        ("fstp %st(0)", "ddd8"),
        ("fnstsw %ax", "dfe0"),
        ("fsub %st(1),%st", "d8e1"),
        ("fsub %st,%st(1)", "dce1"),
        ("fsubrp %st,%st(1)", "dee9"),
        ("fdivp", "def1"),
        ("fdivr %st(3),%st", "d8fb"),
        ("fsubs 4(%esp)", "d8642404"),
        ("fidivrs 4(%esp)", "de7c2404"),
        ("fldl (%eax)", "dd00"),
        ("fldt 4(%esp)", "db6c2404"),
        ("fildll 4(%esp)", "df6c2404"),
        ("fistps 4(%esp)", "df5c2404"),
        ("fucomip %st(1),%st", "dfe9"),
        ("movzbl (%ecx),%eax", "0fb601"),
        ("movswl 2(%ecx),%eax", "0fbf4102"),
        ("imull $0x1234,%edx,%eax", "69c234120000"),
        ("enter $16,$0", "c8100000"),
        ("cltd", "99"),
        ("lock cmpxchgl %edx,(%ecx)", "f00fb111"),
        ("shldl $3,%eax,%edx", "0fa4c203"),
        ("shldl %eax,%edx", "0fa5c2"),
        ("btl $3,(%eax)", "0fba2003"),
        ("setne 4(%esp)", "0f95442404"),
        ("cmovne %edx,%ecx", "0f45ca"),
        ("movl %gs:0x14,%eax", "65a114000000"),
        ("movb $1,0x804c010", "c60510c0040801"),
        ("movl -16(%ebp,%eax,4),%eax", "8b4485f0"),
        ("movl 4+8(%esp),%eax", "8b44240c"),
        ("pushl 4(%esp)", "ff742404"),
        ("pushw $5", "666a05"),
        ("pushw %es", "6606"),
        ("popw %ds", "661f"),
        ("popw %fs", "660fa1"),
        ("popl (%eax)", "8f00"),
        ("pushal", "60"),
        ("testb $1,(%eax)", "f60001"),
        ("shrl %ecx", "d1e9"),
        ("sarl %cl,(%eax)", "d338"),
        ("andl $-16,%esp", "83e4f0"),
        ("movl $010,%eax", "b808000000"),
        ("movl $0b11,%eax", "b803000000"),
        ("movl $(1<<4)|2,%eax", "b812000000"),
        ("cmpb $'a,%al", "3c61"),
        ("movw %ds,(%eax)", "8c18"),
        ("mov %eax,%ds", "8ed8"),
        ("inb %dx,%al", "ec"),
        ("movq (%eax),%mm0", "0f6f00"),
        ("lcall *(%eax)", "ff18"),
        ("bound %eax,(%edx)", "6202"),
        ("lds (%eax),%ebx", "c518"),
        ("pushw %gs:4(%ecx,%esi)", "6566ff743104"),
        ("movl %ds:8(%ebp),%eax", "3e8b4508"),
        ("movl %ds:8(%ecx),%eax", "8b4108"),
        ("movl %ss:8(%ebp),%eax", "8b4508"),
        ("lcall $8,$0x1234", "9a341200000800"),
        ("ljmp $8,$0x1234", "ea341200000800"),
        ("notrack jmp *%eax", "3effe0"),
    ] {
        code(&format!("\t.text\n\t{line}\n\tpushl %ecx\n"), &format!("{made}51"));
    }
    // Statements, labels and comments; in Intel syntax a semicolon separates only if code follows each.
    code("1: decl %ecx; jnz 1b; rep; ret # ;\n", "49 75fd f3c3");
    code(
        "\t.intel_syntax noprefix\n\tmov eax, 1; mov ecx, 010 /* ; */; nop\n",
        "b801000000 b908000000 90",
    );
    code("\t.intel_syntax noprefix\n; two\n\tmov eax, 2; nothing\n", "b802000000");
    code(
        "\t.intel_syntax noprefix\n\tdec %eax\n\t.att_syntax\n\tincl %eax\n",
        "48 40",
    );
    // Numbers with a mark are in this syntax, without any register beside them.
    code("\t.text\n\tpush $-128\n\tpush 128\n", "6a80 ff3580000000");
    // Data has no size.
    code(
        "\t.text\n\tfldcw x(%eax)\n\tfbld x(%eax)\n\tret\n\t.data\nx:\t.long 1\n",
        "d9a800204000 dfa000204000 c3",
    );
    // Names that MASM gives a meaning, and that Intel syntax gives registers.
    code("\t.globl proc\nproc:\tcall add\nadd:\tjmp proc\n", "e800000000 ebf9");
    code(
        "\tmovl eax, %eax\n\tret\n\t.data\neax: .long 1\n\t.text\n\tnop\n",
        "a100204000 c3 90",
    );
}

#[test]
fn numbers_have_64_bits_until_a_field_takes_them() {
    // The bytes are those of GNU's assembler 2.40.
    for (text, made) in [
        (".set k,7\n.long -k>>1", "fcffffff"),
        (".set k,7\n.quad -1>>k", "ffffffffffffff01"),
        (".set k,3\n.long (1<<40)/k", "55555555"),
        (".set k,3\naddl $-1>>k,%ecx", "83c1ff"),
        (".set k,40\n.set big,1<<k\n.quad big>>36", "1000000000000000"),
        (
            ".long -k>>1\n.set k,7\n.long -k>>1\n.set k,9\n.long -k>>1",
            "fcffffff fcffffff fbffffff",
        ),
        (
            ".set k,0\n.rept 3\n.byte k|8\n.set k,k+1\n.endr\n.byte k|8",
            "08 09 0a 0b",
        ),
        ("a: nop\nnop\nb:\n.long (a-b)>>1", "90 90 ffffffff"),
        ("addl $e,%ecx\n.set e,9", "81c109000000"),
        ("movl e+1(%ebx),%ecx\n.set e,9", "8b8b0a000000"),
        ("a: nop\nb:\nmovl -(c-b)(%ebx),%eax\nc:", "90 8b83faffffff"),
        ("a: nop\nb:\nmovl c-b,%eax\nc:", "90 a105000000"),
        ("a: nop\nnop\nb:\n.quad (a-b)>>4", "90 90 ffffffffffffff0f"),
        ("a: nop\nnop\nb:\nmovl $(b-a)>>1,%eax", "90 90 b801000000"),
        ("a: nop\nnop\nb:\n.set k,5\n.long k-~(b-a)", "90 90 08000000"),
        ("a: nop\nnop\nb:\n.set k,5\nmovl k-~(b-a)(%ecx),%eax", "90 90 8b4108"),
    ] {
        code(&format!("\t.text\n{text}\n\tpushl %ecx\n"), &format!("{made}51"));
    }
}

#[test]
fn labels_that_are_numbers_are_addresses_in_every_operand() {
    // The bytes are those of GNU's assembler 2.40, with the address at which the code is.
    for (text, made) in [
        ("1: nop\n.long 1b,1f-1b\n1:", "90 00104000 09000000"),
        ("movl $1f,%eax\n1: movl 1b(%ecx),%eax", "b805104000 8b8105104000"),
        ("1: nop\n.rept 2\n1: jmp 1b\n.endr\n.long 1b", "90 ebfe ebfe 03104000"),
        ("1: nop\n.byte 0b1,0x1f,.-1b", "90 01 1f 03"),
        ("a: .long 1,.-a,.-a", "01000000 04000000 08000000"),
        (
            ".float 5,-1e3,-.5\n.double 2",
            "0000a040 00007ac4 000000bf 0000000000000040",
        ),
        (
            ".asciz \"a\" \"b\",\"c\"\n.fill 2,8,1",
            "61620063 00 0100000000000000 0100000000000000",
        ),
    ] {
        code(&format!("\t.text\n{text}\n\tpushl %ecx\n"), &format!("{made}51"));
    }
    let image = image("\t.text\nf:\tmovl $1f, %eax\n\tret\n\t.data\n\t.long 7\n1:\t.long 1b\n");
    assert_eq!(bytes(&image, "_TEXT"), "b804204000c3");
    assert_eq!(bytes(&image, "_DATA"), "0700000004204000");
}

#[test]
fn characters_are_numbers_in_every_operand() {
    // The bytes are those of GNU's assembler 2.40.
    for (line, made) in [
        ("movl $'\\n',%eax", "b80a000000"),
        ("cmpb $'\\n',(%esi)", "803e0a"),
        ("cmpb $'\\n,(%esi)", "803e0a"),
        ("cmpb $'\\'',%al", "3c27"),
        ("cmpb $'\\\\',%al", "3c5c"),
        ("cmpb $'(',%al", "3c28"),
        ("cmpb $';',%al; cmpb $'#',%al # '", "3c3b 3c23"),
        ("movb $'\\0,%al", "b030"),
        ("movb $'\\t+1,%al", "b00a"),
        ("movl 'a'(%eax),%ecx", "8b4861"),
        (".byte '\\0,'\\b,'\\f,'\\r','a,',','\"',1", "30 08 0c 0d 61 2c 22 01"),
    ] {
        code(&format!("\t.text\n\t{line}\n\tpushl %ecx\n"), &format!("{made}51"));
    }
    code(
        "\t.intel_syntax noprefix\n\tcmp al, '\\n'\n\tcmp BYTE PTR [esi], '['\n",
        "3c0a 803e5b",
    );
}

#[test]
fn errors_are_at_the_lines_that_were_pasted() {
    let found = complaints("\t.text\n.LFB0:\nf:\tmvo eax, 3\n\tjmp\t.L9\n");
    assert_eq!(
        found,
        [
            "3: unknown instruction, directive or macro `mvo` | did you mean `mov`?",
            "4: undefined symbol `.L9`"
        ]
    );
    let found = complaints("\t.text\n\tmovl %eax, (%ecx\n\tincl 4(%eax,%esp,2)\n\tmovl $1, nowhere; nop; jmp away\n");
    assert!(found.iter().all(|one| one.starts_with(['2', '3', '4'])), "{found:#?}");
    assert_eq!(found.len(), 4, "{found:#?}");
    let found = complaints("\tmovl\tx@TLSGD(%ebx), %eax\n.L3:\tret\n");
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].starts_with("1: position-independent code"), "{found:#?}");
}

#[test]
fn other_text_is_read_as_before() {
    // Labels that are numbers are no addresses, and local labels of NASM are none of a compiler.
    for text in [
        ".code\nmain: mov eax,1\n.L3: nop\nend main\n",
        "x: mov dword [eax], 1\n.L3: nop\n",
    ] {
        assert!(!complaints(text).iter().any(|line| line.contains("position")), "{text}");
    }
    let found = complaints(".macro twice reg\nadd \\reg, \\reg\n.endm\n.L3: twice eax\n.incbin \"table\"\n");
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].contains("GNU assembler source with `.incbin`"), "{found:#?}");
}

#[test]
fn names_of_cxx_are_names_wherever_they_stand() {
    code(
        "int A::f<int>(int, char const*):\n\tcall\tint A::f<int>(int, char const*)\n\tjmp\toperator+(A const&, A const&)\n\
         operator+(A const&, A const&):\n\tpush\tOFFSET FLAT:main::{lambda(int)#1}::operator()(int) const\n\tret\n\
         main::{lambda(int)#1}::operator()(int) const:\n\tret\n",
        "e8fbffffff eb00 680d104000 c3 c3",
    );
    let image = image(
        "f(int):\n\tmov\teax, DWORD PTR A::x+4\n\tret\nA::x:\n\t.long\tf(int)+1\n\t.long\tvtable for A\n\
                       vtable for A:\n\t.long\t0\n",
    );
    assert_eq!(bytes(&image, "_DATA"), "01104000 08204000 00000000".replace(' ', ""));
    // What is not surely such a name keeps its complaint.
    for (text, complaint) in [
        (
            ".model flat\n.code\nsum(int):\nret\nend\n",
            "3: unknown instruction, directive or macro `sum`",
        ),
        ("mov eax,1\nf(int)\n", "2: unknown instruction, directive or macro `f`"),
    ] {
        let found = complaints(text);
        assert!(found.iter().any(|line| line.starts_with(complaint)), "{found:#?}");
    }
    assert_eq!(
        complaints(".LC0:\n\t.string \"a\"\nf(int):\n\tcall g(int)\n\tcall std::terminate()\n"),
        [
            "4: undefined symbol `g(int)`",
            "5: undefined symbol `std::terminate()` | the library of C++ defines it: link a program, `g++ -m32 -g \
             -static FILE.cpp -o PROGRAM`, then `p5inst PROGRAM`"
        ]
    );
}

#[test]
fn listings_of_microsoft_are_functions_without_their_frame() {
    code(
        "; Listing generated by Microsoft (R) Optimizing Compiler\n\tTITLE\ta.c\n\t.686P\n\t.XMM\n\tinclude listing.inc\n\
         \t.model\tflat\nINCLUDELIB LIBCMT\nPUBLIC\t_f\nEXTRN\t_g:PROC\n_TEXT\tSEGMENT\n_n$ = 8\n_f\tPROC\n; Line 3\n\
         \tmov\teax, DWORD PTR _n$[esp-4]\n\tnpad\t1\n\tjmp\tDWORD PTR $LN9@f[eax*4]\n$LN3@f:\n\tret\t0\n$LN9@f:\n\
         \tDD\t$LN3@f\n_f\tENDP\n_TEXT\tENDS\nxdata$x\tSEGMENT\n_x\tDD\t1\nxdata$x\tENDS\nEND\n",
        "8b442404 90 ff24850d104000 c3 0c104000",
    );
    let image = image(
        "int counter DD 05H ; counter\n\nint f(int) PROC ; f, COMDAT\n mov eax, DWORD PTR int counter\n\
                       call int f(int) ; f\n ret 0\nint f(int) ENDP ; f\n",
    );
    assert_eq!(bytes(&image, "_DATA"), "05000000");
    assert_eq!(bytes(&image, "_TEXT"), "a100204000 e8f6ffffff c3".replace(' ', ""));
}

#[test]
fn alignments_have_the_bytes_of_the_gnu_assembler() {
    for (align, bytes) in [
        (".p2align 4,,10", "90 c3"),
        (".p2align 3", "90 8db42600000000 c3"),
        (".p2align 4", "90 8db42600000000 8db4260000000090 c3"),
        (".balign 4", "90 8d7600 c3"),
        (".align 2", "90 90 c3"),
        (".align 4, 0xcc", "90 cccccc c3"),
        (".p2align 1+1, 0", "90 000000 c3"),
        (".balign 4, 0x90, 2", "90 c3"),
    ] {
        code(&format!("\t.text\nf:\tnop\n\t{align}\n\tret\n"), bytes);
    }
}
