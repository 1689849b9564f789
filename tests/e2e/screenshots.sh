#!/bin/sh
# Screenshots of every page of the demo in light, dark and 390 px, into shots/, with an accessibility check (axe).
# Usage: screenshots.sh PATH_OF_RECOUNT
set -eu
recount="$1"
cd "$(dirname "$0")/../.."
here=tests/e2e
work="$(mktemp -d)"
"$recount" demo --data-dir "$work/data" --listen 127.0.0.1:0 --otlp-grpc 127.0.0.1:0 --otlp-http 127.0.0.1:0 \
    >"$work/out" 2>"$work/err" &
demo=$!
trap 'kill $demo 2>/dev/null || true; rm -rf "$work"' EXIT INT TERM
tries=0
until grep -q '^ready ' "$work/out"; do
    tries=$((tries + 1))
    [ "$tries" -lt 900 ] || { echo "the demo did not become ready"; cat "$work/err"; exit 1; }
    sleep 0.1
done
ui="$(sed -n 's/^ready .*ui=\([^ ]*\).*/\1/p' "$work/out")"
CHROMIUM="$("$here/chromium.sh")" node "$here/screenshots.mjs" "$ui" shots "$work/out"
