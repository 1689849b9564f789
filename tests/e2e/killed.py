"""Kills a server with SIGKILL while official SDKs send to it, starts it again, and compares what the SDKs were told with
what is stored: everything acknowledged, once. Usage: killed.py PATH_OF_RECOUNT WORK_DIRECTORY."""
import json
import pathlib
import signal
import subprocess
import sys
import time

from common import Server, checker, until

HERE = pathlib.Path(__file__).parent
SPANS = 300
PATIENCE = 120.0
check = checker("killed")


def spans(server: Server, run: str) -> list:
    """The spans of a run, each as often as it is stored: a record more is a version more."""
    return [attempt for step in server.get(f"/api/v1/runs/{run}")["steps"] for attempt in step["attempts"]]


def main() -> None:
    recount, work = sys.argv[1], sys.argv[2]
    server = Server(recount, pathlib.Path(work) / "killed")
    server.start()
    python = [sys.executable, str(HERE / "killed_sender.py")]
    senders = {
        "python-grpc": [*python, "grpc", server.url("otlp-grpc"), "python-grpc", str(SPANS)],
        "python-http": [*python, "http", server.url("otlp-http"), "python-http", str(SPANS)],
        "javascript-http": ["node", str(HERE / "killed_sender.mjs"), server.url("otlp-http"), "javascript-http", str(SPANS)],
    }
    sending = {name: subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
               for name, command in senders.items()}
    until(lambda: server.metric("recount_ingest_records_total") >= 3 * SPANS / 4, "the senders send", PATIENCE)
    server.stop(signal.SIGKILL)
    time.sleep(0.3)
    server.start()
    told = {name: json.loads(sender.communicate(timeout=PATIENCE)[0]) for name, sender in sending.items()}
    server.settled()
    check(server.metric("recount_records_unaccounted") == 0, "records are unaccounted for")
    for name, said in told.items():
        found = spans(server, name)
        ids = [attempt["span_id"] for attempt in found]
        lost = set(said["acknowledged"]) - set(ids)
        check(not lost, f"{name}: {len(lost)} of {len(said['acknowledged'])} acknowledged spans are lost")
        once = len(ids) == len(set(ids)) and not any(attempt["versions"] for attempt in found)
        check(once, f"{name}: spans are stored twice")
        check(said["exports_failed"] or len(ids) == SPANS, f"{name}: {len(ids)} of {SPANS} spans, and no export failed")
        print(f"ok: {name}: server killed; {len(said['acknowledged'])} of {SPANS} acknowledged by "
              f"{said['exports']} exports, {len(ids)} stored, once each")
    server.stop()


if __name__ == "__main__":
    main()
