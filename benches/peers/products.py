"""How each product is started, asked how many spans it holds, and read from."""
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from importlib.metadata import version
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def fetch(url: str, body: bytes | None = None, headers: dict | None = None, timeout: float = 60.0) -> bytes:
    request = urllib.request.Request(url, data=body, headers=headers or {})
    with urllib.request.urlopen(request, timeout=timeout) as response:
        return response.read()


class Product:
    """A product that runs from an empty folder, in a session of its own."""

    name = ""
    path = "/v1/traces"
    headers = {"content-type": "application/x-protobuf"}

    def __init__(self, folder: Path):
        self.folder = folder
        self.port = free_port()
        self.process: subprocess.Popen | None = None

    def command(self) -> list[str]:
        raise NotImplementedError

    def environment(self) -> dict:
        return {}

    def is_up(self) -> bool:
        fetch(f"http://127.0.0.1:{self.port}{self.health}", timeout=2)
        return True

    health = "/healthz"

    def start(self) -> None:
        log = open(self.folder / "log.txt", "ab")
        self.process = subprocess.Popen(self.command(), env={**os.environ, **self.environment()}, cwd=self.folder,
                                        stdout=log, stderr=log, start_new_session=True)
        deadline = time.monotonic() + 180
        while True:
            try:
                if self.is_up():
                    return
            except OSError:
                pass
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise SystemExit(f"{self.name} does not start: {(self.folder / 'log.txt').read_text()[-2000:]}")
            time.sleep(0.1)

    def end(self, how: int) -> None:
        os.killpg(self.process.pid, how)
        self.process.wait()

    def members(self) -> list[Path]:
        """Every process of its session."""
        found = []
        for path in Path("/proc").iterdir():
            if path.name.isdigit():
                try:
                    fields = (path / "stat").read_text().rsplit(")", 1)[1].split()
                except OSError:
                    continue
                if int(fields[3]) == self.process.pid:
                    found.append(path)
        return found

    def cpu_s(self) -> float:
        total = 0
        for path in self.members():
            fields = (path / "stat").read_text().rsplit(")", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
        return total / TICKS

    def memory_mb(self) -> float:
        """The most that its processes have had."""
        total = 0
        for path in self.members():
            lines = (path / "status").read_text().splitlines()
            total += sum(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
        return total / 1024

    def disk(self) -> int:
        return sum(file.stat().st_size for file in self.folder.rglob("*") if file.is_file() and file.name != "log.txt")

    def otlp(self) -> int:
        return self.port

    def count(self) -> int:
        raise NotImplementedError

    def run_by_id(self, trace: str) -> bytes:
        raise NotImplementedError

    def search(self, word: str) -> int | None:
        """How many it finds; `None` when it can't be asked."""
        return None


class Phoenix(Product):
    name = "Phoenix " + version("arize-phoenix")
    health = "/healthz"

    def command(self) -> list[str]:
        return [str(Path(sys.executable).parent / "phoenix"), "serve"]

    def environment(self) -> dict:
        return {"PHOENIX_WORKING_DIR": str(self.folder), "PHOENIX_PORT": str(self.port), "PHOENIX_HOST": "127.0.0.1",
                "PHOENIX_GRPC_PORT": str(free_port()), "PHOENIX_TELEMETRY_ENABLED": "false"}

    def count(self) -> int:
        return rows(self.folder / "phoenix.db", "spans")

    def run_by_id(self, trace: str) -> bytes:
        return fetch(f"http://127.0.0.1:{self.port}/v1/projects/default/spans/otlpv1?trace_id={trace}")

    def search(self, word: str) -> int | None:
        query = """query($c: String!) { projects { edges { node { name
            spans(filterCondition: $c, first: 50) { edges { node { id } } } } } } }"""
        condition = f"'{word}' in attributes['gen_ai']['tool']['call']['result']"
        body = json.dumps({"query": query, "variables": {"c": condition}}).encode()
        answer = json.loads(fetch(f"http://127.0.0.1:{self.port}/graphql", body, {"content-type": "application/json"}))
        if answer.get("errors"):
            return None
        return sum(len(edge["node"]["spans"]["edges"]) for edge in answer["data"]["projects"]["edges"])


class Mlflow(Product):
    name = "MLflow " + version("mlflow")
    health = "/health"
    headers = {**Product.headers, "x-mlflow-experiment-id": "0"}

    def command(self) -> list[str]:
        return [str(Path(sys.executable).parent / "mlflow"), "server", "--host", "127.0.0.1", "--port", str(self.port),
                "--backend-store-uri", f"sqlite:///{self.folder}/mlflow.db", "--workers", "1"]

    def environment(self) -> dict:
        return {"MLFLOW_DISABLE_TELEMETRY": "true"}

    def count(self) -> int:
        return rows(self.folder / "mlflow.db", "spans")

    def run_by_id(self, trace: str) -> bytes:
        return fetch(f"http://127.0.0.1:{self.port}/ajax-api/3.0/mlflow/traces/get?trace_id=tr-{trace}")

    def search(self, word: str) -> int | None:
        body = json.dumps({"locations": [{"type": "MLFLOW_EXPERIMENT", "mlflow_experiment": {"experiment_id": "0"}}],
                           "filter": f"trace.text LIKE '%{word}%'", "max_results": 50}).encode()
        url = f"http://127.0.0.1:{self.port}/api/3.0/mlflow/traces/search"
        return len(json.loads(fetch(url, body, {"content-type": "application/json"})).get("traces", []))


class Recount(Product):
    program = ""
    name = "Recount"
    health = "/readyz"

    def __init__(self, folder: Path):
        super().__init__(folder)
        self.http, self.grpc, self.before = free_port(), free_port(), 0

    def command(self) -> list[str]:
        return [self.program, "serve", "--data-dir", str(self.folder), "--listen", f"127.0.0.1:{self.port}",
                "--otlp-http", f"127.0.0.1:{self.http}", "--otlp-grpc", f"127.0.0.1:{self.grpc}"]

    def otlp(self) -> int:
        return self.http

    def count(self) -> int:
        """Stored, and in the lists: since the start, and what earlier processes had stored."""
        lines = fetch(f"http://127.0.0.1:{self.port}/metrics").decode().splitlines()
        return self.before + next(int(float(line.split()[1])) for line in lines
                                  if line.startswith("recount_records_stored_total "))

    def end(self, how: int) -> None:
        if how == signal.SIGKILL:
            self.before = self.count()
        super().end(how)

    def run_by_id(self, trace: str) -> bytes:
        return fetch(f"http://127.0.0.1:{self.port}/api/v1/runs/{trace}")

    def search(self, word: str) -> int | None:
        found = json.loads(fetch(f"http://127.0.0.1:{self.port}/api/v1/search?" + urllib.parse.urlencode({"q": word})))
        return len(found["hits"])


def rows(file: Path, table: str) -> int:
    try:
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=30) as database:
            return database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    except sqlite3.OperationalError:
        return 0
