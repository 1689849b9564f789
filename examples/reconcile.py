"""A reconciler job: asks the payments service for the truth of every refund that Recount calls unknown.

Usage: reconcile.py RECOUNT PAYMENTS, such as http://127.0.0.1:4319 http://127.0.0.1:8080
(`recount demo` prints both addresses). Run it as often as you like: closing a case twice is refused.
"""
import json
import sys
import urllib.error
import urllib.parse
import urllib.request

recount, payments = sys.argv[1:3]


def call(url: str, body: dict | None = None) -> tuple[int, dict]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refused:
        return refused.code, json.load(refused)


def open_cases(tool: str):
    """Every open case of a tool, page by page."""
    cursor = ""
    while cursor is not None:
        query = urllib.parse.urlencode({"tool": tool, **({"cursor": cursor} if cursor else {})})
        page = call(f"{recount}/api/v1/cases?{query}")[1]
        yield from page["cases"]
        cursor = page["next"]


def look_up(case: dict) -> tuple[str, str] | None:
    """What became of it, and what shows that. None when the service does not say: that proves nothing."""
    order = case["target"].removeprefix("order:")
    url = f"{payments}/refunds?" + urllib.parse.urlencode({"order_id": order, "idempotency_key": case["key"]})
    try:
        status, answer = call(url)
    except (OSError, ValueError):
        return None
    if status != 200:
        return None
    if answer["data"]:
        return "confirmed", f"{answer['data'][0]['id']} is on the ledger: {url}"
    return "failed", f"no refund under this key on the ledger: {url}"


for case in open_cases("issue_refund"):
    name = f"{case['tool']} on {case['target']}"
    if case["key"] is None or case["people_only"] or case["policy"] != "reconcile":
        print(f"left for a person: {name}")
        continue
    found = look_up(case)
    if found is None:
        print(f"still unknown: {name}")
        continue
    outcome, evidence = found
    resolution = {"outcome": outcome, "evidence": evidence, "by": "reconcile.py", "by_job": True}
    status, answer = call(f"{recount}/api/v1/cases/{case['case_id']}/resolution", resolution)
    if status == 201:
        print(f"{outcome}: {name}")
    elif status == 409:
        # Somebody was faster. Their word stands.
        print(f"closed by {(answer.get('resolution') or {}).get('by', 'evidence')}: {name}")
    else:
        sys.exit(f"{name}: {status} {answer.get('detail')}")
