//! The options of `p5inst query`.

use super::{Color, Timeout, seconds};
use crate::command::examples::QUERY_EXAMPLES;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// A file of samples and a question. The options that any question may have get identifiers of their
/// own, because those of running a program have the same names.
#[derive(Args, Debug)]
#[command(after_help = QUERY_EXAMPLES)]
pub(crate) struct QueryArguments {
    /// The file of samples, or `-` for standard input
    #[arg(value_name = "FILE.samples")]
    pub(crate) file: PathBuf,
    /// A question in SQL, which may only read
    ///
    /// `p5inst query FILE "select name, sql from sqlite_schema"` lists tables and views.
    #[arg(value_name = "SQL")]
    pub(crate) sql: Option<String>,
    /// Another question.
    #[command(subcommand)]
    pub(crate) question: Option<Question>,
    /// Show the exact figures beside the estimates, and the error in standard errors
    #[arg(id = "query_truth", long = "truth", global = true)]
    pub(crate) truth: bool,
    /// The most rows, 1 to 1000000, in text to 100000 [default: 40 in text, else 100000]
    #[arg(id = "query_rows", long = "rows", value_name = "N", global = true, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) rows: Option<u32>,
    /// Stop reading a file, and a question in SQL, after this many seconds; 0 for never [default: 60, and 10]
    #[arg(id = "query_timeout", long = "timeout", value_name = "SECONDS", global = true, value_parser = seconds)]
    pub(crate) timeout: Option<Timeout>,
    /// Also write the samples as Parquet into this directory, a partition for each kind
    #[arg(id = "query_export", long = "export", value_name = "DIR", global = true)]
    pub(crate) export: Option<PathBuf>,
    /// The output format
    #[arg(id = "query_format", long = "format", value_enum, value_name = "FORMAT", default_value_t = QueryForm::Text, global = true)]
    pub(crate) format: QueryForm,
    /// When to use colour; `auto` depends on the terminal and NO_COLOR
    #[arg(id = "query_color", long = "color", value_enum, value_name = "WHEN", default_value_t = Color::Auto, global = true)]
    pub(crate) color: Color,
}

/// The forms of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum QueryForm {
    /// A table
    Text,
    /// JSON
    Json,
    /// The table's rows, after a line of names
    Csv,
}

/// What can be asked without SQL.
#[derive(Debug, Subcommand)]
pub(crate) enum Question {
    /// The derived events of OProfile and CodeAnalyst, F000h to F24Ch
    Derive,
    /// Every name that the others take, with what it says
    Names,
    /// The values of a field in eight buckets
    Hist {
        /// A field such as IbsDcMissLat; without it, all fields are listed
        field: Option<String>,
        /// One histogram for each instruction, procedure or line
        #[arg(long, value_enum, requires = "field")]
        by: Option<TopBy>,
    },
    /// Hot data: accesses by symbol, line or page
    ///
    /// With how much of its cache lines is used.
    Data {
        /// What a row is
        #[arg(long, value_enum, default_value_t = DataBy::Symbol)]
        by: DataBy,
    },
    /// Figures and ratios, as DCPI's ProfileMe tools take them
    Top {
        /// `a::b` for a ratio, `a+b::c` for two, several with commas between them
        #[arg(
            long,
            value_name = "FIGURES",
            default_value = "retired,dcmiss+cbrmispredict::retired"
        )]
        pm: String,
        /// What a row is
        #[arg(long, value_enum, default_value_t = TopBy::Insn)]
        by: TopBy,
        /// Only samples for which all of these hold, such as `IbsDcMissLat>=20,proc=inner`; a name alone means that it
        /// is not 0
        #[arg(long = "where", value_name = "CONDITIONS")]
        conditions: Option<String>,
    },
    /// Clocks of each instruction with the causes of its stalls
    ///
    /// As `dcpicalc` does it.
    Calc,
    /// The instructions with the most stall clocks
    ///
    /// With what is to blame, and how sure that is.
    Topstalls,
    /// Where all clocks have gone
    Whatcg,
    /// Loads of at least some latency
    ///
    /// As Itanium's event address registers capture them.
    Ear {
        /// The least latency in clocks [default: that of the recording's filter, or 1]
        #[arg(long, value_name = "CLOCKS", value_parser = clap::value_parser!(u32).range(1..))]
        lat: Option<u32>,
    },
    /// Overlap and unused issue slots, from pairs of ops
    Pairs,
    /// Compare with another file of samples, event by event
    Diff {
        /// The other file
        #[arg(value_name = "OTHER.samples")]
        other: PathBuf,
    },
}

/// What a row of `data` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DataBy {
    /// A symbol
    Symbol,
    /// A line of the data cache
    Line,
    /// A page
    Page,
}

/// What a row of `top` is, and of `hist --by`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TopBy {
    /// An instruction
    Insn,
    /// A procedure or label
    Proc,
    /// A source line
    Line,
}
