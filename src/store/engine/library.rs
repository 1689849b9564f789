//! The functions of libchdb, found at run time. The library is loaded once and never unloaded.
#![expect(unsafe_code, reason = "loading a C library and naming the types of its functions")]
use std::error::Error;
use std::ffi::{c_char, c_int, c_void};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::store::engine::error::EngineError;

/// A connection, result or insert of the library: opaque to us.
pub(super) type Handle = *mut c_void;
/// What `chdb_connect` returns: a cell that holds the connection.
pub(super) type Cell = *mut Handle;

type Text = *const c_char;
type Query = unsafe extern "C" fn(Handle, Text, usize, Text, usize) -> Handle;
type QueryWith = unsafe extern "C" fn(
    Handle,
    Text,
    usize,
    Text,
    usize,
    *const Text,
    *const usize,
    *const Text,
    *const usize,
    usize,
) -> Handle;

/// The part of the C interface that we use, under its own names without the prefix.
pub(super) struct Library {
    pub(super) connect: unsafe extern "C" fn(c_int, *const Text) -> Cell,
    pub(super) close_conn: unsafe extern "C" fn(Cell),
    pub(super) query_with_params_n: QueryWith,
    pub(super) stream_query_with_params_n: QueryWith,
    pub(super) stream_fetch_result: unsafe extern "C" fn(Handle, Handle) -> Handle,
    pub(super) stream_cancel_query: unsafe extern "C" fn(Handle, Handle),
    pub(super) result_buffer: unsafe extern "C" fn(Handle) -> *mut c_char,
    pub(super) result_length: unsafe extern "C" fn(Handle) -> usize,
    pub(super) result_error: unsafe extern "C" fn(Handle) -> Text,
    pub(super) destroy_query_result: unsafe extern "C" fn(Handle),
    pub(super) stream_insert_n: Query,
    pub(super) stream_append: unsafe extern "C" fn(Handle, *const c_void, usize) -> c_int,
    pub(super) stream_done: unsafe extern "C" fn(Handle) -> Handle,
    pub(super) stream_insert_error: unsafe extern "C" fn(Handle) -> Text,
    pub(super) destroy_insert_stream: unsafe extern "C" fn(Handle),
    shutdown: unsafe extern "C" fn() -> c_int,
}

