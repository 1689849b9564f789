//! Whole numbers as JSON writers spell them: `25`, `"25"`, `25.0`, `1.758e18`; exact, never through a double.

/// The whole number that this decimal text is; `None` when it is none, or has more than 128 bits.
pub(crate) fn whole(text: &str) -> Option<i128> {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (text.get(..at)?, text.get(at + 1..)?.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (negative, digits) = match mantissa.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
    };
    let (before, after) = digits.split_once('.').unwrap_or((digits, ""));
    if before.is_empty() || !before.bytes().chain(after.bytes()).all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let after = after.trim_end_matches('0');
    let mut number: i128 = 0;
    for digit in before.bytes().chain(after.bytes()) {
        number = number.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
    }
    let shift = exponent.checked_sub(i32::try_from(after.len()).ok()?)?;
    let number = shifted(number, shift)?;
    Some(if negative { -number } else { number })
}

/// `number` times ten to the power `shift`, when that is whole.
fn shifted(mut number: i128, shift: i32) -> Option<i128> {
    if number == 0 {
        return Some(0);
    }
    if shift >= 0 {
        return number.checked_mul(10_i128.checked_pow(shift.unsigned_abs())?);
    }
    for _ in 0..shift.unsigned_abs() {
        if number % 10 != 0 {
            return None;
        }
        number /= 10;
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_whole_numbers_exactly() {
        for (text, expected) in [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("25.0", Some(25)),
            ("9007199254740993", Some(9_007_199_254_740_993)),
            ("-9223372036854775808", Some(-9_223_372_036_854_775_808)),
            ("1.758e18", Some(1_758_000_000_000_000_000)),
            ("1795970000000000001e0", Some(1_795_970_000_000_000_001)),
            ("2500E-2", Some(25)),
            ("0e999999999", Some(0)),
            ("+7", Some(7)),
            ("25.5", None),
            ("25e-1", None),
            ("1e-2147483648", None),
            ("1e400", None),
            ("", None),
            (".5", None),
            ("1e", None),
            ("0x10", None),
            ("NaN", None),
            (" 1", None),
        ] {
            assert_eq!(whole(text), expected, "{text}");
        }
    }
}
