//! Who is told of unknowns: signed, again until it is taken, and not again after a restart.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use recount::conventions::ToolRules;
use recount::domain::ids::Project;
use recount::domain::scope::Scope;
use recount::notices::{Endpoint, Gauges, Notices, NoticesSettings};
use recount::store::queries::{NoticeClaim, claim_notice, notice_claims, notices};
use recount::store::{CaseLine, write_cases};

use crate::ledger::queue::unknown;
use crate::ledger::sending::{Span, id, open_case, post, send, serving_with};
use crate::support::rows::NOW_NS;

const SECRET: &str = "0123456789abcdef";
const PATIENCE: Duration = Duration::from_secs(60);

/// What arrived: its id, time and signature, and the body as it was sent.
#[derive(Debug)]
pub(crate) struct Arrived {
    pub(crate) id: String,
    at: String,
    signature: String,
    body: String,
}

impl Arrived {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub(crate) fn is_signed(&self) -> bool {
        let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
        mac.update(format!("{}.{}.{}", self.id, self.at, self.body).as_bytes());
        let expected = data_encoding::BASE64.encode(&mac.finalize().into_bytes());
        self.signature == format!("v1,{expected}")
    }
}

/// A receiver on a free port that answers with these codes, then with 200.
pub(crate) fn receiver(mut codes: Vec<u16>) -> (String, Receiver<Arrived>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = format!("http://{}/hook", listener.local_addr().unwrap());
    let (tell, told) = channel();
    codes.reverse();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut from = BufReader::new(stream.try_clone().unwrap());
            let mut headers = Vec::new();
            loop {
                let mut line = String::new();
                from.read_line(&mut line).unwrap();
                let Some((name, value)) = line.trim().split_once(": ") else {
                    if line.trim().is_empty() {
                        break;
                    }
                    continue;
                };
                headers.push((name.to_ascii_lowercase(), value.to_owned()));
            }
            let header = |name: &str| {
                headers
                    .iter()
                    .find(|(key, _)| key == name)
                    .map(|(_, value)| value.clone())
                    .unwrap_or_default()
            };
            let mut body = vec![0; header("content-length").parse().unwrap()];
            from.read_exact(&mut body).unwrap();
            let code = codes.pop().unwrap_or(200);
            write!(stream, "HTTP/1.1 {code} x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").unwrap();
            let arrived = Arrived {
                id: header("webhook-id"),
                at: header("webhook-timestamp"),
                signature: header("webhook-signature"),
                body: String::from_utf8(body).unwrap(),
            };
            if tell.send(arrived).is_err() {
                return;
            }
        }
    });
    (at, told)
}

#[test]
fn what_opens_and_what_is_settled_is_told_once_it_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let (at, told) = receiver(vec![503]);
    let rules = format!(
        "[[webhooks]]\nurl = \"{at}\"\nsecret = \"{SECRET}\"\nallow_private = true\naged_after = \"30d\"\n"
    );
    let serving = serving_with(folder.path(), &rules);
    send(&serving, &[Span::act(1, 1, "r1", "st-1").key("k1").times_out()]);
    let case = open_case(&serving, "r1");
    let refused = told.recv_timeout(PATIENCE).unwrap();
    let again = told.recv_timeout(PATIENCE).unwrap();
    assert!(refused.is_signed() && again.is_signed(), "{refused:?} {again:?}");
    assert_eq!((&refused.id, refused.json()["data"].clone()), (&again.id, again.json()["data"].clone()));
    let message = again.json();
    assert_eq!(message["type"], "unknown.opened");
    assert_eq!((&message["data"]["case_id"], &message["data"]["key"]), (&case["case_id"], &json!("k1")));
    let (_, metrics) = serving.get("/metrics");
    assert!(metrics.contains("recount_unknowns_open 1"), "{metrics}");

    // A restart does not tell it again; what is settled then is told.
    assert_eq!(serving.stop(), Some(0));
    let serving = serving_with(folder.path(), &rules);
    let path = format!("/cases/{}/resolution", id(&case));
    assert_eq!(post(&serving, &path, &json!({"outcome": "failed", "evidence": "not there"})).0, 201);
    let settled = told.recv_timeout(PATIENCE).unwrap();
    assert_eq!(settled.json()["type"], "unknown.resolved");
    assert_eq!(settled.json()["data"]["outcome"], "failed");
    assert!(settled.is_signed() && settled.id != again.id);
}

