//! The memory that a run changed outside of named data, executed code, the stack and the screen: back buffers, blocks
//! from a heap, data that only an address names.
//!
//! A byte counts that differs from what was loaded. Near ones are one range, and what lies far apart is several.

use super::{Machine, digest};
use p5_image::{Image, REAL_MEMORY, Segment, Start, SymbolKind};
use p5_results::{InstructionResult, MemoryPart, OtherMemory, Screen};
use p5_words::isa::PAGE;
use std::ops::Range;

/// The most bytes as they were between two changed ones of a range: within what was loaded, where one thing follows
/// another, and elsewhere, where a picture may have a black part.
const GAPS: [u32; 2] = [16, 4096];
/// The most bytes as they were between two changed ones of a stack of unknown size.
const STACK_GAP: usize = 256;
/// The addresses of the interrupt vectors and of the data of the BIOS.
const SYSTEM: Range<u32> = 0..0x500;

/// Bytes that changed, one after the other.
struct Part {
    place: Range<u32>,
    bytes: Vec<u8>,
    changed: u32,
    /// Whether it lies outside of what was loaded.
    outside: bool,
}

impl Machine<'_> {
    /// The ranges of other memory that the last run changed, in the order of addresses.
    pub(crate) fn other_memory<'a>(
        &self,
        executed: impl Iterator<Item = &'a InstructionResult>,
    ) -> Option<Vec<OtherMemory>> {
        let real = self.image.start != Start::Flat;
        let excluded = self.excluded(executed);
        let mut pages: Vec<(u32, &[u8])> = self.state.memory.pages().collect();
        pages.sort_unstable_by_key(|&(address, _)| address);
        let mut parts: Vec<Part> = Vec::new();
        for &(address, page) in &pages {
            let before = loaded(self.image, address);
            if page == before {
                continue;
            }
            let mut next = excluded.partition_point(|range| range.end <= address);
            for (at, (&byte, &old)) in page.iter().zip(&before).enumerate() {
                let here = address + at as u32;
                while excluded.get(next).is_some_and(|range| range.end <= here) {
                    next += 1;
                }
                if byte == old || excluded.get(next).is_some_and(|range| range.contains(&here)) {
                    continue;
                }
                let outside = !is_loaded(self.image, here);
                let joined = parts.last_mut().filter(|part| {
                    let gap = here - part.place.end;
                    let free = next
                        .checked_sub(1)
                        .is_none_or(|last| excluded[last].end <= part.place.start);
                    part.outside == outside && gap <= GAPS[usize::from(outside)] && free
                });
                let gap = joined.and_then(|part| {
                    let gap = self.state.memory.read_bytes(part.place.end, here - part.place.end)?;
                    Some((part, gap))
                });
                match gap {
                    Some((part, gap)) => {
                        part.bytes.extend(gap);
                        part.bytes.push(byte);
                        part.changed += 1;
                        part.place.end = here + 1;
                    }
                    None => parts.push(Part {
                        place: here..here + 1,
                        bytes: vec![byte],
                        changed: 1,
                        outside,
                    }),
                }
            }
        }
        if !real {
            let mapped: Vec<u32> = pages.iter().map(|&(address, _)| address / PAGE).collect();
            parts.iter_mut().for_each(|part| forget_addresses(part, &mapped));
        }
        // What exceeds the bound is in the last one.
        let rest = parts.split_off(parts.len().min(OtherMemory::MOST));
        if let Some(last) = parts.last_mut() {
            for part in rest {
                last.place.end = part.place.end;
                last.changed += part.changed;
                last.outside &= part.outside;
                last.bytes.extend(part.bytes);
            }
        }
        let told = parts.iter().map(|part| OtherMemory {
            first: part.place.start,
            last: part.place.end - 1,
            bytes: part.changed,
            digest: digest(&part.bytes),
            part: match (real, part.outside) {
                (false, _) => MemoryPart::Flat,
                (true, false) => MemoryPart::Loaded,
                (true, true) => MemoryPart::Outside,
            },
        });
        let told: Vec<OtherMemory> = told.collect();
        (real || !told.is_empty()).then_some(told)
    }

    /// The memory that is told elsewhere, or is no result: in ascending order, without overlap.
    fn excluded<'a>(&self, executed: impl Iterator<Item = &'a InstructionResult>) -> Vec<Range<u32>> {
        let data = self.image.symbols.iter();
        let data = data.filter(|symbol| matches!(symbol.kind, SymbolKind::Data { .. }));
        let mut all: Vec<Range<u32>> = data
            .map(|symbol| symbol.value..symbol.value.saturating_add(symbol.size))
            .chain(executed.map(|one| one.address..one.address.saturating_add(one.length.into())))
            .collect();
        match self.image.start {
            Start::Flat => all.push(self.image.flat_stack()),
            Start::Real(start) => {
                let base = u32::from(start.stack) << 4;
                // A stack pointer of 0 begins at the end of its segment.
                let top = base + (u32::from(start.top.wrapping_sub(1)) + 1);
                let registers = &self.state.registers;
                let now = (u32::from(self.selectors()[2]) << 4) + (registers.general[4] & 0xFFFF);
                all.extend([SYSTEM, Screen::ADDRESSES]);
                all.extend([self.stack_below(top), self.stack_below(now)]);
            }
        }
        if self.monitors.apic.is_some() {
            let page = crate::monitor::local_apic::PAGE_ADDRESS;
            all.push(page..page + PAGE);
        }
        all.extend(
            self.image
                .segments
                .iter()
                .filter_map(|segment| self.of_library(segment)),
        );
        all.retain(|range| !range.is_empty());
        all.sort_unstable_by_key(|range| range.start);
        all.dedup_by(|next, last| {
            let joined = next.start <= last.end;
            if joined {
                last.end = last.end.max(next.end);
            }
            joined
        });
        all
    }

    /// A segment in which the bundled library has data, some without a name: it holds times, which are no results.
    fn of_library(&self, segment: &Segment) -> Option<Range<u32>> {
        let end = u64::from(segment.address) + segment.bytes.len() as u64 + u64::from(segment.zeroes);
        let all = segment.address..u32::try_from(end).unwrap_or(u32::MAX);
        let mut data = self.image.symbols.iter().filter(|one| one.library);
        let holds = data.any(|one| matches!(one.kind, SymbolKind::Data { .. }) && all.contains(&one.value));
        holds.then_some(all)
    }

    /// The stack of a program in real mode below an address, as far as it was used.
    fn stack_below(&self, top: u32) -> Range<u32> {
        let room = top.min(REAL_MEMORY).min(0x1_0000);
        let Some(bytes) = self.state.memory.read_bytes(top - room, room) else {
            return top..top;
        };
        let (mut used, mut unused) = (0, 0);
        for (distance, byte) in (1..).zip(bytes.iter().rev()) {
            if unused == STACK_GAP || self.image.holds(top - distance) {
                break;
            }
            unused = if *byte == 0 { unused + 1 } else { 0 };
            used = if *byte == 0 { used } else { distance };
        }
        top - used..top
    }
}

