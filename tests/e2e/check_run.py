"""Reads a run over the JSON API and checks that it says what happened. Usage: check_run.py UI TRACE_ID SERVICE."""
import json
import sys
import time
import urllib.request


def get(url: str) -> dict:
    with urllib.request.urlopen(url, timeout=10) as response:
        return json.load(response)


def listed(ui: str, run_id: str) -> dict:
    """The run's row in the list: there soon after the acknowledged send. How soon is for the bench to say."""
    deadline = time.monotonic() + 20.0
    while True:
        rows = [row for row in get(f"{ui}/api/v1/runs?limit=500")["runs"] if row["run_id"] == run_id]
        if rows and rows[0]["attempt_count"] >= 8:
            return rows[0]
        if time.monotonic() > deadline:
            raise SystemExit(f"run {run_id} is not in the list 20 s after it was acknowledged: {rows}")
        time.sleep(0.05)


def same(what: str, found, expected) -> None:
    if found != expected:
        raise SystemExit(f"{what}: {found!r}, expected {expected!r}")


def main() -> None:
    ui, trace_id = sys.argv[1], sys.argv[2]
    row = listed(ui, trace_id)
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
    with urllib.request.urlopen(f"{ui}/api/v1/contents/{trace_id}/{first['digest']}", timeout=10) as body:
        message = json.load(body)
    same("first message's role", message["role"], "user")
    if "Order 4812 arrived broken" not in message["parts"][0]["content"]:
        raise SystemExit(f"first message: {message}")


if __name__ == "__main__":
    main()
