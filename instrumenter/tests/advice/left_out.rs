//! What is not suggested, with its reason and what to do instead.

use super::{finished, json, printed};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A loop whose LOOP leaves other flags than DEC and JNZ.
const LOOP: &str = "\
        .586
        .model flat
        .code
start:  mov ecx,100
        xor eax,eax
again:  add eax,3
        loop again
        END
        end start
";

fn written(folder: &Path, text: &str) -> Value {
    fs::write(folder.join("a.asm"), text).expect("a file is written");
    json(folder, "advise a.asm --format json")
}

fn told(folder: &Path) -> String {
    let told = printed(folder, "advise a.asm");
    assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
    told.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn suggestions(report: &Value) -> usize {
    report["suggestions"].as_array().expect("suggestions").len()
}

#[test]
fn flags_at_the_end_count_only_where_code_may_follow() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let com = LOOP.replace(".586\n        .model flat", ".model tiny\n        .586");
    let com = com.replace("start:", "        org 100h\nstart:");
    let com = com.replace("ecx", "cx").replace("eax", "ax");
    let fragment = "mov ecx,100\nxor eax,eax\nagain: add eax,3\nloop again\n".to_owned();
    for (text, counts) in [
        (LOOP.replace("END", "ret"), false),
        (
            LOOP.replace("END", "mov eax,1\n        mov ebx,0\n        int 80h"),
            false,
        ),
        (com.replace("END", "int 20h"), false),
        (com.replace("END", "mov ah,4Ch\n        int 21h"), false),
        (LOOP.replace("END", "hlt"), true),
        (fragment, true),
    ] {
        let report = written(path, &text);
        assert_eq!(suggestions(&report), usize::from(!counts), "{text}: {report:#}");
        let flags: Vec<&Value> = report["refusals"].as_array().expect("refusals").iter().collect();
        if !counts {
            assert!(flags.is_empty(), "{text}: {report:#}");
            continue;
        }
        assert_eq!(flags.len(), 1, "{text}: {report:#}");
        assert_eq!(flags[0]["changed"], "the flags", "{text}");
        assert_eq!(flags[0]["moves"], false, "{text}");
        assert_eq!(flags[0]["tried"]["after"], "dec ecx / jnz again", "{text}");
        let saved = flags[0]["saved"].as_u64().expect("clocks");
        assert!(saved > 400, "a LOOP takes 5 clocks more: {saved}");
        let words = format!(
            "left out: `loop again` to `dec ecx / jnz again` in lines {} to {} saves {saved} clocks, but changes the \
             final state, first the flags",
            flags[0]["lines"][0], flags[0]["lines"][1]
        );
        let told = told(path);
        assert!(told.contains(&words), "{words}:\n{told}");
        assert!(
            told.contains("no suggestion saves a clock and keeps the final state"),
            "{told}"
        );
    }
}

#[test]
fn less_than_a_clock_in_2000_is_no_suggestion() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    // The loop cannot become faster. After it, another order avoids one AGI stall.
    let program = |rounds: u32| {
        format!(
            "        .586\n        .model flat\n        .data\nv       dd 7\n        .code\n\
             start:  mov ecx,{rounds}\nagain:  dec ecx\n        jnz again\n\
             \x20       mov esi,offset v\n        mov eax,[esi]\n        mov ebx,1\n        mov edx,2\n\
             \x20       add ebx,3\n        add edx,4\n        ret\n        end start\n"
        )
    };
    let report = written(path, &program(100));
    assert_eq!(suggestions(&report), 1, "{report:#}");
    assert_eq!(report["slight"].as_array().map(Vec::len), Some(0), "{report:#}");
    let saved = report["suggestions"][0]["saved"].as_u64().expect("clocks");
    let report = written(path, &program(9_000));
    let clocks = report["clocks_before"].as_u64().expect("clocks");
    assert!(saved * 2_000 < clocks, "{saved} of {clocks}");
    assert_eq!(suggestions(&report), 0, "{report:#}");
    assert_eq!(report["clocks_after"], clocks, "nothing is changed");
    assert_eq!(report["slight"][0]["saved"], saved, "{report:#}");
    let told = told(path);
    assert!(told.contains("no suggestion saves 0.05% of the clocks"), "{told}");
    let last = format!("that saves {saved} clock");
    assert!(told.contains(&last) && told.ends_with("(0.0%): too little"), "{told}");
    let help = printed(path, "advise --help");
    assert!(help.contains("at least 1 of 2000 (0.05 %)"), "{help}");
}

#[test]
fn the_expansion_of_a_macro_is_examined_where_the_message_says() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let text = "\
        .586
        .model flat
        .data
v       dd 64 dup(1)
sum     macro from, n
        local next
        mov ecx,n
next:   add eax,[from]
        lea from,[from+4]
        loop next
        endm
        .code
