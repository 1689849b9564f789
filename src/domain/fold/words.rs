//! How times and counts are said in sentences.
pub(super) use crate::domain::counting::counted as count;

/// A length of time in words: `712 ms`, `1.5 s`, `30 s`, `15 min`, `2 h`, `3 days`.
pub(super) fn took(ns: u64) -> String {
    let ms = ns / 1_000_000;
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..10_000 if ms % 1_000 >= 50 && ms % 1_000 < 950 => {
            format!("{}.{} s", (ms + 50) / 1_000, (ms + 50) % 1_000 / 100)
        }
        1_000..120_000 => format!("{} s", (ms + 500) / 1_000),
        120_000..7_200_000 => format!("{} min", (ms + 30_000) / 60_000),
        7_200_000..172_800_000 => format!("{} h", (ms + 1_800_000) / 3_600_000),
        172_800_000.. => format!("{} days", (ms + 43_200_000) / 86_400_000),
    }
}

/// How often, in words: `once`, `2 times`.
pub(super) fn times(number: usize) -> String {
    if number == 1 { "once".to_owned() } else { format!("{number} times") }
}

/// What an act is called without a phrase of its own: `issue_refund on order:4812`.
pub(super) fn act(tool: &str, target: Option<&str>) -> String {
    match target {
        Some(target) => format!("{tool} on {target}"),
        None => tool.to_owned(),
    }
}

/// Names joined for a sentence, the rest counted: `a, b and 3 more`.
pub(super) fn list(names: &[String], max: usize) -> String {
    let shown = names.iter().take(max).cloned().collect::<Vec<_>>();
    match (names.len().saturating_sub(shown.len()), shown.split_last()) {
        (_, None) => String::new(),
        (0, Some((only, []))) => only.clone(),
        (0, Some((last, rest))) => format!("{} and {last}", rest.join(", ")),
        (more, Some(_)) => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_like_speech() {
        let cases = [
            (0, "0 ms"),
            (712_000_000, "712 ms"),
            (1_000_000_000, "1 s"),
            (1_500_000_000, "1.5 s"),
            (9_990_000_000, "10 s"),
            (30_004_000_000, "30 s"),
            (900_000_000_000, "15 min"),
            (7_200_000_000_000, "2 h"),
            (3 * 86_400_000_000_000, "3 days"),
        ];
        for (ns, said) in cases {
            assert_eq!(took(ns), said);
        }
        assert_eq!(count(1_u64, "retry", "retries"), "1 retry");
        assert_eq!(list(&["a".into(), "b".into(), "c".into()], 2), "a, b and 1 more");
        assert_eq!(list(&["a".into(), "b".into()], 3), "a and b");
    }
}
