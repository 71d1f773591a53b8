//! What programs of a first course are told: code of the 8086, screens, tables of bytes, fragments, and lessons on the
//! cache.

use crate::started::{finished, text};
use std::process::Output;

/// The command on a source, in the file `a.asm`.
fn run(source: &str, line: &str) -> Output {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("a.asm"), source).expect("a file is written");
    finished(folder.path(), line)
}

/// What the command prints, on one line.
fn told(source: &str, line: &str) -> String {
    let output = run(source, line);
    let all = [text(&output.stdout), text(&output.stderr)].join(" ");
    all.split_whitespace().collect::<Vec<_>>().join(" ")
}

const ENDS: &str = "mov ax,4c00h\nint 21h\n";

#[test]
fn instructions_that_the_8086_lacks_are_told() {
    let checked = |head: &str, line: &str| {
        let source = format!("{head}.code\nmain: {line}\n{ENDS}end main\n");
        told(&source, "check a.asm")
    };
    for (line, words) in [
        ("pusha", "the 8086 has no `pusha`: this is code of the 80186"),
        (
            "imul ax,bx,3",
            "the 8086 cannot multiply by a number: this is code of the 80186",
        ),
        ("movzx ax,bl", "the 8086 has no `movzx`: this is code of the 80386"),
        (
            "mov eax,ebx",
            "the 8086 has no register `eax`: this is code of the 80386",
        ),
        (
            "add [bx],ecx",
            "the 8086 has no register `ecx`: this is code of the 80386",
        ),
        ("setz al", "help: write `.386` after `.model`"),
        ("push 5", "the 8086 cannot push a number: this is code of the 80186"),
    ] {
        let report = checked(".8086\n.model small\n.stack 64\n", line);
        assert!(report.contains(words), "{line}: {report}");
        let later = checked(".model small\n.386\n.stack 64\n", line);
        assert!(!later.contains("the 8086"), "{line}: {later}");
    }
    for (head, line, words) in [
        (
            ".286",
            "movzx ax,bl",
            "the 80286 has no `movzx`: this is code of the 80386",
        ),
        (
            ".286",
            "mov eax,1",
            "the 80286 has no register `eax`: this is code of the 80386",
        ),
        (".186", "lodsd", "the 80186 has no `lodsd`: this is code of the 80386"),
        (".186", "smsw ax", "the 80186 has no `smsw`: this is code of the 80286"),
        (".286", "smsw ax", ""),
        (".286", "push 5", ""),
    ] {
        let report = checked(&format!("{head}\n.model small\n.stack 64\n"), line);
        assert!(
            report.contains(words) && report.is_empty() == words.is_empty(),
            "{head} {line}: {report}"
        );
    }
    // Without any processor, only what the 80186 has is told.
    let unnamed = checked(".model small\n.stack 64\n", "enter 4,0");
    let words = "the 8086 has no `enter`, and no other processor is named: this is code of the 80186";
    assert!(unnamed.contains(words), "{unnamed}");
    assert_eq!(checked(".model small\n.stack 64\n", "mov eax,ebx"), "");
    for (head, register) in [(".8086\n.model small\n", "`ax`"), (".386\n.model flat\n", "`eax`")] {
        let report = checked(head, "push al");
        assert!(report.contains(&format!("help: use {register}")), "{report}");
    }
}

#[test]
fn bytes_are_text_if_they_say_words() {
    let filled = |definition: &str, first: u8, step: i8| {
        let source = format!(
            ".386\n.model flat\n.data\n{definition}\n.code\nmain: mov edi,offset buf\nmov ecx,16\nmov al,{first}\n\
             put: mov [edi],al\nadd al,{step}\ninc edi\ndec ecx\njnz put\nret\nend main\n"
        );
        told(&source, "a.asm --long")
    };
    // A table that begins at a space.
    let table = filled("buf db 16 dup(0)", 32, 1);
    assert!(table.contains("; now 32, 33, 34"), "{table}");
    let letters = filled("buf db 16 dup(0)", 65, 1);
    assert!(letters.contains("; now 'ABCDEFGHIJKLMNOP'"), "{letters}");
    // The source says that it is text.
    let text = filled("buf db '................'", 32, 1);
    assert!(text.contains("; now ' !\"#"), "{text}");
}

#[test]
fn an_end_macro_that_is_reached_without_its_start_is_told() {
    let source = ".386\n.model flat\n.code\nstart: mov ecx,100\njmp l\nStartTSC q\nl: add al,1\ndec ecx\njnz l\n\
                  EndTSC\nret\nend start\n";
    let report = told(source, "a.asm");
    let words = "q, lines 6-10: no pass: its end macro was reached, but not its start macro";
    assert!(report.contains(words), "{report}");
    let left = told(
        &source.replace("jmp l\n", "").replace("jnz l\n", "jnz l\nret\n"),
        "a.asm",
    );
    assert!(left.contains("no pass reached its end macro"), "{left}");
}

