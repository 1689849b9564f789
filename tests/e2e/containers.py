"""The image as it runs: without a right, as nobody's user, on a root that can't be written.

Usage: containers.py locked RECOUNT    in a sandbox of this machine (bubblewrap), by the Dockerfile's own settings
       containers.py images RECOUNT    the image built and started (podman), and compose.yaml brought up

Images that can't be pulled have stand-ins: Debian's by debootstrap; in the stage of the engine the library of the
per-user cache, and in that of the compiler the program that is given. What stood in is said.
"""
import contextlib
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile

import yaml

from common import ROOT, checker, free_ports, get, run, until

DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
USER = "10001"
LOCKED = ["--read-only", "--tmpfs", "/tmp:size=256m,mode=1777", "--cap-drop", "ALL",
          "--security-opt", "no-new-privileges"]
PODMAN_COMPOSE = "podman-compose==1.6.0"
check = checker("containers")


def health() -> list:
    """What the image asks itself."""
    return json.loads(re.search(r"^HEALTHCHECK .*\\\n\s+CMD (\[.*\])$", DOCKERFILE, re.M).group(1))


def engine() -> str:
    return run([DEPLOY / "engine.sh"], "engine.sh").strip()


# What is tried inside, by bash: the first word of a line says what failed.
INSIDE = """
set -e
fail() { echo "$*" >&2; exit 1; }
[ "$(id -u)" = USER ] || fail "it runs as $(id -u)"
grep -q '^CapEff:\\s*0*$' /proc/self/status || fail "it has rights: $(grep CapEff /proc/self/status)"
for place in /x /usr/x /etc/x; do ! touch $place 2>/dev/null || fail "$place can be written"; done
key="$(recount key create agents --role sender --project default)"
recount serve >/tmp/said & server=$!
for try in $(seq 300); do HEALTH && break; kill -0 $server || fail "it has ended"; sleep 0.1; done
HEALTH || fail "it is not healthy"
exec 3<>/dev/tcp/127.0.0.1/4318
printf 'POST /v1/traces HTTP/1.0\\r\\nHost: localhost\\r\\nAuthorization: Bearer %s\\r\\n' "$key" >&3
printf 'Content-Type: application/json\\r\\nContent-Length: 2\\r\\n\\r\\n{}' >&3
read -r _ status _ <&3
[ "$status" = 200 ] || fail "a sender hears $status"
exec 3>&-
kill -TERM $server
wait $server || fail "it stops with $?"
"""


def locked(recount: str) -> None:
    bubblewrap = shutil.which("bwrap")
    probe = [bubblewrap, "--unshare-all", "--ro-bind", "/", "/", "true"] if bubblewrap else ["false"]
    if subprocess.run(probe, capture_output=True, check=False).returncode != 0:
        print("ok: the image's settings (not started: this machine has no bubblewrap, or does not allow it)")
        return
    settings = dict(re.findall(r"(RECOUNT_[A-Z_]+)=(\S+)", DOCKERFILE.split("\nFROM ")[-1]))
    check(len(settings) == 5, f"the image sets {settings}")
    settings["RECOUNT_ENGINE"] = "/opt/libchdb.so"
    asked = shlex.join(health())
    script = INSIDE.replace("USER", USER).replace("HEALTH", asked + " 2>/dev/null")
    with tempfile.TemporaryDirectory() as data:
        sandbox = [
            bubblewrap, "--unshare-all", "--die-with-parent", "--uid", USER, "--gid", USER, "--cap-drop", "ALL",
            "--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc", "--ro-bind", "/sys", "/sys", "--proc", "/proc", "--dev", "/dev",
            "--tmpfs", "/tmp", "--bind", data, "/data", "--chdir", "/data",
            "--ro-bind", recount, "/opt/recount", "--ro-bind", engine(), "/opt/libchdb.so",
        ]
        for link in ("bin", "sbin", "lib", "lib64"):
            sandbox += ["--symlink", f"usr/{link}", f"/{link}"] if os.path.islink(f"/{link}") else []
        sandbox += ["--remount-ro", "/", "--clearenv", "--setenv", "PATH", "/opt:/usr/bin:/bin"]
        for name, value in settings.items():
            sandbox += ["--setenv", name, value]
        run([*sandbox, "bash", "-c", script], "the program as the image runs it")
    print("ok: the program as the image runs it: its settings, its user, no rights, a root that can't be written")


