//! An audit in the shape of its JSON schema.

use super::super::json::subject;
use super::super::schema::SCHEMA_VERSION;
use super::{doubt, incomparable, schema, uncopied};
use p5_image::RegionKind;
use p5_machine::instruments::{Audit, PassAudit, RegionAudit};
use p5_results::{Cause, CauseStack};

pub(super) fn report(audit: &Audit) -> schema::AuditReport<'_> {
    schema::AuditReport {
        schema_version: SCHEMA_VERSION,
        subject: subject(&audit.subject),
        clocks: audit.clocks,
        regions: audit.regions.iter().map(|one| region(audit, one)).collect(),
    }
}

fn region<'a>(audit: &'a Audit, one: &'a RegionAudit) -> schema::Region<'a> {
    let file = audit.subject.files.get(one.file as usize);
    schema::Region {
        name: &one.name,
        measures: match one.kind {
            RegionKind::Tsc => "clocks",
            RegionKind::Profile => "events",
        },
        events: one.events.map(|events| events.map(|(_, event)| event.name())),
        file: file.map_or("", |file| &file.name),
        start_line: one.start_line,
        end_line: one.end_line,
        pass_count: one.pass_count,
        passes: one.passes.iter().map(|one_pass| pass(one, one_pass)).collect(),
        incomparable: one.incomparable.map(incomparable),
        calibrations: calibrations(audit, one),
        doubts: one
            .doubts()
            .into_iter()
            .map(|one| {
                let (kind, text) = doubt(one);
                schema::Doubt { kind, text }
            })
            .collect(),
    }
}

fn pass(region: &RegionAudit, pass: &PassAudit) -> schema::Pass {
    // A region of clocks has one figure.
    let figures = |both: [i64; 2]| match region.kind {
        RegionKind::Tsc => vec![both[0]],
        RegionKind::Profile => both.to_vec(),
    };
    let causes = pass.edges.map(|edges| {
        let of = |stack: Option<CauseStack>, cause| stack.map(|stack| stack.of(cause));
        let part = |&cause: &Cause| schema::Part {
            cause: cause.name(),
            before: edges.before.of(cause),
            behind: edges.behind.of(cause),
            calibrated: of(edges.calibrated, cause),
            edges: edges.error().of(cause),
            region: of(pass.changed, cause),
            error: of(pass.causes(), cause),
        };
        let any = |part: &schema::Part| {
            let perhaps = [part.calibrated, part.region].map(|clocks| clocks.unwrap_or(0));
            [part.before, part.behind] != [0; 2] || perhaps != [0; 2]
        };
        Cause::ALL.iter().map(part).filter(any).collect()
    });
    schema::Pass {
        run: pass.run + 1,
        number: pass.number + 1,
        reported: pass.reported.map(figures),
        subtracted: pass.subtracted.map(figures),
        truth: figures(pass.truth),
        without_macros: pass.without.ok(),
        without_macros_reason: pass.without.err().map(incomparable),
        error: pass.error().map(figures),
        causes,
        uncalibrated: pass.uncalibrated(),
        counted: pass.counted,
    }
}

fn calibrations(audit: &Audit, region: &RegionAudit) -> Option<schema::Calibrations> {
    let known = region.calibrations()?;
    let calibration = |(result, error): (f64, f64)| schema::Calibration { result, error };
    let (result, error) = known.subtracted;
    let copies = region.copies.as_ref();
    Some(schema::Calibrations {
        subtracted: calibration((result as f64, error as f64)),
        copies: known.copies.map(calibration),
        copied: copies.ok().map(|copies| (copies.number, copies.reported)),
        reason: copies.err().map(|why| uncopied(why, &audit.subject)),
    })
}