#[test]
fn a_fragment_is_checked_as_it_runs() {
    let fragment = "mov eax,[esi]\nadd eax,count\nmov total,eax\n";
    let checked = run(fragment, "check a.asm");
    assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stderr));
    assert_eq!(text(&checked.stderr), "");
    // A program lacks the name.
    let program = format!(".386\n.model flat\n.code\nmain: {fragment}ret\nend main\n");
    let checked = told(&program, "check a.asm");
    assert!(checked.contains("undefined symbol `count`"), "{checked}");
    let wrong = told("mov eax,[esi\nadd eax,count\n", "check a.asm");
    assert!(wrong.contains("error"), "{wrong}");
}

#[test]
fn a_program_of_dos_without_an_end_is_told() {
    let source = ".model small\n.stack 64\n.code\nmain: mov ax,1\nend main\n";
    let words = "the program does not end: DOS would execute what follows its last instruction";
    assert!(told(source, "a.asm").contains(words), "{}", told(source, "a.asm"));
    let ends = source.replace("end main", &format!("{ENDS}end main"));
    assert!(!told(&ends, "a.asm").contains(words));
    let flat = ".386\n.model flat\n.code\nmain: mov eax,1\nend main\n";
    assert!(!told(flat, "a.asm").contains(words));
}

#[test]
fn a_main_procedure_without_an_end_is_told() {
    let source = ".model small\n.stack 64\n.data\nm db 'a$'\n.code\nmain proc\nmov ax,@data\nmov ds,ax\nmov cx,2\n\
                  again: call print\nloop again\nmain endp\nprint proc\nmov dx,offset m\nmov ah,9\nint 21h\nret\n\
                  print endp\nend main\n";
    let into = "`main` runs on into `print` after line 11";
    let returns = "DOS leaves no address on the stack of an .exe";
    let report = told(source, "a.asm");
    assert!(report.contains(into) && report.contains(returns), "{report}");
    let ends = source.replace("main endp", &format!("{ENDS}main endp"));
    let report = told(&ends, "a.asm");
    assert!(
        !report.contains("runs on into") && !report.contains(returns),
        "{report}"
    );
    let flat = ".586\n.model flat\n.code\nmain proc\nmov ecx,5\ncall square\nmain endp\nsquare proc\nmov eax,ecx\n\
                imul eax,ecx\nret\nsquare endp\nend main\n";
    let report = told(flat, "a.asm");
    assert!(
        report.contains("`main` runs on into `square` after line 6") && !report.contains(returns),
        "{report}"
    );
    let report = told(&flat.replace("main endp", "ret\nmain endp"), "a.asm");
    assert!(!report.contains("runs on into"), "{report}");
}

#[test]
fn a_return_from_a_com_file_ends_it_for_advice() {
    let source = ".model tiny\n.386\n.code\norg 100h\nstart: mov si,offset buf\nmov cx,256\nxor ax,ax\n\
                  l: mov al,[si]\nadd bl,al\ninc si\ndec cx\njnz l\nret\nbuf db 256 dup (1)\nend start\n";
    let output = run(source, "advise a.asm");
    let report = text(&output.stdout);
    assert!(
        output.status.success() && report.contains("3 blocks examined"),
        "{report}"
    );
    assert!(!report.contains("leads is not known"), "{report}");
}

#[test]
fn what_a_screen_shows_is_told_in_a_line() {
    let source = format!(
        ".model tiny\n.386\n.code\norg 100h\nstart: mov ax,13h\nint 10h\nmov ax,0A000h\nmov es,ax\nmov di,322\n\
         mov al,7\nmov cx,100\nrep stosb\n{ENDS}end start\n"
    );
    let words = "screen: 100 bytes of A0000h to AFFFFh changed, the first at A000:0142h";
    let report = told(&source, "a.asm");
    assert!(report.contains(words), "{report}");
    let json = run(&source, "a.asm --format json");
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(json["screen"]["bytes"], 100);
    assert_eq!(json["screen"]["first"], 0xA0142);
    let none = told(&source.replace("rep stosb", "nop"), "a.asm");
    assert!(!none.contains("screen:"), "{none}");
}

