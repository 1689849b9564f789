//! Strangers on the network, against the whole program: what they hold, send and break costs little memory, and
//! a normal client does not notice.
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use flate2::{Compress, Compression, FlushCompress};
use recount::ingest::Signal;

use crate::bugs::case::block_on;
use crate::faults::house::House;
use crate::faults::memory::kilobytes;
use crate::faults::traffic::{JSON, long_run, run};
use crate::support::binary::http;
use crate::support::child::{Child, say, wait};
use crate::wire::client::{call, frame};

const TARGET: &str = "RECOUNT_CHILD_TARGET";
/// Connections that say nothing, that never end their header, that never end their body.
const SILENT: usize = 2_000;
const SLOW: usize = 500;
/// What the server may take in memory while it is besieged, over what it took before.
const MEMORY_KB: u64 = 400 << 10;

/// Raises the limit of files as far as it may.
const MANY_FILES: &str = r#"ulimit -n 8192 2>/dev/null || ulimit -n "$(ulimit -H -n)"; exec "$@""#;

/// Holds connections until the parent is done.
#[test]
#[ignore = "a child of the test below"]
fn besieges() {
    let Some(target) = std::env::var_os(TARGET) else { return };
    let target = target.to_str().unwrap();
    let head = "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    let whole = format!("{head}Content-Length: 100\r\n\r\n{{");
    let mut held = Vec::new();
    for said in std::iter::empty()
        .chain([""].repeat(SILENT))
        .chain([head].repeat(SLOW))
        .chain([whole.as_str()].repeat(SLOW))
    {
        let Ok(mut stream) = TcpStream::connect(target) else { break };
        stream.write_all(said.as_bytes()).unwrap_or_default();
        held.push(stream);
    }
    say(&format!("{}", held.len()));
    wait();
}

/// Ends the normal client, also where something before that fails.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A gzip of ten gigabytes of zeros, without its end: one block, again and again.
fn bomb() -> Vec<u8> {
    let zeros = vec![0; 1 << 20];
    let mut deflate = Compress::new(Compression::best(), false);
    let mut block = || {
        let mut out = Vec::with_capacity(64 << 10);
        deflate.compress_vec(&zeros, &mut out, FlushCompress::Sync).unwrap();
        out
    };
    let (first, again) = (block(), block());
    let mut bomb = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    bomb.extend(first);
    (1..10 << 10).for_each(|_| bomb.extend(&again));
    bomb
}

/// A frame of HTTP/2.
fn h2(kind: u8, flags: u8, stream: u32, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), body].concat()
}

/// Opens HTTP/2, writes pieces until the other end has enough or there are no more, and gives back how many.
fn floods(target: &str, pieces: impl Iterator<Item = Vec<u8>>) -> usize {
    let mut stream = TcpStream::connect(target).unwrap();
    stream.set_write_timeout(Some(Duration::from_secs(5))).unwrap();
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").unwrap();
    stream.write_all(&h2(4, 0, 0, &[])).unwrap();
    let mut written = 0;
    for piece in pieces {
        if stream.write_all(&piece).is_err() {
            break;
        }
        written += 1;
    }
    written
}

/// Requests that are taken back as soon as they are made.
fn rapid_resets(target: &str) -> usize {
    let header = [&[0x83, 0x86, 0x84, 0x01, 9][..], b"localhost"].concat();
    floods(
        target,
        (0..50_000_u32)
            .map(|at| [h2(1, 4, 2 * at + 1, &header), h2(3, 0, 2 * at + 1, &8_u32.to_be_bytes())].concat()),
    )
}

fn other_floods(target: &str) {
    floods(target, (0..50_000).map(|_| h2(6, 0, 0, &[7; 8])));
    floods(target, (0..50_000).map(|_| h2(4, 0, 0, &[])));
    // A header that never ends.
    let first = h2(1, 0, 1, &[0x83, 0x86, 0x84]);
    let more = [&[0x00, 1, b'a', 0x7f, 0x81, 0x7e][..], &[b'x'; 256]].concat();
    floods(target, std::iter::once(first).chain((0..40_000).map(|_| h2(9, 0, 1, &more))));
}

