//! A joined program as a file: plain bytes, a COM file, or an EXE file of DOS with its relocations.

use super::Problem;
use super::join::Joined;
use p5_image::dos::{MOST_OF_COM, PREFIX_SIZE};
use p5_image::{Image, Segment, Start};

/// The size of the header of an EXE file before its relocations, in bytes.
const HEADER: usize = 0x1C;

/// The bytes from the first to the last one of the program that are not zeroes at the end.
fn loaded(image: &Image, from: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let own = |segment: &&Segment| segment.address >= from && !segment.bytes.is_empty();
    for segment in image.segments.iter().filter(own) {
        let start = (segment.address - from) as usize;
        bytes.resize(bytes.len().max(start), 0);
        bytes.truncate(start);
        bytes.extend_from_slice(&segment.bytes);
    }
    bytes
}

/// Plain bytes from the first one on, as they lie in memory.
pub fn plain(joined: &Joined) -> Result<Vec<u8>, Problem> {
    relocated(joined, "plain bytes have")?;
    Ok(loaded(&joined.image, joined.first))
}

/// A COM file.
pub fn com(joined: &Joined) -> Result<Vec<u8>, Problem> {
    let Start::Real(start) = &joined.image.start else {
        let help = "write `.model tiny` before the first segment, or build a flat program as an object";
        return Err(Problem::new(
            "a COM file has 16-bit code, but this program is flat",
            help,
        ));
    };
    relocated(joined, "a COM file has")?;
    let first = (u32::from(start.code) << 4) + PREFIX_SIZE;
    if joined.image.entry != first || joined.first < first {
        let message = "a COM file starts with its first byte at 100h, but this program starts elsewhere";
        let help = match joined.image.regions.is_empty() {
            true => "write `org 100h` before the first instruction, or build an .exe",
            false => {
                "a program with regions starts with the code that measures the cost of the macros, which lies \
                 elsewhere; run the source, which has the figures of its regions, or leave them out"
            }
        };
        return Err(Problem::new(message, help));
    }
    let bytes = loaded(&joined.image, first);
    if bytes.len() > MOST_OF_COM {
        let message = format!(
            "a COM file has at most {MOST_OF_COM} bytes, but this program has {}",
            bytes.len()
        );
        return Err(Problem::new(
            message,
            "build an .exe, with code and data in segments of their own",
        ));
    }
    Ok(bytes)
}

/// The paragraphs of segments are known only when DOS has loaded a program.
fn relocated(joined: &Joined, what: &str) -> Result<(), Problem> {
    let message = format!("{what} no relocations, but this program uses the address of a segment");
    let help = "build an .exe, or take the segment from CS instead, as in `push cs` and `pop ds`";
    match joined.paragraph_at {
        None => Ok(()),
        Some((module, span)) => Err(Problem::new(message, help).at(module, span)),
    }
}

/// An EXE file of DOS.
pub fn exe(joined: &Joined) -> Result<Vec<u8>, Problem> {
    let image = &joined.image;
    let Start::Real(start) = &image.start else {
        let help = "build an object (.obj, .o) and link it with the linker of your system";
        return Err(Problem::new(
            "an .exe of DOS starts in 16-bit code, but this program is flat",
            help,
        ));
    };
    let base = joined.loaded;
    let bytes = loaded(image, base);
    let ends = image
        .segments
        .iter()
        .map(|segment| segment.address + segment.bytes.len() as u32 + segment.zeroes);
    let end = ends.max().unwrap_or(base).max(joined.end) - base;
    let relocations = joined.paragraphs.len();
    let header = (HEADER + 4 * relocations).next_multiple_of(16);
    let Ok(count) = u16::try_from(relocations) else {
        let message = format!("an .exe has at most 65535 relocations, but this program has {relocations}");
        return Err(Problem::new(message, "load segment registers in fewer places"));
    };
    let total = header + bytes.len();
    let extra = u32::saturating_sub(end, bytes.len() as u32).div_ceil(16);
    let paragraph = |address: u32| (address.saturating_sub(base) >> 4) as u16;
    let code = u32::from(start.code) << 4;
    let stack = u32::from(start.stack) << 4;
    let words = [
        0x5A4D,
        (total % 512) as u16,
        total.div_ceil(512) as u16,
        count,
        (header / 16) as u16,
        extra.min(0xFFFF) as u16,
        0xFFFF,
        if stack < base { 0 } else { paragraph(stack) },
        if joined.has_stack { start.top.wrapping_sub(4) } else { 0 },
        0,
        (image.entry - code) as u16,
        paragraph(code),
        HEADER as u16,
        0,
    ];
    let mut file: Vec<u8> = words.iter().flat_map(|word: &u16| word.to_le_bytes()).collect();
    for &address in &joined.paragraphs {
        let from_base = address - base;
        // The offset stays below 16, so that any address can be named.
        file.extend_from_slice(&((from_base & 15) as u16).to_le_bytes());
        file.extend_from_slice(&((from_base >> 4) as u16).to_le_bytes());
    }
    file.resize(header, 0);
    let start_of_bytes = file.len();
    file.extend_from_slice(&bytes);
    // DOS adds the paragraph at which it loads the program.
    for &address in &joined.paragraphs {
        let place = start_of_bytes + (address - base) as usize;
        if let Some([low, high]) = file.get_mut(place..place + 2) {
            let value = u16::from_le_bytes([*low, *high]).wrapping_sub((base >> 4) as u16);
            [*low, *high] = value.to_le_bytes();
        }
    }
    Ok(file)
}
