//! The audit of regions: the clocks by cause at their edges and at readings of the time stamp counter.

use super::{Edge, Regions, State};
use p5_image::RegionKind;
use p5_results::{AUDITED, AUDITED_IN_ALL, AuditedPass, CauseStack, Pass};

/// An upper bound on the library's passes through the empty region. A program that returns to them makes more.
const DRY_RUNS: usize = 64;

pub(crate) struct Audit {
    /// The passes of each region, in image order.
    pub(crate) results: Vec<Vec<AuditedPass>>,
    /// The number of passes of each region without a result, kept or not.
    pub(crate) unfinished: Vec<u64>,
    // The most kept passes of a region.
    share: usize,
    /// Whether the measuring macros expand to nothing, so that a region may be entered by a jump.
    pub(super) plain: bool,
    open: Vec<Open>,
    // The number of passes of each region in this run.
    numbers: Vec<u64>,
    last: Option<Reading>,
    // The passes through an empty region before the program, each between two readings.
    calibration: Vec<CauseStack>,
    entered: bool,
}

/// A reading of the time stamp counter.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    pub(super) address: u32,
    /// Whether that instruction belongs to the library.
    pub(super) library: bool,
    /// The clocks by cause up to its issue.
    pub(super) causes: CauseStack,
}

/// A pass that has not ended. Clocks are counted since the machine was created.
#[derive(Clone, Copy, Default)]
struct Open {
    started: Option<CauseStack>,
    first: Option<CauseStack>,
    after: Option<CauseStack>,
    ended: Option<CauseStack>,
    counted_before: Option<[i64; 2]>,
}

impl Audit {
    pub(crate) fn new(regions: usize, plain: bool) -> Audit {
        Audit {
            results: vec![Vec::new(); regions],
            unfinished: vec![0; regions],
            share: (AUDITED_IN_ALL / regions.max(1)).max(2),
            plain,
            open: vec![Open::default(); regions],
            numbers: vec![0; regions],
            last: None,
            calibration: Vec::new(),
            entered: false,
        }
    }

    pub(super) fn begin_run(&mut self) {
        self.open.fill(Open::default());
        self.numbers.fill(0);
        self.last = None;
        self.calibration.clear();
        self.entered = false;
    }

    /// Records a reading of the time stamp counter.
    pub(super) fn read(&mut self, reading: Reading) {
        // An empty region has its start before its end; a rehearsal is read in the other order.
        let start = self
            .last
            .filter(|last| last.library && reading.library && last.address < reading.address);
        if let Some(start) = start.filter(|_| !self.entered && self.calibration.len() < DRY_RUNS) {
            self.calibration.push(reading.causes - start.causes);
        }
        self.last = Some(reading);
    }

    /// Records that the first instruction of region `index` is reached.
    pub(super) fn entering(&mut self, index: usize) {
        self.entered = true;
        self.open[index] = Open {
            started: self.last.map(|last| last.causes),
            ..Open::default()
        };
    }

    /// Records the issue of the first instruction of region `index`.
    pub(super) fn first(&mut self, index: usize, causes: CauseStack, counted_before: Option<[i64; 2]>) {
        let open = &mut self.open[index];
        (open.first, open.counted_before) = (Some(causes), counted_before);
    }

    /// Records the issue of the first instruction after region `index`.
    pub(super) fn after(&mut self, index: usize, causes: CauseStack) {
        self.open[index].after = Some(causes);
    }

    /// Records that the end macro of the region has read the time stamp counter.
    pub(super) fn ended(&mut self, index: usize, causes: CauseStack) {
        self.open[index].ended.get_or_insert(causes);
    }

    /// Keeps a pass that has ended.
    pub(super) fn keep(&mut self, index: usize, pass: &Pass) {
        let number = self.numbers[index];
        self.numbers[index] += 1;
        self.unfinished[index] += u64::from(pass.measured.is_none());
        let Open {
            started,
            first: Some(first),
            after: Some(after),
            ended,
            counted_before,
        } = std::mem::take(&mut self.open[index])
        else {
            return;
        };
        // The first pass through the empty region is not counted.
        let overhead = pass.overhead.map(|[overhead, _]| overhead);
        let empty = self.calibration.iter().skip(1);
        let calibrated = empty.copied().find(|pass| Some(pass.total()) == overhead);
        let kept = &mut self.results[index];
        // After the first passes of a run only its last one is kept, which has the warmest caches.
        let before = kept.last();
        if kept.len() == self.share || before.is_some_and(|last| last.pass.run == pass.run && last.number >= AUDITED) {
            kept.pop();
        }
        kept.push(AuditedPass {
            number,
            pass: *pass,
            before: started.map(|started| first - started),
            inside: after - first,
            behind: ended.map(|ended| ended - after),
            calibrated,
            counted_before,
        });
    }
}

impl Regions {
    /// Records the values of the two counters when an edge of region `index` is crossed.
    pub(super) fn look(&mut self, index: usize, edge: Edge, counts: [u64; 2], causes: CauseStack) {
        let Some(audit) = &mut self.audit else { return };
        match (edge, &self.results[index].state) {
            (Edge::First, State::Entering(readings)) => {
                let since = |counter: usize| Some(counts[counter].wrapping_sub(readings.0[counter]?) as i64);
                let counted = (self.marks[index].kind == RegionKind::Profile).then(|| Some([since(0)?, since(1)?]));
                audit.first(index, causes, counted.flatten());
            }
            (Edge::After, State::Inside(_)) => audit.after(index, causes),
            _ => {}
        }
    }

    /// Records a reading of the time stamp counter by the instruction at `address`.
    pub(crate) fn reading(&mut self, address: u32, library: bool, causes: CauseStack) {
        let Some(audit) = &mut self.audit else { return };
        for &index in &self.ending {
            if self.marks[index].kind == RegionKind::Tsc && matches!(self.results[index].state, State::Ending(..)) {
                audit.ended(index, causes);
            }
        }
        audit.read(Reading {
            address,
            library,
            causes,
        });
    }
}
