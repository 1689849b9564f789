"""Checks every file of deploy/: with the parser or schema of whoever reads it, against the program, and by running it.

Usage: deploy.py RECOUNT UI OTLP_HTTP. Started for real: the proxy with TLS and base path in front of a Recount, the
image's health check, the first step of the Kubernetes manifest. The rest is parsed and compared; deploy/README.md says
the same of each.
"""
import contextlib
import fnmatch
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.parse
import xml.etree.ElementTree as ElementTree
from importlib.resources import files

import jsonschema
import kubernetes_validate
import yaml

from common import HERE, ROOT, ask, checker, free_ports, until

DEPLOY = ROOT / "deploy"
RECOUNT, UI, OTLP_HTTP = sys.argv[1:4]
NGINX = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin") or "nginx"
NOT_SETTINGS = {"RECOUNT_COMMIT", "RECOUNT_KEY"}


def ok(what: str) -> None:
    print(f"ok: deploy, {what}")


check = checker("deploy")


def command(arguments: list, **more) -> subprocess.CompletedProcess:
    return subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True, check=False, **more)


def documents(path: pathlib.Path) -> list:
    return list(yaml.safe_load_all(path.read_text()))


def settings_in_the_environment() -> None:
    told = set(re.findall(r"env: (RECOUNT_[A-Z_]+)", command([RECOUNT, "serve", "--help"]).stdout))
    check(len(told) > 8, "serve --help names its variables")
    for path in DEPLOY.rglob("*"):
        if path.is_file() and path.suffix in {".yaml", ".service", ".toml", ""} and "collector" not in str(path):
            for name in set(re.findall(r"\bRECOUNT_[A-Z_]+", path.read_text())) - NOT_SETTINGS:
                check(name in told, f"{path.name} sets {name}, which is no setting")
    ok("every variable is a setting")


