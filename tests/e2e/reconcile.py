"""Runs examples/reconcile.py against the demo's payments service: one refund was made, one was not, one is for people.

Usage: reconcile.py UI OTLP PAYMENTS
"""
import json
import pathlib
import subprocess
import sys
import time
import urllib.request

ui, otlp, payments = sys.argv[1:4]
EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "reconcile.py"


def call(url: str, body: dict | None = None, **headers: str) -> dict:
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json", **{name.replace("_", "-"): text for name, text in headers.items()}}
    with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=10) as answer:
        return json.load(answer)


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
    return call(f"{ui}/api/v1/keys/{name}")


call(f"{payments}/refunds", {"order_id": "990001", "amount": "12.00"}, idempotency_key="made")
spans = [
    attempt(0xA1, "made", "990001", "12.00"),
    attempt(0xA2, "not-made", "990002", "13.00"),
    attempt(0xA3, "too-much", "990003", "4000.00"),
]
call(f"{otlp}/v1/traces", {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})
deadline = time.monotonic() + 60
while True:
    found = {case["key"] for case in call(f"{ui}/api/v1/cases?limit=500")["cases"]}
    if {"made", "not-made", "too-much"} <= found:
        break
    assert time.monotonic() < deadline, found
    time.sleep(0.1)
said = subprocess.run([sys.executable, EXAMPLE, ui, payments], check=True, capture_output=True, text=True).stdout
states = {name: key(name)["state"] for name in ["made", "not-made", "too-much"]}
assert states == {"made": "confirmed", "not-made": "failed", "too-much": "unknown"}, (states, said)
made = key("made")["case"]["resolutions"][0]
assert (made["by"], made["by_job"], made["standing"]) == ("reconcile.py", True, "closed"), made
assert "left for a person: issue_refund on order:990003" in said, said
again = subprocess.run([sys.executable, EXAMPLE, ui, payments], check=True, capture_output=True, text=True).stdout
assert "990001" not in again and "990002" not in again, again
print("ok: reconciler job")
