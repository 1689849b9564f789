"""Runs examples/reconcile.py against the demo's payments service: one refund was made, one was not, one is for people.

Usage: reconcile.py UI OTLP PAYMENTS
"""
import json
import sys
import time

from common import ROOT, ask, checker, get, run, until

ui, otlp, payments = sys.argv[1:4]
EXAMPLE = ROOT / "examples/reconcile.py"
check = checker("reconcile")


def send(url: str, body: dict, **headers: str) -> None:
    status, said = ask(url, body=json.dumps(body).encode(), headers=headers)
    check(status in (200, 201), f"{url}: {status} {said}")


def attempt(number: int, key: str, order: str, amount: str) -> dict:
    """A refund whose answer never came."""
    now = time.time_ns()
    text = {
        "recount.run.id": f"run-{key}", "recount.step.id": "refund", "recount.step.kind": "act",
        "gen_ai.tool.name": "issue_refund", "recount.action.key": key, "error.type": "ReadTimeout",
        "gen_ai.tool.call.arguments": json.dumps({"order_id": order, "amount": amount, "currency": "USD"}),
    }
    return {
        "traceId": f"{number:032x}", "spanId": f"{number:016x}", "name": "issue_refund", "status": {"code": 2},
        "startTimeUnixNano": str(now - 31_000_000_000), "endTimeUnixNano": str(now - 1_000_000_000),
        "attributes": [{"key": name, "value": {"stringValue": value}} for name, value in text.items()],
    }


def key(name: str) -> dict:
    return get(f"{ui}/api/v1/keys/{name}")


def job() -> str:
    return run([sys.executable, EXAMPLE, ui, payments], "examples/reconcile.py")


send(f"{payments}/refunds", {"order_id": "990001", "amount": "12.00"}, **{"idempotency-key": "made"})
spans = [
    attempt(0xA1, "made", "990001", "12.00"),
    attempt(0xA2, "not-made", "990002", "13.00"),
    attempt(0xA3, "too-much", "990003", "4000.00"),
]
send(f"{otlp}/v1/traces", {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})
cases = {"made", "not-made", "too-much"}
until(lambda: cases <= {case["key"] for case in get(f"{ui}/api/v1/cases?limit=500")["cases"]}, "the cases are listed")
said = job()
states = {name: key(name)["state"] for name in ["made", "not-made", "too-much"]}
check(states == {"made": "confirmed", "not-made": "failed", "too-much": "unknown"}, (states, said))
made = key("made")["case"]["resolutions"][0]
check((made["by"], made["by_job"], made["standing"]) == ("reconcile.py", True, "closed"), made)
check("left for a person: issue_refund on order:990003" in said, said)
again = job()
check("990001" not in again and "990002" not in again, again)
print("ok: reconciler job")
