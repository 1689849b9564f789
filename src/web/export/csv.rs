//! Comma-separated values, RFC 4180, that no spreadsheet runs.

/// Written in front of a cell that a spreadsheet would run.
const FORMULA_STARTS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// One line of CSV. What a spreadsheet would run as a formula gets an apostrophe in front.
pub(in crate::web) fn csv_line(cells: impl IntoIterator<Item = String>) -> String {
    let cells: Vec<String> = cells.into_iter().map(|cell| quoted(&cell)).collect();
    format!("{}\r\n", cells.join(","))
}

fn quoted(cell: &str) -> String {
    let guard = if cell.starts_with(FORMULA_STARTS) { "'" } else { "" };
    if guard.is_empty() && !cell.contains(['"', ',', '\n', '\r']) {
        return cell.to_owned();
    }
    format!("\"{guard}{}\"", cell.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_run_by_a_spreadsheet() {
        for (cell, written) in [
            ("plain", "plain"),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("=HYPERLINK(\"http://x\")", "\"'=HYPERLINK(\"\"http://x\"\")\""),
            ("+1", "\"'+1\""),
            ("-1", "\"'-1\""),
            ("@x", "\"'@x\""),
            ("\tx", "\"'\tx\""),
            ("\rx", "\"'\rx\""),
        ] {
            assert_eq!(quoted(cell), written);
        }
        assert_eq!(csv_line(["a".to_owned(), "b\nc".to_owned()]), "a,\"b\nc\"\r\n");
    }
}
