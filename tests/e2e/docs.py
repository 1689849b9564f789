"""Runs or checks every fenced block of docs/*.md, by its language. docs/sending.md has a test of its own.

Usage: docs.py RECOUNT UI OTLP_HTTP. What a block may be: toml (settings that `recount check` takes, a page's blocks as one
file), json (parses, whole or line by line), python (run, or quoted from an example that is), ts (run), sh (each command
of ours exists with its flags; each curl without a placeholder is run), bash (its syntax), sql (run by another test).
"""
import calendar
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

from common import HERE, ROOT, blocks, checker, get, listed, run, until

RECOUNT, UI, OTLP_HTTP = sys.argv[1:4]
EXAMPLE = (ROOT / "examples/safe_loop.py").read_text()
# What leads to a snippet and is not run for it: its packages are those of tools.sh, and it is run itself.
STEPS = {"export", "cargo", "pip", "npm", "kill", "uv", "python3", "python", "node", "."}
# A page whose Python is quoted from the example, and the test that runs the statements of another.
QUOTES = {"loop": EXAMPLE}
SQL_OF = {"operating": (ROOT / "tests/it/store/backup.rs")}


check = checker("docs")


def here(text: str) -> str:
    return text.replace("http://127.0.0.1:4319", UI).replace("http://127.0.0.1:4318", OTLP_HTTP)


def settings(page: str, text: str) -> None:
    with tempfile.TemporaryDirectory() as work:
        path = pathlib.Path(work) / "recount.toml"
        path.write_text(text)
        (path.parent / "client_secret").write_text("secret\n")
        told = subprocess.run([RECOUNT, "check", "--config", path, "--data-dir", f"{work}/data"], capture_output=True,
                              text=True, check=False, cwd=work)
        check("all is well" in told.stdout, f"{page}.md, toml: {told.stdout[-300:]}{told.stderr}")


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def commands(page: str, text: str) -> None:
    for line in text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if not words:
            continue
        name = pathlib.PurePath(words[0]).name or words[0]
        if name == "recount":
            path = [word for word in words[1:4] if re.fullmatch(r"[a-z]+", word)]
            while path and subprocess.run([RECOUNT, *path, "--help"], capture_output=True, check=False).returncode != 0:
                path.pop()
            check(path, f"{page}.md: {line}: no such command")
            told = run([RECOUNT, *path, "--help"], line)
            for flag in [word.split("=")[0] for word in words if word.startswith("--")]:
                check(re.search(rf"(^|\s|,){flag}\b", told), f"{page}.md: {line}: no {flag}")
        elif name == "curl":
            if not re.search(r"[$<{…]|PORT", line):
                run(shlex.split(here(line), comments=True) + ["--silent", "--show-error"], f"{page}.md: {line}")
        elif name == "make":
            targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M)
            check(set(words[1:]) <= set(targets), f"{page}.md: {line}: no such target")
        elif name == "python3" and words[1:3] != ["-m", "venv"]:
            check((ROOT / words[1]).is_file(), f"{page}.md: {line}: no such file")
        else:
            check(name in STEPS or page == "sending", f"{page}.md: {line}: who runs this?")


def newest(agent: str, since_ns: int) -> dict | None:
    """The newest run of this agent that began since then, once it has its act."""
    def began(run: dict) -> int:
        return calendar.timegm(time.strptime(run["started_at"][:19], "%Y-%m-%dT%H:%M:%S")) * 10**9

    runs = [run for run in get(f"{UI}/api/v1/runs?limit=500")["runs"] if run["agent"] == agent and run["act_count"]]
    return next((run for run in runs if began(run) >= since_ns - 2 * 10**9), None)


def agent_runs(page: str, command: list, **more) -> None:
    """A whole agent of the page: its act must be unknown."""
    before = time.time_ns()
    environment = {**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": OTLP_HTTP, "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}
    run(command, f"{page}.md, {command[0]}", env=environment, **more)
    found = until(lambda: newest("my_agent", before), f"{page}.md: the run of {command[0]} is listed", 30)
    check(found["unknown_count"] == 1, f"{page}.md: {found}")


