"""OTLP requests of realistic agent runs: 20 spans a run (1 agent, 10 model calls, 9 tool calls), 512 spans a request."""
import random

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

BATCH = 512
WORDS = [a + b for a in ("ta", "re", "mi", "con", "ver", "al", "pro", "count") for b in ("or", "en", "st", "ic", "fund", "er")]


class Workload:
    """One seed gives the same spans, and no id repeats within it."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.clock = 1_795_970_000_000_000_000
        self.traces: list[str] = []
        # A word that stands in one tool result of every run, with the run's number.
        self.needles: list[str] = []

    def prose(self, length: int) -> str:
        words: list[str] = []
        while length > 0:
            words.append(self.random.choice(WORDS) + self.random.choice(WORDS))
            length -= len(words[-1]) + 1
        return " ".join(words)

    def requests(self, spans: int) -> list[bytes]:
        made, bodies = 0, []
        while made < spans:
            request = ExportTraceServiceRequest()
            resource = request.resource_spans.add()
            attribute(resource.resource, "service.name", "bench")
            scope = resource.scope_spans.add()
            scope.scope.name = "recount-bench"
            while made < spans and len(scope.spans) + 20 <= BATCH:
                self.run(scope.spans)
                made += 20
            bodies.append(request.SerializeToString())
        return bodies

    def run(self, spans) -> None:
        trace, root = self.random.randbytes(16), self.random.randbytes(8)
        self.traces.append(trace.hex())
        needle = f"needle{len(self.needles)}x{trace.hex()[:8]}"
        self.needles.append(needle)
        account = f"acct_{self.random.randrange(10_000_000):07}"
        started = self.clock
        for call in range(10):
            text = self.prose(1_100)
            span = self.span(spans, trace, root, "chat gpt-5-mini")
            attribute(span, "gen_ai.operation.name", "chat")
            attribute(span, "gen_ai.provider.name", "openai")
            attribute(span, "gen_ai.request.model", "gpt-5-mini")
            attribute(span, "gen_ai.input.messages", '[{"role":"user","parts":[{"type":"text","content":"%s"}]}]' % text)
            attribute(span, "gen_ai.output.messages",
                      '[{"role":"assistant","parts":[{"type":"text","content":"%s"}]}]' % self.prose(300))
            span.attributes.add(key="gen_ai.usage.input_tokens").value.int_value = 900 + call
            if call == 9:
                break
            span = self.span(spans, trace, root, "execute_tool issue_refund")
            attribute(span, "gen_ai.operation.name", "execute_tool")
            attribute(span, "gen_ai.tool.name", "issue_refund")
            attribute(span, "gen_ai.tool.call.id", f"call_{self.random.getrandbits(64):016x}")
            attribute(span, "gen_ai.tool.call.arguments", '{"account_id":"%s","amount":%d}' % (account, call))
            result = self.prose(600) + (" " + needle if call == 4 else "")
            attribute(span, "gen_ai.tool.call.result", '{"status":200,"note":"%s"}' % result)
        own = self.span(spans, trace, b"", "invoke_agent support-agent")
        own.span_id, own.start_time_unix_nano = root, started
        attribute(own, "gen_ai.operation.name", "invoke_agent")
        attribute(own, "gen_ai.agent.name", "support-agent")
        attribute(own, "recount.account.id", account)

    def span(self, spans, trace: bytes, parent: bytes, name: str):
        span = spans.add(trace_id=trace, span_id=self.random.randbytes(8), parent_span_id=parent, name=name, kind=3)
        span.start_time_unix_nano = self.clock
        self.clock += 40_000_000 + self.random.randrange(900_000_000)
        span.end_time_unix_nano = self.clock
        return span


def attribute(of, key: str, value: str) -> None:
    of.attributes.add(key=key).value.string_value = value
