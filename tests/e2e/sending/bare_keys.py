"""Spans with short keys of their own: `input_tokens`, `tool_name`, `args`, `result`."""
import json

import payments
from opentelemetry import trace

tracer = trace.get_tracer("support_agent")


def tool(name: str, call, **arguments):
    with tracer.start_as_current_span(name) as span:
        span.set_attribute("tool_name", name)
        span.set_attribute("args", json.dumps(arguments))
        result = call(**arguments)
        span.set_attribute("result", json.dumps(result))
        return result


with tracer.start_as_current_span("support_agent"):
    with tracer.start_as_current_span("chat") as chat:
        chat.set_attribute("input_tokens", 100)
        chat.set_attribute("output_tokens", 20)
    tool("lookup_order", payments.lookup_order, order_id="4812")
    for _ in range(2):
        try:
            print(tool("issue_refund", payments.issue_refund, order_id="4812", amount=20))
        except TimeoutError:
            pass
