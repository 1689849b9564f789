//! Finds card numbers: digits of a known issuer and length that pass the Luhn check.
use std::ops::Range;

const DIGITS_MIN: usize = 13;
const DIGITS_MAX: usize = 19;

/// Whether the text has enough digits in a row (single spaces, hyphens and dots aside) to look closer.
///
/// Of any two neighbours in such a row one is a digit, and it is at least 13 bytes long: looking at two of
/// every 11 bytes finds it, and most texts have few digits.
pub(crate) fn suspects_card(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() < DIGITS_MIN {
        return false;
    }
    let mut seen_to = 0;
    bytes.chunks(DIGITS_MIN - 2).enumerate().any(|(at, chunk)| {
        let start = at * (DIGITS_MIN - 2);
        let near = chunk.iter().take(2).any(u8::is_ascii_digit);
        if !near || start < seen_to {
            return false;
        }
        let (enough, end) = row_around(bytes, start);
        seen_to = end;
        enough
    })
}

/// Whether the row of digits that has one of the two bytes from here has enough of them, and where it ends.
fn row_around(bytes: &[u8], at: usize) -> (bool, usize) {
    let in_row = |byte: &&u8| byte.is_ascii_digit() || matches!(byte, b' ' | b'-' | b'.');
    let before =
        bytes.get(..at).unwrap_or_default().iter().rev().take(2 * DIGITS_MIN).take_while(in_row).count();
    let (mut digits, mut separated, mut end) = (0, false, at - before);
    for byte in bytes.get(at - before..).unwrap_or_default() {
        match byte {
            b'0'..=b'9' => {
                digits += 1;
                separated = false;
                if digits >= DIGITS_MIN {
                    return (true, end);
                }
            }
            b' ' | b'-' | b'.' if digits > 0 && !separated => separated = true,
            _ if end > at + 1 => break,
            _ => digits = 0,
        }
        end += 1;
    }
    (false, end)
}

/// The byte ranges of card numbers in ASCII-folded text.
pub(crate) fn find_cards(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = next_run(bytes, at) {
        let run = Run::read(bytes, start);
        at = run.end;
        if run.stands_alone(bytes) {
            found.extend(run.cards());
        }
    }
    found
}

/// Whether a number as sent, such as `4111111111111111` or `4111111111111111.0`, is a card number.
pub(crate) fn is_card(number: &str) -> bool {
    let number = number.strip_suffix(".0").unwrap_or(number);
    let digits: Vec<u8> = number.bytes().filter_map(digit).collect();
    digits.len() == number.len() && passes(&digits)
}

/// A run of digits with at most one separator, always the same, between two of them.
struct Run {
    digits: Vec<(usize, u8)>,
    start: usize,
    end: usize,
    separator: Option<u8>,
}

impl Run {
    fn read(bytes: &[u8], start: usize) -> Self {
        let mut run = Self { digits: Vec::new(), start, end: start, separator: None };
        let mut at = start;
        while let Some(byte) = bytes.get(at) {
            if let Some(value) = digit(*byte) {
                run.digits.push((at, value));
                run.end = at + 1;
            } else if matches!(byte, b' ' | b'-' | b'.')
                && run.separator.is_none_or(|separator| separator == *byte)
                && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
            {
                run.separator = Some(*byte);
            } else {
                break;
            }
            at += 1;
        }
        run
    }

    /// Not a part of a word, an id or a decimal number.
    fn stands_alone(&self, bytes: &[u8]) -> bool {
        let before = self.start.checked_sub(1).and_then(|at| bytes.get(at));
        let two_before = self.start.checked_sub(2).and_then(|at| bytes.get(at));
        let after = bytes.get(self.end);
        let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let decimal = before == Some(&b'.') && two_before.is_some_and(u8::is_ascii_digit);
        let id = before == Some(&b'-') && two_before.is_some_and(word);
        let in_word = before.is_some_and(word) || after.is_some_and(word);
        !(in_word || decimal || id)
    }

