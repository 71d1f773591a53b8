//! Named measurements in a file, to compare later ones with.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use asm_macros::{baseline::Baseline, measure};
//! use std::hint::black_box;
//!
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("baseline.json");
//! let now = measure!({ black_box(12345u64) % black_box(67) });
//! let mut baseline = Baseline::read(&path)?; // empty if there is no such file
//! if let Some(comparison) = baseline.compare("remainder", &now) {
//!     println!("{comparison}");
//! }
//! baseline.set("remainder", &now)?;
//! baseline.write()?;
//! # Ok(())
//! # }
//! ```
//!
//! The file is how measurements get from one process to another: [`Baseline::write`] saves, [`Baseline::read`] loads.
//! Run the program above, change the code, and run it again: the second process compares with what the first one wrote.
//! Several programs may share a file, one after the other, if each reads it, sets its own names and writes it; to keep
//! the first figures for good, do not call `set` again.
//!
//! The deviations of the two measurements decide whether they differ, not a percentage: [`Measurement::uncertainty`].
//! A busy machine shifts the median of a measurement further than its runs deviate from it. So measurements differ only
//! if the slower one's fastest run is above the other one's median, too; otherwise they are too noisy to judge, like
//! those of which most runs were interrupted.
//! If another program shares the core throughout, every run of a process is slower, and the process cannot tell. Code
//! that fills the core, such as a sum of many independent numbers, loses most. On a machine with other work, repeat a
//! verdict of "slower" in a second process.
//! Figures are core clocks, because the frequency of the core differs from day to day. Figures of two different
//! processors are not compared.

use crate::measure::Measurement;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// The version of the file's format, which changes when a reader of the old one would misread the new one.
const SCHEMA_VERSION: u32 = 1;

/// The measurements of a file, by name; empty if the file does not exist yet.
#[derive(Clone, Debug)]
pub struct Baseline {
    path: PathBuf,
    measurements: BTreeMap<String, Saved>,
}

/// A measurement as saved, in core clocks for one execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Saved {
    /// The median of the runs, in core clocks for one execution.
    pub median: f64,
    /// The minimum of the runs, in core clocks for one execution.
    pub min: f64,
    /// The median absolute deviation of the runs, in core clocks for one execution.
    pub deviation: f64,
    /// The uncertainty of the median in core clocks: see [`Measurement::uncertainty`].
    pub uncertainty: f64,
    /// Whether the code was too short to judge, so that the figures are noise.
    pub too_short: bool,
    /// Whether the runs differ too much to judge, or most of them were interrupted; not saved unless it is so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub too_noisy: bool,
    /// The number of runs used, without those discarded.
    pub runs: u32,
    /// The executions in the shorter series of a run.
    pub executions: u64,
    /// The name of the processor on which it was measured.
    pub processor: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema_version: u32,
    measurements: BTreeMap<String, Saved>,
}

/// The one field that every version of the file has.
#[derive(Deserialize)]
struct AnyVersion {
    schema_version: u32,
}

/// A measurement beside the saved one of the same name.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The name under which both are saved.
    pub name: String,
    /// The measurement read from the file.
    pub before: Saved,
    /// The new measurement.
    pub now: Saved,
}

/// The outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The medians differ by no more than their uncertainties together.
    None,
    /// The new measurement takes fewer clocks.
    Faster,
    /// The new measurement takes more clocks.
    Slower,
    /// Both are too short to judge.
    TooShort,
    /// The machine was too busy to judge: the medians differ, but a fastest run does not, or most runs of a measurement
    /// were interrupted.
    TooNoisy,
    /// The two were measured on different processors.
    OtherProcessor,
}

/// The reason why a baseline cannot be read, changed or written.
#[derive(Debug)]
pub enum Error {
    /// The file cannot be read or written; its previous contents are unchanged.
    File(PathBuf, std::io::Error),
    /// The file is no baseline.
    NotABaseline(PathBuf, serde_json::Error),
    /// The file has this version of the format, which this crate does not read.
    OtherVersion(PathBuf, u32),
    /// The measurement of this name has a figure that is not a number.
    NotANumber(String),
}

