//! The bundled macro library: its macros measure the figures that the simulator knows, and leave no trace.

mod profiles;

use instrumenter::source::{Included, Sources};
use instrumenter::{Options, assemble};
use runtime::machine::{self, simulate};
use runtime::model::{MODELS, MemoryPreset, Model, by_name};
use runtime::run::{Pass, Run, StopReason};

/// The chips with the counters that the macros read.
fn measuring() -> impl Iterator<Item = &'static Model> {
    MODELS
        .iter()
        .copied()
        .filter(|model| model.events.selections().next().is_some())
}

/// Assembles and runs a program; any diagnostic is a failure.
fn run_with(source: &str, cpl: u8, model: &'static Model, memory: &str) -> Run {
    let options = Options {
        cpl,
        chip: model,
        ..Options::default()
    };
    let assembly = assemble(&Sources::single("test.asm", source), &options);
    assert!(assembly.diagnostics.is_empty(), "{:#?}\n{source}", assembly.diagnostics);
    let image = assembly.image.expect("a program without errors is an image");
    let machine = machine::Options {
        cpl,
        runs: 3,
        memory: MemoryPreset::by_name(memory).expect("a preset"),
        ..machine::Options::default()
    };
    simulate(&image, "test.asm", model, &machine, &mut |_| {})
}

fn run(source: &str, cpl: u8) -> Run {
    run_with(source, cpl, by_name("p54c").expect("the default chip"), "l2")
}

/// Asserts that a program ends normally; a fault would leave regions without results.
fn assert_ended(run: &Run, source: &str) {
    assert!(
        matches!(run.stop.reason, StopReason::End | StopReason::Return),
        "{:?}\n{source}",
        run.stop
    );
}

/// The passes of region `index` in the last of three runs. In the second one, a line that page tables had evicted may
/// still miss once.
fn warm(run: &Run, index: usize) -> impl Iterator<Item = &Pass> {
    run.regions[index].passes.iter().filter(|pass| pass.run > 1)
}

fn symbol(run: &Run, name: &str) -> u64 {
    let found = run.symbols.iter().find(|symbol| symbol.name == name);
    found
        .unwrap_or_else(|| panic!("no symbol {name}: {:?}", run.symbols))
        .value
        .expect("it has at most eight bytes")
}

/// A program that executes `start`, `body` and `end` four times, with pointers to memory in ESI, EAX and EDX.
fn looped(start: &str, body: &str, end: &str) -> String {
    format!(
        ".586\n.model flat\n.data\nalign 4096\nbuffer dd 8192 dup (0)\n.code\nstart:\nmov ebp,4\nagain:\n\
         mov esi,offset buffer\nmov eax,esi\nmov edx,esi\nmov ebx,3\n{start}\n{body}\n{end}\n\
         dec ebp\njnz again\nret\nend start\n"
    )
}

/// Reads (or writes) one dword in each line of 16 KB.
fn walk(access: &str) -> String {
    format!("mov ecx,512\nwalk:\n{access}\nadd esi,32\ndec ecx\njnz walk")
}