#[test]
fn misses_that_the_macros_cause_are_told() {
    let source = |count: u32| {
        format!(
            ".386\n.model flat\n.data\nalign 4096\ndd 0\nbuf db 65536 dup(0)\n.code\nstart: mov edx,50\nagain:\n\
             mov esi,offset buf\nmov ecx,{count}\nStartTSC reads\nl: mov eax,[esi]\nadd esi,4096\ndec ecx\njnz l\n\
             EndTSC\ndec edx\njnz again\nret\nend start\n"
        )
    };
    let report = told(&source(2), "a.asm");
    let words = "region reads: 20 of the 28 clocks of its last pass are misses of lines that the macros evict; `p5inst \
                 audit` shows it without macros";
    assert!(report.contains(words), "{report}");
    // Sixteen lines miss without macros as well.
    let own = told(&source(16), "a.asm");
    assert!(!own.contains("the macros evict"), "{own}");
    // Few of the clocks are misses, but the code fits into its cache, and only the macros evict any of it.
    let unrolled = |times: u32| {
        format!(
            ".386\n.model flat\n.data\nalign 4\nrow dd 1280 dup(0)\n.code\nstart: mov esi,offset row\nmov ecx,10\n\
             StartTSC fill\nnext:\noff = 0\nrept {times}\nmov al,[esi+off]\nadd edx,ebp\nadc al,3\nmov [esi+off],al\n\
             off = off+1\nendm\nadd esi,{times}\ndec ecx\njnz next\nEndTSC\nret\nend start\n"
        )
    };
    let report = told(&unrolled(512), "a.asm");
    assert!(
        report.contains("clocks of its last pass are misses of lines that the macros evict, ")
            && report.contains(" of them of code; "),
        "{report}"
    );
    let short = told(&unrolled(16), "a.asm");
    assert!(!short.contains("the macros evict"), "{short}");
}

#[test]
fn registers_are_explained() {
    let report = told("", "explain registers");
    assert!(report.contains("Eight general registers"), "{report}");
}

#[test]
fn a_register_that_nothing_has_set_is_told_once() {
    let flat = |lines: &str| format!(".386\n.model flat\n.data\na dd 1,2,3\n.code\nmain: {lines}\nret\nend main\n");
    let words = "is read in line 9, and nothing has set it: it starts as 0 here";
    let sum = "mov esi,offset a\nmov ecx,3\ncmp ecx,ebp\n";
    for (body, register) in [
        ("l: add eax,[esi]\nadd esi,4\ndec ecx\njnz l", "eax"),
        ("l: add edx,[esi]\nadd edx,eax\nloop l", "edx"),
        ("or edx,1", "edx"),
        ("mov [esi],edx", "edx"),
        ("push dword ptr [esi+edx]\npop eax", "edx"),
    ] {
        let source = flat(&format!("{}{body}", sum.replace("ebp", "esi")));
        let report = told(&source, "a.asm");
        assert!(report.contains(&format!("{register} {words}")), "{report}");
        assert_eq!(report.matches("nothing has set it").count(), 1, "{report}");
    }
    // A branch may lead around what sets it, unless nothing that was executed does.
    let branches = "mov ecx,3\ndec ecx\njz l\nadd eax,ebx\nl: nop";
    let report = told(&flat(branches), "a.asm");
    assert!(
        report.contains("ebx is read in line 9, and nothing has set it"),
        "{report}"
    );
    let report = told(
        &flat(&branches.replace("jz l", "jz l\nmov ebx,1\nsub eax,eax")),
        "a.asm",
    );
    assert!(!report.contains("nothing has set it"), "{report}");
    // What is saved, cleared or given is no mistake.
    for body in [
        "push ebx\nxor eax,eax\nsub edx,edx\npop ebx",
        "pushad\npopad\nmov eax,1\nint 80h",
        "or eax,-1\nand ecx,0\nor dl,0ffh",
        "sub esp,8\nmov [esp+4],ebx\nmov ebx,5\nmov ebx,[esp+4]\nadd esp,8",
    ] {
        let report = told(&flat(body), "a.asm");
        assert!(!report.contains("nothing has set it"), "{body}: {report}");
    }
    let small = format!(".model small\n.stack 64\n.code\nmain: mov bx,3\nadd al,bl\n{ENDS}end main\n");
    let report = told(&small, "a.asm");
    assert!(
        report.contains("ax is read in line 5, and nothing has set it"),
        "{report}"
    );
    // DOS gives a COM program the registers that its author counts on.
    let com = ".model tiny\n.code\norg 100h\nstart: add cx,si\nmov ax,di\nret\nend start\n";
    let report = told(com, "a.asm");
    assert!(!report.contains("nothing has set it"), "{report}");
    assert!(report.contains("eax 0000FFFEh ecx 000001FFh"), "{report}");
}