impl Baseline {
    /// Reads a file, or begins an empty baseline if there is none.
    ///
    /// # Errors
    /// The file cannot be read, is no baseline, or has another version.
    pub fn read(path: impl Into<PathBuf>) -> Result<Baseline, Error> {
        let path = path.into();
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Baseline {
                    path,
                    measurements: BTreeMap::new(),
                });
            }
            Err(error) => return Err(Error::File(path, error)),
        };
        match serde_json::from_str::<AnyVersion>(&text) {
            Ok(any) if any.schema_version != SCHEMA_VERSION => Err(Error::OtherVersion(path, any.schema_version)),
            Ok(_) => match serde_json::from_str::<File>(&text) {
                Ok(File { measurements, .. }) => Ok(Baseline { path, measurements }),
                Err(error) => Err(Error::NotABaseline(path, error)),
            },
            Err(error) => Err(Error::NotABaseline(path, error)),
        }
    }

    /// The saved measurement of this name.
    pub fn get(&self, name: &str) -> Option<&Saved> {
        self.measurements.get(name)
    }

    /// The saved measurements, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Saved)> {
        self.measurements.iter().map(|(name, saved)| (name.as_str(), saved))
    }

    /// Compares a measurement with the saved one of the same name; `None` if there is none.
    pub fn compare(&self, name: &str, now: &Measurement) -> Option<Comparison> {
        Some(Comparison {
            name: name.to_owned(),
            before: self.get(name)?.clone(),
            now: Saved::from(now),
        })
    }

    /// Sets the measurement of a name and replaces any previous one. [`Baseline::write`] writes the file.
    ///
    /// # Errors
    /// A figure of the measurement is not a number.
    pub fn set(&mut self, name: &str, now: &Measurement) -> Result<(), Error> {
        let saved = Saved::from(now);
        let figures = [saved.median, saved.min, saved.deviation, saved.uncertainty];
        if !figures.iter().all(|figure| figure.is_finite()) {
            return Err(Error::NotANumber(name.to_owned()));
        }
        self.measurements.insert(name.to_owned(), saved);
        Ok(())
    }

    /// Removes the measurement of this name, if there is one.
    pub fn remove(&mut self, name: &str) -> Option<Saved> {
        self.measurements.remove(name)
    }

    /// Writes the file whole: a temporary file beside it replaces it when it is complete. An existing file keeps its
    /// permissions, and a link to it stays a link. Two processes that write at once do not mix their files, but the
    /// second replaces the measurements of the first.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self) -> Result<(), Error> {
        let failed = |error| Error::File(self.path.clone(), error);
        // Follows links to the file itself, which may not exist yet.
        let path = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        let permissions = path.metadata().ok().map(|metadata| metadata.permissions());
        let directory = path.parent().filter(|parent| *parent != Path::new(""));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".baseline");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder
            .tempfile_in(directory.unwrap_or(Path::new(".")))
            .map_err(failed)?;
        let contents = File {
            schema_version: SCHEMA_VERSION,
            measurements: self.measurements.clone(),
        };
        if let Some(permissions) = permissions {
            file.as_file().set_permissions(permissions).map_err(failed)?;
        }
        let mut out = BufWriter::new(file);
        serde_json::to_writer_pretty(&mut out, &contents).map_err(|error| failed(error.into()))?;
        writeln!(out).map_err(failed)?;
        let file = out.into_inner().map_err(|error| failed(error.into_error()))?;
        file.persist(&path).map_err(|error| failed(error.error))?;
        Ok(())
    }
}

