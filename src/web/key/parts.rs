//! The parts of a key of the form run:step:action:target; a key of another form is one part.
use crate::web::text::{Text, shortened};

/// A key in its parts, each with what it stands for; one part without a name when its form is not ours.
pub(in crate::web) fn parts(key: &str, run_ids: &[&str]) -> Vec<(Text, &'static str)> {
    let whole = || vec![(Text::new(shortened(key, 400)), "")];
    let own = run_ids.iter().find_map(|id| Some((*id, key.strip_prefix(*id)?.strip_prefix(':')?)));
    let Some((run_id, rest)) = own else { return whole() };
    let mut pieces = rest.splitn(3, ':');
    match (pieces.next(), pieces.next(), pieces.next()) {
        (Some(step), Some(action), Some(target)) => vec![
            (Text::new(shortened(run_id, 80)), "run"),
            (Text::new(shortened(step, 80)), "step"),
            (Text::new(shortened(action, 80)), "action"),
            (Text::new(shortened(target, 120)), "target"),
        ],
        _ => whole(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_keys_of_our_form_are_taken_apart() {
        let names = |key: &str| parts(key, &["run_1", ""]).iter().map(|(_, name)| *name).collect::<Vec<_>>();
        assert_eq!(names("run_1:3:issue_refund:order:4812"), ["run", "step", "action", "target"]);
        assert_eq!(names("run_1:3"), [""]);
        assert_eq!(names("a3f9"), [""]);
        assert_eq!(names("run_2:3:a:b"), [""]);
    }
}
