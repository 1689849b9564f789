"""Makes spans of one run for some seconds with the official SDK for Python, in batches, and prints which ones the
exporter was told are kept. Usage: killed_sender.py grpc|http ENDPOINT RUN SPANS."""
import json
import sys
import time

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from send_run import exporter


class Told(SpanExporter):
    """The official exporter, and a note of what became of each batch."""

    def __init__(self, inner: SpanExporter):
        self.inner, self.acknowledged, self.exports, self.failed = inner, [], 0, 0

    def export(self, spans):
        result = self.inner.export(spans)
        self.exports += 1
        if result is SpanExportResult.SUCCESS:
            self.acknowledged += [format(span.context.span_id, "016x") for span in spans]
        else:
            self.failed += 1
        return result

    def shutdown(self):
        self.inner.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self.inner.force_flush(timeout_millis)


def main() -> None:
    protocol, endpoint, run, spans = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    inner = exporter(protocol, endpoint)
    # The time in which the exporter tries again by itself.
    inner._timeout = 60
    told = Told(inner)
    provider = TracerProvider(resource=Resource.create({"service.name": run}))
    provider.add_span_processor(BatchSpanProcessor(told, schedule_delay_millis=100, max_export_batch_size=32))
    tracer = provider.get_tracer("recount-e2e")
    for number in range(spans):
        with tracer.start_as_current_span(f"execute_tool look_up_{number}") as span:
            span.set_attributes({
                "recount.run.id": run,
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": f"look_up_{number}",
                "gen_ai.tool.call.result": f"result {number}",
            })
        time.sleep(0.01)
    provider.shutdown()
    print(json.dumps({"acknowledged": told.acknowledged, "exports": told.exports, "exports_failed": told.failed}))


if __name__ == "__main__":
    main()
