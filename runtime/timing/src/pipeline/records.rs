//! Records: one for each op that has retired and each fetch that has ended.
//!
//! Modelled: those that nobody has taken yet, and what is known so far of the current group and of the fetches under
//! way. Not modelled: what the records say, which is in `observer`.

use super::group::NONE;
use p5_results::records::{AccessRecord, DataSource, FetchReason, FetchRecord, OpRecord};

/// What is recorded, and what is being recorded.
#[derive(Debug, Default)]
pub(super) struct Records {
    /// The ops and fetches that have not been taken.
    pub(super) ops: Vec<OpRecord>,
    pub(super) fetches: Vec<FetchRecord>,
    /// The accesses of the current group, with the pipe of each.
    pub(super) accesses: Vec<(usize, AccessRecord)>,
    /// What is known of the current access.
    pub(super) filled: u32,
    pub(super) source: DataSource,
    pub(super) walked: u32,
    pub(super) buffered: u32,
    /// Flushes before the current group.
    pub(super) flushes: u64,
    /// The line requested ahead, and since when.
    pub(super) requested: Option<(u32, u64)>,
    /// The line that is read ahead.
    pub(super) ahead: Option<FetchRecord>,
    /// The fetch that is made.
    pub(super) fetch: Option<FetchRecord>,
}

impl Records {
    /// Forgets what has been recorded and what is being recorded; of fetches not what is under way if that is
    /// `followed`.
    pub(super) fn forget(&mut self, followed: bool) {
        self.ops.clear();
        self.fetches.clear();
        self.accesses.clear();
        if !followed {
            (self.requested, self.ahead, self.fetch) = (None, None, None);
        }
    }

    /// Forgets the fetches that have ended. Returns how many were completed.
    pub(super) fn forget_fetches(&mut self) -> u64 {
        let completed = self.fetches.iter().filter(|fetch| fetch.completed).count() as u64;
        self.fetches.clear();
        completed
    }

    /// Nothing is fetched any more: a read ahead that has begun was one, although nothing has entered its line.
    pub(super) fn end(&mut self) {
        self.fetches.extend(self.ahead.take());
    }

    /// The fetch goes elsewhere at clock `now`.
    pub(super) fn depart(&mut self, now: u64) {
        self.leave(NONE, now);
        self.end();
    }

    /// The fetch goes to `line` at clock `now`: a request of another line is given up, and a read ahead of one ends.
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

/// A fetch that begins at clock `began` for the byte at `address`; nothing has become of it yet.
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
