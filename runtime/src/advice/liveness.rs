//! Which flags and registers nothing reads any more: all ways from an address are followed until each has overwritten
//! them. Where a way cannot be followed, everything is read.

use super::effects::{Effects, FLAGS};
use super::{Places, instruction_at, target};
use crate::image::Image;
use iced_x86::{FlowControl, InstructionInfoFactory, Mnemonic};
use std::collections::HashMap;

/// The most instructions that are looked at.
const MOST_STEPS: usize = 4_096;
/// The most calls inside of each other that are followed.
const MOST_CALLS: usize = 8;

/// Parts of registers, and flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// The parts of registers.
    pub places: Places,
    /// The flags, as the decoder numbers them.
    pub flags: u32,
}

impl Live {
    /// All general and MMX registers, and all flags.
    pub const ALL: Live = Live {
        places: Places((1 << 40) - 1),
        flags: FLAGS,
    };

    /// Whether there is nothing.
    pub fn is_empty(self) -> bool {
        self.places.0 == 0 && self.flags == 0
    }

    fn meet(self, other: Live) -> Live {
        Live {
            places: Places(self.places.0 & other.places.0),
            flags: self.flags & other.flags,
        }
    }

    fn join(self, other: Live) -> Live {
        Live {
            places: Places(self.places.0 | other.places.0),
            flags: self.flags | other.flags,
        }
    }

    fn without(self, other: Live) -> Live {
        Live {
            places: Places(self.places.0 & !other.places.0),
            flags: self.flags & !other.flags,
        }
    }
}

/// A way that is being followed: where it is, who called, and what it has not overwritten.
struct Way {
    address: u32,
    callers: Vec<u32>,
    open: Live,
}

/// What of `wanted` is dead at `address`: overwritten before it is read, whatever way execution takes. `after_library`
/// gives for an address in the bundled library, whose macros change nothing, where the user's code goes on.
pub fn dead_after(image: &Image, address: u32, wanted: Live, after_library: &dyn Fn(u32) -> Option<u32>) -> Live {
    let mut factory = InstructionInfoFactory::new();
    let mut seen: HashMap<(u32, Vec<u32>), Live> = HashMap::new();
    let mut ways = vec![Way {
        address,
        callers: Vec::new(),
        open: wanted,
    }];
    let mut live = Live::default();
    let mut steps = 0;
    while let Some(mut way) = ways.pop() {
        loop {
            way.open = way.open.without(live);
            let known = seen.entry((way.address, way.callers.clone())).or_default();
            if way.open.without(*known).is_empty() {
                break;
            }
            *known = known.join(way.open);
            steps += 1;
            if steps > MOST_STEPS {
                return Live::default();
            }
            if let Some(next) = after_library(way.address) {
                way.address = next;
                continue;
            }
            let found = (image.end != Some(way.address)).then(|| instruction_at(image, way.address));
            let Some(instruction) = found.flatten() else {
                live = live.join(way.open);
                break;
            };
            let effects = Effects::of(&instruction, &mut factory);
            let read = Live {
                places: effects.reads,
                flags: effects.flags_read,
            };
            live = live.join(way.open.meet(read));
            way.open = way.open.without(Live {
                places: effects.overwrites,
                flags: effects.flags_overwritten,
            });
            let next = way.address.wrapping_add(instruction.len() as u32);
            let target = target(&instruction).unwrap_or_default();
            match instruction.flow_control() {
                FlowControl::Next => way.address = next,
                FlowControl::UnconditionalBranch => way.address = target,
                FlowControl::ConditionalBranch => {
                    ways.push(Way {
                        address: target,
                        callers: way.callers.clone(),
                        open: way.open,
                    });
                    way.address = next;
                }
                FlowControl::Call if instruction.is_call_near() && way.callers.len() < MOST_CALLS => {
                    way.callers.push(next);
                    way.address = target;
                }
                FlowControl::Return if instruction.mnemonic() == Mnemonic::Ret && !way.callers.is_empty() => {
                    way.address = way.callers.pop().unwrap_or_default();
                }
                // Where execution goes on is not known, or what an exception handler reads.
                _ => {
                    live = live.join(way.open);
                    break;
                }
            }
        }
    }
    wanted.without(live)
}
