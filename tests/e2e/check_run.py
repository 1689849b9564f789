"""Reads a run over the JSON API and checks that it says what happened. Usage: check_run.py UI TRACE_ID SERVICE."""
import sys

from common import get, listed, until


def same(what: str, found, expected) -> None:
    if found != expected:
        raise SystemExit(f"{what}: {found!r}, expected {expected!r}")


def main() -> None:
    ui, trace_id = sys.argv[1], sys.argv[2]
    row = until(lambda: (row := listed(ui, trace_id))["attempt_count"] >= 8 and row, f"run {trace_id} is whole")
    same("agent", row["agent"], "support_agent")
    same("retries", row["retry_count"], 1)
    run = get(f"{ui}/api/v1/runs/{trace_id}")
    steps = [step for step in run["steps"] if step["tool"] == "issue_refund"]
    same("refund steps", len(steps), 1)
    refund = steps[0]
    same("kind", refund["kind"], "act")
    same("attempts", [a["attempt"] for a in refund["attempts"]], [1, 2])
    same("outcomes", [a["outcome"] for a in refund["attempts"]], ["unknown", "confirmed"])
    same("given", [a["given"] for a in refund["attempts"]], [False, False])
    codes = {finding["code"] for finding in run["findings"]}
    if "retried-while-unknown" not in codes:
        raise SystemExit(f"findings: {sorted(codes)}")
    thinks = [step for step in run["steps"] if step["kind"] == "think"]
    same("model calls", len(thinks), 4)
    # Some clocks give several spans one start, so the order of calls is not told: the last call saw the most.
    calls = [get(f"{ui}/api/v1/runs/{trace_id}/steps/{think['step_id']}") for think in thinks]
    context = max((call["attempts"][0]["context"] for call in calls), key=len)
    same("messages seen by the last call", len(context), 7)
    first = context[0]
    message = get(f"{ui}/api/v1/contents/{trace_id}/{first['digest']}")
    same("first message's role", message["role"], "user")
    if "Order 4812 arrived broken" not in message["parts"][0]["content"]:
        raise SystemExit(f"first message: {message}")


if __name__ == "__main__":
    main()
