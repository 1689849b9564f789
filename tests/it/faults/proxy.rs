//! What stands between the server and its store, and can be told to behave badly.
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// How it behaves. A change breaks off every connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    Well,
    /// Nobody listens.
    Down,
    /// Takes connections and answers nothing.
    Hanging,
    /// Every piece takes its time, either way.
    Slow,
    /// Breaks inserts off half-way.
    CutsInserts,
    /// About every other insert is done, and its answer is never given.
    LosesAnswers,
    /// Inserts come from a user who may only read.
    ReadOnly,
}

/// The proxy; gone when dropped.
pub(crate) struct Proxy {
    pub(crate) at: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    store: SocketAddr,
    mood: Mutex<Mood>,
    open: Mutex<Vec<TcpStream>>,
    listening: AtomicBool,
    gone: AtomicBool,
    inserts: AtomicU64,
    bitten: AtomicU64,
}

impl Proxy {
    pub(crate) fn before(store: SocketAddr) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let at = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            store,
            mood: Mutex::new(Mood::Well),
            open: Mutex::default(),
            listening: AtomicBool::new(true),
            gone: AtomicBool::new(false),
            inserts: AtomicU64::new(0),
            bitten: AtomicU64::new(0),
        });
        let inner = shared.clone();
        thread::spawn(move || inner.accept(listener, at));
        Self { at, shared }
    }

    /// Behaves like this from now on.
    pub(crate) fn be(&self, mood: Mood) {
        *self.shared.mood.lock().unwrap() = mood;
        self.shared.break_off();
        while self.shared.listening.load(Ordering::SeqCst) != (mood != Mood::Down) {
            thread::sleep(Duration::from_millis(1));
        }
        // One that was accepted at the last moment.
        self.shared.break_off();
    }

    /// How many inserts it has spoilt.
    pub(crate) fn bitten(&self) -> u64 {
        self.shared.bitten.load(Ordering::SeqCst)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.gone.store(true, Ordering::SeqCst);
        self.shared.break_off();
    }
}

impl Shared {
    fn mood(&self) -> Mood {
        *self.mood.lock().unwrap()
    }

    fn break_off(&self) {
        for stream in self.open.lock().unwrap().drain(..) {
            stream.shutdown(Shutdown::Both).unwrap_or_default();
        }
    }

    fn accept(self: Arc<Self>, listener: TcpListener, at: SocketAddr) {
        listener.set_nonblocking(true).unwrap();
        let mut listener = Some(listener);
        while !self.gone.load(Ordering::SeqCst) {
            if self.mood() == Mood::Down {
                drop(listener.take());
            } else if listener.is_none() {
                listener = TcpListener::bind(at).ok();
                listener.iter().for_each(|listener| listener.set_nonblocking(true).unwrap());
            }
            self.listening.store(listener.is_some(), Ordering::SeqCst);
            match listener.as_ref().map(TcpListener::accept) {
                Some(Ok((stream, _))) => self.clone().pass(stream),
                Some(Err(_)) | None => thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    fn pass(self: Arc<Self>, client: TcpStream) {
        client.set_nonblocking(false).unwrap();
        client.set_nodelay(true).unwrap();
        let mut open = self.open.lock().unwrap();
        open.push(client.try_clone().unwrap());
        if self.mood() == Mood::Hanging {
            return;
        }
        let Ok(store) = TcpStream::connect(self.store) else { return };
        store.set_nodelay(true).unwrap();
        open.push(store.try_clone().unwrap());
        drop(open);
        let asked = Arc::new(AtomicBool::new(false));
        let (this, reader, writer) = (self.clone(), client.try_clone().unwrap(), store.try_clone().unwrap());
        let inserted = asked.clone();
        thread::spawn(move || this.questions((reader, writer), &inserted));
        thread::spawn(move || self.answers((store, client), &asked));
    }

    fn questions(&self, (mut from, mut to): (TcpStream, TcpStream), inserted: &AtomicBool) {
        let mut piece = vec![0; 256 << 10];
        while let Ok(length @ 1..) = from.read(&mut piece) {
            let mut piece = piece[..length].to_vec();
            let inserts = piece.starts_with(b"POST ") && piece.windows(11).any(|word| word == b"INSERT+INTO");
            inserted.fetch_or(inserts, Ordering::SeqCst);
            match self.mood() {
                Mood::CutsInserts if inserts => {
                    self.bitten.fetch_add(1, Ordering::SeqCst);
                    piece.truncate(length / 2);
                    to.write_all(&piece).unwrap_or_default();
                    break;
                }
                Mood::ReadOnly if inserts => {
                    self.bitten.fetch_add(1, Ordering::SeqCst);
                    let at = piece.iter().position(|byte| *byte == b'?').unwrap() + 1;
                    piece.splice(at..at, *b"readonly=1&");
                }
                Mood::Slow => thread::sleep(Duration::from_millis(100)),
                Mood::Well
                | Mood::Down
                | Mood::Hanging
                | Mood::CutsInserts
                | Mood::LosesAnswers
                | Mood::ReadOnly => {}
            }
            if to.write_all(&piece).is_err() {
                break;
            }
        }
        ended(&from, &to);
    }

    fn answers(&self, (mut from, mut to): (TcpStream, TcpStream), inserted: &AtomicBool) {
        let mut piece = vec![0; 256 << 10];
        while let Ok(length @ 1..) = from.read(&mut piece) {
            let insert = inserted.swap(false, Ordering::SeqCst);
            if self.mood() == Mood::Slow {
                thread::sleep(Duration::from_millis(100));
            }
            if insert
                && self.mood() == Mood::LosesAnswers
                && unlucky(self.inserts.fetch_add(1, Ordering::SeqCst))
            {
                self.bitten.fetch_add(1, Ordering::SeqCst);
                break;
            }
            if to.write_all(&piece[..length]).is_err() {
                break;
            }
        }
        ended(&from, &to);
    }
}

/// About every other number, in no rhythm: one would go on for ever with whoever starts again from the first of
/// several inserts.
fn unlucky(number: u64) -> bool {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 0
}

fn ended(from: &TcpStream, to: &TcpStream) {
    from.shutdown(Shutdown::Both).unwrap_or_default();
    to.shutdown(Shutdown::Both).unwrap_or_default();
}
