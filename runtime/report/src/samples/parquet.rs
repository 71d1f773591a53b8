//! Samples as Apache Parquet, for data frames and clusters: raw images in columns of unsigned 64-bit numbers, beside
//! the places that the recording knows.
//!
//! Every file has the same columns, one for each known register among them, so that files of all kinds and of several
//! recordings form one table. An image that was not kept is null, and so is the distance of anything but a second op.

use super::partition::Partition;
use p5_chips::ibs::{SAMPLE_REGISTERS, register_name};
use p5_record::{Images, Sample, SampleKind};
use p5_samples::Analysis;
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

const ROWS: usize = 1 << 18;

/// A row: a sample, and the images to write for it.
type Row<'a> = (&'a Sample, &'a Images);

/// The files of a partition, each of a bounded number of rows; none without rows.
///
/// # Errors
/// The error of the Parquet writer.
pub fn parquet_files(recording: &Analysis, partition: Partition) -> io::Result<Vec<Vec<u8>>> {
    let rows: Vec<Row<'_>> = recording
        .samples
        .iter()
        .filter(|sample| partition.has(sample))
        .map(|sample| {
            (
                sample,
                partition.pair(sample).map_or(&sample.images, |pair| &pair.images),
            )
        })
        .collect();
    let files = rows.chunks(ROWS).map(|rows| file(recording, partition, rows));
    files.collect::<Result<Vec<Vec<u8>>>>().map_err(|error| match error {
        ParquetError::External(error) => io::Error::other(error),
        error => io::Error::other(error.to_string()),
    })
}

fn file(recording: &Analysis, partition: Partition, rows: &[Row<'_>]) -> Result<Vec<u8>> {
    let known = SAMPLE_REGISTERS.iter().map(|register| register.number);
    let seen = rows
        .iter()
        .flat_map(|(_, images)| images.iter().map(|(register, _)| register));
    let registers: BTreeSet<u32> = known.chain(seen).collect();
    let mut fields = vec![
        whole("number", false)?,
        whole("run", false)?,
        whole("clock", false)?,
        whole("distance", true)?,
        whole("clocks", true)?,
        whole("address", true)?,
        text("procedure")?,
        text("file")?,
        whole("line", true)?,
    ];
    for register in &registers {
        fields.push(whole(&register_name(*register), true)?);
    }
    let schema = Type::group_type_builder("samples").with_fields(fields).build()?;
    let properties = WriterProperties::builder().set_created_by(format!("p5inst {}", env!("CARGO_PKG_VERSION")));
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::new(properties.build()))?;
    let mut group = writer.next_row_group()?;
    let mut next = |put: &dyn Fn(&mut SerializedColumnWriter<'_>) -> Result<usize>| match group.next_column()? {
        Some(mut column) => {
            put(&mut column)?;
            column.close()
        }
        None => Ok(()),
    };
    let address = |(_, images): &Row<'_>| {
        let kind = match partition {
            Partition::Samples(kind) => kind,
            Partition::Pairs => SampleKind::Op,
        };
        p5_record::address(kind, images)
    };
    next(&|column| required(column, rows.iter().map(|(sample, _)| sample.number)))?;
    let behind = |sample: &Sample| partition.pair(sample).map_or(0, |pair| pair.clocks);
    next(&|column| required(column, rows.iter().map(|(sample, _)| u64::from(sample.run))))?;
    next(&|column| required(column, rows.iter().map(|(sample, _)| sample.clock + behind(sample))))?;
    let distances = || {
        rows.iter()
            .map(|(sample, _)| Some(i64::from(partition.pair(sample)?.distance)))
    };
    next(&|column| optional::<Int64Type>(column, distances()))?;
    let clocks = || {
        rows.iter()
            .map(|(sample, _)| Some(partition.pair(sample)?.clocks as i64))
    };
    next(&|column| optional::<Int64Type>(column, clocks()))?;
    let line = |row: &Row<'_>| address(row).and_then(|address| recording.line(address));
    next(&|column| optional::<Int64Type>(column, rows.iter().map(|row| address(row).map(i64::from))))?;
    next(&|column| {
        let names = rows.iter().map(|row| {
            let routine = recording.routine(address(row)?)?;
            Some(ByteArray::from(&*routine.name()))
        });
        optional::<ByteArrayType>(column, names)
    })?;
    next(&|column| {
        let files = rows.iter().map(|row| {
            let file = recording.files.get(line(row)?.file as usize)?;
            Some(ByteArray::from(file.as_str()))
        });
        optional::<ByteArrayType>(column, files)
    })?;
    next(&|column| {
        optional::<Int64Type>(
            column,
            rows.iter().map(|row| line(row).map(|line| i64::from(line.line))),
        )
    })?;
    for register in &registers {
        let images = || {
            rows.iter()
                .map(|(_, images)| images.get(*register).map(|image| image as i64))
        };
        next(&|column| optional::<Int64Type>(column, images()))?;
    }
    group.close()?;
    writer.close()?;
    Ok(bytes)
}

/// A column of unsigned 64-bit numbers.
fn whole(name: &str, optional: bool) -> Result<Arc<Type>> {
    let unsigned = LogicalType::integer(64, false);
    let repetition = if optional {
        Repetition::OPTIONAL
    } else {
        Repetition::REQUIRED
    };
    let builder = Type::primitive_type_builder(name, Physical::INT64);
    let builder = builder.with_logical_type(Some(unsigned)).with_repetition(repetition);
    builder.build().map(Arc::new)
}

fn text(name: &str) -> Result<Arc<Type>> {
    let builder = Type::primitive_type_builder(name, Physical::BYTE_ARRAY);
    let builder = builder.with_logical_type(Some(LogicalType::String));
    builder.with_repetition(Repetition::OPTIONAL).build().map(Arc::new)
}

fn required(column: &mut SerializedColumnWriter<'_>, values: impl Iterator<Item = u64>) -> Result<usize> {
    let values: Vec<i64> = values.map(|value| value as i64).collect();
    column.typed::<Int64Type>().write_batch(&values, None, None)
}

fn optional<T: DataType>(
    column: &mut SerializedColumnWriter<'_>,
    values: impl Iterator<Item = Option<T::T>>,
) -> Result<usize> {
    let values: Vec<Option<T::T>> = values.collect();
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let present: Vec<T::T> = values.into_iter().flatten().collect();
    column.typed::<T>().write_batch(&present, Some(&levels), None)
}
