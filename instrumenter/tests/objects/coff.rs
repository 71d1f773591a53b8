//! COFF objects: some built here field by field, and one from LLVM's assembler.

use super::{Binary, eax, errors, fixture, run, symbol};

/// A relocation: offset, index of the symbol, type.
type Relocation = (u32, u32, u16);
/// A symbol: name, value, section from 1, storage class. A weak external precedes [`DEFAULT`], whose value is the index
/// of the default symbol and whose section is the linker's rule for finding another definition.
type Symbol = (&'static str, u32, i16, u8);

pub(super) const DIR32: u16 = 6;
const DIR32NB: u16 = 7;
const SECTION: u16 = 10;
const SECREL: u16 = 11;
pub(super) const REL32: u16 = 20;
pub(super) const EXTERNAL: u8 = 2;
const STATIC: u8 = 3;
const WEAK: u8 = 105;
/// The name of an auxiliary record.
const DEFAULT: &str = "";
pub(super) const LOCAL_SEARCH: i16 = 1;
const LIBRARY_SEARCH: i16 = 2;
const CODE: u32 = 0x6030_0020;
const DATA: u32 = 0xC030_0040;

/// An object with these sections: name, bytes, characteristics, relocations.
fn coff(machine: u16, sections: &[(&str, &[u8], u32, &[Relocation])], symbols: &[Symbol]) -> Binary {
    let mut bodies = Vec::new();
    let mut headers = Vec::new();
    let start = 20 + 40 * sections.len();
    let name = |text: &str| {
        let mut field = [0; 8];
        field[..text.len()].copy_from_slice(text.as_bytes());
        field
    };
    for (section, bytes, flags, relocations) in sections {
        headers.extend(name(section));
        let data = start + bodies.len();
        bodies.extend(*bytes);
        let table = start + bodies.len();
        for (offset, symbol, kind) in *relocations {
            bodies.extend(offset.to_le_bytes());
            bodies.extend(symbol.to_le_bytes());
            bodies.extend(kind.to_le_bytes());
        }
        for word in [0, 0, bytes.len() as u32, data as u32, table as u32, 0] {
            headers.extend(word.to_le_bytes());
        }
        headers.extend((relocations.len() as u32).to_le_bytes());
        headers.extend(flags.to_le_bytes());
    }
    let mut bytes = Vec::new();
    bytes.extend(machine.to_le_bytes());
    bytes.extend((sections.len() as u16).to_le_bytes());
    bytes.extend(0u32.to_le_bytes());
    bytes.extend(((start + bodies.len()) as u32).to_le_bytes());
    bytes.extend((symbols.len() as u32).to_le_bytes());
    bytes.extend(0u32.to_le_bytes());
    bytes.extend(headers);
    bytes.extend(bodies);
    for (text, value, section, class) in symbols {
        if *text == DEFAULT {
            bytes.extend(value.to_le_bytes());
            bytes.extend(u32::from(section.unsigned_abs()).to_le_bytes());
            bytes.extend([0; 10]);
            continue;
        }
        bytes.extend(name(text));
        bytes.extend(value.to_le_bytes());
        bytes.extend(section.to_le_bytes());
        bytes.extend(0u16.to_le_bytes());
        bytes.extend([*class, u8::from(*class == WEAK)]);
    }
    bytes.extend(4u32.to_le_bytes());
    Binary {
        name: "scale.obj".to_owned(),
        bytes,
    }
}

/// `mov eax,[esp+4]`; `imul eax,[_factor]`; `add [_shared],eax`; `push eax`; `call _adjust`; `pop ecx`; `ret`
const SCALE: &[u8] = b"\x8B\x44\x24\x04\x0F\xAF\x05\0\0\0\0\x01\x05\0\0\0\0\x50\xE8\0\0\0\0\x59\xC3";

pub(super) fn scale(machine: u16, kinds: [u16; 2]) -> Binary {
    let data: &[u8] = b"\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    let code: &[Relocation] = &[(7, 2, kinds[0]), (13, 3, DIR32), (19, 4, kinds[1])];
    let table: &[Relocation] = &[(4, 1, DIR32NB), (8, 1, SECTION), (12, 2, SECREL)];
    coff(
        machine,
        &[(".text", SCALE, CODE, code), (".data", data, DATA, table)],
        &[
            (".data", 0, 2, STATIC),
            ("_scale@4", 0, 1, EXTERNAL),
            ("_factor", 0, 2, EXTERNAL),
            // A common symbol of eight bytes: undefined, with a value.
            ("_shared", 8, 0, EXTERNAL),
            ("_adjust", 0, 0, EXTERNAL),
        ],
    )
}

const DRIVER: &str = "extern scale:proc, factor:dword, shared:dword
.code
adjust proc
mov eax,[esp+4]
add eax,1000
ret
adjust endp
start: push 14
call scale
add esp,4
mov ebx,shared
mov ecx,factor[4]
movzx edx,word ptr factor[8]
mov esi,factor[12]
mov edi,offset scale
ret
end start
";

#[test]
fn decorated_names_meet_and_every_relocation_is_applied() {
    let run = run(DRIVER, &[scale(0x14C, [DIR32, REL32])]);
    let [_, ecx, edx, ebx, _, _, esi, edi] = run.registers[1];
    assert_eq!((eax(&run), ebx), (1042, 42));
    assert_eq!(ecx, edi - 0x40_0000, "relative to the base of the image");
    assert_eq!((edx, esi), (1, 0), "the first segment, and the start of its section");
    assert_eq!(symbol(&run, "_shared"), 42);
    let factor = run
        .symbols
        .iter()
        .find(|symbol| symbol.name == "_factor")
        .expect("a name of the data");
    assert_eq!(factor.size, 16, "it extends to the end of its section");
    assert!(run.symbols.iter().all(|symbol| !symbol.name.starts_with('.')));
}

#[test]
fn an_object_of_another_assembler_links_and_runs() {
    let source = ".model flat,c
extern sum:proc, table:dword
public twice
.code
twice proc
mov eax,[esp+4]
add eax,eax
ret
twice endp
start: push 4
call sum
add esp,4
mov ebx,table
mov ecx,table[4]
movzx edx,word ptr table[12]
mov esi,dword ptr table[14]
mov edi,[esi+400000h]
mov ebp,offset sum
ret
end start
";
    let run = run(source, &[fixture("tables.obj")]);
    let [_, ecx, edx, ebx, _, ebp, _, edi] = run.registers[1];
    assert_eq!(eax(&run), 2 * 4 + 3 + 100);
    assert_eq!(ebx, ebp, "an address");
    assert_eq!(edi, 7, "relative to the base of the image");
    assert_eq!((ecx, edx), (22, 2), "the offset in the second segment");
}

#[test]
fn sections_that_share_their_bytes_are_refused_before_they_are_copied() {
    let sections: Vec<(&str, &[u8], u32, &[Relocation])> = vec![(".data", &[], DATA, &[]); 400];
    let mut file = coff(0x14C, &sections, &[]);
    let at = file.bytes.len() as u32;
    file.bytes.resize(file.bytes.len() + (1 << 20), 1);
    for section in 0..sections.len() {
        let header = 20 + 40 * section;
        file.bytes[header + 16..header + 20].copy_from_slice(&(1u32 << 20).to_le_bytes());
        file.bytes[header + 20..header + 24].copy_from_slice(&at.to_le_bytes());
    }
    let found = errors("nop\n", &[file]);
    assert_eq!(found, "cannot link `scale.obj`: its sections exceed 128 MiB\n");
}

/// `call _opt`; `ret`; then the default of `_opt`: `mov eax,5`; `ret`
const OPTIONAL: &[u8] = b"\xE8\0\0\0\0\xC3\xB8\x05\0\0\0\xC3";

pub(super) fn optional(default: Symbol, search: i16) -> Binary {
    coff(
        0x14C,
        &[(".text", OPTIONAL, CODE, &[(1, 1, REL32)])],
        &[
            ("_call", 0, 1, EXTERNAL),
            ("_opt", 0, 0, WEAK),
            (DEFAULT, 3, search, 0),
            default,
        ],
    )
}

#[test]
fn a_weak_external_is_its_default_unless_something_else_defines_it() {
    let inside = (".weak", 6, 1, EXTERNAL);
    let driver = "extern call:proc\n.code\nstart: call call\nret\nend start\n".replace("call:", "_call:");
    let driver = driver.replace("call call", "call _call");
    assert_eq!(eax(&run(&driver, &[optional(inside, LOCAL_SEARCH)])), 5);
    let own = driver.replace(".code", "public opt\n.code\nopt proc\nmov eax,9\nret\nopt endp");
    assert_eq!(eax(&run(&own, &[optional(inside, LOCAL_SEARCH)])), 9);
    // `mov eax,7`; `ret`
    let other = |name| {
        coff(
            0x14C,
            &[(".text", b"\xB8\x07\0\0\0\xC3", CODE, &[])],
            &[(name, 0, 1, EXTERNAL)],
        )
    };
    let strong = Binary {
        name: "other.obj".to_owned(),
        ..other("_opt")
    };
    assert_eq!(eax(&run(&driver, &[optional(inside, LOCAL_SEARCH), strong])), 7);
    for (search, expected) in [(LOCAL_SEARCH, 5), (LIBRARY_SEARCH, 7)] {
        let library = archive("other.obj", &other("_opt").bytes);
        assert_eq!(eax(&run(&driver, &[optional(inside, search), library])), expected);
    }
    let elsewhere = ("_other", 0, 0, EXTERNAL);
    let found = errors(&driver, &[optional(elsewhere, LOCAL_SEARCH)]);
    assert!(
        found.contains("weak external symbol `_opt` has the default `_other`, which this object does not define"),
        "{found}"
    );
}

fn archive(member: &str, bytes: &[u8]) -> Binary {
    let mut archive = b"!<arch>\n".to_vec();
    let header = format!(
        "{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n",
        format!("{member}/"),
        0,
        0,
        0,
        644,
        bytes.len()
    );
    archive.extend(header.bytes());
    archive.extend(bytes);
    if bytes.len() % 2 == 1 {
        archive.push(b'\n');
    }
    Binary {
        name: "other.lib".to_owned(),
        bytes: archive,
    }
}

#[test]
fn functions_to_be_called_before_or_after_the_program_are_refused() {
    for section in [".ctors", ".CRT$XCU", ".dtors"] {
        let file = coff(0x14C, &[(section, b"\0\0\0\0", DATA, &[])], &[]);
        assert_eq!(
            errors("nop\n", &[file]),
            format!(
                "cannot link `scale.obj`: section `{section}` has constructors or destructors, which nothing would call\n"
            )
        );
    }
}

#[test]
fn another_machine_and_unknown_relocations_are_named() {
    let other = errors(DRIVER, &[scale(0x8664, [DIR32, REL32])]);
    assert!(
        other.contains(
            "cannot link `scale.obj`: made for x86-64, not for the 32-bit x86; compile it for that: `gcc -m32 "
        ),
        "{other}"
    );
    let unknown = errors(DRIVER, &[scale(0x14C, [9, REL32])]);
    assert!(
        unknown.contains("of `_factor` at `.text`+7h is not supported"),
        "{unknown}"
    );
    // A relocation relative to 16 bits, which the format lists as unsupported.
    let relative = errors(DRIVER, &[scale(0x14C, [DIR32, 2])]);
    assert!(
        relative.contains("2 (IMAGE_REL_I386_REL16) of `_adjust` at `.text`+13h is not supported: a 16-bit distance")
            && relative.contains("link the ELF object itself"),
        "{relative}"
    );
    let short = errors(DRIVER, &[scale(0x14C, [DIR32, 1])]);
    assert!(
        short.contains(
            "`scale.obj`: the relocation of `_adjust` at `.text`+13h does not fit | use all 32 bits of the address"
        ),
        "{short}"
    );
}
