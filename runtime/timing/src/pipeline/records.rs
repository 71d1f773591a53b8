//! Records: one for each op that has retired and each fetch that has ended.
//!
//! Modelled: the records that have not been taken yet, and the data known so far of the current group and the current
//! fetches. Not modelled: the contents of records, which are in `observer`.

use super::group::NONE;
use p5_results::records::{AccessRecord, DataSource, FetchReason, FetchRecord, OpRecord};

/// The finished records, and the records under construction.
#[derive(Debug, Default)]
pub(super) struct Records {
    pub(super) ops: Vec<OpRecord>,
    pub(super) fetches: Vec<FetchRecord>,
    /// The accesses of the current group, with the pipe of each.
    pub(super) accesses: Vec<(usize, AccessRecord)>,
    /// The waits of the current access by reason, and the source of its data.
    pub(super) filled: u32,
    pub(super) source: DataSource,
    pub(super) walked: u32,
    pub(super) buffered: u32,
    /// The flushes before the current group.
    pub(super) flushes: u64,
    /// The line requested ahead, and the clock of the request.
    pub(super) requested: Option<(u32, u64)>,
    pub(super) ahead: Option<FetchRecord>,
    pub(super) fetch: Option<FetchRecord>,
}

impl Records {
    /// Discards all records, finished or not. If fetches are `followed`, keeps those under way.
    pub(super) fn forget(&mut self, followed: bool) {
        self.ops.clear();
        self.fetches.clear();
        self.accesses.clear();
        if !followed {
            (self.requested, self.ahead, self.fetch) = (None, None, None);
        }
    }

    /// Discards the finished fetches. Returns how many were completed.
    pub(super) fn forget_fetches(&mut self) -> u64 {
        let completed = self.fetches.iter().filter(|fetch| fetch.completed).count() as u64;
        self.fetches.clear();
        completed
    }

    /// Ends all fetches. A read ahead that has begun counts as a fetch, although nothing has entered its line.
    pub(super) fn end(&mut self) {
        self.fetches.extend(self.ahead.take());
    }

    /// Ends the current fetch at clock `now` because the fetch goes elsewhere.
    pub(super) fn depart(&mut self, now: u64) {
        self.leave(NONE, now);
        self.end();
    }

    /// Moves the fetch to `line` at clock `now`. A request of another line is given up, and a read ahead of one ends.
    pub(super) fn leave(&mut self, line: u32, now: u64) {
        if let Some(ahead) = &mut self.ahead {
            ahead.ended = now.max(ahead.began);
        }
        if let Some((requested, since)) = self.requested.take()
            && requested != line
        {
            self.fetches.push(FetchRecord {
                ended: now.max(since),
                killed: true,
                ..begun(FetchReason::Ahead, requested, since)
            });
        }
    }
}

/// A new fetch that begins at clock `began` for the byte at `address`.
pub(super) fn begun(reason: FetchReason, address: u32, began: u64) -> FetchRecord {
    FetchRecord {
        reason,
        address,
        began,
        ended: began,
        completed: false,
        killed: false,
        missed: false,
        source: DataSource::None,
        walks: false,
        walked: 0,
        large_page: false,
    }
}
