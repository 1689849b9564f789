//! `clock-skew`: a client’s clock runs ahead of the server’s.
use crate::domain::finding::Code;
use crate::domain::fold::completeness::skew_ns;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::limits::SKEW_NS;
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::took;

pub(super) const RULE: Rule = Rule {
    code: Code::ClockSkew,
    about: About {
        title: "Clocks differ",
        means: "A client’s clock runs more than a minute ahead of the server’s.",
        matters: "The order of steps by different workers may be shown wrongly; deadlines are counted \
                   from receipt.",
        remedy: "Let the hosts of workers keep their time by NTP.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let skew = skew_ns(scene);
    if skew <= SKEW_NS {
        return Vec::new();
    }
    let message = format!("A client clock runs {} ahead of the server's", took(skew));
    vec![Noted::steps(Code::ClockSkew, message, Vec::new())]
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{SECOND, a_run, check};
    use crate::domain::step::Facts;

    #[test]
    fn fires_beyond_a_minute() {
        let ahead = |seconds: u64| {
            let later =
                move |facts: &mut Facts| facts.ended_ns = facts.ended_ns.map(|end| end + seconds * SECOND);
            a_run().act("a").with(later)
        };
        check(Code::ClockSkew, vec![("two minutes", ahead(120))], vec![("a few seconds", ahead(10))]);
    }
}
