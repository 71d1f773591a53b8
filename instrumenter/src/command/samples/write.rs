//! Writes a recording: an SQLite file that is created in memory and written as a whole. The writer rejects everything
//! that the reader would reject.

use super::bounds::{
    self, LARGEST, LONGEST_TEXT, MOST_BYTES, MOST_CAUSES, MOST_CODE, MOST_EVENTS, MOST_IMAGES, MOST_PIECE,
    MOST_REGISTERS, MOST_ROWS, Sums,
};
use super::schema;
use runtime::model::ibs::{SAMPLE_REGISTERS, register_name};
use runtime::record::derived::DERIVED;
use runtime::record::{Images, Pair, Recording, Sample, SampleKind, SampledCode, SampledLine, Truth};
use rusqlite::{Connection, ErrorCode, MAIN_DB, Statement, ToSql, params, params_from_iter};
use std::collections::BTreeSet;
use std::fmt;
use std::time::{Duration, Instant};

/// The size of a page of the file in bytes.
const PAGE: u64 = 4096;

/// The samples, each a pair, whose writing is measured.
const MEASURED: u64 = 1 << 11;

/// Passes the bytes of the file to `write`. They are always the same for the same recording. An error is one line: that
/// of `write`, a limit that is exceeded, or an error of SQLite, such as too little memory.
pub(super) fn written(recording: &Recording, write: impl FnOnce(&[u8]) -> Result<(), String>) -> Result<(), String> {
    let problem = |why: String| format!("cannot make the file of samples: {why}");
    bounds::sound(recording).map_err(problem)?;
    let failed = |error: rusqlite::Error| {
        problem(match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => format!("it would be larger than {} MiB", MOST_BYTES >> 20),
            _ => error.to_string(),
        })
    };
    let database = database(recording).map_err(failed)?;
    // The file is in memory twice here, and may be large.
    write(&database.serialize(MAIN_DB).map_err(failed)?)
}

/// Measures the time to write a row of a sample.
pub(super) fn time_of_row() -> Duration {
    let registers = SAMPLE_REGISTERS.iter().zip(0x0123_4567_89AB_CDEF..);
    let images: Images = registers.map(|(register, image)| (register.number, image)).collect();
    let pair = Pair {
        distance: 1,
        clocks: 1,
        images: images.clone(),
    };
    let sample = |number| Sample {
        kind: SampleKind::Op,
        number,
        run: 1,
        clock: number,
        images: images.clone(),
        pair: Some(Box::new(pair.clone())),
    };
    let time = |samples: u64| {
        let recording = Recording {
            samples: (1..=samples).map(sample).collect(),
            ..Recording::default()
        };
        let started = Instant::now();
        // What cannot be written takes no time.
        let _ = database(&recording).and_then(|database| database.serialize(MAIN_DB).map(|bytes| bytes.len()));
        started.elapsed()
    };
    let without = time(1);
    time(MEASURED).saturating_sub(without) / (2 * MEASURED as u32)
}

fn database(recording: &Recording) -> rusqlite::Result<Connection> {
    let database = Connection::open_in_memory()?;
    database.pragma_update(None, "page_size", PAGE)?;
    database.pragma_update(None, "max_page_count", MOST_BYTES / PAGE)?;
    database.pragma_update(None, "application_id", schema::APPLICATION)?;
    database.pragma_update(None, "user_version", schema::VERSION)?;
    let registers = registers(recording);
    fits("registers", registers.len() as u64, MOST_REGISTERS as u64)?;
    let transaction = database.unchecked_transaction()?;
    transaction.execute_batch(&schema::tables(&registers))?;
    transaction.execute_batch(&schema::views(recording, &registers))?;
    meta(recording, &transaction)?;
    described(recording, &registers, &transaction)?;
    program(recording, &transaction)?;
    samples(recording, &registers, &transaction)?;
    if let Some(truth) = &recording.truth {
        write_truth(truth, &transaction)?;
    }
    transaction.commit()?;
    Ok(database)
}

/// The registers with an image in any sample, in ascending order.
fn registers(recording: &Recording) -> Vec<u32> {
    let mut found = BTreeSet::new();
    for sample in &recording.samples {
        found.extend(sample.images.iter().map(|(register, _)| register));
        if let Some(pair) = &sample.pair {
            found.extend(pair.images.iter().map(|(register, _)| register));
        }
    }
    found.into_iter().collect()
}

