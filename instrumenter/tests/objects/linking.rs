//! ELF objects and archives: values, clocks, lines, and errors of a set of them.

use super::{Binary, eax, errors, fixture, linked, run, symbol};
use runtime::run::{Cause, Run, StopDetail, StopReason, Unlisted};

const WEIGH: &str = "        .586
        .model flat
extern  weigh:proc
extern  calls:dword, total:dword
        .data
values  dd 10, 20, 30, 40
result  dd 0
        .code
start:  push offset values
        StartTSC c
        call weigh
        EndTSC
        add esp,4
        mov result,eax
        mov ebx,calls
        mov ecx,total
        mov esi,offset total
        cmp ecx,[esi]
        jne start
        ret
        end start
";

#[test]
fn a_c_routine_is_called_and_shares_data_with_the_source() {
    let run = run(WEIGH, &[fixture("routine.o")]);
    assert_eq!(run.stop.reason, StopReason::Return);
    assert_eq!((eax(&run), symbol(&run, "result")), (300, 300));
    assert_eq!((symbol(&run, "calls"), symbol(&run, "total")), (1, 305));
    let [_, ecx, _, ebx, ..] = run.registers[1];
    assert_eq!((ebx, ecx), (1, 305));
    // Warm and aligned, the routine waits only for its data and for its own results: the macros measure the true
    // clocks.
    let passes = &run.regions[0].passes;
    let last = passes.last().expect("five passes");
    assert_eq!(last.measured.map(|[clocks, _]| clocks), Some(last.truth[0]));
    assert!(passes[0].truth[0] > last.truth[0] && last.truth[0] >= 18, "{passes:?}");
}

#[test]
fn the_code_of_an_object_stays_in_the_cache_beside_that_of_the_macros() {
    let run = run(WEIGH, &[fixture("routine.o")]);
    let issued = &run.regions[0].trace.issued;
    let of_c = |one: u32| {
        let place = run.instructions[one as usize].place;
        place.is_some_and(|(file, _)| run.files[file as usize].name == "routine.c")
    };
    assert!(issued.iter().any(|one| of_c(one.instruction)), "the routine is traced");
    let missed = issued.iter().find(|one| one.waited.clocks_of(Cause::CodeMiss) > 0);
    assert!(missed.is_none(), "{missed:?}");
}

#[test]
fn lines_of_the_c_source_are_those_of_its_instructions() {
    let run = run(WEIGH, &[fixture("routine.o")]);
    let of_c = run
        .files
        .iter()
        .position(|file| file.name == "routine.c")
        .expect("the line table names it");
    assert!(run.files[of_c].text.contains("sum += values[i] * weights[i];"));
    let line = |start: &str| {
        let found = run.instructions.iter().find(|one| one.text.starts_with(start));
        let (file, line) = found
            .unwrap_or_else(|| panic!("no {start}"))
            .place
            .expect("it has a line");
        assert_eq!(file as usize, of_c);
        run.files[of_c]
            .text
            .lines()
            .nth(line as usize - 1)
            .expect("a line of the file")
            .trim()
            .to_owned()
    };
    assert_eq!(line("inc dword ptr [calls]"), "calls++;");
    assert_eq!(line("add [total],eax"), "total += sum;");
    assert_eq!(line("lea edx,[edx+edx*2]"), "sum += values[i] * weights[i];");
}

#[test]
fn position_independent_code_calls_back_and_finds_its_data_through_the_table() {
    let source = "        .586
        .model flat
extern  _call_back:proc
extern  AGAIN:dword
public  seed
        .data
seed    dd 100
        .code
twice   proc
        mov eax,[esp+4]
        add eax,eax
        ret
twice   endp
start:  push 21
        call _call_back
        add esp,4
        mov ebx,again[12]
        ret
        end start
";
    let run = run(source, &[fixture("back.o")]);
    assert_eq!((eax(&run), run.registers[1][3]), (142, 142));
    assert_eq!(symbol(&run, "counter"), 1, "a common symbol starts as zero");
    let code = run
        .instructions
        .iter()
        .find(|one| one.text == "ret" && one.place.is_none());
    assert!(code.is_some(), "without a line table there is no line");
}

