//! A column as one line: its name, its type, how it is written and how it is read, so that the four cannot
//! part.
use crate::store::rows::cell::Cell;
use crate::store::rows::reader::{ReadError, Reader};

/// One column of a table. `W` appends it for a thing of ours, `R` reads it into one.
#[derive(Debug)]
pub(in crate::store) struct Column<W, R> {
    pub(in crate::store) name: &'static str,
    pub(in crate::store) sql_type: fn() -> String,
    pub(in crate::store) write: W,
    pub(in crate::store) read: R,
}

/// How a column of a `T` is read.
pub(in crate::store) type Read<T> = fn(&mut Reader<'_>, &mut T) -> Result<(), ReadError>;

/// A column of a type, with its way of writing and the field it is read into.
macro_rules! cell {
    ($name:expr, $type:ty, $($place:ident).+, $write:expr) => {
        $crate::store::rows::column::Column {
            name: $name,
            sql_type: <$type as $crate::store::rows::cell::Cell>::sql_type,
            write: $write,
            read: |from, row| $crate::store::rows::column::set(from, &mut row.$($place).+),
        }
    };
}
pub(in crate::store) use cell;

/// A time that may be absent: 0, which no clock shows.
macro_rules! instant {
    ($name:expr, $($place:ident).+, |$kept:ident| $at:expr) => {
        $crate::store::rows::column::Column {
            name: $name,
            sql_type: <u64 as $crate::store::rows::cell::Cell>::sql_type,
            write: |out, $kept| out.u64($at.unwrap_or_default()),
            read: |from, row| {
                row.$($place).+ = Some(from.u64()?).filter(|at| *at != 0);
                Ok(())
            },
        }
    };
}
pub(in crate::store) use instant;

/// A column by which rows are filed: whoever reads it back knows it already.
macro_rules! filed {
    ($name:expr, $type:ty, $write:expr) => {
        $crate::store::rows::column::Column {
            name: $name,
            sql_type: <$type as $crate::store::rows::cell::Cell>::sql_type,
            write: $write,
            read: |from, _| <$type as $crate::store::rows::cell::Cell>::read(from).map(drop),
        }
    };
}
pub(in crate::store) use filed;

/// Reads a cell into its place.
pub(in crate::store) fn set<T: Cell>(from: &mut Reader<'_>, place: &mut T) -> Result<(), ReadError> {
    *place = T::read(from)?;
    Ok(())
}

/// The names, as an INSERT or SELECT lists them.
pub(in crate::store) fn names<'a, W: 'a, R: 'a>(
    columns: impl IntoIterator<Item = &'a Column<W, R>>,
) -> String {
    columns.into_iter().map(|column| column.name).collect::<Vec<_>>().join(", ")
}

/// Names and types, to compare with the table's.
pub(in crate::store) fn shape<'a, W: 'a, R: 'a>(
    columns: impl Iterator<Item = &'a Column<W, R>>,
) -> Vec<(String, String)> {
    columns.map(|column| (column.name.to_owned(), (column.sql_type)())).collect()
}

/// Reads one row into `row`.
pub(in crate::store) fn read_row<W, T>(
    columns: &[Column<W, Read<T>>],
    from: &mut Reader<'_>,
    row: &mut T,
) -> Result<(), ReadError> {
    columns
        .iter()
        .try_for_each(|column| (column.read)(from, row).map_err(|error| error.in_column(column.name)))
}

/// Reads every row of an answer, each into a fresh `T`.
pub(in crate::store) fn read_rows<W, T>(
    columns: &[Column<W, Read<T>>],
    bytes: &[u8],
    fresh: impl Fn() -> T,
) -> Result<Vec<T>, ReadError> {
    let mut from = Reader::new(bytes);
    let mut rows = Vec::new();
    while from.left() > 0 {
        let mut row = fresh();
        read_row(columns, &mut from, &mut row)?;
        rows.push(row);
    }
    Ok(rows)
}
