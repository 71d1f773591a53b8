//! The layout, which is settled before the child starts: all areas with their contents, and the way out of the program.

use super::Note;
use super::error::{self, Error};
use super::segment;
use p5_image::{self as image, Image, RETURN_ADDRESS, STACK_HEADROOM, STACK_SIZE, STACK_TOP, Start};
use serde::{Deserialize, Serialize};

pub(super) const PAGE: u64 = p5_words::isa::PAGE as u64;
/// The unit in which areas are compared and restored, in bytes.
pub(super) const PIECE: usize = 64;
/// The limit of mapped memory in bytes, as in the simulated machine.
pub(super) const MAPPED_MOST: u64 = 256 << 20;

/// An area of the child below 4 GiB, with its contents at the start of each run.
#[derive(Debug)]
pub(super) struct Area {
    pub(super) name: error::Area,
    pub(super) address: u32,
    /// The length in bytes, a multiple of the page size.
    pub(super) length: u64,
    /// The offset of `given` in the file, a multiple of [`PIECE`].
    pub(super) given_at: usize,
    /// The initial bytes that may be nonzero; their number is a multiple of [`PIECE`]. All others are zero.
    pub(super) given: Vec<u8>,
    /// Whether the program may write it.
    pub(super) writable: bool,
    pub(super) executable: bool,
    /// Whether it is a segment of the image.
    pub(super) program: bool,
}

impl Area {
    fn end(&self) -> u64 {
        u64::from(self.address) + self.length
    }

    /// Whether all `length` bytes from `address` lie in this area.
    pub(super) fn holds(&self, address: u32, length: u64) -> bool {
        address >= self.address && u64::from(address) + length <= self.end()
    }
}

/// How execution leaves the program after its last instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum WayOut {
    /// There is no last instruction.
    None,
    Jump,
    Breakpoint,
    /// By a fault, because the page is not executable.
    NotExecutable,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Log {
    pub(super) address: u32,
    /// The capacity in entries.
    pub(super) room: u32,
}

#[derive(Debug)]
pub(super) struct Plan {
    /// The areas in ascending order, without overlap.
    pub(super) areas: Vec<Area>,
    pub(super) entry: u32,
    /// The initial ESP.
    pub(super) stack: u32,
    pub(super) end: Option<u32>,
    pub(super) way_out: WayOut,
    pub(super) log: Option<Log>,
    /// The addresses of all result dwords, region by region; `None` where nothing is mapped.
    pub(super) measured: Vec<Option<u32>>,
    pub(super) notes: Vec<Note>,
}

impl Plan {
    /// Plans the layout of `image`.
    ///
    /// # Errors
    /// The reason why a process of this host cannot hold the image.
    pub(super) fn new(image: &Image) -> Result<Plan, Error> {
        if image.start != Start::Flat {
            return Err(Error::RealMode);
        }
        let mut areas = vec![stack(), gate()];
        for segment in &image.segments {
            areas.push(area(segment)?);
        }
        areas.sort_by_key(|area| area.address);
        separate(&areas)?;
        let mut notes = Vec::new();
        let way_out = lead_out(image, &mut areas, &mut notes);
        for area in &mut areas {
            let padded = area.given.len().next_multiple_of(PIECE);
            area.given.resize(padded, 0);
        }
        let log = log(image, &areas);
        let measured = image
            .regions
            .iter()
            .flat_map(|region| region.measured.iter().map(move |&address| (region, address)))
            .map(|(region, address)| {
                let held = areas.iter().any(|area| area.holds(address, 4));
                if !held {
                    notes.push(Note::ResultOutside {
                        region: region.name.clone(),
                        address,
                    });
                }
                held.then_some(address)
            })
            .collect();
        Ok(Plan {
            areas,
            entry: image.entry,
            stack: STACK_TOP - STACK_HEADROOM,
            end: image.end,
            way_out,
            log,
            measured,
            notes,
        })
    }
}

/// The gate. Its contents depend on the addresses of the child's own code, so only the child knows them.
fn gate() -> Area {
    Area {
        name: error::Area::Gate,
        address: segment::GATE,
        length: u64::from(segment::GATE_LENGTH),
        given_at: 0,
        given: Vec::new(),
        writable: false,
        executable: true,
        program: false,
    }
}

fn stack() -> Area {
    Area {
        name: error::Area::Stack,
        address: STACK_TOP - STACK_SIZE,
        length: u64::from(STACK_SIZE),
        given_at: (STACK_SIZE - STACK_HEADROOM) as usize,
        given: RETURN_ADDRESS.to_le_bytes().to_vec(),
        writable: true,
        executable: true,
        program: false,
    }
}

