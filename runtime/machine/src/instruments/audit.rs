//! The audit of measured regions: the figures that the macros reported, the true ones, and the difference by cause.
//!
//! Modelled: the clocks by cause between the readings of a pass, those of the empty region that the macros subtract,
//! and those of the same pass without measuring macros, from which the difference is computed; a second calibration by
//! copies of the region's code. Not modelled: causes of events, whose difference is known by place only.

mod others;

use super::{Program, Subject};
use crate::{self as machine, Audited, Options, Progress};
use asm_macros::events::Event;
use others::Others;
use p5_image::{Image, RegionKind};
use p5_results::{AuditedPass, Cause, CauseStack, RegionResult, Stop, StopReason};
use std::time::Instant;

/// The least error, in percent of the region, that counts as large.
pub const LARGE: i64 = 10;

/// The audit of a program's regions.
#[derive(Clone, Debug)]
pub struct Audit {
    /// The program and its machine.
    pub subject: Subject,
    /// The clocks of its last run, with the measuring macros.
    pub clocks: u64,
    /// The audits of its regions, in source order.
    pub regions: Vec<RegionAudit>,
}

/// The audit of a region.
#[derive(Clone, Debug)]
pub struct RegionAudit {
    /// The name given to the start macro, or `line N`.
    pub name: String,
    /// Whether it measures clocks or events.
    pub kind: RegionKind,
    /// Index into the subject's files.
    pub file: u32,
    /// One-based line of the start macro's call.
    pub start_line: u32,
    /// One-based line of the end macro's call.
    pub end_line: u32,
    /// The selectors of a profile's two counters and the events that they choose, if known.
    pub events: Option<[(u8, Event); 2]>,
    /// The passes that were kept, as [`Audited`] says.
    pub passes: Vec<PassAudit>,
    /// The number of passes, kept or not.
    pub pass_count: u64,
    /// The number of them that the end macro did not finish, so that they have no result.
    pub unfinished: u64,
    /// The reason why there are no figures without measuring macros, if there are none.
    pub incomparable: Option<Incomparable>,
    /// The calibration by copies of the region's code.
    pub copies: Result<Copies, Uncopied>,
}

/// A pass of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassAudit {
    /// The number of its run, from 0.
    pub run: u32,
    /// Its number in its run, from 0.
    pub number: u64,
    /// The clocks, or the two counts, that the macros reported; none if the end macro did not finish.
    pub reported: Option<[i64; 2]>,
    /// The clocks or counts that they subtracted from their readings.
    pub subtracted: Option<[i64; 2]>,
    /// The true clocks or counts, from the issue of the first instruction to the issue of the first one after the
    /// region.
    pub truth: [i64; 2],
    /// Its true clocks, whether clocks or events are measured.
    pub clocks: i64,
    /// The clocks of the same pass without any measuring macros, or the reason why they are not known.
    pub without: Result<i64, Incomparable>,
    /// The clocks by which the macros change the region itself, if the clocks without macros are known.
    pub changed: Option<CauseStack>,
    /// The clocks around it that are part of the measurement; none if no time stamp was read.
    pub edges: Option<Edges>,
    /// The counts before the region, and after it; none if no counters were read.
    pub counted: Option<[[i64; 2]; 2]>,
}

/// The clocks before and after a pass that are part of its measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edges {
    /// The clocks from the last reading of the start macro to the first instruction.
    pub before: CauseStack,
    /// The clocks from the first instruction after the region to the first reading of the end macro.
    pub behind: CauseStack,
    /// The sum of both for an empty region, which the macros subtract; none if they have measured none.
    pub calibrated: Option<CauseStack>,
}

/// The method by which the program knows the clocks of the macros themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calibration {
    /// An empty region was measured.
    DryRun,
    /// The program subtracts this number of clocks without having measured an empty region.
    Constant(i64),
    /// Nothing is subtracted.
    Nothing,
}

/// The reason why a region or a pass cannot be compared with itself without measuring macros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incomparable {
    /// There is no source from which the macros could be left out.
    NoSource,
    /// Without them the source has no such region.
    NoSuchRegion,
    /// Without them the region has this other number of passes.
    Passes(u64),
    /// Without them no instruction is executed after the region, where it would end.
    Unended,
    /// Without the macros, the run was stopped after this different number of passes.
    Stopped(StopReason, u64),
    /// Without them the run has no pass with this number.
    NoSuchPass,
    /// It counts events, and without the macros nothing is counted.
    Events,
}

/// The clocks that the macros reported of copies of the region's code, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copies {
    /// The number of copies. The second figure is for twice as many.
    pub number: u32,
    /// The clocks reported of each in the last pass.
    pub reported: [i64; 2],
}

