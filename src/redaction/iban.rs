//! Finds IBANs: a known country, its length, and the check digits right.
use std::ops::Range;

const LENGTH_MIN: usize = 15;

/// Lengths by country.
const LENGTHS: &[(&[u8; 2], usize)] = &[
    (b"AD", 24),
    (b"AE", 23),
    (b"AL", 28),
    (b"AT", 20),
    (b"AZ", 28),
    (b"BA", 20),
    (b"BE", 16),
    (b"BG", 22),
    (b"BH", 22),
    (b"BR", 29),
    (b"CH", 21),
    (b"CR", 22),
    (b"CY", 28),
    (b"CZ", 24),
    (b"DE", 22),
    (b"DK", 18),
    (b"DO", 28),
    (b"EE", 20),
    (b"EG", 29),
    (b"ES", 24),
    (b"FI", 18),
    (b"FO", 18),
    (b"FR", 27),
    (b"GB", 22),
    (b"GE", 22),
    (b"GI", 23),
    (b"GL", 18),
    (b"GR", 27),
    (b"GT", 28),
    (b"HR", 21),
    (b"HU", 28),
    (b"IE", 22),
    (b"IL", 23),
    (b"IQ", 23),
    (b"IS", 26),
    (b"IT", 27),
    (b"JO", 30),
    (b"KW", 30),
    (b"KZ", 20),
    (b"LB", 28),
    (b"LI", 21),
    (b"LT", 20),
    (b"LU", 20),
    (b"LV", 21),
    (b"MC", 27),
    (b"MD", 24),
    (b"ME", 22),
    (b"MK", 19),
    (b"MT", 31),
    (b"MU", 30),
    (b"NL", 18),
    (b"NO", 15),
    (b"PK", 24),
    (b"PL", 28),
    (b"PS", 29),
    (b"PT", 25),
    (b"QA", 29),
    (b"RO", 24),
    (b"RS", 22),
    (b"SA", 24),
    (b"SE", 24),
    (b"SI", 19),
    (b"SK", 24),
    (b"SM", 27),
    (b"TN", 24),
    (b"TR", 26),
    (b"UA", 29),
    (b"VA", 22),
    (b"VG", 24),
    (b"XK", 20),
];

/// The IBANs in a text, spaces and hyphens between groups included.
///
/// Of any two neighbours inside one, one is a digit or a capital, and it is at least 15 bytes long: looking
/// at two of every 7 bytes finds it, and most texts have few of both.
pub(crate) fn find(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut at, mut seen) = (0, 0);
    while at + 1 < bytes.len() && bytes.len() >= LENGTH_MIN {
        let near = bytes.get(at..at + 2).is_some_and(|two| two.iter().any(is_sign));
        if near && at >= seen {
            let before = bytes.get(..at).unwrap_or_default();
            let start = at - before.iter().rev().take(48).take_while(|byte| in_run(byte)).count();
            let after = bytes.get(at..).unwrap_or_default();
            let end = at + after.iter().take_while(|byte| in_run(byte)).count();
            in_row(bytes, start..end, &mut found);
            seen = end;
        }
        at += 7;
    }
    found
}

/// Every IBAN that begins in this row of capitals, digits and separators.
fn in_row(bytes: &[u8], row: Range<usize>, found: &mut Vec<Range<usize>>) {
    let mut at = row.start;
    while at + LENGTH_MIN <= row.end {
        let in_word =
            at.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(u8::is_ascii_alphanumeric);
        let end = if in_word { None } else { iban_at(bytes, at) };
        match end {
            Some(end) => {
                found.push(at..end);
                at = end;
            }
            None => at += 1,
        }
    }
}

/// The end of the IBAN that begins here.
fn iban_at(bytes: &[u8], start: usize) -> Option<usize> {
    let country: &[u8; 2] = bytes.get(start..)?.first_chunk()?;
    let digits = bytes.get(start + 2..start + 4)?;
    let length = LENGTHS.iter().find(|(known, _)| *known == country)?.1;
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let (mut signs, mut at) = (Vec::with_capacity(length), start);
    while signs.len() < length {
        let byte = *bytes.get(at)?;
        if is_sign(&byte) {
            signs.push(byte);
        } else if !matches!(byte, b' ' | b'-') || !bytes.get(at + 1).is_some_and(is_sign) {
            return None;
        }
        at += 1;
    }
    let ends = bytes.get(at).is_none_or(|next| !next.is_ascii_alphanumeric());
    (ends && passes(&signs)).then_some(at)
}

/// Modulo 97, country and check digits last.
fn passes(signs: &[u8]) -> bool {
    let (head, tail) = signs.split_at(4.min(signs.len()));
    let rest = tail.iter().chain(head).fold(0_u32, |rest, sign| {
        let value = if sign.is_ascii_digit() { sign - b'0' } else { sign - b'A' + 10 };
        let shift = if value >= 10 { 100 } else { 10 };
        (rest * shift + u32::from(value)) % 97
    });
    rest == 1
}

fn is_sign(byte: &u8) -> bool {
    byte.is_ascii_digit() || byte.is_ascii_uppercase()
}

fn in_run(byte: &u8) -> bool {
    is_sign(byte) || matches!(byte, b' ' | b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ibans_are_found_wherever_they_stand() {
        for iban in [
            "DE89370400440532013000",
            "DE89 3704 0044 0532 0130 00",
            "GB29 NWBK 6016 1331 9268 19",
            "NO9386011117947",
            "FR14 2004 1010 0505 0001 3M02 606",
            "MT84 MALT 0110 0001 2345 MTLC AST0 01S",
        ] {
            for before in ["", "x ", "pay to ", "account no: ", "ab cd ef g "] {
                let text = format!("{before}{iban}, please");
                let found: Vec<&str> = find(&text).into_iter().map(|range| &text[range]).collect();
                assert_eq!(found, [iban], "{text}");
            }
        }
    }

    #[test]
    fn what_is_none_is_left() {
        for text in [
            "DE89370400440532013001",
            "XDE89370400440532013000",
            "DE893704004405320130001",
            "ORDER 4812 AND DE89 OR SO",
            "ZZ89370400440532013000",
            "5B8EFFF798038103D269B633813FC60C",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }
}
