//! What a recording does not tell: samplers that were off, and registers of which no sample has an image.

use super::{BadQuestion, Figure, Filter, Ratio, Recording, SampleKind};
use p5_chips::ibs::{IBS_FETCH_LIN_AD, IBS_OP_RIP};

/// Why something is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lack {
    /// The sampler of this kind was off.
    Off(SampleKind),
    /// It was on and took no sample.
    NoSample(SampleKind),
    /// It was on, and the filter left no sample.
    Filtered(SampleKind),
    /// No sample has an image of these registers, ascending by number.
    NotKept(Vec<&'static str>),
}

impl Recording {
    /// Why what stands in `registers` of the samples of a `kind` is not known; none if it is. A register that neither
    /// this version nor the recording knows is not looked for.
    pub fn lack(&self, kind: Option<SampleKind>, registers: impl IntoIterator<Item = u32>) -> Option<Lack> {
        if let Some(kind) = kind.filter(|&kind| self.count(kind) == 0) {
            let on = match kind {
                SampleKind::Fetch => self.sampling.fetch.is_some(),
                SampleKind::Op => self.sampling.op.is_some(),
            };
            return Some(match on {
                true if self.is_filtered(kind) => Lack::Filtered(kind),
                true => Lack::NoSample(kind),
                false => Lack::Off(kind),
            });
        }
        let mut missing: Vec<u32> = registers.into_iter().filter(|&register| !self.has(register)).collect();
        missing.sort_unstable();
        missing.dedup();
        let names: Vec<&str> = missing
            .into_iter()
            .filter_map(|register| self.register(register))
            .map(|register| register.name)
            .collect();
        (!names.is_empty()).then_some(Lack::NotKept(names))
    }

    /// Why a figure is not known.
    pub fn lack_of(&self, figure: &Figure) -> Option<Lack> {
        self.lack(figure.kind(), figure.registers())
    }

    /// Why the addresses of the samples of a kind are not known.
    pub fn lack_of_addresses(&self, kind: SampleKind) -> Option<Lack> {
        let register = match kind {
            SampleKind::Fetch => IBS_FETCH_LIN_AD,
            SampleKind::Op => IBS_OP_RIP,
        };
        self.lack(Some(kind), [register])
    }

    /// Makes sure that it is known of each sample of the columns `ratios` whether conditions hold.
    ///
    /// # Errors
    /// The first condition of which it is not.
    pub fn judges(&self, filters: &[Filter], ratios: &[Ratio]) -> Result<(), BadQuestion> {
        for filter in filters {
            if let Filter::Figure(figure, ..) = filter {
                let apart = |ratio: &&Ratio| {
                    let kinds = figure.kind().zip(ratio.kind());
                    kinds.is_some_and(|(one, other)| one != other)
                };
                if let Some(ratio) = ratios.iter().find(apart) {
                    return Err(BadQuestion::Elsewhere(figure.name().to_owned(), ratio.name()));
                }
            }
            let (name, lack) = match filter {
                Filter::Figure(figure, ..) => (figure.name(), self.lack_of(figure)),
                Filter::Procedure(_) => {
                    let mut kinds = SampleKind::ALL.into_iter().filter(|&kind| self.count(kind) > 0);
                    ("proc", kinds.find_map(|kind| self.lack_of_addresses(kind)))
                }
            };
            if let Some(lack) = lack {
                return Err(BadQuestion::NotKnown(name.to_owned(), lack));
            }
        }
        Ok(())
    }
}
