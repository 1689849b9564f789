//! The packs about people: `email`, `phone`, `ip`, `national-id`. Off unless named in `redaction.packs`.
use std::net::{Ipv4Addr, Ipv6Addr};

use crate::redaction::pack::{Builtin, Check, Words};

/// Words after which digits are a telephone number.
const PHONE_WORDS: &[&str] =
    &["call", "cell", "fax", "handy", "mobil", "phone", "sms", "tel", "telefon", "tlf", "whatsapp", "+"];

const fn digits(
    name: &'static str,
    about: &'static str,
    pattern: &'static str,
    holds: fn(&str) -> bool,
) -> Builtin {
    let (words, check) = (Words::Digits, Check::Value(holds));
    Builtin { name, pack: "national-id", about, words, pattern, check }
}

/// The rules.
pub(crate) const PII: &[Builtin] = &[
    Builtin {
        name: "email",
        pack: "email",
        about: "e-mail addresses",
        words: Words::Any(&["@"]),
        pattern: r"[\p{L}\p{N}][\p{L}\p{N}._%+'\-]*@[\p{L}\p{N}](?:[\p{L}\p{N}\-]*\.)+[\p{L}]{2,}",
        check: Check::Any,
    },
    Builtin {
        name: "phone",
        pack: "phone",
        about: "telephone numbers: with + and country, or after a word such as phone, call, tel",
        words: Words::Any(PHONE_WORDS),
        pattern: concat!(
            r"(?i)\b(?:phone|tel|telefon|tlf|mobile?|cell|call|fax|sms|whatsapp|handy)\b[^\d\n+(]{0,24}",
            r"(\(?\d[\d ().\-/]{5,18}\d)|(\+\(?\d[\d ().\-/]{6,18}\d)",
        ),
        check: Check::Value(is_phone),
    },
    Builtin {
        name: "ip-address",
        pack: "ip",
        about: "IPv4 addresses that are not loopback or unset",
        words: Words::Digits,
        pattern: r"\b\d{1,3}(?:\.\d{1,3}){3}\b",
        check: Check::Value(is_ipv4),
    },
    Builtin {
        name: "ip-address",
        pack: "ip",
        about: "IPv6 addresses that are not loopback or unset",
        words: Words::Digits,
        pattern: concat!(
            r"(?i)(?:[0-9a-f]{1,4}:){2,7}(?:[0-9a-f]{1,4}|:)(?::[0-9a-f]{1,4})*",
            r"|(?:[0-9a-f]{1,4}:)*:(?::?[0-9a-f]{1,4}){1,6}",
        ),
        check: Check::Value(is_ipv6),
    },
    digits("us-ssn", "US social security numbers", r"\b\d{3}-\d{2}-\d{4}\b", is_ssn),
    digits(
        "uk-nino",
        "UK national insurance numbers",
        r"\b[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]\b",
        |value| !["BG", "GB", "KN", "NK", "NT", "TN", "ZZ"].iter().any(|none| value.starts_with(none)),
    ),
    digits("es-dni", "Spanish DNI and NIE", r"\b(?:\d{8}|[XYZ]\d{7})-?[A-Z]\b", is_dni),
    digits("br-cpf", "Brazilian CPF", r"\b\d{3}\.\d{3}\.\d{3}-\d{2}\b", is_cpf),
    digits(
        "it-codice-fiscale",
        "Italian codice fiscale",
        r"\b[A-Z]{6}\d{2}[ABCDEHLMPRST]\d{2}[A-Z]\d{3}[A-Z]\b",
        |_| true,
    ),
    digits(
        "fr-nir",
        "French social security numbers",
        r"\b[12] ?\d{2} ?(?:0[1-9]|1[0-2]) ?\d{2} ?\d{3} ?\d{3} ?\d{2}\b",
        is_nir,
    ),
    digits("se-personnummer", "Swedish personal numbers", r"\b(?:19|20)?\d{6}[-+]\d{4}\b", is_personnummer),
    digits("in-aadhaar", "Indian Aadhaar numbers", r"\b[2-9]\d{3} \d{4} \d{4}\b", is_aadhaar),
];

fn numbers(value: &str) -> Vec<u32> {
    value.chars().filter_map(|char| char.to_digit(10)).collect()
}

/// Seven digits or more, and no date or time.
fn is_phone(value: &str) -> bool {
    let count = numbers(value).len();
    let parts: Vec<usize> = value.split(|c: char| !c.is_ascii_digit()).map(str::len).collect();
    let date = [&[4, 2, 2][..], &[2, 2, 4], &[4, 4]].contains(&parts.as_slice());
    (7..=15).contains(&count) && !date
}

