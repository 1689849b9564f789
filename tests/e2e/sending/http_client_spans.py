"""A tool whose HTTP client sends an idempotency key; its spans lie below the tool's span."""
import os

import httpx
from opentelemetry import trace

tracer = trace.get_tracer("support_agent")
client = httpx.Client(base_url=os.environ["SERVICES"], timeout=2)


def tool(name: str, method: str, path: str, **sent) -> dict:
    with tracer.start_as_current_span(f"execute_tool {name}") as span:
        span.set_attribute("gen_ai.operation.name", "execute_tool")
        span.set_attribute("gen_ai.tool.name", name)
        return client.request(method, path, **sent).json()


with tracer.start_as_current_span("support_agent"):
    tool("lookup_order", "GET", "/orders/4812")
    refund = {"json": {"order_id": "4812", "amount": 20}, "headers": {"idempotency-key": "refund-4812-1"}}
    for _ in range(2):
        try:
            print(tool("issue_refund", "POST", "/refunds", **refund))
        except httpx.ReadTimeout:
            pass
