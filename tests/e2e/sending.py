"""Runs what docs/sending.md says, for every runtime whose packages can be had, and compares what Recount shows.

Usage: sending.py [--all] [--write] [--only TEXT] RECOUNT UI=OTLP_HTTP...

Each section that says "Checked by `make test`" is run: its packages are installed as its `pip install` line says, its
variables are set, its lines stand before the agent in sending/, which acts upon fake services on loopback, and the API
must then say what the table of the document says. `--all` also runs the sections that say "Checked by `make sending`".
What is not run is compiled. `--write` writes the table anew. One lane of work for each server given.
"""
import argparse
import json
import os
import pathlib
import queue
import re
import shlex
import subprocess
import sys
import threading
import time

from common import HERE, ask, get
from fake_services import serving

DOCUMENT = HERE / "../../docs/sending.md"
# Packages as they were on this day, so that a test of today finds what was tested.
PACKAGES_UNTIL = "2026-11-29T00:00:00Z"
# The agent that acts with the lines of each section or part of one, and what the agent itself needs.
AGENTS = {
    "Recount": ("recount.py", []),
    "OpenTelemetry GenAI": ("opentelemetry_genai.py", ["openai"]),
    "OpenTelemetry": ("opentelemetry.py", []),
    "Model Context Protocol": ("model_context_protocol.py", []),
    "pydantic-ai and Logfire: pydantic-ai": ("pydantic_ai.py", []),
    "pydantic-ai and Logfire: Logfire": ("pydantic_ai.py", ["pydantic-ai-slim[openai]==2.68.0"]),
    "Vercel AI SDK: Version 5 and 6": ("vercel_ai_sdk.mjs", []),
    "Vercel AI SDK: Version 7": ("vercel_ai_sdk.mjs", []),
    "OpenInference": ("opentelemetry_genai.py", ["openai"]),
    "OpenLLMetry (Traceloop)": ("openllmetry_traceloop.py", ["openai", "httpx"]),
    "Langfuse SDK": ("langgraph.py", ["langchain", "langchain-openai"]),
    "MLflow": ("mlflow.py", ["openai"]),
    "Google ADK": ("google_adk.py", []),
    "LangSmith": ("langgraph.py", ["langgraph==1.2.24", "langchain", "langchain-openai"]),
    "Strands Agents": ("strands_agents.py", []),
    "CrewAI": ("crewai.py", []),
    "AutoGen": ("autogen.py", []),
    "Semantic Kernel": ("semantic_kernel.py", []),
    "Microsoft Agent Framework": ("microsoft_agent_framework.py", []),
    "OpenAI Agents SDK: Through OpenInference": ("openai_agents_sdk.py", []),
    "OpenAI Agents SDK: Through OpenTelemetry GenAI": ("openai_agents_sdk.py", []),
    "Claude Code and Claude Agent SDK": ("claude_code_and_claude_agent_sdk.py", []),
    "LangGraph: Through OpenInference": ("langgraph.py", ["langchain", "langchain-openai"]),
    "LangGraph: Through OpenTelemetry GenAI": ("langgraph.py", ["langchain", "langchain-openai"]),
    "HTTP client spans": ("http_client_spans.py", []),
    "Bare keys": ("bare_keys.py", []),
}
# Where the packages of the JavaScript sections are.
NODE_FOLDERS = {"Vercel AI SDK: Version 5 and 6": HERE, "Vercel AI SDK: Version 7": HERE / "vercel-7"}
# Nothing but the services of this test is called, and what a runtime would ask its vendor for is off.
QUIET = {
    "OPENAI_API_KEY": "none", "ANTHROPIC_API_KEY": "none", "GOOGLE_API_KEY": "none", "LANGSMITH_API_KEY": "none",
    "CREWAI_DISABLE_TELEMETRY": "true", "TRACELOOP_TELEMETRY": "false", "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "ENABLE_TOOL_SEARCH": "false",
}
RUN_SECONDS = 180
COLUMNS = ["runtime", "model calls", "model", "tokens", "messages", "arguments", "results", "second attempt",
           "session", "user"]


