#!/bin/sh
# Gets what the end-to-end tests need: the OpenTelemetry SDKs of Python and JavaScript, and a Chromium.
# Steps already done are skipped. Each failure says what to do by hand.
set -eu
cd "$(dirname "$0")"

say() { printf '%s\n' "$*" >&2; }
need() { command -v "$1" >/dev/null 2>&1 || { say "The tests need $1: $2"; exit 1; }; }

need python3 "install Python 3.9 or newer (Debian, Ubuntu: apt install python3 python3-venv)"
need npm "install Node.js 20 or newer with npm (Debian, Ubuntu: apt install nodejs npm)"

stamp="$(cat requirements.txt package.json package-lock.json | cksum | tr ' ' '-')"
[ -f ".venv/done-$stamp" ] || {
    say "Fetching the OpenTelemetry SDK for Python ..."
    [ -x .venv/bin/python ] || python3 -m venv .venv || { say "python3 -m venv failed (Debian, Ubuntu: apt install python3-venv)"; exit 1; }
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
    touch ".venv/done-$stamp"
}
[ -f "node_modules/done-$stamp" ] || {
    say "Fetching the OpenTelemetry SDK for JavaScript and the browser driver ..."
    npm ci --silent --no-audit --no-fund
    touch "node_modules/done-$stamp"
}
stamp="$(cat vercel-7/package.json vercel-7/package-lock.json | cksum | tr ' ' '-')"
[ -f "vercel-7/node_modules/done-$stamp" ] || {
    (cd vercel-7 && npm ci --silent --no-audit --no-fund)
    touch "vercel-7/node_modules/done-$stamp"
}

# missing NAME PACKAGE: installs a program from the system's packages where that can be done without asking.
missing() {
    [ "$(uname -s)" = Linux ] && command -v apt-get >/dev/null 2>&1 || return 0
    sudo=""
    [ "$(id -u)" = 0 ] || sudo="sudo -n"
    say "Installing $1 from the system's packages ..."
    { $sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends "$2"; } >/dev/null 2>&1 || true
}

PATH="$PATH:/usr/sbin"
command -v nginx >/dev/null 2>&1 || missing nginx nginx
need nginx "install it for the proxy of deploy/ (Debian: apt install nginx; macOS: brew install nginx)"
# Without it, or where it may not be used, what the image does is not started.
command -v bwrap >/dev/null 2>&1 || [ "$(uname -s)" != Linux ] || missing bubblewrap bubblewrap
need openssl "install it for that proxy's certificate (Debian: apt install openssl)"
./chromium.sh >/dev/null || missing Chromium chromium
./chromium.sh >/dev/null || {
    say "The browser tests need Chromium or Chrome: install it (Debian: apt install chromium; macOS: brew install --cask chromium), or set CHROMIUM to its path."
    exit 1
}
