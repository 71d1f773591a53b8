//! Programs with 16-bit segments: assumed contents of segment registers, groups, and the addresses at which DOS loads
//! segments.
//!
//! Such a program starts in real mode. An offset counts from the frame of its segment: the start of the group that
//! contains the segment, or else of the segment itself. In a flat program the only frame is address 0.

use super::frame::{Assumed, Frame, GROUP, Group, NAMED, NUMBER};
use super::{Layout, SegmentData, SegmentKind};
use crate::names::{NONE, NameId};
use crate::operand::CodeSize;
use crate::statement::Placing;
use iced_x86::Register;
use p5_image::dos::{PREFIX, PREFIX_SIZE};

/// The bytes above a stack for the return address that the program finds.
const BEHIND_STACK: u32 = 16;
/// The size of a cache line: the library's data has lines of its own.
const LINE: u32 = 32;

/// The way in which an instruction reaches the segment of an address.
pub(crate) struct Reach {
    /// The segment register to name, or `Register::None`.
    pub(crate) segment: Register,
    /// The offset of the address from the frame that the register holds.
    pub(crate) offset: i64,
    /// The frame that the register holds, or `Frame::NONE` if it is that of the address.
    pub(crate) frame: Frame,
}

impl Layout {
    /// Gives the program 16-bit segments. Nothing is placed yet, so offsets are small.
    pub(crate) fn become_segmented(&mut self) {
        if self.segmented {
            return;
        }
        self.segmented = true;
        for segment in &mut self.segments {
            segment.base = 0;
            if segment.has_only_origins() {
                segment.size = CodeSize::Bits16;
            }
        }
    }

    /// The size of the code in the current segment.
    pub(crate) fn current_size(&self) -> CodeSize {
        self.size_of(self.current)
    }

    /// The size of the code in a segment.
    pub(crate) fn size_of(&self, segment: u32) -> CodeSize {
        self.segments
            .get(segment as usize)
            .map_or(CodeSize::Bits32, |segment| segment.size)
    }

    pub(crate) fn frame_named(&self, name: NameId) -> Option<Frame> {
        self.frames.get(&name).copied()
    }

    /// A frame by its number; `None` if its name is not defined.
    fn known(&self, frame: Frame) -> Option<Frame> {
        match frame {
            Frame::NONE => None,
            _ if frame.symbol_elsewhere().is_some() => None,
            Frame(name) if name & NAMED != 0 => self.frame_named(name & NUMBER),
            frame => Some(frame),
        }
    }

    /// The number of the segment that a frame is, or of the group, once every name is defined.
    pub(crate) fn of_frame(&self, frame: Frame) -> Option<Result<u32, u32>> {
        match self.known(frame)? {
            Frame(group) if group & GROUP != 0 => Some(Err(group & NUMBER)),
            Frame(segment) => Some(Ok(segment)),
        }
    }

    /// The frame from which the offsets of a segment count.
    pub(crate) fn frame_of(&self, segment: u32) -> Frame {
        match self.segments.get(segment as usize) {
            Some(SegmentData { group, .. }) if *group != NONE => Frame::of_group(*group),
            _ => Frame::of_segment(segment),
        }
    }

    /// The linear address of a frame, or an estimate of it.
    pub(crate) fn start_of(&self, frame: Frame) -> u32 {
        match self.known(frame) {
            None => 0,
            Some(Frame(group)) if group & GROUP != 0 => self
                .groups
                .get((group & NUMBER) as usize)
                .map_or(0, |group| group.start),
            Some(Frame(segment)) => self
                .segments
                .get(segment as usize)
                .map_or(0, |segment| (segment.frame + segment.base) & !15),
        }
    }

    /// Whether offsets from this frame reach a segment.
    fn covers(&self, frame: Frame, segment: u32) -> bool {
        match self.known(frame) {
            None => false,
            Some(Frame(group)) if group & GROUP != 0 => {
                let data = self.segments.get(segment as usize);
                data.is_some_and(|data| data.group == group & NUMBER)
            }
            Some(frame) => frame == Frame::of_segment(segment),
        }
    }

