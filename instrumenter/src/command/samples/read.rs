//! Reads a recording from a file in which every number may have any value.

use super::bounds::{self, LARGEST, LONGEST_READ, MOST_CODE, MOST_IMAGES, MOST_REGISTERS, MOST_ROWS, Sums};
use super::schema;
use runtime::model::ibs::SampleKind;
use runtime::model::later;
use runtime::record::{
    Attempts, Choice, CountMode, Described, Images, Pair, Randomization, Recording, Sample, SampledCode, SampledLine,
    SampledMachine, SampledSymbol, Sampling,
};
use rusqlite::{Connection, Row};
use std::collections::BTreeMap;
use std::str::FromStr;

mod described;
mod truth;

/// A result whose error is one line, without the file's name.
type Read<T> = Result<T, String>;

/// The recording in a database that [`super::guard`] opened. The error names its defect.
pub(super) fn recording(database: &Connection) -> Read<Recording> {
    let meta = Meta(
        rows(database, "SELECT key, value FROM meta", |row| {
            Ok((text(row, 0)?, text(row, 1)?))
        })?
        .into_iter()
        .collect(),
    );
    let described = described::described(database)?;
    let mut samples = read_samples(database, &described)?;
    let pairs = read_pairs(database, &described)?;
    for (number, pair) in pairs {
        let sample = usize::try_from(number)
            .ok()
            .and_then(|number| samples.get_mut(number.checked_sub(1)?));
        let sample = sample.ok_or_else(|| format!("there is a pair of sample {number}, but no such sample"))?;
        sample.pair = Some(Box::new(pair));
    }
    let sampling = sampling(&meta, database, &described)?;
    let files: Vec<String> = rows(database, "SELECT name FROM files ORDER BY id", |row| text(row, 0))?;
    let lines = rows(
        database,
        "SELECT address, length, file, line FROM lines ORDER BY address",
        |row| {
            Ok(SampledLine {
                address: number(row, 0)?,
                length: number(row, 1)?,
                file: number(row, 2)?,
                line: number(row, 3)?,
            })
        },
    )?;
    let symbols = "SELECT name, address, size, code, library FROM symbols ORDER BY address, rowid";
    let bits = meta.number("code_bits")?.unwrap_or_default();
    let recording = Recording {
        program: meta.text("program")?,
        machine: machine(&meta)?,
        sampling,
        stopped: meta.0.get("stopped").cloned(),
        files,
        symbols: rows(database, symbols, |row| {
            Ok(SampledSymbol {
                name: text(row, 0)?,
                address: number(row, 1)?,
                size: number(row, 2)?,
                code: number::<u8>(row, 3)? != 0,
                library: number::<u8>(row, 4)? != 0,
            })
        })?,
        lines,
        code: code(database, bits)?,
        stack: meta.reach("stack")?,
        heap: meta.reach("heap")?,
        code_bits: bits,
        described,
        samples,
        truth: meta
            .count("truth_clocks")?
            .map(|clocks| truth::truth(&meta, clocks, database))
            .transpose()?,
    };
    bounds::sound(&recording)?;
    Ok(recording)
}

/// The code, which files of earlier versions lack. Consecutive rows of one width are joined to one piece; in files
/// without a column for it, the width is `bits`.
fn code(database: &Connection, bits: u32) -> Read<Vec<SampledCode>> {
    let there = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'code'";
    if rows(database, there, |row| number::<u8>(row, 0))? == [0] {
        return Ok(Vec::new());
    }
    let (mut total, mut pieces) = (0, Vec::<SampledCode>::new());
    rows(database, "SELECT * FROM code ORDER BY address", |row| {
        let address: u32 = number(row, 0)?;
        let has_width = row.as_ref().column_count() > 2;
        let bits = if has_width { number(row, 2)? } else { bits };
        let bytes = row.get_ref(1).map_err(|error| error.to_string())?;
        let bytes = bytes.as_blob().map_err(|error| error.to_string())?;
        total += bytes.len();
        if total > MOST_CODE {
            return Err(format!("it has more than {} MiB of code", MOST_CODE >> 20));
        }
        let end = |piece: &SampledCode| u64::from(piece.address) + piece.bytes.len() as u64;
        match pieces.last_mut() {
            Some(last) if end(last) == u64::from(address) && last.bits == bits => last.bytes.extend_from_slice(bytes),
            _ => pieces.push(SampledCode {
                address,
                bytes: bytes.to_vec(),
                bits,
            }),
        }
        Ok(())
    })?;
    Ok(pieces)
}

struct Meta(BTreeMap<String, String>);

impl Meta {
    fn text(&self, key: &str) -> Read<String> {
        let value = self.0.get(key).cloned();
        value.ok_or_else(|| format!("table `meta` has no `{key}`"))
    }

    fn number<T: FromStr>(&self, key: &str) -> Read<Option<T>> {
        let parsed = self.0.get(key).map(|value| value.parse());
        parsed
            .transpose()
            .map_err(|_| format!("`{key}` in table `meta` is no such number"))
    }

