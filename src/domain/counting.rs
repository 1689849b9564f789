//! Numbers and counts as sentences say them.

/// A number with its thousands marked: `8,930`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number and the word that goes with it: `1 retry`, `2 retries`.
pub fn counted(number: impl TryInto<u64>, one: &str, many: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural() {
        let said = [0_u64, 1, 2, 8_930, 1_000_000].map(|number| counted(number, "retry", "retries"));
        assert_eq!(said, ["0 retries", "1 retry", "2 retries", "8,930 retries", "1,000,000 retries"]);
    }
}
