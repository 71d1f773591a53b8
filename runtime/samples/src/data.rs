//! Accesses grouped by the accessed data: symbols, cache lines or pages rather than instructions.

use super::Analysis;
use super::estimate::Sum;
use p5_chips::ibs::{DC_LIN_AD, DC_LIN_ADDR_VALID, DC_MISS, DC_MISS_LAT, IBS_DC_LIN_AD, IBS_OP_DATA3, LD_OP, ST_OP};
use p5_record::{Lack, Reach, SampleKind, TrueData};
use p5_record::{touched, width};
use std::collections::BTreeMap;

/// The unit by which accesses are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataGrouping {
    /// The symbol that covers the address.
    Symbol,
    /// The line of the data cache.
    Line,
    /// The page of memory.
    Page,
}

/// The place that a row describes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DataPlace {
    /// The name and the address of a symbol.
    Symbol(String, u32),
    /// A line or page that begins at this address, with the symbols of data in it if any are known.
    At(u32, Option<String>),
    /// The stack, where no symbol covers it.
    Stack,
    /// The heap and the mappings of a process, where no symbol covers them.
    Heap,
    /// The page at this address, where no symbol covers it.
    Nameless(u32),
}

/// The accesses of one place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataRow {
    /// The sampled loads and stores.
    pub accesses: Sum,
    /// Accesses that missed the data cache.
    pub misses: Sum,
    /// The clocks that missing loads waited.
    pub latency: Sum,
    /// The touched bytes of each line, as [`TrueData::touched`].
    lines: BTreeMap<u32, u64>,
    /// The exact figures, if they are known.
    pub exact: Option<ExactData>,
}

/// Exact figures of a place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExactData {
    /// All loads and stores.
    pub accesses: u64,
    /// Accesses that missed the data cache.
    pub misses: u64,
    /// The clocks that missing loads waited.
    pub latency: u64,
    lines: BTreeMap<u32, u64>,
}

/// The share of the bytes of its lines that were touched, 0 to 1; none without a line.
fn utilization(lines: &BTreeMap<u32, u64>, line_bytes: u32) -> Option<f64> {
    let grains = line_bytes.clamp(1, 64);
    let touched: u32 = lines.values().map(|touched| touched.count_ones()).sum();
    (!lines.is_empty()).then(|| f64::from(touched) / (f64::from(grains) * lines.len() as f64))
}

impl DataRow {
    /// The share of the bytes of the sampled lines that sampled accesses touched, 0 to 1: a lower bound.
    pub fn utilization(&self, line_bytes: u32) -> Option<f64> {
        utilization(&self.lines, line_bytes)
    }

    /// The number of distinct lines.
    pub fn lines(&self) -> usize {
        self.lines.len()
    }
}

impl ExactData {
    /// The share of the bytes of all accessed lines that were touched.
    pub fn utilization(&self, line_bytes: u32) -> Option<f64> {
        utilization(&self.lines, line_bytes)
    }
}

impl Analysis {
    /// Accesses by place, those accessed most often first.
    pub fn data(&self, by: DataGrouping) -> Vec<(DataPlace, DataRow)> {
        let line_bytes = self.machine.line_bytes.max(1);
        let mut rows: BTreeMap<DataPlace, DataRow> = BTreeMap::new();
        for sample in &self.samples {
            let (load, store) = (sample.images.flag(&LD_OP), sample.images.flag(&ST_OP));
            if sample.kind != SampleKind::Op || !(load || store) || !sample.images.flag(&DC_LIN_ADDR_VALID) {
                continue;
            }
            let Some(address) = sample.images.field(&DC_LIN_AD) else {
                continue;
            };
            let address = address as u32;
            let missed = sample.images.flag(&DC_MISS);
            let row = rows.entry(self.data_place(address, by)).or_default();
            row.accesses.add(1);
            row.misses.add(u64::from(missed));
            if load && missed {
                row.latency.add(sample.images.field(&DC_MISS_LAT).unwrap_or_default());
            }
            let line = row.lines.entry(address & !(line_bytes - 1)).or_default();
            *line |= touched(address, width(&sample.images), line_bytes);
        }
        if let Some(truth) = self.comparable(SampleKind::Op) {
            for row in rows.values_mut() {
                row.exact = Some(ExactData::default());
            }
            for line in &truth.data {
                self.add_exact(line, by, &mut rows);
            }
        }
        let mut rows: Vec<(DataPlace, DataRow)> = rows.into_iter().collect();
        let exact = |row: &DataRow| row.exact.as_ref().map_or(0, |exact| exact.accesses);
        rows.sort_by_key(|(_, row)| std::cmp::Reverse((row.accesses.total, exact(row))));
        rows
    }

    fn add_exact(&self, part: &TrueData, by: DataGrouping, rows: &mut BTreeMap<DataPlace, DataRow>) {
        let row = rows.entry(self.data_place(part.address, by)).or_default();
        let exact = row.exact.get_or_insert_default();
        exact.accesses += part.accesses;
        exact.misses += part.misses;
        exact.latency += part.latency;
        let line = part.address & !(self.machine.line_bytes.max(1) - 1);
        *exact.lines.entry(line).or_default() |= part.touched;
    }

    fn data_place(&self, address: u32, by: DataGrouping) -> DataPlace {
        let place = |bytes: u32| {
            let first = address & !(bytes.max(1) - 1);
            DataPlace::At(first, self.names_between(first, bytes))
        };
        match by {
            DataGrouping::Symbol => match self.datum(address) {
                Some(symbol) => DataPlace::Symbol(symbol.name.clone(), symbol.address),
                None => self.area(address).unwrap_or_else(|| {
                    let bytes = self.machine.page_bytes.max(1);
                    DataPlace::Nameless(address & !(bytes - 1))
                }),
            },
            DataGrouping::Line => place(self.machine.line_bytes),
            DataGrouping::Page => place(self.machine.page_bytes),
        }
    }

    /// The stack or the heap, if an address is in one.
    pub fn area(&self, address: u32) -> Option<DataPlace> {
        let holds = |reach: Option<Reach>| reach.is_some_and(|(first, last)| (first..=last).contains(&address));
        match (holds(self.stack), holds(self.heap)) {
            (true, _) => Some(DataPlace::Stack),
            (_, true) => Some(DataPlace::Heap),
            _ => None,
        }
    }

    /// The first symbol of data in some bytes, and how many more there are.
    fn names_between(&self, first: u32, bytes: u32) -> Option<String> {
        let last = first.saturating_add(bytes.max(1) - 1);
        let start = self.symbols.partition_point(|symbol| symbol.address <= first);
        let end = self.symbols.partition_point(|symbol| symbol.address <= last);
        let begins = self.symbols[start..end].iter().filter(|symbol| !symbol.code);
        let mut all = self.datum(first).into_iter().chain(begins);
        let name = &all.next()?.name;
        Some(match all.count() {
            0 => name.clone(),
            more => format!("{name} and {more} more"),
        })
    }

    /// The reason why nothing is known of data; none if something is.
    pub fn lack_of_data(&self) -> Option<Lack> {
        self.lack(Some(SampleKind::Op), [IBS_OP_DATA3, IBS_DC_LIN_AD])
    }
}
