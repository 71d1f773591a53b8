//! `top`: figures and ratios by instruction, procedure or line.

use super::super::phrases::counted;
use super::{Answer, Columns, Exactly, Shown, Unit, Value};
use super::{begin, estimated, known, lacking, place_columns, truth_missing, warn};
use p5_record::derived::PROFILE_ME;
use p5_record::derived::derived;
use p5_record::{Grouping, SampleKind};
use p5_samples::{Analysis, BadQuestion, ENOUGH, Figure, Filter, Ratio, RatioRow, Sum};
use std::collections::HashSet;

/// The length of a line of a heading, in characters.
const LONGEST_LINE: usize = 18;

/// The figures of the samples for which `filters` hold.
pub fn top<'a>(
    recording: &'a Analysis,
    ratios: &[Ratio],
    filters: &[Filter],
    by: Grouping,
    shown: Shown,
) -> Answer<'a> {
    let truth = shown.truth;
    let mut answer = begin("top", recording, shown.rows);
    let table = &recording.top(ratios, filters, by);
    let rows = &table.rows;
    let truth_known = truth && recording.comparable(SampleKind::Op).is_some();
    let mut columns = Columns::default();
    let address = if by == Grouping::Instruction { "address" } else { "" };
    columns.add("address", address, Unit::Address, |row: &&RatioRow| {
        Value::address(row.group.address())
    });
    columns.add("samples", "samples", Unit::Count, |row| Value::count(row.samples));
    for (index, ratio) in ratios.iter().enumerate() {
        let name = ratio.name();
        let unit = if ratio.is_share() { Unit::Percent } else { Unit::Count };
        let text = folded(&shortest(ratio));
        let scale = scale(recording, ratio);
        // The estimate stands beside an exact figure.
        let estimate = truth_known && ratio.denominator.is_none() && scale.is_some();
        columns.add(&name, if estimate { "" } else { &text }, unit, move |row| {
            figure(table.sums(row, index), ratio)
        });
        if ratio.denominator.is_none() {
            let text = if estimate {
                format!("{text}\nstands for")
            } else {
                String::new()
            };
            columns.add(format!("{name}_estimate"), text, unit, move |row| {
                let sampled = table.sums(row, index);
                sampled.map_or(Value::Missing, |(sampled, _)| estimated(sampled, scale))
            });
        }
        if truth_known {
            let event = ratio.numerator.code().and_then(derived);
            let usual = event.map_or(1.0, |event| recording.usual(event));
            let sigmas = format!("{name}_error_sigmas");
            columns.add_graded((format!("{name}_exact"), "exact", unit), &sigmas, move |row| {
                exact(table.sums(row, index), table.exact(row, index), ratio, scale, usual)
            });
        }
    }
    place_columns(&mut columns, recording, by, |row| row.group);
    answer.spare(&["address", "samples"]);
    // Without its exact figure, an error says little.
    for heading in ["sigmas", "exact"] {
        answer.spare(&vec![heading; ratios.len()]);
    }
    // Rows that are left out are no business of the reader.
    let few = rows.iter().take(shown.rows).filter(|row| row.samples < ENOUGH).count() as u64;
    answer.table(columns, rows);
    for ratio in ratios {
        known(
            &mut answer,
            recording.lack_of_ratio(ratio),
            &format!("`{}` is not known", shortest(ratio)),
        );
    }
    for kind in SampleKind::ALL.into_iter().filter(|&kind| recording.count(kind) > 0) {
        let concerns = ratios.iter().any(|ratio| ratio.kind().is_none_or(|own| own == kind));
        if concerns {
            known(
                &mut answer,
                recording.lack_of_addresses(kind),
                "where they belong is not known",
            );
        }
    }
    if rows.is_empty() && !filters.is_empty() {
        answer.note("no sample meets the condition".to_owned());
    }
    if few > 0 {
        answer.note(format!(
            "{} with fewer than {ENOUGH} samples, which is not enough to act on",
            counted(few, "row")
        ));
    }
    let of_ops = ratios.iter().any(|ratio| ratio.kind() == Some(SampleKind::Op));
    if truth && filters.is_empty() && by == Grouping::Instruction && of_ops {
        unsampled(&mut answer, recording, rows);
    }
    if truth && recording.truth.is_some() && filters.is_empty() {
        without_exact(&mut answer, ratios);
    }
    if truth && !filters.is_empty() {
        answer.note("exact figures are of all samples, so there are none under a condition".to_owned());
    }
    truth_missing(&mut answer, recording, truth, Exactly::Instructions);
    warn(&mut answer, recording, &[SampleKind::Op]);
    answer
}

