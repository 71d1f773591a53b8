//! What the first screen of a run says of its loops, its regions and its functions.

use crate::started::printed;

/// The report of a source on one line.
#[track_caller]
fn told(source: &str, arguments: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("a.asm"), source).expect("a file is written");
    let report = printed(folder.path(), &format!("a.asm {arguments}"));
    report.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_rounds_that_are_drawn_are_typical_of_the_run() {
    // The first pass over the array misses the cache, and the others do not.
    let source = ".586\n.model flat\n.data\nalign 32\nvalues dd 1024 dup(1)\n.code\nstart: mov edx,100\n\
                  again: mov esi,offset values\nmov ecx,1024\nl: mov eax,[esi]\nadd ebx,eax\ntest eax,1\njz even\n\
                  inc edi\neven: add esi,4\ndec ecx\njnz l\ndec edx\njnz again\nret\nend start\n";
    let report = told(source, "--runs 1");
    assert!(report.contains(" of 102400 rounds traced, "), "{report}");
    assert!(
        !report.contains("not typical") && !report.contains("read miss of values"),
        "{report}"
    );
}

#[test]
fn rounds_on_several_paths_that_are_not_typical_are_told_so() {
    // Only the last rounds, which no trace has, enter the inner loop.
    let source = ".586\n.model flat\n.code\nstart: StartTSC r\nmov ecx,3000\nl: cmp ecx,1000\nja skip\nmov edx,20\n\
                  i: imul eax,edx\ndec edx\njnz i\nskip: test ecx,1\njz even\ninc ebx\neven: dec ecx\njnz l\nEndTSC\nret\n\
                  end start\n";
    for more in ["", "--timeline"] {
        let report = told(source, more);
        let words = "The traced rounds are not typical: all 3000 take ";
        assert!(
            report.contains(words) && report.contains(", on 2 paths"),
            "{more}: {report}"
        );
    }
}

#[test]
fn a_clock_before_a_region_is_why_more_is_measured() {
    let source =
        |first: &str| format!(".586\n.model flat\n.code\nstart: StartTSC a\nmov {first},1\nEndTSC\nret\nend start\n");
    let report = told(&source("ax"), "");
    assert!(
        report.contains("1 clock warm, 1 cold; measured 2, with 1 clock before it: prefix "),
        "{report}"
    );
    let report = told(&source("eax"), "");
    assert!(report.contains("1 clock warm, 1 cold; measured 1 "), "{report}");
}

#[test]
fn a_read_that_waits_for_a_write_to_video_memory_names_the_write() {
    let source = ".586\n.model flat\n.data\nalign 4096\nmany db 65536 dup(1)\n.code\nstart: mov esi,offset many\n\
                  mov edi,0A0000h\nmov ecx,1000\nl: mov [edi],al\nmov dl,[esi]\nadd esi,64\ninc edi\ndec ecx\njnz l\n\
                  ret\nend start\n";
    let report = told(source, "--memory vga");
    assert!(
        report.contains("until the bus is free: `mov [edi],al` writes)"),
        "{report}"
    );
    // Two writes: the second one's buffer is free when the first one of the round before is done.
    let writes = source.replace("mov dl,[esi]", "mov [edi+4000h],dl");
    let report = told(&writes, "--memory vga");
    assert!(
        report.contains("video memory is not cached, and `mov [edi],al` wrote before"),
        "{report}"
    );
    let folder = tempfile::tempdir().expect("a temporary directory");
    let explained = crate::started::p5inst(folder.path(), &["explain", "until the bus is free"]).output();
    let explained = explained.expect("the command starts");
    let text = String::from_utf8_lossy(&explained.stdout).into_owned();
    assert!(
        text.contains("data read miss") && text.contains("holds the bus"),
        "{text}"
    );
}

#[test]
fn a_miss_that_waits_for_the_bus_says_how_long() {
    // Each read is of another line, and comes while the line before is still being filled.
    let source = ".586\n.model flat\n.data\nalign 4096\nmany db 65536 dup(1)\n.code\nstart: mov esi,offset many\n\
                  mov ecx,1024\nl: add eax,[esi]\nadd esi,64\ndec ecx\njnz l\nret\nend start\n";
    let report = told(source, "");
    assert!(
        report.contains("read miss in many (3 of it until the bus is free)"),
        "{report}"
    );
    let alone = source.replace("dec ecx", "imul edx,eax\nimul edx,eax\ndec ecx");
    assert!(
        !told(&alone, "").contains("until the bus is free"),
        "{}",
        told(&alone, "")
    );
}

