//! A sweep as Apache Parquet: one row group without compression. Options and status are never null, figures may be.

use super::{Cell, Column, Kind, Source, Sweep};
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use std::io::{self, Write};
use std::sync::Arc;

pub(super) fn write(sweep: &Sweep, out: &mut dyn Write) -> io::Result<()> {
    let bytes = file(sweep).map_err(|error| match error {
        ParquetError::External(error) => io::Error::other(error),
        error => io::Error::other(error.to_string()),
    })?;
    out.write_all(&bytes)
}

/// The whole file in memory: the number of rows is bounded.
fn file(sweep: &Sweep) -> Result<Vec<u8>> {
    let columns = sweep.columns();
    let fields: Vec<Arc<Type>> = columns.iter().map(field).collect::<Result<_>>()?;
    let schema = Type::group_type_builder("sweep").with_fields(fields).build()?;
    let properties = WriterProperties::builder().set_created_by(format!("p5inst {}", env!("CARGO_PKG_VERSION")));
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::new(properties.build()))?;
    let mut group = writer.next_row_group()?;
    for column in &columns {
        let Some(mut target) = group.next_column()? else {
            break;
        };
        let cells = (0..sweep.rows.len()).map(|index| sweep.cell(index, column));
        match column.kind {
            Kind::Integer => put::<Int64Type>(&mut target, is_optional(column), cells, |cell| match cell {
                Cell::Integer(figure) => Some(figure),
                _ => None,
            }),
            Kind::Real => put::<DoubleType>(&mut target, is_optional(column), cells, |cell| match cell {
                Cell::Real(figure) => Some(figure),
                _ => None,
            }),
            Kind::Text => put::<ByteArrayType>(&mut target, is_optional(column), cells, |cell| match cell {
                Cell::Text(text) => Some(ByteArray::from(text)),
                _ => None,
            }),
        }?;
        target.close()?;
    }
    group.close()?;
    writer.close()?;
    Ok(bytes)
}

fn is_optional(column: &Column) -> bool {
    !matches!(column.source, Source::Axis(_) | Source::Status)
}

fn field(column: &Column) -> Result<Arc<Type>> {
    let (physical, logical) = match column.kind {
        Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Kind::Integer => (Physical::INT64, None),
        Kind::Real => (Physical::DOUBLE, None),
    };
    let repetition = if is_optional(column) {
        Repetition::OPTIONAL
    } else {
        Repetition::REQUIRED
    };
    let builder = Type::primitive_type_builder(&column.name, physical);
    let builder = builder.with_logical_type(logical).with_repetition(repetition);
    builder.build().map(Arc::new)
}

/// Writes a column. If values may be missing, a definition level for each row says whether there is one.
fn put<'a, T: DataType>(
    target: &mut SerializedColumnWriter<'_>,
    optional: bool,
    cells: impl Iterator<Item = Cell<'a>>,
    value: impl Fn(Cell<'a>) -> Option<T::T>,
) -> Result<usize> {
    let values: Vec<Option<T::T>> = cells.map(value).collect();
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let present: Vec<T::T> = values.into_iter().flatten().collect();
    target
        .typed::<T>()
        .write_batch(&present, optional.then_some(&levels[..]), None)
}
