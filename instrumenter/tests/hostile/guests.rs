//! Programs that never end, jump anywhere, overwrite themselves and misuse system registers.

use super::{SECONDS, assert_ends, source, source_with, within};
use std::path::Path;

#[test]
fn programs_without_end_stop_at_the_limit() {
    let limit = "stopped at the clock limit";
    source("a loop", "a: nop\njmp a\n", 0, limit);
    source("a loop over 100 runs", "a: nop\njmp a\n", 0, limit);
    source_with(&["--limit", "1"], "a limit of one clock", "a: nop\njmp a\n", 0, limit);
    source_with(
        &["--limit", "18446744073709551615", "--timeout", "0.2"],
        "a limit on real time",
        "a: nop\njmp a\n",
        0,
        "stopped at the time limit, `--timeout SECONDS` (0 is none): still running after 190ms",
    );
    source("output", "mov ah,2\nmov dl,65\na: int 21h\njmp a\n", 0, limit);
    source_with(
        &["--limit", "50_000_000"],
        "64 KiB at a time",
        "x db 65536 dup('x')\na: mov eax,4\nmov ebx,1\nmov ecx,offset x\nmov edx,65536\nint 80h\njmp a\n",
        0,
        limit,
    );
    let lost = "wrote more than the 64 MiB a run that are kept";
    source(
        "huge output",
        "mov eax,4\nmov ebx,1\nmov ecx,offset x\nmov edx,-1\nint 80h\nx db 1\n",
        0,
        lost,
    );
    // Each way to write when the output is full, and its negated result.
    for (name, write, answer) in [
        ("write", "mov eax,4\nmov edx,1\nint 80h\n", "code 28"),
        (
            "writev",
            "mov eax,146\nmov ecx,offset v\nmov edx,1\nint 80h\n",
            "code 28",
        ),
        (
            "function 40h",
            "mov eax,4000h\nmov edx,ecx\nmov ecx,1\nint 21h\n",
            "code 0",
        ),
        (
            "function 09h",
            "mov eax,900h\nmov edx,offset d\nint 21h\nxor eax,eax\n",
            "code 0",
        ),
        (
            "function 02h",
            "mov eax,200h\nmov dl,65\nint 21h\nxor eax,eax\n",
            "code 0",
        ),
    ] {
        let text = format!(
            ".data\nx db 1048576 dup('x')\nd db 'x$'\nv dd x,1\n.code\nstart: mov esi,64\nmov ebx,1\n\
             mov ecx,offset x\na: mov eax,4\nmov edx,1048576\nint 80h\ndec esi\njnz a\n{write}mov ebx,eax\n\
             neg ebx\nmov eax,1\nint 80h\nend start\n"
        );
        for told in [lost, answer] {
            source(name, &text, 0, told);
        }
    }
    source(
        "text without an end",
        "mov ah,9\nmov edx,offset x\nint 21h\nx db 'abc'\n",
        0,
        "no terminating `$`",
    );
    source(
        "rep stosb",
        "x db 4096 dup(?)\nmov edi,offset x\nmov ecx,-1\nrep stosb\n",
        0,
        "#PF",
    );
    source(
        "rep movsd without moving",
        "mov ecx,-1\nmov esi,offset x\nmov edi,esi\na: rep lodsb\njmp a\nx dd 1\n",
        0,
        "stopped",
    );
    source(
        "rep with 0",
        "x db 1\nxor ecx,ecx\nmov edi,0\nrep stosb\n",
        0,
        "instructions",
    );
    source("recursion", "a: call a\n", 0, "stopped");
    source("pushes", "a: pushad\njmp a\n", 0, "stopped");
    source("pops", "a: popad\njmp a\n", 0, "stopped");
    source("hlt", "hlt\n", 0, "ended by HLT");
    source_with(&["--cpl", "3"], "hlt at CPL 3", "hlt\n", 0, "#GP");
    source(
        "enter with 31 levels",
        "start: enter 65535,31\njmp start\n",
        0,
        "stopped",
    );
}