start:  mov esi,offset v
        xor eax,eax
        sum esi, 64
        ret
        end start
";
    let report = written(path, text);
    let alone = &report["left_alone"][0];
    assert_eq!(
        (suggestions(&report), &alone["instructions"]),
        (0, &4.into()),
        "{report:#}"
    );
    assert_eq!(
        (&alone["made_by"][0]["line"], &alone["made_by"][0]["name"]),
        (&15.into(), &"sum".into())
    );
    assert_eq!(alone["made_by"][0]["clocks"], alone["clocks"]);
    let words = told(path);
    assert!(words.contains("write them in place of `sum` in line 15;"), "{words}");
    let command = "check a.asm --listing -";
    assert!(words.contains(&format!("`p5inst {command}` shows them")), "{words}");
    // The lines with a depth are the instructions.
    let listing = printed(path, command);
    let depth = listing.lines().find_map(|line| line.find("depth")).expect("a head");
    let expanded = listing.lines().filter_map(|line| {
        let (column, source) = (line.get(depth..depth + 3)?, line.get(depth + 3..)?);
        (column.trim() == "1").then(|| format!("{}\n", source.trim_start()))
    });
    let expanded: String = expanded.collect();
    assert_eq!(expanded.lines().count(), 4, "{listing}");
    let report = written(path, &text.replace("        sum esi, 64\n", &expanded));
    assert!(suggestions(&report) > 0, "{expanded}{report:#}");
    assert_eq!(report["left_alone"].as_array().map(Vec::len), Some(0), "{report:#}");
}

#[test]
fn a_built_program_is_refused_as_the_help_says() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let com = LOOP.replace(".586\n        .model flat", ".model tiny\n        .586");
    let com = com.replace("start:", "        org 100h\nstart:");
    fs::write(path.join("a.asm"), com.replace("END", "ret")).expect("a file is written");
    printed(path, "build a.asm -o a.com");
    let output = finished(path, "advise a.com");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("`a.com` is a program; this command takes assembly source")
            && said.contains("; `p5inst --timeline a.com` shows where the clocks of the program go"),
        "{said}"
    );
    for help in ["advise -h", "advise --help"] {
        let help = printed(path, help).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            help.contains("a program that is already built has no source to change"),
            "{help}"
        );
        assert!(!help.contains(".com"), "{help}");
    }
}

#[test]
fn programs_of_very_many_lines_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let source = format!(
        ".586\n.model flat\n.code\nstart:\n{}ret\nend start\n",
        "nop\n".repeat(1_000_000)
    );
    fs::write(path.join("a.asm"), source).expect("a file is written");
    let output = finished(path, "advise a.asm");
    let told = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(
        told.contains("`a.asm` has 1000006 lines with those of its macros"),
        "{told}"
    );
    assert!(
        told.contains("put the code to improve into a program of its own"),
        "{told}"
    );
}

/// A loop of DOS with a LOOP, after a line that says where handlers may be, and with lines after its end.
fn of_dos(before: &str, after: &str) -> String {
    format!(
        ".model small\n.386\n.stack 100h\n.data\na dw 100 dup (3)\nwhere dw 0A000h\nversion db 30h\n.code\n\
         main proc\n mov ax,@data\n mov ds,ax\n{before} mov si,offset a\n xor bx,bx\n mov cx,100\n\
         l1: add bx,[si]\n add si,2\n loop l1\n mov ax,4C00h\n int 21h\nmain endp\n{after}end main\n"
    )
}

#[test]
fn what_cannot_set_a_handler_for_exceptions_hides_no_suggestion() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for (before, after) in [
        ("", ""),
        (" mov es,ax\n", ""),
        (" push ds\n mov bx,ds\n mov es,bx\n pop es\n", ""),
        (" mov dx,0A000h\n add si,2\n mov es,dx\n", ""),
        (
            " call keep\n",
            "keep: push ds\n push es\n push cx\n call none\n pop cx\n pop es\n pop ds\nnone: ret\n",
        ),
        // It is never executed.
        ("", "other: ret\n"),
        ("", "never: pop es\n pop ds\n ret\n"),
        ("", "far2: xor ax,ax\n mov es,ax\n mov es:[0],ax\n ret\n"),
        // What a service returns in ES is not used.
        (
            " mov ax,3509h\n int 21h\n mov word ptr where,bx\n mov dx,ds\n mov es,dx\n",
            "",
        ),
        // A keyboard's handler returns to what it interrupts with the flags as they were.
        (" mov dx,offset key\n mov ax,2509h\n int 21h\n", "key: iret\n"),
    ] {
        let report = written(folder.path(), &of_dos(before, after));
        assert_eq!(suggestions(&report), 1, "{before}{after}: {report:#}");
        assert_eq!(report["suggestions"][0]["replaced"][0]["after"], "dec cx / jnz l1");
    }
}

