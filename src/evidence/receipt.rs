//! Receipts of erasures: a signed note that says what was erased, and that can be checked without a
//! server.
//!
//! The note names the records by one hash over their ids and leaves, so that it says nothing of what
//! they were. The list itself goes beside it, in the file of a receipt and in evidence bundles.
use std::collections::BTreeMap;
use std::fmt::Write as _;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::domain::ids::RecordId;
use crate::evidence::merkle::Hash;
use crate::evidence::note::Trust;

/// The first line of a receipt's text: what it is, in which form.
const HEAD: &str = "recount/erasure/1";

/// A record and its leaf, as the list of a receipt names them.
pub type ErasedRecord = (RecordId, Hash);

/// What a receipt says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Receipt {
    /// The erasure's id.
    pub erasure: String,
    /// The project.
    pub project: String,
    /// The entity, as records show it.
    pub about: String,
    /// When it was asked for and by whom: `2026-11-30T14:00:00Z by ada`.
    pub asked: String,
    /// When it was done.
    pub done: String,
    /// How many records lost their contents.
    pub records: u64,
    /// How many bodies went.
    pub bodies: u64,
    /// The hash over the list of records.
    pub root: String,
    /// What was found at each place where contents are kept.
    pub places: Vec<String>,
}

/// The file of a receipt: the note, and the list that its hash is over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReceiptFile {
    /// The signed note.
    pub receipt: String,
    /// Each record with its leaf in the signed log, both hexadecimal.
    pub records: Vec<(String, String)>,
}

/// The hash over a list of records: SHA-256 over one line each, in order of the ids, none twice.
pub fn records_root(records: &[ErasedRecord]) -> Hash {
    let mut sorted = records.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut hash = Sha256::new();
    for (id, leaf) in sorted {
        hash.update(format!("{id} {}\n", HEXLOWER.encode(&leaf)));
    }
    hash.finalize().into()
}

impl Receipt {
    /// The text that is signed.
    pub fn text(&self) -> String {
        let mut text = format!("{HEAD}\n");
        let counts = [self.records.to_string(), self.bodies.to_string()];
        let [records, bodies] = &counts;
        let lines = [
            ("erasure", &self.erasure),
            ("project", &self.project),
            ("about", &self.about),
            ("asked", &self.asked),
            ("done", &self.done),
            ("records", records),
            ("bodies", bodies),
            ("root", &self.root),
        ];
        for (name, value) in lines.into_iter().chain(self.places.iter().map(|place| ("place", place))) {
            let value: String = value.chars().filter(|c| !c.is_control()).collect();
            // Writing to memory can't fail.
            writeln!(text, "{name} {value}").unwrap_or_default();
        }
        text
    }

    /// Reads such a text.
    fn parse(text: &str) -> Option<Self> {
        let lines = text.strip_prefix(HEAD)?.lines().filter_map(|line| line.split_once(' '));
        let (mut fields, mut places) = (BTreeMap::new(), Vec::new());
        for (name, value) in lines {
            match name {
                "place" => places.push(value.to_owned()),
                _ => drop(fields.insert(name, value.to_owned())),
            }
        }
        let mut field = |name: &str| fields.remove(name);
        Some(Self {
            erasure: field("erasure")?,
            project: field("project")?,
            about: field("about")?,
            asked: field("asked")?,
            done: field("done")?,
            records: field("records")?.parse().ok()?,
            bodies: field("bodies")?.parse().ok()?,
            root: field("root")?,
            places,
        })
    }
}

impl ReceiptFile {
    /// The file of a note and its list.
    pub fn of(receipt: String, records: &[ErasedRecord]) -> Self {
        let mut sorted = records.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let records = sorted.iter().map(|(id, leaf)| (id.to_string(), HEXLOWER.encode(leaf))).collect();
        Self { receipt, records }
    }

    /// The list, read.
    pub(crate) fn list(&self) -> Option<Vec<ErasedRecord>> {
        let read = |(id, leaf): &(String, String)| {
            let leaf: Hash = HEXLOWER.decode(leaf.as_bytes()).ok()?.try_into().ok()?;
            Some((RecordId::parse(id)?, leaf))
        };
        self.records.iter().map(read).collect()
    }

    /// What the receipt says, when it is signed by whom is trusted and its list is the one it was signed
    /// over.
    ///
    /// # Errors
    /// What is wrong, in a sentence.
    pub fn check(&self, trust: &Trust) -> Result<Receipt, String> {
        let text = trust.text_of(&self.receipt);
        let receipt = text.and_then(Receipt::parse);
        let receipt = receipt.ok_or_else(|| format!("the receipt is not signed by {}", trust.name))?;
        let list = self.list().ok_or("the list of a receipt can't be read")?;
        if HEXLOWER.encode(&records_root(&list)) != receipt.root {
            return Err(format!(
                "the list of erasure {} is not the one its receipt is about",
                receipt.erasure
            ));
        }
        Ok(receipt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::note::Signer;

    fn receipt(records: &[ErasedRecord]) -> Receipt {
        Receipt {
            erasure: "e1".to_owned(),
            project: "default".to_owned(),
            about: "account:2291\nroot 00".to_owned(),
            asked: "2026-11-30T14:00:00Z by ada".to_owned(),
            done: "2026-11-30T14:00:09Z".to_owned(),
            records: 2,
            bodies: 3,
            root: HEXLOWER.encode(&records_root(records)),
            places: vec!["contents: 3 bodies deleted, 0 left".to_owned()],
        }
    }

    #[test]
    fn a_receipt_is_believed_as_it_was_signed_and_no_other_way() {
        let records = [(RecordId([2; 16]), [3; 32]), (RecordId([1; 16]), [4; 32])];
        let signer = Signer::of_seed(&[7; 32], "recount").unwrap();
        let file = ReceiptFile::of(signer.sign(&receipt(&records).text()), &records);
        let read = file.check(&signer.trust()).unwrap();
        // A name can't write lines of its own.
        assert_eq!(read.about, "account:2291root 00");
        assert_eq!((read.records, read.bodies, read.places.len()), (2, 3, 1));
        let other = Signer::of_seed(&[8; 32], "recount").unwrap();
        assert!(file.check(&other.trust()).unwrap_err().contains("not signed"));
        let more = ReceiptFile { receipt: file.receipt.replace("records 2", "records 9"), ..file.clone() };
        assert!(more.check(&signer.trust()).is_err());
        let mut longer = file.clone();
        longer.records.push(("05".repeat(16), "06".repeat(32)));
        assert!(longer.check(&signer.trust()).unwrap_err().contains("is not the one"));
        let json = serde_json::to_string(&file).unwrap();
        assert_eq!(serde_json::from_str::<ReceiptFile>(&json).unwrap(), file);
    }
}