def example() -> None:
    environment = {**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": OTLP_HTTP}
    said = run([sys.executable, ROOT / "examples/safe_loop.py"], "examples/safe_loop.py", env=environment).splitlines()
    check(json.loads(said[1]) == {"status": "done", "result": "re_4812_40"}, said)
    listed(UI, said[0])
    shown = get(f"{UI}/api/v1/runs/{said[0]}")
    check(not shown["findings"], f"a safe loop has findings: {shown['findings']}")
    steps = shown["steps"]
    refund = next(step for step in steps if step["tool"] == "issue_refund")
    attempts = [(attempt["gate"], attempt["outcome"]) for attempt in refund["attempts"]]
    check(refund["outcome"] == "confirmed" and refund["evidence"] == "reconcile", f"the refund is {refund['outcome']}, {refund['evidence']}")
    check(attempts[0] == ("new", "unknown") and ("duplicate", None) in attempts, f"attempts: {attempts}")


def api(text: str) -> None:
    routes = (ROOT / "src/web/routes.rs").read_text()
    named = re.findall(r"`(?:GET |POST )?(/[a-z][^`? ]*)(?:\?[^`]*)?`", text)
    check(len(named) > 20, "api.md names addresses")
    for path in named:
        whole = path if path in ("/healthz", "/readyz", "/metrics", "/runs") else f"/api/v1{path}"
        if whole == "/api/v1/api/v1":
            continue
        case = f"/api/v1/cases/{{case_id}}{path}"
        check(f'"{whole}"' in routes or f'"{case}"' in routes, f"api.md: {path} is no address")
    for path in re.findall(r'Route\("/api/v1(/[^"]+)"', routes):
        told = path in named or path.startswith("/cases/{case_id}/") and path.removeprefix("/cases/{case_id}") in named
        check(told, f"api.md does not name {path}")


def every_setting(text: str) -> None:
    file = (ROOT / "src/config/file.rs").read_text()
    fields = re.findall(r"pub\(super\) (\w+):", re.search(r"pub struct File \{(.*?)^\}", file, re.M | re.S).group(1))
    for field in sorted(set(fields) - {"written"}):
        check(re.search(rf"`\[*{field}\b", text), f"configuration.md does not name {field}")


def story(text: str) -> None:
    scenarios = set(re.findall(r'=> "([a-z-]+)"', (ROOT / "src/demo/scenario.rs").read_text()))
    told = set(re.findall(r"`([a-z]+(?:-[a-z]+)+|resumed)`", text)) - {"reconcile", "read-back"}
    check({"timeout-naive", "timeout-designed", "resumed", "silent-no-op"} <= told <= scenarios, f"runs of the demo: {told - scenarios}")


def main() -> None:
    count = 0
    for path in sorted((ROOT / "docs").glob("*.md")):
        page, text = path.stem, path.read_text()
        if page == "sending":
            continue
        found = blocks(text)
        if tables := "\n".join(body for language, body in found if language == "toml"):
            settings(page, tables)
        for language, body in found:
            count += 1
            if language == "json":
                check(is_json(body) or all(is_json(line) for line in body.splitlines()), f"{page}.md, json: {body}")
            elif language == "python" and page in QUOTES:
                check(body in QUOTES[page], f"{page}.md quotes what is not in its example: {body.splitlines()[0]}")
            elif language == "python":
                agent_runs(page, [sys.executable, "-c", body])
            elif language == "ts":
                script = HERE / ".docs.mjs"
                script.write_text(body)
                try:
                    agent_runs(page, ["node", script], cwd=HERE)
                finally:
                    script.unlink()
            elif language == "sh":
                commands(page, body)
            elif language == "bash":
                run(["bash", "-n", "-c", body], f"{page}.md, bash")
            elif language == "sql":
                # Its test reads the block from the page.
                check(f"docs/{page}.md" in SQL_OF[page].read_text(), f"{page}.md: no test runs its statements")
            else:
                check(language in ("toml", "text"), f"{page}.md: a block of {language!r} is neither run nor checked")
    example()
    api((ROOT / "docs/api.md").read_text())
    every_setting((ROOT / "docs/configuration.md").read_text())
    story((ROOT / "docs/concepts.md").read_text())
    print(f"ok: {count} blocks of docs/")


if __name__ == "__main__":
    main()