    /// An offset in `segment`, counted from the frame.
    pub(crate) fn seen_from(&self, frame: Frame, segment: u32, offset: i64) -> i64 {
        let own = self.segments.get(segment as usize).map_or(0, |segment| segment.frame);
        offset + i64::from(own) - i64::from(self.start_of(frame))
    }

    /// The way from code in the segment `code` to `offset` in the segment `data`: through the register that is `named`,
    /// the one that the address has `by_default`, or any other. `None` if no register is assumed to hold a suitable
    /// frame.
    pub(crate) fn reach(
        &self,
        code: u32,
        assumed: u32,
        (data, offset): (u32, i64),
        (named, by_default): (Register, Register),
    ) -> Option<Reach> {
        let assumed = self.assumed.get(assumed as usize)?;
        let frame = |register: Register| match register {
            // The frame of code is the frame of its segment.
            Register::CS => self.frame_of(code),
            register => assumed.get(segment_number(register)).copied().unwrap_or(Frame::NONE),
        };
        let of_library = self.segments.get(data as usize).map(|data| data.placing) == Some(Placing::Library);
        let covers = |register: Register| match of_library {
            true => register == Register::CS,
            false => self.covers(frame(register), data),
        };
        let through = |segment: Register, register: Register| Reach {
            segment,
            offset: self.seen_from(frame(register), data, offset),
            frame: frame(register),
        };
        if named != Register::None {
            return Some(match covers(named) {
                true => through(named, named),
                false => Reach {
                    segment: named,
                    offset,
                    frame: Frame::NONE,
                },
            });
        }
        if covers(by_default) {
            return Some(through(Register::None, by_default));
        }
        let others = [
            Register::DS,
            Register::ES,
            Register::CS,
            Register::SS,
            Register::FS,
            Register::GS,
        ];
        let other = others.into_iter().find(|&register| covers(register))?;
        Some(through(other, other))
    }

    /// The number of the group called `name`, which is created if it is new.
    pub(crate) fn group(&mut self, name: NameId) -> u32 {
        if let Some(Frame(group)) = self.frame_named(name)
            && group & GROUP != 0
        {
            return group & NUMBER;
        }
        let group = self.groups.len() as u32;
        self.groups.push(Group { name, start: 0 });
        self.frames.insert(name, Frame::of_group(group));
        group
    }

    /// Puts the segment called `name`, which may not exist yet, into a group; returns whether it was in none.
    pub(crate) fn add_to_group(&mut self, group: u32, name: NameId) -> bool {
        let was = self.members.insert(name, group);
        if let Some(Frame(segment)) = self.frame_named(name)
            && let Some(segment) = self.segments.get_mut(segment as usize)
        {
            segment.group = group;
        }
        was.is_none()
    }

    /// Records a segment's name and puts the segment into its group.
    pub(crate) fn name_segment(&mut self, name: NameId, segment: u32) {
        self.frames.entry(name).or_insert(Frame::of_segment(segment));
        if let Some(&group) = self.members.get(&name)
            && let Some(segment) = self.segments.get_mut(segment as usize)
        {
            segment.group = group;
        }
    }

    pub(crate) fn assume(&mut self, change: impl FnOnce(&mut Assumed)) {
        let mut assumed = self
            .assumed
            .get(self.assumes as usize)
            .copied()
            .unwrap_or([Frame::NONE; 6]);
        change(&mut assumed);
        self.assumes = match self.assumed.iter().rposition(|known| *known == assumed) {
            Some(known) => known as u32,
            None => {
                self.assumed.push(assumed);
                self.assumed.len() as u32 - 1
            }
        };
    }

    /// Whether the program is loaded as a COM file: in one segment after the prefix.
    pub(crate) fn is_com(&self) -> bool {
        self.com && !self.segments.iter().any(|segment| segment.placing == Placing::Stack)
    }

