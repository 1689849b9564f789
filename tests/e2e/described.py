"""The description of the API against a server that runs: what is there answers as described, and so does nonsense.

Usage: described.py UI   (a server in development mode that has seen a run with an act under a key)
"""

import os
import subprocess
import sys

import schemathesis
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

UI = sys.argv[1]
ADDRESS = f"{UI}/api/v1/openapi.json"
schema = schemathesis.openapi.from_url(ADDRESS)


def ask(path, query=None, **places):
    """A good answer, checked against the description."""
    case = schema[path]["GET"].Case(path_parameters=places, query=query or {})
    response = case.call_and_validate(checks=[content_type_conformance, response_schema_conformance, status_code_conformance])
    assert response.status_code == 200, (path, places, response.status_code, response.text)
    return response.json()


API = "/api/v1"
runs = ask(f"{API}/runs", {"limit": 5})["runs"]
run = ask(f"{API}/runs/{{run_id}}", run_id=runs[0]["run_id"])
step = run["steps"][0]
attempt = step["attempts"][0]
ask(f"{API}/runs/{{run_id}}/steps/{{step_id}}", run_id=run["run_id"], step_id=step["step_id"])
ask(f"{API}/compare", {"run": [one["run_id"] for one in runs[:2]]})
ask(f"{API}/compare", {"run": [run["run_id"]], "a": attempt["span_id"], "b": run["steps"][-1]["attempts"][-1]["span_id"]})
span = {"trace_id": attempt["trace_id"], "span_id": attempt["span_id"]}
ask(f"{API}/spans/{{trace_id}}/{{span_id}}", **span)
ask(f"{API}/spans/{{trace_id}}/{{span_id}}", {"format": "otlp"}, **span)
for key in [action["key"] for action in ask(f"{API}/actions", {"limit": 50})["actions"] if action["key_given"]][:5]:
    ask(f"{API}/keys/{{key}}", key=key)
for case in ask(f"{API}/cases", {"state": "all", "limit": 5})["cases"]:
    ask(f"{API}/cases/{{case_id}}", case_id=case["case_id"])
entities = [entity for one in runs for entity in one["entities"]]
for kind, _, name in [entity.partition(":") for entity in entities[:3]]:
    ask(f"{API}/entities/{{type}}", **{"type": kind})
    ask(f"{API}/entities/{{type}}/{{id}}", **{"type": kind, "id": name})
for path in ("findings", "findings/codes", "readiness", "activity", "lifecycle", "access", "rejects", "evidence/trust"):
    ask(f"{API}/{path}")

# Nonsense of every kind: no server error, and no answer that is not described. A change of who may come in would
# end development mode, and with it the rest; a stream has no end.
checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
subprocess.run(
    [
        os.path.join(os.path.dirname(sys.executable), "schemathesis"), "run", ADDRESS, "--checks", checks,
        "--exclude-path", f"{API}/access/changes", "--exclude-path-regex", f"{API}/stream/", "--phases", "examples,coverage,fuzzing", "--max-examples", "10",
        "--max-time", "45", "--seed", "7", "--generation-database", "none", "--suppress-health-check", "all", "--warnings", "off",
        "--no-color",
    ],
    check=True,
    stdout=None if os.environ.get("SHOW") else subprocess.DEVNULL,
)
print("ok: the API answers as its description says, asked sense and nonsense")