#[test]
fn a_fault_in_code_without_lines_names_its_address_and_the_line_that_led_there() {
    let source = "extern call_back:proc\npublic seed\nseed equ 0FFFFF000h\n.code\ntwice proc\nmov eax,1\nret\n\
                  twice endp\nstart: push 1\ncall call_back\nret\nend start\n";
    let run = run(source, &[fixture("back.o")]);
    let Some(StopDetail::Fault { address, unlisted, .. }) = run.stop.detail else {
        panic!("{:?}", run.stop);
    };
    assert_eq!(address, Some(0xFFFF_F000));
    // The instruction is at 26h of its section. The program's code ends at 0Eh of its page, so the section begins two
    // 32-byte lines after the beginning of the next one.
    assert_eq!(unlisted, Some(Unlisted::Linked { at: 0x40_2040 + 0x26 }));
    assert_eq!(run.stop.place, Some((0, 7)), "its callback returned there");
}

#[test]
fn an_archive_gives_only_the_members_that_are_needed() {
    let source = "extern chosen:proc\n push 7\n call chosen\n add esp,4\n";
    let assembly = linked(source, &[fixture("library.a")]);
    let names: Vec<&str> = assembly
        .image
        .iter()
        .flat_map(|image| &image.symbols)
        .map(|one| &*one.name)
        .collect();
    assert_eq!(names, ["chosen", "helper"], "{:?}", assembly.diagnostics);
    assert_eq!(eax(&run(source, &[fixture("library.a")])), 71);
    // A named object is linked even if it is not needed, and may define the same symbols as the archive.
    let own = "extern chosen:proc\n.code\nhelper proc\nmov eax,5\nret\nhelper endp\nstart: push 7\ncall chosen\n\
               add esp,4\nret\nend start\n";
    assert_eq!(
        eax(&run(own, &[fixture("library.a")])),
        6,
        "the program's own helper comes first"
    );
}

#[test]
fn addresses_of_external_symbols_go_into_data_and_into_every_form_of_operand() {
    let source = "extern total:dword, weigh:near
.data
pointer dd total, weigh+2
.code
start: mov eax,offset total
cmp eax,pointer
jne bad
push offset total
pop ebx
cmp eax,ebx
jne bad
xor ecx,ecx
mov edx,total[ecx*4]
add edx,[total+ecx]
mov eax,dword ptr pointer+4
sub eax,offset weigh
add eax,edx
ret
bad: hlt
end start
";
    assert_eq!(eax(&run(source, &[fixture("routine.o")])), 2 + 5 + 5);
}

#[test]
fn what_is_missing_or_defined_twice_is_named() {
    let external = "extern nothing:proc\ncall nothing\n";
    let found = errors(external, &[fixture("routine.o")]);
    let expected = "2: external symbol `nothing` is not defined in this program | include the file that defines it, or \
                    name its object or library after the source\n";
    assert_eq!(found, expected);
    let missing = "extern call_back:proc\n.data\nseed dd 1\n.code\nstart: call call_back\nret\ntwise proc\nret\ntwise endp\nend start\n";
    assert_eq!(
        errors(missing, &[fixture("back.o")]),
        "`back.o` uses the undefined symbol `twice` at `.text`+1Ch | did you mean `twise`?\n\
         `back.o` uses the undefined symbol `seed` at `.text`+22h | make `seed` public, which the program has\n"
    );
    let twice = "public total\n.data\ntotal dd 1\n.code\nstart: ret\nend start\n";
    assert_eq!(
        errors(twice, &[fixture("routine.o")]),
        "`routine.o` defines the symbol `total`, and so does line 3 of the program | keep one of the two, or make one of \
         them local to its file\n"
    );
    let same = Binary {
        name: "same.o".to_owned(),
        ..fixture("routine.o")
    };
    let found = errors("nop\n", &[fixture("routine.o"), same]);
    assert!(
        found.contains("`same.o` defines the symbol `weigh`, and so does `routine.o`"),
        "{found}"
    );
    let found = errors("nop\n", &[fixture("routine.o"), fixture("routine.o")]);
    assert_eq!(found, "`routine.o` is named twice | name it once\n");
    let archive = [fixture("library.a"), fixture("library.a")];
    assert!(
        linked("nop\n", &archive).image.is_some(),
        "an archive may be searched again"
    );
    let private = "extern weigh:proc\n.data\ntotal dd 1\n.code\nstart: ret\nend start\n";
    assert!(
        linked(private, &[fixture("routine.o")]).image.is_some(),
        "what is not public is apart"
    );
}