    /// The first and the last address of an area, which files of earlier versions lack.
    fn reach(&self, area: &str) -> Read<Option<(u32, u32)>> {
        let [first, last] = ["first", "last"].map(|end| self.number(&format!("{area}_{end}")));
        Ok(first?.zip(last?))
    }

    /// A number that can be added to sums.
    fn count(&self, key: &str) -> Read<Option<u64>> {
        let number: Option<u64> = self.number(key)?;
        if number.is_some_and(|number| number > LARGEST) {
            return Err(format!("`{key}` in table `meta` is out of range"));
        }
        Ok(number)
    }

    fn needed_count(&self, key: &str) -> Read<u64> {
        self.count(key)?.ok_or_else(|| format!("table `meta` has no `{key}`"))
    }

    fn needed<T: FromStr>(&self, key: &str) -> Read<T> {
        self.number(key)?.ok_or_else(|| format!("table `meta` has no `{key}`"))
    }

    fn one_of<T: Copy>(&self, key: &str, all: &[T], name: impl Fn(T) -> &'static str) -> Read<T> {
        let wanted = self.text(key)?;
        let found = all.iter().copied().find(|&one| name(one) == wanted);
        found.ok_or_else(|| format!("`{key}` in table `meta` is {wanted:?}, which there is not"))
    }
}

fn machine(meta: &Meta) -> Read<SampledMachine> {
    let assumed = meta.0.iter().filter_map(|(key, answer)| {
        let name = key.strip_prefix("assumed:")?;
        Some((name.to_owned(), answer.clone()))
    });
    // Earlier versions wrote the instructions of later processors among the monitors.
    let names = ["monitors", "also"].into_iter().filter_map(|key| meta.0.get(key));
    let names = names.flat_map(|names| names.split(',')).map(str::to_owned);
    let (also, monitors) = names.partition(|name| later(name).is_ok());
    Ok(SampledMachine {
        chip: meta.text("chip")?,
        chip_title: meta.text("chip_title")?,
        memory: meta.text("memory")?,
        assumed: assumed.collect(),
        monitors,
        also,
        core_ratio: meta.0.get("core_ratio").cloned(),
        cpl: meta.needed("cpl")?,
        width: meta.number("width")?,
        line_bytes: meta.needed("line_bytes")?,
        page_bytes: meta.needed("page_bytes")?,
    })
}

fn sampling(meta: &Meta, database: &Connection, described: &Described) -> Read<Sampling> {
    let attempts = |kind: SampleKind| -> Read<Option<Attempts>> {
        let query = "SELECT period, made, dropped, flushed, filtered FROM attempts WHERE kind = ";
        let found = rows(database, &format!("{query}'{}'", kind.name()), |row| {
            Ok(Attempts {
                period: number::<u64>(row, 0)?.max(1),
                made: number(row, 1)?,
                dropped: known(row, 2)?,
                flushed: known(row, 3)?,
                filtered: number(row, 4)?,
            })
        })?;
        Ok(found.first().copied())
    };
    let kept = match meta.0.get("kept") {
        None => None,
        Some(names) => {
            let named = names.split(',').filter(|name| !name.is_empty());
            let numbers = named
                .map(|name| schema::register(name, described).ok_or_else(|| format!("there is no register {name:?}")));
            Some(numbers.collect::<Read<Vec<u32>>>()?)
        }
    };
    Ok(Sampling {
        runs: (meta.needed("first_run")?, meta.needed("last_run")?),
        fetch: attempts(SampleKind::Fetch)?,
        op: attempts(SampleKind::Op)?,
        choice: Choice {
            mode: meta.one_of("mode", &CountMode::ALL, CountMode::name)?,
            randomization: meta.one_of("randomization", &Randomization::ALL, Randomization::name)?,
            seed: meta.needed("seed")?,
            kept,
            load_latency: meta.number("load_latency")?,
            last_level_misses_only: meta.needed::<u8>("last_level_misses_only")? != 0,
            window: meta.number("window")?,
        },
        cut: meta.needed_count("cut")?,
        lost: meta.count("lost")?.unwrap_or_default(),
    })
}

fn read_samples(database: &Connection, described: &Described) -> Read<Vec<Sample>> {
    let registers = registers(database, "samples", 4, described)?;
    let query = format!(
        "SELECT number, kind, run, clock{} FROM samples ORDER BY number",
        registers.columns
    );
    rows(database, &query, |row| {
        let name = text(row, 1)?;
        let kind = SampleKind::ALL.into_iter().find(|kind| kind.name() == name);
        Ok(Sample {
            number: number(row, 0)?,
            kind: kind.ok_or_else(|| format!("there is no kind {name:?} of samples"))?,
            run: number(row, 2)?,
            clock: number(row, 3)?,
            images: registers.images(row, 4)?,
            pair: None,
        })
    })
}