#[test]
fn the_end_of_a_key_is_told_before_it_comes() {
    let folder = tempfile::tempdir().unwrap();
    let (at, told) = receiver(Vec::new());
    let serving = serving_with(
        folder.path(),
        &format!(
            "[[webhooks]]\nurl = \"{at}\"\nsecret = \"{SECRET}\"\nallow_private = true\n\
             events = [\"unknown.key_ends\"]\nkey_ends_within = \"2h\"\n"
        ),
    );
    let ends = |hours: i64| {
        let ends = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(hours);
        ends.to_string()
    };
    let act = |trace: u8, ends: &str| {
        let act = Span::act(trace, 1, &format!("r{trace}"), "st-1").key(&format!("k{trace}")).times_out();
        act.with("recount.action.key_expires_at", ends)
    };
    let soon = ends(1);
    // One ends tomorrow, one has ended: of neither is there anything to tell.
    send(&serving, &[act(1, &ends(24)), act(2, &ends(-1)), act(3, &soon)]);
    let arrived = told.recv_timeout(PATIENCE).unwrap();
    let message = arrived.json();
    assert!(arrived.is_signed());
    assert_eq!((&message["type"], &message["data"]["key"]), (&json!("unknown.key_ends"), &json!("k3")));
    let told_end: jiff::Timestamp = message["data"]["key_expires_at"].as_str().unwrap().parse().unwrap();
    assert_eq!(told_end.as_second(), soon.parse::<jiff::Timestamp>().unwrap().as_second());
    assert_eq!(message["data"]["project"], "default");
    // Another comes only for another key: what was told is not told again.
    send(&serving, &[act(4, &soon)]);
    assert_eq!(told.recv_timeout(PATIENCE).unwrap().json()["data"]["key"], "k4");
}

/// Unknown acts of two projects, told by two servers over one store: each by one of them, and once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_several_servers_one_tells() {
    let store = crate::support::engine::store().await;
    let projects = ["one", "other"].map(|name| Project(name.to_owned()));
    let lines: Vec<CaseLine> = projects
        .iter()
        .flat_map(|project| (0..10).map(|number| unknown(project, number)).collect::<Vec<_>>())
        .collect();
    write_cases(&store, &lines, 30, "cases").await.unwrap();
    let (at, told) = receiver(Vec::new());
    let hour = Duration::from_secs(3600);
    let endpoint = Endpoint::new(&at, SECRET, &["unknown.opened".to_owned()], (hour, hour), true).unwrap();
    let start = || {
        let settings = NoticesSettings {
            rules: Vec::new(),
            endpoints: vec![endpoint.clone()],
            tools: ToolRules::default(),
            every: Duration::from_millis(20),
            backoff: Duration::from_millis(20),
            kept_days: 30,
            shared: true,
            now_ns: || NOW_NS,
        };
        Notices::start(store.clone(), settings, Gauges::default())
    };
    let servers = [start(), start()];
    let mut ids = Vec::new();
    while ids.len() < lines.len() {
        let arrived = tokio::task::block_in_place(|| told.recv_timeout(PATIENCE)).unwrap();
        ids.push(arrived.id);
    }
    // Each has looked again at all that was told.
    for project in &projects {
        let scope = Scope::whole(project.clone());
        while notices(&store, &scope, &endpoint.id()).await.unwrap().len() < 10 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    servers.iter().for_each(Notices::stop);
    ids.extend(std::iter::from_fn(|| told.try_recv().ok()).map(|arrived| arrived.id));
    let all = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!((all, ids.len()), (20, 20));
}

#[tokio::test]
async fn of_two_claims_of_one_turn_the_first_counts() {
    let store = crate::support::engine::store().await;
    let scope = Scope::whole(Project::default());
    let claim = |server: &str, turn| NoticeClaim {
        case_id: "c".to_owned(),
        episode: 1,
        kind: "unknown.opened".to_owned(),
        turn,
        server: server.to_owned(),
        at_ns: NOW_NS,
    };
    let ask = |claimed: NoticeClaim| {
        let (store, scope) = (store.clone(), scope.clone());
        async move { claim_notice(&store, &scope, "hook", &claimed).await.unwrap() }
    };
    assert!(ask(claim("a", 0)).await);
    assert!(!ask(claim("b", 0)).await);
    assert!(ask(claim("a", 0)).await, "asking again changes nothing");
    assert!(ask(claim("b", 1)).await, "the next turn is open");
    assert_eq!(notice_claims(&store, &scope, "hook", NOW_NS).await.unwrap(), [claim("b", 1)]);
}

#[test]
fn nobody_inside_is_told_unless_that_is_meant() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("recount.toml");
    for url in ["http://127.0.0.1:9/", "https://10.0.0.7/", "https://[::ffff:169.254.169.254]/"] {
        let rules = format!("[[webhooks]]\nurl = \"{url}\"\nsecret = \"{SECRET}\"\n");
        std::fs::write(&file, rules).unwrap();
        let dir = folder.path().to_str().unwrap();
        let output =
            crate::support::binary::run(&["check", "--data-dir", dir, "--config", file.to_str().unwrap()]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("allow_private") && !said.contains(SECRET), "{said}");
    }
}