#[test]
fn a_region_of_known_clocks_measures_exactly_these() {
    // The first prefix of a region is decoded before its first instruction issues, where the true clocks start. Each
    // case has the number of prefixes decoded then: of size, of 0Fh, and others.
    let bodies = [
        ("", 0, [0; 3]),
        ("add eax,eax", 1, [0; 3]),
        (
            "add eax,eax\nadd eax,eax\nadd eax,eax\nadd eax,eax\nadd eax,eax",
            5,
            [0; 3],
        ),
        ("mov ecx,[esi]", 1, [0; 3]),
        ("add ecx,[esi]\nadd eax,ecx", 3, [0; 3]),
        ("mov ecx,[eax]", 1, [0; 3]),
        ("mov ecx,[edx]\nmov eax,ebx", 1, [0; 3]),
        ("lea eax,[eax+4]\nmov ecx,[eax]", 3, [0; 3]),
        ("mov ax,[esi]", 1, [1, 0, 0]),
        ("mov ax,1", 1, [1, 0, 0]),
        ("movzx ecx,al", 3, [0, 1, 0]),
        ("db 0F2h,066h\nnop", 1, [1, 0, 1]),
        ("inc ebx\nadd ecx,eax\ninc edi", 2, [0; 3]),
        ("inc ebx\nadd ecx,eax", 1, [0; 3]),
        ("push eax\npop ecx", 2, [0; 3]),
        ("push eax\npush ebx\npop ebx\npop eax", 2, [0; 3]),
        ("mov [esi],eax\nmov [esi+4],ebx", 1, [0; 3]),
        ("add [esi],ebx", 3, [0; 3]),
        ("mul ebx", 9, [0; 3]),
        ("mov ecx,[esi+1]", 4, [0; 3]),
    ];
    for model in measuring() {
        for cpl in [0, 3] {
            for (body, clocks, [size, escape, other]) in bodies {
                let each = model.rules.prefix_decode;
                // A queue before D1 holds the first instruction by the time the macro ends.
                let before_first_issue = match model.rules.queued_instructions {
                    0 => i64::from(size * each.size + escape * each.escape + other * each.other),
                    _ => 0,
                };
                let source = looped("StartTSC", body, "EndTSC");
                let run = run_with(&source, cpl, model, "l2");
                assert_ended(&run, &source);
                assert_eq!(warm(&run, 0).count(), 4);
                for pass in warm(&run, 0) {
                    let measured = pass.measured.expect("EndTSC has finished")[0];
                    let what = (model.name, cpl, body);
                    assert_eq!(measured, clocks + before_first_issue, "{what:?}");
                    assert_eq!(pass.truth[0], clocks, "{what:?}");
                }
            }
        }
    }
}

#[test]
fn whatever_a_region_holds_it_measures_what_is_true() {
    let first = [
        "add eax,ebx",
        "mov ecx,[esi]",
        "mov edi,[edx]",
        "lea ecx,[eax+edx]",
        "push eax\npop ecx",
    ];
    let more = [
        "mov ecx,[esi+64]",
        "add [esi+4],ebx",
        "mov [esi+4096],ecx",
        "mov ax,[esi+2]",
        "movzx edi,bl",
        "inc ecx",
        "lea ebx,[ebx+ecx]",
        "shl ecx,3",
        "imul ecx,ebx",
        "cmp ecx,edi\njb @F\ninc edi\n@@:",
        "call @F\n@@:\npop ecx",
        "mov edi,[esi+31]",
        "xchg eax,ecx",
        "rol ecx,cl",
        "cld",
        "mov eax,esi\nmov ecx,[eax+8]",
    ];
    let seed = p5_seeds::seed();
    let mut random = fastrand::Rng::with_seed(seed);
    for _ in 0..300 {
        let chips: Vec<_> = measuring().collect();
        let model = chips[random.usize(..chips.len())];
        let mut body = first[random.usize(..first.len())].to_owned();
        if !model.rules.prefixed_goes_to_u.size {
            // A prefix of the first instruction's partner would be decoded before the first issue.
            body.push_str("\ncld");
        }
        for _ in 0..random.usize(..12) {
            body.push('\n');
            body.push_str(more[random.usize(..more.len())]);
        }
        let source = looped("StartTSC", &body, "EndTSC");
        let run = run_with(&source, random.choice([0, 3]).unwrap_or(0), model, "l2");
        assert_ended(&run, &source);
        for pass in warm(&run, 0) {
            let measured = pass.measured.expect("EndTSC has finished")[0];
            assert_eq!(measured, pass.truth[0], "seed {seed}, {}\n{body}", model.name);
        }
    }
}

#[test]
fn an_empty_region_is_zero_even_cold() {
    for memory in ["l2", "ideal", "dram"] {
        for model in measuring() {
            let source = looped("StartTSC", "", "EndTSC");
            let run = run_with(&source, 0, model, memory);
            let cold = run.regions[0].passes[0];
            assert_eq!(
                cold.measured.map(|measured| measured[0]),
                Some(0),
                "{} {memory}",
                model.name
            );
        }
    }
}

