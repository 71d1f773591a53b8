//! Questions in the form of DCPI's ProfileMe tools: `a::b` is the ratio of two figures, `a+b::c` two ratios.
//!
//! A figure is a derived event by code or name, a field of a register, or one of ProfileMe's names. Nobody needs to
//! have thought of the question when the program ran.

use super::Analysis;
use super::estimate::Sum;
use p5_chips::ibs::{Field, FieldUnit};
use p5_record::derived::{DERIVED, Derived, PROFILE_ME};
use p5_record::{Group, Grouping, Images, Lack, Sample, SampleKind};
use std::collections::BTreeMap;

/// The most columns of one question.
pub const MOST_COLUMNS: usize = 16;

/// A quantity to which each sample contributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// The count or sum of a derived event.
    Derived(&'static Derived),
    /// The value of a field, 0 or 1 for flags, and the kind of samples that have it, if not all may.
    Field(Field, Option<SampleKind>),
}

impl Figure {
    /// The figure of this name: a code such as `F206`, the name of a derived event with or without its kind, the name
    /// of a field, or a name of ProfileMe.
    pub fn by_name(name: &str) -> Option<Figure> {
        Figure::in_recording(name, &Analysis::default())
    }

    /// The figure of this name, including fields that only the `recording` describes.
    pub fn in_recording(name: &str, recording: &Analysis) -> Option<Figure> {
        let lower = name.to_ascii_lowercase();
        if let Some((_, code)) = PROFILE_ME.iter().find(|(known, _)| *known == lower) {
            return p5_record::derived::derived(*code).map(Figure::Derived);
        }
        let plain = lower.strip_prefix("ibs_").unwrap_or(&lower);
        let short = |event: &&Derived| event.name.split_once('_').is_some_and(|(_, short)| short == plain);
        // Fetches and ops may have events of the same name.
        let mut shorts = DERIVED.iter().filter(short);
        let only = shorts.next().filter(|_| shorts.next().is_none());
        let named = |event: &&Derived| event.name == plain || format!("{:x}", event.code) == lower;
        let event = DERIVED.iter().find(named).or(only).map(Figure::Derived);
        event.or_else(|| {
            let field = recording.field(name)?;
            let kind = recording.register(field.register).and_then(|register| register.kind);
            Some(Figure::Field(*field, kind))
        })
    }

    /// The names of all figures, for suggestions.
    pub fn names(recording: &Analysis) -> impl Iterator<Item = &'static str> {
        let events = DERIVED.iter().map(|event| event.name);
        let fields = recording.fields().map(|field| field.name);
        PROFILE_ME.iter().map(|(name, _)| *name).chain(events).chain(fields)
    }

    /// Its name in questions.
    pub fn name(&self) -> &'static str {
        match self {
            Figure::Derived(event) => event.name,
            Figure::Field(field, _) => field.name,
        }
    }

    /// The kind of samples that have it.
    pub fn kind(&self) -> Option<SampleKind> {
        match self {
            Figure::Derived(event) => Some(event.kind),
            Figure::Field(_, kind) => *kind,
        }
    }

    /// The registers that it is computed from.
    pub fn registers(&self) -> Vec<u32> {
        match self {
            Figure::Derived(event) => event.registers().collect(),
            Figure::Field(field, _) => vec![field.register],
        }
    }

    /// Its unit; flags are counted.
    pub fn unit(&self) -> FieldUnit {
        match self {
            Figure::Derived(event) => event.sum.map_or(FieldUnit::Flag, |field| field.unit),
            Figure::Field(field, _) => field.unit,
        }
    }

    /// Its amount in some images: 0 also if their registers are missing, which [`Analysis::lack_of`] reports.
    pub fn of(&self, images: &Images) -> u64 {
        match self {
            Figure::Derived(event) => event.of(images),
            Figure::Field(field, _) => images.field(field).unwrap_or_default(),
        }
    }

    /// The code of its derived event, for which exact figures may be known.
    pub fn code(&self) -> Option<u16> {
        match self {
            Figure::Derived(event) => Some(event.code),
            Figure::Field(..) => None,
        }
    }
}

