"""An agent loop that does an act once, whatever happens on the way: docs/loop.md explains it.

Usage: pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http, then python3 safe_loop.py (3.10 or newer).
Sends to OTEL_EXPORTER_OTLP_ENDPOINT (http://127.0.0.1:4318). Prints the run's id and what the model is told.
"""
import contextlib
import json
import sqlite3
import uuid

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
trace.set_tracer_provider(provider)
tracer = trace.get_tracer("safe_loop")
# One by one: when emit() returns, Recount has the intent on disk.
logs = LoggerProvider()
logs.add_log_record_processor(SimpleLogRecordProcessor(OTLPLogExporter()))
log = logs.get_logger("safe_loop")

# Intents outlive the process that had them: a file in production, or your database.
store = sqlite3.connect(":memory:")
store.execute("CREATE TABLE intents (key TEXT PRIMARY KEY, state TEXT NOT NULL, result TEXT, attempts INTEGER NOT NULL)")


class Refused(Exception):
    """The other side said no: it did not happen."""


class Payments:
    """Stands for your provider. It makes the refund, and the first answer is lost on the way back."""

    def __init__(self) -> None:
        self.ledger: dict[str, str] = {}
        self.answers = 0

    def refund(self, order: str, amount: int, key: str) -> str:
        self.ledger.setdefault(key, f"re_{order}_{amount}")
        self.answers += 1
        if self.answers == 1:
            raise TimeoutError("no answer within 30 s")
        return self.ledger[key]

    def find_refund(self, key: str) -> str | None:
        return self.ledger.get(key)


def gate(key: str) -> tuple[str, str | None, int]:
    """new: send it. duplicate: it is done, here is the result. unknown: it was sent, and nobody knows.
    With the number of the attempt, which outlives the process too."""
    with store:
        new = store.execute("INSERT OR IGNORE INTO intents VALUES (?, 'submitted', NULL, 0)", (key,)).rowcount
        new |= store.execute("UPDATE intents SET state = 'submitted' WHERE key = ? AND state = 'failed'", (key,)).rowcount
        store.execute("UPDATE intents SET attempts = attempts + 1 WHERE key = ?", (key,))
        row = store.execute("SELECT state, result, attempts FROM intents WHERE key = ?", (key,)).fetchone()
    state, result, attempt = row
    return "new" if new else "duplicate" if state == "confirmed" else "unknown", result, attempt


def settle(key: str, state: str, result: str | None = None) -> None:
    with store:
        store.execute("UPDATE intents SET state = ?, result = ? WHERE key = ?", (state, result, key))


def gate_state(key: str) -> str:
    return store.execute("SELECT state FROM intents WHERE key = ?", (key,)).fetchone()[0]


def marks(run: str, step: str, kind: str, tool: str, target: str) -> dict:
    """What no convention carries."""
    return {
        "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool, "recount.run.id": run,
        "recount.step.id": step, "recount.step.kind": kind, "recount.action.target": target,
    }


def outcome(span, word: str, evidence: str) -> None:
    span.set_attributes({"recount.action.outcome": word, "recount.action.evidence": evidence})


@contextlib.contextmanager
def attempt_span(told: dict, decision: str):
    """The span of an attempt. An intent is sent ahead of it: a log record survives a crash, a span does not."""
    with tracer.start_as_current_span(f"execute_tool {told['gen_ai.tool.name']}", attributes=told) as span:
        if decision == "new":
            log.emit(event_name="recount.intent", body="about to act",
                     attributes={**told, "recount.action.outcome": "submitted"})
        yield span


def reconcile(run: str, step: str, tool: str, target: str, key: str, look_up) -> str | None:
    """Asks for the truth. A look-up that fails proves nothing either way: the act stays unknown."""
    told = {**marks(run, f"{step}-look-up", "reconcile", f"find_{tool}", target), "recount.step.verifies": step}
    with tracer.start_as_current_span(f"execute_tool find_{tool}", attributes=told) as span:
        try:
            found = look_up(key)
        except OSError as error:
            span.record_exception(error)
            return None
        settle(key, "confirmed" if found else "failed", found)
        outcome(span, "confirmed" if found else "failed", "reconcile")
        return found


def act(run: str, step: str, tool: str, target: str, send, look_up) -> dict:
    """Does it once, whatever happens on the way, and tells the model what is known: never a raw error."""
    key = f"{run}:{step}:{tool}:{target}"
    for _ in range(3):
        decision, result, attempt = gate(key)
        told = {**marks(run, step, "act", tool, target), "recount.action.key": key,
                "recount.step.attempt": attempt, "recount.gate.decision": decision}
        with attempt_span(told, decision) as span:
            if decision == "duplicate":
                return {"status": "done", "result": result}
            if decision == "new":
                try:
                    result = send(key)
                    settle(key, "confirmed", result)
                    outcome(span, "confirmed", "status")
                    return {"status": "done", "result": result}
                except Refused as why:
                    settle(key, "failed")
                    outcome(span, "failed", "error")
                    return {"status": "refused", "reason": str(why)}
                except TimeoutError as error:
                    settle(key, "unknown")
                    outcome(span, "unknown", "timeout")
                    span.record_exception(error)
        found = reconcile(run, step, tool, target, key, look_up)
        if found is not None:
            return {"status": "done", "result": found}
        if gate_state(key) == "unknown":
            return {"status": "outcome_unknown", "reason": "a person looks into it; do not call this tool again"}
    return {"status": "refused", "reason": "the budget for this act is spent; it was not executed"}


def main() -> None:
    payments, run = Payments(), f"ticket-{uuid.uuid4().hex[:12]}"
    with tracer.start_as_current_span("invoke_agent support") as root:
        root.set_attributes({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "support", "recount.run.id": run})
        told = act(run, "3", "issue_refund", "order:4812",
                   lambda key: payments.refund("4812", 40, key), payments.find_refund)
        again = act(run, "3", "issue_refund", "order:4812",
                    lambda key: payments.refund("4812", 40, key), payments.find_refund)
    provider.shutdown()
    logs.shutdown()
    assert told == again and len(payments.ledger) == payments.answers == 1
    print(run)
    print(json.dumps(told))


if __name__ == "__main__":
    main()