#[test]
fn a_substitution_in_doubt_is_named_with_the_instruction_that_raises_it() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let may_set = "may set a handler for exceptions, which may read anything";
    for (before, after, instruction, line, why) in [
        (" mov es,where\n", "", "mov es,where", 12, may_set),
        (" xor dx,dx\n mov es,dx\n", "", "mov es,dx", 13, may_set),
        (" push cx\n pop es\n", "", "pop es", 13, may_set),
        (" mov dx,40h\n mov dl,0\n mov es,dx\n", "", "mov es,dx", 14, may_set),
        // Each way to the load must bring a harmless value.
        (
            " jcxz other\n mov ax,0\nother: mov es,ax\n",
            "",
            "other: mov es,ax",
            14,
            may_set,
        ),
        // What was pushed is not what is popped.
        (
            " push ds\n mov bp,sp\n mov word ptr [bp],0\n pop es\n",
            "",
            "pop es",
            15,
            may_set,
        ),
        (
            " push ds\n mov bx,sp\n mov word ptr ss:[bx],0\n pop es\n",
            "",
            "pop es",
            15,
            may_set,
        ),
        (" push cx\n push ds\n add sp,2\n pop es\n", "", "pop es", 15, may_set),
        (
            " mov dx,offset zero\n mov ax,2500h\n int 21h\n",
            "zero: iret\n",
            "int 21h",
            14,
            may_set,
        ),
        (" mov ah,version\n int 21h\n", "", "int 21h", 13, may_set),
        // The service returns the segment of a handler in ES.
        (
            " mov ax,3509h\n int 21h\n mov dx,es\n mov es,dx\n",
            "",
            "mov es,dx",
            15,
            may_set,
        ),
        (
            " call ask\n mov dx,es\n mov es,dx\n",
            "ask: mov ax,3509h\n int 21h\n ret\n",
            "mov es,dx",
            14,
            may_set,
        ),
    ] {
        let report = written(path, &of_dos(before, after));
        assert_eq!(suggestions(&report), 0, "{before}{after}: {report:#}");
        let refused = &report["refusals"][0];
        assert_eq!(refused["tried"]["before"], "loop l1", "{before}{after}: {report:#}");
        let saved = refused["saved"].as_u64().expect("clocks");
        assert!(saved > 400, "a LOOP takes 5 clocks more: {saved}");
        let words = format!("flags or registers that may be read: `{instruction}` in line {line} {why}");
        assert_eq!(refused["changed"], words, "{before}{after}");
        let sentence = format!("saves {saved} clocks, but changes {words}");
        assert!(told(path).contains(&sentence), "{sentence}:\n{}", told(path));
    }
    // A service that the program replaces need not end it, so that what follows is followed.
    let replaces = of_dos(
        " push ds\n push cs\n pop ds\n mov dx,offset own\n mov ax,2521h\n int 21h\n pop ds\n mov ah,4Ch\n int 21h\n \
         xor dx,dx\n mov es,dx\n",
        "own: iret\n",
    );
    let report = written(path, &replaces.replace("int 21h\nmain endp", "int 20h\nmain endp"));
    let words = format!("flags or registers that may be read: `mov es,dx` in line 22 {may_set}");
    assert_eq!(report["refusals"][0]["changed"], words, "{report:#}");
    let jumps = LOOP.replace("END", "mov edx,offset done\n        jmp edx\ndone:   ret");
    let report = written(path, &jumps);
    assert_eq!(
        report["refusals"][0]["changed"],
        "flags or registers that may be read: where `jmp edx` in line 9 leads is not known"
    );
}

#[test]
fn code_that_the_program_changes_is_left_alone_and_named() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let text = "\
        .586
        .model flat
        .code
start:  mov ecx,100
again:  inc byte ptr [patch+1]
patch:  mov eax,5
        lea edx,[eax+eax*2]
        imul edx,5
        mov ebx,edx
        dec ecx
        jnz again
        ret
        end start
";
    let report = written(path, text);
    let alone = &report["left_alone"][0];
    assert_eq!(alone["instructions"], 1, "{report:#}");
    let words = told(path);
    let said = "whose bytes the program changes, in line 6; what is suggested elsewhere holds for the changes that these \
                runs made";
    assert!(words.contains(said), "{words}");
    assert!(words.contains("`imul edx,5` becomes `lea edx,[edx+edx*4]`"), "{words}");
    // Without a change there is nothing to say.
    fs::write(path.join("a.asm"), text.replace("inc byte ptr [patch+1]", "nop")).expect("a file is written");
    assert!(!told(path).contains("the program changes"), "{}", told(path));
}