class Case:
    """A section of the document, or a part of one that stands for itself."""

    def __init__(self, title: str, text: str) -> None:
        self.title, self.text, self.base = title, text, ""
        checked = re.search(r"^Checked by `(make test|make sending)`", text, re.M)
        self.checked = checked.group(1) if checked else None

    def blocks(self, language: str) -> list:
        return re.findall(rf"^```{language}\n(.*?)^```", self.base + self.text, re.M | re.S)

    def environment(self) -> dict:
        return dict(re.findall(r"^export (\w+)=(\S+)", "".join(self.blocks("sh")), re.M))

    def packages(self) -> list:
        lines = re.findall(r"^pip install (.*)$", "".join(self.blocks("sh")), re.M)
        return [package for line in lines for package in shlex.split(line)]

    def node_packages(self) -> list:
        lines = re.findall(r"^npm install (.*)$", "".join(self.blocks("sh")), re.M)
        return [package for line in lines for package in shlex.split(line)]


def cases() -> list:
    """Every case. Lines before the parts of a section belong to each part; so do the base lines where it says so."""
    found = []
    for title, text in re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", DOCUMENT.read_text(), re.M | re.S):
        head, *parts = re.split(r"^### (.+)\n", text, flags=re.M)
        pairs = list(zip(parts[::2], parts[1::2]))
        found += [Case(f"{title}: {part}", head + below) for part, below in pairs] or [Case(title, text)]
    (base,) = [case.text for case in found if case.title == "OpenTelemetry"]
    for case in found:
        if re.search(r"after\s+the\s+base\s+lines", case.text, re.I):
            case.base = base
    return found


def run_command(command: list, what: str, **how) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=RUN_SECONDS, **how)
    if done.returncode != 0:
        raise AssertionError(f"{what} failed:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def python_of(case: Case) -> pathlib.Path:
    """The Python that has the packages of a case; made once for each list of packages."""
    packages = case.packages() + AGENTS[case.title][1]
    name = re.sub(r"[^a-z0-9]+", "-", case.title.lower()).strip("-")
    folder = HERE / ".venv" / "sending" / name
    stamp = folder / "packages"
    wanted = "\n".join([*packages, PACKAGES_UNTIL])
    if not stamp.exists() or stamp.read_text() != wanted:
        uv = str(HERE / ".venv/bin/uv")
        run_command([uv, "-q", "venv", "--clear", "--python", sys.executable, str(folder)], f"venv of {case.title}")
        until = ["--exclude-newer", PACKAGES_UNTIL]
        run_command([uv, "-q", "pip", "install", "--python", str(folder), *until, *packages], f"packages of {case.title}")
        stamp.write_text(wanted)
    return folder / "bin/python"


def act(case: Case, http: str, services: str) -> None:
    """Runs the lines of the document and the agent behind them."""
    agent = HERE / "sending" / AGENTS[case.title][0]
    javascript = agent.suffix == ".mjs"
    lines = case.blocks("ts" if javascript else "python")
    here = lambda text: text.replace("http://127.0.0.1:4318", http)
    code = "\n".join(here(text) for text in [*lines, agent.read_text()])
    told = {name: here(value) for name, value in case.environment().items()}
    home = HERE / ".venv" / "sending" / "home"
    home.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, **QUIET, **told, "SERVICES": services, "PYTHONPATH": str(HERE), "PYTHONUTF8": "1",
                   "ANTHROPIC_BASE_URL": services, "CLAUDE_CONFIG_DIR": str(home), "CREWAI_STORAGE_DIR": str(home),
                   "OTEL_SERVICE_NAME": told.get("OTEL_SERVICE_NAME", "support")}
    folder = NODE_FOLDERS[case.title] if javascript else python_of(case).parent
    script = folder / f".sending-{threading.get_ident()}{agent.suffix}"
    script.write_text(code)
    try:
        runner = "node" if javascript else str(python_of(case))
        said = run_command([runner, str(script)], case.title, env=environment, cwd=folder)
    finally:
        script.unlink()
    assert "re_9013_2" in said or "refund of 20.00 EUR" in said, f"{case.title} said {said!r}"