#[test]
fn an_interrupt_of_21_means_21h() {
    let source = ".model small\n.stack 64\n.code\nmain: mov ah,2\nint 21\nend main\n";
    let report = told(source, "a.asm");
    let words = "nothing handles interrupt 15h: `int 21` in decimal is that, and `int 21h` may be meant; int 15h is \
                 served with AH=88h or AX=E801h";
    assert!(report.contains(words), "{report}");
}

#[test]
fn flat_programs_have_the_services_of_the_bios_that_extenders_pass_on() {
    let source = ".386p\n.model flat\n.code\nstart: mov ax,13h\nint 10h\nmov ax,0E41h\nint 10h\nmov ah,1\nint 16h\n\
                  xor ah,ah\nint 1Ah\nmov ax,4C00h\nint 21h\nend start\n";
    let report = told(source, "a.asm");
    for words in [
        "ended by exit with code 0",
        "Output | A",
        "there is no screen, and so no mode to set",
    ] {
        assert!(report.contains(words), "{words}: {report}");
    }
}

#[test]
fn a_header_of_other_assemblers_makes_a_com_program() {
    for header in ["use16\norg 100h", "org 100h\nuse16"] {
        let source = format!("{header}\nmov al,13h\nint 10h\nmov cx,3\nl: loop l\nret\n");
        let report = told(&source, "a.asm");
        assert!(report.contains("ended by exit with code 0"), "{header}: {report}");
        // Where data has names, they are addresses there.
        let data = told(&format!("{source}msg db 'a$'\n"), "a.asm");
        assert!(
            data.contains("`offset` before a name whose address is meant"),
            "{header}: {data}"
        );
    }
}

#[test]
fn a_budget_on_a_call_is_not_judged() {
    let source = ".386\n.model flat\n.code\nmain: mov ecx,9\ncall wait ; p5: cycles <= 3\nret\nwait proc ; p5: cycles <= \
                  100\nl: dec ecx\njnz l\nret\nwait endp\nend main\n";
    let source = source.replace("wait", "pause_");
    let output = run(&source, "a.asm");
    assert_eq!(output.status.code(), Some(1));
    let report = told(&source, "a.asm");
    let words = "line 5: `cycles <= 3` is not judged: the line calls a procedure, whose clocks are not its own";
    assert!(
        report.contains(words) && report.contains("limit: at most 100"),
        "{report}"
    );
}

#[test]
fn clocks_that_a_division_waits_for_are_not_hidden_by_an_address() {
    let lines = "fld1\nfld qword ptr [eax]\nfdiv st,st(1)\nmov ebx,1\nmov ecx,2\nadd eax,8\nfstp qword ptr [eax-8]\n";
    let report = told(lines, "a.asm");
    assert!(
        report.contains("unit busy for 39 clocks, 2 of them hidden by other work"),
        "{report}"
    );
}

#[test]
fn a_texture_that_both_bytes_of_an_index_address_has_64_kib() {
    let lines = "inner: mov al,[esi+ebx]\nadd ecx,01230000h\nadc bl,dl\nadd edx,04560000h\nadc bh,dh\nmov [edi],al\n\
                 inc edi\ncmp edi,ebp\njne inner\n";
    let report = told(lines, "a.asm");
    assert!(report.contains("esi -> scratch memory of 65,536 bytes"), "{report}");
}

#[test]
fn a_texture_whose_pointer_changes_by_bytes_stays_in_its_memory() {
    let lines = |low: &str, high: &str| {
        format!(
            "inner: mov al,[ebx]\nadd edx,ebp\n{low}\nadd esi,ecx\n{high}\nmov [edi],al\ninc edi\ncmp edi,[last]\n\
             jne inner\n"
        )
    };
    let options = "--set ebp=0x40000000,ecx=0x30000001 a.asm";
    for (low, high, bytes) in [
        ("adc bl,cl", "adc bh,ch", "65,536"),
        ("nop", "inc bh", "65,536"),
        ("adc bl,cl", "nop", "256"),
        ("nop", "add bx,17", "65,536"),
        ("nop", "cmp bl,bh", "64"),
    ] {
        let report = told(&lines(low, high), options);
        let memory = format!("ebx -> scratch memory of {bytes} bytes, edi -> scratch memory of 1,024 bytes");
        assert!(report.contains(&memory), "{memory}: {report}");
    }
    // It begins where its bytes are 0, so that they never carry it into the memory of EDI: its upper half is the same.
    let report = told(&lines("adc bl,cl", "adc bh,ch"), options);
    let changed = report.split("Changed").nth(1).expect("the last state");
    let after = |name: &str| {
        let rest = changed.split(name).nth(1).expect("a register");
        u32::from_str_radix(&rest[..8], 16).expect("hexadecimal digits")
    };
    assert!(after(" edi ") >> 16 > after(" ebx ") >> 16, "{report}");
}

