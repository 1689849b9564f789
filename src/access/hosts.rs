//! Which names a request may be addressed to, and from which web pages it may come.
//!
//! A page of another site can make a browser send requests to a port of this machine: directly, or under a
//! name of its own that it points at this machine (DNS rebinding). Only names stand against the second.
use std::net::IpAddr;

/// The names under which this server may be addressed.
#[derive(Debug, Clone, Default)]
pub struct Hosts {
    names: Vec<String>,
}

impl Hosts {
    /// These names, beside loopback names and every IP address, which no one can point elsewhere.
    pub fn new(names: &[String]) -> Self {
        Self { names: names.iter().map(|name| plain(name)).collect() }
    }

    /// Whether a `Host` header, or an `:authority`, names this server. One that is absent does: browsers
    /// always send it.
    pub fn allow(&self, host: Option<&str>) -> bool {
        let Some(host) = host else { return true };
        let name = plain(without_port(host));
        let address = name.trim_start_matches('[').trim_end_matches(']');
        name == "localhost"
            || name.ends_with(".localhost")
            || address.parse::<IpAddr>().is_ok()
            || self.names.contains(&name)
    }
}

/// The origins whose pages may send.
#[derive(Debug, Clone, Default)]
pub struct Origins {
    origins: Vec<String>,
}

impl Origins {
    /// Exactly these, each such as `https://app.example`; none by default.
    pub fn new(origins: &[String]) -> Self {
        Self { origins: origins.iter().map(|origin| plain(origin.trim_end_matches('/'))).collect() }
    }

    /// Whether pages of this origin may send.
    pub fn allow(&self, origin: &str) -> bool {
        self.origins.contains(&plain(origin))
    }
}

fn plain(name: &str) -> String {
    name.trim().trim_end_matches('.').to_ascii_lowercase()
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => {
            // The last group of a bare IPv6 address looks like a port: the whole is an address then.
            if host.parse::<IpAddr>().is_ok() { host } else { name }
        }
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_server_are_answered() {
        let hosts = Hosts::new(&["Recount.example".to_owned(), "recount".to_owned()]);
        for (host, expected) in [
            (None, true),
            (Some("localhost:4318"), true),
            (Some("LOCALHOST"), true),
            (Some("a.localhost:1"), true),
            (Some("127.0.0.1:4318"), true),
            (Some("10.1.2.3"), true),
            (Some("[::1]:4318"), true),
            (Some("::1"), true),
            (Some("recount:4318"), true),
            (Some("recount.example."), true),
            (Some("evil.test"), false),
            (Some("localhost.evil.test:80"), false),
            (Some("recount.evil.test"), false),
            (Some("127.0.0.1.evil.test"), false),
            (Some(""), false),
        ] {
            assert_eq!(hosts.allow(host), expected, "{host:?}");
        }
    }

    #[test]
    fn pages_of_other_sites_are_refused_unless_configured() {
        let origins = Origins::new(&["https://app.example/".to_owned()]);
        assert!(origins.allow("https://APP.example"));
        for origin in ["https://evil.example", "http://app.example", "https://app.example:8443", "null", ""] {
            assert!(!origins.allow(origin), "{origin}");
        }
    }
}
