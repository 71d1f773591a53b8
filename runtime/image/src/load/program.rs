//! Static Linux programs for the 32-bit x86.

use super::inlined::inlined;
use super::lines::{DebugSections, lines};
use super::plt;
use super::stack::initial_stack;
use super::symbols::add_symbols;
use super::types::{TypeSections, Types, types};
use super::{Budget, LoadError, MOST_BYTES};
use crate::{Image, LineRow, PROCESS_STACK_SIZE, PROCESS_STACK_TOP, Segment, SourceFile, SymbolKind};
use object::read::elf::{ElfFile32, ElfFile64, FileHeader, ProgramHeader};
use object::{Endianness, FileKind, Object, ObjectSection, elf};
use p5_words::isa::PAGE;
use std::ops::Range;

/// The image of a program that is called with `arguments`, the first of which is its own name, and with an empty
/// environment. The texts of its source files are empty.
///
/// # Errors
/// The reason why it cannot be run.
pub fn program(bytes: &[u8], arguments: &[&str]) -> Result<Image, LoadError> {
    program_in(bytes, arguments, &[])
}

/// The image of a program as [`program`] makes it, called in an environment of variables `NAME=VALUE`.
///
/// # Errors
/// The reason why it cannot be run.
pub fn program_in(bytes: &[u8], arguments: &[&str], environment: &[&str]) -> Result<Image, LoadError> {
    match FileKind::parse(bytes) {
        Err(_) if !bytes.starts_with(&elf::ELFMAG) => return Err(LoadError::NotAProgram),
        Err(error) => return Err(error.into()),
        Ok(FileKind::Elf32) => {}
        Ok(FileKind::Elf64) => {
            let file = ElfFile64::<Endianness>::parse(bytes)?;
            return Err(LoadError::of_machine(file.architecture(), file.is_little_endian()));
        }
        Ok(_) => return Err(LoadError::NotAProgram),
    }
    let file = ElfFile32::<Endianness>::parse(bytes)?;
    if file.architecture() != object::Architecture::I386 || !file.is_little_endian() {
        return Err(LoadError::of_machine(file.architecture(), file.is_little_endian()));
    }
    let endian = file.endian();
    let headers = file.elf_program_headers();
    let has = |kind| headers.iter().any(|header| header.p_type(endian) == kind);
    if has(elf::PT_INTERP) {
        return Err(LoadError::OtherKind(
            "a dynamic program, which needs a loader and libraries; make a static one: `gcc -m32 -static -no-pie ..`, \
             or `rustc -C target-feature=+crt-static ..`",
        ));
    }
    if has(elf::PT_DYNAMIC) || file.elf_header().e_type(endian) != elf::ET_EXEC {
        return Err(LoadError::OtherKind(
            "not a static program at a fixed address; make one: gcc -m32 -static -no-pie ...",
        ));
    }
    let given = arguments.iter().chain(environment);
    let length: usize = given.map(|argument| argument.len() + 5).sum();
    if length > PROCESS_STACK_SIZE as usize / 4 {
        return Err(LoadError::OtherKind(
            "called with arguments and variables that do not fit on its stack",
        ));
    }
    let (segments, linked) = segments(bytes, &file)?;
    let entry = file.entry();
    let holds = |segment: &Segment| {
        let length = segment.bytes.len() as u64 + u64::from(segment.zeroes);
        (u64::from(segment.address)..u64::from(segment.address) + length).contains(&entry)
    };
    if !segments.iter().any(holds) {
        return Err(LoadError::Entry(entry));
    }
    let mut image = Image {
        segments,
        linked,
        entry: entry as u32,
        ..Image::default()
    };
    add_symbols(&file, &mut image)?;
    plt::add_stubs(&file, &mut image);
    image.stack = initial_stack(
        [arguments, environment],
        [program_headers(&file), u32::from(file.elf_header().e_phnum(endian))],
        image.entry,
    );
    add_debug_information(&file, &mut image)?;
    Ok(image)
}

/// The address of the program headers; 0 as in Linux if no segment contains them.
fn program_headers(file: &ElfFile32<'_, Endianness>) -> u32 {
    let endian = file.endian();
    let at = file.elf_header().e_phoff(endian);
    let loaded = file.elf_program_headers().iter().find_map(|header| {
        let within = at.checked_sub(header.p_offset(endian))?;
        let holds = header.p_type(endian) == elf::PT_LOAD && within < header.p_filesz(endian);
        holds.then(|| header.p_vaddr(endian).wrapping_add(within))
    });
    loaded.unwrap_or(0)
}