class Podman:
    """Podman with a storage and settings of its own, fit for this machine."""

    def __init__(self, work: pathlib.Path):
        self.work = work
        runtime = shutil.which("runc") or shutil.which("crun") or "crun"
        manager = "systemd" if os.path.isdir("/run/systemd/system") else "cgroupfs"
        # Podman asks for more than an ordinary limit allows; without the right to raise it, it asks for less here.
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        limits = [] if files == resource.RLIM_INFINITY else [f"nofile={files}:{files}", "nproc=4096:4096"]
        (work / "containers.conf").write_text(
            f'[engine]\nruntime = "{pathlib.PurePath(runtime).name}"\ncgroup_manager = "{manager}"\n'
            f'events_logger = "file"\n[containers]\ndefault_ulimits = {json.dumps(limits)}\n')
        for driver in ("overlay", "vfs"):
            (work / "storage.conf").write_text(
                f'[storage]\ndriver = "{driver}"\ngraphroot = "{work}/storage"\nrunroot = "{work}/run"\n')
            self.environment = {**os.environ, "CONTAINERS_CONF": str(work / "containers.conf"),
                                "CONTAINERS_STORAGE_CONF": str(work / "storage.conf"), "BUILDAH_FORMAT": "docker"}
            if self.tried("info")[0] == 0:
                return
        check(False, f"podman does not start here: {self.tried('info')[1]}")

    def tried(self, *words, seconds: int = 900, **more) -> tuple:
        done = subprocess.run(["podman", *map(str, words)], capture_output=True, text=True, check=False,
                              env=self.environment, timeout=seconds, **more)
        return done.returncode, done.stdout.strip() + ("" if done.returncode == 0 else done.stderr)

    def __call__(self, *words, **more) -> str:
        code, said = self.tried(*words, **more)
        check(code == 0, f"podman {' '.join(map(str, words))}: {said[-2000:]}")
        return said

    def built(self, tag: str, text: str, *, context: pathlib.Path) -> None:
        """An image of a Dockerfile that is written here."""
        path = self.work / "stand-in"
        path.write_text(text)
        self("build", "--quiet", "--pull=never", "--tag", tag, "--file", path, context)


def bases(podman: Podman, recount: str) -> list:
    """The images that the Dockerfile begins with; what stood in for those that can't be pulled."""
    stands = []
    names = re.findall(r"^FROM (\S+)", DOCKERFILE, re.M)
    for name in sorted(names, key=lambda name: not name.startswith("debian")):
        with contextlib.suppress(subprocess.TimeoutExpired):
            if podman.tried("pull", "--quiet", f"docker.io/library/{name}", seconds=60)[0] == 0:
                continue
        tag, context = f"docker.io/library/{name}", podman.work / "context"
        shutil.rmtree(context, ignore_errors=True)
        context.mkdir()
        if name.startswith("debian"):
            root = podman.work / "debian"
            run(["debootstrap", "--variant=minbase", name.split(":")[1].removesuffix("-slim"), root], "debootstrap")
            run(["bash", "-c", f"tar -C {root} -c . | podman import --quiet - {tag}"], tag, env=podman.environment)
            shutil.rmtree(root)
            stands.append(f"{name} by debootstrap")
        elif name.startswith("node"):
            library = pathlib.Path(engine())
            shutil.copy(library, context / "libchdb.so")
            place = f"/fetched/.cache/recount/engine/{library.parent.name}/libchdb.so"
            podman.built(tag, f"FROM debian:bookworm-slim\nCOPY libchdb.so {place}\n", context=context)
            stands.append(f"{name} by Debian with the engine of the cache")
        else:
            shutil.copy(recount, context / "recount")
            script = "#!/bin/sh\\nmkdir -p target/release && cp /given target/release/recount\\n"
            podman.built(tag, f"FROM debian:bookworm-slim\nCOPY recount /given\n"
                              f"RUN printf '{script}' >/usr/bin/cargo && chmod 755 /usr/bin/cargo\n", context=context)
            stands.append(f"{name} by Debian with the program that was given")
    return stands


SEND = """
import sys
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(endpoint=sys.argv[1] + "/v1/traces")))
with provider.get_tracer("containers").start_as_current_span("invoke_agent in a container") as span:
    print(format(span.get_span_context().trace_id, "032x"))
assert provider.force_flush()
"""


def send(otlp: str, key: str) -> str:
    environment = {**os.environ, "OTEL_EXPORTER_OTLP_HEADERS": f"Authorization=Bearer%20{key}"}
    return run([sys.executable, "-c", SEND, otlp], "sending to the container", env=environment).strip()