#[test]
fn programs_that_jump_anywhere() {
    source(
        "into data",
        "x db 90h,90h,0fh,0bh\nmov eax,offset x\njmp eax\n",
        0,
        "#UD",
    );
    source("to 0", "xor eax,eax\njmp eax\n", 0, "#PF");
    source("to -1", "mov eax,-1\njmp eax\n", 0, "#PF");
    source("to the stack", "push 0c3c3c3c3h\njmp esp\n", 0, "stopped");
    source("through a bad pointer", "jmp dword ptr ds:[0]\n", 0, "#PF");
    source(
        "into the middle of an instruction",
        "mov eax,offset a\ninc eax\njmp eax\na: mov eax,0c3c3c3c3h\n",
        0,
        "ended by returning",
    );
    source(
        "off the end of code",
        ".code\nstart: nop\nend start\n",
        0,
        "ended after its last instruction",
    );
    source("ret to nowhere", "push 0deadbeefh\nret\n", 0, "#PF");
    source("undefined bytes", "db 0ffh,0ffh,0ffh,0ffh\n", 0, "#UD");
    source("prefixes only", "db 66h\n".repeat(100), 0, "#");
    for byte in 0..=255u8 {
        if byte % 16 == 15 {
            source(
                "a byte as code",
                format!("db {byte},0ffh,0ffh,0ffh,0ffh,0ffh,0ffh\n"),
                0,
                "stopped",
            );
        }
    }
}

#[test]
fn programs_that_write_over_themselves() {
    source(
        "the next instruction",
        "mov byte ptr a,43h\na: inc eax\nnop\n",
        0,
        "instructions",
    );
    source(
        "the same block",
        "mov ecx,2\nb: mov byte ptr a,43h\nnop\na: inc eax\ndec ecx\njnz b\n",
        0,
        "instructions",
    );
    source("itself", "a: mov dword ptr a,90909090h\njmp a\n", 0, "stopped");
    source(
        "across a page",
        "jmp a\ndb 4088 dup(90h)\na: mov dword ptr b-2,90909090h\nb: nop\nnop\nnop\nnop\n",
        0,
        "instructions",
    );
    source(
        "by a string instruction",
        "mov edi,offset a\nmov ecx,16\nmov al,90h\ncld\nrep stosb\na: db 16 dup(0fh)\n",
        0,
        "instructions",
    );
    source_with(
        &["--limit", "100_000_000"],
        "a million times",
        "mov ecx,1000000\nb: mov byte ptr a,cl\ndb 0b0h\na db 0\ndec ecx\njnz b\n",
        0,
        "instructions",
    );
    source_with(
        &["--limit", "20_000_000"],
        "new code at ever new places",
        "x db 65536 dup(90h)\nmov ebx,offset x\na: mov byte ptr [ebx],0c3h\ncall ebx\ninc bx\njmp a\n",
        0,
        "stopped",
    );
}