fn is_ipv4(value: &str) -> bool {
    value.parse::<Ipv4Addr>().is_ok_and(|address| !(address.is_loopback() || address.is_unspecified()))
}

fn is_ipv6(value: &str) -> bool {
    value.parse::<Ipv6Addr>().is_ok_and(|address| !(address.is_loopback() || address.is_unspecified()))
}

fn is_ssn(value: &str) -> bool {
    let part = |range| value.get(range).unwrap_or_default();
    let area = part(0..3);
    !(area == "000" || area == "666" || area.starts_with('9') || part(4..6) == "00" || part(7..11) == "0000")
}

fn is_dni(value: &str) -> bool {
    const LETTERS: &[u8] = b"TRWAGMYFPDXBNJZSQVHLCKE";
    let spelt = value.replacen('X', "0", 1).replacen('Y', "1", 1).replacen('Z', "2", 1);
    let spelt = if value.starts_with(['X', 'Y', 'Z']) { spelt.as_str() } else { value };
    let number: usize = spelt.chars().take(8).collect::<String>().parse().unwrap_or_default();
    LETTERS.get(number % 23) == value.as_bytes().last()
}

fn is_cpf(value: &str) -> bool {
    let digits = numbers(value);
    let same = digits.windows(2).all(|two| two.first() == two.last());
    let check = |count: u32| {
        let sum: u32 = digits.iter().zip((2..=count + 1).rev()).map(|(digit, weight)| digit * weight).sum();
        (sum * 10) % 11 % 10
    };
    !same && digits.get(9) == Some(&check(9)) && digits.get(10) == Some(&check(10))
}

fn is_nir(value: &str) -> bool {
    let digits: String = value.chars().filter(char::is_ascii_digit).collect();
    let (number, check) = digits.split_at_checked(13).unwrap_or_default();
    match (number.parse::<u64>(), check.parse::<u64>()) {
        (Ok(number), Ok(check)) => 97 - number % 97 == check,
        _ => false,
    }
}

fn is_personnummer(value: &str) -> bool {
    let digits = numbers(value);
    let digits = digits.get(digits.len().saturating_sub(10)..).unwrap_or_default();
    let sum: u32 = digits
        .iter()
        .enumerate()
        .map(|(at, digit)| if at % 2 == 0 { digit * 2 / 10 + digit * 2 % 10 } else { *digit })
        .sum();
    digits.len() == 10 && sum.is_multiple_of(10)
}

/// The Verhoeff check.
fn is_aadhaar(value: &str) -> bool {
    const STEPS: [[u32; 10]; 8] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        [1, 5, 7, 6, 2, 8, 3, 0, 9, 4],
        [5, 8, 0, 3, 7, 9, 6, 1, 4, 2],
        [8, 9, 1, 6, 0, 4, 3, 5, 2, 7],
        [9, 4, 5, 3, 1, 2, 6, 8, 7, 0],
        [4, 2, 8, 6, 5, 7, 3, 9, 0, 1],
        [2, 7, 9, 3, 8, 0, 6, 4, 1, 5],
        [7, 0, 4, 6, 9, 1, 3, 2, 5, 8],
    ];
    let product = |a: u32, b: u32| match (a < 5, b < 5) {
        (true, true) => (a + b) % 5,
        (true, false) => 5 + (a + b) % 5,
        (false, true) => 5 + (a + 10 - b) % 5,
        (false, false) => (a + 5 - b) % 5,
    };
    let digits = numbers(value);
    let check = digits.iter().rev().enumerate().fold(0, |check, (at, digit)| {
        let row = STEPS.get(at % 8).and_then(|row| row.get(usize::try_from(*digit).unwrap_or_default()));
        product(check, row.copied().unwrap_or_default())
    });
    digits.len() == 12 && check == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_people_need_their_check_digits() {
        for (holds, right, wrong) in [
            (is_ssn as fn(&str) -> bool, "219-09-9999", "666-09-9999"),
            (is_dni, "12345678Z", "12345678A"),
            (is_dni, "X1234567L", "X1234567A"),
            (is_cpf, "529.982.247-25", "529.982.247-26"),
            (is_nir, "2 55 08 14 168 025 38", "2 55 08 14 168 025 39"),
            (is_personnummer, "811228-9874", "811228-9875"),
            (is_aadhaar, "2341 2341 2346", "2341 2341 2347"),
            (is_ipv4, "10.1.2.3", "127.0.0.1"),
            (is_ipv4, "8.8.8.8", "999.1.1.1"),
            (is_ipv6, "2001:db8::1", "::1"),
            (is_phone, "070 123 45 67", "2026-11-29"),
        ] {
            assert!(holds(right), "{right}");
            assert!(!holds(wrong), "{wrong}");
        }
    }
}
