//! The JSON report of `p5inst audit`.
//!
//! Within one `schema_version`, fields are only added. Clocks are core clocks; a missing figure is null.

use super::{doubt, incomparable, uncopied};
use crate::document::{P5INST, document};
use crate::instruments::json::Subject;
use p5_image::RegionKind;
use p5_machine::instruments::{self, Audit, PassAudit, RegionAudit};
use p5_results::{Cause, CauseStack};

document! {
    /// The figures that the measuring macros reported, the true ones, and the difference by cause.
    #[cfg_attr(test, schemars(title = "p5inst audit"))]
    pub(crate) struct AuditReport<'a> {
        /// Version of this schema; within one version fields are only added.
        schema_version: u32 = 1,
        /// The version of p5inst that wrote it.
        version: &'static str = P5INST,
        /// The program and its machine.
        #[serde(flatten)]
        subject: Subject<'a> = Subject::of(&audit.subject),
        /// The clocks of its last run, with the measuring macros.
        clocks: u64 = audit.clocks,
        /// The regions, in source order.
        regions: Vec<Region<'a>> = audit.regions.iter().map(|one| Region::of(audit, one)).collect(),
    }
    from (audit: &'a Audit)

    /// A region.
    pub(crate) struct Region<'a> {
        /// The name given to the start macro, or `line N`.
        name: &'a str = &region.name,
        /// `clocks` or `events`.
        measures: &'static str = match region.kind {
            RegionKind::Tsc => "clocks",
            RegionKind::Profile => "events",
        },
        /// The names of the two events of a profile, if known.
        events: Option<[&'static str; 2]> = region.events.map(|events| events.map(|(_, event)| event.name())),
        /// The file of the macros' calls.
        file: &'a str = file.map_or("", |file| &file.name),
        /// One-based line of the start macro's call.
        start_line: u32 = region.start_line,
        /// One-based line of the end macro's call.
        end_line: u32 = region.end_line,
        /// The number of passes in all runs.
        pass_count: u64 = region.pass_count,
        /// The passes, the first 1,000 and the last one of each run; if the regions have more than 20,000 in all, the
        /// first ones and the last one of each region.
        passes: Vec<Pass> = region.passes.iter().map(|pass| Pass::of(region, pass)).collect(),
        /// Why there are no figures without measuring macros; null if there are.
        incomparable: Option<String> = region.incomparable.map(incomparable),
        /// The two calibrations, by the last pass; null if that has no measured result.
        calibrations: Option<Calibrations> = region.calibrations().map(|known| Calibrations::of(&known, audit, region)),
        /// The reasons not to believe the reported figures.
        doubts: Vec<Doubt> = region.doubts().into_iter().map(Doubt::of).collect(),
    }
    from (audit: &'a Audit, region: &'a RegionAudit) {
        let file = audit.subject.files.get(region.file as usize);
    }

    /// A pass.
    pub(crate) struct Pass {
        /// Its run, from 1.
        run: u32 = pass.run + 1,
        /// Its number in that run, from 1.
        number: u64 = pass.number + 1,
        /// The reported figure: clocks, or two counts; null if the end macro did not finish.
        reported: Option<Vec<i64>> = pass.reported.map(figures),
        /// The overhead that the macros subtracted from the difference of their readings.
        subtracted: Option<Vec<i64>> = pass.subtracted.map(figures),
        /// The true clocks or counts between the macros.
        truth: Vec<i64> = figures(pass.truth),
        /// The clocks of the same pass without any measuring macros; null if they are not known.
        without_macros: Option<i64> = pass.without.ok(),
        /// Why these clocks are not known; null if they are.
        without_macros_reason: Option<String> = pass.without.err().map(incomparable),
        /// The excess of the reported figures over the clocks without measuring macros, or over the truth if those, or
        /// a profile's counts without macros, are not known.
        error: Option<Vec<i64>> = pass.error().map(figures),
        /// The error of a measurement of clocks by cause. With `uncalibrated` subtracted, the errors add up to `error`;
        /// if `without_macros` is null, so do the parts' `edges`.
        causes: Option<Vec<Part>> = pass.edges.as_ref().map(|edges| {
            Cause::ALL.iter().map(|&cause| Part::of(pass, edges, cause)).filter(Part::is_any).collect()
        }),
        /// The clocks that the program subtracts without having measured an empty region.
        uncalibrated: i64 = pass.uncalibrated(),
        /// Both counters' counts before and after the region; the error of a profile is their sum minus `subtracted`.
        counted: Option<[[i64; 2]; 2]> = pass.counted,
    }
    from (region: &RegionAudit, pass: &PassAudit) {
        // A region of clocks has one figure.
        let figures = |both: [i64; 2]| match region.kind {
            RegionKind::Tsc => vec![both[0]],
            RegionKind::Profile => both.to_vec(),
        };
    }

    /// The part of a cause in an error.
    pub(crate) struct Part {
        /// The cause, as in the report of a run.
        cause: &'static str = cause.name(),
        /// Clocks from the start macro's last reading to the region.
        before: i64 = edges.before.of(cause),
        /// Clocks from the region to the end macro's first reading.
        behind: i64 = edges.behind.of(cause),
        /// The clocks of both around an empty region, which the macros subtract; null if they have measured none.
        calibrated: Option<i64> = of(edges.calibrated),
        /// `before + behind - calibrated`, without the last if it is null.
        edges: i64 = edges.error().of(cause),
        /// The clocks by which the macros change the region itself; null if those without macros are not known.
        region: Option<i64> = of(pass.changed),
        /// `edges + region`; null if the latter is.
        error: Option<i64> = of(pass.causes()),
    }
    from (pass: &PassAudit, edges: &instruments::Edges, cause: Cause) {
        let of = |stack: Option<CauseStack>| stack.map(|stack| stack.of(cause));
    }

    /// Two ways to calibrate.
    pub(crate) struct Calibrations {
        /// The calibration by the overhead that the macros subtract: a dry run, or a constant.
        subtracted: Calibration = Calibration::of((result as f64, error as f64)),
        /// The calibration by the difference between copies of the code and twice as many; null if there is none.
        copies: Option<Calibration> = known.copies.map(Calibration::of),
        /// The number of copies, and the reported figures of them and of twice as many.
        copied: Option<(u32, [i64; 2])> = copies.ok().map(|copies| (copies.number, copies.reported)),
        /// Why there is no such calibration; null if there is one.
        reason: Option<String> = copies.err().map(|why| uncopied(why, &audit.subject)),
    }
    from (known: &instruments::Calibrations, audit: &Audit, region: &RegionAudit) {
        let (result, error) = known.subtracted;
        let copies = region.copies.as_ref();
    }

    /// A calibrated result.
    pub(crate) struct Calibration {
        /// The result, in clocks or counts.
        result: f64 = calibrated.0,
        /// The excess of the result over the true one.
        error: f64 = calibrated.1,
    }
    from (calibrated: (f64, f64))

    /// A reason not to believe a measurement.
    pub(crate) struct Doubt {
        /// Its kind: one word.
        kind: &'static str = kind,
        /// The reason in words.
        text: String = text,
    }
    from (one: instruments::Doubt) {
        let (kind, text) = doubt(one);
    }
}

impl Part {
    /// Whether any part of the cause has clocks.
    fn is_any(&self) -> bool {
        let perhaps = [self.calibrated, self.region].map(|clocks| clocks.unwrap_or(0));
        [self.before, self.behind] != [0; 2] || perhaps != [0; 2]
    }
}
