//! COFF objects, built here field by field.

use super::{Binary, eax, errors, run, symbol};

/// A relocation: offset, index of the symbol, type.
type Relocation = (u32, u32, u16);
/// A symbol: name, value, section from 1, storage class.
type Symbol = (&'static str, u32, i16, u8);

const DIR32: u16 = 6;
const DIR32NB: u16 = 7;
const SECTION: u16 = 10;
const SECREL: u16 = 11;
const REL32: u16 = 20;
const EXTERNAL: u8 = 2;
const STATIC: u8 = 3;
const CODE: u32 = 0x6030_0020;
const DATA: u32 = 0xC030_0040;

/// An object of sections: name, bytes, characteristics, relocations.
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
        bytes.extend(name(text));
        bytes.extend(value.to_le_bytes());
        bytes.extend(section.to_le_bytes());
        bytes.extend(0u16.to_le_bytes());
        bytes.extend([*class, 0]);
    }
    bytes.extend(4u32.to_le_bytes());
    Binary {
        name: "scale.obj".to_owned(),
        bytes,
    }
}

/// `mov eax,[esp+4]`; `imul eax,[_factor]`; `add [_shared],eax`; `push eax`; `call _adjust`; `pop ecx`; `ret`
const SCALE: &[u8] = b"\x8B\x44\x24\x04\x0F\xAF\x05\0\0\0\0\x01\x05\0\0\0\0\x50\xE8\0\0\0\0\x59\xC3";

fn scale(machine: u16, kinds: [u16; 2]) -> Binary {
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

#[test]
fn another_machine_and_unknown_relocations_are_named() {
    let other = errors(DRIVER, &[scale(0x8664, [DIR32, REL32])]);
    assert!(
        other.contains("cannot link `scale.obj`: made for X86_64, not for the 32-bit x86"),
        "{other}"
    );
    let unknown = errors(DRIVER, &[scale(0x14C, [9, REL32])]);
    assert!(
        unknown.contains("of `_factor` at `.text`+7h is not supported"),
        "{unknown}"
    );
    let short = errors(DRIVER, &[scale(0x14C, [DIR32, 1])]);
    assert!(
        short.contains("`scale.obj`: relocation of `_adjust` at `.text`+13h does not fit"),
        "{short}"
    );
}
