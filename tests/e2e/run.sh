#!/bin/sh
# End to end, with real clients: starts the binary, sends runs with the official SDKs, reads them back, opens pages
# in a browser. Usage: run.sh PATH_OF_RECOUNT; with `sending` behind it, only docs/sending.md, every runtime of it.
set -eu
recount="$(cd "$(dirname "$1")" && pwd)/$(basename "$1")"
cd "$(dirname "$0")/../.."
here=tests/e2e
work="$(mktemp -d)"
started=""
stop() {
    [ -z "$started" ] || kill $started 2>/dev/null || true
    # A server that goes down still writes: its directory is removed once it is gone, and a failure here is no
    # failure of what was tried.
    wait || true
    rm -rf "$work" || true
}
trap stop EXIT INT TERM

# start NAME ARGUMENTS...: runs recount in the background and waits for its ready line; sets $ui, $http, $grpc.
start() {
    name="$1"
    shift
    "$recount" "$@" --data-dir "$work/$name" --listen 127.0.0.1:0 --otlp-grpc 127.0.0.1:0 --otlp-http 127.0.0.1:0 \
        >"$work/$name.out" 2>"$work/$name.err" &
    started="$started $!"
    tries=0
    until grep -qs '^ready ' "$work/$name.out"; do
        tries=$((tries + 1))
        [ "$tries" -lt 600 ] || { echo "recount $name did not become ready"; cat "$work/$name.err"; exit 1; }
        sleep 0.1
    done
    ready="$(grep '^ready ' "$work/$name.out")"
    ui="$(printf '%s' "$ready" | sed 's/.* ui=\([^ ]*\).*/\1/')"
    http="$(printf '%s' "$ready" | sed 's/.* otlp_http=\([^ ]*\).*/\1/')"
    grpc="$(printf '%s' "$ready" | sed 's/.* otlp_grpc=\([^ ]*\).*/\1/')"
}

python="$here/.venv/bin/python"
start second serve
second="$ui=$http"
start serve serve
if [ "${2:-}" = sending ]; then
    "$python" "$here/sending.py" --all "$recount" "$ui=$http" "$second"
    exit
fi
for protocol in grpc http; do
    if [ "$protocol" = grpc ]; then endpoint="$grpc"; else endpoint="$http"; fi
    trace="$("$python" "$here/send_run.py" "$protocol" "$endpoint")"
    "$python" "$here/check_run.py" "$ui" "$trace"
    echo "ok: Python SDK over $protocol"
done
trace="$(node "$here/send_run.mjs" "$http")"
"$python" "$here/check_run.py" "$ui" "$trace"
echo "ok: JavaScript SDK over HTTP/JSON"

"$python" "$here/killed.py" "$recount" "$work"
"$python" "$here/keeping.py" "$recount"

"$python" "$here/readme.py" "$ui" "$http"
"$python" "$here/docs.py" "$recount" "$ui" "$http"
"$python" "$here/deploy.py" "$recount" "$ui" "$http"
"$python" "$here/containers.py" locked "$recount"
"$python" "$here/dist.py" "$recount"
sed -n '/^```toml/,/^```/p' README.md | sed '/^```/d' >"$work/readme.toml"
"$recount" check --config "$work/readme.toml" --data-dir "$work/check" >"$work/check.out"
grep -q 'all is well' "$work/check.out"
sed -n '/^```toml/,/^```/p' docs/configuration.md | sed '/^```/d' >"$work/configuration.toml"
"$recount" check --config "$work/configuration.toml" --data-dir "$work/check" >"$work/check.out"
grep -q 'all is well' "$work/check.out"
for page in redaction retention alerts; do
    sed -n '/^```toml/,/^```/p' "docs/$page.md" | sed '/^```/d' >"$work/$page.toml"
    "$recount" check --config "$work/$page.toml" --data-dir "$work/check" >"$work/check.out"
    grep -q 'all is well' "$work/check.out"
done
echo secret >"$work/client_secret"
sed -n '/^```toml/,/^```/p' docs/access.md | sed '/^```/d' >"$work/access.toml"
(cd "$work" && "$recount" check --config access.toml --data-dir check >check.out && grep -q 'all is well' check.out)
# What docs/redaction.md says of `recount redact test`: 0 as expected, 1 otherwise.
printf 'ticket 7\nnote: ring Ana, card 4111 1111 1111 1111\n{"account_id": "2291"}\n' >"$work/sample.txt"
cp "$work/redaction.toml" "$work/recount.toml"
(cd "$work" && "$recount" redact test --rules recount.toml --input sample.txt >expected.txt 2>/dev/null)
grep -q 'card-number' "$work/expected.txt"
grep -q '"acct(4):v0\.' "$work/expected.txt"
(cd "$work" && "$recount" redact test --rules recount.toml --input sample.txt --expect expected.txt >/dev/null)
echo other >"$work/expected.txt"
code=0
(cd "$work" && "$recount" redact test --rules recount.toml --input sample.txt --expect expected.txt 2>/dev/null) || code=$?
[ "$code" = 1 ]
printf '[[redaction.rules]]\nid = "bad"\ntype = "pattern"\npattern = "("\n' >"$work/recount.toml"
code=0
"$recount" check --config "$work/recount.toml" --data-dir "$work/check" 2>"$work/check.err" || code=$?
[ "$code" = 2 ]
grep -q '`bad`.*line 1' "$work/check.err"
echo "ok: what docs/redaction.md says of trying rules"
"$python" "$here/sending.py" "$recount" "$ui=$http" "$second"

sender="$("$recount" key create agents --data-dir "$work/machines")"
viewer="$("$recount" key create machines --role viewer --data-dir "$work/machines")"
start machines serve
"$python" "$here/machines.py" "$recount" "$ui" "$http" "$viewer" "$sender"
node "$here/sign_in.mjs" "$recount"

"$python" "$here/described.py" "${second%%=*}"

start demo demo
payments="$(sed -n 's/^payments=//p' "$work/demo.out")"
# The story that the quick start begins with has its address in the terminal.
curl --fail --silent --show-error --output "$work/story" "$(sed -n 's/^timeout-naive *\(http\)/\1/p' "$work/demo.out")"
grep -q 'issue_refund' "$work/story"
"$python" "$here/reconcile.py" "$ui" "$http" "$payments"
CHROMIUM="$("$here/chromium.sh")" node "$here/browser.mjs" "$ui" "$work/demo.out"
CHROMIUM="$("$here/chromium.sh")" node "$here/reading.mjs" "$ui" "$http" "$work/demo.out"
echo "ok: browser"