impl Library {
    /// Loads the library, or returns the one loaded before.
    pub(super) fn load(path: &Path) -> Result<&'static Self, EngineError> {
        static LOADED: OnceLock<Library> = OnceLock::new();
        static LOADING: Mutex<()> = Mutex::new(());
        let _one_at_a_time = LOADING.lock().unwrap_or_else(PoisonError::into_inner);
        match LOADED.get() {
            Some(loaded) => Ok(loaded),
            None => {
                let loaded = Self::load_first(path)?;
                Ok(LOADED.get_or_init(|| loaded))
            }
        }
    }

    fn load_first(path: &Path) -> Result<Self, EngineError> {
        if !path.exists() {
            return Err(EngineError::LibraryMissing { path: path.to_owned() });
        }
        let wrong = |reason: &libloading::Error| EngineError::LibraryWrong {
            path: path.to_owned(),
            // The error itself says that loading failed, its source why.
            reason: reason
                .source()
                .map_or_else(|| reason.to_string(), |why| without_path(&why.to_string(), path)),
        };
        // SAFETY: the library's initializers are those of ClickHouse, which may run in any process; a file
        // that is no library is refused by the loader.
        let opened = unsafe { libloading::Library::new(path) }.map_err(|error| wrong(&error))?;
        // SAFETY: each field's type is the C declaration of the function it is named after, in chdb.h of
        // 26.7.
        let library = unsafe {
            Self {
                connect: named(&opened, "chdb_connect").map_err(|error| wrong(&error))?,
                close_conn: named(&opened, "chdb_close_conn").map_err(|error| wrong(&error))?,
                query_with_params_n: named(&opened, "chdb_query_with_params_n")
                    .map_err(|error| wrong(&error))?,
                stream_query_with_params_n: named(&opened, "chdb_stream_query_with_params_n")
                    .map_err(|error| wrong(&error))?,
                stream_fetch_result: named(&opened, "chdb_stream_fetch_result")
                    .map_err(|error| wrong(&error))?,
                stream_cancel_query: named(&opened, "chdb_stream_cancel_query")
                    .map_err(|error| wrong(&error))?,
                result_buffer: named(&opened, "chdb_result_buffer").map_err(|error| wrong(&error))?,
                result_length: named(&opened, "chdb_result_length").map_err(|error| wrong(&error))?,
                result_error: named(&opened, "chdb_result_error").map_err(|error| wrong(&error))?,
                destroy_query_result: named(&opened, "chdb_destroy_query_result")
                    .map_err(|error| wrong(&error))?,
                stream_insert_n: named(&opened, "chdb_stream_insert_n").map_err(|error| wrong(&error))?,
                stream_append: named(&opened, "chdb_stream_append").map_err(|error| wrong(&error))?,
                stream_done: named(&opened, "chdb_stream_done").map_err(|error| wrong(&error))?,
                stream_insert_error: named(&opened, "chdb_stream_insert_error")
                    .map_err(|error| wrong(&error))?,
                destroy_insert_stream: named(&opened, "chdb_destroy_insert_stream")
                    .map_err(|error| wrong(&error))?,
                shutdown: named(&opened, "chdb_shutdown").map_err(|error| wrong(&error))?,
            }
        };
        // SAFETY: as above; a plain flag of the library.
        unsafe {
            let set: unsafe extern "C" fn(c_int) =
                named(&opened, "chdb_set_signal_handlers_enabled").map_err(|error| wrong(&error))?;
            // SIGINT and SIGTERM are ours, and a crash must leave its usual core and exit status.
            set(0);
        }
        AT_WORK.store(true, Ordering::Release);
        // Unloading would crash in the library's thread-local destructors.
        std::mem::forget(opened);
        Ok(library)
    }

    /// Stops every thread of the library. True once none is left; no connection can be opened after it.
    pub(super) fn stop(&self) -> bool {
        // SAFETY: takes nothing, and refuses by itself while a connection is open.
        let stopped = unsafe { (self.shutdown)() == 0 };
        if stopped {
            AT_WORK.store(false, Ordering::Release);
        }
        stopped
    }
}

/// Whether threads of the library may be at work.
static AT_WORK: AtomicBool = AtomicBool::new(false);

#[cfg(all(target_os = "linux", target_env = "gnu"))]
unsafe extern "C" {
    fn on_exit(callback: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    fn _exit(status: c_int) -> !;
}

/// Makes leaving the process by `exit`, or by the end of `main`, safe while the library is at work.
///
/// The C library destroys the engine's static objects one by one while its threads still use them, and the
/// process dies of a segmentation fault on its way out. So if the library was not stopped before, the process
/// ends at once, with its status, which costs nothing: what is acknowledged is on disk. Handlers run last in,
/// first out, and the engine makes static objects as it goes: the later this is called again, the sooner it
/// runs.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn leave_at_once() {
    extern "C" fn leave(status: c_int, _: *mut c_void) {
        if AT_WORK.load(Ordering::Acquire) {
            // SAFETY: ends the process; Rust has flushed its output before the handlers run.
            unsafe { _exit(status) }
        }
    }
    // SAFETY: registers a function of the right type that uses no argument.
    if unsafe { on_exit(leave, std::ptr::null_mut()) } != 0 {
        tracing::warn!("leaving without stopping the engine may end in a crash");
    }
}

/// Other systems have no such handler; there the engine has to be stopped before leaving.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn leave_at_once() {}

/// # Safety
/// `T` must be the type of the function called `name`.
unsafe fn named<T: Copy>(library: &libloading::Library, name: &str) -> Result<T, libloading::Error> {
    // SAFETY: promised by the caller.
    unsafe { library.get::<T>(name).map(|symbol| *symbol) }
}

/// The loader repeats the path, which our sentence has already.
fn without_path(reason: &str, path: &Path) -> String {
    reason.replace(&format!("{}: ", path.display()), "")
}
