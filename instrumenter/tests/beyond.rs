//! What a report says of a program that goes too far: past an array by a pointer, below the bottom of a stack, beyond
//! the register of a quotient, or always to the same set of the cache.

use crate::started::{finished, printed, text};
use serde_json::Value;

/// The report of a source, on one line.
#[track_caller]
fn told(source: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("a.asm"), source).expect("a file is written");
    let output = finished(folder.path(), "a.asm");
    let report = text(&output.stdout);
    assert!(!report.is_empty(), "{}", text(&output.stderr));
    report.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A .com program that sums bytes by a pointer.
const SUM: &str = ".model tiny\n.code\norg 100h\nstart: mov si,offset buf\nmov cx,11\nxor ax,ax\nnext: add al,[si]\n\
                   inc si\nloop next\nmov ax,4C00h\nint 21h\nbuf db 10 dup (1)\nkey dw 1234h\nend start\n";
/// A flat one that fills dwords.
const FILL: &str = ".586\n.model flat\n.data\nbuf dd 10 dup (1)\nkey dd 4\n.code\nmain: mov edi,offset buf\nmov ecx,11\n\
                    put: mov [edi],eax\nadd edi,4\ndec ecx\njnz put\nret\nend main\n";

#[test]
fn what_a_long_run_does_wrong_at_first_is_told() {
    // More than twice as many instructions as are repeated of a run.
    let wait = "mov ecx,400000\nwait_: dec ecx\njnz wait_\nret\n";
    let report = told(&FILL.replace("ret\n", wait));
    assert!(
        report.contains("line 9 writes buf[10], which is key: buf has 10 elements"),
        "{report}"
    );
    let below = ".model small\n.stack 100h\n.code\nmain: mov cx,16895\nmore: push ax\nloop more\nmov cx,60000\n\
                 wait_: dec cx\njnz wait_\nmov cx,60000\nagain: dec cx\njnz again\nmov ax,4c00h\nint 21h\nend main\n";
    let report = told(below);
    assert!(report.contains("the stack is full in line 5"), "{report}");
}

#[test]
fn a_pointer_that_walks_past_an_array_is_told() {
    let (reads, writes) = (
        "line 7 reads buf[10], which is key: buf has 10 elements",
        "line 9 writes buf[10], which is key: buf has 10 elements",
    );
    for (source, from, to, note) in [
        (SUM, "", "", reads),
        (SUM, "add al,[si]\ninc si", "lodsb\nadd dl,al", reads),
        (FILL, "", "", writes),
        (FILL, "mov [edi],eax\nadd edi,4", "stosd\nnop", writes),
        (
            FILL,
            "mov [edi],eax",
            "add eax,[edi]",
            "line 9 reads buf[10], which is key",
        ),
        (FILL, "key dd 4\n", "", "line 8 writes buf[10]: buf has 10 elements"),
        // Downwards, and two elements in each round.
        (
            &FILL.replace("buf dd", "first dd 7\nbuf dd"),
            "offset buf\nmov ecx,11\nput: mov [edi],eax\nadd edi,4",
            "offset buf+36\nmov ecx,11\nput: mov [edi],eax\nsub edi,4",
            "line 10 writes buf[-1], which is first: buf has 10 elements",
        ),
        (
            FILL,
            "mov ecx,11\nput: mov [edi],eax\nadd edi,4",
            "mov ecx,6\nput: mov [edi],eax\nadd edi,8",
            "line 9 writes buf[10]",
        ),
    ] {
        assert!(source.contains(from), "{from}");
        let report = told(&source.replace(from, to));
        assert!(report.contains(note), "{note}: {report}");
    }
}

