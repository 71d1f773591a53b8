//! A recording's description of its program, from the image: names, lines and code.

use crate::{Recording, SampledCode, SampledLine, SampledSymbol};
use p5_image::{Image, Start, SymbolKind};
use std::ops::Range;

/// An address, and the bytes from there on.
pub type Span = (u32, u32);

/// A recording without samples that describes the program in `image`: files, symbols, lines and code. The instructions
/// that were `executed`, in the order of their addresses, are code whether a line has them or not; a line of data is
/// code if one of them is at its beginning. `bits` is the width of the code, and `others` are the instructions that
/// were executed in code of the other width.
pub fn of_program(image: &Image, executed: &[Span], others: &[Span], bits: u32) -> Recording {
    let begins = |spans: &[Span], address: u32| spans.binary_search_by_key(&address, |&(one, _)| one).is_ok();
    let is_executed = |address: u32| begins(executed, address) || begins(others, address);
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
    let lines = lines.filter(|line| line.length > 0 && (!line.data || is_executed(line.address)));
    let lines: Vec<SampledLine> = lines
        .map(|line| SampledLine {
            address: line.address,
            length: line.length,
            file: line.file,
            line: line.line,
        })
        .collect();
    let flat = image.start == Start::Flat;
    let reach = |range: Range<u32>| (range.start, range.end - 1);
    Recording {
        stack: flat.then(|| image.flat_stack()).map(reach),
        heap: image.process_heap().map(reach),
        files: image.files.iter().map(|file| file.name.clone()).collect(),
        symbols,
        code: both_widths(image, code(image, &lines, executed, bits), others, bits),
        code_bits: bits,
        lines,
        ..Recording::default()
    }
}

/// The bytes of the lines and of what was executed beside them; adjacent ones form one piece.
fn code(image: &Image, lines: &[SampledLine], executed: &[Span], bits: u32) -> Vec<SampledCode> {
    let lines = lines.iter().map(|line| (line.address, line.length));
    let mut spans: Vec<Span> = lines.chain(executed.iter().copied()).collect();
    spans.sort_unstable();
    let mut pieces: Vec<SampledCode> = Vec::new();
    for (address, length) in spans {
        let end = |piece: &SampledCode| piece.address as usize + piece.bytes.len();
        let known = pieces
            .last()
            .map_or(0, |last| end(last).saturating_sub(address as usize));
        let bytes = image.bytes_at(address);
        let bytes = bytes.get(..length as usize).unwrap_or_default();
        let Some(new) = bytes.get(known..).filter(|new| !new.is_empty()) else {
            continue;
        };
        match pieces.last_mut().filter(|last| end(last) >= address as usize) {
            Some(last) => last.bytes.extend_from_slice(new),
            None => pieces.push(SampledCode {
                address,
                bytes: new.to_vec(),
                bits,
            }),
        }
    }
    pieces
}

/// Merges `pieces`, code of `bits` bits, with the code at `others`, which is decoded in the other width, by address.
fn both_widths(image: &Image, pieces: Vec<SampledCode>, others: &[Span], bits: u32) -> Vec<SampledCode> {
    let mut both = without(pieces, others);
    both.extend(code(image, &[], others, if bits == 16 { 32 } else { 16 }));
    both.sort_by_key(|piece| piece.address);
    both
}

/// The pieces without the bytes of some spans, which are in the order of their addresses.
fn without(pieces: Vec<SampledCode>, left_out: &[Span]) -> Vec<SampledCode> {
    if left_out.is_empty() {
        return pieces;
    }
    let mut kept = Vec::new();
    for piece in pieces {
        let end = u64::from(piece.address) + piece.bytes.len() as u64;
        let mut from = u64::from(piece.address);
        let mut keep = |from: u64, to: u64| {
            let bytes = [from, to].map(|at| (at - u64::from(piece.address)) as usize);
            if bytes[0] < bytes[1] {
                kept.push(SampledCode {
                    address: from as u32,
                    bytes: piece.bytes[bytes[0]..bytes[1]].to_vec(),
                    bits: piece.bits,
                });
            }
        };
        let first = left_out.partition_point(|&(address, length)| u64::from(address) + u64::from(length) <= from);
        for &(address, length) in &left_out[first..] {
            let (begins, ends) = (u64::from(address), u64::from(address) + u64::from(length));
            if begins >= end {
                break;
            }
            keep(from, begins.max(from));
            from = ends.min(end).max(from);
        }
        keep(from, end);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use p5_image::Segment;

    #[test]
    fn code_is_what_was_executed_whether_lines_have_it_or_not() {
        let image = Image {
            segments: vec![Segment {
                address: 0x1000,
                bytes: (0..32).collect(),
                ..Segment::default()
            }],
            ..Image::default()
        };
        // The last ones are an instruction within another, and one beyond the program's memory.
        let executed = [
            (0x1000, 2),
            (0x1002, 1),
            (0x1010, 3),
            (0x1011, 4),
            (0x1012, 1),
            (0x2000, 1),
        ];
        let pieces = |others: &[Span]| -> Vec<(u32, Vec<u8>, u32)> {
            let code = of_program(&image, &executed, others, 32).code;
            code.into_iter()
                .map(|piece| (piece.address, piece.bytes, piece.bits))
                .collect()
        };
        assert_eq!(
            pieces(&[]),
            [(0x1000, vec![0, 1, 2], 32), (0x1010, vec![16, 17, 18, 19, 20], 32)]
        );
        // What is executed in code of the other width has that.
        assert_eq!(
            pieces(&[(0xFFF, 2), (0x1002, 1), (0x1011, 2)]),
            [
                (0x1001, vec![1], 32),
                (0x1002, vec![2], 16),
                (0x1010, vec![16], 32),
                (0x1011, vec![17, 18], 16),
                (0x1013, vec![19, 20], 32)
            ]
        );
    }
}
