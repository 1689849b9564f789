"""Packs a release of the given binary and looks at it as whoever downloads it would.

Usage: dist.py RECOUNT
"""
import json
import os
import pathlib
import re
import sys
import tarfile
import tempfile
import tomllib

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from common import ROOT, checker, run

RECOUNT = sys.argv[1]
check = checker("dist")


def main() -> None:
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["package"]["version"]
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        # What is packed is small here: the way of it is the same.
        run([ROOT / "deploy/dist.py", RECOUNT, work], "dist.py", env={**os.environ, "DIST_LEVEL": "1"})
        (archive,) = work.glob("*.tar.gz")
        run(["sha256sum", "--check", f"{archive.name}.sha256"], "the archive", cwd=work)
        with tarfile.open(archive) as packed:
            packed.extractall(work, filter="data")
        top = work / archive.name.removesuffix(".tar.gz")
        run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], "what is in it", cwd=top)
        said = run([top / "recount", "--version"], "--version").strip()
        check(re.fullmatch(rf"recount {re.escape(version)}( \([0-9a-f]{{12}}\))?", said), f"--version says {said}")
        for needed in ["LICENSE", "README.md", "CHANGELOG.md", "deploy/engine.sh", "deploy/systemd/recount.service", "docs/README.md"]:
            check((top / needed).is_file(), f"{needed} is missing")
        check(os.access(top / "deploy/engine.sh", os.X_OK), "the engine script can be run")
        bill = (top / "sbom.cdx.json").read_text()
        wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(bill)
        check(wrong is None, f"the SBOM is none: {wrong}")
        components = json.loads(bill)["components"]
        check(len(components) > 100 and all("hashes" in part and "licenses" in part for part in components), "what is inside")
        licences = (top / "THIRD-PARTY.md").read_text()
        for part in components:
            check(f"- {part['name']} {part['version']}: " in licences, f"{part['name']} has no licence in THIRD-PARTY.md")
    print(f"ok: the archive of a release, {len(components)} packages inside")


if __name__ == "__main__":
    main()