#[test]
fn evicted_lines_and_writes_under_way_do_not_disturb() {
    let bodies = [
        walk("mov eax,[esi]"),
        walk("mov [esi],eax"),
        walk("add [esi],eax"),
        format!(
            "{}\nmov [esi],eax\nmov [esi+64],ebx\nmov [esi+128],ebx",
            walk("mov eax,[esi]")
        ),
        format!("{}\npush eax\npop eax", walk("mov eax,[esi]")),
        "mov edi,esi\nmov ecx,4096\nrep stosd".to_owned(),
    ];
    for memory in ["l2", "ideal", "dram"] {
        for model in measuring() {
            for body in &bodies {
                let source = looped("StartTSC", body, "EndTSC");
                let run = run_with(&source, 0, model, memory);
                assert_ended(&run, &source);
                for pass in warm(&run, 0) {
                    let measured = pass.measured.expect("EndTSC has finished")[0];
                    assert!(measured > 500, "{measured}");
                    assert_eq!(measured, pass.truth[0], "{} {memory}\n{body}", model.name);
                }
            }
        }
    }
}

#[test]
fn each_site_has_its_slot_and_the_plain_name_the_last_result() {
    let source = "mov ecx,3\nagain:\ns\nadd eax,eax\nadd eax,eax\ne\nStartTSC second\nadd eax,eax\nEndTSC\n\
                  dec ecx\njnz again\n";
    let run = run(source, 0);
    assert_ended(&run, source);
    let values = ["_TSC_1", "_TSC_2", "_TSC"].map(|name| symbol(&run, name));
    assert_eq!(values, [2, 1, 1]);
    assert_eq!(run.regions[1].name, "second");
    assert!(!run.symbols.iter().any(|symbol| symbol.name.starts_with("P5_")));
}

#[test]
fn nested_regions_each_measure_their_own() {
    let source = looped(
        "StartTSC outer",
        "add eax,eax\nStartTSC inner\nadd eax,eax\nadd eax,eax\nEndTSC\nadd eax,eax",
        "EndTSC",
    );
    let run = run(&source, 0);
    assert_ended(&run, &source);
    let by_name = |name: &str| {
        let index = run.regions.iter().position(|region| region.name == name);
        index.expect("the region is there")
    };
    for pass in warm(&run, by_name("inner")) {
        assert_eq!((pass.measured, pass.truth[0]), (Some([2, 0]), 2));
    }
    for pass in warm(&run, by_name("outer")) {
        let measured = pass.measured.expect("EndTSC has finished")[0];
        assert_eq!(measured, pass.truth[0]);
        assert!(measured > 100, "the inner probe is in the outer region: {measured}");
    }
}

#[test]
fn registers_flags_and_the_stack_are_as_they_were() {
    // Tests every flag pattern that POPFD can set, with eight different registers; ESP points to the user's memory.
    let seed = p5_seeds::seed();
    let mut random = fastrand::Rng::with_seed(seed);
    let registers = ["eax", "ebx", "ecx", "edx", "esi", "edi", "ebp"];
    for cpl in [0, 3] {
        let mut source = ".586\n.model flat\n.data\nbefore dd 9 dup (0)\nbad dd 0\n.code\nstart:\n".to_owned();
        let mut probes = vec![("StartTSC", "EndTSC")];
        if cpl == 0 {
            probes.push((
                "StartProfile EV_AGI_STALLS + COUNT_CYCLES, EV_DATA_READ + USER_CODE",
                "EndProfile",
            ));
        }
        for case in 0..24 {
            let (start, end) = probes[case % probes.len()];
            for register in registers {
                source.push_str(&format!("mov {register},0{:08X}h\n", random.u32(..)));
            }
            // CF, PF, AF, ZF, SF, DF and OF.
            let flags = random.u32(..) & 0xCD5 | 2;
            source.push_str(&format!("push 0{flags:X}h\npopfd\n"));
            let keep = |source: &mut String, probe: &str, check: &str| {
                for (place, register) in registers.iter().chain(&["esp"]).enumerate() {
                    source.push_str(&format!("mov before[{}],{register}\n", 4 * place));
                }
                source.push_str(&format!("{probe}\n{check}\n"));
                for (place, register) in registers.iter().chain(&["esp"]).enumerate() {
                    source.push_str(&format!("cmp {register},before[{}]\nje @F\ninc bad\n@@:\n", 4 * place));
                }
            };
            let check = format!(
                "pushfd\npop before[32]\nmov before[0],eax\nmov eax,before[32]\nand eax,0CD5h\n\
                                 cmp eax,0{:X}h\nje @F\ninc bad\n@@:\nmov eax,before[0]",
                flags & 0xCD5
            );
            // EAX itself is compared first, by a subtraction that needs no other register.
            let whole = format!("{start}\n{end}");
            let first = format!("{check}\nsub eax,before[0]\nadd eax,before[0]");
            keep(&mut source, &whole, &first);
        }
        source.push_str("ret\nend start\n");
        let run = run(&source, cpl);
        assert_ended(&run, &source);
        assert_eq!(symbol(&run, "bad"), 0, "seed {seed}, CPL {cpl}");
    }
}

