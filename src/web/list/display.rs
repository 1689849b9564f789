//! How the list is shown: its columns, groups and time zone. It decides nothing about which runs are listed.
use crate::web::error::WebError;
use crate::web::list::columns::{Column, Columns};
use crate::web::params::Params;
use crate::web::zone::{OFFERED, Zone};

/// Parameters that this reads.
pub(in crate::web) const PARAMS: [&str; 3] = ["cols", "group", "tz"];

/// How the list is shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::web) struct Display {
    /// Which columns.
    pub(in crate::web) columns: Columns,
    /// Runs of one session stand together.
    pub(in crate::web) by_session: bool,
    /// Whose clocks.
    pub(in crate::web) zone: Zone,
}

impl Display {
    /// Reads `cols`, `group` and `tz`.
    ///
    /// # Errors
    /// Names the parameter that can't be read.
    pub(in crate::web) fn read(params: &Params) -> Result<Self, WebError> {
        let by_session = match params.get("group") {
            None => false,
            Some("session") => true,
            Some(_) => return Err(WebError::Invalid("`group` takes session, or is left out".to_owned())),
        };
        Ok(Self { columns: Columns::read(params)?, by_session, zone: Zone::read(params)? })
    }

    /// The menu that changes it.
    pub(in crate::web) fn menu(&self) -> Menu {
        let column = |column: &Column| (column.word(), column.name(), self.columns.has(*column));
        Menu {
            columns: Column::ALL.iter().map(column).collect(),
            by_session: self.by_session,
            zone: self.zone.name().to_owned(),
            zones: OFFERED.to_vec(),
        }
    }
}

/// The menu of how the list is shown.
#[derive(Debug)]
pub(in crate::web) struct Menu {
    /// Word, name, whether it is shown.
    pub(in crate::web) columns: Vec<(&'static str, &'static str, bool)>,
    pub(in crate::web) by_session: bool,
    pub(in crate::web) zone: String,
    pub(in crate::web) zones: Vec<&'static str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_shown_is_named() {
        let read = |query: &str| Display::read(&Params::read(query));
        assert_eq!(read("").unwrap(), Display::default());
        assert!(read("group=session").unwrap().by_session);
        for (query, name) in [("group=agent", "`group`"), ("cols=x", "`cols`"), ("tz=Nowhere/At_all", "`tz`")]
        {
            assert!(read(query).unwrap_err().to_string().contains(name), "{query}");
        }
        let menu = read("cols=cost&tz=Europe/Paris").unwrap().menu();
        assert_eq!(
            menu.columns.iter().filter(|(_, _, on)| *on).map(|(word, _, _)| *word).collect::<Vec<_>>(),
            ["cost"]
        );
        assert_eq!(menu.zone, "Europe/Paris");
    }
}