/// The results of a region and their errors, by two calibrations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibrations {
    /// The result and error with the clocks that the macros subtract.
    pub subtracted: (i64, i64),
    /// The result and error with copies of its code, if there are any.
    pub copies: Option<(f64, f64)>,
}

/// The reason why there is no calibration by copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Uncopied {
    /// There is no source to copy, or the region is not made of consecutive lines of the program's own file.
    NoSource,
    /// The region has no code.
    Empty,
    /// The calibration was not requested.
    NotWanted,
    /// The region counts events.
    Events,
    /// The copies do not assemble, for the reason in this message.
    NotAssembled(String),
    /// A run of this number of copies does not end by itself within its limit.
    NotEnded(u32),
    /// The program is stopped even without copies.
    NeverEnds,
    /// A run of this number of copies is stopped. The place is that of the copied line, in the program's own text.
    Stopped(u32, Box<Stop>),
    /// The region has no measured pass.
    Unmeasured,
    /// The time limit left no time for it.
    OutOfTime,
    /// Each region takes two assemblies and runs of its own, and this number of regions have had them.
    TooMany(usize),
}

/// A reason not to believe a measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Doubt {
    /// The end macro did not finish in this number of passes.
    Unfinished(u64),
    /// There was one pass, with cold caches.
    OnlyPass,
    /// The first pass reported this number of clocks more than the last one, or of events of this counter.
    First(i64, Option<usize>),
    /// No empty region was measured: the program subtracts this number.
    NotCalibrated(i64),
    /// The macros waited these clocks for data: their variables, results or stack have left the cache. The flag is
    /// whether they were calibrated without these waits.
    DataEvicted(i64, bool),
    /// The macros waited these clocks for their code, which has left the cache.
    CodeEvicted(i64),
    /// The macros change the clocks of the region itself: its clocks, and the difference.
    Changed(i64, CauseStack),
    /// The error is a large part of the region: the error and the true figure, in clocks or in events of this counter.
    Large(i64, i64, Option<usize>),
    /// The two calibrations differ: the results of the empty region and of the copies.
    Disagree(i64, f64),
}

impl Copies {
    /// The estimated clocks of one copy.
    pub fn estimate(&self) -> f64 {
        (self.reported[1] - self.reported[0]) as f64 / f64::from(self.number)
    }
}

impl Edges {
    /// The part of the error that lies around the region, by cause, without the constant that the program subtracts if
    /// no empty region was measured.
    pub fn error(&self) -> CauseStack {
        self.before + self.behind - self.calibrated.unwrap_or_default()
    }
}

impl PassAudit {
    fn of(pass: &AuditedPass, plain: Result<&AuditedPass, Incomparable>, kind: RegionKind) -> PassAudit {
        let AuditedPass {
            number,
            pass: measured,
            before,
            inside,
            behind,
            calibrated,
            counted_before,
        } = *pass;
        let raw = |at: usize| Some(measured.measured?[at] + measured.overhead?[at]);
        let edges = before.zip(behind).filter(|(before, behind)| {
            // A program that sets the time stamp counter has readings without relation to clocks.
            kind == RegionKind::Tsc && raw(0) == Some(before.total() + measured.truth[0] + behind.total())
        });
        let behind =
            |before: [i64; 2]| Some([0, 1].map(|at: usize| raw(at).map(|raw| raw - measured.truth[at] - before[at])));
        let counted = counted_before.and_then(|before| match behind(before)? {
            [Some(zero), Some(one)] => Some([before, [zero, one]]),
            _ => None,
        });
        PassAudit {
            run: measured.run,
            number,
            reported: measured.measured,
            subtracted: measured.overhead,
            truth: measured.truth,
            clocks: inside.total(),
            without: match kind {
                RegionKind::Tsc => plain.map(|plain| plain.inside.total()),
                RegionKind::Profile => Err(Incomparable::Events),
            },
            changed: plain.ok().map(|plain| inside - plain.inside),
            edges: edges.map(|(before, behind)| Edges {
                before,
                behind,
                calibrated,
            }),
            counted,
        }
    }

    /// The figures that the measurement should have reported: those without measuring macros if they are known.
    pub fn reference(&self) -> [i64; 2] {
        match self.without {
            Ok(without) => [without, 0],
            Err(_) => self.truth,
        }
    }

    /// The reported figures less the reference, in clocks or events.
    pub fn error(&self) -> Option<[i64; 2]> {
        let (reported, reference) = (self.reported?, self.reference());
        Some([0, 1].map(|at: usize| reported[at] - reference[at]))
    }

