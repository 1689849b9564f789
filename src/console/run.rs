//! One run as text: its verdict, its steps with every attempt of those that took several, and its findings.
use crate::console::answer::Object;
use crate::console::table::Table;
use crate::domain::counting::counted;
use crate::domain::hidden::shortened;

/// An error's message is cut here.
const ERROR_CHARS_MAX: usize = 100;

/// The lines.
pub(in crate::console) fn lines(run: Object<'_>) -> Vec<String> {
    let mut lines = vec![
        format!("run {}  {}  {}", run.whole("run_id"), run.cell("agent"), run.cell("name")),
        run.whole("verdict"),
        format!(
            "started {}  took {}  {}  outcome {}",
            run.moment("started_at"),
            run.took("duration_ms"),
            run.cell("state"),
            run.cell("outcome")
        ),
        format!(
            "{}, {}, {}; acts: {} confirmed, {} failed, {} unknown, {} submitted",
            counted(run.count("step_count"), "step", "steps"),
            counted(run.count("attempt_count"), "attempt", "attempts"),
            counted(run.count("retry_count"), "retry", "retries"),
            run.count("confirmed_count"),
            run.count("failed_count"),
            run.count("unknown_count"),
            run.count("submitted_count")
        ),
        format!("about {}", run.texts("entities")),
    ];
    if let Some(whole) = run.object("completeness") {
        let gaps = whole.list("gaps").count();
        lines.push(format!("complete: {} ({gaps} gaps)", whole.cell("verdict")));
    }
    lines.push(String::new());
    lines.extend(steps(run));
    let findings: Vec<Object<'_>> = run.list("findings").collect();
    if !findings.is_empty() {
        lines.push(String::new());
        let mut table = Table::default();
        for finding in findings {
            table.row([finding.cell("severity"), finding.cell("code"), finding.whole("message")]);
        }
        lines.extend(table.lines());
    }
    lines
}

fn steps(run: Object<'_>) -> Vec<String> {
    let mut table =
        Table::new(&["STEP", "KIND", "NAME", "OUTCOME", "EVIDENCE", "TOOK", "TARGET", "KEY", "ERROR"]);
    for step in run.list("steps") {
        let attempts: Vec<Object<'_>> = step.list("attempts").collect();
        let several = attempts.len() > 1;
        let last = attempts.last().copied();
        table.row([
            step.cell("number"),
            step.cell("kind"),
            step.cell("name"),
            step.known("outcome").unwrap_or_default(),
            step.known("evidence").unwrap_or_default(),
            last.filter(|_| !several).map(|attempt| attempt.took("latency_ms")).unwrap_or_default(),
            step.cell("target"),
            step.cell("key"),
            last.filter(|_| !several).and_then(error).unwrap_or_default(),
        ]);
        for attempt in attempts.into_iter().filter(|_| several) {
            table.row([
                format!("  {}.{}", step.cell("number"), attempt.cell("attempt")),
                String::new(),
                attempt.known("worker").map(|worker| format!("by {worker}")).unwrap_or_default(),
                attempt.known("outcome").unwrap_or_default(),
                attempt.known("evidence").unwrap_or_default(),
                attempt.took("latency_ms"),
                String::new(),
                String::new(),
                error(attempt).unwrap_or_default(),
            ]);
        }
        for missing in step.0.get("missing_attempts").and_then(|list| list.as_array()).into_iter().flatten() {
            table.row([
                format!("  {}.{missing}", step.cell("number")),
                String::new(),
                "has not arrived".to_owned(),
            ]);
        }
    }
    table.lines()
}

fn error(attempt: Object<'_>) -> Option<String> {
    let error = attempt.object("error")?;
    let said = [error.known("type"), error.known("message")].into_iter().flatten().collect::<Vec<_>>();
    Some(shortened(&said.join(": "), ERROR_CHARS_MAX))
}
