//! The JSON report of `--what-if`, in the shape of `schema`.

use super::super::json_text::write_json;
use super::super::lines::{MEMORY, file_name};
use super::super::schema::Ordered;
use super::schema::{self, SCHEMA_VERSION};
use super::{Comparison, Figures, Place, Variant};
use std::io::{self, Write};

pub(super) fn write(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    write_json(&report(comparison), out)
}

fn report<'a>(comparison: &'a Comparison) -> schema::Report<'a> {
    let Comparison {
        run, base, variants, ..
    } = comparison;
    let saved = |of: &dyn Fn(&Figures) -> Option<i64>| {
        let each = variants.iter().map(|one| {
            let name = one.variant.name().to_owned();
            (name, one.figures.as_ref().ok().and_then(of))
        });
        Ordered(each.collect())
    };
    schema::Report {
        schema_version: SCHEMA_VERSION,
        program: &run.program,
        cpu: run.cpu,
        memory: run.memory,
        cpl: run.cpl,
        runs: run.runs.len() as u64,
        stop: run.stop.reason.name(),
        clocks: base.clocks,
        instructions: base.instructions,
        variants: variants
            .iter()
            .map(|one| {
                let figures = one.figures.as_ref().ok();
                schema::Variant {
                    name: one.variant.name(),
                    kind: match one.variant {
                        Variant::Supposed(_) => "supposition",
                        Variant::Chip(_) => "chip",
                    },
                    supposes: one.variant.supposes(),
                    clocks: figures.map(|figures| figures.clocks),
                    saved: figures.map(|figures| figures.saved),
                    instructions: figures.map(|figures| figures.instructions),
                    reason: one.reason(base),
                }
            })
            .collect(),
        combined: comparison.combined().map(|combined| schema::Combined {
            names: combined.names,
            sum: combined.sum,
            saved: combined.saved,
        }),
        regions: run
            .regions
            .iter()
            .enumerate()
            .map(|(index, region)| schema::Region {
                name: &region.name,
                file: file_name(run, region.file).unwrap_or(MEMORY),
                start_line: region.start_line,
                end_line: region.end_line,
                clocks: base.regions[index],
                saved: saved(&|figures| figures.regions[index]),
            })
            .collect(),
        lines: comparison
            .differing_lines()
            .into_iter()
            .map(|place| {
                let (file, line, address): &Place = place;
                let (clocks, text) = comparison.line(place);
                schema::Line {
                    file,
                    line: *line,
                    address: (*line == 0).then_some(*address),
                    text,
                    clocks,
                    saved: saved(&|figures| Some(figures.lines.get(place).copied().unwrap_or(0))),
                }
            })
            .collect(),
    }
}
