//! Laid-out JSON in pieces that fold: what stands between a bracket and its closing one is one fold.
use crate::web::format;
use crate::web::text::Text;

/// Folds within folds; what is deeper stays open.
const DEPTH_MAX: usize = 12;
/// Folds of one text; what comes after stays open.
pub(in crate::web) const FOLDS_MAX: usize = 300;

/// A piece of the text.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::web) enum Piece {
    /// Lines as they are, with their ends.
    Lines(Text),
    /// A line that opens a bracket, without its end, and how much is folded below it.
    Open(Text, String),
    /// The fold that was opened last ends; the line that closes the bracket follows.
    Close,
}

/// The pieces of a text that is JSON as `json::laid_out` writes it: every line that ends with a bracket opens
/// one, since strings hold no line ends. Nothing when there is nothing to fold.
pub(in crate::web) fn pieces(text: &Text) -> Vec<Piece> {
    let lines: Vec<&str> = text.as_str().split('\n').collect();
    if lines.len() < 3 || !text.as_str().starts_with(['{', '[']) {
        return Vec::new();
    }
    let Some(ends) = ends(&lines) else { return Vec::new() };
    let mut pieces = Vec::new();
    let mut plain = String::new();
    // Where the folds that are open end, the outermost first.
    let mut open: Vec<usize> = Vec::new();
    let mut folds = 0;
    for (at, line) in lines.iter().enumerate() {
        if open.last() == Some(&at) {
            open.pop();
            flush(&mut plain, &mut pieces);
            pieces.push(Piece::Close);
        }
        let end = ends.get(at).copied().flatten();
        match end.filter(|_| open.len() < DEPTH_MAX && folds < FOLDS_MAX) {
            Some(end) => {
                flush(&mut plain, &mut pieces);
                let between = format::length(end.saturating_sub(at + 1));
                let folded = format!("{} folded", format::counted(between, "line", "lines"));
                pieces.push(Piece::Open(Text::new(*line), folded));
                open.push(end);
                folds += 1;
            }
            None => {
                plain.push_str(line);
                plain.push('\n');
            }
        }
    }
    flush(&mut plain, &mut pieces);
    pieces
}

fn flush(plain: &mut String, pieces: &mut Vec<Piece>) {
    if !plain.is_empty() {
        pieces.push(Piece::Lines(Text::new(std::mem::take(plain))));
    }
}

/// For every line that opens a bracket the line that closes it; `None` when they do not fit together.
fn ends(lines: &[&str]) -> Option<Vec<Option<usize>>> {
    let mut ends = vec![None; lines.len()];
    let mut open = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if line.trim_start().starts_with(['}', ']']) {
            let from: usize = open.pop()?;
            *ends.get_mut(from)? = Some(at);
        }
        if line.ends_with(['{', '[']) {
            open.push(at);
        }
    }
    open.is_empty().then_some(ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::json::laid_out;

    fn of(json: &str) -> Vec<Piece> {
        pieces(&Text::new(laid_out(json).unwrap()))
    }

    /// The text of the pieces: nothing is lost and nothing added, and every fold that opens closes.
    fn whole(pieces: &[Piece]) -> String {
        let mut depth = 0;
        let mut text = String::new();
        for piece in pieces {
            match piece {
                Piece::Lines(lines) => text.push_str(lines.as_str()),
                Piece::Open(line, _) => {
                    text.push_str(line.as_str());
                    text.push('\n');
                    depth += 1;
                }
                Piece::Close => depth -= 1,
            }
            assert!(depth >= 0);
        }
        assert_eq!(depth, 0);
        text
    }

    #[test]
    fn brackets_fold_and_no_letter_is_lost() {
        let long = "x".repeat(70);
        let deep = format!("{}\"{long}\"{}", "[".repeat(130), "]".repeat(130));
        let odd =
            format!(r#"{{"a {{": "ends with {{", "b": ["{long}", {{"c": "{long}"}}], "d": "{long}["}}"#);
        for json in [&deep, &odd] {
            assert_eq!(whole(&of(json)), format!("{}\n", laid_out(json).unwrap()));
        }
        let opened = of(&odd).iter().filter(|piece| matches!(piece, Piece::Open(..))).count();
        assert_eq!(opened, 3);
        let Some(Piece::Open(_, said)) = of(&odd).into_iter().find(|piece| matches!(piece, Piece::Open(..)))
        else {
            panic!("nothing folds")
        };
        assert_eq!(said, "8 lines folded");
        let opened = of(&deep).iter().filter(|piece| matches!(piece, Piece::Open(..))).count();
        assert_eq!(opened, DEPTH_MAX);
    }

    #[test]
    fn what_is_no_laid_out_json_does_not_fold() {
        for text in ["", "{}", "{\n", "{\n}\n}", "fn main() {\n  x\n}", "[1,\n2"] {
            assert_eq!(pieces(&Text::new(text)), [], "{text}");
        }
    }
}