#[test]
fn the_arrays_of_every_module_are_looked_at() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file is written");
    write(
        "main.asm",
        ".586\n.model flat\nextern fill:near\n.code\nmain: call fill\nret\nend main\n",
    );
    write(
        "sub.asm",
        &FILL.replace("main:", "public fill\nfill:").replace("end main", "end"),
    );
    for (line, note) in [
        (
            "main.asm sub.asm",
            "sub.asm:10 writes buf[10], which is key: buf has 10 elements",
        ),
        (
            "sub.asm main.asm",
            "line 10 writes buf[10], which is key: buf has 10 elements",
        ),
    ] {
        let output = finished(folder.path(), &format!("{line} --fail-on-mistakes"));
        let report: Vec<&str> = text(&output.stdout).split_whitespace().collect();
        assert!(report.join(" ").contains(note), "{line}: {report:?}");
        assert_eq!(output.status.code(), Some(1), "{line}");
    }
}

#[test]
fn a_walk_that_is_meant_is_not_told() {
    for (source, from, to) in [
        (FILL, "ecx,11", "ecx,10"),
        (SUM, "cx,11", "cx,10"),
        // Several variables at once: one after another, or the whole of the next one.
        (FILL, "key dd 4", "a dd 4\nb dd 4\nc dd 4\nd dd 4\ne dd 4\nf dd 4"),
        (FILL, "key dd 4", "key dd 4,4,4"),
        (FILL, "key dd 4", "key dd 20 dup(4)\nmore dd 4\n.code\nnop\n.data"),
        // A part of the array, from its middle.
        (SUM, "offset buf\nmov cx,11", "offset buf+5\nmov cx,6"),
        // A name for the beginning of several variables, from which the pointer begins.
        (FILL, "buf dd 10", "all label dword\nbuf dd 10"),
        // A pointer for each of three arrays, by displacements.
        (
            FILL,
            "mov ecx,11\nput: mov [edi],eax",
            "mov ecx,10\nput: mov [edi+40],eax",
        ),
        // The last read ends the loop.
        (
            FILL,
            "mov [edi],eax\nadd edi,4\ndec ecx\njnz put",
            "cmp dword ptr [edi],4\nje done\nadd edi,4\njmp put\ndone:",
        ),
        (
            FILL,
            "mov [edi],eax\nadd edi,4\ndec ecx",
            "mov eax,[edi]\nadd edi,4\ncmp eax,4",
        ),
        (SUM, "add al,[si]\ninc si\nloop next", "lodsb\ncmp al,34h\njne next"),
        // The next array goes on where the first one ends, and the same code adds both.
        (
            FILL,
            "put: mov [edi],eax\nadd edi,4\ndec ecx\njnz put\nret",
            "call put\nmov ecx,3\nmov edi,offset key\nput: \
          mov [edi],eax\nadd edi,4\ndec ecx\njnz put\nret",
        ),
        // What is after the loop, by the same pointer.
        (FILL, "mov ecx,11\nput:", "mov ebx,5\nfill: mov ecx,10\nput:"),
        // What follows has no name.
        (FILL, "key dd 4", "dd 4"),
        // Text ends with what is after it.
        (SUM, "buf db 10 dup (1)", "buf db '0123456789'"),
        (FILL, "buf dd 10 dup (1)\nkey dd 4", "buf dd 1\nkey dd 11 dup(4)"),
    ] {
        assert!(source.contains(from), "{from}");
        let mut source = source.replace(from, to);
        for (part, rounds) in [
            ("key dd 20", "ecx,31"),
            ("f dd 4", "ecx,16"),
            ("4,4,4", "ecx,13"),
            ("call put", "ecx,10"),
        ] {
            if to.contains(part) {
                source = source.replace("ecx,11", rounds);
            }
        }
        if to.contains("fill:") {
            let again = "mov dword ptr [edi],7\nmov edi,offset buf\ndec ebx\njnz fill\nret";
            source = source.replace("ret\n", &format!("{again}\n"));
        }
        let report = told(&source);
        assert!(
            !report.contains("elements;") && !report.contains(": buf has"),
            "{to}: {report}"
        );
    }
}

