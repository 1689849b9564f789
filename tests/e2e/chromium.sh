#!/bin/sh
# Prints the path of a Chromium or Chrome; exits with 1 when there is none.
set -eu
for found in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable \
    "/Applications/Chromium.app/Contents/MacOS/Chromium" \
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; do
    [ -n "$found" ] || continue
    if path="$(command -v "$found" 2>/dev/null)"; then
        printf '%s\n' "$path"
        exit 0
    fi
done
exit 1
