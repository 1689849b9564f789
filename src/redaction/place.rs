//! Where in a step something stands; made into text only when a rule hits there.
use std::fmt;

use crate::redaction::selector::{Spot, names};

/// A place, as a chain up to the step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    up: Option<&'a Place<'a>>,
    name: Name<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Name<'a> {
    Field(&'a str),
    Index(usize),
}

impl<'a> Place<'a> {
    /// A field of the step itself.
    pub(crate) fn field(name: &'a str) -> Self {
        Self { up: None, name: Name::Field(name) }
    }

    /// A field or key below this place. The name has to be redacted already.
    pub(crate) fn below(&'a self, name: &'a str) -> Place<'a> {
        Place { up: Some(self), name: Name::Field(name) }
    }

    /// The place as selectors see it.
    pub(crate) fn spot(&self, event: bool) -> Spot {
        let mut path = Vec::new();
        self.add_names(&mut path);
        let event = event || path.first().is_some_and(|first| first == "events");
        Spot { paths: vec![(path, false)], event }
    }

    fn add_names(&self, path: &mut Vec<String>) {
        if let Some(up) = self.up {
            up.add_names(path);
        }
        if let Name::Field(name) = self.name {
            path.extend(names(name));
        }
    }

    /// An item of the list at this place.
    pub(crate) fn item(&'a self, index: usize) -> Place<'a> {
        Place { up: Some(self), name: Name::Index(index) }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(up) = self.up {
            write!(f, "{up}")?;
        }
        match (self.name, self.up) {
            (Name::Index(index), _) => write!(f, "[{index}]"),
            (Name::Field(name), Some(_)) => write!(f, ".{name}"),
            (Name::Field(name), None) => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_read_like_paths() {
        let events = Place::field("events");
        let event = events.item(2);
        let attributes = event.below("attributes");
        assert_eq!(
            attributes.below("exception.message").to_string(),
            "events[2].attributes.exception.message"
        );
        let spot = attributes.below("Exception.message").spot(false);
        let path = ["events", "attributes", "exception", "message"].map(str::to_owned).to_vec();
        assert_eq!(spot, Spot { paths: vec![(path, false)], event: true });
    }
}
