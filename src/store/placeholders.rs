//! From a migration's text to the statements for one node or a cluster. `migrations/README.md` lists the
//! placeholders.

/// Where the tables are to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) enum Family {
    /// The embedded engine or one server.
    Single,
    /// Replicated and sharded tables.
    Cluster {
        /// The cluster's name.
        name: String,
        /// The database, which the servers of a cluster must be told.
        database: String,
        /// Whether each statement asks the cluster to spread it.
        on_cluster: bool,
    },
}

/// Kept for as long as a delivery may be repeated after a long outage.
const WINDOW: u32 = 10_000;
const WINDOW_SECONDS: u32 = 30 * 24 * 3600;

/// The statements of one migration, in order.
///
/// # Errors
/// What is wrong with the text, in one phrase.
pub(in crate::store) fn statements(sql: &str, family: &Family) -> Result<Vec<String>, String> {
    let mut expression = None;
    let mut repeated = false;
    let mut text = String::new();
    for line in sql.lines() {
        match line.strip_prefix("-- ") {
            Some("and its distributed table") => repeated = true,
            Some(comment) => expression = comment.strip_prefix("sharded by ").or(expression),
            None => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    let table = Table::of(&text)?;
    if table.sharded && text.starts_with("CREATE TABLE") && expression.is_none() {
        return Err("a sharded table needs a line `-- sharded by …`".to_owned());
    }
    let mut all = vec![expanded(text.trim_end(), family, &table, "_local")?];
    if let Family::Cluster { name, database, .. } = family {
        if let (Some(expression), Some(table)) = (expression, table.name) {
            let on_cluster = family.on_cluster();
            all.push(format!(
                "CREATE TABLE IF NOT EXISTS {table}{on_cluster} AS {database}.{table}_local \
                 ENGINE = Distributed('{name}', '{database}', '{table}_local', {expression})"
            ));
        }
        if repeated {
            all.push(expanded(text.trim_end(), family, &table, "")?);
        }
    }
    Ok(all)
}

impl Family {
    fn on_cluster(&self) -> String {
        match self {
            Self::Cluster { name, on_cluster: true, .. } => format!(" ON CLUSTER '{name}'"),
            Self::Cluster { on_cluster: false, .. } | Self::Single => String::new(),
        }
    }
}

/// The table that a migration is about.
struct Table<'t> {
    name: Option<&'t str>,
    sharded: bool,
}

impl<'t> Table<'t> {
    fn of(text: &'t str) -> Result<Self, String> {
        let mut found = Self { name: None, sharded: false };
        for piece in pieces(text) {
            if let Piece::Placeholder { kind: kind @ ("table" | "sharded"), argument } = piece? {
                if found.name.is_some_and(|name| name != argument) {
                    return Err("one statement is about one table".to_owned());
                }
                found = Self { name: Some(argument), sharded: kind == "sharded" };
            }
        }
        Ok(found)
    }
}

fn expanded(text: &str, family: &Family, table: &Table<'_>, local: &str) -> Result<String, String> {
    let mut sql = String::new();
    for piece in pieces(text) {
        match (piece?, family) {
            (Piece::Text(text), _) => sql.push_str(text),
            (Piece::Placeholder { kind: "engine", argument }, _) => {
                sql.push_str(&engine(argument, family, table)?)
            }
            (Piece::Placeholder { kind: "settings", .. }, _) => sql.push_str(&settings(family)),
            (
                Piece::Placeholder { kind: "table" | "sharded" | "view" | "local", argument },
                Family::Single,
            ) => {
                sql.push_str(argument);
            }
            (Piece::Placeholder { kind: "table" | "view", argument }, Family::Cluster { .. }) => {
                sql.push_str(&format!("{argument}{}", family.on_cluster()));
            }
            (Piece::Placeholder { kind: "sharded", argument }, Family::Cluster { .. }) => {
                sql.push_str(&format!("{argument}{local}{}", family.on_cluster()));
            }
            (Piece::Placeholder { kind: "local", argument }, Family::Cluster { .. }) => {
                sql.push_str(&format!("{argument}_local"));
            }
            (Piece::Placeholder { kind, .. }, _) => {
                return Err(format!("there is no placeholder `{{{kind}}}`"));
            }
        }
    }
    Ok(sql)
}

fn engine(argument: &str, family: &Family, table: &Table<'_>) -> Result<String, String> {
    let (name, arguments) = argument
        .strip_suffix(')')
        .and_then(|argument| argument.split_once('('))
        .ok_or_else(|| format!("`{{engine:{argument}}}` lacks its brackets"))?;
    match family {
        Family::Single => Ok(argument.to_owned()),
        Family::Cluster { .. } => {
            // A table that is not sharded has all its rows on every node: one group over all shards.
            let place = if table.sharded {
                "'/clickhouse/tables/{database}/{table}/{shard}', '{replica}'"
            } else {
                "'/clickhouse/tables/{database}/{table}/all', '{shard}-{replica}'"
            };
            let comma = if arguments.is_empty() { "" } else { ", " };
            Ok(format!("Replicated{name}({place}{comma}{arguments})"))
        }
    }
}

fn settings(family: &Family) -> String {
    let durable = "fsync_after_insert = 1, fsync_part_directory = 1";
    match family {
        Family::Single => format!("{durable}, non_replicated_deduplication_window = {WINDOW}"),
        Family::Cluster { .. } => format!(
            "{durable}, replicated_deduplication_window = {WINDOW}, \
             replicated_deduplication_window_seconds = {WINDOW_SECONDS}"
        ),
    }
}

enum Piece<'t> {
    Text(&'t str),
    Placeholder { kind: &'t str, argument: &'t str },
}

fn pieces(text: &str) -> impl Iterator<Item = Result<Piece<'_>, String>> {
    text.split('{').enumerate().flat_map(|(at, part)| {
        if at == 0 {
            return vec![Ok(Piece::Text(part))];
        }
        let Some((inside, after)) = part.split_once('}') else {
            return vec![Err("a bracket `{` is not closed".to_owned())];
        };
        let (kind, argument) = inside.split_once(':').unwrap_or((inside, ""));
        vec![Ok(Piece::Placeholder { kind, argument }), Ok(Piece::Text(after))]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::migrations::MIGRATIONS;

    const STEPS: &str = "-- Why this table is.\n-- sharded by cityHash64(trace_id)\n\
                         CREATE TABLE IF NOT EXISTS {sharded:steps} (a UInt8)\n\
                         ENGINE = {engine:ReplacingMergeTree(v)}\nORDER BY a\n\
                         SETTINGS {settings}, index_granularity = 1024\n";

    fn cluster() -> Family {
        Family::Cluster { name: "c".to_owned(), database: "db".to_owned(), on_cluster: true }
    }

    #[test]
    fn one_node_gets_plain_tables() {
        assert_eq!(
            statements(STEPS, &Family::Single).unwrap(),
            ["CREATE TABLE IF NOT EXISTS steps (a UInt8)\nENGINE = ReplacingMergeTree(v)\nORDER BY a\n\
              SETTINGS \
              fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 10000, \
              index_granularity = 1024"]
        );
    }

    #[test]
    fn a_cluster_gets_local_and_distributed_tables() {
        assert_eq!(
            statements(STEPS, &cluster()).unwrap(),
            [
                "CREATE TABLE IF NOT EXISTS steps_local ON CLUSTER 'c' (a UInt8)\nENGINE = \
                 ReplicatedReplacingMergeTree('/clickhouse/tables/{database}/{table}/{shard}', \
                 '{replica}', v)\n\
                 ORDER BY a\nSETTINGS fsync_after_insert = 1, fsync_part_directory = 1, \
                 replicated_deduplication_window = 10000, \
                 replicated_deduplication_window_seconds = 2592000, index_granularity = 1024",
                "CREATE TABLE IF NOT EXISTS steps ON CLUSTER 'c' AS db.steps_local ENGINE = \
                 Distributed('c', 'db', 'steps_local', cityHash64(trace_id))"
            ]
        );
    }

    #[test]
    fn a_changed_column_changes_on_both() {
        let sql =
            "-- and its distributed table\nALTER TABLE {sharded:steps} ADD COLUMN IF NOT EXISTS b UInt8\n";
        assert_eq!(statements(sql, &Family::Single).unwrap().len(), 1);
        assert_eq!(
            statements(sql, &cluster()).unwrap(),
            [
                "ALTER TABLE steps_local ON CLUSTER 'c' ADD COLUMN IF NOT EXISTS b UInt8",
                "ALTER TABLE steps ON CLUSTER 'c' ADD COLUMN IF NOT EXISTS b UInt8"
            ]
        );
    }

    #[test]
    fn views_stay_on_their_shard() {
        let sql =
            "CREATE MATERIALIZED VIEW IF NOT EXISTS {view:v} TO {local:keyed} AS SELECT a FROM {local:steps}";
        assert_eq!(
            statements(sql, &cluster()).unwrap(),
            ["CREATE MATERIALIZED VIEW IF NOT EXISTS v ON CLUSTER 'c' TO keyed_local AS SELECT a \
                 FROM steps_local"]
        );
    }

    #[test]
    fn every_migration_keeps_the_rules() {
        for migration in MIGRATIONS {
            let sql = migration.sql;
            let told = |rule: &str| format!("{}: {rule}", migration.stem);
            assert!(!sql.contains(';'), "{}", told("no semicolon"));
            let text: String =
                sql.lines().filter(|line| !line.starts_with("--")).collect::<Vec<_>>().join(" ");
            let repeatable = ["IF NOT EXISTS", "IF EXISTS"].iter().any(|words| text.contains(words));
            let again = [" MODIFY ", " MATERIALIZE INDEX "].iter().any(|words| text.contains(words));
            assert!(repeatable || again, "{}", told("can be repeated"));
            if text.starts_with("CREATE TABLE") {
                assert!(text.contains("SETTINGS {settings}"), "{}", told("SETTINGS {settings}"));
                assert!(text.contains("{engine:"), "{}", told("{engine:…}"));
                assert!(text.contains("{table:") || text.contains("{sharded:"), "{}", told("{table:…}"));
            }
            for family in [Family::Single, cluster()] {
                statements(sql, &family).unwrap_or_else(|error| panic!("{}", told(&error)));
            }
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (sql, phrase) in [
            ("CREATE TABLE {tabel:x}", "there is no placeholder `{tabel}`"),
            ("CREATE TABLE {table:x", "a bracket `{` is not closed"),
            ("CREATE TABLE {sharded:x} ()", "a sharded table needs a line `-- sharded by …`"),
            ("CREATE TABLE {table:x} ENGINE = {engine:MergeTree}", "`{engine:MergeTree}` lacks its brackets"),
        ] {
            assert_eq!(statements(sql, &Family::Single).unwrap_err(), phrase);
        }
    }
}
