//! Pearson's chi-square test of whether chance chose the samples.

/// Cells in which fewer samples are expected are joined with the next ones (Cochran, Biometrics 10, 1954).
const LEAST_EXPECTED: f64 = 5.0;

/// The outcome of a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChiSquare {
    /// The sum of the squared differences, each divided by the expected number.
    pub value: f64,
    /// The degrees of freedom: cells less one, at least 1.
    pub freedom: u32,
    /// The chance of so large a value if the samples were chosen by chance, 0 to 1.
    pub p: f64,
}

/// Tests the observed number of each cell against its expected share; the shares add up to 1. None if fewer than two
/// cells can be told apart.
pub fn chi_square(cells: &[(u64, f64)]) -> Option<ChiSquare> {
    let samples: u64 = cells.iter().map(|&(observed, _)| observed).sum();
    let mut joined: Vec<(f64, f64)> = Vec::new();
    let mut open = (0.0, 0.0);
    for &(observed, share) in cells {
        open = (open.0 + observed as f64, open.1 + share * samples as f64);
        if open.1 >= LEAST_EXPECTED {
            joined.push(std::mem::take(&mut open));
        }
    }
    if let Some(last) = joined.last_mut() {
        *last = (last.0 + open.0, last.1 + open.1);
    }
    let freedom = u32::try_from(joined.len().checked_sub(1)?).unwrap_or(u32::MAX);
    let value = joined
        .iter()
        .map(|(observed, expected)| (observed - expected).powi(2) / expected)
        .sum();
    (freedom > 0).then(|| ChiSquare {
        value,
        freedom,
        p: exceeded(value, freedom),
    })
}

/// The chance that chi-square with `freedom` degrees exceeds `value` (Abramowitz and Stegun, Handbook of Mathematical
/// Functions, 26.4.4 and 26.4.5).
fn exceeded(value: f64, freedom: u32) -> f64 {
    let half = value / 2.0;
    if half <= 0.0 {
        return 1.0;
    }
    let odd = freedom % 2 == 1;
    let (first, offset) = match odd {
        true => (libm::erfc(half.sqrt()), 0.5),
        false => ((-half).exp(), 0.0),
    };
    // Powers from 1/2 or 1 up to one less than half of the degrees.
    let most = if odd { freedom / 2 } else { freedom / 2 - 1 };
    let terms = (1..=most).map(|term| f64::from(term) - offset);
    let sum: f64 = terms
        .map(|power| (power * half.ln() - half - libm::lgamma(power + 1.0)).exp())
        .sum();
    (first + sum).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn critical_values_have_their_chance() {
        // NIST/SEMATECH, Handbook of Statistical Methods, 1.3.6.7.4.
        for (freedom, chance, value) in [
            (1, 0.05, 3.841),
            (2, 0.05, 5.991),
            (3, 0.05, 7.815),
            (3, 0.001, 16.266),
            (4, 0.01, 13.277),
            (5, 0.10, 9.236),
            (10, 0.05, 18.307),
            (31, 0.025, 48.232),
            (100, 0.05, 124.342),
        ] {
            let p = exceeded(value, freedom);
            assert!((p - chance).abs() < chance * 2e-3, "{freedom} {value}: {p}");
        }
        assert!(exceeded(1e6, 3) < 1e-300 && exceeded(0.0, 3) == 1.0);
    }

    #[test]
    fn rare_cells_are_joined() {
        assert_eq!(chi_square(&[(100, 1.0)]), None);
        assert_eq!(chi_square(&[(0, 0.5), (0, 0.5)]), None);
        let even = chi_square(&[(50, 0.5), (50, 0.5)]).expect("two cells");
        assert_eq!((even.value, even.freedom, even.p), (0.0, 1, 1.0));
        let rare = chi_square(&[(48, 0.48), (2, 0.02), (48, 0.48), (2, 0.02)]).expect("two cells");
        assert_eq!(rare.freedom, 1);
        let all = chi_square(&[(100, 0.25), (0, 0.25), (0, 0.25), (0, 0.25)]).expect("four cells");
        assert_eq!((all.value, all.freedom), (300.0, 3));
        assert!(all.p < 1e-60);
    }
}
