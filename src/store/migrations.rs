//! The list of migrations, in order. `migrations/README.md` has the rules.

/// One file of `migrations/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Migration {
    /// The file's stem: four digits, an underscore, a name.
    pub stem: &'static str,
    /// One statement, with placeholders.
    pub sql: &'static str,
}

impl Migration {
    /// The number in front of its name; numbers may be left out.
    pub fn number(&self) -> u32 {
        let digits = self.stem.split_once('_').map_or("", |(digits, _)| digits);
        digits.parse().unwrap_or_default()
    }
}

macro_rules! list {
    ($($stem:literal),* $(,)?) => {
        &[$(Migration { stem: $stem, sql: include_str!(concat!("../../migrations/", $stem, ".sql")) }),*]
    };
}

/// Every migration. A new file is a new line at the end.
pub const MIGRATIONS: &[Migration] = list![
    "0001_migrations",
    "0002_contents",
    "0003_leaves",
    "0004_steps",
    "0005_run_traces",
    "0006_run_traces_of_steps",
    "0007_trace_links",
    "0008_trace_links_of_steps",
    "0009_mentions",
    "0010_mentions_of_steps",
    "0011_keyed",
    "0012_keyed_of_steps",
    "0013_rejects",
    "0014_lifecycle",
    "0015_runs",
    "0016_actions",
    "0017_case_events",
    "0018_cases",
    "0019_actions_path",
    "0020_runs_usage",
    "0021_notices",
    "0022_actions_compensates",
    "0030_runs_noticed",
    "0040_projects",
    "0041_users",
    "0042_api_keys",
    "0043_sessions",
    "0044_last_uses",
    "0045_activity",
    "0050_entity_runs",
    "0051_tree",
    "0052_checkpoints",
    "0053_leaves_by_trace",
    "0060_actions_in_one_file",
    "0061_cases_in_one_file",
    "0062_notice_claims",
    "0063_runs_resolved",
    "0064_cases_known_as",
    "0065_cases_by_earlier_id",
    "0105_alerts",
    "0106_steps_errors_shown",
    "0107_contents_said",
    "0108_contents_said_of_old",
    "0109_contents_words_gone",
    "0110_steps_said",
    "0111_steps_said_of_old",
    "0112_holds",
    "0113_erasures",
    "0114_erased",
    "0115_views",
    "0116_runs_work",
    "0117_erasures_rewritten",
    "0118_signing",
    "0120_contents_shown",
    "0121_contents_shown_of_old",
    "0122_steps_shown",
    "0126_steps_shown_of_old",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_the_folder() {
        let mut files: Vec<String> = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter_map(|name| name.strip_suffix(".sql").map(str::to_owned))
            .collect();
        files.sort();
        assert_eq!(MIGRATIONS.iter().map(|migration| migration.stem).collect::<Vec<_>>(), files);
    }

    #[test]
    fn numbers_rise() {
        assert!(MIGRATIONS.is_sorted_by(|one, next| 0 < one.number() && one.number() < next.number()));
        for migration in MIGRATIONS {
            assert!(migration.stem.starts_with(&format!("{:04}_", migration.number())), "{}", migration.stem);
        }
    }
}
