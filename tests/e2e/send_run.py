"""Sends one agent run with the official OpenTelemetry SDK for Python, over gRPC or HTTP/protobuf.

A support agent looks an order up, refunds it, gets no answer, and asks again: the naive loop.
Prints the trace id. Exits with 1 when the exporter could not flush.
"""
import json
import sys

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode


def exporter(protocol: str, endpoint: str):
    if protocol == "grpc":
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

        return OTLPSpanExporter(endpoint=endpoint, insecure=True)
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return OTLPSpanExporter(endpoint=endpoint + "/v1/traces")


def text(role: str, content: str) -> dict:
    return {"role": role, "parts": [{"type": "text", "content": content}]}


def call(call_id: str, name: str, arguments: dict) -> dict:
    part = {"type": "tool_call", "id": call_id, "name": name, "arguments": arguments}
    return {"role": "assistant", "parts": [part], "finish_reason": "tool_call"}


def answer(call_id: str, response) -> dict:
    return {"role": "tool", "parts": [{"type": "tool_call_response", "id": call_id, "response": response}]}


class Agent:
    """A loop that shows what any GenAI-instrumented runtime sends; no attribute of ours."""

    def __init__(self, tracer, account: str):
        self.tracer = tracer
        self.account = account
        self.history = [text("user", "Order 4812 arrived broken, I would like my 20 dollars back.")]

    def chat(self, output: dict) -> None:
        with self.tracer.start_as_current_span("chat gpt-4o-mini", kind=SpanKind.CLIENT) as span:
            span.set_attributes({
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": "openai",
                "gen_ai.request.model": "gpt-4o-mini",
                "gen_ai.response.model": "gpt-4o-mini-2024-07-18",
                "gen_ai.request.temperature": 0.2,
                "gen_ai.usage.input_tokens": 100 + 40 * len(self.history),
                "gen_ai.usage.output_tokens": 21,
                "gen_ai.input.messages": json.dumps(self.history),
                "gen_ai.output.messages": json.dumps([output]),
                "gen_ai.response.finish_reasons": [output.get("finish_reason", "stop")],
            })
        self.history.append(output)

    def tool(self, call_id: str, name: str, arguments: dict, result=None, error=None) -> None:
        with self.tracer.start_as_current_span(f"execute_tool {name}", record_exception=False) as span:
            span.set_attributes({
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": name,
                "gen_ai.tool.call.id": call_id,
                "gen_ai.tool.call.arguments": json.dumps(arguments),
            })
            if error is None:
                span.set_attribute("gen_ai.tool.call.result", json.dumps(result))
            else:
                span.record_exception(error)
                span.set_attribute("error.type", type(error).__name__)
                span.set_status(Status(StatusCode.ERROR, str(error)))
        self.history.append(answer(call_id, result if error is None else f"Error: {error}"))

    def run(self) -> str:
        with self.tracer.start_as_current_span("invoke_agent support_agent") as root:
            root.set_attributes({
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.agent.name": "support_agent",
                "gen_ai.conversation.id": "conv-77",
                "account.id": self.account,
            })
            self.chat(call("call_1", "lookup_order", {"order_id": "4812"}))
            self.tool("call_1", "lookup_order", {"order_id": "4812"}, {"order_id": "4812", "total": 20.0})
            refund = {"order_id": "4812", "amount": 20.0}
            self.chat(call("call_2", "issue_refund", refund))
            self.tool("call_2", "issue_refund", refund, error=TimeoutError("timed out after 30 s"))
            self.chat(call("call_3", "issue_refund", refund))
            self.tool("call_3", "issue_refund", refund, {"refund_id": "re_9013", "status": "succeeded"})
            self.chat(text("assistant", "Your refund is on its way."))
            return format(root.get_span_context().trace_id, "032x")


def main() -> int:
    protocol, endpoint = sys.argv[1], sys.argv[2]
    account = sys.argv[3] if len(sys.argv) > 3 else "acct_42"
    provider = TracerProvider(resource=Resource.create({"service.name": f"python-{protocol}"}))
    provider.add_span_processor(BatchSpanProcessor(exporter(protocol, endpoint)))
    trace_id = Agent(provider.get_tracer("recount-e2e"), account).run()
    flushed = provider.force_flush(10_000)
    provider.shutdown()
    print(trace_id)
    return 0 if flushed else 1


if __name__ == "__main__":
    sys.exit(main())
