//! Common data: of one module and of several, where it lies, and how much of it there may be.

use super::{good, symbol};
use p5_assembler::source::{Binary, Sources};
use p5_assembler::{Assembly, Options, assemble};
use p5_image::{Image, SymbolKind};

/// Modules that are joined.
fn joined(texts: &[&str]) -> Assembly {
    let mut more = texts.iter().skip(1).enumerate().map(|(number, text)| Binary {
        name: format!("module{number}.asm"),
        bytes: text.as_bytes().to_vec(),
    });
    let objects: Vec<Binary> = more.by_ref().collect();
    let first = texts.first().copied().unwrap_or_default();
    let sources = Sources {
        objects: &objects,
        ..Sources::single("test.asm", first)
    };
    assemble(&sources, &Options::default())
}

fn image_of(texts: &[&str]) -> Image {
    good(&texts.join("\n;---\n"), joined(texts))
}

const FLAT: &str = ".386\n.model flat\n";

#[test]
fn a_program_of_one_module_has_its_common_data() {
    let declared = format!("{FLAT}comm pad:byte:1\ncomm x:qword\ncomm list:dword:10\n");
    let program = format!("{declared}.code\nstart: mov list[36],1\nmov al,pad\nfld x\nret\nend start\n");
    let other = format!("{declared}.code\nnop\nend\n");
    let empty = format!("{FLAT}.code\nnop\nend\n");
    for texts in [vec![&program], vec![&program, &empty], vec![&program, &other]] {
        let texts: Vec<&str> = texts.into_iter().map(String::as_str).collect();
        let image = image_of(&texts);
        let places = ["pad", "x", "list"].map(|name| symbol(&image, name));
        assert_eq!(places.map(|symbol| symbol.size), [1, 8, 40]);
        assert_eq!(places[1].value % 8, 0, "as aligned as in an object");
        for one in places {
            let segment = image.segments.iter().find(|segment| {
                let end = segment.address + segment.bytes.len() as u32 + segment.zeroes;
                (segment.address..end).contains(&one.value)
            });
            assert!(segment.is_some_and(|segment| segment.writable), "{one:?}");
        }
    }
}

#[test]
fn common_data_of_a_memory_model_is_near_or_far() {
    let image = image_of(&[
        ".model small\n.stack 100h\ncomm far big:word:100\ncomm near count:word\n.data\nown dw 3\n\
                            .code\nstart: mov ax,@data\nmov ds,ax\ninc count\nmov ax,seg big\nmov es,ax\n\
                            mov es:big[4],9\nret\nend start\n",
    ]);
    let [own, count, big] = ["own", "count", "big"].map(|name| symbol(&image, name).value);
    assert!(own < count && count < own + 0x1_0000, "{own:x} {count:x}");
    assert_eq!(big % 16, 0, "{big:x}");
}

#[test]
fn what_modules_share_counts_once() {
    let of = |name: &str, label: &str| format!("{FLAT}comm {name}:dword:9000000\n.code\n{label}: ret\nend {label}\n");
    let second = format!("{FLAT}comm a:dword:9000000\n.code\nnop\nend\n");
    assert_eq!(symbol(&image_of(&[&of("a", "m"), &second]), "a").size, 36_000_000);
    let apart = joined(&[&of("a", "m"), &second.replace("comm a", "comm b")]);
    let messages: Vec<&str> = apart.diagnostics.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(
        messages,
        ["the common data has 72000000 bytes, and 67108864 are the most"]
    );
    let alone = joined(&[&of("a", "m").replace("comm a:dword:9000000", "comm a:dword:9000000\ncomm b:dword:9000000")]);
    let first = alone.diagnostics.first().map(|one| one.message.as_str());
    assert_eq!(first, Some("program larger than 64 MiB"));
}

#[test]
fn numbers_of_one_name_with_different_values_are_all_kept() {
    let of = |number: u32, code: &str| format!("{FLAT}size_ equ {number}\nsame equ 7\n.code\n{code}\n");
    let image = image_of(&[&of(1, "m: ret\nend m"), &of(2, "nop\nend"), &of(1, "nop\nend")]);
    let values = |name: &str| {
        let named = image.symbols.iter().filter(|symbol| symbol.name == name);
        named
            .map(|symbol| (symbol.value, symbol.kind == SymbolKind::Constant))
            .collect::<Vec<_>>()
    };
    assert_eq!(values("size_"), [(1, true), (2, true)]);
    assert_eq!(values("same"), [(7, true)]);
}