#[test]
fn programs_that_misuse_the_system() {
    for (name, text) in [
        ("int 3", "int 3\n"),
        ("int 0ffh", "int 0ffh\n"),
        ("into", "mov al,7fh\ninc al\ninto\n"),
        ("bound", "x dd 1,2\nxor eax,eax\nbound eax,qword ptr x\n"),
        ("divide by zero", "xor ecx,ecx\ndiv ecx\n"),
        ("divide overflow", "mov edx,-1\nmov ecx,1\ndiv ecx\n"),
        ("idiv of the smallest", "mov eax,80000000h\ncdq\nmov ecx,-1\nidiv ecx\n"),
        ("aam 0", "aam 0\n"),
        ("retf to garbage", "push 1234h\npush 5678h\nretf\n"),
        ("retf to null", "push 0\npush 0\nretf\n"),
        ("iret with garbage", "push -1\npush -1\npush -1\niretd\n"),
        ("iret to virtual 8086 mode", "push 20002h\npush 8\npush 0\niretd\n"),
        ("far jump", "db 0eah,0,0,0,0,0,0\n"),
        ("far call", "db 9ah,1,2,3,4,0ffh,0ffh\n"),
        ("trap flag", "push 100h\npopfd\nnop\n"),
        ("every flag", "push -1\npopfd\nnop\n"),
        ("ss garbage", "mov eax,1234h\nmov ss,ax\n"),
        ("ss null", "xor eax,eax\nmov ss,ax\npush eax\n"),
        ("ds garbage", "mov eax,0ffffh\nmov ds,ax\n"),
        ("ds null", "xor eax,eax\nmov ds,ax\nmov eax,ds:[0]\n"),
        ("lidt", "x dw 0ffffh\ndd -1\nlidt fword ptr x\nint 3\n"),
        ("lgdt", "x dw 0\ndd 0\nlgdt fword ptr x\nmov ax,ds\nmov ds,ax\n"),
        ("lldt", "mov eax,0fff8h\nlldt ax\n"),
        ("ltr", "mov eax,8\nltr ax\n"),
        ("protection off", "mov eax,cr0\nand al,0feh\nmov cr0,eax\nnop\n"),
        ("paging off", "mov eax,cr0\nand eax,7fffffffh\nmov cr0,eax\nnop\n"),
        ("cr0 garbage", "mov eax,80000000h\nmov cr0,eax\n"),
        ("cr4 garbage", "mov eax,-1\nmov cr4,eax\nnop\n"),
        ("cr3 garbage", "mov eax,-1\nmov cr3,eax\nmov eax,ds:[0]\n"),
        ("debug registers", "mov eax,-1\nmov dr7,eax\nmov dr0,eax\nnop\n"),
        ("test registers", "db 0fh,26h,0f0h\n"),
        ("rsm", "db 0fh,0aah\n"),
        ("cpuid of anything", "mov eax,-1\ncpuid\nmov eax,80000000h\ncpuid\n"),
        ("cmpxchg8b of a register", "db 0fh,0c7h,0c8h\n"),
        ("lock of a register", "db 0f0h,0c7h,0c8h\n"),
        ("lock cmpxchg8b of a register", "db 0f0h,0fh,0c7h,0c8h\n"),
        ("ports", "mov dx,0ffffh\nin eax,dx\nout dx,eax\n"),
        (
            "rep insb",
            "mov ecx,-1\nx db 16 dup(0)\nmov edi,offset x\nmov dx,1\nrep insb\n",
        ),
        ("rdpmc", "db 0fh,33h\n"),
        ("16-bit addresses", "mov bx,-1\nmov al,[bx+1]\n"),
        ("x87", "fld1\nfldpi\nfdivp st(1),st\n"),
        ("esp at 0", "xor esp,esp\npush eax\n"),
        ("esp at 1", "mov esp,1\npop eax\n"),
        ("address wrap", "mov ebx,-2\nmov eax,[ebx]\n"),
    ] {
        for cpl in ["0", "3"] {
            source_with(&["--cpl", cpl], &format!("{name} at CPL {cpl}"), text, 0, "CPL");
        }
    }
}

#[test]
fn model_specific_registers_take_anything() {
    for register in 0..=0x14 {
        let text = format!(
            "mov ecx,{register}\nmov eax,-1\nmov edx,-1\nwrmsr\nrdmsr\nmov eax,12345678h\nwrmsr\na: rdtsc\ndec esi\njmp a\n"
        );
        source(&format!("MSR {register}"), &text, 0, "stopped");
    }
    source("MSR -1", "mov ecx,-1\nwrmsr\n", 0, "#GP");
    source_with(&["--cpl", "3"], "WRMSR at CPL 3", "xor ecx,ecx\nwrmsr\n", 0, "#GP");
    source(
        "every event",
        "mov ecx,11h\nxor ebx,ebx\na: mov eax,ebx\nxor edx,edx\nwrmsr\nadd ebx,1041h\ncmp ebx,40000000h\njb a\n",
        0,
        "stopped",
    );
    source_with(&["--cpl", "3"], "RDTSC", "rdtsc\n", 0, "CPL 3");
    source(
        "RDTSC disabled",
        "mov eax,cr4\nor al,4\nmov cr4,eax\nrdtsc\n",
        0,
        "instructions",
    );
}

