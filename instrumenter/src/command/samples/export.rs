//! Samples as a directory of Parquet files, partitioned as DuckDB, Spark and others find them.

use super::super::replace::Replacement;
use runtime::report::samples::{Partition, parquet_files};
use runtime::samples::Recording;
use std::fs;
use std::path::Path;

/// Writes `DIR/kind=K/recording=R/part-N.parquet`, where R is the name of the file of samples without its extension.
/// Files of an earlier export of that name are replaced; those of other recordings stay, and are one table with these.
///
/// # Errors
/// One line that says why a file cannot be written.
pub(super) fn export(recording: &Recording, file: &Path, folder: &Path) -> Result<(), String> {
    let name = partition_name(file);
    for partition in Partition::ALL {
        let folder = folder
            .join(format!("kind={}", partition.name()))
            .join(format!("recording={name}"));
        let cannot = |error: std::io::Error| format!("cannot write `{}`: {error}", folder.display());
        let files = parquet_files(recording, partition).map_err(cannot)?;
        if !files.is_empty() {
            fs::create_dir_all(&folder).map_err(cannot)?;
        }
        for (number, bytes) in files.iter().enumerate() {
            let mut part = Replacement::new(&folder.join(part(number)))?;
            part.written(|out| out.write_all(bytes))?;
            part.finish()?;
        }
        remove_rest(&folder, files.len()).map_err(cannot)?;
    }
    Ok(())
}

fn part(number: usize) -> String {
    format!("part-{number:05}.parquet")
}

/// Removes the parts of an earlier and longer export.
fn remove_rest(folder: &Path, parts: usize) -> std::io::Result<()> {
    for number in parts.. {
        match fs::remove_file(folder.join(part(number))) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => break,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The file's name without its extension, of characters that need no quoting in a path of partitions.
fn partition_name(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    let name: String = stem
        .chars()
        .map(|character| if plain(character) { character } else { '_' })
        .collect();
    if name.chars().all(|character| character == '.') {
        "samples".to_owned()
    } else {
        name
    }
}
