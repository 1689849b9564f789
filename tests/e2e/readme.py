"""Runs what the README says: its Python, its TypeScript, its environment variables and its recount.toml.

Usage: readme.py UI OTLP_HTTP. Exits with 1 when a snippet does not bring its span onto the list of runs.
"""
import os
import re
import sys
import tomllib

from common import HERE, ROOT, blocks, listed, run

README = (ROOT / "README.md").read_text()
BLOCKS = blocks(README)
UI, OTLP_HTTP = sys.argv[1], sys.argv[2]


def snippet(language: str) -> str:
    return next(text for name, text in BLOCKS if name == language)


def here(text: str) -> str:
    """The snippet with the port of this test's server."""
    return text.replace("http://127.0.0.1:4318", OTLP_HTTP)


def sends(command: list, environment: dict, what: str) -> None:
    """The command prints the id of a trace, which must then be listed."""
    listed(UI, run(command, f"README, {what}", env={**os.environ, **environment}).strip().splitlines()[-1])
    print(f"ok: README, {what}")


PYTHON_SPAN = """
with trace.get_tracer("readme").start_as_current_span("invoke_agent readme") as span:
    print(format(span.get_span_context().trace_id, "032x"))
provider.shutdown()
"""
FROM_ENVIRONMENT = """
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
trace.set_tracer_provider(provider)
"""
TYPESCRIPT_SPAN = """
import { trace } from '@opentelemetry/api';
const span = trace.getTracer('readme').startSpan('invoke_agent readme');
console.log(span.spanContext().traceId);
span.end();
await trace.getTracerProvider().getDelegate().forceFlush();
"""


def main() -> None:
    sends([sys.executable, "-c", here(snippet("python")) + PYTHON_SPAN], {}, "Python")
    exported = re.findall(r"export (\w+)=(\S+)", "".join(text for name, text in BLOCKS if name == "sh"))
    environment = {name: here(value) for name, value in exported}
    assert "OTEL_EXPORTER_OTLP_ENDPOINT" in environment
    sends([sys.executable, "-c", FROM_ENVIRONMENT + PYTHON_SPAN], environment, "environment variables")
    script = HERE / ".readme.mjs"
    script.write_text(here(snippet("ts")) + TYPESCRIPT_SPAN)
    try:
        sends(["node", str(script)], {}, "TypeScript")
    finally:
        script.unlink()
    tomllib.loads(snippet("toml"))
    example = "".join((ROOT / "examples/send_span.rs").read_text().split())
    assert all("".join(line.split()) in example for line in snippet("rust").splitlines()), "README, Rust"


if __name__ == "__main__":
    main()