/// A column: a figure, or the ratio of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// The figure, or the dividend of a ratio.
    pub numerator: Figure,
    /// The divisor of a ratio.
    pub denominator: Option<Figure>,
}

/// The error in a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadQuestion {
    /// No figure has this name.
    NoFigure(String),
    /// A name is missing before or after `::`, `+` or `,`.
    NoName(String),
    /// A condition has no comparison.
    NoComparison(String),
    /// A field is compared with something other than a number.
    NoNumber(String),
    /// There are more than this many columns.
    TooMany(usize),
    /// One figure is of fetches, and the other is of ops.
    Mixed(String),
    /// The samples do not determine whether a condition on this figure holds.
    NotKnown(String, Lack),
    /// A condition on this figure concerns other samples than this column.
    Elsewhere(String, String),
}

impl Ratio {
    /// The columns of a question to a `recording`: `a::b` for a ratio, `a+b::c` for two, several separated by commas.
    ///
    /// # Errors
    /// The error in the question.
    pub fn parse(question: &str, recording: &Analysis) -> Result<Vec<Ratio>, BadQuestion> {
        let figure = |name: &str| match name.trim() {
            "" => Err(BadQuestion::NoName(question.to_owned())),
            name => Figure::in_recording(name, recording).ok_or_else(|| BadQuestion::NoFigure(name.to_owned())),
        };
        let mut columns = Vec::new();
        for term in question.split(',') {
            let (numerators, denominator) = match term.split_once("::") {
                Some((numerators, denominator)) => (numerators, Some(figure(denominator)?)),
                None => (term, None),
            };
            for name in numerators.split('+') {
                let numerator = figure(name)?;
                let kinds = denominator.and_then(|denominator| denominator.kind().zip(numerator.kind()));
                if kinds.is_some_and(|(below, above)| below != above) {
                    return Err(BadQuestion::Mixed(term.trim().to_owned()));
                }
                columns.push(Ratio { numerator, denominator });
            }
            if columns.len() > MOST_COLUMNS {
                return Err(BadQuestion::TooMany(MOST_COLUMNS));
            }
        }
        Ok(columns)
    }

    /// The kind of samples that it concerns: the kind of its figures, unless all samples have them.
    pub fn kind(&self) -> Option<SampleKind> {
        let below = || self.denominator.and_then(|denominator| denominator.kind());
        self.numerator.kind().or_else(below)
    }

    /// Whether it is a share, which is shown in percent: both figures are in the same unit.
    pub fn is_share(&self) -> bool {
        self.denominator
            .is_some_and(|whole| whole.unit() == self.numerator.unit())
    }

    /// Its name, as in a question.
    pub fn name(&self) -> String {
        match self.denominator {
            Some(denominator) => format!("{}::{}", self.numerator.name(), denominator.name()),
            None => self.numerator.name().to_owned(),
        }
    }
}

/// A condition on samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter {
    /// A figure compared with a number.
    Figure(Figure, Comparing, u64),
    /// The label or procedure of the instruction, or the procedure that it follows: the name of its row by procedure.
    Procedure(String),
}

/// A comparison of a figure with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparing {
    /// The figure is equal to the number.
    Equal,
    /// The figure is not equal to it.
    Unequal,
    /// The figure is below it.
    Below,
    /// The figure is not above it.
    AtMost,
    /// The figure is above it.
    Above,
    /// The figure is not below it.
    AtLeast,
}