/// A name in lines of at most [`LONGEST_LINE`] characters, where its words allow for that.
fn folded(name: &str) -> String {
    let (mut text, mut length) = (String::new(), 0);
    for word in name.split_inclusive(['_', ':', '+']) {
        // The second colon of two follows the first.
        if length > 0 && word != ":" && (length + word.len() > LONGEST_LINE || text.ends_with(':')) {
            text.push('\n');
            length = 0;
        }
        text.push_str(word);
        length += word.len();
    }
    text
}

/// States which groups have no row because they have no sample.
fn unsampled(answer: &mut Answer<'_>, recording: &Analysis, rows: &[RatioRow]) {
    let Some(truth) = recording.comparable(SampleKind::Op) else {
        return;
    };
    let sampled: HashSet<u32> = rows.iter().filter_map(|row| row.group.address()).collect();
    let (mut without, mut ops, mut all) = (0, 0, 0);
    for instruction in &truth.instructions {
        all += instruction.ops;
        if instruction.ops > 0 && !sampled.contains(&instruction.address) {
            without += 1;
            ops += instruction.ops;
        }
    }
    if without > 0 {
        answer.note(format!(
            "{} without a sample, with {:.1}% of the ops",
            counted(without, "more instruction"),
            ops as f64 * 100.0 / all as f64
        ));
    }
}

/// States for which columns no exact figure is recorded.
fn without_exact(answer: &mut Answer<'_>, ratios: &[Ratio]) {
    let names = |which: &dyn Fn(&Ratio) -> bool| {
        let names = ratios
            .iter()
            .filter(|ratio| which(ratio))
            .map(|ratio| format!("`{}`", shortest(ratio)));
        names.collect::<Vec<String>>().join(", ")
    };
    let of_fetches = names(&|ratio| ratio.kind() == Some(SampleKind::Fetch));
    if !of_fetches.is_empty() {
        answer.note(format!(
            "of {of_fetches}, nothing exact is recorded by instruction: of fetches, `derive --truth` has the exact \
             figures of the whole run"
        ));
    }
    let is_field = |figure: &Figure| figure.code().is_none();
    let of_fields = names(&|ratio| {
        let fields = [Some(&ratio.numerator), ratio.denominator.as_ref()];
        ratio.kind() != Some(SampleKind::Fetch) && fields.into_iter().flatten().any(is_field)
    });
    if !of_fields.is_empty() {
        answer.note(format!(
            "of {of_fields}, nothing exact is recorded by instruction: of derived events there is, not of fields"
        ));
    }
}

fn shortest(ratio: &Ratio) -> String {
    let short = |figure: &Figure| {
        let known = PROFILE_ME.iter().find(|(_, code)| figure.code() == Some(*code));
        known.map_or(figure.name(), |(name, _)| name)
    };
    match &ratio.denominator {
        Some(denominator) => format!("{}::{}", short(&ratio.numerator), short(denominator)),
        None => short(&ratio.numerator).to_owned(),
    }
}

/// The number of fetches or ops that a sample of a figure stands for.
fn scale(recording: &Analysis, ratio: &Ratio) -> Option<f64> {
    recording.scale(ratio.kind()?)
}

fn divided(ratio: &Ratio, above: u64, below: u64) -> Value {
    let value = above as f64 / below as f64;
    if ratio.is_share() {
        Value::Percent(value * 100.0)
    } else {
        Value::Real(value)
    }
}

fn figure(sums: Option<&(Sum, Sum)>, ratio: &Ratio) -> Value {
    let Some((above, below)) = sums else {
        return Value::Missing;
    };
    match ratio.denominator {
        None => Value::Integer(u128::from(above.total)),
        Some(_) if below.total == 0 => Value::Missing,
        Some(_) => divided(ratio, above.total, below.total),
    }
}

