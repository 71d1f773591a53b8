//! Programs of DOS as an [`Image`]: COM files, and EXE files with their relocations.
//!
//! Not read: programs of DOS extenders, Windows and OS/2, whose own header follows a stub for DOS.

use super::LoadError;
use crate::dos::{COM_STACK, CONVENTIONAL, MOST_ARGUMENTS, MOST_OF_COM, PREFIX, PREFIX_SIZE, prefix_with};
use crate::{Image, RealStart, Segment, Symbol, SymbolKind};

/// The place of the header of another system in an EXE file.
const OTHER_HEADER: usize = 0x3C;

/// A COM file, with the arguments that it is given.
///
/// # Errors
/// It is too large for its segment, or its arguments for the prefix.
pub fn com_program(bytes: &[u8], arguments: &[&str]) -> Result<Image, LoadError> {
    if bytes.len() > MOST_OF_COM {
        return Err(LoadError::TooMany("bytes of a COM file", MOST_OF_COM));
    }
    let paragraph = (PREFIX >> 4) as u16;
    let start = RealStart {
        code: paragraph,
        data: paragraph,
        stack: paragraph,
        top: COM_STACK.wrapping_add(2),
    };
    let mut image = real(start, PREFIX_SIZE as u16, bytes.to_vec(), 0, arguments)?;
    image.stack = vec![0, 0];
    Ok(image)
}

/// An EXE file of DOS, with the arguments that it is given.
///
/// # Errors
/// It is damaged, for another system, or larger than the memory for programs; or its arguments are longer than the
/// prefix has room for.
pub fn exe_program(bytes: &[u8], arguments: &[&str]) -> Result<Image, LoadError> {
    let damaged = |why: &str| LoadError::Damaged(why.to_owned());
    let word = |at: usize| match bytes.get(at..at + 2) {
        Some(&[low, high]) => Ok(u16::from_le_bytes([low, high])),
        _ => Err(damaged("its header is cut off")),
    };
    if is_of_another_system(bytes) {
        return Err(LoadError::OtherKind(
            "a program for Windows, OS/2 or a DOS extender; plain DOS programs and static Linux programs run",
        ));
    }
    let (last, pages) = (usize::from(word(2)?), usize::from(word(4)?));
    let header = 16 * usize::from(word(8)?);
    let unused = if last == 0 { 0 } else { 512 - last.min(512) };
    let total = (512 * pages).saturating_sub(unused);
    if total < header {
        return Err(damaged("its header is longer than what it says of the whole program"));
    }
    let loaded = bytes.get(header..total).ok_or_else(|| {
        damaged(&format!(
            "its header says that it has {total} bytes, but it has {}",
            bytes.len()
        ))
    })?;
    let mut loaded = loaded.to_vec();
    let first = PREFIX + PREFIX_SIZE;
    let base = (first >> 4) as u16;
    let table = usize::from(word(0x18)?);
    for number in 0..usize::from(word(6)?) {
        let entry = table + 4 * number;
        let at = 16 * usize::from(word(entry + 2)?) + usize::from(word(entry)?);
        let Some([low, high]) = loaded.get_mut(at..at + 2) else {
            return Err(damaged(&format!("relocation {number} lies outside the program")));
        };
        [*low, *high] = u16::from_le_bytes([*low, *high]).wrapping_add(base).to_le_bytes();
    }
    let (sp, entry) = (word(0x10)?, word(0x14)?);
    let start = RealStart {
        code: base.wrapping_add(word(0x16)?),
        data: (PREFIX >> 4) as u16,
        stack: base.wrapping_add(word(0x0E)?),
        top: sp.wrapping_add(2),
    };
    // A machine pushes `Image::stack`: the bytes that are there already, so that memory and SP are as DOS leaves them.
    let top = ((u32::from(start.stack) << 4) + u32::from(sp)).wrapping_sub(first) as usize;
    let there = |at: usize| loaded.get(at).copied().unwrap_or(0);
    let stack = vec![there(top), there(top.wrapping_add(1))];
    let zeroes = 16 * u32::from(word(0x0A)?);
    let mut image = real(start, entry, loaded, zeroes, arguments)?;
    image.stack = stack;
    Ok(image)
}