/// A flat program that sorts eight numbers by exchanges, with the rounds of its inner loop.
fn sorted(after: &str, rounds: u32) -> String {
    format!(
        ".486\n.model flat\n.data\nlist dd 9,4,7,1,8,2,6,3\n{after}.code\nmain: mov edi,8\npass: mov esi,offset list\n\
         mov ecx,{rounds}\ninner: mov eax,[esi]\nmov edx,[esi+4]\ncmp eax,edx\njle noswap\nmov [esi],edx\n\
         mov [esi+4],eax\nnoswap: add esi,4\ndec ecx\njnz inner\ndec edi\njnz pass\nret\nend main\n"
    )
}

/// A flat program whose pointer goes over eight numbers by what is in the loop.
fn walked(before: &str, round: &str, rounds: u32, after: &str) -> String {
    format!(
        ".486\n.model flat\n.data\nlist dd 9,4,7,1,8,2,6,3\n{after}.code\nmain: mov esi,{before}\nmov ecx,{rounds}\n\
         inner: {round}\nadd esi,4\ndec ecx\njnz inner\nret\nend main\n"
    )
}

#[test]
fn what_a_displacement_takes_past_an_array_is_told() {
    // The last exchange of a sort is one too many, and not every round exchanges.
    for (after, other) in [("top dd 0\n", ", which is top"), ("", "")] {
        let report = told(&sorted(after, 8));
        for (line, does) in [(11, "reads"), (15, "writes")] {
            let line = line - i32::from(after.is_empty());
            let note = format!("line {line} {does} list[8]{other}: list has 8 elements");
            assert!(report.contains(&note), "{note}: {report}");
        }
        assert!(!told(&sorted(after, 7)).contains("list has"));
    }
    let top = "top dd 0\n";
    for (before, round, rounds, after, note) in [
        (
            "offset list",
            "mov dword ptr [esi+4],5",
            8,
            top,
            "line 9 writes list[8], which is top",
        ),
        (
            "offset list",
            "mov eax,[esi]\nmov [esi+4],eax",
            8,
            top,
            "line 10 writes list[8], which is top",
        ),
        (
            "offset list",
            "mov eax,[esi]\nmov edx,[esi+4]",
            8,
            top,
            "line 10 reads list[8], which is top",
        ),
        (
            "offset list+4",
            "mov dword ptr [esi],5",
            8,
            top,
            "line 9 writes list[8], which is top",
        ),
        (
            "offset list+4",
            "add eax,[esi]",
            8,
            top,
            "line 9 reads list[8], which is top",
        ),
        // Far past all data.
        (
            "offset list",
            "mov dword ptr [esi+4],5",
            12,
            top,
            "line 9 writes list[8], which is top",
        ),
        (
            "offset list",
            "mov dword ptr [esi+4],5",
            12,
            "",
            "line 8 writes list[8]: list has 8 elements",
        ),
        // Of several accesses in a round, the one next to the end.
        (
            "offset list",
            "mov eax,[esi]\nadd eax,[esi+4]",
            9,
            top,
            "line 9 reads list[8], which is top",
        ),
        // From the last element down to one before the first.
        (
            "offset list+28",
            "mov eax,[esi]\nmov [esi-4],eax\nsub esi,8",
            8,
            top,
            "line 10 writes list[-1]: list has 8 elements",
        ),
    ] {
        let source = walked(before, round, rounds, after);
        let report = told(&source);
        assert!(report.contains(note), "{note}: {report}");
        assert_eq!(report.matches("list has").count(), 1, "{report}");
        let right = told(&walked(before, round, 7, after));
        assert!(!right.contains("list has"), "{right}");
    }
}

#[test]
fn a_stack_that_wraps_is_told() {
    let source = ".model tiny\n.code\norg 100h\nstart: mov sp,20h\nmov cx,100\nnext: push ax\nloop next\nmov ax,4C00h\n\
                  int 21h\nend start\n";
    let note = "the stack is full in line 6: the push there moves SP below 0";
    assert!(told(source).contains(note), "{}", told(source));
    // SP of 0 means 64 KiB.
    for meant in [source.replace("sp,20h", "sp,0"), source.replace("cx,100", "cx,16")] {
        assert!(!told(&meant).contains("the stack is full"), "{}", told(&meant));
    }
}

