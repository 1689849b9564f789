//! One connection of the library: a statement at a time, its results and rows as bytes.
#![expect(unsafe_code, reason = "calling the library's C functions and reading the memory they return")]
use std::ffi::{CStr, CString, c_char, c_int};
use std::marker::PhantomData;
use std::slice;

use bytes::Bytes;

use crate::store::engine::exception::Exception;
use crate::store::engine::library::{Cell, Handle, Library};

/// The value of a `{name:Type}` parameter, in ClickHouse's escaped text.
pub(super) type Parameter = (String, String);

/// An open connection. It closes when dropped, which may wait for the engine.
pub(super) struct Connection {
    library: &'static Library,
    cell: Cell,
}

// SAFETY: the library lets any thread use a connection, one statement at a time; `&mut self` sees to the
// latter.
unsafe impl Send for Connection {}

impl Connection {
    /// Opens a connection; `None` if the engine does not start, which it explains on stderr.
    pub(super) fn open(library: &'static Library, arguments: &[CString]) -> Option<Self> {
        let arguments: Vec<*const c_char> = arguments.iter().map(|argument| argument.as_ptr()).collect();
        let count = c_int::try_from(arguments.len()).ok()?;
        // SAFETY: the pointers live through the call, which copies what it keeps.
        let cell = unsafe { (library.connect)(count, arguments.as_ptr()) };
        (!cell.is_null()).then_some(Self { library, cell })
    }

    /// Runs a statement to its end and returns its whole result.
    pub(super) fn run(
        &mut self,
        sql: &str,
        format: &str,
        parameters: &[Parameter],
    ) -> Result<Bytes, Exception> {
        let result = self.ask(self.library.query_with_params_n, sql, format, parameters);
        result.into_bytes()
    }

    /// Starts a statement whose result is fetched piece by piece.
    pub(super) fn select(
        &mut self,
        sql: &str,
        format: &str,
        parameters: &[Parameter],
    ) -> Result<Select<'_>, Exception> {
        let stream = self.ask(self.library.stream_query_with_params_n, sql, format, parameters);
        stream.checked()?;
        Ok(Select { connection: self, stream })
    }

    /// Starts an `INSERT` whose rows follow in pieces. `sql` has no `FORMAT`; the format stands beside it.
    pub(super) fn insert(&mut self, sql: &str, format: &str) -> Result<Insert<'_>, Exception> {
        // SAFETY: the connection is open, the texts live through the call, which copies them.
        let stream = unsafe {
            (self.library.stream_insert_n)(
                self.handle(),
                sql.as_ptr().cast(),
                sql.len(),
                format.as_ptr().cast(),
                format.len(),
            )
        };
        let insert = Insert { library: self.library, stream, connection: PhantomData };
        match insert.error() {
            Some(error) => Err(error),
            None => Ok(insert),
        }
    }

    fn handle(&self) -> Handle {
        // SAFETY: the cell came from `chdb_connect`, is not null and stays until `chdb_close_conn`.
        unsafe { *self.cell }
    }

    fn ask(&self, function: AskFunction, sql: &str, format: &str, parameters: &[Parameter]) -> Answered {
        let names: Vec<*const c_char> = parameters.iter().map(|(name, _)| name.as_ptr().cast()).collect();
        let name_lens: Vec<usize> = parameters.iter().map(|(name, _)| name.len()).collect();
        let values: Vec<*const c_char> = parameters.iter().map(|(_, value)| value.as_ptr().cast()).collect();
        let value_lens: Vec<usize> = parameters.iter().map(|(_, value)| value.len()).collect();
        // SAFETY: the connection is open; every pointer has its length beside it and lives through the call,
        // which copies what it keeps; with no parameters the arrays are not read.
        let result = unsafe {
            function(
                self.handle(),
                sql.as_ptr().cast(),
                sql.len(),
                format.as_ptr().cast(),
                format.len(),
                names.as_ptr(),
                name_lens.as_ptr(),
                values.as_ptr(),
                value_lens.as_ptr(),
                parameters.len(),
            )
        };
        Answered { library: self.library, result }
    }
}

type AskFunction = unsafe extern "C" fn(
    Handle,
    *const c_char,
    usize,
    *const c_char,
    usize,
    *const *const c_char,
    *const usize,
    *const *const c_char,
    *const usize,
    usize,
) -> Handle;

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: the cell is closed once, here; results outlive it, streams borrow it and are gone.
        unsafe { (self.library.close_conn)(self.cell) }
    }
}

