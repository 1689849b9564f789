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
run_of() { sed -n "s/^demo scenario=$1 run=\([^ ]*\).*/\1/p" "$work/out" | head -n 1; }
CHROMIUM="$("$here/chromium.sh")" node "$here/screenshots.mjs" "$ui" shots \
    /runs "/runs?group=session&cols=effects,signals,session,steps,took,started&tz=Europe%2FBerlin" /views "/runs?q=nowhere" "/runs?q=outcome%3Aunknown" "/runs?q=nonsense%3A1" /unknowns "/unknowns?state=resolved" /unknowns/resolve /keys /redaction \
    /findings "/findings?severity=danger" /alerts /readiness "/readiness?tool=issue_refund" /status /about/conventions /docs /docs/concepts /docs/scale \
    /about/findings /nowhere "/runs/$(run_of stale-worker)" \
    "/runs/$(run_of timeout-naive)" "/runs/$(run_of timeout-designed)" "/runs/$(run_of resumed)" \
    "/runs/$(run_of throttled-out)" "/runs/$(run_of timeout-naive)?tab=saw" "/runs/$(run_of timeout-designed)?tab=gate"
