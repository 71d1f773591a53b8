//! The macro library for the host: it leaves no trace in the program, and its log holds every pass.
//!
//! The simulated machine runs it here without its fences, which the Pentium does not have, so these tests need no
//! particular host. The tests of the command cover its measurements on a real host.

use instrumenter::source::{Included, Sources};
use instrumenter::{Library, Options, assemble};
use runtime::image::{Image, Log};
use runtime::machine::{self, simulate};
use runtime::model::MODELS;
use runtime::run::{Run, StopReason};

fn image(source: &str, library: Library) -> Image {
    let options = Options {
        library,
        ..Options::default()
    };
    let assembly = assemble(&Sources::single("test.asm", source), &options);
    assert!(assembly.diagnostics.is_empty(), "{:#?}\n{source}", assembly.diagnostics);
    assembly.image.expect("a program without errors is an image")
}

/// Assembles and runs the program once, with three NOPs in place of every LFENCE.
fn run(source: &str, library: Library) -> (Image, Run) {
    let mut image = image(source, library);
    for segment in &mut image.segments {
        for at in 0..segment.bytes.len().saturating_sub(2) {
            if segment.bytes[at..at + 3] == [0x0F, 0xAE, 0xE8] {
                segment.bytes[at..at + 3].fill(0x90);
            }
        }
    }
    let options = machine::Options {
        runs: 1,
        ..machine::Options::default()
    };
    let run = simulate(&image, "test.asm", MODELS[0], &options, &mut |_| {});
    (image, run)
}

fn symbol(run: &Run, name: &str) -> u64 {
    let found = run.symbols.iter().find(|symbol| symbol.name == name);
    found
        .unwrap_or_else(|| panic!("no symbol {name}: {:?}", run.symbols))
        .value
        .expect("it has at most eight bytes")
}

#[test]
fn registers_flags_and_stack_are_what_they_are_without_the_macros() {
    let names = ["a", "b", "c", "d", "s", "p", "t", "f", "below"];
    let data: String = names.iter().map(|name| format!("v{name} dd 0\n")).collect();
    let seed = p5_seeds::seed();
    let mut random = fastrand::Rng::with_seed(seed);
    for _ in 0..40 {
        let value: [u32; 6] = std::array::from_fn(|_| random.u32(..));
        // Random values of carry, parity, adjust, zero, sign, direction and overflow.
        let flags = random.u32(..) & 0xCD5 | 2;
        let probes = [
            "StartTSC\nEndTSC",
            "s one\ns two\ne\ne",
            "StartProfile EV_BRANCHES,EV_FLOPS\nEndProfile",
        ];
        let probe = probes[random.usize(..probes.len())];
        let source = format!(
            ".586\n.model flat\n.data\n{data}.code\nstart:\nmov dword ptr [esp-4],{flags}\nmov dword ptr [esp-8],12345678h\n\
             mov eax,{}\nmov ebx,{}\nmov ecx,{}\nmov edx,{}\nmov esi,{}\nmov edi,{}\nmov ebp,esp\nsub esp,4\npopfd\n{probe}\n\
             mov va,eax\nmov vb,ebx\nmov vc,ecx\nmov vd,edx\nmov vs,esi\nmov vp,edi\nmov eax,[esp-8]\nmov vbelow,eax\n\
             pushfd\npop vf\nsub ebp,esp\nmov vt,ebp\ncld\nret\nend start\n",
            value[0], value[1], value[2], value[3], value[4], value[5],
        );
        let results = [Library::Host, Library::Unmeasured].map(|library| {
            let (_, run) = run(&source, library);
            assert_eq!(
                run.stop.reason,
                StopReason::Return,
                "seed {seed}: {:?}\n{source}",
                run.stop
            );
            names.map(|name| symbol(&run, &format!("v{name}")))
        });
        assert_eq!(results[0], results[1], "seed {seed}\n{source}");
        assert_eq!(results[0][0], u64::from(value[0]), "seed {seed}");
        assert_eq!(results[0][7] & 0xCD5, u64::from(flags & 0xCD5), "seed {seed}");
    }
}

/// Runs a program that copies its log to `copy`, where the test can read it.
fn logged(body: &str, entries: u32) -> (Image, Run, Vec<(u64, u64)>) {
    let symbols: String = (0..2 * entries).map(|index| format!("copy{index} dd 0\n")).collect();
    let source = format!(
        ".586\n.model flat\n.data\ncount dd 0\n{symbols}.code\nstart:\n{body}\nmov eax,HOST_log\nmov count,eax\n\
         mov esi,offset HOST_log+8+64*8\nmov edi,offset copy0\nmov ecx,{}\nrep movsd\nret\nend start\n",
        2 * entries
    );
    let (image, run) = run(&source, Library::Host);
    assert_eq!(run.stop.reason, StopReason::Return, "{:?}", run.stop);
    let copied = |index: u32| symbol(&run, &format!("copy{index}"));
    let passes = (0..entries)
        .map(|entry| (copied(2 * entry), copied(2 * entry + 1)))
        .collect();
    (image, run, passes)
}