    /// Lays out the segments of a program in real mode with the current lengths.
    pub(super) fn place_segmented(&mut self) {
        let order = self.loading_order();
        let mut at = if self.is_com() { PREFIX } else { PREFIX + PREFIX_SIZE };
        for group in &mut self.groups {
            group.start = u32::MAX;
        }
        let mut starts = vec![at; self.segments.len()];
        for index in order {
            let segment = &mut self.segments[index];
            let length = segment.lay_out();
            let start = match segment.placing {
                Placing::At(paragraph) => {
                    starts[index] = u32::from(paragraph) << 4;
                    continue;
                }
                Placing::Library => at.next_multiple_of(LINE),
                Placing::InOrder | Placing::Stack => at.next_multiple_of(segment.alignment.min(PREFIX)),
            };
            starts[index] = start;
            if length > 0 {
                at = start.saturating_add(length).min(u32::MAX / 2);
                at = match segment.placing {
                    Placing::Library => at.next_multiple_of(LINE),
                    Placing::Stack => at + BEHIND_STACK,
                    Placing::InOrder | Placing::At(_) => at,
                };
                if let Some(group) = self.groups.get_mut(segment.group as usize) {
                    group.start = group.start.min(start & !15);
                }
            }
        }
        // A group without bytes lies after everything else.
        for group in self.groups.iter_mut().filter(|group| group.start == u32::MAX) {
            group.start = at & !15;
        }
        for (segment, start) in self.segments.iter_mut().zip(starts) {
            let group = self.groups.get(segment.group as usize).map(|group| group.start);
            segment.frame = group.filter(|&group| group <= start).unwrap_or(start & !15);
            segment.base = start - segment.frame;
        }
        let code = self.segments.get(self.entered as usize).map_or(0, |code| code.frame);
        let of_library = |segment: &&mut SegmentData| segment.placing == Placing::Library;
        for segment in self.segments.iter_mut().filter(of_library) {
            let start = segment.frame + segment.base;
            segment.frame = code.min(start);
            segment.base = start - segment.frame;
        }
        self.loaded_end = at;
    }

    /// The segments in the order of their addresses, which is that of linkers: each class where its first segment
    /// stands in the source; with the library's data after all code, because code reaches it through CS. A memory
    /// model puts code first and uninitialized data last.
    fn loading_order(&self) -> Vec<usize> {
        let mut classes: Vec<&str> = Vec::new();
        let of_class: Vec<usize> = self
            .segments
            .iter()
            .map(|segment| {
                // Segments that a memory model would use are there unasked.
                if segment.fragments.is_empty() && segment.class.is_none() && segment.combine.is_none() {
                    return usize::MAX;
                }
                let class = segment.class_and_rank().0;
                let known = classes.iter().position(|one| one.eq_ignore_ascii_case(class));
                known.unwrap_or_else(|| {
                    classes.push(class);
                    classes.len() - 1
                })
            })
            .collect();
        let key = |(index, segment): (usize, &SegmentData)| {
            let rank = if self.ordered { segment.class_and_rank().1 } else { 0 };
            (rank, of_class[index], index)
        };
        let code = self.segments.iter().enumerate();
        let last = code
            .filter(|(_, segment)| segment.kind == SegmentKind::Code)
            .map(key)
            .max();
        let mut order: Vec<_> = self
            .segments
            .iter()
            .enumerate()
            .map(|(index, segment)| match segment.placing {
                Placing::Library => ((last.unwrap_or_default(), 1), index),
                _ => ((key((index, segment)), 0), index),
            })
            .collect();
        order.sort_unstable();
        order.into_iter().map(|(_, index)| index).collect()
    }
}

/// The number of a segment register in [`Assumed`].
pub(crate) fn segment_number(register: Register) -> usize {
    (register as usize).wrapping_sub(Register::ES as usize)
}
