//! Encoding tests: expressions, operands, data and layout.

use super::{bytes, code, data, image, symbol};

#[test]
fn expressions_bind_as_masm_documents() {
    for (expression, value) in [
        ("2+3*4", 14),
        ("(2+3)*4", 20),
        ("1 shl 4 + 1", 17),
        ("(1+2) shl 16", 0x30000),
        ("7 mod 4", 3),
        ("(-7FFFFFFFFFFFFFFFh-1) mod (-1)", 0),
        ("not 0", 0xFFFF_FFFF),
        ("1 or 2 and 2", 3),
        ("3 eq 3", 0xFFFF_FFFF),
        ("3 lt 2", 0),
        ("high 1234h", 0x12),
        ("low 1234h", 0x34),
        ("-1 shr 28", 15),
        ("'AB'", 0x4142),
        ("-(5-3)", 0xFFFF_FFFE),
        ("10 - 2 - 3", 5),
        ("0fh xor 5", 10),
        ("size dword", 4),
        ("type word", 2),
        ("not 1 eq 2", 0xFFFF_FFFF),
    ] {
        let image = image(&format!("mov eax, {expression}\n"));
        let number = u32::from_le_bytes(image.segments[0].bytes[1..5].try_into().unwrap());
        assert_eq!(number, value, "{expression}");
    }
}

#[test]
fn a_bare_symbol_is_a_typed_memory_operand() {
    code(
        "mov eax,_TSC\nimul _TSC\nsub eax,v\nmov [v + 4],22\nmov b,1\ninc w\n_TSC dd 0\nv dd 1,2\nb db 0\nw dw 0\n",
        "a100204000 f72d00204000 2b0504204000 c7050820400016000000 c6050c20400001 66ff050d204000",
    );
}

#[test]
fn addresses_in_every_notation() {
    code(
        "v equ 10h\nmov eax,[ebx][esi]\nmov eax,[ebx+4][ecx*2]\nmov eax,4[ebx]\nmov eax,[ebx].v\nmov eax,es:[edi]\n\
         mov eax,[es:edi]\nmov eax,ds:[1234h]\nmov al,byte ptr [ebx-1]\nlea eax,[eax*4+eax]\nmov eax,[4+ebx*8]\n",
        "8b0433 8b444b04 8b4304 8b4310 268b07 268b07 a134120000 8a43ff 8d0480 8b04dd04000000",
    );
}

#[test]
fn labels_far_and_near() {
    code(
        "@@: dec ecx\njnz @B\njz @F\nnop\n@@: call f\njmp short f\nf: ret\n",
        "49 75fd 7401 90 e802000000 eb00 c3",
    );
    let mut text = String::from("jz far_away\n");
    text.push_str(&"mov eax,12345678h\n".repeat(30));
    text.push_str("far_away: jmp $\n");
    assert!(bytes(&image(&text), "_TEXT").starts_with("0f8496000000"));
}

#[test]
fn branches_that_push_each_other_out_of_reach_settle() {
    // Each branch reaches its target only while the branch inside its range stays short.
    let mut text = String::new();
    for n in 0..40 {
        text.push_str(&format!("jz l{n}\n"));
    }
    text.push_str("db 48 dup(90h)\n");
    for n in 0..40 {
        text.push_str(&format!("l{n}: nop\n"));
    }
    let image = image(&text);
    for row in image.lines.iter().take(40) {
        let start = (row.address - 0x40_1000) as usize;
        let instruction = &image.segments[0].bytes[start..start + row.length as usize];
        let distance = match *instruction {
            [0x74, near] => i32::from(near as i8),
            [0x0F, 0x84, ref far @ ..] => i32::from_le_bytes(far.try_into().unwrap()),
            ref other => panic!("{other:x?}"),
        };
        let target = (row.address + row.length).wrapping_add_signed(distance);
        let label = symbol(&image, &format!("l{}", row.line - 1));
        assert_eq!(target, label.value, "line {}", row.line);
    }
}

#[test]
fn call_and_jump_through_data() {
    code(
        "call p\njmp dword ptr [p+4]\ncall f\ncall dword ptr [eax*4+p]\njmp eax\ncall near ptr f\nf: ret\np dd f, f\n",
        "ff1500204000 ff2504204000 e80e000000 ff148500204000 ffe0 e800000000 c3",
    );
}

#[test]
fn data_of_every_kind() {
    data("db 1,2,'ab',\"c'd\",'it''s',?", "01026162 632764 69742773 00");
    data("dw 1,'AB',-1", "0100 4241 ffff");
    data(
        "dd 1.5, -2.0, 3F800000r, 12345678h",
        "0000c03f 000000c0 0000803f 78563412",
    );
    data("dq 1.0, -1", "000000000000f03f ffffffffffffffff");
    data("dt 1.0", "0000000000000080ff3f");
    data("df 1", "010000000000");
    data("db 2 dup(1, 2 dup(3)), 4", "010303 010303 04");
    data(
        "a dd b, offset b+4, $\nb dd a\nc dw b-a",
        "0c204000 10204000 00204000 00204000 0c00",
    );
    data("db 1\nalign 4\ndb 2\neven\ndb 3", "01000000 0200 03");
    data("n = 2\ndb n\nn = n+1\ndb n", "0203");
    data("s db 'hello'\nl equ $-s\ndb l", "68656c6c6f05");
    data("x label dword\nb db 1,2,3,4\ndd x", "01020304 00204000");
}