#[test]
fn memory_of_a_pointer_that_goes_on_into_that_of_another_one_is_told() {
    let lines =
        |step: &str| format!("next: mov al,[ebx]\nadd ebx,{step}\nmov [edi],al\ninc edi\ncmp edi,[last]\njne next\n");
    let report = told(&lines("ebp"), "--set ebp=1 a.asm");
    let note = "line 1 accesses up to 936 bytes behind the 64 bytes assumed for ebx, and with them those assumed for edi: \
                the clocks are not those of separate memory";
    assert!(report.contains(note), "{report}");
    let own = told(&lines("1"), "a.asm");
    assert!(!own.contains("separate memory"), "{own}");
}

#[test]
fn memory_of_a_list_points_to_itself() {
    let report = told(
        "next: add edx,[ebx+4]\nmov ebx,[ebx]\ntest ebx,ebx\njnz next\n",
        "a.asm",
    );
    assert!(
        report.contains("ebx -> scratch memory of 64 bytes that points to itself"),
        "{report}"
    );
}

#[test]
fn a_pair_of_halves_says_that_they_are_of_one_register() {
    let report = told("mov ah,[ebx+3]\nadd al,dh\n", "a.asm");
    assert!(
        report.contains("next add needs al, which is of the same eax"),
        "{report}"
    );
    let same = told("mov al,[ebx+3]\nadd al,dh\n", "a.asm");
    assert!(
        same.contains("next add needs al") && !same.contains("of the same"),
        "{same}"
    );
}

#[test]
fn a_budget_above_the_header_concerns_the_first_line_of_code() {
    let source = "; p5: cycles <= 5\n.586\n.model flat\n.code\nstart: mov eax,1\nret\nend start\n";
    let report = told(source, "a.asm");
    assert!(report.contains("The budget holds"), "{report}");
}

#[test]
fn writes_to_video_memory_are_not_read_first() {
    for (store, step, told_of_it) in [
        ("mov es:[di],al", 1, "taken it; write dwords, or draw"),
        (
            "mov es:[di],eax",
            4,
            "taken it; these are dwords; only writes of 8 bytes",
        ),
        (
            "fild pat\nfistp qword ptr es:[di]",
            8,
            "taken it; no instruction writes more",
        ),
    ] {
        let source = format!(
            ".model tiny\n.586\n.code\norg 100h\nstart: mov ax,0A000h\nmov es,ax\nxor di,di\nmov cx,8000\nmov eax,7\n\
             l: {store}\nadd di,{step}\ndec cx\njnz l\n{ENDS}pat dq 5\nend start\n"
        );
        let report = told(&source, "advise a.asm");
        assert!(report.contains(told_of_it), "{store}: {report}");
        assert!(!report.contains("is tried for"), "{store}: {report}");
    }
}

#[test]
fn an_address_that_a_report_prints_can_be_shown() {
    let source = ".model tiny\n.code\norg 100h\nstart: mov cx,50\na1: dec cx\njnz a1\nmov cx,900\nb1: inc ax\ndec cx\n\
                  jnz b1\nret\nend start\n";
    for place in ["start+3h", "103h", "0x103"] {
        let report = told(source, &format!("a.asm --show {place}"));
        assert!(report.contains("a1: "), "{place}: {report}");
    }
    let report = told(source, "a.asm --show start+400000h");
    assert!(report.contains("`--show` finds no function"), "{report}");
}

#[test]
fn segment_registers_that_changed_are_told() {
    let source = format!(
        ".model tiny\n.386\n.code\norg 100h\nstart: mov ax,0B800h\nmov es,ax\npush es\npop fs\n{ENDS}end start\n"
    );
    let report = told(&source, "a.asm");
    assert!(report.contains("es B800h fs B800h"), "{report}");
    let json = told(&source, "a.asm --format json");
    let selectors: Vec<&str> = json.split("\"selectors\"").skip(1).collect();
    assert!(selectors.len() == 1 && selectors[0].contains("47104"), "{json}");
}

#[test]
fn the_register_of_an_address_has_the_name_that_the_address_has() {
    // The other instruction of the pair uses a half of it.
    let report = told("lea eax,[ecx-100h]\nmov di,ax\nadd edx,[eax]\nmov ebx,1\n", "a.asm");
    assert!(report.contains("AGI, lea wrote eax"), "{report}");
}
