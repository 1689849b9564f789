#!/bin/sh
# Recount beside Phoenix and MLflow, on one machine in one run. Usage: run.sh [PATH_OF_RECOUNT] [SPANS]
# The peers come from PyPI, in the versions of requirements.txt, into a folder beside this script.
set -eu
cd "$(dirname "$0")"
root="$(cd ../.. && pwd)"
recount="${1:-$root/target/release/recount}"
[ -x "$recount" ] || { echo "no program at $recount: cargo build --release" >&2; exit 1; }
stamp="$(cksum <requirements.txt | tr ' ' '-')"
[ -f ".venv/done-$stamp" ] || {
    [ -x .venv/bin/python ] || python3 -m venv .venv
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
    touch ".venv/done-$stamp"
}
exec .venv/bin/python peers.py "$recount" "${2:-5120}"
