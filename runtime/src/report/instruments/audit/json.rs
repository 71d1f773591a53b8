//! An audit in the shape of its JSON schema.

use super::super::json::subject;
use super::super::schema::SCHEMA_VERSION;
use super::{doubt, incomparable, schema, uncopied};
use crate::image::RegionKind;
use crate::instruments::{Audit, PassAudit, RegionAudit};
use crate::run::Cause;

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
        let [before, behind, calibrated, changed] = [
            edges.before,
            edges.behind,
            edges.calibrated.unwrap_or_default(),
            pass.changed.unwrap_or_default(),
        ];
        let part = |&cause: &Cause| schema::Part {
            cause: cause.name(),
            before: before.of(cause),
            behind: behind.of(cause),
            calibrated: calibrated.of(cause),
            region: changed.of(cause),
            error: pass.causes().unwrap_or_default().of(cause),
        };
        let any = |part: &schema::Part| [part.before, part.behind, part.calibrated, part.region] != [0; 4];
        Cause::ALL.iter().map(part).filter(any).collect()
    });
    schema::Pass {
        run: pass.run + 1,
        number: pass.number + 1,
        reported: pass.reported.map(figures),
        subtracted: pass.subtracted.map(figures),
        truth: figures(pass.truth),
        without_macros: pass.without,
        error: pass.error().map(figures),
        causes,
        uncalibrated: pass.uncalibrated(),
        counted: pass.counted,
    }
}

fn calibrations(audit: &Audit, region: &RegionAudit) -> Option<schema::Calibrations> {
    let last = region.last()?;
    let (reported, right) = (last.reported?[0], last.right()[0]);
    let calibration = |result: f64| schema::Calibration {
        result,
        error: result - right as f64,
    };
    let copies = region.copies.as_ref();
    Some(schema::Calibrations {
        subtracted: calibration(reported as f64),
        copies: copies.ok().map(|copies| calibration(copies.estimate())),
        copied: copies.ok().map(|copies| (copies.number, copies.reported)),
        reason: copies.err().map(|why| uncopied(why, &audit.subject)),
    })
}
