//! How samples are divided among directories of files.

#[cfg(feature = "parquet")]
use p5_record::Pair;
use p5_record::{Sample, SampleKind};
use p5_samples::Analysis;

/// The rows of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partition {
    /// Samples of a kind.
    Samples(SampleKind),
    /// The second ops of pairs, by the number of the sample that is the first.
    Pairs,
}

impl Partition {
    /// All partitions.
    pub const ALL: [Partition; 3] = [
        Partition::Samples(SampleKind::Fetch),
        Partition::Samples(SampleKind::Op),
        Partition::Pairs,
    ];

    /// Its name in the path: the value of the column `kind`.
    pub const fn name(self) -> &'static str {
        match self {
            Partition::Samples(kind) => kind.name(),
            Partition::Pairs => "pair",
        }
    }

    /// The number of its rows in a recording.
    pub fn rows(self, recording: &Analysis) -> u64 {
        recording.samples.iter().filter(|sample| self.has(sample)).count() as u64
    }

    /// The second op whose images a row has.
    #[cfg(feature = "parquet")]
    pub(super) fn pair(self, sample: &Sample) -> Option<&Pair> {
        sample.pair.as_deref().filter(|_| self == Partition::Pairs)
    }

    pub(super) fn has(self, sample: &Sample) -> bool {
        match self {
            Partition::Samples(kind) => sample.kind == kind,
            Partition::Pairs => sample.pair.is_some(),
        }
    }
}

/// A build without Parquet has no files.
///
/// # Errors
/// Always: the reason.
#[cfg(not(feature = "parquet"))]
pub fn parquet_files(_: &Analysis, _: Partition) -> std::io::Result<Vec<Vec<u8>>> {
    Err(std::io::Error::other(crate::NO_PARQUET.unwrap_or_default()))
}