#[test]
fn writes_past_the_cache_are_explained_once() {
    let source = |read: &str| {
        format!(
            ".586\n.model flat\n.data\nalign 32\nbuffer dd 1024 dup(0)\n.code\nstart: mov edx,8\n\
             again: mov edi,offset buffer\nmov ecx,1024\nl: {read}\nmov [edi],eax\nadd edi,4\ndec ecx\njnz l\ndec edx\n\
             jnz again\nret\nend start\n"
        )
    };
    let note = "a write never brings a line into a cache, of the first level or the second: ";
    let report = told(&source("nop"), "");
    assert_eq!(report.matches(note).count(), 1, "{report}");
    let report = told(&source("mov ebx,[edi]"), "");
    assert!(!report.contains(note), "{report}");
}

#[test]
fn video_memory_is_called_so() {
    let source = ".model tiny\n.386\n.code\norg 100h\nstart: mov ax,0A000h\nmov es,ax\nxor di,di\nmov cx,4000\n\
                  l: mov es:[di],al\ninc di\ndec cx\njnz l\nmov ax,4C00h\nint 21h\nend start\n";
    let report = told(source, "");
    assert!(
        report.contains("write buffer full, video memory is not cached"),
        "{report}"
    );
    assert!(!report.contains("a write never brings"), "{report}");
}

#[test]
fn a_procedure_ends_behind_the_jumps_that_have_grown() {
    // The jump over more than 127 bytes takes more bytes than one over fewer.
    let source = ".586\n.model flat\n.code\nfirst proc\ncmp eax,5\njb ok\ndb 200 dup (90h)\nok: inc ebx\nnop\nret\n\
                  first endp\nstart: mov esi,20\nagain: call first\ndec esi\njnz again\nret\nend start\n";
    let report = told(source, "--format json");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let functions = report["functions"].as_array().expect("a list").iter();
    let names: Vec<&str> = functions.filter_map(|one| one["name"].as_str()).collect();
    assert_eq!((names.len(), names.contains(&"first")), (2, true), "{report}");
    let all = report["functions"].as_array().expect("a list").len();
    assert_eq!(all, 2, "{report}");
    assert!(!told(source, "").contains("outside of functions"));
}

#[test]
fn notes_on_data_of_a_long_run_say_how_much_of_it_they_cover() {
    let source = |passes: u32| {
        format!(
            ".586\n.model flat\n.data\nalign 4096\nvalues dd 4096 dup(1)\n.code\nstart: mov edx,{passes}\n\
             again: mov esi,offset values\nmov ecx,512\nl: add eax,[esi]\nadd esi,32\ndec ecx\njnz l\ndec edx\njnz again\n\
             ret\nend start\n"
        )
    };
    let cover = "cover the first 524,288 clocks of the run";
    let report = told(&source(300), "--runs 1");
    assert!(
        report.contains("the misses are of capacity") && report.contains(cover),
        "{report}"
    );
    let report = told(&source(9), "--runs 1");
    assert!(
        report.contains("the misses are of capacity") && !report.contains(cover),
        "{report}"
    );
}

#[test]
fn the_loop_of_the_function_that_is_listed_first_is_drawn() {
    // The loop of the beginning takes more than three quarters of the clocks of the other.
    let source = ".586\n.model flat\n.code\nfirst proc\nmov ecx,20000\nf1: imul eax,eax\ndec ecx\njnz f1\nret\n\
                  first endp\nsecond proc\nmov ecx,25000\ns1: imul ebx,ebx\ndec ecx\njnz s1\nret\nsecond endp\n\
                  start: call first\ncall second\nret\nend start\n";
    let report = told(source, "");
    let (_, functions) = report.split_once(" Functions ").expect("a table");
    let (functions, diagram) = functions
        .split_once(" The loop with the most clocks ")
        .expect("a diagram");
    let place = |name: &str| functions.find(name).expect("a row");
    assert!(place(" second (line ") < place(" first (line "), "{functions}");
    assert!(diagram.contains(" s1: ") && !diagram.contains(" f1: 1"), "{diagram}");
}

#[test]
fn what_16_bit_code_calls_is_a_function_with_or_without_proc() {
    let source = ".model tiny\n.586\n.code\norg 100h\nstart: mov si,5\nm: call fill\ncall sum\ndec si\njnz m\n\
                  mov ax,4C00h\nint 21h\nfill: mov cx,2000\nl1: add ax,3\ndec cx\njnz l1\nret\nsum: mov cx,50\n\
                  l2: add bx,ax\ndec cx\njnz l2\nret\nend start\n";
    let report = told(source, "");
    let (_, functions) = report.split_once(" Functions ").expect("a table");
    for name in [" 5 fill (line 12) ", " 5 sum (line 17) ", " 1 start (line 5) "] {
        assert!(functions.contains(name), "{name}: {functions}");
    }
    // The same in a program with segments, whose code begins elsewhere.
    let source = source.replace("tiny", "small\n.stack 100h").replace("org 100h\n", "");
    let report = told(&source, "");
    assert!(report.contains(" 5 fill (line 12) "), "{report}");
}