#[test]
fn the_stack_is_not_touched() {
    let source = "RDTSC macro x:REQ\nerror here\nendm\nmov ebx,esp\nxor esp,esp\nStartTSC\nStartProfile 16h,16h\n\
                  inc eax\nEndProfile\nEndTSC\nmov esp,ebx\n";
    let run = run(source, 0);
    assert_ended(&run, source);
    assert_eq!([symbol(&run, "_prof0"), symbol(&run, "_prof1")], [1, 1]);
}

#[test]
fn both_counters_count_instructions_exactly() {
    for count in [0, 1, 2, 7, 40] {
        let body = "add eax,eax\n".repeat(count);
        let source = looped("StartProfile 16h,16h", &body, "EndProfile");
        for model in measuring() {
            let run = run_with(&source, 0, model, "l2");
            assert_ended(&run, &source);
            for pass in &run.regions[0].passes {
                assert_eq!(pass.measured, Some([count as i64; 2]), "{} {count}", model.name);
                assert_eq!(pass.truth, [count as i64; 2]);
            }
        }
    }
}

#[test]
fn at_level_3_clocks_are_measured_without_privileged_instructions_and_events_fault() {
    let source = "StartTSC\nadd eax,eax\nEndTSC\n";
    assert_ended(&run(source, 3), source);
    let refused = run("StartProfile 16h,16h\nEndProfile\n", 3);
    assert_eq!((refused.stop.reason, refused.stop.code), (StopReason::Fault, Some(13)));
}

#[test]
fn what_the_file_defines_itself_stays_its_own() {
    // With a file's own StartTSC, nothing of the library is included, not even its initialization.
    let own = "StartTSC macro\nrdtsc\nmov _TSC,eax\nendm\nEndTSC macro\nrdtsc\nsub eax,_TSC\nmov _TSC,eax\nendm\n\
               StartTSC\nEndTSC\n_TSC dd 0\n";
    let run_own = run(own, 0);
    assert_eq!(run_own.symbols.len(), 1, "{:?}", run_own.symbols);
    assert!(run_own.files.iter().all(|file| file.name != "p5.inc"));
    assert!(symbol(&run_own, "_TSC") > 0);
    // A file's own variable, defined before or after the first use in the library's macros.
    for source in [
        ".586\n.model flat\n.data\n_TSC dd 77\n.code\nstart:\nStartTSC\nadd eax,eax\nEndTSC\nret\nend start\n",
        ".586\n.model flat\n.code\nstart:\ns\nadd eax,eax\ne\nret\n.data\n_TSC dd 77\nend start\n",
    ] {
        let run = run(source, 0);
        assert_ended(&run, source);
        let found: Vec<_> = run.symbols.iter().filter(|symbol| symbol.name == "_TSC").collect();
        assert_eq!(found.len(), 1, "{:?}", run.symbols);
        assert_eq!((found[0].value, found[0].library), (Some(1), false));
    }
}

