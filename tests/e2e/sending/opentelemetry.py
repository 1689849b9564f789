"""Spans as people name them by hand, without any convention but the names of the tools."""
import payments
from opentelemetry import trace

tracer = trace.get_tracer("support_agent")


def traced(name: str, call, *arguments):
    with tracer.start_as_current_span(name) as span:
        span.set_attribute("gen_ai.tool.name", name)
        return call(*arguments)


with tracer.start_as_current_span("support_agent"):
    traced("lookup_order", payments.lookup_order, "4812")
    for _ in range(2):
        try:
            print(traced("issue_refund", payments.issue_refund, "4812", 20))
        except TimeoutError:
            pass