impl From<&Measurement> for Saved {
    fn from(measurement: &Measurement) -> Saved {
        let core = measurement.core_clocks();
        Saved {
            median: core.median,
            min: core.min,
            deviation: core.mad,
            uncertainty: core.uncertainty(),
            too_short: core.is_too_short(),
            too_noisy: core.is_too_noisy() || core.is_often_interrupted(),
            runs: core.runs,
            executions: core.executions(),
            processor: processor(),
        }
    }
}

/// The name of this processor; its family, model and stepping if it has no name.
fn processor() -> String {
    let id = raw_cpuid::CpuId::new();
    let brand = id.get_processor_brand_string();
    let brand = brand.map(|brand| brand.as_str().trim().to_owned());
    let features = id.get_feature_info();
    let signature = features.map(|features| {
        let [family, model, stepping] = [features.family_id(), features.model_id(), features.stepping_id()];
        format!("family {family:X}h, model {model:X}h, stepping {stepping:X}h")
    });
    let brand = brand.filter(|brand| !brand.is_empty());
    brand.or(signature).unwrap_or_else(|| "unknown".to_owned())
}

impl Comparison {
    /// The outcome: the change of the median, if it exceeds both uncertainties together, and the runs of the two
    /// measurements do not overlap: those from the fastest one up to the median, each with its uncertainty. On a
    /// machine with other work, "slower" should be confirmed by a second process; see the [module](self).
    pub fn change(&self) -> Change {
        let Comparison { before, now, .. } = self;
        if before.processor != now.processor {
            return Change::OtherProcessor;
        }
        if before.too_short && now.too_short {
            return Change::TooShort;
        }
        if before.too_noisy || now.too_noisy {
            return Change::TooNoisy;
        }
        let uncertainty = before.uncertainty + now.uncertainty;
        let difference = now.median - before.median;
        // The fastest run of code that is too short is noise.
        let apart =
            |slow: &Saved, fast: &Saved| slow.too_short || fast.too_short || slow.min > fast.median + uncertainty;
        if difference.abs() <= uncertainty {
            Change::None
        } else if difference > 0.0 && apart(now, before) {
            Change::Slower
        } else if difference < 0.0 && apart(before, now) {
            Change::Faster
        } else {
            Change::TooNoisy
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Comparison { name, before, now } = self;
        let figure = |saved: &Saved| match saved.too_short {
            true => "less than can be judged".to_owned(),
            false => format!("{:.2} core clocks", saved.median),
        };
        write!(out, "{name}: ")?;
        match self.change() {
            Change::TooShort => return write!(out, "too short to judge, before and now"),
            Change::OtherProcessor => {
                return write!(
                    out,
                    "{}; not compared with {} on another processor, {}",
                    figure(now),
                    figure(before),
                    before.processor
                );
            }
            Change::TooNoisy => write!(out, "too noisy to judge, measure on an idle machine: ")?,
            Change::None => write!(out, "unchanged, ")?,
            Change::Faster => write!(out, "faster, ")?,
            Change::Slower => write!(out, "slower, ")?,
        }
        write!(out, "{} (before: {}", figure(now), figure(before))?;
        if !before.too_short && !now.too_short {
            let share = 100.0 * (now.median - before.median) / before.median;
            let uncertainty = before.uncertainty + now.uncertainty;
            write!(out, "; {share:+.1} %, and {uncertainty:.2} clocks are no change")?;
        }
        write!(out, ")")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::File(path, error) => write!(out, "{}: {error}", path.display()),
            Error::NotABaseline(path, error) => write!(out, "{}: not a baseline: {error}", path.display()),
            Error::OtherVersion(path, version) => write!(
                out,
                "{}: a baseline of version {version}, and this reads version {SCHEMA_VERSION}; remove it to begin a new one",
                path.display()
            ),
            Error::NotANumber(name) => write!(out, "the measurement `{name}` has a figure that is not a number"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::File(_, error) => Some(error),
            Error::NotABaseline(_, error) => Some(error),
            Error::OtherVersion(..) | Error::NotANumber(_) => None,
        }
    }
}

#[cfg(test)]
mod tests;