#[test]
fn regions_of_all_shapes() {
    let hundred: String = (0..100).map(|at| format!("StartTSC r{at}\nnop\nEndTSC\n")).collect();
    source_with(&["--limit", "100_000_000"], "100 regions", hundred, 0, "r99");
    let profiles: String = (0..50)
        .map(|at| format!("StartProfile 0,16h,p{at}\nnop\nEndProfile\n"))
        .collect();
    source_with(&["--limit", "100_000_000"], "50 profiles", profiles, 0, "p49");
    source(
        "entered by a jump",
        "jmp a\nStartTSC r\nnop\na: nop\nEndTSC\n",
        0,
        "CPL",
    );
    source("left by a jump", "StartTSC r\njmp a\nnop\nEndTSC\na: nop\n", 0, "CPL");
    source("left without end", "a: StartTSC r\njmp a\nEndTSC\n", 0, "stopped");
    source(
        "in a recursion",
        "call f\nret\nf proc\nStartTSC r\nsub ecx,1\njc g\ncall f\ng: EndTSC\nret\nf endp\n",
        0,
        "CPL",
    );
    source(
        "within itself by a loop",
        "mov ecx,3\na: StartTSC r\nloop a\nEndTSC\n",
        0,
        "CPL",
    );
    source("without an end", "StartTSC\nnop\n", 0, "CPL");
    source("without a start", "nop\nEndTSC\n", 0, "CPL");
    source(
        "of events that are none",
        "StartProfile 99h,100h\nnop\nEndProfile\n",
        0,
        "CPL",
    );
    source("an empty one", "StartTSC\nEndTSC\n", 0, "CPL");
    source("one that faults", "StartTSC\nmov eax,ds:[0]\nEndTSC\n", 0, "#PF");
    source(
        "one that writes over its own code",
        "StartTSC\nmov byte ptr a,90h\na: nop\nEndTSC\n",
        0,
        "CPL",
    );
    source(
        "a million passes",
        "mov ecx,1000000\na: push ecx\nStartTSC\nEndTSC\npop ecx\ndec ecx\njnz a\n",
        0,
        "stopped",
    );
}

/// The records of samplers between two samples do not accumulate, whether or not the samplers sleep in between.
#[test]
fn sampling_takes_memory_for_what_is_kept_only() {
    let text =
        ".586\n.model flat\n.code\nstart:\nmov ecx,2000000\nnext:\nadd eax,[esp]\ndec ecx\njnz next\nret\nend start\n";
    let directory = tempfile::tempdir().expect("a temporary directory");
    for options in [
        "--op 100000 --paired",
        "--op 100000 --paired --window 4",
        "--op 18 --rand none --keep IbsOpRip",
        "--op 100000 --fetch 100000",
        "--op 100000 --mode cycles",
        "--op 100000 --truth",
    ] {
        let fixed = ["sample", "-", "-o", "run.samples", "--runs", "1"];
        let arguments: Vec<&str> = fixed.into_iter().chain(options.split(' ')).collect();
        let output = within(SECONDS, 400_000, &arguments, text.as_bytes(), directory.path());
        assert_ends(options, &output, 0, "attempts");
    }
}

/// Neither do the records for samplers of the program that a further run has not armed yet.
#[test]
fn a_program_that_samples_itself_late_takes_little_memory() {
    let text = ".586\n.model flat\n.code\nstart:\nmov ecx,2000000\nnext:\nadd eax,[esp]\ndec ecx\njnz next\n\
                mov ecx,0C0011033h\nmov eax,0A0010h\nxor edx,edx\nwrmsr\nmov ecx,1000\nlast:\ndec ecx\njnz last\nret\n\
                end start\n";
    let directory = tempfile::tempdir().expect("a temporary directory");
    let arguments = ["-", "--monitor", "ibs", "--runs", "2"];
    let output = within(SECONDS, 400_000, &arguments, text.as_bytes(), directory.path());
    assert_ends("armed late", &output, 0, "2 runs");
}

#[test]
fn a_program_that_maps_little_needs_little_room_on_the_host() {
    let ends = |kibibytes: u32, text: &str| {
        let output = within(SECONDS, kibibytes, &["-"], text.as_bytes(), Path::new("."));
        output.status.code() == Some(0)
    };
    let start = ".586\n.model flat\n.data\nn dd 30\n.code\ns: ";
    // 30 MiB, one by one.
    let maps = format!(
        "{start}mov eax,192\nxor ebx,ebx\nmov ecx,100000h\nmov edx,3\nmov esi,22h\nmov edi,-1\nxor ebp,ebp\nint 80h\n\
         cmp eax,-4096\nja f\nmov dword ptr [eax],1\ndec n\njnz s\nret\nf: hlt\nend s\n"
    );
    let plain = format!("{start}ret\nend s\n");
    let enough = (2..64)
        .map(|step| step << 14)
        .find(|&kibibytes| ends(kibibytes, &plain));
    let enough = enough.expect("a program that only returns has room in 1 GiB");
    assert!(ends(enough + (112 << 10), &maps), "{enough} KiB, and 112 MiB more");
}
