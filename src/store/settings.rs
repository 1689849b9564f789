//! Where the store is and how patient we are with it.
use std::time::Duration;

use url::Url;

use crate::store::engine::EngineSettings;
use crate::store::error::StoreError;
use crate::store::password::Password;

/// How long activity is kept unless told: ten years.
pub(in crate::store) const ACTIVITY_DAYS: u16 = 3650;

/// How to open the store.
#[derive(Debug, Clone)]
pub struct StoreSettings {
    /// Where the SQL runs.
    pub place: Place,
    /// The database that holds our tables; made at start if it is missing.
    pub database: String,
    /// Set when the server is one of a cluster.
    pub cluster: Option<ClusterSettings>,
    /// How long one read may take.
    pub read_timeout: Duration,
    /// How long one insert may take; after it, whether the rows are kept is unknown.
    pub insert_timeout: Duration,
    /// The most rows one read may return; beyond it the read is refused, never cut.
    pub result_rows_max: u64,
    /// Days that what people do and what happens to the server is kept.
    pub activity_days: u16,
}

impl StoreSettings {
    /// The defaults for this place: database `recount`, one node, 30 s a read, 60 s an insert, a million rows
    /// a read.
    pub fn new(place: Place) -> Self {
        Self {
            place,
            database: "recount".to_owned(),
            cluster: None,
            read_timeout: Duration::from_secs(30),
            insert_timeout: Duration::from_secs(60),
            result_rows_max: 1_000_000,
            activity_days: ACTIVITY_DAYS,
        }
    }
}

/// Where the SQL runs.
#[derive(Debug, Clone)]
pub enum Place {
    /// In this process.
    Embedded(EngineSettings),
    /// In a ClickHouse server.
    Server(ServerSettings),
}

/// A ClickHouse server and how to speak to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSettings {
    /// `http://host:8123` or `https://host:8443`, without user, password and database.
    pub url: String,
    /// The user; `None` is the server's default one.
    pub user: Option<String>,
    /// The user's password.
    pub password: Option<Password>,
    /// Whether inserts and results are compressed on the wire (LZ4).
    pub compression: bool,
}

impl ServerSettings {
    /// Reads `http(s)://user:password@host:port/database`; the database is returned beside it where the URL
    /// names one. `?compress=0` sends and receives without compression, for what stands between and cannot
    /// pass it on.
    ///
    /// # Errors
    /// [`StoreError::Settings`] with one sentence that never shows the password.
    pub fn parse(url: &str) -> Result<(Self, Option<String>), StoreError> {
        let wrong = |what: &str| {
            StoreError::Settings(format!(
                "the ClickHouse URL {what}; write it as http://user:password@host:8123/database"
            ))
        };
        let mut url = Url::parse(url).map_err(|error| wrong(&format!("cannot be read ({error})")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(wrong("must begin with http:// or https://"));
        }
        let compression = match url.query() {
            None | Some("compress=1") => true,
            Some("compress=0") => false,
            Some(_) => return Err(wrong("may have `?compress=0` and nothing else after the database")),
        };
        if url.fragment().is_some() {
            return Err(wrong("must end after the database"));
        }
        url.set_query(None);
        let user = Some(decoded(url.username())).filter(|user| !user.is_empty());
        let password = url.password().map(|password| Password(decoded(password)));
        let database = Some(decoded(url.path().trim_matches('/'))).filter(|database| !database.is_empty());
        if database.as_ref().is_some_and(|database| database.contains('/')) {
            return Err(wrong("names more than one database"));
        }
        // Both succeed for http(s) URLs, which have a host.
        if url.set_username("").is_err() || url.set_password(None).is_err() {
            return Err(wrong("has no host"));
        }
        url.set_path("");
        Ok((Self { url: url.to_string(), user, password, compression }, database))
    }
}

/// A cluster of ClickHouse servers, as the server we speak to knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterSettings {
    /// Its name in the servers' `remote_servers`.
    pub name: String,
    /// Whether definitions are spread with `ON CLUSTER`. False where the servers do it by themselves, or
    /// where somebody runs them by hand on each.
    pub on_cluster: bool,
}

fn decoded(part: &str) -> String {
    // A part of a URL is a form value without a name, except that a plus is a plus.
    let part = part.replace('+', "%2B");
    url::form_urlencoded::parse(part.as_bytes()).map(|(name, _)| name.into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_come_apart() {
        let (server, database) = ServerSettings::parse("https://ann:p%40ss+1@db.example:8443/prod").unwrap();
        assert_eq!(server.url, "https://db.example:8443/");
        assert_eq!(server.user.as_deref(), Some("ann"));
        assert_eq!(server.password, Some(Password("p@ss+1".to_owned())));
        assert_eq!(database.as_deref(), Some("prod"));
        let (server, database) = ServerSettings::parse("http://localhost:8123").unwrap();
        assert_eq!((server.user, server.password, database), (None, None, None));
        let (plain, database) = ServerSettings::parse("http://localhost:8123/db?compress=0").unwrap();
        assert_eq!((plain.url.as_str(), database.as_deref()), ("http://localhost:8123/", Some("db")));
        assert!(server.compression && !plain.compression);
    }

    #[test]
    fn unusable_urls_get_one_sentence_without_the_password() {
        for url in [
            "localhost:8123",
            "ftp://u:secret@h/",
            "http://u:secret@h/a/b",
            "http://u:secret@h/a?b=c",
            "http://u:secret@h/a#b",
            "http://",
        ] {
            let error = ServerSettings::parse(url).unwrap_err().to_string();
            assert!(error.starts_with("the ClickHouse URL ") && !error.contains("secret"), "{error}");
        }
        assert!(!format!("{:?}", ServerSettings::parse("http://u:secret@h/").unwrap()).contains("secret"));
    }
}