#[test]
fn structures() {
    let text = "POINT struc\nx dd 1\ny dw 2\nt db 'abcd'\nPOINT ends\n";
    data(
        &format!("{text}p POINT <5,,'xy'>\nq POINT 2 dup(<>)\n"),
        "05000000 0200 78792020 01000000 0200 61626364 01000000 0200 61626364",
    );
    code(
        &format!(
            "{text}mov ax,[ebx].y\nmov eax,[ebx+POINT.x]\nmov cx,p.y\nmov al,byte ptr [ebx].POINT.t\nmov eax,size POINT\np POINT <>\n"
        ),
        "668b4304 8b03 668b0d04204000 8a4306 b80a000000",
    );
}

#[test]
fn segments_lie_on_pages_in_order_code_first() {
    let image = image(
        ".586\n.model flat\n.data\na dd 7\n.data?\nb db 100000 dup(?)\n.code\nnop\nmain: mov eax,a\nret\n.const\nc dd 1\nend main\n",
    );
    let places: Vec<(&str, u32, u32)> = image
        .segments
        .iter()
        .map(|segment| (segment.name.as_str(), segment.address, segment.zeroes))
        .collect();
    assert_eq!(
        places,
        [
            ("_TEXT", 0x40_1000, 0),
            ("_DATA", 0x40_2000, 0),
            ("_BSS", 0x40_3000, 100_000),
            ("CONST", 0x41_C000, 0)
        ]
    );
    assert_eq!((image.entry, image.end), (0x40_1001, Some(0x40_1007)));
    let full = super::image(
        "c segment dword public use32 'CODE'\nassume cs:c\nx: ret\nc ends\nd segment\nv dd x\nd ends\nend x\n",
    );
    assert_eq!((full.entry, bytes(&full, "d")), (0x40_1000, "00104000".to_owned()));
}

#[test]
fn a_snippet_runs_from_its_first_instruction_to_its_end() {
    let image = image("v dd 5,6\nn equ ($-v)/4\nmov ecx,n\ndb 0fh,31h\nt db 'x'\nnop\n");
    assert_eq!(bytes(&image, "_TEXT"), "b9020000000f3190");
    assert_eq!(bytes(&image, "_DATA"), "050000000600000078");
    assert_eq!((image.entry, image.end), (0x40_1000, Some(0x40_1008)));
    assert_eq!(
        image.lines.iter().map(|row| (row.line, row.data)).collect::<Vec<_>>(),
        [(3, false), (4, true), (6, false)]
    );
}

#[test]
fn procedures_save_what_they_use() {
    code(
        "call f\njmp done\nf proc near uses ebx esi\nmov eax,1\nret\nf endp\ndone:\n",
        "e802000000 eb0a 5356b801000000 5e5bc3",
    );
}

#[test]
fn prefixes() {
    code(
        "rep movsd\nrepne scasb\nlock inc dword ptr [eax]\nrep\nstosb\n",
        "f3a5 f2ae f0ff00 f3aa",
    );
}

#[test]
fn radix_and_comment_blocks_and_listing_directives() {
    code(
        ".386\npage 60,132\ntitle don't mind\n.radix 16\nmov eax,10\n.radix 10t\ncomment ^ this\nis 'nothing\n^\nmov ebx,10\nlocals\n",
        "b810000000 bb0a000000",
    );
}

#[test]
fn what_follows_an_origin_that_moves_back_replaces_bytes_and_lines() {
    data(
        "t db 6 dup (5)\norg 2\ndb 7\nv db ?\norg t+8\ndb 9",
        "050507050505000009",
    );
    let image = image("start: mov eax,1\nmov ebx,2\norg 1\ndd 3\nret\nnop\norg start+12\nret\n");
    assert_eq!(
        bytes(&image, "_TEXT"),
        "b803000000 c390 000000 0000 c3".replace(' ', "")
    );
    // Of `mov eax,1` and `mov ebx,2` no whole instruction is left.
    let lines: Vec<u32> = image.lines.iter().map(|row| row.line).collect();
    assert_eq!(lines, [4, 5, 6, 8]);
}

#[test]
fn a_jump_goes_to_a_label_with_the_name_that_a_compiler_gave_it() {
    code(
        ".LBB0_1:\ndec ecx\njne .LBB0_1\njmp short .L3\n.L2: call .LBB0_1\n.L3: loop .L2\nret\n",
        "49 75fd eb05 e8f6ffffff e2f9 c3",
    );
    // In no other place does a dot begin a name; `.type` is an operator.
    assert_eq!(
        super::complaints(".code\n.L3: nop\nmov eax,.L3\njmp .L4\n"),
        [
            "3: expected an operand, found `.`",
            "4: undefined symbol `.L4` | did you mean `.L3`?"
        ]
    );
    code("v equ 4\njmp next\nmov al,.type v\nnext: ret\n", "eb02 b024 c3");
}
