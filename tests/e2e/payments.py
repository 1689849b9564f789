"""The tools of every agent here: the payments service, called with a client that gives up after half a second."""
import json
import os
import urllib.request

CALL_SECONDS = 0.5


def call(path: str, body: dict | None = None) -> dict:
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(os.environ["SERVICES"] + path, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=CALL_SECONDS) as answer:
        return json.load(answer)


def lookup_order(order_id: str) -> dict:
    """Looks an order up."""
    return call(f"/orders/{order_id}")


def issue_refund(order_id: str, amount: int) -> dict:
    """Refunds an amount of an order. Raises TimeoutError when no answer came in time."""
    return call("/refunds", {"order_id": order_id, "amount": amount})
