//! Whether the samples of a recording determine if a condition holds.

use super::{Analysis, BadQuestion, Figure, Filter, Ratio};
use p5_record::{Lack, SampleKind};

impl Analysis {
    /// The reason why a figure is not known; none if it is.
    pub fn lack_of(&self, figure: &Figure) -> Option<Lack> {
        self.lack(figure.kind(), figure.registers())
    }

    /// Checks that each filter can be evaluated for the kind of samples from which `ratios` are computed.
    ///
    /// # Errors
    /// The first condition that they do not determine.
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
