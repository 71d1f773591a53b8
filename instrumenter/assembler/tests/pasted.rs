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
        "33c0 8da42400000000 8da42400000000 03448afc 49 75f9 c3",
    );
    // An alignment that would take more than is allowed takes nothing.
    code("\t.p2align 4,,7\nf:\tnop\n\t.p2align 4,,7\n.L3:\tret\n", "90 c3");
    code("f:\tnop\n\t.p2align 2,,3\n.L3:\tjmp .L3\n", "90 8d4000 ebfe");
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
fn errors_are_at_the_lines_that_were_pasted() {
    let found = complaints("\t.text\n.LFB0:\nf:\tmovl eax, 3\n\tjmp\t.L9\n");
    assert_eq!(
        found,
        [
            "3: unknown instruction, directive or macro `movl` | write `mov`: the operands give the size",
            "4: undefined symbol `.L9`"
        ]
    );
    let found = complaints("\tcall\t__x86.get_pc_thunk.bx\n\tadd\tebx, OFFSET FLAT:_GLOBAL_OFFSET_TABLE_\n.L3:\tret\n");
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
    let found = complaints(".macro twice reg\nadd reg, reg\n.endm\n.L3: twice eax\n");
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].contains("GNU assembler source with `.macro`"), "{found:#?}");
}
