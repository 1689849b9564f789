"""Runs what the README says: its Python, its TypeScript, its environment variables and its recount.toml.

Usage: readme.py UI OTLP_HTTP. Exits with 1 when a snippet does not bring its span onto the list of runs.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import tomllib
import urllib.request

HERE = pathlib.Path(__file__).parent
README = (HERE / "../../README.md").read_text()
UI, OTLP_HTTP = sys.argv[1], sys.argv[2]


def snippet(language: str) -> str:
    return re.search(rf"```{language}\n(.*?)```", README, re.DOTALL).group(1)


def here(text: str) -> str:
    """The snippet with the port of this test's server."""
    return text.replace("http://127.0.0.1:4318", OTLP_HTTP)


def shown(trace_id: str, what: str) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with urllib.request.urlopen(f"{UI}/api/v1/runs?limit=500", timeout=10) as answer:
            if any(run["run_id"] == trace_id for run in json.load(answer)["runs"]):
                print(f"ok: README, {what}")
                return
        time.sleep(0.05)
    raise SystemExit(f"README, {what}: {trace_id} is not in the list")


def run(command: list, environment: dict, what: str) -> None:
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"README, {what}: {done.stderr}")
    shown(done.stdout.strip().splitlines()[-1], what)


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
    run([sys.executable, "-c", here(snippet("python")) + PYTHON_SPAN], {}, "Python")
    exported = re.findall(r"export (\w+)=(\S+)", snippet("sh") + "".join(re.findall(r"```sh\n(.*?)```", README, re.DOTALL)))
    environment = {name: here(value) for name, value in exported}
    assert "OTEL_EXPORTER_OTLP_ENDPOINT" in environment
    run([sys.executable, "-c", FROM_ENVIRONMENT + PYTHON_SPAN], environment, "environment variables")
    script = HERE / ".readme.mjs"
    script.write_text(here(snippet("ts")) + TYPESCRIPT_SPAN)
    try:
        run(["node", str(script)], {}, "TypeScript")
    finally:
        script.unlink()
    tomllib.loads(snippet("toml"))
    example = "".join((HERE / "../../examples/send_span.rs").read_text().split())
    assert all("".join(line.split()) in example for line in snippet("rust").splitlines()), "README, Rust"


if __name__ == "__main__":
    main()