def new_runs(ui: str, before: set) -> list:
    """The runs that came since. All was acknowledged when the agent had ended; it is read when nothing waits."""
    deadline = time.monotonic() + 60
    while True:
        waiting = re.search(r"^recount_records_waiting (\S+)$", ask(f"{ui}/metrics")[1], re.M).group(1)
        rows = [row for row in get(f"{ui}/api/v1/runs?limit=500")["runs"] if row["run_id"] not in before]
        if float(waiting) == 0 and sum(row["act_count"] for row in rows) > 0:
            return [get(f"{ui}/api/v1/runs/{row['run_id']}") for row in rows]
        assert time.monotonic() < deadline, f"{waiting} records wait, runs {[row['run_id'] for row in rows]}"
        time.sleep(0.1)


def reading(case: Case, runs: list) -> list:
    """A row of the table; fails where a promise that holds for every runtime is broken."""
    steps = [step for run in runs for step in run["steps"]]
    thinks = [step["attempts"][-1] for step in steps if step["kind"] == "think"]
    tools = [a for step in steps if step["kind"] in ("act", "read") for a in step["attempts"]]
    acts = [step for step in steps if step["kind"] == "act"]
    attempts = sorted((a for step in acts for a in step["attempts"]), key=lambda a: a["started_at"])
    outcomes = [attempt["outcome"] for attempt in attempts]
    assert outcomes == ["unknown", "confirmed"], f"{case.title}: outcomes {outcomes}"
    assert any(step["kind"] == "read" and "lookup_order" in step["tool"] for step in steps), f"{case.title}: no look-up"
    assert all("issue_refund" in step["tool"] for step in acts), f"{case.title}: {[step['tool'] for step in acts]}"
    told = [run["tokens_in"] for run in runs if run["tokens_in"]]
    assert sum(told) in (0, 100, 640, 448), f"{case.title}: {told} tokens in"

    def all_of(what: list, word) -> str:
        having = [bool(word(item)) for item in what]
        return "yes" if having and all(having) else "some" if any(having) else "no"

    return [
        case.title, str(len(thinks)), all_of(thinks, lambda a: a["model"] or a["model_requested"]),
        all_of(thinks, lambda a: a["tokens"] and a["tokens"]["in"] and a["tokens"]["out"]),
        all_of(thinks, lambda a: a["context"] and a["output"]),
        all_of(tools, lambda a: a["arguments"]),
        all_of([a for a in tools if a["outcome"] != "unknown"], lambda a: a["result"]),
        "linked" if len(acts) == 1 else "a step of its own",
        "yes" if any(run["session_id"] for run in runs) else "no",
        "yes" if any(run["user_id"] for run in runs) else "no",
    ]


def live(case: Case, runs: list) -> None:
    """The two senders that are looked at closely: what happened, attempt by attempt."""
    (run,) = runs
    def same(what: str, found, expected) -> None:
        assert found == expected, f"{case.title}: {what} {found}, expected {expected}"

    thinks = [attempt for step in run["steps"] if step["kind"] == "think" for attempt in step["attempts"]]
    same("tokens", [(a["tokens"]["in"], a["tokens"]["out"]) for a in thinks], [(100, 20), (140, 20), (180, 20), (220, 20)])
    same("cached", [a["tokens"]["cache_read"] or 0 for a in thinks], [0, 32, 64, 96])
    same("sum of tokens", (run["tokens_in"], run["tokens_out"]), (640, 80))
    same("proposals", [[p["tool"] for p in a["proposed"]] for a in thinks],
         [["lookup_order"], ["issue_refund"], ["issue_refund"], []])
    (refund,) = [step for step in run["steps"] if step["kind"] == "act"]
    same("attempts", [(a["attempt"], a["given"], a["outcome"], a["evidence"]) for a in refund["attempts"]],
         [(1, False, "unknown", "timeout"), (2, False, "confirmed", "status")])
    same("retries", (run["retry_count"], run["act_count"]), (1, 1))
    codes = {finding["code"] for finding in run["findings"]}
    assert {"retried-while-unknown", "no-key"} <= codes, f"{case.title}: findings {sorted(codes)}"
    same("session", run["session_id"], "conv-7")