#[test]
fn every_pass_is_logged_with_its_own_ticks_and_the_calibration_before_it() {
    let body = "mov ebp,2\nagain:\nStartTSC long\nmov ecx,100\n@@: dec ecx\njnz @B\nStartTSC short\nnop\nEndTSC\nEndTSC\n\
                dec ebp\njnz again";
    let (image, run, passes) = logged(body, 4);
    assert_eq!(symbol(&run, "count"), 64 + 4);
    let slots: Vec<u64> = image
        .regions
        .iter()
        .map(|region| u64::from(region.measured[0]))
        .collect();
    let seen: Vec<u64> = passes.iter().map(|&(slot, _)| slot).collect();
    assert_eq!(
        seen,
        [slots[1], slots[0], slots[1], slots[0]],
        "the inner region ends first"
    );
    assert!(passes[3].1 > passes[2].1 + 100, "{passes:?}");
    // In the simulated machine every step is a clock, so the result is exactly the reading minus the overhead.
    assert_eq!(symbol(&run, "_TSC_1"), passes[3].1 - symbol(&run, "_TSC_overhead"));
    assert_eq!(symbol(&run, "_TSC"), symbol(&run, "_TSC_1"));
    assert!((5..200).contains(&symbol(&run, "_TSC_overhead")));
}

#[test]
fn a_full_log_takes_no_more() {
    let (_, run, _) = logged("mov ebp,5000\nagain:\ns\ne\ndec ebp\njnz again", 1);
    assert_eq!(symbol(&run, "count"), 4096);
    let image = image("s\ne\n", Library::Host);
    let log = image.log.expect("the library keeps a log").address;
    let holder = image
        .segments
        .iter()
        .find(|one| one.address <= log && log < one.address + one.bytes.len() as u32 + one.zeroes);
    let holder = holder.expect("the log lies in a segment");
    let end = holder.address + holder.bytes.len() as u32 + holder.zeroes;
    assert!(
        log + Log::HEADER + 4096 * Log::ENTRY <= end,
        "there is room for what its header promises"
    );
}

#[test]
fn without_measuring_there_is_not_one_instruction_more() {
    let body = "mov ecx,10\nl: dec ecx\njnz l\nmov eax,_TSC_1\nret\n";
    let bare = image(
        &format!("_TSC_1 equ dword ptr here\n{body}here dd 0\n"),
        Library::Unmeasured,
    );
    let probed = image(
        "s whole\nmov ecx,10\nl: dec ecx\njnz l\nStartProfile EV_FLOPS,EV_BRANCHES\nEndProfile\ne\nmov eax,_TSC_1\nret\n",
        Library::Unmeasured,
    );
    let code = |image: &Image| image.segments[0].bytes[..8].to_vec();
    assert_eq!(code(&bare), code(&probed));
    assert_eq!(probed.entry, probed.segments[0].address);
    assert_eq!(probed.regions.len(), 2);
    assert_eq!(probed.segments[0].bytes.len(), 5 + 1 + 2 + 5 + 1);
    assert!(probed.log.is_none());
    assert_eq!(
        probed.library.map(|file| probed.files[file as usize].name.as_str()),
        Some("host.inc")
    );
}

fn address_of(image: &Image, name: &str) -> u32 {
    let found = image.symbols.iter().find(|symbol| symbol.name == name);
    found.unwrap_or_else(|| panic!("no symbol {name}")).value
}

#[test]
fn only_the_librarys_own_log_is_a_log() {
    let probed = image("HOST_log_1 dd 0\ns\ne\nret\n", Library::Host);
    let log = probed.log.expect("the library keeps a log");
    assert_eq!(log.address, address_of(&probed, "HOST_log"));
    assert_eq!(log.empty, address_of(&probed, "HOST_empty"));
    assert!(probed.regions[0].library);
    // The user's own symbols with these names, with and without the library.
    for rest in ["ret\n", "s\ne\nret\n"] {
        let own = image(
            &format!(
                ".586\n.model flat\n.data\nHOST_log dd 0,16\ndd 64 dup (0)\nHOST_empty dd 0\n.code\nstart:\n{rest}end start\n"
            ),
            Library::Host,
        );
        assert_eq!(own.log, None, "{rest}");
        assert_eq!(own.library.is_some(), rest.starts_with('s'));
    }
}

#[test]
fn an_include_of_the_library_is_that_of_the_backend() {
    let sources = Sources {
        objects: &[],
        include: &|_| Ok(Included::Library),
        ..Sources::single("t.asm", "include p5.inc\nStartTSC\nEndTSC\nret\n")
    };
    let options = Options {
        library: Library::Host,
        ..Options::default()
    };
    let assembly = assemble(&sources, &options);
    assert!(assembly.diagnostics.is_empty(), "{:?}", assembly.diagnostics);
    assert!(assembly.image.expect("an image").log.is_some());
}