/// Whether the header of another system follows the one for DOS.
fn is_of_another_system(bytes: &[u8]) -> bool {
    let at = bytes.get(OTHER_HEADER..OTHER_HEADER + 4);
    let at = at.and_then(|at| at.try_into().ok()).map(u32::from_le_bytes);
    let signature = at.and_then(|at| bytes.get(at as usize..)?.get(..2));
    // The relocations of such a file stand after the place of that header.
    let relocations = bytes.get(0x18..0x1A).and_then(|word| word.try_into().ok());
    relocations.is_some_and(|at| u16::from_le_bytes(at) >= 0x40)
        && matches!(signature, Some(b"PE" | b"NE" | b"LE" | b"LX"))
}

/// The image of a program whose bytes follow the prefix.
fn real(start: RealStart, entry: u16, bytes: Vec<u8>, zeroes: u32, arguments: &[&str]) -> Result<Image, LoadError> {
    let first = PREFIX + PREFIX_SIZE;
    let end = u64::from(first) + bytes.len() as u64 + u64::from(zeroes);
    if end > u64::from(CONVENTIONAL) {
        return Err(LoadError::Conventional);
    }
    let prefix = prefix_with(arguments).ok_or(LoadError::TooMany("bytes of arguments", MOST_ARGUMENTS))?;
    let entered = start.in_code(entry);
    if !(first..first + bytes.len() as u32).contains(&entered) {
        return Err(LoadError::Entry(entered.into()));
    }
    let segment = Segment {
        name: "program".to_owned(),
        address: first,
        bytes,
        zeroes,
        writable: true,
    };
    let mut image = Image::real(start, entry, vec![prefix, segment]);
    image.symbols.push(Symbol {
        name: "start".to_owned(),
        value: entered,
        size: 0,
        kind: SymbolKind::Code,
        library: false,
        typed: false,
    });
    Ok(image)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An EXE file of `code`, with a relocation at its second byte, entered at its first one.
    fn exe(code: &[u8]) -> Vec<u8> {
        let words: [u16; 16] = [
            0x5A4D,
            (32 + code.len() as u16) % 512,
            1,
            1,
            2,
            16,
            0xFFFF,
            3,
            0x80,
            0,
            0,
            0,
            0x1C,
            0,
            1,
            0,
        ];
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend_from_slice(code);
        bytes
    }

    #[test]
    fn an_exe_is_relocated_and_has_its_registers() {
        let image = exe_program(&exe(&[0xB8, 1, 0, 0xCB]), &["a", "bc"]).expect("a program");
        assert_eq!(image.segments[1].bytes, [0xB8, 0x11, 0x10, 0xCB]);
        assert_eq!((image.entry, image.segments[1].zeroes), (0x1_0100, 256));
        let start = RealStart {
            code: 0x1010,
            data: 0x1000,
            stack: 0x1013,
            top: 0x82,
        };
        assert_eq!(image.start, crate::Start::Real(start));
        assert_eq!(image.segments[0].bytes[0x80..0x87], *b"\x05 a bc\r");
    }

    #[test]
    fn damaged_programs_are_refused() {
        let whole = exe(&[0xB8, 1, 0, 0xCB]);
        for length in 0..whole.len() {
            assert!(exe_program(&whole[..length], &[]).is_err(), "{length}");
        }
        // Each byte of the header, at its extremes: an image or an error.
        for at in 2..32 {
            for value in [0, 1, 0x7F, 0xFF] {
                let mut changed = whole.clone();
                changed[at] = value;
                if let Ok(image) = exe_program(&changed, &[]) {
                    assert!(image.holds(image.entry));
                }
            }
        }
        let mut windows = exe(&[0x90; 0x100]);
        windows[0x18..0x1A].copy_from_slice(&0x100_u16.to_le_bytes());
        windows[0x3C..0x40].copy_from_slice(&0x80_u32.to_le_bytes());
        windows[0x80..0x82].copy_from_slice(b"NE");
        let refused = |bytes: &[u8]| exe_program(bytes, &[]).expect_err("it is refused").to_string();
        assert!(refused(&windows).contains("for Windows"), "{}", refused(&windows));
        let mut short = whole;
        short[4..6].copy_from_slice(&[0, 0]);
        assert!(refused(&short).contains("its header is longer"), "{}", refused(&short));
        assert!(com_program(&[0x90; 0xFF00], &[]).is_err() && com_program(&[], &[]).is_err());
        let long = "x".repeat(MOST_ARGUMENTS);
        assert!(com_program(&[0xC3], &[&long]).is_err_and(|why| why.to_string().contains("126 bytes")));
        assert!(com_program(&[0xC3], &[&long[1..]]).is_ok());
    }
}
