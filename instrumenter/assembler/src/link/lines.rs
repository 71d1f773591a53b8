//! Segments as bytes, the location of each line, and the macros and repeats that generated it.

use crate::names::NONE;
use crate::program::{Fragment, FragmentKind, Program, SegmentData, SegmentKind};
use crate::session::{OriginStep, Session};
use crate::statement::Placing;
use p5_image::{Image, Origin, Segment};

pub(super) fn link_segments(session: &Session, program: &mut Program, image: &mut Image, encoded: &[[u8; 16]]) {
    let mut origins = vec![NONE; session.origins.len()];
    for kind in [SegmentKind::Code, SegmentKind::Data] {
        for place in 0..program.layout.segments.len() {
            let segment = &program.layout.segments[place];
            if segment.kind != kind {
                continue;
            }
            let total: u32 = segment.fragments.iter().map(|fragment| fragment.length).sum();
            if total == 0 {
                continue;
            }
            if matches!(segment.placing, Placing::At(_)) {
                continue;
            }
            // The bytes before an origin of a segmented program belong to other segments.
            let skipped = match segment.fragments.iter().find(|fragment| fragment.length > 0) {
                Some(first) if program.layout.segmented && matches!(first.kind, FragmentKind::Origin(_)) => {
                    first.length
                }
                _ => 0,
            };
            let start = segment.frame + segment.base;
            // Trailing zeroes are only counted.
            let kept = segment
                .fragments
                .iter()
                .rposition(|fragment| fragment.kind != FragmentKind::Zeroes && fragment.length > 0)
                .map_or(0, |last| last + 1);
            let mut bytes = Vec::with_capacity(segment.bytes.len());
            for fragment in segment.fragments.iter().take(kept) {
                fragment_bytes(segment, fragment, encoded, &mut bytes);
            }
            let zeroes = total - bytes.len() as u32;
            bytes.drain(..skipped as usize);
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

/// Appends the bytes of a fragment.
pub(super) fn fragment_bytes(segment: &SegmentData, fragment: &Fragment, encoded: &[[u8; 16]], bytes: &mut Vec<u8>) {
    let length = fragment.length as usize;
    match fragment.kind {
        FragmentKind::Data => {
            let start = fragment.start as usize;
            bytes.extend_from_slice(segment.bytes.get(start..start + length).unwrap_or(&[]));
        }
        FragmentKind::Zeroes | FragmentKind::Origin(_) => bytes.resize(bytes.len() + length, 0),
        FragmentKind::Align(_) => {
            let fill = if segment.kind == SegmentKind::Code { 0x90 } else { 0 };
            bytes.resize(bytes.len() + length, fill);
        }
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