impl Filter {
    /// The conditions in a text such as `IbsDcMissLat>=20,proc=inner`, on the samples of a `recording`; all of them
    /// have to hold.
    ///
    /// # Errors
    /// The error in the text.
    pub fn parse(text: &str, recording: &Analysis) -> Result<Vec<Filter>, BadQuestion> {
        // Longer ones come first, because each begins with a shorter one.
        const COMPARISONS: [(&str, Comparing); 6] = [
            ("!=", Comparing::Unequal),
            ("<=", Comparing::AtMost),
            (">=", Comparing::AtLeast),
            ("=", Comparing::Equal),
            ("<", Comparing::Below),
            (">", Comparing::Above),
        ];
        let one = |condition: &str| {
            let condition = condition.trim();
            let found = COMPARISONS.iter().find_map(|(sign, comparing)| {
                let (name, value) = condition.split_once(sign)?;
                Some((name.trim(), *comparing, value.trim()))
            });
            let Some((name, comparing, value)) = found else {
                // A name alone selects the samples that have some.
                return match Figure::in_recording(condition, recording) {
                    Some(figure) => Ok(Filter::Figure(figure, Comparing::Unequal, 0)),
                    None => Err(BadQuestion::NoComparison(condition.to_owned())),
                };
            };
            if name.eq_ignore_ascii_case("proc") && comparing == Comparing::Equal {
                return Ok(Filter::Procedure(value.to_owned()));
            }
            let figure = Figure::in_recording(name, recording).ok_or_else(|| BadQuestion::NoFigure(name.to_owned()))?;
            let number = number(value).ok_or_else(|| BadQuestion::NoNumber(value.to_owned()))?;
            Ok(Filter::Figure(figure, comparing, number))
        };
        text.split(',').map(one).collect()
    }

    fn holds(&self, recording: &Analysis, sample: &Sample) -> bool {
        match self {
            Filter::Figure(figure, comparing, number) => {
                let value = figure.of(&sample.images);
                match comparing {
                    Comparing::Equal => value == *number,
                    Comparing::Unequal => value != *number,
                    Comparing::Below => value < *number,
                    Comparing::AtMost => value <= *number,
                    Comparing::Above => value > *number,
                    Comparing::AtLeast => value >= *number,
                }
            }
            Filter::Procedure(name) => {
                let Some(address) = sample.address() else {
                    return false;
                };
                let Some(routine) = recording.routine(address) else {
                    return false;
                };
                // A label that the same procedure has, if it has any.
                let label = recording.procedure(address).filter(|label| {
                    let of_label = recording.routine(label.address);
                    of_label.is_some_and(|of_label| of_label.begin() == routine.begin())
                });
                let labelled = label.is_some_and(|label| label.name.eq_ignore_ascii_case(name));
                labelled || routine.name().eq_ignore_ascii_case(name)
            }
        }
    }
}

/// A number as assembly spells it: decimal, or hexadecimal with `h` after or `0x` before it.
fn number(text: &str) -> Option<u64> {
    let lower = text.to_ascii_lowercase();
    match (lower.strip_prefix("0x"), lower.strip_suffix('h')) {
        (Some(digits), _) | (None, Some(digits)) => u64::from_str_radix(digits, 16).ok(),
        (None, None) => lower.parse().ok(),
    }
}

/// The figures of instructions, procedures or lines. A file may have a million of them, so that those of all groups are
/// in one list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RatioTable {
    /// The groups, that with the largest first column first.
    pub rows: Vec<RatioRow>,
    // Whether each column is known.
    known: Vec<bool>,
    // Numerators and denominators, by group and column.
    sums: Vec<(Sum, Sum)>,
    // The same exactly, of derived events without conditions; empty if nothing exact is known.
    exact: Vec<Option<(u64, u64)>>,
}

/// One instruction, procedure or line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RatioRow {
    /// What the figures belong to.
    pub group: Group,
    /// The number of samples in the group.
    pub samples: u64,
    place: usize,
}

impl RatioTable {
    /// Numerator and denominator of column `index`; none if one of them is not known.
    pub fn sums(&self, row: &RatioRow, index: usize) -> Option<&(Sum, Sum)> {
        self.known[index].then(|| &self.sums[row.place * self.known.len() + index])
    }

