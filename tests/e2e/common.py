"""What the tests of this folder share: to say what is wrong, run a command, ask a server, wait, start and stop one, and
read the blocks of a document."""
import json
import pathlib
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def checker(test: str):
    """A function that ends this test with a sentence, unless the condition holds."""
    def check(condition, what) -> None:
        if not condition:
            raise SystemExit(f"{test}: {what}")
    return check


def run(command: list, what: str, **more) -> str:
    """What a command says on stdout; ends the test when it fails."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        raise SystemExit(f"{what}: exit code {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def until(look, what: str, seconds: float = 60):
    """What `look` finds, asked again until it finds something."""
    deadline = time.monotonic() + seconds
    while not (found := look()):
        if time.monotonic() > deadline:
            raise SystemExit(f"{what}: not within {seconds:.0f} s")
        time.sleep(0.1)
    return found


def ask(url: str, key: str | None = None, body: bytes | None = None, headers: dict | None = None) -> tuple:
    """The status and the text of an answer."""
    headers = dict(headers or {})
    if key:
        headers["Authorization"] = f"Bearer {key}"
    if body is not None:
        headers.setdefault("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def get(url: str, key: str | None = None):
    """A good answer, as JSON."""
    status, said = ask(url, key)
    if status != 200:
        raise SystemExit(f"{url}: {status} {said[:500]}")
    return json.loads(said)


def listed(ui: str, run_id: str, seconds: float = 30) -> dict:
    """The run's row in the list: there soon after the acknowledged send. How soon is for the bench to say."""
    def row():
        rows = [row for row in get(f"{ui}/api/v1/runs?limit=500")["runs"] if row["run_id"] == run_id]
        return rows[0] if rows else None
    return until(row, f"run {run_id} is not in the list", seconds)


def blocks(text: str) -> list:
    """Language and text of each fenced block of a document, those in lists included."""
    found = re.findall(r"^( *)```(\w*)\n(.*?)^\1```$", text, re.M | re.S)
    return [(language, re.sub(rf"^{indent}", "", body, flags=re.M)) for indent, language, body in found]


def free_ports(count: int) -> list:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [taken.getsockname()[1] for taken in sockets]
    for taken in sockets:
        taken.close()
    return ports


class Server:
    """A server of its own, on the same ports after every start."""

    def __init__(self, recount, data_dir, *flags):
        self.ports = dict(zip(("listen", "otlp-grpc", "otlp-http"), free_ports(3)))
        self.command = [str(recount), "serve", "--data-dir", str(data_dir), *map(str, flags)]
        for name, port in self.ports.items():
            self.command += [f"--{name}", f"127.0.0.1:{port}"]
        self.process = None

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if not any(line.startswith("ready ") for line in self.process.stdout):
            raise SystemExit("recount did not become ready")

    def stop(self, how=signal.SIGTERM) -> int:
        if self.process is None:
            return 0
        self.process.send_signal(how)
        code, self.process = self.process.wait(), None
        return code

    def url(self, name: str = "listen") -> str:
        return f"http://127.0.0.1:{self.ports[name]}"

    def get(self, path: str):
        return get(self.url() + path)

    def metric(self, name: str) -> float:
        lines = [line.split(" ") for line in ask(self.url() + "/metrics")[1].splitlines()]
        return sum(float(line[-1]) for line in lines if line[0].split("{")[0] == name)

    def settled(self, seconds: float = 120) -> None:
        """Waits until everything that was taken is stored and on every list."""
        waiting = ("recount_records_waiting", "recount_projection_waiting")
        until(lambda: sum(map(self.metric, waiting)) == 0, "not everything is stored", seconds)
