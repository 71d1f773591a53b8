//! `p5inst host tsc` as text: the host's time stamp counter.

use super::super::{Column, Format, HEADING, Style, heading, painted, paragraph, printable, table};
use super::{Host, figure, json, megahertz};
use crate::write_json;
use std::io::{self, Write};

/// Writes the properties of the host's time stamp counter.
///
/// # Errors
/// Only what `out` itself reports, such as a broken pipe.
pub fn write_tsc(format: Format, host: &Host, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if format == Format::Json {
        return write_json(&json::TscReport::of(host), out);
    }
    let name = match &host.processor {
        Ok(name) => painted(style, HEADING, &printable::printable(name)),
        Err(why) => format!("unnamed processor: {why}"),
    };
    writeln!(out, "{name}")?;
    let mut lines = vec![(
        "hypervisor",
        host.hypervisor.as_deref().map_or("no".to_owned(), printable::printable),
    )];
    let counter = match &host.counter {
        Ok(counter) => counter,
        Err(why) => {
            lines.push(("time stamp counter", format!("no: {why}")));
            return list(style, &lines, out);
        }
    };
    let yes_no = |is: bool| if is { "yes" } else { "no" }.to_owned();
    lines.extend([
        ("time stamp counter", "yes".to_owned()),
        ("RDTSCP", yes_no(counter.rdtscp)),
        ("invariant", yes_no(counter.invariant)),
        (
            "TSC_AUX",
            match &counter.auxiliary {
                Ok((processor, node)) => format!("processor {processor}, node {node}"),
                Err(why) => format!("unknown: {why}"),
            },
        ),
        (
            "ticks per second",
            match &counter.frequency {
                Ok((hertz, source)) => format!("{} ({source})", megahertz(*hertz)),
                Err(why) => format!("unknown: {why}"),
            },
        ),
        ("step", format!("{} ticks", counter.quantum)),
        (
            "core clocks per tick",
            format!(
                "{:.3} at present; varies with the core's clock rate",
                counter.core_clocks_per_tick
            ),
        ),
        (
            "CPUID",
            format!(
                "{} ticks{}",
                counter.cpuid_ticks,
                if counter.cpuid_traps {
                    ": a hypervisor intercepts it, so it is not usable as a fence"
                } else {
                    ""
                }
            ),
        ),
    ]);
    list(style, &lines, out)?;
    heading(style, "Fences", out)?;
    let rows = counter.fences.iter().map(|fence| {
        let (ticks, orders) = match &fence.cost {
            Ok((ticks, orders)) => (figure(*ticks), yes_no(*orders)),
            Err(_) => ("-".to_owned(), "-".to_owned()),
        };
        let default = if fence.default { "default" } else { "" };
        vec![fence.name.clone(), ticks, orders, default.to_owned()]
    });
    let columns = [
        ("fence", Column::Name),
        ("ticks", Column::Number),
        ("orders", Column::Name),
        ("", Column::Name),
    ];
    table(style, &columns, &rows.collect::<Vec<_>>(), out)?;
    paragraph(
        style,
        "ticks: an empty pair of readings; orders: whether a reading waits for all earlier instructions; default: \
         used by the macros unless another is selected",
        out,
    )?;
    for fence in &counter.fences {
        if let Err(why) = &fence.cost {
            paragraph(style, &format!("- {}: {why}", fence.name), out)?;
        }
    }
    Ok(())
}

/// Writes names, each with its text folded beside it.
fn list(style: &Style, lines: &[(&str, String)], out: &mut dyn Write) -> io::Result<()> {
    const BESIDE: usize = 24;
    for (name, text) in lines {
        let folded = printable::folded(text, style.width.saturating_sub(BESIDE).max(1));
        for (index, line) in folded.iter().enumerate() {
            let name = if index == 0 { *name } else { "" };
            writeln!(out, "  {name:<22}{line}")?;
        }
    }
    Ok(())
}
