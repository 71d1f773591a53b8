//! The memory that an assembly may take: what sources multiply, held against what is really allocated.

use p5_assembler::source::Sources;
use p5_assembler::{Assembly, Extent, Options, assemble};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::{Duration, Instant};

thread_local! {
    /// The bytes that this thread has allocated and not freed, and the most that they were. They are plain numbers, so
    /// that counting allocates nothing itself.
    static ALLOCATED: Cell<(i64, i64)> = const { Cell::new((0, 0)) };
}

struct Counting;

fn note(bytes: i64) {
    // A thread that ends may free memory after its thread-local numbers are gone.
    let _ = ALLOCATED.try_with(|allocated| {
        let (now, most) = allocated.get();
        allocated.set((now + bytes, most.max(now + bytes)));
    });
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size() as i64);
        // SAFETY: the caller keeps this function's contract, which is the contract of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        note(-(layout.size() as i64));
        // SAFETY: as above; the memory came from the system's allocator.
        unsafe { System.dealloc(address, layout) }
    }

    unsafe fn realloc(&self, address: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size as i64 - layout.size() as i64);
        // SAFETY: as above; the memory came from the system's allocator.
        unsafe { System.realloc(address, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const MIB: u64 = 1 << 20;

/// What `text` is assembled to within this many MiB, and the most bytes that this took.
fn assembled(text: &str, memory: u64, extent: Extent, listing: bool) -> (Assembly, u64) {
    let options = Options {
        limits: p5_assembler::Limits {
            memory: memory * MIB,
            ..Default::default()
        },
        extent,
        listing,
        ..Options::default()
    };
    let sources = Sources::single("many.asm", text);
    let before = ALLOCATED.with(|allocated| {
        let (now, _) = allocated.get();
        allocated.set((now, now));
        now
    });
    let assembly = assemble(&sources, &options);
    let (_, most) = ALLOCATED.with(Cell::get);
    (assembly, (most - before) as u64)
}

/// A macro `make` with this body, called with `times` numbers.
fn made(times: u32, body: &str) -> String {
    format!("make macro n\n{body}\nendm\ni = 0\nrept {times}\ni = i + 1\nmake %i\nendm\n")
}

/// Objects of TASM that inherit a thousand methods, with these of their own.
fn objects(own: &str) -> String {
    // A line has 8 KiB, and so have the methods of one object.
    let object =
        |name: &str, parent: &str, methods: &str| format!("struc {name} {parent} method {{\n{methods}}}\nends\n");
    let methods = |from: u32| (from..from + 249).map(|number| format!("virtual m{number}:word=p0\n"));
    let bases = [("b0", "", 0), ("b1", "b0", 249), ("b2", "b1", 498), ("b3", "b2", 747)];
    let bases = bases.map(|(name, parent, from)| object(name, parent, &methods(from).collect::<String>()));
    let objects = (0..2000).map(|number| object(&format!("o{number}"), "b3", own));
    let objects: String = objects.collect();
    format!("ideal\nmodel small\n{}{objects}codeseg\np0: nop\n", bases.concat())
}

/// Sources that multiply, each in a way of its own.
fn multiplying() -> Vec<String> {
    let long = "x".repeat(30_000);
    let list = (0..8000).map(|number| number.to_string()).collect::<Vec<_>>().join(",");
    let fields: String = (0..2000).map(|number| format!("f{number} dd {number}\n")).collect();
    let deep: String = (1..6)
        .map(|level| format!("m{level} macro\n{}endm\n", format!("m{}\n", level - 1).repeat(10)))
        .collect();
    let end = ".code\nstart: nop\n";
    vec![
        "rept 1000000\nnop\nnop\nendm\n".to_owned(),
        "rept 500\nrept 500\nadd eax,12345678h\nendm\nendm\n".to_owned(),
        format!("rept 30\nirp one,<{list}>\nmov eax,one\nendm\nendm\n"),
        format!("rept 30\nirpc one,<{list}>\nmov al,\"&one\"\nendm\nendm\n"),
        format!("m0 macro\nnop\nendm\n{deep}m5\nm5\nm5\n"),
        "i = 0\nwhile i lt 400000\ni = i + 1\nnop\nendm\n".to_owned(),
        format!(".data\nrept 400000\ndd offset start\nendm\n{end}"),
        format!(".data\ndd 3000000 dup(offset start)\n{end}"),
        format!(".data\ndb 50000000 dup(1)\n{end}"),
        format!(".data\ndb 800000 dup(\"{}\")\n{end}", "a".repeat(60)),
        format!(".data\ndd 1000 dup(1000 dup(12 dup(5)))\n{end}"),
        format!(".data\ndb 2 dup(2 dup(2 dup(1000000 dup(7))))\n{end}"),
        format!(".data\ndb 1 dup(1 dup(1 dup(1 dup(2000000 dup(7), 2000000 dup(8)))))\n{end}"),
        format!(".data\nrept 1500\ndb \"{long}\"\nendm\n{end}"),
        "one macro\nlocal here\nhere: nop\nendm\nrept 200000\none\nendm\n".to_owned(),
        "one macro\nlocal here\njmp here\nhere: nop\nendm\nrept 200000\none\nendm\n".to_owned(),
        "rept 500000\njz there\nendm\nthere: nop\n".to_owned(),
        "rept 300000\njmp there\nalign 16\nendm\nthere: nop\n".to_owned(),
        made(300_000, "label_with_a_long_name_&n: nop"),
        made(300_000, "s&n equ n") + "nop\n",
        made(300_000, "s&n equ offset start+n*2") + end,
        made(2000, &format!("t&n equ <{long}>")) + "nop\n",
        made(2000, &format!("t&n catstr <{long}>,<n>")) + "nop\n",
        made(50_000, "s&n struct\na&n dd 1\nb&n db 20 dup(5)\ns&n ends") + "nop\n",
        format!("{}nop\n", made(150, "s&n struct\nc&n db 900000 dup(5)\ns&n ends")),
        format!("many struct\n{fields}many ends\n.data\nx many 2000 dup(<>)\n{end}"),
        made(50_000, "p&n proc near\nlocal a:dword\nmov eax,a\nhere: ret\np&n endp"),
        (0..200_000)
            .map(|number| format!("q{number} macro a,b,c\nmov a,b\nendm\n"))
            .collect::<String>()
            + "nop\n",
        "m macro\nendm\nrept 1000000\nm 1,2,3\nendm\nnop\n".to_owned(),
        made(400_000, "m&n macro\nendm\nm&n 1,2,3") + "nop\n",
        "rept 300000\nmov al,nothing\nendm\n".to_owned(),
        made(300_000, "mov al,nothing&n"),
        format!("{long} macro\nrept 3000\nmov al,[eax*5]\nendm\nendm\nrept 100\n{long}\nendm\n"),
        format!("{}nop\n", "if 0\nx\nendif\n".repeat(500_000)),
        format!("{}nop\nbad line\n", "\n".repeat(10_000_000)),
        format!("long macro\n{}endm\nnop\n", "\n".repeat(2_000_000)),
        format!(
            "{}nop\n{}",
            "rept 1\n".repeat(200) + &"nop\n".repeat(50_000),
            "endm\n".repeat(200)
        ),
        "rept 20000\nStartTSC many\nnop\nEndTSC many\nendm\n".to_owned(),
        "StartTSC macro n\n nop\nendm\nEndTSC macro n\n nop\nendm\nrept 200000\nStartTSC many\nendm\n".to_owned(),
        ".data\nrept 30000\na db 1\norg $+7\nendm\n.code\nnop\n".to_owned(),
        objects("virtual own:word=p0\n"),
        objects(""),
        "rept 300000\nif there-start eq 0\nendif\nmov eax,there-start\nendm\nstart: nop\nthere: nop\n".to_owned(),
    ]
}

#[test]
fn no_source_takes_more_than_the_limit() {
    const MEMORY: u64 = 8;
    let (mut refused, mut excessive) = (0, Vec::new());
    for text in multiplying() {
        let shown = text.get(..text.len().min(60)).unwrap_or_default();
        for (extent, listing) in [
            (Extent::Program, false),
            (Extent::Module, false),
            (Extent::Module, true),
        ] {
            let (assembly, most) = assembled(&text, MEMORY, extent, listing);
            // A vector that grows has twice the room that it needs, of which the system lends what is used.
            if most > 2 * MEMORY * MIB {
                excessive.push(format!("{most} bytes, {extent:?}, listing {listing}: {shown}"));
            }
            refused += u32::from(assembly.out_of_memory);
            let told = assembly.diagnostics.iter();
            let found = told.clone().find(|one| one.message.starts_with("assembling takes"));
            assert_eq!(found.is_some(), assembly.out_of_memory, "{shown}");
            if let Some(found) = found {
                assert_eq!(found.message, "assembling takes more than 8 MiB of memory", "{shown}");
                assert!(found.span.is_some() && assembly.image.is_none(), "{shown}");
            }
        }
    }
    assert!(excessive.is_empty(), "{excessive:#?}");
    assert!(refused > 40, "{refused}");
}

#[test]
fn what_is_multiplied_is_weighed_together() {
    for text in [
        "rept 100000\nnop\nendm\n",
        "rept 300\nrept 300\nadd eax,12345678h\nendm\nendm\n",
        ".data\nrept 100000\ndd offset start\nendm\n.code\nstart: nop\n",
        ".data\ndd 500000 dup(offset start)\n.code\nstart: nop\n",
        "one macro\nlocal here\nhere: nop\nendm\nrept 50000\none\nendm\n",
    ] {
        let (refused, _) = assembled(text, 4, Extent::Program, false);
        assert!(refused.out_of_memory && refused.image.is_none(), "{text}");
        let [found] = &refused.diagnostics[..] else {
            panic!("{text}: {:?}", refused.diagnostics);
        };
        assert_eq!(found.message, "assembling takes more than 4 MiB of memory", "{text}");
        assert!(found.span.is_some());
        let (taken, _) = assembled(text, 64, Extent::Program, false);
        assert!(
            !taken.out_of_memory && taken.image.is_some(),
            "{text}: {:?}",
            taken.diagnostics
        );
    }
}

#[test]
fn a_repeat_within_repeats_is_weighed_once() {
    let text = ".data\ndb 1 dup(1 dup(1 dup(1 dup(1 dup(1 dup(2000000 dup(7)))))))\n.code\nstart: nop\n";
    let (taken, _) = assembled(text, 16, Extent::Program, false);
    assert!(!taken.out_of_memory && taken.image.is_some(), "{:?}", taken.diagnostics);
}

#[test]
fn a_listing_that_takes_too_much_ends_early() {
    let text = "rept 100000\nnop\nendm\n";
    let (assembly, _) = assembled(text, 32, Extent::Module, true);
    let listing = assembly.listing.expect("a listing");
    assert!(listing.cut && !assembly.out_of_memory, "{:?}", assembly.diagnostics);
    assert!(
        (10_000..90_000).contains(&listing.lines.len()),
        "{}",
        listing.lines.len()
    );
    let (assembly, _) = assembled(text, 256, Extent::Module, true);
    assert!(assembly.listing.is_some_and(|listing| !listing.cut));
}

#[test]
fn a_source_as_large_as_permitted_is_assembled() {
    let limits = p5_assembler::Limits::default();
    // A sixteenth of the largest source in a sixteenth of the memory.
    let text = "nop\n".repeat(limits.source_bytes as usize / 4 / 16 - 1);
    for (extent, listing) in [(Extent::Program, false), (Extent::Module, true)] {
        let (assembly, most) = assembled(&text, limits.memory / MIB / 16, extent, listing);
        assert!(assembly.diagnostics.is_empty(), "{:?}", assembly.diagnostics);
        assert!(most <= limits.memory / 16, "{most}");
    }
}

#[test]
fn reading_ends_when_its_time_is_over() {
    let longest = Duration::from_millis(1500);
    let within = |until: Instant| {
        let limits = p5_assembler::Limits {
            until: Some((until, longest)),
            ..Default::default()
        };
        let options = Options {
            limits,
            ..Options::default()
        };
        assemble(
            &Sources::single("many.asm", "rept 1000\nbad line\nnop\nendm\n"),
            &options,
        )
    };
    let assembly = within(Instant::now());
    let last = assembly.diagnostics.iter().find(|one| one.message.contains("longer"));
    assert_eq!(
        last.map(|one| one.message.as_str()),
        Some("assembling takes longer than 1.5 s")
    );
    let assembly = within(Instant::now() + Duration::from_secs(3600));
    assert!(assembly.diagnostics.iter().all(|one| !one.message.contains("longer")));
}

#[test]
fn what_each_limit_allows_is_bounded_together() {
    // Symbols made of others, long lines, and many lines: each takes less than half of the work that is allowed.
    let symbol: String = (0..100).map(|at| format!("a{at} equ a{}+1\n", at + 1)).collect();
    let symbol = format!("{symbol}a100 equ 1\nrept 220\nx = a0\nendm\n");
    let long = format!("rept 100\nx = 1{}\nendm\n", "+1".repeat(200));
    let many = "rept 6000\nx = 1\nendm\n".to_owned();
    let found = |text: &str| {
        let options = Options {
            limits: p5_assembler::Limits {
                work: 4_000_000,
                ..Default::default()
            },
            ..Options::default()
        };
        let assembly = assemble(&Sources::single("busy.asm", &format!("{text}nop\n")), &options);
        assembly
            .diagnostics
            .into_iter()
            .map(|one| one.message)
            .collect::<Vec<_>>()
    };
    for alone in [&symbol, &long, &many] {
        assert_eq!(found(alone), Vec::<String>::new());
    }
    for all in [format!("{symbol}{long}{many}"), format!("{many}{long}{symbol}")] {
        assert_eq!(
            found(&all),
            ["the lines and expressions up to here are too many to assemble together"]
        );
    }
}