#[test]
fn what_a_directive_makes_is_named_with_its_line() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let source = ".586\n.model flat,c\n.code\nmix proc uses esi edi, a:dword\nmov eax,a\nadd eax,eax\nret\nmix endp\n\
                  start: mov ebp,20\nagain: invoke mix, 7\ndec ebp\njnz again\nmov eax,1 \nret\nend start\n";
    let report = written(path, source);
    let reasons: Vec<&str> = report["left_alone"]
        .as_array()
        .expect("reasons")
        .iter()
        .map(|one| one["reason"].as_str().expect("a reason"))
        .collect();
    assert_eq!(reasons, ["not spelled by a line of the source"], "{report:#}");
    let told = told(path);
    for maker in [
        "`mix proc uses esi edi, a:dword` in line 4",
        "`ret` in line 7",
        "invoke mix, 7` in line 10",
    ] {
        assert!(told.contains(maker), "{maker}: {told}");
    }
    assert!(!told.contains("on a line with others"), "{told}");
    // Half of the clocks are told first.
    let (head, rest) = told
        .split_once(" of them in instructions that are left alone")
        .expect("a head");
    assert!(
        head.contains("clocks in the last of") && rest.contains("block"),
        "{told}"
    );
}

#[test]
fn a_block_with_many_clocks_that_nothing_saves_is_said_to_be_tried() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let source = ".586\n.model flat\n.data\nx dq 1.5\ny dq 0.0\n.code\nstart: mov ecx,50\nfld x\nnext: fld st(0)\n\
                  fmul st(0),st(0)\nfmul st(0),st(0)\nfstp y\ndec ecx\njnz next\nfstp st(0)\nret\nend start\n";
    let report = written(path, source);
    assert_eq!(suggestions(&report), 0, "{report:#}");
    let told = told(path);
    assert!(told.contains("tried in vain: lines 9 to 14, which take"), "{told}");
    let vain = &report["in_vain"][0];
    assert_eq!(
        (&vain["passes"], &vain["lines"]),
        (&50.into(), &serde_json::json!([9, 14]))
    );
    let (clocks, least) = (vain["clocks"].as_u64(), vain["least_clocks"].as_u64());
    assert!(
        clocks.zip(least).is_some_and(|(clocks, least)| clocks >= 50 * least),
        "{vain}"
    );
}

#[test]
fn repeated_writes_to_video_memory_say_what_helps() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let source = |copy: &str| {
        format!(
            ".model tiny\n.386\n.code\norg 100h\nstart: mov ax,13h\nint 10h\nmov ax,0A000h\nmov es,ax\nxor di,di\n\
             xor si,si\nmov cx,9000\nrep {copy}\nmov ax,4C00h\nint 21h\nend start\n"
        )
    };
    for (copy, words) in [
        ("movsd", "these are dwords; only writes of 8 bytes"),
        ("movsb", "write dwords, or draw in memory of the program"),
    ] {
        let report = written(path, &source(copy));
        assert_eq!(report["unread"][0]["why"], "video", "{report:#}");
        let told = told(path);
        assert!(told.contains(words), "{copy}: {told}");
        let write = format!("clocks for `rep {copy}` in line 12: video memory is never cached, and the write holds");
        assert!(told.contains(&write), "{told}");
        assert_eq!(
            report["unread"][0]["video_writes"],
            serde_json::json!([12]),
            "{report:#}"
        );
    }
}

#[test]
fn a_block_beside_one_that_draws_is_not_told_of_video_memory() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let report = written(
        path,
        ".model small\n.386\n.stack 100h\n.data\nmany db 30000 dup (0)\n.code\nstart: mov ax,0A000h\nmov es,ax\n\
         mov byte ptr es:[0],1\nmov ax,@data\nmov ds,ax\nxor di,di\nmov cx,800\nl: setc many[di]\nadd di,32\n\
         dec cx\njnz l\nmov ax,4C00h\nint 21h\nend start\n",
    );
    let whys: Vec<&str> = report["unread"]
        .as_array()
        .expect("blocks")
        .iter()
        .filter_map(|one| one["why"].as_str())
        .collect();
    assert!(!whys.is_empty() && !whys.contains(&"video"), "{report:#}");
}

#[test]
fn blocks_of_directives_are_named_for_what_they_make() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let text = LOOP.replace(
        "again:  add eax,3\n        loop again\n        END",
        ".repeat\nadd eax,3\nimul edx,eax\n.untilcxz\nmov ecx,9\n.while ecx > 0\nsub ecx,1\n.endw\nret",
    );
    fs::write(folder.path().join("a.asm"), text).expect("a file is written");
    let told = told(folder.path());
    assert!(told.contains("`.untilcxz` in line"), "{told}");
    assert!(told.contains("`.while ecx > 0` in line"), "{told}");
    assert!(!told.contains("on a line with others"), "{told}");
}
