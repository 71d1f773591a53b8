//! The fetches that an observer records.
//!
//! Modelled: when each begins and ends, what it looked up, and what becomes of lines that are requested ahead.
//! Not modelled: fetches on a path that is not taken.

use super::super::core::Core;
use super::super::group::NONE;
use super::Observer;
use p5_results::records::{DataSource, FetchReason, FetchRecord};

impl Core {
    /// The fetch enters the line of `wanted` at clock `now`. `stays` is whether it is at hand by a read ahead that
    /// counts as this one.
    pub(in crate::pipeline) fn observe_entry(&mut self, line: u32, wanted: u32, now: u64, redirected: bool) {
        let stays = self.was_read_ahead(line);
        let large_page = self.pages.kind(line).large;
        let Some(observer) = self.fetch_observer() else { return };
        observer.leave(line, now);
        observer.fetch = match observer.ahead.take() {
            Some(ahead) if stays => Some(FetchRecord {
                completed: true,
                address: wanted,
                ..ahead
            }),
            other => {
                observer.fetches.extend(other);
                Some(FetchRecord {
                    reason: if redirected {
                        FetchReason::Redirect
                    } else {
                        FetchReason::Line
                    },
                    address: wanted,
                    began: now,
                    ended: now,
                    completed: true,
                    killed: false,
                    missed: false,
                    source: DataSource::None,
                    walks: false,
                    walked: 0,
                    large_page,
                })
            }
        };
    }

    /// The fetch has walked the page tables.
    #[cold]
    pub(in crate::pipeline) fn observe_code_walk(&mut self, clocks: u32) {
        if let Some(fetch) = self.fetch_observer().and_then(|observer| observer.fetch.as_mut()) {
            (fetch.walks, fetch.walked) = (true, clocks);
        }
    }

    /// The fetch has missed the code cache.
    #[cold]
    pub(in crate::pipeline) fn observe_code_miss(&mut self) {
        let source = self.fill_source();
        if let Some(fetch) = self.fetch_observer().and_then(|observer| observer.fetch.as_mut()) {
            (fetch.missed, fetch.source) = (true, source);
        }
    }

    /// The fetch has been made; the next line is requested ahead at clock `now` if it is `ahead`.
    pub(in crate::pipeline) fn observe_fetched(&mut self, now: u64, ahead: Option<u32>) {
        let fill = self.front.fill;
        let line = self.front.line;
        let Some(observer) = self.fetch_observer() else { return };
        observer.requested = ahead.map(|line| (line, now));
        if let Some(mut fetch) = observer.fetch.take() {
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
            observer.fetches.push(fetch);
        }
    }

    /// The line that was requested ahead is being read.
    #[cold]
    pub(in crate::pipeline) fn observe_ahead(&mut self, line: u32) {
        let source = if self.units.bus.ahead_is_of_memory() {
            DataSource::Memory
        } else {
            DataSource::SecondLevel
        };
        let large_page = self.pages.kind(line).large;
        let Some(observer) = self.fetch_observer() else { return };
        let since = observer.requested.take().map_or(0, |(_, since)| since);
        observer.fetches.extend(observer.ahead.take());
        observer.ahead = Some(FetchRecord {
            reason: FetchReason::Ahead,
            address: line,
            began: since,
            ended: since,
            completed: false,
            killed: false,
            missed: true,
            source,
            walks: false,
            walked: 0,
            large_page,
        });
    }

    /// The fetch goes elsewhere.
    pub(in crate::pipeline) fn observe_leaving(&mut self) {
        let now = self.end();
        if let Some(observer) = self.fetch_observer() {
            observer.leave(NONE, now);
            observer.fetches.extend(observer.ahead.take());
        }
    }
}

impl Observer {
    /// Nothing is fetched any more: a read ahead that has begun was one, although nothing has entered its line.
    pub(in crate::pipeline) fn end(&mut self) {
        self.fetches.extend(self.ahead.take());
    }

    /// The fetch goes to `line` at clock `now`: a request of another line is given up, and a read ahead of one ends.
    fn leave(&mut self, line: u32, now: u64) {
        if let Some(ahead) = &mut self.ahead {
            ahead.ended = now.max(ahead.began);
        }
        if let Some((requested, since)) = self.requested.take()
            && requested != line
        {
            self.fetches.push(FetchRecord {
                reason: FetchReason::Ahead,
                address: requested,
                began: since,
                ended: now.max(since),
                completed: false,
                killed: true,
                missed: false,
                source: DataSource::None,
                walks: false,
                walked: 0,
                large_page: false,
            });
        }
    }
}
