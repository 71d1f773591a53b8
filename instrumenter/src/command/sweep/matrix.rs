//! The matrix of a sweep: the options with their values, and the options of each run.

use super::super::args::{AssemblyArguments, EngineOption, ProgramArguments, SweepArguments, usual_runs};
use super::super::setting::usual_level;
use runtime::image::Image;
use runtime::model::{Choice, MemoryPreset, Model};
use runtime::report::sweep::Axis;
use std::fmt::Write as _;

/// The maximum number of runs in a sweep. All rows are in memory until the table is written.
const MOST: u128 = 100_000;

/// The options of a sweep that have values, in the order of the table: the last one varies fastest.
pub(super) struct Matrix<'a> {
    arguments: &'a SweepArguments,
    cpl: Vec<u8>,
    runs: Vec<u32>,
    define: Vec<(&'a str, Vec<String>)>,
    pub(super) axes: Vec<Axis>,
}

#[derive(Clone, Debug)]
pub(super) struct Point {
    /// The program, with its options of assembly and simulation.
    pub(super) program: ProgramArguments,
    /// The number of runs of the program.
    pub(super) runs: u32,
    /// The name of the row, made of the value of each option.
    pub(super) name: String,
}

impl<'a> Matrix<'a> {
    /// The matrix of `arguments` for a source, or for a program of another tool. An error is one line: a value is given
    /// twice, or there are too many runs.
    pub(super) fn new(arguments: &'a SweepArguments, program: Option<&Image>) -> Result<Matrix<'a>, String> {
        if let (true, Some(first)) = (program.is_some(), arguments.define.first()) {
            return Err(format!(
                "`{}` is a program; -D {} is for assembly source",
                arguments.file.display(),
                first.name
            ));
        }
        bounded(arguments)?;
        let cpl = match &arguments.cpl[..] {
            [] => vec![program.map_or(0, usual_level)],
            levels => levels.to_vec(),
        };
        let runs = match &arguments.runs[..] {
            [] => vec![usual_runs(program.is_some_and(|image| image.process_stack().is_some()))],
            runs => runs.to_vec(),
        };
        let define: Vec<(&str, Vec<String>)> = arguments
            .define
            .iter()
            .map(|defined| {
                let values = defined.values.iter().flat_map(|values| values.expanded());
                (&*defined.name, values.collect())
            })
            .collect();
        let axis = |name: String, values: Vec<String>| Axis { name, values };
        let texts = |values: &[u32]| values.iter().map(u32::to_string).collect();
        let mut axes = vec![
            axis(
                "cpu".to_owned(),
                arguments.cpu.iter().map(|one| one.name.to_owned()).collect(),
            ),
            axis(
                "memory".to_owned(),
                arguments.memory.iter().map(|one| one.name.to_owned()).collect(),
            ),
            axis("cpl".to_owned(), cpl.iter().map(u8::to_string).collect()),
            axis("runs".to_owned(), texts(&runs)),
        ];
        for choices in &arguments.assume {
            let name = choices.0.first().map_or("", |choice| choice.assumption.name);
            let values = choices.0.iter().map(|choice| choice.answer.value.to_owned());
            axes.push(axis(format!("assume.{name}"), values.collect()));
        }
        for (name, values) in &define {
            axes.push(axis(format!("define.{name}"), values.clone()));
        }
        for (index, one) in axes.iter().enumerate() {
            // Names of symbols that differ only in case are the same for the assembler.
            if axes[..index]
                .iter()
                .any(|other| other.name.eq_ignore_ascii_case(&one.name))
            {
                let name = one.name.split_once('.').map_or("", |(_, name)| name);
                return Err(format!("`{name}` is given twice; write its values in one list"));
            }
            let mut seen = std::collections::HashSet::new();
            if let Some(twice) = one.values.iter().find(|value| !seen.insert(*value)) {
                let (name, twice) = (&one.name, runtime::report::escaped(twice));
                return Err(format!("`{twice}` stands twice in the values of {name}"));
            }
        }
        Ok(Matrix {
            arguments,
            cpl,
            runs,
            define,
            axes,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.axes.iter().map(|axis| axis.values.len()).product()
    }

    /// The options of the run in row `row`.
    pub(super) fn point(&self, row: usize) -> Point {
        let mut rest = row;
        let mut chosen = vec![0; self.axes.len()];
        for (axis, value) in self.axes.iter().zip(&mut chosen).rev() {
            *value = rest % axis.values.len();
            rest /= axis.values.len();
        }
        let mut name = String::new();
        for (axis, &value) in self.axes.iter().zip(&chosen) {
            // Writing to a string cannot fail.
            let _ = writeln!(name, "{}={}", axis.name, axis.values[value]);
        }
        let SweepArguments { assume, .. } = self.arguments;
        let (machine, rest) = chosen.split_at(4);
        let (assumed, defined) = rest.split_at(assume.len());
        let cpu: &'static Model = self.arguments.cpu[machine[0]];
        let memory: &'static MemoryPreset = self.arguments.memory[machine[1]];
        let assume: Vec<Choice> = assume.iter().zip(assumed).map(|(one, &value)| one.0[value]).collect();
        let define = self.define.iter().zip(defined);
        Point {
            program: ProgramArguments {
                file: Some(self.arguments.file.clone()),
                more: self.arguments.more.clone(),
                assembly: AssemblyArguments {
                    cpu_asked: true,
                    cpu,
                    cpl: Some(self.cpl[machine[2]]),
                    include: self.arguments.include.clone(),
                    define: define
                        .map(|((name, values), &value)| ((*name).to_owned(), values[value].clone()))
                        .collect(),
                    encoding: self.arguments.encoding,
                },
                limit: self.arguments.limit,
                timeout: self.arguments.timeout,
                memory,
                assume,
                errata: false,
                engine: EngineOption::Auto,
                verbose: false,
                // The programs of a sweep read no files, and are sources.
                dir: None,
                env: Vec::new(),
                set: Vec::new(),
                entry: None,
                args: self.arguments.args.clone(),
                monitors: self.arguments.monitors.clone(),
            },
            runs: self.runs[machine[3]],
            name,
        }
    }
}

/// Makes sure, before any list is expanded, that there are not too many runs.
fn bounded(arguments: &SweepArguments) -> Result<(), String> {
    for cpu in &arguments.cpu {
        arguments.monitors.attached(cpu)?;
    }
    let mut counts = vec![
        arguments.cpu.len() as u128,
        arguments.memory.len() as u128,
        arguments.cpl.len().max(1) as u128,
        arguments.runs.len().max(1) as u128,
    ];
    counts.extend(arguments.assume.iter().map(|choices| choices.0.len() as u128));
    let defined = arguments.define.iter();
    counts.extend(defined.map(|defined| {
        let counts = defined.values.iter().map(|values| values.count());
        counts.fold(0, u128::saturating_add)
    }));
    let all = counts
        .iter()
        .fold(1, |product: u128, &count| product.saturating_mul(count));
    if all <= MOST {
        return Ok(());
    }
    let factors: Vec<String> = counts.iter().filter(|&&count| count > 1).map(u128::to_string).collect();
    let product = match all {
        u128::MAX => "too many".to_owned(),
        all => all.to_string(),
    };
    let sum = match &factors[..] {
        [_] => product,
        factors => format!("{} = {product}", factors.join(" x ")),
    };
    Err(format!("the matrix has {sum} runs; a sweep makes at most {MOST}"))
}
