"""Sends the same runs to each product in turn, on this machine, and prints one table. Usage: peers.py RECOUNT SPANS."""
import datetime
import http.client
import os
import platform
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from products import Mlflow, Phoenix, Product, Recount
from workload import Workload

CONNECTIONS = 4
READS = 40
SEARCHES = 5
PATIENCE = 600.0
SEARCH_PATIENCE = 60.0


def send(product: Product, bodies: list[bytes]) -> None:
    """All bodies, over a few connections, each waiting for its answer; whatever is refused for now is sent again."""
    left, lock, wrong = list(reversed(bodies)), threading.Lock(), []

    def sender() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", product.otlp(), timeout=300)
        while True:
            with lock:
                if not left or wrong:
                    return
                body = left.pop()
            while True:
                connection.request("POST", product.path, body, product.headers)
                answer = connection.getresponse()
                answer.read()
                if answer.status == 200:
                    break
                if answer.status not in (429, 503):
                    wrong.append(f"{product.name}: {answer.status}")
                    return
                time.sleep(0.2)

    senders = [threading.Thread(target=sender) for _ in range(CONNECTIONS)]
    [thread.start() for thread in senders]
    [thread.join() for thread in senders]
    if wrong:
        raise SystemExit(wrong[0])


def until(product: Product, spans: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while product.count() < spans:
        if time.monotonic() > deadline:
            raise SystemExit(f"{product.name} holds {product.count()} of {spans} spans after {PATIENCE:.0f} s")
        time.sleep(0.02)


def settled(product: Product) -> int:
    """How many spans it holds once that number does not rise any more."""
    found, since = product.count(), time.monotonic()
    while time.monotonic() - since < 10:
        time.sleep(0.2)
        now = product.count()
        if now > found:
            found, since = now, time.monotonic()
    return found


def timed(what) -> tuple[float, object]:
    begun = time.monotonic()
    found = what()
    return (time.monotonic() - begun) * 1000, found


def ingest(product: Product, spans: int) -> dict:
    workload = Workload(7)
    warm = Workload(1).requests(20)
    bodies = workload.requests(spans)
    product.start()
    try:
        send(product, warm)
        until(product, 20)
        time.sleep(2)
        disk, cpu, begun = product.disk(), product.cpu_s(), time.monotonic()
        send(product, bodies)
        acknowledged = time.monotonic() - begun
        until(product, spans + 20)
        queryable = time.monotonic() - begun
        result = {"acknowledged/s": spans / acknowledged, "queryable/s": spans / queryable}
        result["CPU s/1,000"] = (product.cpu_s() - cpu) / spans * 1000
        time.sleep(3)
        result["disk B/span"] = (product.disk() - disk) / spans
        step = max(1, len(workload.traces) // READS)
        reads = sorted(timed(lambda trace=trace: product.run_by_id(trace))[0] for trace in workload.traces[::step])
        result["run by id p50 ms"], result["run by id max ms"] = reads[len(reads) // 2], reads[-1]
        result["search p50 ms"] = searched(product, workload.needles)
        result["memory MB"] = product.memory_mb()
        return result
    finally:
        product.end(signal.SIGTERM)


def searched(product: Product, needles: list[str]) -> float | None:
    """The middle time of searches for words that stand in one payload each; `None` when they are not found."""
    took = []
    for needle in needles[:: max(1, len(needles) // SEARCHES)][:SEARCHES]:
        try:
            ms, found = timed(lambda needle=needle: product.search(needle))
        except OSError:
            return None
        if not found:
            return None
        took.append(ms)
        if sum(took) > SEARCH_PATIENCE * 1000:
            break
    return sorted(took)[len(took) // 2]


def killed(product: Product, spans: int) -> str:
    """Killed with SIGKILL right after the last acknowledgement: how much is there after a restart."""
    bodies = Workload(9).requests(spans)
    product.start()
    send(product, Workload(1).requests(20))
    until(product, 20)
    send(product, bodies)
    product.end(signal.SIGKILL)
    product.start()
    try:
        return f"{spans - max(0, settled(product) - 20)} of {spans}"
    finally:
        product.end(signal.SIGTERM)


def main() -> None:
    Recount.program, spans = os.path.abspath(sys.argv[1]), int(sys.argv[2]) // 20 * 20
    version = subprocess.run([Recount.program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    Recount.name = version.replace("recount", "Recount")
    table = []
    for kind in (Phoenix, Mlflow, Recount):
        load = os.getloadavg()[0]
        with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
            row = ingest(kind(Path(first)), spans)
            row["lost by SIGKILL"] = killed(kind(Path(second)), spans)
        row["load before"] = load
        table.append((kind.name, row))
        print(kind.name, row, file=sys.stderr, flush=True)
    columns = list(table[0][1])
    print(f"{datetime.date.today()}, {os.cpu_count()} CPUs, Python {platform.python_version()}, {spans} spans\n")
    print("| product | " + " | ".join(columns) + " |\n|" + "---|" * (len(columns) + 1))
    for name, row in table:
        print(f"| {name} | " + " | ".join(shown(row[column]) for column in columns) + " |")


def shown(value) -> str:
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if value >= 20 else f"{value:.3g}"


if __name__ == "__main__":
    main()
