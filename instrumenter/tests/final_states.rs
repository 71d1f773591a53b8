//! The differences that `FinalState::difference` finds and those that it excuses: pairs of programs with one
//! difference.

use instrumenter::source::Sources;
use instrumenter::{Library, Options, assemble};
use runtime::image::Image;
use runtime::machine::{self, Difference, Excused, FinalState, Machine};
use runtime::model::MODELS;

fn assembled(code: &str) -> Image {
    let text = format!(".586\n.data\ncell dd 1, 2\n.code\nstart:\n{code}\n end start\n");
    let options = Options {
        library: Library::Unmeasured,
        ..Options::default()
    };
    let assembly = assemble(&Sources::single("ending.asm", text.as_str()), &options);
    assembly
        .image
        .unwrap_or_else(|| panic!("{text}\n{:#?}", assembly.diagnostics))
}

fn left_by(image: &Image) -> FinalState {
    let mut machine = Machine::new(MODELS[0], image, machine::Options::default());
    machine.run(&mut |_| {});
    machine.into_final_state()
}

fn address(image: &Image, name: &str) -> u32 {
    let symbol = image.symbols.iter().find(|symbol| symbol.name == name);
    symbol.expect("a symbol").value
}

/// The difference between two programs; their code is excused, and so are data that differ in `timed` as well.
fn difference(own: &str, new: &str, timed: Option<&str>) -> Option<Difference> {
    let [own, new] = [own, new].map(assembled);
    let code = 0x40_1000..0x40_2000;
    let timed: Vec<FinalState> = timed.iter().map(|code| left_by(&assembled(code))).collect();
    let excused = Excused {
        memory: std::slice::from_ref(&code),
        timed: &timed,
        moved: &|_| None,
        flags: false,
    };
    left_by(&own).difference(&left_by(&new), &excused)
}

const EXIT: &str = "mov eax,1\nint 80h";