#[test]
fn a_public_symbol_of_the_source_comes_before_weak_and_common_ones() {
    let driver = "extern both:proc\nPUBLICS.data\nshared dd 77\n.code\nvalue: mov eax,2\nret\n\
                  start: call both\nret\nend start\n";
    let source = driver.replace("PUBLICS", "public value, shared\n");
    let run_of = |source: &str| run(source, &[fixture("weak.o")]);
    let own = run_of(&source);
    assert_eq!(eax(&own), 2 + 77);
    let listed = |run: &Run, name: &str| run.symbols.iter().filter(|symbol| symbol.name == name).count();
    assert_eq!(listed(&own, "shared"), 1, "what is not linked is not listed");
    // In the C model, public names have an underscore, like those of COFF objects.
    let cdecl = source
        .replace("PUBLICS", "")
        .replace("extern both:proc", ".model flat,c\nextern both:proc");
    assert_eq!(eax(&run_of(&cdecl)), 2 + 77);
    assert_eq!(
        eax(&run_of(&driver.replace("PUBLICS", ""))),
        1,
        "what is not public is apart"
    );
    let one = driver.replace("PUBLICS", "public shared\n");
    assert_eq!(eax(&run_of(&one)), 1 + 77);
}

#[test]
fn a_symbol_of_an_empty_section_has_the_address_at_which_the_section_would_be() {
    let source = "extern distance:proc\n call distance\n";
    assert_eq!(
        eax(&run(source, &[fixture("marks.o")])),
        4,
        "the end of the data before it"
    );
}

#[test]
fn a_relocation_that_cannot_be_applied_says_why_and_what_to_do() {
    let found = errors("extern find:proc\n call find\n", &[fixture("unwind.o")]);
    assert_eq!(
        found,
        "`unwind.o`: the relocation of `.eh_frame` at `.text`+1h refers to data for unwinding the stack, which is not \
         linked | do without exceptions and the startup files of the compiler (-fno-exceptions, -nostartfiles)\n"
    );
}

#[test]
fn objects_do_not_fit_a_program_of_16_bit_segments() {
    for model in ["tiny", "small", "large"] {
        // The function is not reported as missing either.
        let source = format!(".model {model}\nextern triple:proc\n.code\nstart: call triple\nret\nend start\n");
        assert_eq!(
            errors(&source, &[fixture("routine.o")]),
            "objects cannot be linked with 16-bit segments: their code and addresses are flat 32-bit ones | make the \
             program flat, with 32-bit segments alone, or assemble the objects' source with it\n"
        );
    }
}

#[test]
fn files_that_cannot_be_linked_say_why() {
    let refused = |bytes: Vec<u8>, why: &str| {
        let file = Binary {
            name: "file.o".to_owned(),
            bytes,
        };
        let found = errors("nop\n", &[file]);
        assert!(
            found.starts_with("cannot link `file.o`: ") && found.contains(why),
            "{found}"
        );
    };
    refused(
        b"mov eax,1\n".to_vec(),
        "neither an object in ELF or COFF nor an archive",
    );
    refused(fixture("print.elf").bytes, "a whole program");
    refused(
        b"!<thin>\n//                                              0         `\n".to_vec(),
        "thin archive",
    );
    let mut object = fixture("routine.o").bytes;
    // The machine and the class in the ELF header.
    object[18] = 40;
    refused(object.clone(), "made for Arm, not for the 32-bit x86\n");
    object[18] = 3;
    object.truncate(object.len() - 8);
    refused(object, "truncated or damaged");
    refused(
        fixture("indirect.o").bytes,
        "symbol `indirect` is an indirect function (STT_GNU_IFUNC)",
    );
    let mut archive = fixture("library.a").bytes;
    archive.truncate(archive.len() - 100);
    refused(archive, "truncated or damaged");
    // The type of the first relocation of the code, which refers to `calls`.
    let mut object = fixture("routine.o").bytes;
    let entry = [0x1C, 0, 0, 0, 0x01];
    let at = object
        .windows(5)
        .position(|window| window == entry)
        .expect("the relocation at 1Ch");
    object[at + 4] = 14;
    refused(object.clone(), "`calls` at `.text.weigh`+1Ch is not supported");
    object[at + 4] = 1;
    object[at] = 0xF0;
    refused(object, "bad relocation at `.text.weigh`+F0h");
}