/// A stranger's words in another protocol: an end, not an answer as if it had been understood.
fn wrong_protocols(house: &House) {
    let serving = house.serving();
    for target in [&serving.ui, &serving.otlp_http, &serving.otlp_grpc] {
        let hello = [&[0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3][..], &[7; 512]].concat();
        for words in [
            hello.as_slice(),
            b"EHLO localhost\r\n\r\n",
            b"\0\0\0\x08\x04\xd2\x16\x2f",
            b"*1\r\n$4\r\nPING\r\n\r\n",
        ] {
            let mut stream = TcpStream::connect(target).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            // It may have been let go of before all is said.
            stream.write_all(words).unwrap_or_default();
            stream.shutdown(std::net::Shutdown::Write).unwrap_or_default();
            let mut answer = Vec::new();
            drop(stream.read_to_end(&mut answer));
            let answer = String::from_utf8_lossy(&answer);
            assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{target}: {answer}");
        }
    }
    // Both OTLP ports speak both: nobody loses spans by a wrong digit.
    let run = run();
    assert_eq!(http(&serving.otlp_grpc, JSON, run.body.as_bytes()).unwrap().0, 200);
    let path = Signal::Traces.grpc_path();
    let reply = block_on(call(serving.otlp_http.parse().unwrap(), path, &[], frame(0, b"")));
    assert_eq!(reply.grpc_status(), "0");
}

/// Too much, packed or not: refused for good, and the next one on that port is taken.
fn too_much(house: &House, bomb: &[u8]) {
    let serving = house.serving();
    let packed =
        "POST /v1/traces HTTP/1.1\r\nContent-Type: application/x-protobuf\r\nContent-Encoding: gzip\r\n";
    let (path, grpc) = (Signal::Traces.grpc_path(), serving.otlp_grpc.parse().unwrap());
    for _ in 0..3 {
        assert_eq!(http(&serving.otlp_http, packed, bomb).unwrap().0, 413);
        let reply = block_on(call(grpc, path, &[("grpc-encoding", "gzip")], frame(1, bomb)));
        assert_eq!(reply.grpc_status(), "8");
    }
    let large = vec![0; 65 << 20];
    let reply = block_on(call(grpc, path, &[], frame(0, &large)));
    assert_eq!(reply.grpc_status(), "8");
    assert_eq!(http(&serving.otlp_http, JSON, &large).unwrap().0, 413);
    for bytes in [&bomb[..bomb.len() / 100], b"\x1f\x8b\x08", b""] {
        let truncated = http(&serving.otlp_http, packed, bytes).unwrap().0;
        assert!(truncated == 400 || truncated == 413, "{truncated}");
    }
    assert_eq!(http(&serving.otlp_http, JSON, long_run(100_000).body.as_bytes()).unwrap().0, 200);
}

#[test]
fn strangers_cost_little_and_nobody_else() {
    let mut house = House::start_with(&[], |_| ["sh", "-c", MANY_FILES, "sh"].map(str::to_owned).to_vec());
    house.send(20);
    let process = house.serving().id();
    let before = kilobytes(process, "VmHWM");
    let otlp = house.serving().otlp_http.clone();
    let mut siege = Child::start_under(MANY_FILES, "faults::strangers::besieges", &[(TARGET, &otlp)]);
    let held: usize = siege.says().unwrap().parse().unwrap();
    assert!(held > 500, "{held} connections");
    let (over, taken, bomb) = (AtomicBool::new(false), AtomicU64::new(0), bomb());
    let slowest = thread::scope(|scope| {
        // A normal client, meanwhile: each of its requests is taken.
        let client = scope.spawn(|| {
            let mut slowest = Duration::ZERO;
            while !over.load(Ordering::Relaxed) {
                let begun = Instant::now();
                assert_eq!(http(&otlp, JSON, long_run(5).body.as_bytes()).unwrap().0, 200);
                slowest = slowest.max(begun.elapsed());
                taken.fetch_add(1, Ordering::Relaxed);
            }
            slowest
        });
        let ends = Ends(&over);
        let resets = scope.spawn(|| rapid_resets(&otlp));
        too_much(&house, &bomb);
        other_floods(&otlp);
        other_floods(&house.serving().ui);
        wrong_protocols(&house);
        assert!(resets.join().unwrap() < 50_000, "somebody who takes everything back is let go on");
        drop(ends);
        client.join().unwrap()
    });
    let grown = kilobytes(process, "VmHWM") - before;
    #[expect(clippy::print_stdout, reason = "a figure for the table in benches/README.md")]
    {
        println!(
            "besieged by {held}: {} MB more, the slowest of {taken:?} requests {slowest:?}",
            grown >> 10
        );
    }
    assert!(grown < MEMORY_KB, "{grown} kB");
    assert!(taken.load(Ordering::Relaxed) > 5);
    drop(siege);
    house.until("settled", |_, counts| counts.is_settled());
    let counts = house.counts();
    assert_eq!(counts.stored(), house.clickhouse.ask::<u64>("SELECT count() FROM steps"));
    assert_eq!(counts.stored(), counts.kept());
    house.is_well();
}
