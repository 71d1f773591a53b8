//! The audit of regions: the clocks by cause at their edges and at the readings of the time stamp counter.

use super::{Edge, Regions, State};
use p5_image::RegionKind;
use p5_results::{AUDITED, AUDITED_IN_ALL, AuditedPass, CauseStack, Pass};

/// More passes through the empty region than the library makes; a program that goes back to them makes more.
const DRY_RUNS: usize = 64;

/// The audit of a machine's regions.
pub(crate) struct Audit {
    /// The passes of each region, in image order.
    pub(crate) results: Vec<Vec<AuditedPass>>,
    /// How many passes of each region have no result, kept or not.
    pub(crate) unfinished: Vec<u64>,
    // The most passes of a region.
    share: usize,
    /// Whether the measuring macros expand to nothing, so that a region may be entered by a jump.
    pub(super) plain: bool,
    open: Vec<Open>,
    // The passes of this run so far.
    numbers: Vec<u64>,
    last: Option<Reading>,
    // The passes through an empty region, in front of the program, each between two readings.
    calibration: Vec<CauseStack>,
    entered: bool,
}

/// A reading of the time stamp counter.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    /// The address of its instruction.
    pub(super) address: u32,
    /// Whether that is the library's.
    pub(super) library: bool,
    /// All clocks by cause when it issued.
    pub(super) causes: CauseStack,
}

/// A pass that is not over. Clocks are those since the machine was made.
#[derive(Clone, Copy, Default)]
struct Open {
    started: Option<CauseStack>,
    first: Option<CauseStack>,
    after: Option<CauseStack>,
    ended: Option<CauseStack>,
    counted_before: Option<[i64; 2]>,
}

impl Audit {
    /// The audit of `regions` regions.
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

    /// The time stamp counter is read.
    pub(super) fn read(&mut self, reading: Reading) {
        // An empty region has its start in front of its end; a rehearsal is read the other way round.
        let start = self
            .last
            .filter(|last| last.library && reading.library && last.address < reading.address);
        if let Some(start) = start.filter(|_| !self.entered && self.calibration.len() < DRY_RUNS) {
            self.calibration.push(reading.causes - start.causes);
        }
        self.last = Some(reading);
    }

    /// The first instruction of region `index` is reached.
    pub(super) fn entering(&mut self, index: usize) {
        self.entered = true;
        self.open[index] = Open {
            started: self.last.map(|last| last.causes),
            ..Open::default()
        };
    }

    /// It has issued.
    pub(super) fn first(&mut self, index: usize, causes: CauseStack, counted_before: Option<[i64; 2]>) {
        let open = &mut self.open[index];
        (open.first, open.counted_before) = (Some(causes), counted_before);
    }

    /// The first instruction after the region has issued.
    pub(super) fn after(&mut self, index: usize, causes: CauseStack) {
        self.open[index].after = Some(causes);
    }

    /// The end macro of the region has read the time stamp counter.
    pub(super) fn ended(&mut self, index: usize, causes: CauseStack) {
        self.open[index].ended.get_or_insert(causes);
    }

    /// A pass is over.
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
        // After the first ones of a run only its last one is kept, which has the warmest caches.
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
    /// An edge of region `index` is crossed with these counts of the two counters.
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

    /// The time stamp counter has been read by the instruction at `address`.
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