/// A name, a program that leaves a number in some place, and the difference that another number makes.
type Kind = (&'static str, fn(u32) -> String, Difference);

fn kinds() -> Vec<Kind> {
    vec![
        (
            "exit code",
            |number| format!("mov ebx,{number}\n{EXIT}"),
            Difference::Stop,
        ),
        (
            "register",
            |number| format!("mov edx,{number}\nret"),
            Difference::Register(2),
        ),
        (
            "flags",
            |number| format!("push {}\npopfd\nmov dword ptr [esp-4],0\nret", 2 + (number & 1)),
            Difference::Flags,
        ),
        (
            "floating-point unit",
            |number| format!("mov cell,{number}\nfild cell\nmov cell,0\nret"),
            Difference::FloatingPoint,
        ),
        (
            "segment register",
            |number| {
                let selector = ["xor eax,eax", "mov eax,ds"][(number & 1) as usize];
                format!("{selector}\nmov fs,ax\nxor eax,eax\nret")
            },
            Difference::System,
        ),
        (
            "control register",
            |number| {
                format!(
                    "mov eax,cr0\nand eax,0FFFFFFFDh\nor eax,{}\nmov cr0,eax\nxor eax,eax\nret",
                    (number & 1) << 1
                )
            },
            Difference::System,
        ),
        (
            "debug register",
            |number| format!("mov eax,{number}\nmov dr0,eax\nxor eax,eax\nret"),
            Difference::System,
        ),
        (
            "output",
            |number| {
                format!(
                    "mov dl,{}\nmov ah,2\nint 21h\nmov edx,0\nmov eax,0\nret",
                    b'0' + (number & 7) as u8
                )
            },
            Difference::Output,
        ),
        (
            "memory",
            |number| format!("mov cell+4,{number}\nret"),
            Difference::Memory(address(&assembled("ret"), "cell") + 4),
        ),
    ]
}

#[test]
fn each_kind_of_difference_is_found_unless_it_depends_on_time() {
    for (name, program, expected) in kinds() {
        // The numbers 1 and 2 differ in bits 0 and 1.
        let [own, new, later] = [1, 2, 4].map(program);
        assert_eq!(difference(&own, &own, None), None, "{name}");
        let found = difference(&own, &new, None);
        // With the exit code, EBX differs as well, but the ending comes first.
        assert_eq!(found, Some(expected), "{name}");
        assert_eq!(difference(&own, &new, Some(&own)), Some(expected), "{name}: no time");
        if name != "exit code" {
            assert_eq!(difference(&own, &new, Some(&later)), None, "{name}: excused");
        }
    }
    let register = difference(
        "mov ebx,1\nmov eax,1\nint 80h",
        "mov ebx,2\nmov eax,1\nint 80h",
        Some("mov ebx,3\nmov eax,1\nint 80h"),
    );
    assert_eq!(register, None, "an exit code that is a time");
}

#[test]
fn what_depends_on_time_excuses_nothing_else() {
    let flags = |word: u32| format!("push {word}\npopfd\nmov dword ptr [esp-4],0\nret");
    let reals = |first: &str, second: &str| format!("{first}\n{second}\nret");
    let debug = |first: u32, second: u32| {
        format!("mov eax,{first}\nmov dr0,eax\nmov eax,{second}\nmov dr1,eax\nxor eax,eax\nret")
    };
    // Each case has the state that is left, a different one, and the one left later. The last two differ from the first
    // in different elements of one part.
    let cases = [
        ([flags(2), flags(0x42), flags(3)], Difference::Flags),
        (
            [reals("fldz", "fldz"), reals("fld1", "fldz"), reals("fldz", "fld1")],
            Difference::FloatingPoint,
        ),
        ([debug(0, 0), debug(1, 0), debug(0, 1)], Difference::System),
    ];
    for ([own, new, later], expected) in cases {
        assert_eq!(difference(&own, &new, Some(&later)), Some(expected), "{own}");
        assert_eq!(difference(&own, &later, Some(&later)), None, "{own}: the part itself");
    }
}

#[test]
fn how_a_run_ended_is_never_excused() {
    let found = difference("hlt", "ret", Some("hlt\nnop"));
    assert_eq!(found, Some(Difference::Stop));
    assert_eq!(difference("hlt", "ret", Some("ret")), Some(Difference::Stop));
}

#[test]
fn pointers_to_the_last_floating_point_instruction_do_not_count() {
    assert_eq!(difference("fldz\nret", "nop\nfldz\nret", None), None);
    assert_eq!(
        difference("fldz\nret", "fldpi\nret", None),
        Some(Difference::FloatingPoint)
    );
}

#[test]
fn memory_is_excused_byte_by_byte() {
    let image = assembled("mov cell+4,01020304h\nret");
    let other = assembled("mov cell+4,01990304h\nret");
    let place = address(&image, "cell") + 4;
    let [own, new] = [&image, &other].map(left_by);
    let found = |memory: &[std::ops::Range<u32>]| {
        let excused = Excused {
            memory,
            timed: &[],
            moved: &|_| None,
            flags: false,
        };
        own.difference(&new, &excused)
    };
    let code = 0x40_1000..0x40_2000;
    let with = |range: std::ops::Range<u32>| vec![code.clone(), range];
    assert_eq!(found(&with(place + 2..place + 3)), None);
    for other in [place..place + 2, place + 3..place + 8, place + 8..place + 8] {
        assert_eq!(found(&with(other)), Some(Difference::Memory(place + 2)));
    }
}

#[test]
fn an_address_of_moved_code_is_the_same() {
    let code = 0x40_1000..0x40_2000;
    let image = assembled("mov edx,offset place\nmov cell,edx\nplace: ret");
    let later = assembled("mov edx,offset place\nmov cell,edx\nnop\nplace: ret");
    let [own, new] = [&image, &later].map(|image| address(image, "place"));
    assert_ne!(own, new);
    let endings = [&image, &later].map(left_by);
    let found = |moved: &dyn Fn(u32) -> Option<u32>| {
        let excused = Excused {
            memory: std::slice::from_ref(&code),
            timed: &[],
            moved,
            flags: false,
        };
        endings[0].difference(&endings[1], &excused)
    };
    assert_eq!(found(&|address| (address == own).then_some(new)), None);
    assert_eq!(found(&|_| None), Some(Difference::Register(2)));
    assert_eq!(
        found(&|address| (address == own).then_some(new + 1)),
        Some(Difference::Register(2))
    );
    // In memory as in a register: without the register, the difference of the word in memory is found.
    let without = "mov cell,offset place\nmov edx,0\nplace: ret";
    let [image, later] = [without.to_owned(), without.replace("place:", "nop\nplace:")].map(|code| assembled(&code));
    let [own, new] = [&image, &later].map(|image| address(image, "place"));
    let endings = [&image, &later].map(left_by);
    let found = |moved: &dyn Fn(u32) -> Option<u32>| {
        let excused = Excused {
            memory: std::slice::from_ref(&code),
            timed: &[],
            moved,
            flags: false,
        };
        endings[0].difference(&endings[1], &excused)
    };
    assert_eq!(found(&|address| (address == own).then_some(new)), None);
    assert!(matches!(found(&|_| None), Some(Difference::Memory(_))));
}

#[test]
fn more_memory_is_a_difference() {
    // The program calls brk(0), then asks for another page.
    let grows = |bytes: u32| {
        format!(
            "mov eax,45\nmov ebx,0\nint 80h\nlea ebx,[eax+{bytes}]\nmov eax,45\nint 80h\nxor eax,eax\nxor ebx,ebx\nret"
        )
    };
    let found = difference(&grows(4096), &grows(40_960), None);
    // This is the first page that only one of the programs has.
    let Some(Difference::Page(page)) = found else {
        panic!("{found:?}");
    };
    // The segments of both programs end before the requested memory.
    let image = assembled(&grows(4096));
    let ends = image
        .segments
        .iter()
        .map(|one| one.address + one.bytes.len() as u32 + one.zeroes);
    assert!(
        page > ends.max().unwrap_or_default() && page.is_multiple_of(4096),
        "{page:X}"
    );
    assert_eq!(difference(&grows(40_960), &grows(4096), None), found);
}