/// A running `SELECT`. Dropped before its end, it is stopped.
pub(super) struct Select<'c> {
    connection: &'c mut Connection,
    stream: Answered,
}

impl Select<'_> {
    /// The next piece of the result; `None` after the last.
    pub(super) fn next(&mut self) -> Result<Option<Bytes>, Exception> {
        let library = self.connection.library;
        // SAFETY: connection and stream are open and belong together; `&mut` keeps others out.
        let result = unsafe { (library.stream_fetch_result)(self.connection.handle(), self.stream.result) };
        let piece = Answered { library, result }.into_bytes()?;
        Ok((!piece.is_empty()).then_some(piece))
    }
}

impl Drop for Select<'_> {
    fn drop(&mut self) {
        // SAFETY: as in `next`; after the end of the stream it does nothing.
        unsafe { (self.connection.library.stream_cancel_query)(self.connection.handle(), self.stream.result) }
    }
}

/// A running `INSERT`. Dropped before [`Insert::finish`], it is given up.
pub(super) struct Insert<'c> {
    library: &'static Library,
    stream: Handle,
    connection: PhantomData<&'c mut Connection>,
}

impl Insert<'_> {
    /// Hands over the next rows; waits while the engine is behind.
    pub(super) fn append(&mut self, rows: &[u8]) -> Result<(), Exception> {
        // SAFETY: the stream is open; the rows live through the call, which copies them.
        let state = unsafe { (self.library.stream_append)(self.stream, rows.as_ptr().cast(), rows.len()) };
        if state == 0 {
            Ok(())
        } else {
            Err(self.error().unwrap_or_else(|| Exception::of("the insert broke off")))
        }
    }

    /// Ends the rows and waits until they are stored.
    pub(super) fn finish(self) -> Result<(), Exception> {
        // SAFETY: the stream is open, and nothing but the destructor uses it after this.
        let result = unsafe { (self.library.stream_done)(self.stream) };
        if result.is_null() {
            return Err(self.error().unwrap_or_else(|| Exception::of("the insert has no result")));
        }
        Answered { library: self.library, result }.checked()
    }

    fn error(&self) -> Option<Exception> {
        // SAFETY: the stream is not destroyed yet; the text is copied before anything else touches it.
        unsafe { exception_at((self.library.stream_insert_error)(self.stream)) }
    }
}

impl Drop for Insert<'_> {
    fn drop(&mut self) {
        // SAFETY: destroyed once, here; the library asks for it on every path.
        unsafe { (self.library.destroy_insert_stream)(self.stream) }
    }
}

/// A result of the library, ours to destroy.
struct Answered {
    library: &'static Library,
    result: Handle,
}

// SAFETY: a result is plain memory of its own; it knows no thread and no connection.
unsafe impl Send for Answered {}

impl Answered {
    fn checked(&self) -> Result<(), Exception> {
        if self.result.is_null() {
            return Err(Exception::of("the engine returned no result"));
        }
        // SAFETY: the result is not destroyed yet; the text is copied.
        match unsafe { exception_at((self.library.result_error)(self.result)) } {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn into_bytes(self) -> Result<Bytes, Exception> {
        self.checked()?;
        Ok(Bytes::from_owner(self))
    }
}

impl AsRef<[u8]> for Answered {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: the library keeps buffer and length unchanged until the result is destroyed, which `self`
        // prevents.
        unsafe {
            let buffer = (self.library.result_buffer)(self.result);
            let length = (self.library.result_length)(self.result);
            if buffer.is_null() || length == 0 { &[] } else { slice::from_raw_parts(buffer.cast(), length) }
        }
    }
}

impl Drop for Answered {
    fn drop(&mut self) {
        // SAFETY: destroyed once, here; null is allowed.
        unsafe { (self.library.destroy_query_result)(self.result) }
    }
}

/// # Safety
/// `text` is null or ends with a zero byte.
unsafe fn exception_at(text: *const c_char) -> Option<Exception> {
    if text.is_null() {
        return None;
    }
    // SAFETY: promised by the caller.
    let text = unsafe { CStr::from_ptr(text) };
    Some(Exception::of(&text.to_string_lossy()))
}