#[test]
fn a_quotient_that_is_too_large_names_the_dividend_and_the_remedy() {
    let divide = |registers: &str, by: &str| {
        told(&format!(
            ".586\n.model flat\n.data\nx dd 3\n.code\nmain: {registers}\n{by}\nret\nend main\n"
        ))
    };
    for (registers, by, words) in [
        (
            "mov eax,1000\nmov edx,5\nmov ebx,3",
            "div ebx",
            "the quotient of EDX:EAX (00000005000003E8h) does not fit EAX in `div ebx` with eax 000003E8h, edx \
             00000005h, ebx 00000003h; to divide EAX alone, write `xor edx,edx` before it",
        ),
        (
            "mov eax,1000\nmov edx,5",
            "div x",
            "the quotient of EDX:EAX (00000005000003E8h) does not fit EAX",
        ),
        (
            "mov ax,1000\nmov dx,5\nmov bx,3",
            "div bx",
            "the quotient of DX:AX (000503E8h) does not fit AX in `div bx`",
        ),
        (
            "mov ax,1000\nmov bl,3",
            "div bl",
            "the quotient of AX (03E8h) does not fit AL in `div bl` with eax 000003E8h, ebx 00000003h; to divide AL \
             alone, write `xor ah,ah` before it",
        ),
        (
            "mov eax,-1000\nmov edx,0\nmov ebx,1",
            "idiv ebx",
            "to divide EAX alone, write `cdq` before it",
        ),
    ] {
        let report = divide(registers, by);
        assert!(report.contains(words), "{words}: {report}");
    }
    let report = divide("mov eax,-7\nmov edx,5\nmov ebx,2", "div ebx");
    let words =
        "to divide EAX alone, write `xor edx,edx` before it, or `cdq` and `idiv` if EAX is a signed number (-7)";
    assert!(report.contains(words), "{report}");
    // The dividend is already that of EAX alone.
    let report = divide("mov eax,80000000h\ncdq\nmov ebx,-1", "idiv ebx");
    assert!(
        report.contains("does not fit EAX") && !report.contains("alone"),
        "{report}"
    );
}

#[test]
fn columns_whose_rows_share_a_set_are_told_with_the_remedy() {
    let columns = |row: u32, rows: u32| {
        told(&format!(
            ".586\n.model flat\n.data\nm dd 64*1032 dup (1)\n.code\nmain: xor ebx,ebx\ncols: lea esi,m[ebx*4]\n\
             mov ecx,{rows}\nrows: add eax,[esi]\nadd esi,{row}\ndec ecx\njnz rows\ninc ebx\ncmp ebx,32\njb cols\n\
             ret\nend main\n"
        ))
    };
    let report = columns(4096, 64);
    let note = "line 9: the misses are conflicts: at steps of 4096 bytes, 64 cache lines share the same set of the data \
                cache, which holds 2, while the other sets have room; pad the rows, for example to 4128 bytes";
    assert!(report.contains(note), "{report}");
    assert!(!columns(4128, 64).contains("are conflicts"), "{}", columns(4128, 64));
    // Two lines fit.
    assert!(!columns(4096, 2).contains("are conflicts"));
    // Only some of the sets have too many.
    let report = columns(1024, 10);
    let note = "at steps of 1024 bytes, 10 cache lines share 4 sets of the data cache, which hold 2 each";
    assert!(report.contains(note), "{report}");
}

