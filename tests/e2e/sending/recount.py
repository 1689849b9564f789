"""A loop that says what it knows: its steps, attempts, keys, gate and outcomes."""
import payments
from opentelemetry import trace

tracer = trace.get_tracer("support_agent")


def act(attempt: int) -> str | None:
    with tracer.start_as_current_span("issue_refund") as span:
        tell(span, step="refund", attempt=attempt, target="order:4812", key="refund-4812-1")
        try:
            refund = payments.issue_refund("4812", 20)
            span.set_attribute("recount.action.outcome", "confirmed")
            return refund["refund_id"]
        except TimeoutError as error:
            span.set_attribute("recount.action.outcome", "unknown")
            span.record_exception(error)


with tracer.start_as_current_span("support_agent") as root:
    root.set_attribute("recount.run.id", f"ticket-{root.get_span_context().trace_id:x}")
    with tracer.start_as_current_span("lookup_order") as look:
        look.set_attribute("recount.step.kind", "read")
        look.set_attribute("gen_ai.tool.name", "lookup_order")
        payments.lookup_order("4812")
    print(act(1) or act(2))
