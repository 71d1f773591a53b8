//! The distribution of a field's values, in the eight buckets that HP Caliper shows latencies in.
//!
//! A mean says nothing of a memory hierarchy: latencies are a spike for each level.

use super::Analysis;
use p5_chips::ibs::{
    BR_TARGET, DC_LIN_AD, DC_LIN_ADDR_VALID, DC_PHY_ADDR_VALID, DC_PHYS_AD, FETCH_PHY_ADDR_VALID, FETCH_PHYS_AD, Field,
    FieldUnit, OP_RIP, RIP_INVALID,
};
use p5_record::derived::{Condition, LATENCIES};
use p5_record::{Group, Grouping, Sample, SampleKind};
use std::collections::BTreeMap;

/// The most buckets with samples.
pub const BUCKETS: usize = 8;

/// The values of a field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    /// Up to [`BUCKETS`] buckets with samples, ascending; with exact counts, also buckets between them.
    pub buckets: Vec<Bucket>,
    /// The number of samples in which the field is defined: the sum of all buckets.
    pub samples: u64,
    /// The sum of the values.
    pub total: u128,
    /// The middle value, of an even number of samples the upper one of the two. None without samples.
    pub median: Option<u64>,
    /// The smallest and the largest value.
    pub range: Option<(u64, u64)>,
    /// The number of fetches or ops that the exact counts cover; none if they are not known.
    pub population: Option<u64>,
}

/// The samples whose value lies in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The smallest value of the range.
    pub from: u64,
    /// The largest value of the range.
    pub to: u64,
    /// The number of samples.
    pub samples: u64,
    /// The sum of their values.
    pub total: u128,
    /// The exact number, sampled or not; none if it is not known.
    pub exact: Option<u64>,
}

/// Fields of addresses, with the condition under which each is defined.
const ADDRESSES: &[(Field, Condition)] = &[
    (FETCH_PHYS_AD, Condition::Any(&[FETCH_PHY_ADDR_VALID])),
    (OP_RIP, Condition::Clear(&[RIP_INVALID])),
    (DC_LIN_AD, Condition::Any(&[DC_LIN_ADDR_VALID])),
    (DC_PHYS_AD, Condition::Any(&[DC_PHY_ADDR_VALID])),
    // A branch that is not taken has no target.
    (BR_TARGET, Condition::Any(&[BR_TARGET])),
];

/// The values of a field in the samples of one instruction, procedure or line.
#[derive(Clone, Debug, PartialEq)]
pub struct HistogramRow {
    /// What the figures belong to.
    pub group: Group,
    /// The number of samples in which the field is defined: the sum of `buckets`.
    pub samples: u64,
    /// The sum of the values.
    pub total: u128,
    /// The middle value, of an even number of samples the upper one of the two.
    pub median: u64,
    /// The samples of each range of [`Analysis::histogram`].
    pub buckets: Vec<u64>,
}

impl Analysis {
    /// The kind of samples that have a field, and the conditions under which its value is defined.
    fn defined(&self, field: &Field) -> (Option<SampleKind>, &'static [Condition]) {
        let latency = LATENCIES.iter().find(|(latency, ..)| latency == field);
        match latency {
            Some((_, kind, conditions)) => (Some(*kind), conditions),
            None => {
                let address = ADDRESSES.iter().find(|(address, _)| address == field);
                let kind = self.register(field.register).and_then(|register| register.kind);
                (
                    kind,
                    address.map_or(&[], |(_, condition)| std::slice::from_ref(condition)),
                )
            }
        }
    }

    /// The kind of samples that have a field, and the registers that determine its value and whether it is defined.
    pub fn behind(&self, field: &Field) -> (Option<SampleKind>, Vec<u32>) {
        let (kind, conditions) = self.defined(field);
        let others = conditions.iter().flat_map(Condition::fields);
        (
            kind,
            std::iter::once(field)
                .chain(others)
                .map(|field| field.register)
                .collect(),
        )
    }