LIVE = ("pydantic-ai and Logfire: pydantic-ai", "Vercel AI SDK: Version 5 and 6")


def check(case: Case, ui: str, http: str) -> list:
    before = {row["run_id"] for row in get(f"{ui}/api/v1/runs?limit=500")["runs"]}
    with serving() as (services, address):
        act(case, http, address)
        assert len(services.ledger) == 2, f"{case.title}: {len(services.ledger)} refunds in the ledger"
    runs = new_runs(ui, before)
    if case.title in LIVE:
        live(case, runs)
    return reading(case, runs)


def compiled(case: Case) -> None:
    """Every block is at least what its fence says."""
    for text in case.blocks("python"):
        compile(text, case.title, "exec")
    for text in case.blocks("ts"):
        run_command(["node", "--check", "--input-type=module", "-"], case.title, input=text)
    for text in case.blocks("sh"):
        run_command(["sh", "-n"], case.title, input=text)
    folder = NODE_FOLDERS.get(case.title, HERE)
    depends = json.loads((folder / "package.json").read_text())["dependencies"]
    for package in case.node_packages():
        name, _, version = package.rpartition("@")
        assert depends.get(name) == version, f"{case.title}: package.json has {name} {depends.get(name)}, not {version}"


def settings(recount: str, found: list) -> None:
    """Every `recount.toml` of the document is one that the program takes."""
    for case in found:
        for text in case.blocks("toml"):
            file = HERE / ".venv" / "sending" / "recount.toml"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            said = run_command([recount, "check", "--config", str(file), "--data-dir", str(file.parent / "check")], case.title)
            assert "all is well" in said, f"{case.title}: {said}"


def table(rows: list) -> str:
    lines = [COLUMNS, ["---"] * len(COLUMNS), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def told_rows() -> dict:
    text = re.search(r"<!-- readings -->\n(.*?)\n<!-- end of readings -->", DOCUMENT.read_text(), re.S).group(1)
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()[2:]]
    return {row[0]: row for row in cells}


def lane(todo: queue.Queue, server: str, rows: dict, faults: list) -> None:
    ui, _, http = server.partition("=")
    while True:
        try:
            case = todo.get_nowait()
        except queue.Empty:
            return
        began = time.monotonic()
        try:
            rows[case.title] = check(case, ui, http)
            print(f"ok: docs/sending.md, {case.title} ({time.monotonic() - began:.1f} s)", flush=True)
        except (AssertionError, OSError, SystemExit, subprocess.TimeoutExpired) as fault:
            faults.append(f"{case.title}: {fault}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("recount")
    parser.add_argument("servers", nargs="+")
    asked = parser.parse_args()
    found = cases()
    todo: queue.Queue = queue.Queue()
    for case in found:
        compiled(case)
        run = case.checked == "make test" or (case.checked and asked.all)
        if run and asked.only in case.title:
            todo.put(case)
    settings(asked.recount, found)
    rows, faults = {}, []
    lanes = [threading.Thread(target=lane, args=(todo, server, rows, faults)) for server in asked.servers]
    for one in lanes:
        one.start()
    for one in lanes:
        one.join()
    if faults:
        raise SystemExit("\n\n".join(faults))
    told = told_rows()
    if asked.write:
        ordered = [rows.get(case.title, told.get(case.title)) for case in found]
        fresh = f"<!-- readings -->\n{table([row for row in ordered if row])}\n<!-- end of readings -->"
        text = re.sub(r"<!-- readings -->.*?<!-- end of readings -->", lambda _: fresh, DOCUMENT.read_text(), flags=re.S)
        DOCUMENT.write_text(text)
        return
    wrong = [f"is {row}\nsays {told.get(title)}" for title, row in rows.items() if told.get(title) != row]
    if wrong:
        raise SystemExit("docs/sending.md, the table:\n" + "\n".join(wrong))


if __name__ == "__main__":
    main()