fn read_pairs(database: &Connection, described: &Described) -> Read<Vec<(u64, Pair)>> {
    let registers = registers(database, "pairs", 3, described)?;
    let query = format!("SELECT number, distance, clocks{} FROM pairs", registers.columns);
    let mut sum = Sums::new();
    rows(database, &query, |row| {
        let pair = Pair {
            distance: number(row, 1)?,
            clocks: number(row, 2)?,
            images: registers.images(row, 3)?,
        };
        sum.add([pair.clocks])?;
        Ok((number(row, 0)?, pair))
    })
}

/// The registers to which the columns of a table belong.
struct Registers {
    numbers: Vec<u32>,
    /// Their names in SQL, each preceded by a comma.
    columns: String,
}

impl Registers {
    fn images(&self, row: &Row<'_>, first: usize) -> Read<Images> {
        let image = |index: usize| match row.get::<_, Option<i64>>(first + index) {
            Ok(image) => Ok(image.map(|image| image as u64)),
            Err(error) => Err(error.to_string()),
        };
        let mut images = Images::default();
        for (index, register) in self.numbers.iter().enumerate() {
            if let Some(image) = image(index)? {
                images.set(*register, image);
            }
        }
        Ok(images)
    }
}

fn registers(database: &Connection, table: &str, fixed: usize, described: &Described) -> Read<Registers> {
    // A pragma would list them, but none is allowed.
    let statement = database
        .prepare(&format!("SELECT * FROM {table}"))
        .map_err(|error| error.to_string())?;
    let names = statement.column_names();
    let mut registers = Registers {
        numbers: Vec::new(),
        columns: String::new(),
    };
    for name in names.into_iter().skip(fixed) {
        // A column of no register was added by a later version.
        let Some(number) = schema::register(name, described) else {
            continue;
        };
        if registers.numbers.contains(&number) {
            return Err(format!("table `{table}` has two columns of the register of {name:?}"));
        }
        registers.numbers.push(number);
        registers.columns.push_str(", ");
        registers.columns.push_str(&schema::quoted(name));
        if registers.numbers.len() > MOST_REGISTERS {
            return Err(format!("table `{table}` has more than {MOST_REGISTERS} registers"));
        }
    }
    // A column that was added with a default takes no space in the file.
    let rows: i64 = database
        .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))
        .map_err(|error| error.to_string())?;
    if rows.unsigned_abs().saturating_mul(registers.numbers.len() as u64) > MOST_IMAGES {
        return Err(format!(
            "table `{table}` has more than {MOST_IMAGES} images of registers"
        ));
    }
    Ok(registers)
}

fn rows<T>(database: &Connection, query: &str, read: impl FnMut(&Row<'_>) -> Read<T>) -> Read<Vec<T>> {
    at_most(MOST_ROWS, database, query, read)
}

/// The rows of a query; more than `most` are an error.
fn at_most<T>(
    most: u64,
    database: &Connection,
    query: &str,
    mut read: impl FnMut(&Row<'_>) -> Read<T>,
) -> Read<Vec<T>> {
    let problem = |error: rusqlite::Error| error.to_string();
    let mut statement = database.prepare(query).map_err(problem)?;
    let mut rows = statement.query([]).map_err(problem)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().map_err(problem)? {
        if found.len() as u64 >= most {
            return Err(format!("a table has more than {most} rows"));
        }
        found.push(read(row)?);
    }
    Ok(found)
}

fn text(row: &Row<'_>, column: usize) -> Read<String> {
    let value = row.get_ref(column).map_err(|error| error.to_string())?;
    let text = value.as_str().map_err(|error| error.to_string())?;
    match text.len() > LONGEST_READ {
        true => Err(format!("a text is longer than {} KiB", LONGEST_READ >> 10)),
        false => Ok(text.to_owned()),
    }
}

/// A number that fits its unsigned type.
fn number<T: TryFrom<i64>>(row: &Row<'_>, column: usize) -> Read<T> {
    let value: i64 = row.get(column).map_err(|error| error.to_string())?;
    let bounded = if value <= LARGEST as i64 { value } else { -1 };
    T::try_from(bounded).map_err(|_| format!("{value} is out of range"))
}

/// A number that fits its unsigned type; `None` if the recorder did not know it.
fn known<T: TryFrom<i64>>(row: &Row<'_>, column: usize) -> Read<Option<T>> {
    let value: Option<i64> = row.get(column).map_err(|error| error.to_string())?;
    value.map(|_| number(row, column)).transpose()
}

/// Adds the numbers of a row to the sums of their columns, and returns them.
fn summed<const COLUMNS: usize>(sums: &mut Sums<COLUMNS>, row: [Read<u64>; COLUMNS]) -> Read<[u64; COLUMNS]> {
    let mut numbers = [0; COLUMNS];
    for (number, read) in numbers.iter_mut().zip(row) {
        *number = read?;
    }
    sums.add(numbers)?;
    Ok(numbers)
}
