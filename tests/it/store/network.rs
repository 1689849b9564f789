//! The same store over a network: the real client over TCP, and everything that can be wrong at the other
//! end.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use std::time::Duration;

use bytes::Bytes;
use recount::domain::ids::Project;
use recount::domain::scope::Scope;
use recount::store::{
    ClusterSettings, Credentials, Password, Place, ServerSettings, Store, StoreError, StoreSettings,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::support::engine::{database, engine, settings};

/// The engine on a port of its own, with user `ann` and password `p@ss`.
async fn port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let credentials = Credentials { user: "ann".to_owned(), password: Password("p@ss".to_owned()) };
    let engine = engine().await;
    tokio::spawn(async move { engine.serve_tcp(listener, Some(credentials)).await });
    port
}

async fn store(url: &str) -> Store {
    let (mut server, database) = ServerSettings::parse(url).unwrap();
    server.compression = false;
    let mut settings = StoreSettings::new(Place::Server(server));
    settings.database = database.unwrap_or_else(|| "nowhere".to_owned());
    settings.read_timeout = Duration::from_secs(2);
    settings.insert_timeout = Duration::from_secs(2);
    Store::open(&settings).await.unwrap()
}

async fn inserted(store: &Store) -> Result<(), StoreError> {
    store.insert_rows("numbers", &["number"], Bytes::from_static(&[7, 8]), "token").await
}

#[tokio::test]
async fn a_server_is_used_as_the_engine_is() {
    let port = port().await;
    let store = store(&format!("http://ann:p%40ss@127.0.0.1:{port}/{}", database())).await;
    let answering = store.check().await.unwrap();
    assert_eq!(answering.place, format!("server at 127.0.0.1:{port}"));
    assert!(answering.version.starts_with("26.7."), "{answering:?}");
    assert!(store.migrate().await.unwrap() > 0);
    let table =
        format!("CREATE TABLE {}.numbers (number UInt8) ENGINE = MergeTree ORDER BY ()", store.database());
    engine().await.client().query_raw(&table).execute().await.unwrap();
    inserted(&store).await.unwrap();
    let scope = Scope::whole(Project("it's".to_owned()));
    let sql = "SELECT number, {project:String} FROM numbers ORDER BY number";
    let rows = store.read(&scope, sql).all::<(u8, String)>().await.unwrap();
    assert_eq!(rows, [(7, "it's".to_owned()), (8, "it's".to_owned())]);
    let mut rows = store.read(&scope, "SELECT number FROM numbers(1000000)").stream::<u64>().unwrap();
    let mut count = 0;
    while rows.next().await.unwrap().is_some() {
        count += 1;
    }
    assert_eq!(count, 1_000_000);
    let error = store.read(&scope, "SELECT nope").all::<u8>().await.unwrap_err();
    assert_eq!(error.answer().map(|answer| answer.code), Some(47), "{error:?}");
}

#[tokio::test]
async fn a_wrong_user_password_or_database_is_told() {
    let port = port().await;
    for credentials in ["ann:wrong@", "bob:p%40ss@", ""] {
        let store = store(&format!("http://{credentials}127.0.0.1:{port}/default")).await;
        let error = store.check().await.unwrap_err();
        let sentence = "the store refuses the user, password or database: code 516 (AUTHENTICATION_FAILED)";
        assert_eq!(error.to_string(), sentence);
        assert!(!error.may_pass());
        assert!(matches!(inserted(&store).await.unwrap_err(), StoreError::Denied(_)));
    }
    let store = store(&format!("http://ann:p%40ss@127.0.0.1:{port}/nowhere")).await;
    store.check().await.unwrap();
    let error = store.read_all_projects("SELECT 1").one::<u8>().await.unwrap_err();
    let sentence = "the store refuses the user, password or database: code 81 (UNKNOWN_DATABASE)";
    assert_eq!(error.to_string(), sentence);
    assert!(matches!(inserted(&store).await.unwrap_err(), StoreError::Denied(_)));
}

#[tokio::test]
async fn nobody_there_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    for host in [format!("127.0.0.1:{port}"), "no-such-host.invalid:8123".to_owned()] {
        let store = store(&format!("http://{host}/db")).await;
        let error = store.check().await.unwrap_err();
        assert!(matches!(error, StoreError::Unreachable { .. }) && error.may_pass(), "{error:?}");
        assert!(matches!(inserted(&store).await.unwrap_err(), StoreError::Unreachable { .. }));
        assert!(store.migrate().await.unwrap_err().to_string().starts_with("the store cannot be reached: "));
    }
}

#[tokio::test]
async fn silence_is_unreachable_for_a_read_and_unknown_for_a_write() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let store = store(&format!("http://{}/db", listener.local_addr().unwrap())).await;
    let held = tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            held.push(stream);
        }
    });
    assert_eq!(
        store.check().await.unwrap_err().to_string(),
        "the store cannot be reached: no answer within 2s"
    );
    let error = inserted(&store).await.unwrap_err();
    assert!(matches!(error, StoreError::Unknown { .. }), "{error:?}");
    held.abort();
}

#[tokio::test]
async fn another_server_on_that_port_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let store = store(&format!("http://{}/db", listener.local_addr().unwrap())).await;
    let served = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = Vec::new();
            while !request.ends_with(b"SELECT version()") {
                stream.read_buf(&mut request).await.unwrap_or_default();
            }
            let answer = b"HTTP/1.1 404 Not Found\r\ncontent-length: 21\r\n\
                           connection: close\r\n\r\n<h1>404 nothing</h1>\n";
            stream.write_all(answer).await.unwrap_or_default();
        }
    });
    let error = store.check().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the answer of the store cannot be read: no ClickHouse answers there, but: <h1>404 nothing</h1>"
    );
    served.abort();
}

#[tokio::test]
async fn an_unknown_cluster_is_told() {
    let mut settings = settings();
    settings.cluster = Some(ClusterSettings { name: "nowhere".to_owned(), on_cluster: true });
    let error = Store::over(engine().await, &settings).check().await.unwrap_err().to_string();
    let sentence = "the ClickHouse server knows no cluster `nowhere` (it knows ";
    assert!(error.starts_with(sentence) && error.ends_with("correct the setting `cluster`"), "{error}");
}
