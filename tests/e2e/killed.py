"""Kills a server with SIGKILL while official SDKs send to it, starts it again, and compares what the SDKs were told with
what is stored: everything acknowledged, once. Usage: killed.py PATH_OF_RECOUNT WORK_DIRECTORY."""
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

HERE = Path(__file__).parent
SPANS = 300
PATIENCE = 120.0


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Server:
    def __init__(self, recount: str, work: str):
        self.ports = {name: free_port() for name in ("listen", "otlp-grpc", "otlp-http")}
        self.command = [recount, "serve", "--data-dir", str(Path(work) / "killed")]
        for name, port in self.ports.items():
            self.command += [f"--{name}", f"127.0.0.1:{port}"]

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in self.process.stdout:
            if line.startswith("ready "):
                return
        raise SystemExit("recount did not become ready")

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.ports[name]}"

    def get(self, path: str) -> str:
        with urllib.request.urlopen(self.url("listen") + path, timeout=60) as response:
            return response.read().decode()

    def metric(self, name: str) -> float:
        lines = [line.split(" ") for line in self.get("/metrics").splitlines()]
        return sum(float(line[-1]) for line in lines if line[0].split("{")[0] == name)

    def settled(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while self.metric("recount_records_waiting") + self.metric("recount_projection_waiting") > 0:
            if time.monotonic() > deadline:
                raise SystemExit("not everything is stored in time")
            time.sleep(0.1)

    def spans(self, run: str) -> list:
        """The spans of a run, each as often as it is stored: a record more is a version more."""
        try:
            shown = json.loads(self.get(f"/api/v1/runs/{run}"))
        except urllib.error.HTTPError as error:
            raise SystemExit(f"run {run}: {error}") from error
        return [attempt for step in shown["steps"] for attempt in step["attempts"]]


def main() -> None:
    recount, work = sys.argv[1], sys.argv[2]
    server = Server(recount, work)
    server.start()
    python = [sys.executable, str(HERE / "killed_sender.py")]
    senders = {
        "python-grpc": [*python, "grpc", server.url("otlp-grpc"), "python-grpc", str(SPANS)],
        "python-http": [*python, "http", server.url("otlp-http"), "python-http", str(SPANS)],
        "javascript-http": ["node", str(HERE / "killed_sender.mjs"), server.url("otlp-http"), "javascript-http", str(SPANS)],
    }
    sending = {name: subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=dict(os.environ))
               for name, command in senders.items()}
    deadline = time.monotonic() + PATIENCE
    while server.metric("recount_ingest_records_total") < 3 * SPANS / 4 and time.monotonic() < deadline:
        time.sleep(0.02)
    server.kill()
    time.sleep(0.3)
    server.start()
    told = {name: json.loads(sender.communicate(timeout=PATIENCE)[0]) for name, sender in sending.items()}
    server.settled()
    if server.metric("recount_records_unaccounted") != 0:
        raise SystemExit("records are unaccounted for")
    for name, said in told.items():
        found = server.spans(name)
        ids = [attempt["span_id"] for attempt in found]
        lost = set(said["acknowledged"]) - set(ids)
        if lost:
            raise SystemExit(f"{name}: {len(lost)} of {len(said['acknowledged'])} acknowledged spans are lost")
        if len(ids) != len(set(ids)) or any(attempt["versions"] for attempt in found):
            raise SystemExit(f"{name}: spans are stored twice")
        if said["exports_failed"] == 0 and len(ids) != SPANS:
            raise SystemExit(f"{name}: {len(ids)} of {SPANS} spans, and no export failed")
        print(f"ok: {name}: server killed; {len(said['acknowledged'])} of {SPANS} acknowledged by "
              f"{said['exports']} exports, {len(ids)} stored, once each")
    server.process.terminate()
    server.process.wait()


if __name__ == "__main__":
    main()