/// What is true, and how many standard errors the estimate is off. A sample stands for `scale` fetches or ops, each of
/// which usually adds `usual`.
fn exact(
    sums: Option<&(Sum, Sum)>,
    truth: Option<(u64, u64)>,
    ratio: &Ratio,
    scale: Option<f64>,
    usual: f64,
) -> [Value; 2] {
    let (Some((above, below)), Some(_)) = (truth, ratio.kind()) else {
        return [Value::Missing, Value::Missing];
    };
    let Some((sampled, whole)) = sums else {
        return exactly(above, below, ratio);
    };
    if ratio.denominator.is_none() {
        let sigmas = scale.and_then(|scale| sampled.sigmas(scale, above, usual));
        return [
            Value::Integer(u128::from(above)),
            sigmas.map_or(Value::Missing, Value::Real),
        ];
    }
    if below == 0 {
        return [Value::Missing, Value::Missing];
    }
    let truth = above as f64 / below as f64;
    let error = match (whole.total, sampled.squares) {
        (0, _) => None,
        (total, squares) => {
            // The error of a share of counts is the error of as many draws.
            let share = truth.clamp(0.0, 1.0);
            let binomial = (share * (1.0 - share) / total as f64).sqrt();
            let of_sum = (squares as f64).sqrt() / total as f64;
            let is_share = sampled.total <= total && sampled.total == sampled.samples;
            Some(if is_share { binomial } else { of_sum })
        }
    };
    let off = sampled.total as f64 / (whole.total as f64).max(1.0) - truth;
    let sigmas = error.filter(|error| *error > 0.0).map(|error| off / error);
    [divided(ratio, above, below), sigmas.map_or(Value::Missing, Value::Real)]
}

/// The exact figure of a group without samples.
fn exactly(above: u64, below: u64, ratio: &Ratio) -> [Value; 2] {
    let value = match ratio.denominator {
        None => Value::Integer(u128::from(above)),
        Some(_) if below == 0 => Value::Missing,
        Some(_) => divided(ratio, above, below),
    };
    [value, Value::Missing]
}

/// The words for a question that cannot be asked, with a remedy; `near` is a known name similar to the unknown one.
pub fn bad_question(problem: &BadQuestion, near: Option<&str>) -> String {
    let shown = super::super::escaped;
    match problem {
        BadQuestion::NoFigure(name) => {
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "a derived event such as `F206` or `op_load`, a field such as `IbsDcMiss`, or a name of \
                         ProfileMe such as `retired` is meant; `p5inst query FILE names` lists all"
                    .to_owned(),
            };
            format!("there is no figure `{}`; {help}", shown(name))
        }
        BadQuestion::NoName(question) => {
            format!(
                "a name is missing in `{}`; write for example `dcmiss+dtbmiss::retired`",
                shown(question)
            )
        }
        BadQuestion::NoComparison(condition) => format!(
            "`{}` is no condition; write for example `IbsDcMissLat>=20`, `IbsDcMiss!=0` or `proc=inner`, with =, !=, \
             <, <=, > or >=; `p5inst query FILE names` lists names",
            shown(condition)
        ),
        BadQuestion::NoNumber(value) => {
            format!(
                "`{}` is no number; write for example 20, 14h or 0x14, and a comma between conditions",
                shown(value)
            )
        }
        BadQuestion::TooMany(most) => format!("there are more than {most} columns; ask for fewer at once"),
        BadQuestion::NotKnown(name, lack) => lacking(
            lack,
            &format!("whether a condition on `{}` holds is not known", shown(name)),
        ),
        BadQuestion::Elsewhere(condition, column) => format!(
            "a condition on `{}` holds of samples of the one kind, and `{}` is of the other; fetches and ops are \
             sampled separately",
            shown(condition),
            shown(column)
        ),
        BadQuestion::Mixed(term) => format!(
            "`{}` divides a figure of fetches by one of ops, or the other way round; the two are sampled separately",
            shown(term)
        ),
    }
}
