//! A recording's description of its program, from the image: names, lines and code.

use crate::{Recording, SampledCode, SampledLine, SampledSymbol};
use p5_image::{Image, SymbolKind};

/// A recording without samples that describes the program in `image`: files, symbols, lines and code. A line of data
/// counts as code if the instruction at its beginning was `executed`.
pub fn of_program(image: &Image, executed: impl Fn(u32) -> bool) -> Recording {
    let named = image
        .symbols
        .iter()
        .filter(|symbol| symbol.kind != SymbolKind::Constant);
    let mut symbols: Vec<SampledSymbol> = named
        .map(|symbol| SampledSymbol {
            name: symbol.name.clone(),
            address: symbol.value,
            size: symbol.size,
            code: symbol.kind == SymbolKind::Code,
            library: symbol.library,
        })
        .collect();
    symbols.sort_by_key(|symbol| symbol.address);
    let lines = image.lines.iter();
    // A line without bytes, such as an alignment with nothing to fill, has no address of its own.
    let lines = lines.filter(|line| line.length > 0 && (!line.data || executed(line.address)));
    let lines: Vec<SampledLine> = lines
        .map(|line| SampledLine {
            address: line.address,
            length: line.length,
            file: line.file,
            line: line.line,
        })
        .collect();
    Recording {
        files: image.files.iter().map(|file| file.name.clone()).collect(),
        symbols,
        code: code(image, &lines),
        code_bits: image.code_bits(),
        lines,
        ..Recording::default()
    }
}

/// The bytes of the lines; adjacent lines form one piece.
fn code(image: &Image, lines: &[SampledLine]) -> Vec<SampledCode> {
    let mut pieces: Vec<SampledCode> = Vec::new();
    for line in lines {
        let bytes = image.bytes_at(line.address);
        let Some(bytes) = bytes.get(..line.length as usize).filter(|bytes| !bytes.is_empty()) else {
            continue;
        };
        match pieces.last_mut() {
            Some(last) if last.address as usize + last.bytes.len() == line.address as usize => {
                last.bytes.extend_from_slice(bytes);
            }
            Some(last) if last.address as usize + last.bytes.len() > line.address as usize => {}
            _ => pieces.push(SampledCode {
                address: line.address,
                bytes: bytes.to_vec(),
            }),
        }
    }
    pieces
}