def dockerfile() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    kept = [line[1:] for line in (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines() if line.startswith("!")]
    stages = re.findall(r"^FROM (\S+)(?: AS (\S+))?$", text, re.M)
    check(len(stages) == 3 and "slim" in stages[-1][0], "the image is built in stages, the last one small")
    names = {name for _, name in stages}
    for line in re.findall(r"^COPY (.+)$", text, re.M):
        words = line.split()
        origin = [word for word in words if word.startswith("--from=")]
        if origin:
            check(origin[0].removeprefix("--from=") in names, f"COPY {line}: no such stage")
            continue
        for source in words[:-1]:
            check((ROOT / source).exists(), f"COPY {line}: {source} is not there")
            inside = any(fnmatch.fnmatch(source, pattern) or source.startswith(pattern + "/") for pattern in kept)
            check(inside, f"COPY {line}: {source} stays outside by Dockerfile.dockerignore")
    check("build.rs" in kept and re.search(r"^COPY .*\bbuild\.rs\b", text, re.M), "the build script stays outside the image")
    # What the sources include, but for files that are modules of tests only.
    sources = {path.relative_to(ROOT / "src").with_suffix("").as_posix(): path.read_text()
               for path in (ROOT / "src").rglob("*.rs")}
    tested = {f"{pathlib.PurePath(path).parent.as_posix()}/{name}" for path, source in sources.items()
              for name in re.findall(r"#\[cfg\(test\)\]\nmod (\w+);", source)}
    for path, source in sources.items():
        if not any(path == module or path.startswith(module + "/") for module in tested):
            for needed in re.findall(r'include_(?:str|bytes)!\("(?:\.\./)+([a-z]+)/', source.split("#[cfg(test)]\nmod tests")[0]):
                check(needed in [*kept, "src"], f"src/{path}.rs includes {needed}/, which stays outside the image")
    check(re.search(r"^USER 10001:10001$", text, re.M), "the image does not run as root")
    health = json.loads(re.search(r"^HEALTHCHECK .*\\\n\s+CMD (\[.*\])$", text, re.M).group(1))
    for address, expected in [(UI, True), ("http://127.0.0.1:1", False)]:
        asked = [part.replace("4319", address.rsplit(":", 1)[1]) for part in health]
        check((command(asked).returncode == 0) == expected, f"the health check says {expected} of {address}")
    ok("Dockerfile: its sources, its user, its health check (run)")


def compose() -> None:
    schema = json.loads(files("check_jsonschema").joinpath("builtin_schemas/vendor/compose-spec.json").read_text())
    validator = jsonschema.validators.validator_for(schema)(schema)
    for path in [DEPLOY / "compose.yaml", DEPLOY / "compose.clickhouse.yaml", DEPLOY / "cluster/compose.yaml"]:
        (document,) = documents(path)
        for error in validator.iter_errors(document):
            check(False, f"{path.name}: {error.json_path}: {error.message}")
        for name, service in document["services"].items():
            for needed in service.get("depends_on", []):
                check(needed in document["services"], f"{path.name}: {name} waits for {needed}, which is not there")
            for volume in service.get("volumes", []):
                source = volume.split(":")[0]
                if source.startswith("."):
                    check((path.parent / source).is_file(), f"{path.name}: {source} is not there")
                elif not source.startswith("$"):
                    check(source in document["volumes"], f"{path.name}: the volume {source} is not named")
            if name.startswith("recount"):
                locked = service["read_only"] and service["cap_drop"] == ["ALL"] and service["user"] == "10001:10001"
                check(locked, f"{path.name}: {name} is not locked down")
                build = (path.parent / service["build"]["context"]).resolve()
                check((build / service["build"]["dockerfile"]).is_file(), f"{path.name}: no Dockerfile")
    ok("compose files: by the Compose specification, and what they name is there")


def cluster() -> None:
    (document,) = documents(DEPLOY / "cluster/compose.yaml")
    nodes = {name: service["environment"] for name, service in document["services"].items() if name.startswith("click")}
    tree = ElementTree.parse(DEPLOY / "cluster/clickhouse/cluster.xml").getroot()
    keeper = ElementTree.parse(DEPLOY / "cluster/clickhouse/keeper.xml").getroot()
    ElementTree.parse(DEPLOY / "clickhouse/backups.xml")
    for element in [*tree.iter(), *keeper.iter()]:
        name = element.get("from_env")
        check(name is None or all(name in node or name == "KEEPER_ID" for node in nodes.values()), f"nobody sets {name}")
    settings = tomllib.loads((DEPLOY / "cluster/recount.toml").read_text())
    shards = tree.findall(f"remote_servers/{settings['cluster']}/shard")
    placed = {}
    for number, shard in enumerate(shards, 1):
        check(shard.findtext("internal_replication") == "true", "rows would come twice")
        for replica, host in enumerate(shard.findall("replica/host"), 1):
            placed[host.text] = (str(number), str(replica))
    check(placed == {name: (node["SHARD"], node["REPLICA"]) for name, node in nodes.items()}, f"{placed} are not the nodes")
    check(len(shards) == 2 and len(placed) == 4, "2 shards x 2 replicas")
    asked = {(node.findtext("host"), node.findtext("port")) for node in tree.findall("zookeeper/node")}
    port = keeper.findtext("keeper_server/tcp_port")
    servers = {(server.findtext("hostname"), server.findtext("id"))
               for server in keeper.findall("keeper_server/raft_configuration/server")}
    check(servers == {(name, node["KEEPER_ID"]) for name, node in nodes.items() if "KEEPER_ID" in node}, "Keeper's servers")
    check(asked == {(name, port) for name, _ in servers} and len(servers) % 2 == 1, "who asks Keeper")
    # The settings are taken, only the server is not there.
    with tempfile.TemporaryDirectory() as work:
        told = command([RECOUNT, "check", "--config", DEPLOY / "cluster/recount.toml", "--data-dir", work,
                        "--clickhouse-url", "http://recount:secret@127.0.0.1:1/recount"])
    check("/recount" in told.stdout and "the store cannot be reached" in told.stderr, told.stderr)
    ok("cluster: shards, replicas, macros, Keeper and settings fit each other")


def kubernetes() -> None:
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml")):
        claims = set()
        for document in documents(path):
            kubernetes_validate.validate(document, "1.37", strict=True)
            if document["kind"] == "ConfigMap":
                settings = document["data"]["recount.toml"]
            if document["kind"] not in ("StatefulSet", "Deployment"):
                continue
            spec = document["spec"]["template"]["spec"]
            claims = {claim["metadata"]["name"] for claim in document["spec"].get("volumeClaimTemplates", [])}
            volumes = claims | {volume["name"] for volume in spec["volumes"]}
            check(spec["securityContext"]["runAsNonRoot"], f"{path.name} runs as root")
            for container in spec["containers"] + spec.get("initContainers", []):
                check({mount["name"] for mount in container["volumeMounts"]} <= volumes, f"{path.name}: a volume")
                check(container["securityContext"]["readOnlyRootFilesystem"], f"{path.name}: {container['name']}")
        parsed = tomllib.loads(settings)
        check((parsed.get("ack") == "store") == ("stateless" in path.name) == (not claims), f"{path.name}: ack and volume")
        with tempfile.TemporaryDirectory() as work:
            (pathlib.Path(work) / "recount.toml").write_text(settings)
            told = command([RECOUNT, "check", "--config", f"{work}/recount.toml", "--data-dir", f"{work}/data"])
            check("all is well" in told.stdout, f"{path.name}: {told.stderr}")
    first = next(document for document in documents(DEPLOY / "kubernetes/embedded.yaml") if document["kind"] == "StatefulSet")
    (script,) = first["spec"]["template"]["spec"]["initContainers"][0]["args"]
    with tempfile.TemporaryDirectory() as work:
        password = pathlib.Path(work) / "password"
        password.write_text("a long enough password\n")
        (pathlib.Path(work) / "recount").symlink_to(RECOUNT)
        environment = {**os.environ, "PATH": f"{work}:{os.environ['PATH']}", "RECOUNT_DATA_DIR": f"{work}/data"}
        for said in ["added ada", ""]:
            done = command(["bash", "-ec", script.replace("/etc/first/password", str(password))], env=environment)
            check(done.returncode == 0 and said in done.stdout and bool(said) == bool(done.stdout), f"first: {done}")
    ok("Kubernetes manifests: by the schemas of 1.37, strictly; the first step (run, twice)")


def systemd() -> None:
    text = (DEPLOY / "systemd/recount.service").read_text()
    for line in re.findall(r"^ExecStart(?:Pre)?=(.*)$", text, re.M):
        command_name = line.split()[1]
        flags = command([RECOUNT, command_name, "--help"]).stdout
        for flag in re.findall(r"--[a-z-]+", line):
            check(flag in flags, f"recount.service: {command_name} has no {flag}")
    verify = shutil.which("systemd-analyze")
    if verify is None:
        ok("systemd unit: its commands and flags (no systemd-analyze on this machine)")
        return
    with tempfile.TemporaryDirectory() as work:
        unit = pathlib.Path(work) / "recount.service"
        unit.write_text(text.replace("/usr/bin/recount", RECOUNT))
        done = command([verify, "verify", "--man=no", unit])
        check(done.returncode == 0 and not done.stderr, f"recount.service: {done.stderr}")
        done = command([verify, "security", "--offline=true", "--threshold=20", unit])
        check(done.returncode == 0, f"recount.service is exposed: {done.stdout[-200:]}")
    ok("systemd unit: verified, exposure below 2 of 10")


def collector() -> None:
    (document,) = documents(DEPLOY / "otel-collector/config.yaml")
    pipelines = document["service"]["pipelines"]
    check(set(pipelines) == {"traces", "logs"}, "the collector forwards traces and logs")
    for pipeline in pipelines.values():
        for kind in ("receivers", "processors", "exporters"):
            check(set(pipeline[kind]) <= set(document[kind]), f"the collector has no {pipeline[kind]}")
            check(not any("sampl" in name or "filter" in name for name in pipeline[kind]), "acts are never sampled")
    (exporter,) = document["exporters"].values()
    check(exporter["sending_queue"]["storage"] in document["extensions"] == document["service"]["extensions"]
          or exporter["sending_queue"]["storage"] in document["service"]["extensions"], "the queue is on disk")
    check(exporter["retry_on_failure"]["max_elapsed_time"] == "0s", "the collector never gives up")
    ok("collector configuration: pipelines, components, a queue on disk that never gives up")


def metrics_told() -> set:
    """The names of every metric, each made to have a sample: one request of each kind, one refused, one that tells a loss."""
    lost = {"resourceMetrics": [{"scopeMetrics": [{"metrics": [{
        "name": "otel.sdk.processor.span.processed",
        "sum": {"aggregationTemporality": 2, "isMonotonic": True, "dataPoints": [{
            "asInt": "3", "attributes": [{"key": "error.type", "value": {"stringValue": "queue_full"}}]}]}}]}]}]}
    for path, body in [("metrics", json.dumps(lost).encode()), ("traces", b"\xff\xff"), ("traces", b"{}")]:
        kind = "application/json" if body.startswith(b"{") else "application/x-protobuf"
        ask(f"{OTLP_HTTP}/v1/{path}", body=body, headers={"Content-Type": kind})
    return set(re.findall(r"^([a-z_]+)(?:\{| )", ask(f"{UI}/metrics")[1], re.M))


def metrics() -> None:
    (alerts,) = documents(DEPLOY / "prometheus/alerts.yml")
    (scrape,) = documents(DEPLOY / "prometheus/prometheus.yml")
    check(scrape["rule_files"] == ["alerts.yml"], "Prometheus reads the alerts")
    rules = [rule for group in alerts["groups"] for rule in group["rules"]]
    for rule in rules:
        check(set(rule) <= {"alert", "expr", "for", "labels", "annotations"}, f"{rule['alert']} has another field")
        check((ROOT / rule["annotations"]["runbook"]).is_file(), f"{rule['alert']} names no page that is there")
    runbook = (ROOT / "docs/operating.md").read_text() + (ROOT / "docs/reconcile.md").read_text()
    for rule in rules:
        check(rule["alert"] in runbook, f"no page says what {rule['alert']} means")
    dashboard = json.loads((DEPLOY / "grafana/recount.json").read_text())
    panels = dashboard["panels"]
    places = [(p["gridPos"]["x"], p["gridPos"]["y"]) for p in panels]
    check(len(set(places)) == len(places) and len({p["id"] for p in panels}) == len(panels), "panels lie on each other")
    targets = [target["expr"] for panel in panels for target in panel.get("targets", [])]
    expressions = [rule["expr"] for rule in rules] + [text.replace("$__rate_interval", "5m") for text in targets]
    parsed = subprocess.run(["node", str(HERE / "promql.mjs")], input=json.dumps(expressions), capture_output=True,
                            text=True, check=False, cwd=HERE)
    check(parsed.returncode == 0, parsed.stderr)
    used = {name for names in json.loads(parsed.stdout) for name in names} - {"up"}
    told = metrics_told()
    check(used <= told, f"{sorted(used - told)} are not in /metrics")
    shown = {re.sub("_(bucket|sum|count)$", "_seconds_bucket", name) if name.startswith("recount_ingest_seconds") else name
             for name in told}
    unused = {name for name in shown if name.startswith("recount_")} - used - {"recount_ingest_seconds_seconds_bucket"}
    check(not unused, f"the dashboard leaves out {sorted(unused)}")
    promtool = shutil.which("promtool")
    if promtool:
        told = command([promtool, "check", "rules", DEPLOY / "prometheus/alerts.yml"])
        check(told.returncode == 0, f"promtool, alerts.yml: {told.stdout}{told.stderr}")
        with tempfile.TemporaryDirectory() as work:
            here = pathlib.Path(work)
            (here / "recount.key").write_text("rcn_key")
            text = (DEPLOY / "prometheus/prometheus.yml").read_text()
            (here / "prometheus.yml").write_text(text.replace("/etc/prometheus/recount.key", f"{work}/recount.key"))
            shutil.copy(DEPLOY / "prometheus/alerts.yml", here)
            told = command([promtool, "check", "config", here / "prometheus.yml"])
            check(told.returncode == 0, f"promtool, prometheus.yml: {told.stdout}{told.stderr}")
    ok("promtool: scrape and alerts" if promtool else "Prometheus files: no promtool on this machine")
    ok(f"{len(rules)} alerts and {len(targets)} expressions of the dashboard: PromQL over metrics that are there")


@contextlib.contextmanager
def running(arguments: list, is_ready):
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen([str(argument) for argument in arguments], stdout=said, stderr=said)
        try:
            deadline = time.monotonic() + 60
            while True:
                said.seek(0)
                text = said.read()
                if found := is_ready(text):
                    break
                check(process.poll() is None and time.monotonic() < deadline, f"{arguments[0]} does not start: {text}")
                time.sleep(0.05)
            yield found
        finally:
            process.terminate()
            process.wait(30)


def answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def configured(text: str, work: pathlib.Path, upstream: dict, listen: dict) -> None:
    """The committed configuration with the addresses of this test."""
    for inside, outside in upstream.items():
        text = re.sub(rf"recount-[12]:{inside}", outside, text)
    for port, free in listen.items():
        text, times = re.subn(rf"listen {port} ", f"listen 127.0.0.1:{free} ", text)
        check(times == 1, f"nginx.conf does not listen on {port}")
    folders = "".join(f"{kind}_temp_path {work}/{kind};" for kind in
                      ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
    text = text.replace("http {", f"http {{ access_log off; {folders}", 1)
    (work / "nginx.conf").write_text(f"pid {work}/nginx.pid; error_log stderr; daemon off; {text}")


def proxy() -> None:
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        work.chmod(0o755)
        (work / "tls").mkdir()
        made = command(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-days", "2", "-subj", "/CN=recount.example.com", "-addext",
                        "subjectAltName=DNS:recount.example.com,DNS:localhost",
                        "-keyout", work / "tls/tls.key", "-out", work / "tls/tls.crt"])
        check(made.returncode == 0, made.stderr)
        settings = (DEPLOY / "cluster/recount.toml").read_text().replace('cluster = "recount"\n', "")
        (work / "recount.toml").write_text(settings)
        (work / "password").write_text("a long enough password\n")
        data = ["--data-dir", work / "data"]
        added = command([RECOUNT, "user", "add", "ada", "--role", "viewer@*", "--password-file", work / "password", *data])
        check(added.returncode == 0, added.stderr)
        key = command([RECOUNT, "key", "create", "agents", "--role", "sender", "--project", "default", *data]).stdout.strip()
        serve = [RECOUNT, "serve", "--config", work / "recount.toml", *data,
                 "--listen", "127.0.0.1:0", "--otlp-http", "127.0.0.1:0", "--otlp-grpc", "127.0.0.1:0"]
        with running(serve, lambda text: re.search(r"ui=http://(\S+) otlp_http=http://(\S+) otlp_grpc=http://(\S+)", text)) as at:
            pages, otlp_http, otlp_grpc = free_ports(3)
            upstream = dict(zip(["4319", "4318", "4317"], at.groups()))
            configured((DEPLOY / "cluster/nginx.conf").read_text(), work, upstream,
                       {443: pages, 4318: otlp_http, 4317: otlp_grpc})
            with running([NGINX, "-p", work, "-c", work / "nginx.conf"], lambda _: answers(pages)):
                through(work, key, pages, otlp_http, otlp_grpc)
    ok("proxy: TLS, base path, sign-in, OTLP over HTTP and gRPC (run)")


def through(work: pathlib.Path, key: str, pages: int, otlp_http: int, otlp_grpc: int) -> None:
    context = ssl.create_default_context(cafile=work / "tls/tls.crt")

    def https(method: str, path: str, body=None, headers=None):
        connection = http.client.HTTPSConnection("localhost", pages, context=context, timeout=10)
        connection.request(method, path, body, {"host": "recount.example.com", **(headers or {})})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()

    status, headers, _ = https("GET", "/")
    check((status, headers["location"]) == (302, "https://recount.example.com/recount/") or
          headers["location"].endswith("/recount/"), f"the start leads to {headers['location']}")
    status, headers, page = https("GET", "/recount/login")
    check(status == 200 and 'href="/recount/static/' in page and 'href="/static/' not in page, f"login: {status}")
    form = urllib.parse.urlencode({"name": "ada", "password": "a long enough password"})
    status, headers, page = https("POST", "/recount/login", form, {
        "content-type": "application/x-www-form-urlencoded", "origin": "https://recount.example.com"})
    cookie = headers["set-cookie"] or ""
    check(status == 303 and "Secure" in cookie and headers["location"].startswith("/recount/"),
          f"sign-in through the proxy: {status} {cookie} {page[:300]}")
    environment = {
        **os.environ, "OTEL_EXPORTER_OTLP_HEADERS": f"Authorization=Bearer%20{key}",
        "OTEL_EXPORTER_OTLP_CERTIFICATE": str(work / "tls/tls.crt"), "REQUESTS_CA_BUNDLE": str(work / "tls/tls.crt"),
    }
    traces = []
    for protocol, port in [("http", otlp_http), ("grpc", otlp_grpc)]:
        code = SEND.replace("PROTOCOL", protocol).replace("PORT", str(port))
        sent = command([sys.executable, "-c", code], env=environment)
        check(sent.returncode == 0 and not sent.stderr, f"sending over {protocol}: {sent.stderr[-800:]}")
        traces.append(sent.stdout.strip())

    def shown() -> bool:
        status, _, body = https("GET", "/recount/api/v1/runs", None, {"cookie": cookie.split(";")[0]})
        check(status == 200, f"the list of runs: {status} {body[:200]}")
        return set(traces) <= {run["run_id"] for run in json.loads(body)["runs"]}

    until(shown, f"{traces} are listed", 30)


SEND = """
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.exporter.otlp.proto.PROTOCOL.trace_exporter import OTLPSpanExporter
path = "/v1/traces" if "PROTOCOL" == "http" else ""
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(endpoint="https://localhost:PORT" + path)))
with provider.get_tracer("deploy").start_as_current_span("invoke_agent behind a proxy") as span:
    print(format(span.get_span_context().trace_id, "032x"))
assert provider.force_flush()
"""


def main() -> None:
    settings_in_the_environment()
    dockerfile()
    compose()
    cluster()
    kubernetes()
    systemd()
    collector()
    metrics()
    proxy()


if __name__ == "__main__":
    main()