/// What a page holds before a run.
fn loaded(image: &Image, address: u32) -> [u8; PAGE as usize] {
    let mut page = [0; PAGE as usize];
    let segments = image.segments.iter().map(|segment| (segment.address, &segment.bytes));
    let preset = image.preset.memory.iter().map(|(place, bytes)| (*place, bytes));
    for (place, bytes) in segments.chain(preset) {
        let end = u64::from(place) + bytes.len() as u64;
        if u64::from(address) + u64::from(PAGE) <= place.into() || end <= address.into() {
            continue;
        }
        let from = place.max(address);
        let bytes = &bytes[(from - place) as usize..];
        let into = &mut page[(from - address) as usize..];
        into.iter_mut().zip(bytes).for_each(|(old, &byte)| *old = byte);
    }
    page
}

fn is_loaded(image: &Image, address: u32) -> bool {
    let after = image.segments.partition_point(|segment| segment.address <= address);
    let last = after.checked_sub(1).map(|last| &image.segments[last]);
    last.is_some_and(|segment| {
        let length = segment.bytes.len() as u64 + u64::from(segment.zeroes);
        u64::from(address - segment.address) < length
    })
}

/// Clears the aligned dwords that may be addresses of the program's memory: two programs of other layouts have others.
fn forget_addresses(part: &mut Part, mapped: &[u32]) {
    let skipped = (part.place.start.wrapping_neg() & 3) as usize;
    let Some(aligned) = part.bytes.get_mut(skipped..) else {
        return;
    };
    let (dwords, _) = aligned.as_chunks_mut::<4>();
    for dword in dwords {
        if mapped.binary_search(&(u32::from_le_bytes(*dword) / PAGE)).is_ok() {
            *dword = [0; 4];
        }
    }
}