fn meta(recording: &Recording, database: &Connection) -> rusqlite::Result<()> {
    let Recording { machine, sampling, .. } = recording;
    let mut insert = database.prepare("INSERT INTO meta VALUES (?, ?)")?;
    let mut put = |key: &str, value: &str| insert.execute([key, text(value)]).map(|_| ());
    put("written_by", concat!("p5inst ", env!("CARGO_PKG_VERSION")))?;
    put("program", &recording.program)?;
    put("chip", &machine.chip)?;
    put("chip_title", &machine.chip_title)?;
    put("memory", &machine.memory)?;
    for (name, answer) in &machine.assumed {
        put(text(&format!("assumed:{name}")), answer)?;
    }
    if !machine.monitors.is_empty() {
        put("monitors", &machine.monitors.join(","))?;
    }
    if !machine.also.is_empty() {
        put("also", &machine.also.join(","))?;
    }
    if let Some(ratio) = &machine.core_ratio {
        put("core_ratio", ratio)?;
    }
    put("cpl", &machine.cpl.to_string())?;
    if let Some(width) = machine.width {
        put("width", &width.to_string())?;
    }
    put("line_bytes", &machine.line_bytes.to_string())?;
    put("page_bytes", &machine.page_bytes.to_string())?;
    put("code_bits", &recording.code_bits.to_string())?;
    for (key, reach) in [("stack", recording.stack), ("heap", recording.heap)] {
        if let Some((first, last)) = reach {
            put(&format!("{key}_first"), &first.to_string())?;
            put(&format!("{key}_last"), &last.to_string())?;
        }
    }
    put("first_run", &sampling.runs.0.to_string())?;
    put("last_run", &sampling.runs.1.to_string())?;
    if let Some(stopped) = &recording.stopped {
        put("stopped", stopped)?;
    }
    put("mode", sampling.choice.mode.name())?;
    put("randomization", sampling.choice.randomization.name())?;
    put("seed", &sampling.choice.seed.to_string())?;
    if let Some(kept) = &sampling.choice.kept {
        let kept: Vec<String> = kept.iter().map(|register| register_name(*register)).collect();
        put("kept", &kept.join(","))?;
    }
    if let Some(latency) = sampling.choice.load_latency {
        put("load_latency", &latency.to_string())?;
    }
    put(
        "last_level_misses_only",
        if sampling.choice.last_level_misses_only {
            "1"
        } else {
            "0"
        },
    )?;
    if let Some(window) = sampling.choice.window {
        put("window", &window.to_string())?;
    }
    counts([sampling.cut])?;
    put("cut", &sampling.cut.to_string())?;
    if sampling.lost > 0 {
        counts([sampling.lost])?;
        put("lost", &sampling.lost.to_string())?;
    }
    if let Some(truth) = &recording.truth {
        counts([truth.clocks, truth.data_cut])?;
        put("truth_clocks", &truth.clocks.to_string())?;
        put("truth_instructions_cut", if truth.instructions_cut { "1" } else { "0" })?;
        put("truth_data_cut", &truth.data_cut.to_string())?;
    }
    let mut insert = database.prepare("INSERT INTO attempts VALUES (?, ?, ?, ?, ?, ?)")?;
    for (kind, attempts) in [(SampleKind::Fetch, sampling.fetch), (SampleKind::Op, sampling.op)] {
        let Some(one) = attempts else { continue };
        let [period, made, filtered] = counts([one.period, one.made, one.filtered])?;
        let [dropped, flushed] =
            [one.dropped, one.flushed].map(|number| number.map(|number| counts([number])).transpose());
        let [dropped, flushed] = [dropped?, flushed?].map(|number| number.map(|[number]| number));
        insert.execute(params![kind.name(), period, made, dropped, flushed, filtered])?;
    }
    Ok(())
}

/// Writes the meaning of columns and codes, for readers of the file without this program.
fn described(recording: &Recording, registers: &[u32], database: &Connection) -> rusqlite::Result<()> {
    let mut insert = database.prepare("INSERT INTO registers VALUES (?, ?, ?, ?)")?;
    let known = SAMPLE_REGISTERS.iter().chain(recording.described.registers());
    let known = known.map(|register| register.number);
    let all: BTreeSet<u32> = known.chain(registers.iter().copied()).collect();
    for number in all {
        let known = recording.register(number);
        let kind = known.and_then(|register| register.kind).map(SampleKind::name);
        let title = known.map_or("carried through unchanged", |register| register.title);
        let name = known.map_or_else(|| register_name(number), |register| register.name.to_owned());
        insert.execute(params![number, name, kind, title])?;
    }
    let mut insert = database.prepare("INSERT INTO fields VALUES (?, ?, ?, ?, ?, ?)")?;
    for field in recording.fields() {
        let unit = field.unit.name();
        insert.execute(params![
            field.register,
            field.name,
            field.first,
            field.last,
            unit,
            field.title
        ])?;
    }
    let mut insert = database.prepare("INSERT INTO derived_events VALUES (?, ?, ?, ?)")?;
    for event in DERIVED {
        insert.execute(params![event.code, event.name, event.kind.name(), event.title])?;
    }
    Ok(())
}