/// The area of a segment, from the beginning of its first page on.
fn area(segment: &image::Segment) -> Result<Area, Error> {
    let name = error::Area::Segment(segment.name.clone());
    let before = u64::from(segment.address) % PAGE;
    let address = segment.address - before as u32;
    let length = (before + segment.bytes.len() as u64 + u64::from(segment.zeroes)).max(1);
    if address == 0 {
        return Err(Error::AtZero { area: name });
    }
    Ok(Area {
        name,
        address,
        length: length.next_multiple_of(PAGE),
        given_at: 0,
        given: [&vec![0; before as usize], &*segment.bytes].concat(),
        writable: segment.writable,
        executable: true,
        program: true,
    })
}

/// Checks that areas, in ascending order, are disjoint and within the limits.
fn separate(areas: &[Area]) -> Result<(), Error> {
    for pair in areas.windows(2) {
        if let [first, second] = pair
            && first.end() > u64::from(second.address)
        {
            return Err(Error::SharedPage {
                first: first.name.clone(),
                second: second.name.clone(),
                address: second.address,
            });
        }
    }
    if let Some(area) = areas.iter().find(|area| area.end() > 1 << 32) {
        return Err(Error::PastAddressSpace {
            area: area.name.clone(),
        });
    }
    let all: u64 = areas.iter().map(|area| area.length).sum();
    if all > MAPPED_MOST {
        return Err(Error::TooLarge {
            needed: all >> 20,
            most: MAPPED_MOST >> 20,
        });
    }
    Ok(())
}

/// Makes execution leave the program at the image's end.
fn lead_out(image: &Image, areas: &mut [Area], notes: &mut Vec<Note>) -> WayOut {
    let Some(end) = image.end else {
        return WayOut::None;
    };
    let jump = segment::far_jump(segment::END);
    let after = u64::from(end) + jump.len() as u64;
    let taken = |from: u64, to: u64| {
        image.segments.iter().any(|segment| {
            let start = u64::from(segment.address);
            let stop = start + segment.bytes.len() as u64 + u64::from(segment.zeroes);
            from < stop && start < to
        })
    };
    // The last byte before the end determines the area of the jump: the end itself may be the start of the next page.
    let before = end.wrapping_sub(1);
    let Some(index) = areas
        .iter()
        .position(|area| area.program && (area.holds(before, 1) || area.holds(end, 1)))
    else {
        notes.push(Note::EndOutside { end });
        return WayOut::None;
    };
    let free_until = areas.get(index + 1).map_or(1 << 32, |next| u64::from(next.address));
    let written = !taken(u64::from(end), after) && after <= free_until;
    if written {
        let area = &mut areas[index];
        // If the last page is full, the jump needs another page.
        area.length = area.length.max(after.next_multiple_of(PAGE) - u64::from(area.address));
        put(area, end, &jump);
        return WayOut::Jump;
    }
    let Some(area) = areas.iter_mut().find(|area| area.program && area.holds(end, 1)) else {
        notes.push(Note::NoRoomAtEnd { end });
        return WayOut::None;
    };
    let lines = image.lines.iter().any(|row| area.holds(row.address, 1));
    if end == area.address && !lines && !area.holds(image.entry, 1) {
        area.executable = false;
        notes.push(Note::DataAtEnd { end });
        return WayOut::NotExecutable;
    }
    put(area, end, &[0xCC]);
    notes.push(Note::BreakpointAtEnd {
        end,
        replaces: taken(u64::from(end), u64::from(end) + 1),
    });
    WayOut::Breakpoint
}

/// Writes bytes at an address in a segment. The segment's initial bytes begin at its first byte.
fn put(area: &mut Area, address: u32, bytes: &[u8]) {
    let at = (address - area.address) as usize;
    if area.given.len() < at + bytes.len() {
        area.given.resize(at + bytes.len(), 0);
    }
    area.given[at..at + bytes.len()].copy_from_slice(bytes);
}

/// The log, if the image has one in the memory of the program.
fn log(image: &Image, areas: &[Area]) -> Option<Log> {
    let address = image.log?.address;
    let header = u64::from(image::Log::HEADER);
    let area = areas.iter().find(|area| area.holds(address, header))?;
    let room = (area.end() - u64::from(address) - header) / u64::from(image::Log::ENTRY);
    Some(Log {
        address,
        room: room as u32,
    })
}
