//! Segments as bytes, the location of each line, and the macros and repeats that generated it.

use crate::names::NONE;
use crate::program::{Fragment, FragmentKind, Program, SegmentData, SegmentKind};
use crate::session::{OriginStep, Session};
use crate::statement::Placing;
use p5_image::{Image, LineRow, Lines, Origin, Segment};
use std::collections::BTreeMap;

pub(super) fn link_segments(session: &Session, program: &mut Program, image: &mut Image, encoded: &[[u8; 16]]) {
    let mut origins = vec![NONE; session.origins.len()];
    for kind in [SegmentKind::Code, SegmentKind::Data] {
        for place in 0..program.layout.segments.len() {
            let segment = &program.layout.segments[place];
            if segment.kind != kind {
                continue;
            }
            let total = segment.length();
            if total == 0 || matches!(segment.placing, Placing::At(_)) {
                continue;
            }
            // The bytes before an origin of a segmented program belong to other segments.
            let skipped = match program.layout.segmented {
                true => first_byte(segment).unwrap_or(total),
                false => 0,
            };
            let start = segment.frame + segment.base;
            if segment.placing == Placing::Library {
                image.library_data.push(start + skipped..start + total);
            }
            let (mut bytes, replaced) = segment_bytes(segment, encoded);
            // Trailing zeroes are only counted.
            let zeroes = total - skipped.max(bytes.len() as u32);
            bytes.drain(..bytes.len().min(skipped as usize));
            image.segments.push(Segment {
                name: segment.name.clone(),
                address: start + skipped,
                bytes,
                zeroes,
                writable: true,
            });
            if kind == SegmentKind::Code {
                let mut rows = std::mem::take(&mut program.layout.segments[place].rows);
                let fragments = &program.layout.segments[place].fragments;
                rows.place(|fragment| {
                    let fragment = fragments.get(fragment as usize);
                    fragment.map_or((start, 0), |fragment| (start + fragment.address, fragment.length))
                });
                if replaced {
                    rows = remaining(&rows);
                }
                rows.sort();
                image.lines.append(rows);
            }
        }
    }
    if program.layout.segmented {
        image.segments.sort_by_key(|segment| segment.address);
        image.lines.sort();
    }
    // Keep only origins that lines refer to, directly or through other origins.
    let linked = &mut image.origins;
    image
        .lines
        .replace_origins(|origin| some_origin(link_origin(session, origin, &mut origins, linked)));
}

/// The offset of the first byte of a segment that is not before an origin.
pub(super) fn first_byte(segment: &SegmentData) -> Option<u32> {
    let placed = |fragment: &&Fragment| fragment.length > 0 && !matches!(fragment.kind, FragmentKind::Origin(_));
    let placed = segment.fragments.iter().filter(placed);
    placed.map(|fragment| fragment.address).min()
}

/// The bytes of a segment without its last zeroes, and whether some of them replace others, after an origin that moved
/// back.
pub(super) fn segment_bytes(segment: &SegmentData, encoded: &[[u8; 16]]) -> (Vec<u8>, bool) {
    let mut bytes = Vec::with_capacity(segment.bytes.len());
    let mut replaced = false;
    for fragment in segment.fragments.iter().filter(|fragment| fragment.length > 0) {
        // Zeroes give room to what is not initialized, which leaves earlier bytes alone.
        if matches!(fragment.kind, FragmentKind::Zeroes | FragmentKind::Origin(_)) {
            continue;
        }
        let start = fragment.address as usize;
        if start >= bytes.len() {
            bytes.resize(start, 0);
            fragment_bytes(segment, fragment, encoded, &mut bytes);
            continue;
        }
        replaced = true;
        let mut own = Vec::with_capacity(fragment.length as usize);
        fragment_bytes(segment, fragment, encoded, &mut own);
        bytes.resize(bytes.len().max(start + own.len()), 0);
        if let Some(place) = bytes.get_mut(start..start + own.len()) {
            place.copy_from_slice(&own);
        }
    }
    (bytes, replaced)
}

/// The rows of which no later one replaces a byte.
fn remaining(rows: &Lines) -> Lines {
    // The ends of the bytes that later rows have, by their starts.
    let mut taken: BTreeMap<u32, u32> = BTreeMap::new();
    let all: Vec<LineRow> = rows.iter().collect();
    let mut kept: Vec<LineRow> = Vec::with_capacity(all.len());
    for row in all.into_iter().rev() {
        let end = row.address.saturating_add(row.length);
        let before = taken.range(..end).next_back();
        if before.is_none_or(|(_, &known)| known <= row.address) {
            taken.insert(row.address, end);
            kept.push(row);
        }
    }
    kept.into_iter().rev().collect()
}

/// Appends the bytes of a fragment.
pub(super) fn fragment_bytes(segment: &SegmentData, fragment: &Fragment, encoded: &[[u8; 16]], bytes: &mut Vec<u8>) {
    let length = fragment.length as usize;
    match fragment.kind {
        FragmentKind::Data => {
            let start = fragment.start as usize;
            bytes.extend_from_slice(segment.bytes.get(start..start + length).unwrap_or(&[]));
        }
        FragmentKind::Zeroes | FragmentKind::Origin(_) => bytes.resize(bytes.len() + length, 0),
        FragmentKind::Align(alignment) => segment.pad(bytes, length, alignment.fill),
        FragmentKind::Variable(index) => {
            let instruction = encoded.get(index as usize).and_then(|bytes| bytes.get(..length));
            bytes.extend_from_slice(instruction.unwrap_or(&[]));
        }
    }
}

fn link_origin(session: &Session, origin: u32, known: &mut [u32], linked: &mut Vec<Origin>) -> u32 {
    let is_linked = |index: u32| known.get(index as usize).is_some_and(|&place| place != NONE);
    let chain: Vec<(u32, &OriginStep)> = session
        .steps(origin)
        .take_while(|&(index, _)| !is_linked(index))
        .collect();
    let outer = chain.last().map_or(origin, |(_, step)| step.parent);
    let mut parent = known.get(outer as usize).copied().unwrap_or(NONE);
    for (index, step) in chain.into_iter().rev() {
        linked.push(Origin {
            name: step.name.to_string(),
            pass: (step.pass > 0).then_some(step.pass),
            file: step.span.file,
            line: step.span.line,
            parent: some_origin(parent),
        });
        parent = linked.len() as u32 - 1;
        known[index as usize] = parent;
    }
    parent
}

fn some_origin(origin: u32) -> Option<u32> {
    (origin != NONE).then_some(origin)
}