fn program(recording: &Recording, database: &Connection) -> rusqlite::Result<()> {
    fits("files", recording.files.len() as u64, MOST_ROWS)?;
    fits("symbols", recording.symbols.len() as u64, MOST_ROWS)?;
    fits("lines", recording.lines.len() as u64, MOST_ROWS)?;
    let mut insert = database.prepare("INSERT INTO files VALUES (?, ?)")?;
    for (id, name) in recording.files.iter().enumerate() {
        insert.execute(params![id, text(name)])?;
    }
    let mut insert = database.prepare("INSERT INTO symbols VALUES (?, ?, ?, ?, ?)")?;
    for symbol in &recording.symbols {
        insert.execute(params![
            text(&symbol.name),
            symbol.address,
            symbol.size,
            symbol.code,
            symbol.library
        ])?;
    }
    let mut insert = database.prepare("INSERT INTO places VALUES (?, ?, ?)")?;
    for (address, label, procedure) in recording.borders() {
        insert.execute(params![address, text(&label.name), text(&procedure.name())])?;
    }
    let mut insert = database.prepare("INSERT INTO lines VALUES (?, ?, ?, ?)")?;
    for line in &recording.lines {
        insert.execute(params![line.address, line.length, line.file, line.line])?;
    }
    let code = recording.code.iter().map(|piece| piece.bytes.len() as u64).sum();
    fits("bytes of code", code, MOST_CODE as u64)?;
    let mut insert = database.prepare("INSERT INTO code VALUES (?, ?, ?)")?;
    let mut pieces = 0;
    for piece in &recording.code {
        for (address, bytes) in divided(piece, &recording.lines) {
            insert.execute(params![address, bytes, piece.bits])?;
            pieces += 1;
        }
    }
    fits("pieces of code", pieces, MOST_ROWS)?;
    Ok(())
}

/// Divides a piece of code into parts of at most [`MOST_PIECE`] bytes, each of whole lines unless a line is longer.
fn divided<'a>(code: &'a SampledCode, lines: &[SampledLine]) -> Vec<(u32, &'a [u8])> {
    let (mut address, mut rest) = (code.address, &code.bytes[..]);
    let mut parts = Vec::new();
    while rest.len() > MOST_PIECE {
        let most = address.saturating_add(MOST_PIECE as u32);
        let before = lines.partition_point(|line| line.address <= most);
        let begins = before.checked_sub(1).map(|last| lines[last].address);
        let length = begins
            .and_then(|begins| begins.checked_sub(address))
            .unwrap_or_default() as usize;
        let length = if length == 0 { MOST_PIECE } else { length };
        let (part, more) = rest.split_at(length);
        parts.push((address, part));
        (address, rest) = (address.saturating_add(length as u32), more);
    }
    parts.push((address, rest));
    parts
}

fn samples(recording: &Recording, registers: &[u32], database: &Connection) -> rusqlite::Result<()> {
    let insert = |table: &str, fixed: usize| {
        let places = vec!["?"; fixed + registers.len()].join(", ");
        database.prepare(&format!("INSERT INTO {table} VALUES ({places})"))
    };
    let mut sample_row = insert("samples", 4)?;
    let mut pair_row = insert("pairs", 3)?;
    fits("samples", recording.samples.len() as u64, MOST_ROWS)?;
    let images = recording.samples.len() as u64 * registers.len() as u64;
    fits("images of registers", images, MOST_IMAGES)?;
    let mut sum = Sums::new();
    for sample in &recording.samples {
        let [number, clock] = counts([sample.number, sample.clock])?;
        let kind = sample.kind.name();
        put(
            &mut sample_row,
            &[&number, &kind, &sample.run, &clock],
            &sample.images,
            registers,
        )?;
        if let Some(pair) = &sample.pair {
            let [clocks] = summed(&mut sum, [pair.clocks])?;
            put(
                &mut pair_row,
                &[&number, &pair.distance, &clocks],
                &pair.images,
                registers,
            )?;
        }
    }
    Ok(())
}

/// Inserts a row: fixed values, then for each of the registers its image or NULL.
fn put(row: &mut Statement<'_>, fixed: &[&dyn ToSql], images: &Images, registers: &[u32]) -> rusqlite::Result<()> {
    let images: Vec<Option<i64>> = registers
        .iter()
        .map(|register| images.get(*register).map(|image| image as i64))
        .collect();
    let images = images.iter().map(|image| image as &dyn ToSql);
    row.execute(params_from_iter(fixed.iter().copied().chain(images)))?;
    Ok(())
}