    /// The error of a measurement of clocks by cause, if all of its parts are known. With
    /// [`PassAudit::uncalibrated`] it adds up to all of it.
    pub fn causes(&self) -> Option<CauseStack> {
        Some(self.edges?.error() + self.changed?)
    }

    /// The method that gave the subtracted clocks of the macros; none if no time stamp was read, or not as usual.
    pub fn calibration(&self) -> Option<Calibration> {
        Some(match (self.edges?.calibrated, self.subtracted?) {
            (Some(_), _) => Calibration::DryRun,
            (None, [0, _]) => Calibration::Nothing,
            (None, [subtracted, _]) => Calibration::Constant(subtracted),
        })
    }

    /// The clocks that the program subtracts without having measured an empty region.
    pub fn uncalibrated(&self) -> i64 {
        match self.calibration() {
            Some(Calibration::Constant(subtracted)) => subtracted,
            _ => 0,
        }
    }

    /// Whether another pass has the same figures.
    pub fn same(&self, other: &PassAudit) -> bool {
        let (run, number) = (self.run, self.number);
        *self == PassAudit { run, number, ..*other }
    }
}

impl RegionAudit {
    fn of(
        region: &RegionResult,
        (passes, unfinished): (&[AuditedPass], u64),
        plain: Result<(&RegionResult, &[AuditedPass], StopReason), Incomparable>,
    ) -> RegionAudit {
        let plain = plain.and_then(|(other, passes, stop)| match other.pass_count == region.pass_count {
            true => Ok(passes),
            false if !stop.by_program() => Err(Incomparable::Stopped(stop, other.pass_count)),
            false if stop == StopReason::End && other.pass_count == 0 => Err(Incomparable::Unended),
            false => Err(Incomparable::Passes(other.pass_count)),
        });
        let incomparable = plain.err();
        let passes = passes.iter().map(|pass| {
            let place = |pass: &AuditedPass| (pass.pass.run, pass.number);
            let same = plain.and_then(|plain| {
                let found = plain.binary_search_by_key(&place(pass), place);
                found.map(|index| &plain[index]).map_err(|_| Incomparable::NoSuchPass)
            });
            PassAudit::of(pass, same, region.kind)
        });
        RegionAudit {
            name: region.name.clone(),
            kind: region.kind,
            file: region.file,
            start_line: region.start_line,
            end_line: region.end_line,
            events: region.events,
            passes: passes.collect(),
            pass_count: region.pass_count,
            unfinished,
            incomparable,
            copies: Err(match region.kind {
                RegionKind::Tsc => Uncopied::NoSource,
                RegionKind::Profile => Uncopied::Events,
            }),
        }
    }

    /// The last pass, which has the warmest caches.
    pub fn last(&self) -> Option<&PassAudit> {
        self.passes.last()
    }

    /// Both calibrations, by the last pass; none if it has no measured result.
    pub fn calibrations(&self) -> Option<Calibrations> {
        let last = self.last()?;
        let (reported, error) = (last.reported?[0], last.error()?[0]);
        let reference = last.reference()[0];
        Some(Calibrations {
            subtracted: (reported, error),
            copies: self.copies.as_ref().ok().map(|copies| {
                let estimate = copies.estimate();
                (estimate, estimate - reference as f64)
            }),
        })
    }

    /// The excess of the first pass's report over the last pass's, where they differ: clocks, or events of a counter.
    pub fn first_passes(&self) -> impl Iterator<Item = (i64, Option<usize>)> {
        let ends = self.passes.first().zip(self.last());
        let reports = ends.and_then(|(first, last)| first.reported.zip(last.reported));
        let more = move |at: usize| reports.map_or(0, |(cold, warm)| cold[at] - warm[at]);
        let counters = self.counters().iter().copied();
        counters
            .map(move |counter| (more(counter.unwrap_or(0)), counter))
            .filter(|(more, _)| *more != 0)
    }

