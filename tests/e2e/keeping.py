"""What the documents say to do with a data directory, done as they say it: back-up and restore by stop and copy
(docs/operating.md), evidence (docs/evidence.md), holds and erasures (docs/retention.md), keys of pseudonyms
(docs/redaction.md), people and keys (docs/access.md).

Usage: keeping.py RECOUNT
"""
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

from common import ROOT, Server, ask, blocks, checker, run, until

RECOUNT = str(pathlib.Path(sys.argv[1]).resolve())
ACCOUNT = "account:2291"
check = checker("keeping")


class House:
    """A server whose data directory is the default one of a folder."""

    def __init__(self, work: pathlib.Path):
        self.work, self.data = work, work / "recount-data"
        self.server = Server(RECOUNT, self.data)

    def recount(self, *words, code: int = 0) -> str:
        """A command as it is typed in that folder."""
        ports = {f"RECOUNT_{name}": "127.0.0.1:0" for name in ("LISTEN", "OTLP_HTTP", "OTLP_GRPC")}
        done = subprocess.run([RECOUNT, *words], capture_output=True, text=True, check=False, cwd=self.work,
                              env={**os.environ, **ports})
        check(done.returncode == code, f"recount {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def line(self, line: str) -> None:
        """A line of a document: `systemctl` acts on our server, and its directory stands for /var/lib/recount."""
        if line == "systemctl stop recount":
            check(self.server.stop() == 0, "the server stops well")
        elif line == "systemctl start recount":
            self.server.start()
        else:
            run(["bash", "-c", line.replace("/var/lib/recount", str(self.data))], line, cwd=self.work)

    def send(self, run_id: str, trace: int) -> bytes:
        """A run about the account; the bytes that were sent."""
        now = time.time_ns()
        texts = {
            "recount.run.id": run_id, "recount.step.kind": "act", "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "issue_refund", "gen_ai.tool.call.arguments": '{"order_id": "4812"}',
            "recount.account.id": "2291", "recount.action.key": f"key-{run_id}",
        }
        span = {
            "traceId": f"{trace:032x}", "spanId": f"{trace:016x}", "name": "execute_tool issue_refund",
            "startTimeUnixNano": str(now - 10**9), "endTimeUnixNano": str(now),
            "attributes": [{"key": key, "value": {"stringValue": text}} for key, text in texts.items()],
        }
        body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode()
        self.take(body)
        return body

    def take(self, body: bytes) -> None:
        status, said = ask(self.server.url("otlp-http") + "/v1/traces", body=body)
        check(status == 200, f"{status} {said}")
        self.server.settled()

    def runs(self) -> dict:
        """Each run as its page shows it."""
        ids = [row["run_id"] for row in self.server.get("/api/v1/runs")["runs"]]
        return {run_id: self.server.get(f"/api/v1/runs/{run_id}")["steps"] for run_id in sorted(ids)}


def lines_of(page: str, language: str) -> list:
    """The blocks of a page, each as its lines."""
    found = [text for name, text in blocks((ROOT / f"docs/{page}.md").read_text()) if name == language]
    return [[line for line in text.splitlines() if line and not line.startswith("#")] for text in found]


def backup(house: House) -> None:
    back_up, restore = lines_of("operating", "bash")
    body = house.send("before", 1)
    before = house.runs()
    for line in back_up:
        house.line(line)
    check(house.runs() == before, "a back-up changes nothing")
    house.send("after", 2)
    for line in restore:
        house.line(line)
    check(list(before) == ["before"] and house.runs() == before, f"restored: {house.runs()}")
    house.take(body)
    check(house.runs() == before, "what is sent again is not doubled: the keys were restored too")
    check(house.server.metric("recount_records_unaccounted") == 0, "records are unaccounted for")
    print("ok: back-up and restore of the embedded store, as docs/operating.md says")


def words(line: str, house: House) -> list:
    return shlex.split(line.replace("http://127.0.0.1:4319", house.server.url()), comments=True)[1:]


def evidence(house: House) -> None:
    ((offline, online, verify), *_) = [lines for lines in lines_of("evidence", "sh")]
    def signed() -> bool:
        house.recount(*words(online, house))
        return "no place in the signed log" not in house.recount(*words(verify, house))
    until(signed, "the record gets its place in the signed log", 60)
    house.server.stop()
    house.recount(*words(offline, house))
    said = house.recount(*words(verify, house))
    check("Integrity: ok, 1 record matches the signed log" in said, said)
    house.server.start()
    print("ok: the commands of docs/evidence.md")


def retention(house: House) -> None:
    holds, erasing = [lines for lines in lines_of("retention", "sh")]
    placed = [house.recount(*words(line, house)) for line in holds]
    check("lawsuit 17" in placed[-1], placed)
    dry, for_good, verify, listed, again = erasing
    # What is held stays; the command says so.
    house.recount(*words(for_good, house), code=1)
    for line in placed[-1].splitlines():
        if "account:2291" in line:
            house.recount("hold", "lift", line.split()[0], "--reason", "over")
    check("would go: 1 record in 1 run" in house.recount(*words(dry, house)), "the dry run")
    house.recount(*words(for_good, house))
    check("Receipt: ok, 1 record " in house.recount(*words(verify, house)), "the receipt")
    erasure, state, *_ = house.recount(*words(listed, house)).split("\t")
    check(state == "done", f"{erasure} is {state}")
    house.recount(*words(again.replace("$ID", erasure), house))
    check("Receipt: ok, 1 record " in house.recount(*words(verify, house)), "the receipt once more")
    print("ok: the commands of docs/retention.md")


def doors(house: House) -> None:
    """The last: it ends development mode."""
    ((rotated, *_), *_) = [[line for line in lines if "redact key" in line] for lines in lines_of("redaction", "sh")]
    before = house.recount(*words(rotated, house))
    house.recount("redact", "key", "rotate")
    check(house.recount(*words(rotated, house)) != before, "a new version of the key is listed")
    (user, key, _), *_ = lines_of("access", "sh")
    check(house.recount(*words(user, house)).strip(), "a password is shown")
    made = house.recount(*words(key, house)).strip()
    check(ask(house.server.url() + "/api/v1/runs")[0] == 401, "development mode is over")
    check(ask(house.server.url() + "/api/v1/runs", made)[0] == 403, "a sender's key sees nothing")
    check(ask(house.server.url("otlp-http") + "/v1/traces", made, b"{}")[0] == 200, "a sender's key sends")
    print("ok: the commands of docs/redaction.md and docs/access.md about keys and people")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        house = House(pathlib.Path(name))
        house.server.start()
        try:
            backup(house)
            evidence(house)
            retention(house)
            doors(house)
        finally:
            house.server.stop()


if __name__ == "__main__":
    main()