fn write_truth(truth: &Truth, database: &Connection) -> rusqlite::Result<()> {
    for (what, number, most) in [
        ("instructions", truth.instructions.len(), MOST_ROWS),
        (
            "clocks of instructions by cause",
            truth.instructions.iter().map(|one| one.causes.len()).sum(),
            MOST_CAUSES,
        ),
        (
            "exact events",
            truth.derived.len() + truth.instructions.iter().map(|one| one.derived.len()).sum::<usize>(),
            MOST_EVENTS,
        ),
        ("latencies", truth.latencies.len(), MOST_ROWS),
        ("lines of data", truth.data.len(), MOST_ROWS),
        ("instructions with pairs", truth.pairs.len(), MOST_ROWS),
    ] {
        fits(what, number as u64, most)?;
    }
    let mut row = database.prepare("INSERT INTO truth_instructions VALUES (?, ?, ?, ?, ?, ?, ?)")?;
    let mut cause_row = database.prepare("INSERT INTO truth_causes VALUES (?, ?, ?)")?;
    let mut event_row = database.prepare("INSERT INTO truth_events VALUES (?, ?, ?)")?;
    let (mut sums, mut of_causes, mut of_events) = (Sums::new(), Sums::new(), Sums::new());
    for one in &truth.instructions {
        let [executions, ops, paired, clocks] = summed(&mut sums, [one.executions, one.ops, one.paired, one.clocks])?;
        row.execute(params![
            one.address,
            one.length,
            text(&one.text),
            executions,
            ops,
            paired,
            clocks
        ])?;
        for (cause, clocks) in &one.causes {
            let [clocks] = summed(&mut of_causes, [*clocks])?;
            cause_row.execute(params![one.address, cause.name(), clocks])?;
        }
        for (code, count) in &one.derived {
            let [count] = summed(&mut of_events, [*count])?;
            event_row.execute(params![one.address, code, count])?;
        }
    }
    for (code, count) in &truth.derived {
        let [count] = summed(&mut of_events, [*count])?;
        event_row.execute(params![None::<u32>, code, count])?;
    }
    let mut row = database.prepare("INSERT INTO truth_latencies VALUES (?, ?, ?)")?;
    let mut sums = Sums::new();
    for (field, value, count) in &truth.latencies {
        let [count] = summed(&mut sums, [*count])?;
        row.execute(params![text(field), counts([*value])?[0], count])?;
    }
    let mut row = database.prepare("INSERT INTO truth_data VALUES (?, ?, ?, ?, ?, ?)")?;
    let mut sums = Sums::new();
    for one in &truth.data {
        let figures = [one.accesses, one.stores, one.misses, one.latency];
        let [accesses, stores, misses, latency] = summed(&mut sums, figures)?;
        let touched = one.touched as i64;
        row.execute(params![one.address, accesses, stores, misses, latency, touched])?;
    }
    let mut row = database.prepare("INSERT INTO truth_pairs VALUES (?, ?, ?, ?, ?)")?;
    let mut sums = Sums::new();
    for one in &truth.pairs {
        let figures = [one.pairs, one.overlapping, one.wasted, one.flights];
        let [pairs, overlapping, wasted, flights] = summed(&mut sums, figures)?;
        row.execute(params![one.address, pairs, overlapping, wasted, flights])?;
    }
    Ok(())
}

/// Converts counts to the numbers of the file; larger ones than [`super::read`] accepts are errors.
fn counts<const COUNT: usize>(numbers: [u64; COUNT]) -> rusqlite::Result<[i64; COUNT]> {
    if numbers.iter().any(|&number| number > LARGEST) {
        return Err(too_much(format!(
            "a count is above {LARGEST}, the most that it can hold"
        )));
    }
    Ok(numbers.map(|number| number as i64))
}

/// Converts counts and adds them to sums; larger sums than [`super::read`] accepts are errors.
fn summed<const COUNT: usize>(sums: &mut Sums<COUNT>, row: [u64; COUNT]) -> rusqlite::Result<[i64; COUNT]> {
    sums.add(row).map_err(too_much)?;
    counts(row)
}

/// Makes sure that the number of rows or bytes is within the reader's limit.
fn fits(what: &str, number: u64, most: u64) -> rusqlite::Result<()> {
    match number > most {
        true => Err(too_much(format!("there are {number} {what}, and it can hold {most}"))),
        false => Ok(()),
    }
}

fn too_much(why: String) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(Box::new(TooMuch(why)))
}

#[derive(Debug)]
struct TooMuch(String);

impl fmt::Display for TooMuch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TooMuch {}

/// A text, cut to the limit of the file: long names would slow down every statement.
fn text(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_TEXT)]
}
