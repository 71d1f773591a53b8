//! The fetches that an observer records.
//!
//! Modelled: the beginning and end of each fetch, its lookups, and the fate of lines that are requested ahead.
//! Not modelled: fetches on a path that is not taken.

use crate::pipeline::core::Core;
use crate::pipeline::noted::records::begun;
use p5_results::records::{DataSource, FetchReason, FetchRecord};

impl Core {
    /// The fetch enters the `line` of `wanted` at clock `now`; `redirected` says whether a branch has led there. A read
    /// ahead of the line may count as this fetch.
    pub(in crate::pipeline) fn observe_entry(&mut self, line: u32, wanted: u32, now: u64, redirected: bool) {
        let stays = self.was_read_ahead(line);
        let large_page = self.pages.kind(line).large;
        let records = &mut self.records;
        records.leave(line, now);
        records.fetch = match records.ahead.take() {
            Some(ahead) if stays => Some(FetchRecord {
                completed: true,
                address: wanted,
                ..ahead
            }),
            other => {
                records.fetches.extend(other);
                let reason = if redirected {
                    FetchReason::Redirect
                } else {
                    FetchReason::Line
                };
                Some(FetchRecord {
                    completed: true,
                    large_page,
                    ..begun(reason, wanted, now)
                })
            }
        };
    }

    /// Records that the fetch has walked the page tables.
    #[cold]
    pub(in crate::pipeline) fn observe_code_walk(&mut self, clocks: u32) {
        if let Some(fetch) = &mut self.records.fetch {
            (fetch.walks, fetch.walked) = (true, clocks);
        }
    }

    /// Records that the fetch has missed the code cache.
    #[cold]
    pub(in crate::pipeline) fn observe_code_miss(&mut self) {
        let source = self.fill_source();
        if let Some(fetch) = &mut self.records.fetch {
            (fetch.missed, fetch.source) = (true, source);
        }
    }

    /// Ends the record of the fetch. The next line is requested ahead at clock `now` if `ahead` is set.
    pub(in crate::pipeline) fn observe_fetched(&mut self, now: u64, ahead: Option<u32>) {
        let fill = self.front.fill;
        let line = self.front.line;
        let records = &mut self.records;
        records.requested = ahead.map(|line| (line, now));
        if let Some(mut fetch) = records.fetch.take() {
            let arrival = if fill.is_of(line) {
                fill.arrival(fetch.address)
            } else {
                0
            };
            fetch.ended = if fetch.reason == FetchReason::Ahead {
                arrival.max(fetch.began)
            } else {
                arrival.max(now)
            };
            records.fetches.push(fetch);
        }
    }

    /// Records that the line requested ahead is being read.
    #[cold]
    pub(in crate::pipeline) fn observe_ahead(&mut self, line: u32) {
        let source = if self.units.bus.ahead_is_of_memory() {
            DataSource::Memory
        } else {
            DataSource::SecondLevel
        };
        let large_page = self.pages.kind(line).large;
        let records = &mut self.records;
        let since = records.requested.take().map_or(0, |(_, since)| since);
        records.fetches.extend(records.ahead.take());
        records.ahead = Some(FetchRecord {
            missed: true,
            source,
            large_page,
            ..begun(FetchReason::Ahead, line, since)
        });
    }

    /// Records that the fetch goes elsewhere.
    pub(in crate::pipeline) fn observe_leaving(&mut self) {
        let now = self.end();
        self.records.depart(now);
    }
}
