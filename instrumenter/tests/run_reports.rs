//! What the report of a run says of code that a macro made, of output that is no text, and of doubt about a video card.

use crate::started;
use started::{finished, printed, text};
use std::fs;
use std::path::Path;

fn folder(name: &str, source: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join(name), source).expect("a file is written");
    folder
}

fn words(folder: &Path, line: &str) -> String {
    printed(folder, line).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A region that a macro makes, so that it begins and ends in one line.
const COUNT: &str = "        .586
        .model flat
        .data
values  db 200,3,250,1
large   dd 0
        .code
count   macro from, mask
        local again, no
        xor esi,esi
        StartTSC counted
again:  cmp from[esi],128       ; the label is known in this expansion only
        jb no
        lea eax,[eax+esi+mask]
no:     inc esi
        cmp esi,4
        jb short again
        EndTSC
        endm
start:  count values, 0D76AA478h
        ret
        end start
";

#[test]
fn jumps_of_a_macro_go_to_the_labels_of_its_body() {
    let folder = folder("count.asm", COUNT);
    let report = printed(folder.path(), "count.asm");
    assert!(report.contains("\ncounted, line 19: "), "{report}");
    assert!(report.contains("jb no ") && report.contains("jb again"), "{report}");
    assert!(
        report.contains("0D76AA478h]") && !report.contains("-28955B88h"),
        "{report}"
    );
    let page = printed(folder.path(), "count.asm --format html");
    assert!(
        page.contains("jb no") && !page.contains("lines 19-19"),
        "the page agrees"
    );
}

/// Prints a text, but does not load DS.
const FORGOTTEN: &str = "        .model small
        .stack 100h
        .data
msg     db 'Hello$'
        .code
start:
        mov ah,9
        mov dx,offset msg
        int 21h
        mov ax,4C00h
        int 21h
        end start
";

#[test]
fn a_program_of_dos_that_forgets_ds_learns_it_and_garbage_stays_short() {
    let forgotten = folder("hello.asm", FORGOTTEN);
    let report = printed(forgotten.path(), "hello.asm");
    assert!(report.lines().all(|line| line.chars().count() <= 80), "{report}");
    let output = report.split_once("\nOutput\n").expect("output").1;
    let rows = output.lines().take_while(|line| !line.is_empty()).count();
    assert!((2..=5).contains(&rows), "{report}");
    assert!(output.contains(" times)"), "{report}");
    let note = "the program uses DS, but has not loaded it: it is still that of the prefix (PSP); begin with `mov ax,@data` \
                and `mov ds,ax`";
    assert!(words(forgotten.path(), "hello.asm").contains(note), "{report}");
    let loaded = FORGOTTEN.replace("start:", "start:  mov ax,@data\n        mov ds,ax");
    let loaded = folder("hello.asm", &loaded);
    let report = printed(loaded.path(), "hello.asm");
    assert!(report.contains("  | Hello\n") && !report.contains("PSP"), "{report}");
    // Without a service, the first access tells it; of code without one, nothing is said.
    let program = |lines: &str| {
        format!(".model small\n.stack\n.data\na dw 5\n.code\nstart: {lines}\nmov ah,4Ch\nint 21h\nend start\n")
    };
    for (lines, told) in [
        ("add ax,a", true),
        ("mov cx,5", false),
        ("mov bx,@data\nmov ds,bx\nadd ax,a", false),
    ] {
        let sum = folder("sum.asm", &program(lines));
        let report = words(sum.path(), "sum.asm");
        assert_eq!(report.contains(note), told, "{report}");
    }
}

#[test]
fn a_program_that_sets_a_video_mode_learns_what_its_pixels_are() {
    let program = ".model tiny\n.386\n.code\norg 100h\nstart: mov ax,13h\nint 10h\nmov ah,2\nint 10h\nret\nend start\n";
    let demo = folder("demo.asm", program);
    let report = words(demo.path(), "demo.asm");
    let note = "int 10h function 00h: there is no screen, and so no mode to set; the pixels of mode 13h are memory \
                from A0000h, the characters of mode 3 from B8000h, counted as accesses to a video card";
    assert!(report.contains(note), "{report}");
    assert!(
        report.contains("int 10h function 02h is not supported: nothing was done"),
        "{report}"
    );
}

#[test]
fn a_program_of_dos_that_writes_by_es_without_loading_it_learns_it() {
    let note = "the program writes by ES (`stosb`), but has not loaded it: it is still that of the prefix (PSP); add \
                `mov es,ax` after `mov ds,ax`";
    let program = |load: &str, lines: &str| {
        format!(
            ".model small\n.stack\n.data\na db 5\nb db 9 dup(0)\n.code\nstart: mov ax,@data\nmov ds,ax\n{load}\n\
             mov si,offset a\nmov di,offset b\n{lines}\nmov ah,4Ch\nint 21h\nend start\n"
        )
    };
    for (load, lines, told) in [
        ("", "lodsb\nstosb\nmovsb", true),
        ("mov es,ax", "lodsb\nstosb", false),
        ("push ds\npop es", "stosb", false),
        // The command line is in the prefix.
        ("", "mov cl,es:[80h]\nmov di,81h\nscasb", false),
    ] {
        let copies = folder("copy.asm", &program(load, lines));
        let report = words(copies.path(), "copy.asm");
        assert_eq!(report.contains(note), told, "{report}");
        assert_eq!(report.contains("PSP"), told, "{report}");
    }
}

#[test]
fn clocks_of_a_video_card_are_marked_as_doubted() {
    let program = |address: &str| {
        format!(
            ".586\n.model flat\n.data\nplace dd 0\n.code\nstart: mov edi,{address}\nmov [edi],eax\nmov eax,[edi]\nret\n\
             end start\n"
        )
    };
    let doubt = "the clocks of a video card are doubted, because cards differ, and 8 bytes are one transfer here as 1 byte \
                 is; `p5inst explain vga`";
    let screen = folder("a.asm", &program("0A0000h"));
    let report = words(screen.path(), "a.asm --memory vga");
    assert!(report.contains(doubt), "{report}");
    assert!(report.contains(" the clocks of the video card are doubted"), "{report}");
    let memory = folder("a.asm", &program("offset place"));
    let report = words(memory.path(), "a.asm --memory vga");
    assert!(!report.contains("video card"), "{report}");
}

#[test]
fn a_return_to_what_was_pushed_names_the_line_of_the_push() {
    let source = ".586\n.model flat\n.data\nsum dd 0\n.code\nstart:\nmov ebx,5\npush eax\npop eax\npush ebx\ncall f\n\
                  mov sum,eax\nret\nf: push ecx\npop ecx\nret\nend start\n";
    let told = |source: &str| {
        let folder = folder("a.asm", source);
        let output = finished(folder.path(), "a.asm");
        text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let fault = told(source);
    assert!(
        fault.contains("(a.asm:13); its return popped what `push ebx` pushed (a.asm:10)"),
        "{fault}"
    );
    let fault = told(&source.replace("push ecx\npop ecx", "mov dword ptr [esp],16"));
    assert!(
        fault.contains("its return popped the address that `call f` pushed (a.asm:11), which was changed since"),
        "{fault}"
    );
    let fault = told(
        &source
            .replace("push ebx", "mov ebx,0")
            .replace("mov sum,eax", "jmp ebx"),
    );
    assert!(
        fault.contains("this line jumped out") && !fault.contains("popped"),
        "{fault}"
    );
}

#[test]
fn a_return_into_the_stack_names_the_push_and_its_bytes_are_told_apart() {
    // The argument is never removed, so that EBP is restored to it, and the return pops the EBP of the caller, which
    // leads into the stack. What is executed there is a call, which pushes in its turn.
    let source = ".386\n.model flat\n.data\nn dd 5\n.code\nstart:\npush n\ncall fact\nret\nfact:\npush ebp\n\
                  mov ebp,esp\nmov eax,[ebp+8]\ncmp eax,1\njbe done\ndec eax\npush eax\ncall fact\n\
                  mul dword ptr [ebp+8]\ndone:\npop ebp\nret\nend start\n";
    let folder = folder("a.asm", source);
    let output = finished(folder.path(), "a.asm");
    let report = text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    let words = "this line jumped into the stack, and its bytes were executed (a.asm:22); its return popped what \
                 `push ebp` pushed (a.asm:11)";
    assert!(report.contains(words), "{report}");
    assert!(report.contains("bytes of the stack, executed; "), "{report}");
}

#[test]
#[cfg(target_os = "linux")]
fn an_option_after_a_program_is_told_to_be_the_programs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots/tutorials/10_c_program");
    let told = |arguments: &str| {
        let output = finished(&folder, arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stderr).to_owned()
    };
    let note =
        "note: `--limit=5` stands after `tally.elf`, so that the program gets it; options of p5inst stand before\n";
    assert_eq!(told("tally.elf -x --mine --limit=5"), note);
    // Where p5inst itself has no such option, the command that has it is named.
    let note = "note: `--every` stands after `tally.elf`, so that the program gets it; it is an option of \
                `p5inst stat`, and stands before: `p5inst stat --every ... PROGRAM`\n";
    assert_eq!(told("tally.elf --every 5"), note);
    let note =
        "note: `--every=5` stands after `tally.elf`, so that the program gets it; options of p5inst stand before\n";
    assert_eq!(told("stat tally.elf --every=5"), note);
    let note = "note: `--what-if` stands after `tally.elf`, so that the program gets it; it is an option of \
                `p5inst`, and stands before: `p5inst --what-if ... PROGRAM`\n";
    assert_eq!(told("stat tally.elf --what-if"), note);
    assert_eq!(told("--limit 1000000 tally.elf --mine limit"), "");
    let note = "note: `-o` stands after `tally.elf`, so that the program gets it; options of p5inst stand before\n";
    assert_eq!(told("--format json tally.elf -o a.json"), note);
    assert_eq!(told("tally.elf -o a.txt"), "");
}

/// The report of a program that need not end by itself, as words.
fn told(source: &str, options: &str) -> String {
    let folder = folder("a.asm", source);
    let output = finished(folder.path(), &format!("a.asm {options}"));
    text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_waits_for_a_timer_learns_that_there_is_none() {
    let com = |lines: &str| format!(".model tiny\n.386\n.code\norg 100h\nstart:\n{lines}\nret\nn dw 0\nend start\n");
    let still = "the BIOS's count of ticks at 0040:006Ch does not advance: the loop at line 9 waits for it";
    let wait = "push 40h\npop fs\nmov bx,fs:[6Ch]\nw: cmp bx,fs:[6Ch]\nje w";
    let report = told(&com(wait), "--limit 20000");
    assert!(report.contains(still), "{report}");
    // Another word, and a loop that reads the count but ends.
    for other in [wait.replace("fs:[6Ch]", "fs:[7Ch]"), wait.replace("je w", "jne w")] {
        let report = told(&com(&other), "--limit 20000");
        assert!(!report.contains("0040:006Ch"), "{report}");
    }
    // Without a limit the run ends when it is sure that nothing will come.
    let ended = "ended in a loop that goes on for ever: its rounds leave registers and memory as they were";
    for waits in [
        wait,
        "w: mov ah,0\nint 16h\ncmp ah,48h\njne w",
        "mov dx,201h\nw: in al,dx\ntest al,10h\njnz w",
    ] {
        let report = told(&com(waits), "--timeout 60");
        assert!(report.contains(ended), "{waits}: {report}");
    }
    for goes_on in [
        "w: inc cx\njmp w",
        "w: mov ah,0\nint 1Ah\njmp w",
        "w: inc n\nand n,0\njmp w",
    ] {
        let report = told(&com(goes_on), "--limit 20000000");
        assert!(!report.contains(ended), "{goes_on}: {report}");
    }
    let hook = |vector: &str, more: &str| {
        com(&format!(
            "mov dx,offset h\nmov ax,25{vector}h\nint 21h\n{more}\njmp over\nh: inc n\niret\nover:"
        ))
    };
    for (vector, device) in [("08", "timer"), ("09", "keyboard"), ("1C", "timer")] {
        let never = format!(
            "no {device} interrupts the program: the handler that it set for interrupt {vector}h is never called"
        );
        let report = told(&hook(vector, ""), "");
        assert!(report.contains(&never), "{never}:\n{report}");
    }
    for other in [hook("1C", "int 1Ch"), hook("09", "int 9"), hook("1B", "")] {
        let report = told(&other, "");
        assert!(!report.contains("interrupts the program"), "{other}:\n{report}");
    }
}

#[test]
fn a_report_that_cuts_rows_off_has_its_functions_and_hottest_lines() {
    let source = |rows: usize| {
        let code = "imul ebx,ecx\nadd eax,1\n".repeat(rows);
        format!(".586\n.model flat\n.code\nstart:\ncall f\nret\nf: {code}ret\nend start\n")
    };
    let short = told(&source(10), "");
    let long = told(&source(30), "");
    for words in ["Functions share", "Hottest lines"] {
        assert!(!short.contains(words) && long.contains(words), "{short}\n{long}");
    }
    assert!(long.contains("more rows; `--long` shows all"), "{long}");
    assert!(!told(&source(30), "--long").contains("Hottest lines"));
}

#[test]
fn halves_of_a_register_and_ends_of_data_have_their_names() {
    let flat =
        |data: &str, lines: &str| format!(".586\n.model flat\n.data\n{data}\n.code\nstart:\n{lines}\nret\nend start\n");
    let report = told(&flat("", "mov bl,ch\nmov bh,cl"), "");
    assert!(
        report.contains("next mov writes bh, which is of the same ebx"),
        "{report}"
    );
    let report = told(&flat("", "mov ebx,ecx\nmov bh,cl"), "");
    assert!(report.contains("next mov writes bh too"), "{report}");
    let stores = "mov ecx,9\nmov edi,offset a\nl: mov [edi],eax\nmov [edi+4],eax\nadd edi,4\ndec ecx\njnz l";
    let report = told(&flat("a db 24 dup(0)\nb db 40 dup(0)", stores), "");
    let named = report
        .split("write buffer full, a")
        .nth(1)
        .and_then(|rest| rest.split(" is not cached").next());
    assert!(named.is_some_and(|rest| rest.contains(" to b")), "{report}");
}

#[test]
fn a_text_written_by_dos_leaves_its_last_character_in_al() {
    let source = ".model tiny\n.code\norg 100h\nstart: mov dx,offset t\nmov ax,09FFh\nint 21h\nmov ah,4Ch\nint 21h\n\
                  t db 'x$'\nend start\n";
    assert!(told(source, "").contains("ended by exit with code 36"), "{source}");
}

/// A loop over ten squares, before another variable.
const SQUARES: &str = ".386\n.model flat\n.data\nsquares DWORD 10 DUP(0)\ntotal DWORD 0\nlast DWORD 3 DUP(0)\n.code\n\
                       start: mov ecx,0\nL1: mov eax,ecx\nmov squares[ecx*4],eax\ninc ecx\ncmp ecx,10\njle L1\n\
                       ret\nend start\n";

#[test]
fn an_index_past_the_end_of_a_variable_is_told() {
    let past = "line 10 writes squares[10], which is total: squares has 10 elements";
    let report = told(SQUARES, "");
    assert!(report.contains(past), "{report}");
    for (from, to, note) in [
        // Each spelling, in each direction, and what lies there.
        ("squares[ecx*4],eax", "[squares+ecx*4],eax", past),
        (
            "mov squares[ecx*4],eax\n",
            "push squares[ecx*4]\npop eax\n",
            &*past.replace("writes", "reads"),
        ),
        (
            "mov squares[ecx*4],eax",
            "mov eax,squares[ecx*4]",
            &*past.replace("writes", "reads"),
        ),
        ("mov squares[ecx*4],eax", "add squares[ecx*4],eax", past),
        ("squares[ecx*4],eax", "squares[ecx*4+4],eax", past),
        (
            "mov squares[ecx*4],eax",
            "inc ecx\nmov squares-4[ecx*4],eax\ndec ecx",
            "line 11 writes squares[10], which is total",
        ),
        (
            "ecx,0",
            "ecx,-1",
            "line 11 writes squares[-1], which is first: squares has 10 elements",
        ),
        (
            "ecx,10",
            "ecx,12",
            "line 10 writes squares[10], which is total: squares has 10 elements",
        ),
        (
            "total DWORD 0\n",
            "",
            "line 9 writes squares[10], which is last: squares has 10 elements",
        ),
        (
            "total DWORD 0\nlast DWORD 3 DUP(0)\n",
            "",
            "line 8 writes squares[10]: squares has 10 elements",
        ),
    ] {
        assert!(SQUARES.contains(from), "{from}");
        let mut source = SQUARES.replace(from, to);
        if note.contains("[-1]") {
            source = source.replace("ecx,10", "ecx,9");
            source = source.replace("squares DWORD", "first DWORD 5\nsquares DWORD");
        }
        let report = told(&source, "");
        assert!(report.contains(note), "{note}:\n{report}");
    }
    let narrow = ".model small\n.386\n.stack 100h\n.data\nt dw 5 dup(1)\nsum dw 0\n.code\nstart: mov ax,@data\n\
                  mov ds,ax\nmov si,0\nnext: mov t[si],7\nadd si,2\ncmp si,10\njbe next\nmov ah,4Ch\nint 21h\n\
                  end start\n";
    let report = told(narrow, "");
    let note = "line 11 writes t[5], which is sum: t has 5 elements";
    assert!(report.contains(note), "{report}");
}

#[test]
fn what_is_meant_is_no_index_past_the_end() {
    for (from, to) in [
        ("jle", "jl"),
        // The base of the table lies far before it, or at the end of it.
        (
            "mov squares[ecx*4],eax",
            "add ecx,9\nmov squares-36[ecx*4],eax\nsub ecx,9",
        ),
        ("squares[ecx*4],eax", "squares[ecx*4+40],eax"),
        // The table goes on without a name.
        ("total DWORD", "DWORD"),
        ("squares DWORD 10 DUP(0)", "squares DWORD 0\nrest DWORD 9 DUP(0)"),
        // Most accesses lie past the end: the variable is a name for all that follows.
        ("squares DWORD 10 DUP(0)", "squares DWORD 3 DUP(0)\nrest DWORD 7 DUP(0)"),
        ("squares[ecx*4]", "squares[40]"),
        ("mov squares[ecx*4],eax", "lea ebx,squares[ecx*4]"),
        ("squares DWORD 10 DUP(0)", "squares BYTE 'abcdefghij'"),
    ] {
        assert!(SQUARES.contains(from), "{from}");
        let mut source = SQUARES.replace(from, to);
        if to.contains("BYTE") {
            source = source.replace("squares[ecx*4],eax", "squares[ecx],al");
        }
        let report = told(&source, "");
        assert!(!report.contains("squares has"), "{to}:\n{report}");
    }
    let fields = "pair STRUCT\na DWORD ?\nb DWORD ?\npair ENDS\n";
    let source = SQUARES.replace(".data\n", &format!("{fields}.data\n"));
    let source = source.replace("squares DWORD 10 DUP(0)", "squares pair 5 DUP(<>)");
    let source = source.replace("squares[ecx*4],eax", "squares[ecx*8].b,eax");
    let report = told(&source, "");
    assert!(!report.contains("squares has"), "{report}");
}

/// A repeated instruction of more iterations than are executed at once has not ended when it is first counted.
#[test]
fn a_long_repeated_instruction_is_listed() {
    let text = ".586\n.model flat\n.data\na db 70000 dup(3)\n.code\nstart: mov ecx,70000\nmov edi,offset a\n\
                mov al,3\nrepe scasb\nret\nend start\n";
    let folder = folder("long.asm", text);
    let report: serde_json::Value =
        serde_json::from_str(&printed(folder.path(), "long.asm --format json")).expect("JSON");
    assert_eq!(report["instructions_left_out"], 0);
    let rows = report["instructions"].as_array().expect("rows");
    let row = rows.iter().find(|row| row["text"] == "repe scasb").expect("a row");
    assert!(row["cycles"].as_u64() > Some(4 * 70_000), "{row}");
}

#[test]
fn what_a_device_has_read_is_nearer_than_memory() {
    // A long loop, in which the device reads, before each line of the data is read once.
    let source = ".586\n.model flat\n.data?\nb db 65536 dup(?)\n.code\nstart:\nmov ecx,60000\nw:\ndec ecx\njnz w\n\
                  mov ecx,2048\nmov esi,offset b\na:\nmov eax,[esi]\nadd esi,32\ndec ecx\njnz a\nret\nend start\n";
    let folder = folder("read.asm", source);
    let clocks = |options: &str| -> u64 {
        let json = printed(folder.path(), &format!("read.asm --runs 1 --format json {options}"));
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        json["own"]["totals"]["cycles"].as_u64().expect("clocks")
    };
    for monitor in ["snooper=100:0", "dual=100:0"] {
        let [alone, beside] = ["", monitor].map(|monitor| match monitor {
            "" => clocks(""),
            monitor => clocks(&format!("--monitor {monitor}")),
        });
        assert!(beside < alone, "{monitor}: {beside} clocks, {alone} without");
    }
    // Without a second level cache, a device only takes the bus.
    assert!(clocks("--memory dram --monitor snooper=100:0") > clocks("--memory dram"));
}

#[test]
fn a_program_of_linux_that_is_refused_memory_learns_it() {
    let note = "the program asked for more memory than the 256 MiB that it may have, and did not get it";
    for (bytes, refused) in ["8000000", "18000000"].into_iter().zip([false, true]) {
        let map = format!(
            ".586\n.model flat\n.code\nstart: mov eax,192\nxor ebx,ebx\nmov ecx,{bytes}h\nmov edx,3\nmov esi,22h\n\
             mov edi,-1\nxor ebp,ebp\nint 80h\nmov ebx,eax\nmov eax,1\nint 80h\nend start\n"
        );
        let map = folder("map.asm", &map);
        let report = words(map.path(), "map.asm");
        assert_eq!(report.contains(note), refused, "{report}");
        let said = report.contains("; it asked for more than its 256 MiB of memory");
        assert_eq!(said, refused, "{report}");
    }
}
