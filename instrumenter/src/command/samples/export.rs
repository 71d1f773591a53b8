//! Samples as a directory of Parquet files, partitioned so that DuckDB, Spark and others find them.

use crate::command::replace::{PREFIX, Unnamed, sync_folder};
use runtime::report::samples::{Partition, parquet_files};
use runtime::report::{counted, escaped};
use runtime::samples::Analysis;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The beginning of the name of a directory with the files of a recording.
const RECORDING: &str = "recording=";
/// The maximum length in bytes of a name in common file systems.
const LONGEST_NAME: usize = 255;

/// Writes `DIR/kind=K/recording=R/part-N.parquet`, where R is the name of the file of samples without its folder and
/// its extension. An earlier export with that name is replaced as a whole when the new one is complete. Exports with
/// other names stay, and form one table with this one. Returns a sentence about the files. After an error, the old
/// files remain, in place or where the error says.
pub(super) fn export(recording: &Analysis, file: &Path, folder: &Path) -> Result<String, String> {
    let cannot = |error: io::Error| format!("cannot write to `{}`: {error}", folder.display());
    if file == Path::new("-") {
        return Err("an export is named after the file of samples; name that instead of `-`".to_owned());
    }
    let name = partition_name(file);
    if RECORDING.len() + name.len() > LONGEST_NAME {
        return Err(format!(
            "the name of `{}` is too long for a directory `{RECORDING}...`; rename the file",
            escaped(&file.display().to_string())
        ));
    }
    let is_new = may_have(folder)?;
    if is_new {
        fs::create_dir(folder).map_err(cannot)?;
    }
    let written = replaced(recording, &name, folder).map_err(cannot);
    if is_new && written.is_err() {
        // This removes the directory only if it is empty.
        let _ = fs::remove_dir(folder);
    }
    let (files, rows) = written?;
    let (rows, files) = (counted(rows, "row"), counted(files as u64, "Parquet file"));
    Ok(format!("wrote {rows} as {files} to `{}`", folder.display()))
}

/// Whether the directory is new; an error if it cannot hold an export.
fn may_have(folder: &Path) -> Result<bool, String> {
    let shown = folder.display();
    match fs::metadata(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound && folder.is_symlink() => {
            return Err(format!("`{shown}` is a link to nothing; name a directory"));
        }
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(format!("cannot write to `{shown}`: {error}")),
        Ok(metadata) if !metadata.is_dir() => return Err(format!("`{shown}` is a file; name a directory")),
        Ok(_) => {}
    }
    let entries = fs::read_dir(folder).map_err(|error| format!("cannot read `{shown}`: {error}"))?;
    for entry in entries {
        let entry = entry.map_err(|error| format!("cannot read `{shown}`: {error}"))?;
        let name = entry.file_name();
        let is_partition = Partition::ALL.iter().any(|partition| name == *kind(*partition));
        // A link may lead anywhere.
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let is_left = name.to_string_lossy().starts_with(PREFIX);
        if !(is_folder && (is_partition || is_left)) {
            return Err(format!(
                "`{shown}` has `{}`, which is no part of an export; name a new or an empty directory",
                escaped(&name.to_string_lossy())
            ));
        }
    }
    Ok(false)
}

/// Writes all partitions beside the old ones, then moves them into place; returns the numbers of files and rows. No
/// file gets a name before all of them are on the disk.
fn replaced(recording: &Analysis, name: &str, folder: &Path) -> io::Result<(usize, u64)> {
    let (mut total, mut rows) = (0, 0);
    let mut written = Vec::new();
    for partition in Partition::ALL {
        let mut files = Vec::new();
        for bytes in parquet_files(recording, partition)? {
            let mut file = Unnamed::new(folder, None)?;
            file.file().write_all(&bytes)?;
            file.file().sync_all()?;
            files.push(file);
        }
        total += files.len();
        rows += partition.rows(recording);
        written.push((partition, files));
    }
    let beside = tempfile::Builder::new().prefix(PREFIX).tempdir_in(folder)?;
    for (partition, files) in written {
        if files.is_empty() {
            continue;
        }
        let new = new(&beside, partition);
        fs::create_dir(&new)?;
        for (number, file) in files.into_iter().enumerate() {
            file.named(&new.join(format!("part-{number:05}.parquet")), |_| {})?;
        }
    }
    let mut moved = Vec::new();
    let result = Partition::ALL.into_iter().try_for_each(|partition| {
        let place = folder.join(kind(partition)).join(format!("{RECORDING}{name}"));
        exchanged(&beside, partition, &place, &mut moved)
    });
    if let Err(error) = result {
        let undone = moved.iter().rev().map(|(from, to)| match from.exists() {
            true => swapped(from, to),
            false => fs::rename(to, from),
        });
        // The others are moved back even if one cannot be.
        if undone.fold(true, |all, one| all & one.is_ok()) {
            return Err(error);
        }
        let kept = beside.keep();
        let words = format!("{error}; old files are left in `{}`", kept.display());
        return Err(io::Error::new(error.kind(), words));
    }
    for (_, place) in &moved {
        if let Some(parent) = place.parent() {
            sync_folder(parent);
        }
    }
    // The export is complete. What cannot be removed is found by its name the next time.
    drop(beside);
    Ok((total, rows))
}

/// Moves the old files of a partition away and the new ones, if any, to their place, atomically if the system can do
/// that; appends the moves to `moved`.
fn exchanged(
    beside: &TempDir,
    partition: Partition,
    place: &Path,
    moved: &mut Vec<(PathBuf, PathBuf)>,
) -> io::Result<()> {
    let new = new(beside, partition);
    let is_old = fs::symlink_metadata(place).is_ok();
    if is_old && new.exists() && swapped(&new, place).is_ok() {
        moved.push((new, place.to_owned()));
        return Ok(());
    }
    let mut rename = |from: PathBuf, to: PathBuf| -> io::Result<()> {
        fs::rename(&from, &to)?;
        moved.push((from, to));
        Ok(())
    };
    if is_old {
        let old = beside.path().join(format!("old-{}", partition.name()));
        rename(place.to_owned(), old)?;
    }
    if new.exists() {
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent)?;
        }
        rename(new, place.to_owned())?;
    }
    Ok(())
}

#[cfg(target_os = "linux")]
fn swapped(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(target_os = "linux"))]
fn swapped(_: &Path, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

fn kind(partition: Partition) -> String {
    format!("kind={}", partition.name())
}

fn new(beside: &TempDir, partition: Partition) -> PathBuf {
    beside.path().join(format!("new-{}", partition.name()))
}

/// The file's name without its extension. What needs quoting in a path of partitions is written as readers of such
/// paths expect it: each byte as `%` and two digits.
fn partition_name(file: &Path) -> String {
    let mut name = String::new();
    for &byte in file.file_stem().unwrap_or_default().as_encoded_bytes() {
        match byte.is_ascii_alphanumeric() || b"-_.".contains(&byte) {
            true => name.push(char::from(byte)),
            false => name.push_str(&format!("%{byte:02X}")),
        }
    }
    if name.chars().all(|character| character == '.') {
        "samples".to_owned()
    } else {
        name
    }
}
