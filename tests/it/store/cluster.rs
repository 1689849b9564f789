//! The tables of a cluster: made for real by the engine's own parser and table engines, and compared with
//! those of one node. Replication and distribution themselves cannot be tried in one process.
#![expect(clippy::expect_used, reason = "a test may stop at the first surprise")]
use recount::store::{ClusterSettings, Engine, EngineSettings, Place, Store, StoreSettings};

use crate::support::child::{Child, say};
use crate::support::engine::library;

const DIRECTORY: &str = "RECOUNT_CHILD_DIRECTORY";
/// What replicated and distributed tables need to be made in one process.
const CONFIGURATION: &str = "
    <zookeeper><implementation>testkeeper</implementation></zookeeper>
    <macros><shard>1</shard><replica>1</replica></macros>
    <remote_servers><trial><shard><internal_replication>true</internal_replication>
    <replica><host>127.0.0.1</host><port>9000</port></replica></shard></trial></remote_servers>
";

/// In a process of its own: replicated tables over that keeper crash the engine when it stops.
#[test]
fn the_tables_of_a_cluster_are_those_of_one_node() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut child = Child::start("store::cluster::compares", &[(DIRECTORY, directory.path())]);
    assert_eq!(child.says().as_deref(), Some("the same"));
    child.kill();
}

#[tokio::test]
#[ignore = "a child of another test"]
async fn compares() {
    let Some(directory) = std::env::var_os(DIRECTORY) else { return };
    let mut engine_settings = EngineSettings::new(library(), directory);
    engine_settings.configuration = CONFIGURATION.to_owned();
    let engine = Engine::open(engine_settings.clone()).await.unwrap();
    let mut settings = StoreSettings::new(Place::Embedded(engine_settings));
    settings.database = "single_node".to_owned();
    let one = Store::over(engine.clone(), &settings);
    settings.database = "many_nodes".to_owned();
    // The engine in the process spreads no definitions; everything else is as on a cluster.
    settings.cluster = Some(ClusterSettings { name: "trial".to_owned(), on_cluster: false });
    let cluster = Store::over(engine.clone(), &settings);
    let changes_of_one = make(&engine, &one).await;
    let changes = make(&engine, &cluster).await;
    // A replica in this process never finds its keeper, and takes no change: both kinds of table are to be told
    // the same, the local one and the distributed one above it.
    let everywhere = |change: &String| {
        let change_of = change.trim_start_matches("ALTER TABLE ");
        let (table, what) = change_of.split_at(change_of.find(char::is_whitespace).expect("a table"));
        let local = format!("ALTER TABLE {table}_local{what}");
        // Only the local table has indexes and parts, and a table that is not sharded stands under its own name.
        let parts = ["ADD INDEX", "DROP INDEX", "MATERIALIZE INDEX", "MODIFY SETTING"];
        let of_parts = parts.iter().any(|word| what.trim_start().starts_with(word));
        let is_whole = ["leaves", "erasures"].contains(&table);
        (is_whole || changes.contains(&local)) && ((of_parts && !is_whole) || changes.contains(change))
    };
    assert!(changes_of_one.iter().all(everywhere), "{changes_of_one:?} {changes:?}");
    compare(&one, &cluster).await;
    say("the same");
    std::future::pending().await
}

/// Makes the tables of a store, and gives the statements that change them later.
async fn make(engine: &Engine, store: &Store) -> Vec<String> {
    let database = format!("CREATE DATABASE {}", store.database());
    engine.client().query_raw(&database).execute().await.expect("a database");
    let is_change = |definition: &String| definition.starts_with("ALTER TABLE ");
    let (changes, tables): (Vec<_>, Vec<_>) =
        store.definitions().expect("definitions").into_iter().partition(is_change);
    for definition in tables {
        let client = engine.client().with_database(store.database());
        client.query_raw(&definition).execute().await.expect(&definition);
    }
    changes
}

/// Definition by table, without what must differ: database, engine, settings.
async fn tables(store: &Store) -> Vec<(String, String, String)> {
    let sql = "SELECT name, engine, create_table_query FROM system.tables WHERE database = {database:String} \
               ORDER BY name";
    let read = store.read_all_projects(sql).bind("database", store.database());
    read.all::<(String, String, String)>().await.expect("the tables")
}

fn comparable(definition: &str, database: &str) -> String {
    let text = definition.replace(&format!("{database}."), "").replace("_local", "");
    let (before, after) = text.split_once(" ENGINE = ").unwrap_or((&text, ""));
    let after =
        after.split_once(')').filter(|_| after.starts_with("Replicated")).map_or(after, |(_, after)| after);
    let after = after.split(" SETTINGS ").next().unwrap_or_default();
    let after =
        after.find(" PARTITION BY ").or_else(|| after.find(" ORDER BY ")).map_or("", |at| &after[at..]);
    format!("{before}{after}")
}

async fn compare(one: &Store, cluster: &Store) {
    let there = tables(cluster).await;
    for (name, kind, definition) in tables(one).await {
        let by_name = |name: &str| there.iter().find(|(there, ..)| there == name);
        let local = by_name(&format!("{name}_local"));
        let (_, local_kind, local_definition) = local.or_else(|| by_name(&name)).expect(&name);
        assert_eq!(
            comparable(local_definition, cluster.database()),
            comparable(&definition, one.database()),
            "{name}"
        );
        if kind == "MaterializedView" {
            assert_eq!(*local_kind, kind, "{name}");
            continue;
        }
        assert_eq!(*local_kind, format!("Replicated{kind}"), "{name}");
        assert!(local_definition.contains("replicated_deduplication_window = 10000"), "{local_definition}");
        if local.is_some() {
            let (_, kind, distributed) = by_name(&name).expect(&name);
            assert_eq!(kind, "Distributed");
            let target = format!("Distributed('trial', '{}', '{name}_local', ", cluster.database());
            assert!(distributed.contains(&target), "{distributed}");
        } else {
            assert!(local_definition.contains("/all'"), "{name} is on every node whole: {local_definition}");
        }
    }
}