    fn counters(&self) -> &'static [Option<usize>] {
        match self.kind {
            RegionKind::Tsc => &[None],
            RegionKind::Profile => &[Some(0), Some(1)],
        }
    }

    /// The reasons not to believe the reported figures.
    pub fn doubts(&self) -> Vec<Doubt> {
        let mut doubts = Vec::new();
        doubts.extend((self.unfinished > 0).then_some(Doubt::Unfinished(self.unfinished)));
        let (Some(first), Some(last)) = (self.passes.first(), self.last()) else {
            return doubts;
        };
        let (Some([reported, _]), Some(error)) = (last.reported, last.error()) else {
            return doubts;
        };
        if self.pass_count == 1 {
            doubts.push(Doubt::OnlyPass);
        }
        let counters = self.counters();
        // A first pass that takes longer and reports that is measured as well as any other.
        let wrong = |at: usize| first.error().is_none_or(|error| error[at] != 0);
        let firsts = self.first_passes();
        let wrongly = firsts.filter(|(_, counter)| wrong(counter.unwrap_or(0)));
        doubts.extend(wrongly.map(|(more, counter)| Doubt::First(more, counter)));
        match last.calibration() {
            Some(Calibration::Constant(clocks)) => doubts.push(Doubt::NotCalibrated(clocks)),
            Some(Calibration::Nothing) => doubts.push(Doubt::NotCalibrated(0)),
            Some(Calibration::DryRun) | None => {}
        }
        let around = last.edges.map_or_else(CauseStack::default, |edges| edges.error());
        let calibrated = last.calibration() == Some(Calibration::DryRun);
        let of = |causes: &[Cause]| causes.iter().map(|&cause| around.of(cause)).sum::<i64>();
        let data = of(&[
            Cause::DataReadMiss,
            Cause::DataTlbMiss,
            Cause::WriteBufferFull,
            Cause::WriteOrder,
        ]);
        let code = of(&[Cause::CodeMiss, Cause::CodeTlbMiss]);
        doubts.extend((data > 0).then_some(Doubt::DataEvicted(data, calibrated)));
        doubts.extend((code > 0).then_some(Doubt::CodeEvicted(code)));
        let changed = last.changed.filter(|changed| changed.total() != 0);
        doubts.extend(changed.map(|changed| Doubt::Changed(last.clocks, changed)));
        for &counter in counters {
            let at = counter.unwrap_or(0);
            let (error, reference) = (error[at], last.reference()[at]);
            let large = error != 0 && error.abs().saturating_mul(100) >= reference.abs().saturating_mul(LARGE);
            doubts.extend(large.then_some(Doubt::Large(error, reference, counter)));
        }
        if let Ok(copies) = &self.copies
            && (copies.estimate() - reported as f64).abs() >= 1.0
        {
            doubts.push(Doubt::Disagree(reported, copies.estimate()));
        }
        doubts
    }
}

/// Audits every region of a program. `plain` is the same program with measuring macros that expand to nothing, if the
/// program has a source.
pub fn audit(
    program: &Program<'_>,
    plain: Option<&Image>,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Audit {
    let started = Instant::now();
    // Both runs share the time limit.
    let mut run = |image: &Image, plain: bool| {
        let options = options.after(started.elapsed());
        machine::audit(image, program.name, program.model, &options, plain, progress)
    };
    let Audited {
        run: measured,
        passes,
        unfinished,
    } = run(program.image, false);
    let other = plain.map(|image| run(image, true));
    let mut others = other.as_ref().map(|other| {
        let passes = other.passes.iter().map(Vec::as_slice);
        Others::of(other.run.regions.iter().zip(passes), &other.run)
    });
    let regions = measured
        .regions
        .iter()
        .zip(passes.iter().map(Vec::as_slice).zip(unfinished));
    let regions = regions.map(|(region, passes)| {
        let same = others.as_mut().ok_or(Incomparable::NoSource).and_then(|others| {
            let (same, passes) = others.next(region, &measured).ok_or(Incomparable::NoSuchRegion)?;
            Ok((same, passes, others.stop))
        });
        RegionAudit::of(region, passes, same)
    });
    let stop: &Stop = &measured.stop;
    Audit {
        subject: Subject {
            measures: false,
            ..Subject::new(program, options, stop)
        },
        clocks: measured.whole.totals.cycles,
        regions: regions.collect(),
    }
}

/// Runs a program twice, with `number` copies of the code of region number `index` and with twice as many.
///
/// # Errors
///
/// The reason why one of them has no measured pass.
pub fn copies(
    programs: [Program<'_>; 2],
    index: usize,
    number: u32,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Copies, Uncopied> {
    let mut reported = [0; 2];
    let started = Instant::now();
    let copies = [number, number.saturating_mul(2)];
    for ((program, reported), copies) in programs.iter().zip(&mut reported).zip(copies) {
        let options = options.after(started.elapsed());
        let run = machine::simulate(program.image, program.name, program.model, &options, progress);
        match run.stop.reason {
            reason if reason.by_program() => {}
            StopReason::Limit | StopReason::Timeout => return Err(Uncopied::NotEnded(copies)),
            _ => return Err(Uncopied::Stopped(copies, Box::new(run.stop))),
        }
        let last = run.regions.get(index).and_then(|region| region.last);
        let measured = last.and_then(|pass| pass.measured).ok_or(Uncopied::Unmeasured)?;
        *reported = measured[0];
    }
    Ok(Copies { number, reported })
}