#[test]
fn misses_of_data_that_was_read_before_are_of_capacity_or_conflicts() {
    let source = |read: &str, rounds: u32| {
        format!(
            ".586\n.model flat\n.data\nalign 4096\na dd 1024 dup (1)\nb dd 1024 dup (2)\nc dd 1024 dup (3)\n.code\n\
             main: mov edx,9\nagain: mov esi,offset a\nmov ecx,{rounds}\nnext: {read}\ndec ecx\njnz next\ndec edx\n\
             jnz again\nret\nend main\n"
        )
    };
    let walk = "add eax,[esi]\nadd esi,32";
    let report = told(&source(walk, 320));
    let note = "line 12: the misses are of capacity: 320 cache lines are read until one of them is read again, more than \
                the 256 of the data cache";
    assert!(report.contains(note), "{report}");
    let thrice = "mov eax,[esi]\nadd eax,[esi+4096]\nadd eax,[esi+8192]\nadd esi,4";
    let report = told(&source(thrice, 64));
    let note = "lines 12, 13, 14: the misses are conflicts: 3 cache lines are read until one of them is read again, for \
                which the 256 lines of the data cache are enough, but 3 share a set, which holds 2; move their data \
                apart, for example by 32 bytes";
    assert!(report.contains(note), "{report}");
    for (read, rounds) in [(walk, 250), ("mov eax,[esi]\nadd eax,[esi+4096]\nadd esi,4", 64)] {
        let report = told(&source(read, rounds));
        assert!(!report.contains("the misses are"), "{report}");
    }
}

#[test]
fn misses_after_locked_accesses_are_told_by_the_lines_of_these() {
    let source = |exchange: &str| {
        format!(
            ".586\n.model flat\n.data\nalign 32\na dd 8 dup (1)\n.code\nmain: mov ecx,100\nmov esi,offset a\n\
             next: mov eax,[esi]\nadd ebx,[esi+8]\n{exchange}\ndec ecx\njnz next\nret\nend main\n"
        )
    };
    for exchange in ["xchg eax,[esi+4]", "lock inc dword ptr [esi+4]"] {
        let report = told(&source(exchange));
        let note = "line 9: the misses follow the locked access of line 11, which writes its line back and removes it \
                    from the data cache";
        assert!(report.contains(note), "{exchange}: {report}");
    }
    for exchange in ["mov edx,[esi+4]\nmov [esi+4],eax", "xchg eax,edx"] {
        let report = told(&source(exchange));
        assert!(!report.contains("locked access"), "{exchange}: {report}");
    }
}

#[test]
fn data_in_a_repeat_has_the_name_that_the_source_has() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let texts = |source: &str| -> Vec<String> {
        std::fs::write(folder.path().join("a.asm"), source).expect("a file is written");
        let report: Value = serde_json::from_str(&printed(folder.path(), "a.asm --format json")).expect("JSON");
        let rows = report["instructions"].as_array().expect("instructions");
        rows.iter()
            .filter_map(|one| Some(one["text"].as_str()?.to_owned()))
            .collect()
    };
    // Two names begin at one address.
    let found = texts(
        ".586\n.model flat\n.data\nrow label dword\nmatrix dd 16 dup(1)\n.code\nmain: mov esi,0\nrept 2\n\
         mov eax,matrix\nmov ebx,row[esi]\nmov ecx,matrix[esi+4]\nendm\nret\nend main\n",
    );
    for text in ["mov eax,[matrix]", "mov ebx,[esi+row]", "mov ecx,[esi+matrix+4]"] {
        assert!(found.iter().any(|one| one == text), "{text}: {found:?}");
    }
    // In 16-bit code, addresses count from the segment: the variable is at 140h, which is 320.
    let found = texts(
        ".model tiny\n.code\n.386\norg 100h\nstart: mov di,0\nrept 2\nmov al,[di+320]\nmov cl,row\nendm\n\
         mov ax,4C00h\nint 21h\norg 140h\nrow db 5, 6\nend start\n",
    );
    for text in ["mov al,[di+140h]", "mov cl,[row]"] {
        assert!(found.iter().any(|one| one == text), "{text}: {found:?}");
    }
}