    /// The exact numerator and denominator of column `index`, if known.
    pub fn exact(&self, row: &RatioRow, index: usize) -> Option<(u64, u64)> {
        *self.exact.get(row.place * self.known.len() + index)?
    }

    /// Adds a group without samples.
    fn add(&mut self, group: Group) -> usize {
        let place = self.rows.len();
        self.rows.push(RatioRow {
            group,
            samples: 0,
            place,
        });
        self.sums.resize((place + 1) * self.known.len(), Default::default());
        place
    }
}

impl Analysis {
    /// The reason why a column is not known; none if it is.
    pub fn lack_of_ratio(&self, ratio: &Ratio) -> Option<Lack> {
        let denominator = || ratio.denominator.as_ref().and_then(|figure| self.lack_of(figure));
        self.lack_of(&ratio.numerator).or_else(denominator)
    }

    /// The figures of the samples for which all of `filters` hold, by group.
    pub fn top(&self, ratios: &[Ratio], filters: &[Filter], by: Grouping) -> RatioTable {
        let mut table = RatioTable {
            known: ratios.iter().map(|ratio| self.lack_of_ratio(ratio).is_none()).collect(),
            ..RatioTable::default()
        };
        let mut places: BTreeMap<Group, usize> = BTreeMap::new();
        let mut groups = self.groups(by);
        let kinds: Vec<Option<SampleKind>> = ratios.iter().map(|ratio| ratio.kind()).collect();
        for sample in &self.samples {
            let concerns = kinds.iter().any(|kind| kind.is_none_or(|kind| kind == sample.kind));
            if !concerns || !filters.iter().all(|filter| filter.holds(self, sample)) {
                continue;
            }
            let group = groups.of_sample(sample);
            let place = *places.entry(group).or_insert_with(|| table.add(group));
            table.rows[place].samples += 1;
            let sums = &mut table.sums[place * ratios.len()..][..ratios.len()];
            for ((ratio, kind), (above, below)) in ratios.iter().zip(&kinds).zip(sums) {
                if kind.is_none_or(|kind| kind == sample.kind) {
                    above.add(ratio.numerator.of(&sample.images));
                    if let Some(denominator) = ratio.denominator {
                        below.add(denominator.of(&sample.images));
                    }
                }
            }
        }
        if filters.is_empty() {
            self.add_exact_ratios(ratios, by, &places, &mut table);
        }
        let mut rows = std::mem::take(&mut table.rows);
        let first = |row: &RatioRow| match ratios {
            [] => 0,
            _ => table.sums(row, 0).map_or(0, |(above, _)| above.total),
        };
        rows.sort_by_key(|row| (std::cmp::Reverse(first(row)), std::cmp::Reverse(row.samples), row.group));
        RatioTable { rows, ..table }
    }

    fn add_exact_ratios(
        &self,
        ratios: &[Ratio],
        by: Grouping,
        places: &BTreeMap<Group, usize>,
        table: &mut RatioTable,
    ) {
        let Some(truth) = self.comparable(SampleKind::Op) else {
            return;
        };
        table.exact = vec![None; table.sums.len()];
        let mut groups = self.groups(by);
        for instruction in &truth.instructions {
            let Some(&place) = places.get(&groups.of(instruction.address)) else {
                continue;
            };
            let count = |code: u16| {
                let found = instruction.derived.iter().find(|(own, _)| *own == code);
                found.map_or(0, |(_, count)| *count)
            };
            let exact = &mut table.exact[place * ratios.len()..][..ratios.len()];
            for (ratio, exact) in ratios.iter().zip(exact) {
                // Exact figures by instruction are of ops alone.
                if ratio.kind() != Some(SampleKind::Op) {
                    continue;
                }
                let below = ratio.denominator.map(|figure| figure.code());
                if let (Some(above), Some(below)) = (ratio.numerator.code(), below.unwrap_or(Some(0))) {
                    let sums = exact.get_or_insert((0, 0));
                    sums.0 += count(above);
                    sums.1 += count(below);
                }
            }
        }
    }
}
