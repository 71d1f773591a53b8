//! MASM 6 and TASM extensions: continuation lines, text functions, scopes, frames, calls, blocks and records.

use super::{bytes, code, complaints, data, image};
use p5_assembler::{DIALECTS, Options};
use std::collections::HashSet;

#[test]
fn lines_go_on_behind_a_backslash_and_behind_a_comma_of_data() {
    code("mov eax, \\ ; the number\n  5\nnop", "b805000000 90");
    data("db 1, 2, ; two\n   3\nx dw 4,\n\t5,\n\t6", "010203 0400 0500 0600");
    assert_eq!(
        complaints("mov eax, \\\n  nowhere\n"),
        ["2: undefined symbol `nowhere`"]
    );
    assert_eq!(complaints("db 1,2\nmov eax,\nnop"), ["2: missing operand"]);
}

#[test]
fn macro_functions_stand_within_lines() {
    code(
        "twice macro n\nexitm %2*n\nendm\nmov eax,twice(21)\nmov al,twice(twice(3))",
        "b82a000000 b00c",
    );
    code(
        "reg macro n\nif n\nexitm <ebx>\nendif\nexitm <eax>\nendm\ninc reg(0)\ninc reg(1)\n",
        "40 43",
    );
    code("f macro n\nnop\nexitm <n>\nendm\nmov al,f(7)", "90 b007");
    let endless = complaints("f macro n\nexitm f(n)\nendm\nmov al,f(7)\n");
    assert!(endless[0].contains("nested deeper than"), "{endless:?}");
    assert_eq!(
        complaints("f macro n\nexitm <n>\nendm\nmov al,f(7\n"),
        ["4: expected `)` after the arguments"]
    );
}

#[test]
fn text_functions_and_directives() {
    code(
        "mov al,@SizeStr(<abc>)\nmov ah,@InStr(,<abc>,<c>)\n"
            .replace("(,", "(")
            .as_str(),
        "b003 b403",
    );
    code("@CatStr(<mo>,<v al>,<,>,%3+4)", "b007");
    code(
        "mov al,'@'\nx equ <eaxebx>\ninc @SubStr(%x,4,3)\ninc @SubStr(%x,1,3)",
        "b040 43 40",
    );
    code("a catstr <mov>,< al,>,%9\na\nn sizestr a\nmov ah,n", "b009 b408");
    code("x substr <nopret>,4\nx\np instr 2,<abab>,<a>\nmov al,p", "c3 b003");
    assert_eq!(
        complaints("x substr <abc>,9\nnop"),
        ["1: position 9 is outside the text of 3 characters | count positions from 1"]
    );
}

#[test]
fn goto_leads_to_a_label_of_the_macro() {
    code(
        "m macro n\nif n\ngoto out\nendif\nnop\n:out\nret\nendm\nm 0\nm 1",
        "90c3 c3",
    );
    let endless = complaints("m macro\n:top\ngoto top\nendm\nm\nnop");
    assert!(endless[0].contains("more than"), "{endless:?}");
    assert!(
        complaints("m macro\ngoto away\nendm\nm\nnop")[0]
            .contains("undefined macro label `away` | write `:away` on its own line in the macro")
    );
}

#[test]
fn errors_asked_for_carry_their_message() {
    assert_eq!(complaints(".errnz 1, <too many>\nnop"), ["1: too many"]);
    assert_eq!(complaints(".erridni <A>,<a>\nnop"), ["1: forced error"]);
    assert!(complaints(".errnz 0\n.erre 1\n.errb <x>\n.errdifi <A>,<a>\nnop").is_empty());
}

#[test]
fn labels_belong_to_their_procedure() {
    code(
        "a proc\nagain: dec eax\njnz again\nret\na endp\nb proc\njmp again\nagain: ret\nb endp",
        "4875fdc3 eb00c3",
    );
    code("a proc\nx: ret\na endp\njmp x", "c3 ebfd");
    code("a proc\njmp x\nx:: ret\na endp\nb proc\njmp x\nb endp", "eb00c3 ebfd");
    let several = complaints("a proc\nx: ret\na endp\nb proc\nx: ret\nb endp\njmp x");
    assert!(several[0].contains("is ambiguous"), "{several:?}");
    code("locals\na: jmp @@1\n@@1: nop\nb: jmp @@1\n@@1: nop", "eb0090 eb0090");
}

#[test]
fn procedures_have_frames() {
    code(
        ".model flat, stdcall\n.code\nf proc uses ebx, a:dword, b:byte\nlocal x:dword, y[8]:byte\nmov eax,a\nmov bl,b\n\
         mov x,eax\nlea eax,y\nret\nf endp\n",
        "55 8bec 83ec0c 53 8b4508 8a5d0c 8945fc 8d45f4 5b c9 c20800",
    );
    code(
        ".model flat,c\n.code\nf proc a:dword\nmov eax,a\nret\nf endp\n",
        "55 8bec 8b4508 c9 c3",
    );
    code(
        ".model flat,pascal\n.code\nf proc a:dword,b:dword\nmov eax,a\nret\nf endp\n",
        "55 8bec 8b450c c9 c20800",
    );
    code(
        "f proc\narg a:dword,b:dword = size1\nlocal x:dword = size2\npush ebp\nmov ebp,esp\nsub esp,size2\nmov eax,a\nmov ecx,b\nmov x,eax\nleave\nret size1\nf endp",
        "55 8bec 83ec04 8b4508 8b4d0c 8945fc c9 c20800",
    );
    assert!(complaints("f proc a:dword\nret\nf endp")[0].contains("has no calling convention"));
    code("f proc uses eax\nl: ret\nf endp", "50 58 c3");
}