    /// The whole run when it is a card; of a separated run (`… on 12 4111 1111 1111 1111 03 27`) the parts
    /// that are.
    fn cards(&self) -> Vec<Range<usize>> {
        let values: Vec<u8> = self.digits.iter().map(|(_, value)| *value).collect();
        let mut found = Vec::new();
        let place = |at: usize| self.digits.get(at).map(|(place, _)| place - self.start);
        let groups_of_four = place(3) == Some(3) && place(4) == Some(5);
        if passes(&values) && (self.separator != Some(b'.') || groups_of_four) {
            found.push(self.start..self.end);
            return found;
        }
        let mut start = 0;
        while matches!(self.separator, Some(b' ' | b'-')) && start + DIGITS_MIN <= self.digits.len() {
            let end = (start + DIGITS_MIN..=self.digits.len().min(start + DIGITS_MAX))
                .rev()
                .filter(|end| self.begins_group(start) && self.begins_group(*end))
                .find(|end| values.get(start..*end).is_some_and(passes));
            let places = end.and_then(|end| Some((self.digits.get(start)?.0, self.digits.get(end - 1)?.0)));
            found.extend(places.map(|(first, last)| first..last + 1));
            start = end.unwrap_or(start + 1);
        }
        found
    }

    fn begins_group(&self, at: usize) -> bool {
        let place = |at: usize| self.digits.get(at).map(|(place, _)| *place);
        match (at.checked_sub(1).and_then(place), place(at)) {
            (Some(before), Some(here)) => here > before + 1,
            (None, _) | (_, None) => true,
        }
    }
}

fn next_run(bytes: &[u8], from: usize) -> Option<usize> {
    bytes.get(from..)?.iter().position(u8::is_ascii_digit).map(|at| from + at)
}

fn digit(byte: u8) -> Option<u8> {
    byte.is_ascii_digit().then(|| byte - b'0')
}

fn passes(digits: &[u8]) -> bool {
    let number =
        |count: usize| digits.iter().take(count).fold(0_u32, |number, digit| number * 10 + u32::from(*digit));
    let issued = match digits.len() {
        13 | 19 if number(1) == 4 => true,
        14 => matches!(number(2), 36 | 38 | 39) || matches!(number(3), 300..=305),
        15 => matches!(number(2), 34 | 37),
        16 => {
            number(1) == 4 || matches!(number(2), 50..=69) || matches!(number(4), 2200..=2720 | 3528..=3589)
        }
        17..=19 => matches!(number(2), 50 | 56..=69) || matches!(number(4), 3528..=3589),
        _ => false,
    };
    issued && luhn(digits) && digits.iter().any(|digit| Some(digit) != digits.first())
}

fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| match (at % 2, u32::from(*digit) * 2) {
            (0, double) => double / 2,
            (_, double) if double > 9 => double - 9,
            (_, double) => double,
        })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_are_found_and_other_numbers_are_not() {
        for (text, card) in [
            ("pay with 4111111111111111 now", Some("4111111111111111")),
            ("4111 1111 1111 1111", Some("4111 1111 1111 1111")),
            ("card:4111-1111-1111-1111.", Some("4111-1111-1111-1111")),
            ("4111.1111.1111.1111", Some("4111.1111.1111.1111")),
            ("amex 378282246310005,", Some("378282246310005")),
            ("mc 5555555555554444 / 2223003122003222", Some("5555555555554444")),
            ("seats 12 4111 1111 1111 1111 until 03", Some("4111 1111 1111 1111")),
            ("4111111111111112", None),
            ("order 1764444444000000000", None),
            ("at 1764444444000", None),
            ("a4111111111111111", None),
            ("4111111111111111_b", None),
            ("0.4111111111111111", None),
            ("4.111111111111111", None),
            ("deadbeef-4111-1111-1111-1111", None),
            ("0000000000000000", None),
            ("+49 170 1234567 12345", None),
        ] {
            let found = find_cards(text);
            assert_eq!(found.first().map(|range| &text[range.clone()]), card, "{text}");
            assert!(card.is_none() || suspects_card(text), "{text}");
        }
        assert!(is_card("4111111111111111"));
        assert!(!is_card("-4111111111111111"));
        assert!(!suspects_card("12 of 34 and 5678901234"));
    }
}
