#!/usr/bin/env python3
"""Packs a release: binary, engine script, documents, the licences of everything in it, an SBOM, checksums.

Usage: dist.py BINARY FOLDER. Needs cargo (to ask what is in the binary) and nothing else. The same inputs give the same
archive, byte for byte: times are SOURCE_DATE_EPOCH, or 0.
"""
import gzip
import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import time
import tomllib
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
FILES = ["LICENSE", "README.md", "CHANGELOG.md", "deploy", "docs", "examples"]
ENGINE = "The embedded engine (libchdb 26.7.3, Apache-2.0) is not in this archive; deploy/engine.sh fetches it."


def output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def packages(target: str) -> tuple[dict, list]:
    """The package of the binary, and everything that is built into it, by name."""
    told = json.loads(output("cargo", "metadata", "--format-version=1", "--locked", f"--filter-platform={target}"))
    by_id = {package["id"]: package for package in told["packages"]}
    needs = {node["id"]: [dep["pkg"] for dep in node["deps"] if any(kind["kind"] in (None, "build") for kind in dep["dep_kinds"])]
             for node in told["resolve"]["nodes"]}
    root = told["resolve"]["root"]
    seen, left = set(), [root]
    while left:
        found = left.pop()
        if found not in seen:
            seen.add(found)
            left += needs[found]
    inside = sorted((by_id[found] for found in seen - {root}), key=lambda package: (package["name"], package["version"]))
    for package in inside:
        package["needs"] = sorted(reference(by_id[need]) for need in needs[package["id"]])
    by_id[root]["needs"] = sorted(reference(by_id[need]) for need in needs[root])
    return by_id[root], inside


def reference(package: dict) -> str:
    return f"pkg:cargo/{package['name']}@{package['version']}"


def texts(package: dict) -> list:
    """The licence texts that a package carries."""
    folder = pathlib.Path(package["manifest_path"]).parent
    names = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE", "COPYRIGHT")
    found = {path for path in folder.iterdir() if path.is_file() and path.name.upper().startswith(names)}
    if package["license_file"]:
        found.add(folder / package["license_file"])
    return [path.read_text(errors="replace").strip() for path in sorted(found)]


def third_party(inside: list) -> str:
    """Every licence text once, with the packages that carry it."""
    carried: dict[str, list] = {}
    lines = ["# What is in the binary, and under which licences", "", ENGINE, ""]
    for package in inside:
        own = texts(package)
        lines.append(f"- {package['name']} {package['version']}: {package['license'] or 'see its text'}")
        for text in own:
            carried.setdefault(text, []).append(f"{package['name']} {package['version']}")
    for text, names in sorted(carried.items(), key=lambda pair: pair[1]):
        lines += ["", "## " + ", ".join(names), "", "```text", text.replace("```", "'''"), "```"]
    return "\n".join(lines) + "\n"


def sbom(root: dict, inside: list, version: str) -> str:
    """A CycloneDX bill of materials."""
    locked = {(package["name"], package["version"]): package.get("checksum")
              for package in tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]}

    def component(package: dict, kind: str) -> dict:
        told = {"type": kind, "bom-ref": reference(package), "name": package["name"], "version": package["version"],
                "purl": reference(package)}
        if package["license"]:
            # Cargo's old way of writing OR.
            told["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
        if checksum := locked.get((package["name"], package["version"])):
            told["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        return told

    return json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, version)}",
        "metadata": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH)),
                     "component": component(root, "application")},
        "components": [component(package, "library") for package in inside],
        "dependencies": [{"ref": reference(package), "dependsOn": package["needs"]} for package in [root, *inside]],
    }, indent=1) + "\n"


def pack(path: pathlib.Path, top: str, files: dict) -> None:
    level = int(os.environ.get("DIST_LEVEL", "9"))
    with path.open("wb") as raw, gzip.GzipFile("", "wb", level, raw, EPOCH) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, (content, mode) in sorted(files.items()):
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mode, entry.mtime = len(content), mode, EPOCH
            archive.addfile(entry, io.BytesIO(content))


def main() -> None:
    binary, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    version = output(str(binary), "--version").split(maxsplit=1)[1].strip()
    target = next(line.split()[1] for line in output("rustc", "-vV").splitlines() if line.startswith("host:"))
    root, inside = packages(target)
    files = {"recount": (binary.read_bytes(), 0o755),
             "THIRD-PARTY.md": (third_party(inside).encode(), 0o644),
             "sbom.cdx.json": (sbom(root, inside, version).encode(), 0o644)}
    listed = output("git", "ls-files", *FILES).split() if (ROOT / ".git").exists() else [
        path.relative_to(ROOT).as_posix() for name in FILES for path in [ROOT / name, *(ROOT / name).rglob("*")] if path.is_file()]
    for name in listed:
        path = ROOT / name
        files[name] = (path.read_bytes(), 0o755 if os.access(path, os.X_OK) else 0o644)
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, (content, _) in sorted(files.items()))
    files["SHA256SUMS"] = (sums.encode(), 0o644)
    top = f"recount-{root['version']}-{target}"
    folder.mkdir(parents=True, exist_ok=True)
    archive = folder / f"{top}.tar.gz"
    pack(archive, top, files)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    (folder / f"{top}.tar.gz.sha256").write_text(f"{digest}  {archive.name}\n")
    print(f"{archive}: {version}, {len(inside)} packages inside, {len(files)} files, SHA-256 {digest}")


if __name__ == "__main__":
    main()
