//! Records: one for each op that has retired and each fetch that has ended.
//!
//! Modelled: the records that have not been taken yet, and the data known so far of the current group and the current
//! fetches. Not modelled: the contents of records, which are in `observer`.

use crate::pipeline::group::NONE;
use p5_results::records::{AccessRecord, DataSource, FetchReason, FetchRecord, OpRecord};

/// The finished records, and the records under construction.
#[derive(Debug, Default)]
pub(in crate::pipeline) struct Records {
    pub(in crate::pipeline) ops: Vec<OpRecord>,
    pub(in crate::pipeline) fetches: Vec<FetchRecord>,
    /// The accesses of the current group, with the pipe of each.
    pub(in crate::pipeline) accesses: Vec<(usize, AccessRecord)>,
    /// The waits of the current access by reason, and the source of its data.
    pub(in crate::pipeline) filled: u32,
    pub(in crate::pipeline) source: DataSource,
    pub(in crate::pipeline) walked: u32,
    pub(in crate::pipeline) buffered: u32,
    /// The flushes before the current group.
    pub(in crate::pipeline) flushes: u64,
    /// The line requested ahead, and the clock of the request.
    pub(in crate::pipeline) requested: Option<(u32, u64)>,
    pub(in crate::pipeline) ahead: Option<FetchRecord>,
    pub(in crate::pipeline) fetch: Option<FetchRecord>,
}

impl Records {
    /// Discards all records, finished or not. If fetches are `followed`, keeps those under way.
    pub(in crate::pipeline) fn forget(&mut self, followed: bool) {
        self.ops.clear();
        self.fetches.clear();
        self.accesses.clear();
        if !followed {
            (self.requested, self.ahead, self.fetch) = (None, None, None);
        }
    }

    /// Discards the finished fetches. Returns how many were completed.
    pub(in crate::pipeline) fn forget_fetches(&mut self) -> u64 {
        let completed = self.fetches.iter().filter(|fetch| fetch.completed).count() as u64;
        self.fetches.clear();
        completed
    }

    /// Ends all fetches. A read ahead that has begun counts as a fetch, although nothing has entered its line.
    pub(in crate::pipeline) fn end(&mut self) {
        self.fetches.extend(self.ahead.take());
    }

    /// Ends the current fetch at clock `now` because the fetch goes elsewhere.
    pub(in crate::pipeline) fn depart(&mut self, now: u64) {
        self.leave(NONE, now);
        self.end();
    }

    /// Moves the fetch to `line` at clock `now`. A request of another line is given up, and a read ahead of one ends.
    pub(in crate::pipeline) fn leave(&mut self, line: u32, now: u64) {
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
pub(in crate::pipeline) fn begun(reason: FetchReason, address: u32, began: u64) -> FetchRecord {
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