#[test]
fn invoke_pushes_and_takes_back() {
    code(
        ".model flat,c\n.data\nv dd 1\nw db 1\n.code\nf proto :dword, :dword\nmain proc\nlocal n:dword\n\
         invoke f, 1, eax\ninvoke f, n, addr n\nret\nmain endp\nf proc a:dword,b:dword\nret\nf endp\nend main",
        "55 8bec 83ec04 50 6a01 e812000000 83c408 8d45fc 50 ff75fc e804000000 83c408 c9 c3 55 8bec c9 c3"
            .replace("e812", "e814")
            .replace("e804", "e805")
            .as_str(),
    );
    assert!(complaints(".model flat,c\n.code\nf proto :dword\ninvoke f\nnop")[0].contains("expected 1, found 0"));
}

#[test]
fn blocks_become_compares_and_jumps() {
    code(".if eax == 1\nnop\n.else\nret\n.endif", "83f801 7503 90 eb01 c3");
    code(
        ".if eax > 1 && !(ebx < 2 || CARRY?)\nnop\n.endif",
        "83f801 7608 83fb02 7203 7201 90",
    );
    code(".while ecx\ndec ecx\n.break .if zero?\n.endw", "eb03 49 7404 0bc9 75f9");
    code(".repeat\ndec eax\n.until eax == 0", "48 0bc0 75fb");
    code(".repeat\nnop\n.untilcxz", "90 e2fd");
    assert!(complaints(".if eax\nnop")[0].contains("never closed"));
    assert!(complaints(".endw\nnop")[0].contains("no matching `.while`"));
    assert!(complaints(".if\nnop\n.endif")[0].contains("expected a condition"));
}

#[test]
fn records_unions_and_types() {
    code(
        "r record a:3,b:5\nmov al,mask a\nmov ah,width b\nmov bl,a\nmov cl,mask r",
        "b0e0 b405 b305 b1ff",
    );
    data(
        "s struct\na db 1\nunion\nb dw 2\nc db 3\nends\nd db 4\ns ends\nx s <>\ny s <7>\ndb s.c,s.d,sizeof s",
        "01020004 07020004 010304",
    );
    data(
        "s struct\nstruct p\nx db 1\ny db 2\nends\nz db 3\ns ends\nv s <>\ndb s.z",
        "010203 02",
    );
    data("handle typedef dword\nh handle 5\ndb sizeof handle", "05000000 04");
    data("pushstate\n.radix 16\ndb 10\npopstate\ndb 10", "100a");
}

#[test]
fn ideal_mode_names_things_behind_their_directives() {
    code(
        "ideal\np386\nmodel flat\n%nolist\nstruc pt\nx dd ?\ny dd ?\nends pt\nmacro two r\ninc r\ninc r\nendm two\n\
         codeseg\nproc f near\nmov eax,[dword ptr ebx+4]\nmov [byte ebx],1\nmov eax,[(pt ebx).y]\ntwo ecx\njmp @@1\n\
         @@1: ret\nendp f\nmasm\ng proc\nret\ng endp\nend f\n",
        "8b4304 c60301 8b4304 4141 eb00 c3 c3",
    );
    code(
        "mov al,byte ptr [ebx]\nideal\nmov al,[byte ptr ebx]\ninc [dword ebx+4]\ninc byte [ebx]",
        "8a03 8a03 ff4304 fe03",
    );
}

#[test]
fn tasms_shorthands() {
    code("push eax ebx\npop ebx eax", "50 53 5b 58");
    code(
        ".model flat,c\n.code\nf: ret\nstart: call f,1,2\ncall f pascal,1,2\nend start",
        "c3 6a02 6a01 e8f6ffffff 83c408 6a01 6a02 e8eaffffff",
    );
    code(
        "mov eax,ds:dword ptr[4+ebx]\nmov es:byte ptr [ebx],1",
        "8b4304 26c60301",
    );
}

#[test]
fn the_modes_of_the_program_and_of_the_library_are_their_own() {
    let source = |region: &str| {
        format!(".radix 16\nlocals\nfirst:\njmp @@next\n{region}nop\n@@next: mov eax,10\njmp @F\n{region}@@: ret\n")
    };
    let own = "StartTSC macro\nendm\nEndTSC macro\nendm\n";
    let measured = image(&source("StartTSC\nEndTSC\n"));
    assert_eq!(measured.regions.len(), 2);
    // Hexadecimal 10, and a local label after the labels of the macros.
    let plain = bytes(&image(&format!("{own}{}", source(""))), "_TEXT");
    assert!(bytes(&measured, "_TEXT").contains("b810000000") && plain.contains("b810000000"));
}

#[test]
fn dialects_have_names_of_their_own_and_one_of_them_is_the_default() {
    let names: HashSet<&str> = DIALECTS.iter().map(|dialect| dialect.name).collect();
    assert_eq!(names.len(), DIALECTS.len());
    let default = Options::default().dialect;
    assert_eq!((default.name, names.contains(default.name)), ("masm", true));
}