/// The loaded segments in ascending order, and the ranges of code in them.
fn segments(bytes: &[u8], file: &ElfFile32<'_, Endianness>) -> Result<(Vec<Segment>, Vec<Range<u32>>), LoadError> {
    let endian = file.endian();
    let loaded = file
        .elf_program_headers()
        .iter()
        .filter(|header| header.p_type(endian) == elf::PT_LOAD && header.p_memsz(endian) > 0);
    let mut loaded: Vec<_> = loaded.collect();
    loaded.sort_by_key(|header| header.p_vaddr(endian));
    // All checks precede the first copy.
    let mut total = 0;
    let mut after = 0;
    for header in &loaded {
        let (address, size) = (header.p_vaddr(endian), header.p_memsz(endian));
        let start = u64::from(address & !(PAGE - 1));
        let end = (u64::from(address) + u64::from(size)).next_multiple_of(u64::from(PAGE));
        total += end - start;
        if end > 1 << 32 || header.p_filesz(endian) > size {
            return Err(LoadError::Damaged(format!("bad size of the segment at {address:08X}h")));
        }
        if total > MOST_BYTES {
            return Err(LoadError::TooLarge("segments"));
        }
        // The system is above the stack.
        let on_stack = end > u64::from(PROCESS_STACK_TOP - PROCESS_STACK_SIZE);
        if on_stack || start < after {
            return Err(LoadError::Overlap {
                address,
                stack: on_stack,
            });
        }
        after = end;
    }
    let (mut segments, mut code) = (Vec::with_capacity(loaded.len()), Vec::new());
    for header in loaded {
        let (address, size) = (header.p_vaddr(endian), header.p_memsz(endian));
        let data = header
            .data(endian, bytes)
            .map_err(|()| LoadError::Damaged(format!("the segment at {address:08X}h ends after the file")))?;
        let flags = header.p_flags(endian);
        if flags.contains(elf::PF_X) {
            code.push(address..address.saturating_add(size));
        }
        let name = match (flags.contains(elf::PF_X), flags.contains(elf::PF_W)) {
            (true, _) => "code",
            (_, true) => "data",
            _ => "constants",
        };
        let before = address & (PAGE - 1);
        let mut bytes = vec![0; before as usize];
        bytes.extend_from_slice(data);
        segments.push(Segment {
            name: name.to_owned(),
            address: address - before,
            zeroes: before + size - bytes.len() as u32,
            bytes,
            writable: flags.contains(elf::PF_W),
        });
    }
    Ok((segments, code))
}

/// Adds the source lines, the types of data, and the calls that were inlined.
fn add_debug_information(file: &ElfFile32<'_, Endianness>, image: &mut Image) -> Result<(), LoadError> {
    let mut budget = Budget::default();
    let (mut sections, mut of_types) = (DebugSections::default(), TypeSections::default());
    for section in file.sections() {
        // As with symbols: a section without a name has no lines.
        let name = section.name_bytes().unwrap_or_default();
        // Names may share their bytes.
        budget.take(1 + name.len() as u64, "sections")?;
        let part = match name {
            b".debug_line" => &mut sections.line,
            b".debug_line_str" => &mut sections.line_strings,
            b".debug_str" => &mut sections.strings,
            b".debug_info" => &mut of_types.info,
            b".debug_abbrev" => &mut of_types.abbreviations,
            b".debug_str_offsets" => &mut of_types.string_offsets,
            b".debug_addr" => &mut of_types.addresses,
            b".debug_ranges" => &mut of_types.ranges,
            b".debug_rnglists" => &mut of_types.range_lists,
            b".eh_frame" => {
                let address = section.address() as u32;
                let end = address.checked_add(section.size() as u32);
                image.frames = end.map(|end| address..end);
                continue;
            }
            _ => continue,
        };
        if section.compressed_file_range()?.format == object::CompressionFormat::None {
            *part = section.data()?;
        }
    }
    add_types(types(&of_types, &sections), image);
    let found = lines(&sections);
    let numbers = found.files.iter().cloned().zip(0..).collect();
    image.inlined = inlined(&of_types, &sections, &numbers);
    let files = found.files.into_iter().zip(found.compiled_in);
    image.files = files
        .map(|(name, compiled_in)| SourceFile {
            elsewhere: name.elsewhere,
            compiled_in,
            ..SourceFile::new(name.shown, "")
        })
        .collect();
    let within = |address: u32| {
        let segment = image.segments.iter().rfind(|segment| segment.address <= address)?;
        (segment.bytes.len() as u32)
            .checked_sub(address - segment.address)
            .filter(|&room| room > 0)
    };
    image.statements = found.statements;
    for line in found.lines {
        if let Some(room) = within(line.address) {
            image.lines.push(LineRow {
                length: line.length.min(room),
                ..line.row(0)
            });
        }
    }
    image.give_to_callers();
    Ok(())
}

/// Gives data the types that the sources declare for it, where their sizes agree.
fn add_types(found: Types, image: &mut Image) {
    for symbol in &mut image.symbols {
        let SymbolKind::Data { element, kind } = &mut symbol.kind else {
            continue;
        };
        // Compilers number the variables of functions, because several have one name.
        let numbered = symbol.name.rsplit_once('.');
        let numbered = numbered.filter(|(_, number)| number.bytes().all(|digit| digit.is_ascii_digit()));
        let of_function = numbered.and_then(|(name, _)| {
            let known = found.of_functions.get(&symbol.value)?;
            known.ends_with(&format!("::{name}")).then(|| known.clone())
        });
        let declared = found.variables.get(&symbol.value);
        if let Some(declared) = declared.filter(|declared| declared.size == symbol.size) {
            (*element, *kind) = (declared.element, declared.kind);
            symbol.typed = true;
        }
        symbol.name = of_function.unwrap_or(std::mem::take(&mut symbol.name));
    }
    image.structures = found.structures;
    image.enumerations = found.enumerations;
}
