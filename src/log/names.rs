//! How the log's files are called: the first sequence of what is in them, and what has become of it.

/// The file of the segment that starts with this sequence.
pub(crate) fn name(first: u64) -> String {
    format!("{first:016x}.seg")
}

/// What a segment with damage, or one that nobody can read, is called in the end.
pub(crate) fn damaged_name(first: u64) -> String {
    format!("{first:016x}.damaged")
}

/// The entries of a segment that were refused one by one.
pub(crate) fn rejected_name(first: u64) -> String {
    format!("{first:016x}.rejected")
}

/// A length as a number of bytes or things.
pub(crate) fn count(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

/// A file that is not whole yet; one found at the start is nobody's.
pub(crate) fn draft_name(first: u64) -> String {
    format!("{first:016x}.tmp")
}

/// The sequence in a file's name, and the rest of the name; `None` for what the log never made.
pub(crate) fn parse(name: &str) -> Option<(u64, &str)> {
    let (digits, rest) = name.split_at_checked(16)?;
    let well_formed = digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    well_formed.then(|| u64::from_str_radix(digits, 16).ok())?.map(|first| (first, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_others_are_left_alone() {
        assert_eq!(parse(&name(0x1f)), Some((31, ".seg")));
        assert_eq!(parse(&damaged_name(u64::MAX)), Some((u64::MAX, ".damaged")));
        for other in ["lock", "reserve", "0000000000000ABC.seg", "+000000000000001.seg", "é.seg"] {
            assert_eq!(parse(other), None, "{other}");
        }
    }
}