#[test]
fn a_start_without_an_end_and_an_end_without_a_start_still_run() {
    let source = "EndTSC\nEndProfile\nStartTSC\nmov eax,1\nmov ebx,2\nmov ecx,3\n\
                  StartProfile 16h,16h\nnop\nshl ebx,8\nshl ecx,16\nadd eax,ebx\nadd eax,ecx\nmov kept,eax\nkept dd 0\n";
    let assembly = assemble(&Sources::single("test.asm", source), &Options::default());
    assert_eq!(
        assembly.diagnostics.len(),
        4,
        "one warning each: {:?}",
        assembly.diagnostics
    );
    let image = assembly.image.expect("warnings do not stop it");
    let run = simulate(&image, "t", MODELS[0], &machine::Options::default(), &mut |_| {});
    assert_eq!(run.stop.reason, StopReason::End, "{:?}", run.stop);
    assert_eq!(symbol(&run, "kept"), 0x30201);
}

#[test]
fn clocks_and_events_may_be_measured_at_once() {
    let body = "StartProfile EV_DATA_READ, EV_AGI_STALLS\nmov ecx,esi\nmov eax,[ecx]\nEndProfile";
    let source = looped("StartTSC", body, "EndTSC");
    let run = run(&source, 0);
    assert_ended(&run, &source);
    for pass in warm(&run, 0) {
        assert_eq!(pass.measured.map(|measured| measured[0]), Some(pass.truth[0]));
    }
    for pass in warm(&run, 1) {
        assert_eq!((pass.measured, pass.truth), (Some([1, 1]), [1, 1]));
    }
}

#[test]
fn the_radix_of_the_user_does_not_change_the_library() {
    let mut source = ".radix 16\n".to_owned();
    for _ in 0..12 {
        source.push_str("StartTSC\nadd eax,eax\nEndTSC\n");
    }
    source.push_str("StartProfile EV_BRANCHES, EV_INSTRUCTIONS_EXECUTED\nnop\nEndProfile\n");
    let run = run(&source, 0);
    assert_ended(&run, &source);
    let values = ["_TSC_1", "_TSC_10", "_TSC_12", "_prof0_13", "_prof1_13"].map(|name| symbol(&run, name));
    assert_eq!(values, [1, 1, 1, 0, 1]);
}

#[test]
fn including_the_bundled_library_is_the_same_as_using_it() {
    let rest = "StartTSC\nadd eax,eax\nEndTSC\nStartProfile 16h,EV_DATA_READ\nnop\nEndProfile\nnop\n";
    for start in [
        "include p5.inc\n",
        "include P5.INC\ninclude p5.inc\n",
        ".data\ninclude p5.inc\n.code\n",
        "",
    ] {
        let source = format!("{start}{rest}");
        let bundled = |_: &str| Ok(Included::Library);
        let mut sources = Sources::single("test.asm", &source);
        sources.include = &bundled;
        let assembly = assemble(&sources, &Options::default());
        assert!(assembly.diagnostics.is_empty(), "{start}{:#?}", assembly.diagnostics);
        let image = assembly.image.expect("a program without errors is an image");
        let model = by_name("p54c").expect("the default chip");
        let run = simulate(&image, "test.asm", model, &machine::Options::default(), &mut |_| {});
        let found = ["_TSC", "_prof0", "_prof1"].map(|name| symbol(&run, name));
        assert_eq!(found, [1, 1, 0], "{start}");
    }
}

#[test]
fn what_is_wrong_with_a_region_is_told_in_the_users_lines() {
    for (source, told) in [
        (
            "StartTSC\nnop\nEndProfile\n",
            ["no matching `StartProfile`", "no matching `EndTSC`"].as_slice(),
        ),
        ("StartProfile 16h\nEndProfile\nnop\n", &["`ev1`"]),
        ("EndProfile\nnop\n", &["no matching `StartProfile`"]),
    ] {
        let assembly = assemble(&Sources::single("test.asm", source), &Options::default());
        let messages: Vec<_> = assembly
            .diagnostics
            .iter()
            .map(|found| found.message.as_str())
            .collect();
        let as_told = messages.len() == told.len() && messages.iter().zip(told).all(|(has, part)| has.contains(part));
        assert!(as_told, "{source}{messages:?}");
    }
}
