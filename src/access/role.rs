//! What a role may do: the one table that says so.
use crate::domain::kind::words;

words! {
    /// What somebody may be in a project. One may be several.
    Role {
        /// Only sends. For the keys of agents.
        Sender = "sender",
        /// Sees what agents did.
        Viewer = "viewer",
        /// Sees, and settles cases.
        Operator = "operator",
        /// Sees everything in its scope, who looked at what and who may what, exports; changes nothing.
        Auditor = "auditor",
        /// Brings back what redaction encrypted, one value at a time, with a reason that is recorded.
        Revealer = "revealer",
        /// Says who may what, what is held and what is erased; by that alone sees no record.
        Admin = "admin",
    }
}

words! {
    /// What an address asks of who calls it.
    Permission {
        /// Nothing: the answer says nothing about any record.
        Anyone = "anyone",
        /// To send records.
        Send = "send",
        /// To see records of the project.
        SeeRecords = "see_records",
        /// To see how the server is doing.
        SeeServer = "see_server",
        /// To settle cases: claim, comment, resolve, reopen.
        WorkOnCases = "work_on_cases",
        /// To take records away as evidence.
        Export = "export",
        /// To bring back what redaction encrypted.
        Reveal = "reveal",
        /// To see who looked at what and who changed what.
        SeeActivity = "see_activity",
        /// To see who may what.
        SeeAccess = "see_access",
        /// To say who may what.
        ManageAccess = "manage_access",
        /// To place and lift legal holds, and to erase contents.
        HoldAndErase = "hold_and_erase",
    }
}

impl Role {
    /// Whether the role allows it. This is the whole table.
    pub fn allows(self, permission: Permission) -> bool {
        use Permission::{
            Anyone, Export, HoldAndErase, ManageAccess, Reveal, SeeAccess, SeeActivity, SeeRecords,
            SeeServer, Send, WorkOnCases,
        };
        let allowed: &[Permission] = match self {
            Self::Sender => &[Anyone, Send],
            Self::Viewer => &[Anyone, SeeRecords, SeeServer],
            Self::Operator => &[Anyone, SeeRecords, SeeServer, WorkOnCases],
            Self::Auditor => &[Anyone, SeeRecords, SeeServer, Export, SeeActivity, SeeAccess],
            Self::Revealer => &[Anyone, Reveal],
            Self::Admin => &[Anyone, SeeServer, SeeAccess, ManageAccess, HoldAndErase],
        };
        allowed.contains(&permission)
    }
}

impl Permission {
    /// What to say to somebody who lacks it: the roles that have it.
    pub fn needs(self) -> String {
        let roles: Vec<&str> =
            Role::ALL.iter().filter(|role| role.allows(self)).map(|role| role.word()).collect();
        roles.join(" or ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_stay_apart() {
        for permission in Permission::ALL {
            let has = |role: Role| role.allows(*permission);
            let free = *permission == Permission::Anyone;
            assert!(free || !has(Role::Sender) || *permission == Permission::Send, "senders only send");
            use Permission::{HoldAndErase, ManageAccess, WorkOnCases};
            let changes = matches!(permission, WorkOnCases | ManageAccess | HoldAndErase);
            assert!(!has(Role::Auditor) || !changes, "auditors change nothing");
            let reads = matches!(permission, Permission::SeeRecords | Permission::SeeActivity);
            assert!(!has(Role::Admin) || !reads, "admins read no record and no activity");
            assert!(Role::ALL.iter().any(|role| role.allows(*permission)), "{permission} is for nobody");
        }
        assert_eq!(Permission::SeeActivity.needs(), "auditor");
        assert_eq!(Permission::Reveal.needs(), "revealer", "nobody else reads what is encrypted");
    }
}
