//! The fill of a line: when each of its transfers arrives.
//!
//! Modelled: the burst order, which begins with the requested transfer. Not modelled: the clocks of a transfer, which
//! the bus knows.

use super::{NO_LINE, TRANSFERS};

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fill {
    pub(crate) line: u32,
    // The base-2 logarithm of the bytes of a transfer.
    pub(super) width: u32,
    // The clocks from the arrival of each quadword to the end, 16 bits each. A fill is small, because it is copied.
    pub(crate) before_end: u64,
    /// The clock at which the last quadword arrives.
    pub(crate) end: u64,
}

impl Fill {
    /// The fill of `line` in `count` transfers of `1 << width` bytes, `next` clocks one after the other until `end`.
    /// The one with `address` comes first.
    #[inline(always)]
    pub(super) fn new(address: u32, line: u32, width: u32, count: u32, next: u32, end: u64) -> Fill {
        let wanted = (address - line) >> width;
        let transfers = match count as usize {
            TRANSFERS => OF_LONGEST[wanted as usize % TRANSFERS],
            _ => transfers_before_end(count, wanted),
        };
        Fill {
            line,
            width,
            before_end: u64::from(next) * transfers,
            end,
        }
    }

    pub(crate) const NONE: Fill = Fill {
        line: NO_LINE,
        width: 3,
        before_end: 0,
        end: 0,
    };

    #[inline(always)]
    pub(crate) fn is_of(&self, line: u32) -> bool {
        self.line == line
    }

    /// The clocks from the arrival of each quadword to the end, as one number.
    #[inline(always)]
    pub(crate) fn order(&self) -> u64 {
        self.before_end
    }

    /// The clock at which the quadword at `address`, which is in the line, arrives.
    #[inline(always)]
    pub(crate) fn arrival(&self, address: u32) -> u64 {
        let transfer = address.wrapping_sub(self.line) >> self.width;
        self.end - (self.before_end >> (16 * (transfer % TRANSFERS as u32)) & 0xFFFF)
    }
}

/// The transfers from that of each quadword to the last one, 16 bits each, for a line of the most transfers, by the
/// quadword that comes first.
pub(super) const OF_LONGEST: [u64; TRANSFERS] = {
    let mut all = [0; TRANSFERS];
    let mut wanted = 0;
    while wanted < TRANSFERS {
        all[wanted] = transfers_before_end(TRANSFERS as u32, wanted as u32);
        wanted += 1;
    }
    all
};

/// The same for a line of `count` transfers, of which number `wanted` comes first. The burst order is its index,
/// exclusive or the step: 2, 3, 0, 1 for quadword 2.
const fn transfers_before_end(count: u32, wanted: u32) -> u64 {
    let (mut all, mut step) = (0, 0);
    while step < count {
        all |= ((count - 1 - step) as u64) << (16 * ((wanted ^ step) % TRANSFERS as u32));
        step += 1;
    }
    all
}