    /// The samples in which a field is defined, with its value.
    fn values<'r>(&'r self, field: &'r Field) -> impl Iterator<Item = (&'r Sample, u64)> {
        let (kind, conditions) = self.defined(field);
        let of_kind = self
            .samples
            .iter()
            .filter(move |sample| kind.is_none_or(|kind| kind == sample.kind));
        let meant = of_kind.filter(|sample| conditions.iter().all(|condition| condition.holds(&sample.images)));
        meant.filter_map(|sample| Some((sample, sample.images.field(field)?)))
    }

    /// The values of a field by instruction, procedure or line, in the buckets of `whole`, the histogram of the field.
    /// Groups with the largest sums come first.
    pub fn histograms(&self, field: &Field, whole: &Histogram, by: Grouping) -> Vec<HistogramRow> {
        let mut groups = self.groups(by);
        let mut values: BTreeMap<Group, Vec<u64>> = BTreeMap::new();
        for (sample, value) in self.values(field) {
            values.entry(groups.of_sample(sample)).or_default().push(value);
        }
        let row = |(group, mut values): (Group, Vec<u64>)| {
            values.sort_unstable();
            let inside = |bucket: &Bucket| {
                let first = values.partition_point(|&value| value < bucket.from);
                (values.partition_point(|&value| value <= bucket.to) - first) as u64
            };
            HistogramRow {
                group,
                samples: values.len() as u64,
                total: values.iter().map(|&value| u128::from(value)).sum(),
                median: values.get(values.len() / 2).copied().unwrap_or_default(),
                buckets: whole.buckets.iter().map(inside).collect(),
            }
        };
        let mut rows: Vec<HistogramRow> = values.into_iter().map(row).collect();
        // A sum of addresses has no meaning.
        let size = |row: &HistogramRow| match field.unit {
            FieldUnit::Address | FieldUnit::Code => u128::from(row.samples),
            _ => row.total,
        };
        rows.sort_by_key(|row| (std::cmp::Reverse(size(row)), std::cmp::Reverse(row.samples), row.group));
        rows
    }

    /// The distribution of a field over the samples in which it is defined. The samples determine the buckets; with
    /// `truth`, exact values outside them get buckets of their own, without samples.
    pub fn histogram(&self, field: &Field, truth: bool) -> Histogram {
        let (kind, _) = self.defined(field);
        let mut values: Vec<u64> = self.values(field).map(|(_, value)| value).collect();
        values.sort_unstable();
        let known = kind.is_none_or(|kind| !self.is_filtered(kind));
        let exact = if known { self.exact_values(field) } else { Vec::new() };
        let mut distinct = values.clone();
        distinct.dedup();
        let mut ranges = ranges(&distinct);
        if truth {
            let mut known: Vec<u64> = exact.iter().map(|&(value, _)| value).collect();
            known.sort_unstable();
            known.dedup();
            ranges = with_others(&ranges, &known);
        }
        let mut buckets: Vec<Bucket> = ranges
            .into_iter()
            .map(|(from, to)| {
                let first = values.partition_point(|&value| value < from);
                let end = values.partition_point(|&value| value <= to);
                let inside = &values[first..end];
                let counted = exact.iter().filter(|(value, _)| (from..=to).contains(value));
                Bucket {
                    from,
                    to,
                    samples: inside.len() as u64,
                    total: inside.iter().map(|&value| u128::from(value)).sum(),
                    exact: (!exact.is_empty()).then(|| counted.map(|&(_, count)| count).sum()),
                }
            })
            .collect();
        buckets.retain(|bucket| bucket.samples > 0 || bucket.exact.is_some_and(|exact| exact > 0));
        Histogram {
            buckets,
            samples: values.len() as u64,
            total: values.iter().map(|&value| u128::from(value)).sum(),
            median: values.get(values.len() / 2).copied(),
            range: values.first().copied().zip(values.last().copied()),
            population: (!exact.is_empty()).then(|| exact.iter().map(|&(_, count)| count).sum()),
        }
    }

    /// The exact values of a field of latency, each with the number of all fetches or ops that had it, whether or not a
    /// filter would have kept them.
    pub fn exact_values(&self, field: &Field) -> Vec<(u64, u64)> {
        let Some(truth) = &self.truth else { return Vec::new() };
        let of_field = truth.latencies.iter().filter(|(name, ..)| name == field.name);
        of_field.map(|&(_, value, count)| (value, count)).collect()
    }
}

/// The ascending `ranges`, with further ones for the ascending `values` outside them; without any, those of the values.
fn with_others(ranges: &[(u64, u64)], values: &[u64]) -> Vec<(u64, u64)> {
    if ranges.is_empty() {
        return self::ranges(values);
    }
    let mut all = Vec::new();
    let mut rest = values;
    for range in ranges.iter().map(Some).chain([None]) {
        let before = range.map_or(rest.len(), |&(from, _)| rest.partition_point(|&value| value < from));
        if let (Some(&first), Some(&last)) = (rest[..before].first(), rest[..before].last()) {
            all.push((first, last));
        }
        let after = range.map_or(rest.len(), |&(_, to)| rest.partition_point(|&value| value <= to));
        rest = &rest[after..];
        all.extend(range);
    }
    all
}

/// Ascending ranges that cover the ascending values: one for each while they are few, otherwise of equal ratio.
fn ranges(distinct: &[u64]) -> Vec<(u64, u64)> {
    if distinct.len() <= BUCKETS {
        return distinct.iter().map(|&value| (value, value)).collect();
    }
    let (Some(&least), Some(&most)) = (distinct.first(), distinct.last()) else {
        return Vec::new();
    };
    let first = least.max(1) as f64;
    let ratio = (most as f64 / first).powf(1.0 / BUCKETS as f64);
    let mut ranges = Vec::new();
    let mut from = least;
    for step in 1..=BUCKETS as i32 {
        let end = if step == BUCKETS as i32 {
            most
        } else {
            ((first * ratio.powi(step)) as u64).min(most)
        };
        if end >= from {
            ranges.push((from, end));
            let Some(next) = end.checked_add(1) else { break };
            from = next;
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_beside_the_ranges_of_samples_have_their_own() {
        let samples = [(3, 3), (10, 19), (20, 40)];
        let all = with_others(&samples, &[1, 2, 3, 5, 15, 40, 41, 90]);
        assert_eq!(all, [(1, 2), (3, 3), (5, 5), (10, 19), (20, 40), (41, 90)]);
        assert_eq!(with_others(&samples, &[]), samples);
        assert_eq!(with_others(&[], &[4, 7]), [(4, 4), (7, 7)]);
        assert_eq!(with_others(&[(0, u64::MAX)], &[0, u64::MAX]), [(0, u64::MAX)]);
    }

    #[test]
    fn ranges_cover_every_value_once() {
        let seed = p5_seeds::seed();
        let mut rng = fastrand::Rng::with_seed(seed);
        for _ in 0..1000 {
            let shift = rng.u32(..64);
            let mut values: Vec<u64> = (0..rng.usize(..40)).map(|_| rng.u64(..) >> shift).collect();
            values.sort_unstable();
            values.dedup();
            let ranges = ranges(&values);
            assert!(ranges.len() <= BUCKETS, "seed {seed}");
            for value in &values {
                let inside = ranges.iter().filter(|(from, to)| (from..=to).contains(&value));
                assert_eq!(inside.count(), 1, "seed {seed}: {value} in {ranges:?}");
            }
        }
    }
}
