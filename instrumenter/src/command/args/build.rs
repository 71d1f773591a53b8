//! The arguments of `build`.

use super::{AssemblyArguments, Color};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// Files to assemble, and the file to write.
#[derive(Args, Debug)]
pub(crate) struct BuildArguments {
    /// The sources, or `-` for standard input; several become one program or library
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The file to write; the end of its name says in which format
    #[arg(short = 'o', value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The format, if the end of the name does not say it
    #[arg(long, value_enum, value_name = "FORMAT", ignore_case = true)]
    pub(crate) format: Option<FileFormat>,
    /// Write one object for each source, named after it, or as `-o` says if there is one source
    #[arg(long)]
    pub(crate) each: bool,
    /// Write the names in OMF objects in capitals, as assemblers do that do not tell them from small letters
    #[arg(long)]
    pub(crate) upper: bool,
    /// Say in OMF and ELF objects which line each instruction comes from, as `/Zd` and `/Zi` of ml and tasm do
    #[arg(long)]
    pub(crate) lines: bool,
    /// Tell names apart by case, as `/Cp` of ml and `/ml` of tasm do
    #[arg(long)]
    pub(crate) by_case: bool,
    /// Write each line of a single source with its address and bytes to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) listing: Option<PathBuf>,
    /// How they are assembled.
    #[command(flatten)]
    pub(crate) assembly: AssemblyArguments,
    /// When to use colour; `auto` depends on the terminal and NO_COLOR
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    pub(crate) color: Color,
}

/// The format of a file that is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileFormat {
    /// Plain bytes, as they lie in memory
    Bin,
    /// A COM program of DOS
    Com,
    /// An EXE program of DOS
    Exe,
    /// An object: COFF of flat code, OMF of 16-bit segments
    Obj,
    /// An object in the format of Microsoft's and Borland's linkers of DOS
    Omf,
    /// An object of Windows
    Coff,
    /// An object of 32-bit Linux
    Elf,
    /// A library of OMF objects
    Lib,
}

impl FileFormat {
    /// The format that the end of a name says.
    pub(crate) fn of(path: &Path) -> Option<FileFormat> {
        let end = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match end.as_str() {
            "bin" | "img" | "rom" | "sys" => FileFormat::Bin,
            "com" => FileFormat::Com,
            "exe" => FileFormat::Exe,
            "obj" => FileFormat::Obj,
            "o" => FileFormat::Elf,
            "lib" => FileFormat::Lib,
            _ => return None,
        })
    }
}
