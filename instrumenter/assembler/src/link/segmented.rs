//! The start of a program with 16-bit segments under DOS: its prefix, its registers, and its size limits.

use crate::program::{MOST_OF_SEGMENT, Program, SegmentData};
use crate::session::Session;
use crate::statement::Placing;
use p5_image::dos::{COM_STACK, CONVENTIONAL, OWN_STACK, PREFIX, prefix};
use p5_image::{Image, RealStart, Start};

/// Adds the prefix and the initial registers to the image.
pub(super) fn load(session: &mut Session, program: &Program, image: &mut Image) {
    check(session, program);
    let layout = &program.layout;
    let code = layout
        .segments
        .get(layout.entered as usize)
        .map_or(0, |code| code.frame);
    let paragraph = |address: u32| (address >> 4) as u16;
    let mut start = RealStart {
        code: paragraph(code),
        data: paragraph(PREFIX),
        ..RealStart::default()
    };
    let stack = |segment: &&SegmentData| segment.placing == Placing::Stack;
    if layout.is_com() {
        start.stack = start.code;
        start.top = COM_STACK.wrapping_add(2);
        image.stack = vec![0, 0];
    } else if let Some(stack) = layout.segments.iter().find(stack) {
        // The return address lies above the stack, so that SP has the value that DOS gives it.
        let first = stack.frame + stack.base;
        let length = stack.length();
        start.stack = paragraph(first);
        start.top = ((first & 15) + length + 4).min(MOST_OF_SEGMENT) as u16;
    } else {
        start.stack = paragraph(layout.loaded_end.next_multiple_of(16));
        start.top = OWN_STACK;
    }
    // The bytes that follow directly belong to another segment, and a jump may reach them.
    let others = layout.segments.iter().filter(|segment| segment.length() > 0);
    let first = |segment: &SegmentData| segment.frame + segment.base;
    if others.into_iter().any(|segment| image.end == Some(first(segment))) {
        image.end = None;
    }
    image.start = Start::Real(start);
    image.segments.insert(0, prefix());
}

/// Reports segments that are too large.
fn check(session: &mut Session, program: &Program) {
    let layout = &program.layout;
    let names = layout
        .groups
        .iter()
        .map(|group| session.names.spelling(group.name).to_owned());
    let names: Vec<String> = names.collect();
    let mut ends = vec![0u64; names.len()];
    for segment in &layout.segments {
        let length = u64::from(segment.length());
        if let Some(end) = ends.get_mut(segment.group as usize)
            && length > 0
        {
            *end = (*end).max(u64::from(segment.base) + length);
        }
    }
    for (name, end) in names.iter().zip(ends) {
        if end > u64::from(MOST_OF_SEGMENT) {
            let message =
                format!("the segments of `{name}` have {end} bytes, but no more than 64 KiB can be reached at a time");
            session.report_without_place(message, None);
        }
    }
    if layout.loaded_end > CONVENTIONAL {
        let most = (CONVENTIONAL - PREFIX) >> 10;
        let message = format!("program is larger than the {most} KiB that DOS has for it");
        session.report_without_place(message, None);
    }
}