def image(podman: Podman) -> None:
    """Starts the image, read-only and without rights, sends to it, stops it well, and finds its volume again."""
    volume, tag = ["--volume", "recount-data:/data"], "localhost/recount"
    told = json.loads(podman("image", "inspect", tag))[0]
    check(told["User"] == f"{USER}:{USER}" and told["Healthcheck"]["Test"], "the image's user and health check")
    key = podman("run", "--rm", *LOCKED, *volume, tag, "key", "create", "agents", "--role", "sender", "--project", "default")
    reader = podman("run", "--rm", *LOCKED, *volume, tag, "key", "create", "reader", "--role", "viewer")
    ui, otlp = free_ports(2)
    ports = ["--publish", f"127.0.0.1:{ui}:4319", "--publish", f"127.0.0.1:{otlp}:4318"]
    traces = []
    for _ in range(2):
        podman("run", "--detach", "--name", "recount", *LOCKED, *volume, *ports, tag)
        try:
            until(lambda: podman.tried("healthcheck", "run", "recount")[0] == 0, "the container is healthy")
            traces.append(send(f"http://127.0.0.1:{otlp}", key))
            for trace in traces:
                until(lambda: any(run["run_id"] == trace for run in
                                  get(f"http://127.0.0.1:{ui}/api/v1/runs", reader)["runs"]), f"{trace} is listed")
            check(podman.tried("exec", "recount", "touch", "/x")[0] != 0, "its root can be written")
            check(podman("exec", "recount", "id", "-u") == USER, "its user")
            podman("stop", "--time", "60", "recount")
            check(json.loads(podman("inspect", "recount"))[0]["State"]["ExitCode"] == 0, "it stops well")
        finally:
            podman.tried("rm", "--force", "--time", "5", "recount")
    print(f"ok: the image ({told['Size'] >> 20} MiB), started read-only as user {USER} without rights, healthy, kept its volume")


def compose(podman: Podman) -> None:
    """The lines of deploy/README.md for one machine, with the committed file but for the ports and limits of this machine."""
    document = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    service, (ui, grpc, otlp) = document["services"]["recount"], free_ports(3)
    service["build"]["context"] = str(ROOT)
    service["ports"] = [f"127.0.0.1:{ui}:4319", f"127.0.0.1:{grpc}:4317", f"127.0.0.1:{otlp}:4318"]
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if files != resource.RLIM_INFINITY and files < service["ulimits"]["nofile"]:
        service["ulimits"] = {"nofile": files, "nproc": 4096}
    path = podman.work / "compose.yaml"
    path.write_text(yaml.safe_dump(document))
    text = (DEPLOY / "README.md").read_text()
    lines = re.findall(r"^docker compose -f deploy/compose.yaml (.*)$", text, re.M)
    check([line.split()[0] for line in lines] == ["build", "run", "run", "up", "exec"], f"deploy/README.md: {lines}")
    uv = pathlib.Path(sys.executable).parent / "uv"
    command = f"{uv} tool run --quiet {PODMAN_COMPOSE} --file {path}"
    try:
        said = []
        for line in lines:
            if line.startswith("exec"):
                name = podman("ps", "--quiet")
                until(lambda: podman.tried("healthcheck", "run", name)[0] == 0, "the service is healthy")
            said.append(run(["bash", "-c", f"{command} {line}"], line, env=podman.environment))
        key, reader = [re.search(r"rcn_\w+", said[place]).group(0) for place in (2, 4)]
        trace = send(f"http://127.0.0.1:{otlp}", key)
        until(lambda: any(run["run_id"] == trace for run in
                          get(f"http://127.0.0.1:{ui}/api/v1/runs", reader)["runs"]), f"{trace} is listed")
    finally:
        subprocess.run(["bash", "-c", f"{command} down --timeout 30"], capture_output=True, check=False, env=podman.environment)
    print("ok: compose.yaml, brought up by the lines of deploy/README.md")


def images(recount: str) -> None:
    for program in ("podman", "debootstrap"):
        check(shutil.which(program), f"needs {program} (Debian: apt install podman runc debootstrap iptables)")
    work = pathlib.Path(tempfile.mkdtemp(prefix="recount-containers-", dir="/var/tmp"))
    podman = Podman(work)
    try:
        stands = bases(podman, recount)
        podman("build", "--quiet", "--format", "docker", "--pull=never", "--file", DEPLOY / "Dockerfile", "--tag", "recount", ROOT)
        print(f"ok: deploy/Dockerfile, every stage built{'; stood in: ' if stands else ''}{', '.join(stands)}")
        image(podman)
        compose(podman)
    finally:
        podman.tried("rm", "--all", "--force", "--time", "5")
        podman.tried("rmi", "--all", "--force")
        podman.tried("unshare", "rm", "-rf", work) if os.geteuid() != 0 else shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    {"locked": locked, "images": images}[sys.argv[1]](str(pathlib.Path(sys.argv[2]).resolve()))
