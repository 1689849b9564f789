//! Keys and people for tests, made as the product makes them.
use recount::access::{Access, Account, Asking, Directory, Grant, KeyEntry, NewKey, Person, Who, make_key};

/// When everything here happens.
pub(crate) const NOW_NS: u64 = 1_795_970_000_000_000_000;

/// A key with these rights, and its entry.
pub(crate) fn key(grant: &str) -> (String, KeyEntry) {
    let account =
        Account { who: Who::Person("root".to_owned()), grants: vec![Grant::parse("admin@*").unwrap()] };
    let ask = NewKey { name: grant.to_owned(), grant: grant.to_owned(), expires: String::new() };
    let (key, entry) = make_key(&ask, Asking { account: &account, now_ns: NOW_NS }).unwrap();
    (key.expose().to_owned(), entry)
}

/// A door for these keys, and for people of these names who were given that.
pub(crate) fn door(keys: Vec<KeyEntry>, people: Vec<Person>) -> Access {
    let access = Access::new(true);
    access.set(Directory::of(Vec::new(), people, keys, Vec::new()));
    access
}
