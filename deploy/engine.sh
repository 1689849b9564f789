#!/bin/sh
# Gets the embedded ClickHouse engine (libchdb) into the per-user cache, checks its SHA-256, prints its path.
# Does nothing when it is there already. `make engine` calls this; the build itself never needs it.
set -eu

VERSION=26.7.3
PACKAGE_VERSION=26.7.3-stable.1
# SHA-256 of libchdb.so as packaged for each platform. A platform without a line here is checked by the npm
# client's own integrity field only, and the script says so.
SHA256_linux_x64=36ad4e999882821ef13cf2d0f52c93f48e6ee1b4498b35a201c23ce4b8d15bf5

say() { printf '%s\n' "$*" >&2; }

case "$(uname -s)-$(uname -m)" in
Linux-x86_64) platform=linux_x64 package=@chdb/lib-linux-x64-gnu archive=linux-x86_64-libchdb.tar.gz ;;
Linux-aarch64 | Linux-arm64) platform=linux_arm64 package=@chdb/lib-linux-arm64-gnu archive=linux-aarch64-libchdb.tar.gz ;;
Darwin-x86_64) platform=darwin_x64 package=@chdb/lib-darwin-x64 archive=macos-x86_64-libchdb.tar.gz ;;
Darwin-arm64) platform=darwin_arm64 package=@chdb/lib-darwin-arm64 archive=macos-arm64-libchdb.tar.gz ;;
*)
    say "There is no embedded engine for $(uname -s) on $(uname -m). Use a ClickHouse server instead: recount serve --clickhouse-url http://user:password@host:8123/db"
    exit 1
    ;;
esac
eval "pinned=\${SHA256_$platform:-}"

cache="${XDG_CACHE_HOME:-$HOME/.cache}/recount/engine/$VERSION"
library="$cache/libchdb.so"

sha256() {
    if command -v sha256sum >/dev/null 2>&1; then sha256sum "$1" | cut -d' ' -f1; else shasum -a 256 "$1" | cut -d' ' -f1; fi
}

check() { # check FILE: its SHA-256 is the pinned one, or there is none to compare with
    [ -z "$pinned" ] || [ "$(sha256 "$1")" = "$pinned" ]
}

# A stamp beside the library says that its checksum was compared, so that 566 MB are not hashed at every start.
if [ -f "$library" ] && { [ -f "$cache/checked" ] || check "$library"; }; then
    touch "$cache/checked" 2>/dev/null || true
    printf '%s\n' "$library"
    exit 0
fi

by_hand() {
    say ""
    say "The engine could not be fetched. To do it by hand:"
    say "  1. get $archive of the release v$VERSION of github.com/chdb-io/chdb-core (or the npm package $package@$PACKAGE_VERSION)"
    say "  2. unpack libchdb.so from it to $library"
    [ -z "$pinned" ] || say "  3. its SHA-256 must be $pinned"
    say "Or use a ClickHouse server: recount serve --clickhouse-url http://user:password@host:8123/db"
    exit 1
}

mkdir -p "$cache"
work="$(mktemp -d "$cache/fetch.XXXXXX")"
trap 'rm -rf "$work"' EXIT INT TERM

fetch_with_npm() {
    command -v npm >/dev/null 2>&1 || return 1
    say "Fetching the embedded engine with npm ($package@$PACKAGE_VERSION, about 180 MB) ..."
    (cd "$work" && npm pack --silent "$package@$PACKAGE_VERSION" >/dev/null) || return 1
    for found in "$work"/*.tgz; do mv "$found" "$work/engine.tar.gz"; done
}

fetch_release() {
    command -v curl >/dev/null 2>&1 || return 1
    say "Fetching the embedded engine from its release archive (about 180 MB) ..."
    curl --fail --location --silent --show-error --retry 3 --output "$work/engine.tar.gz" \
        "https://github.com/chdb-io/chdb-core/releases/download/v$VERSION/$archive"
}

unpack() {
    tar -xzf "$work/engine.tar.gz" -C "$work" || return 1
    found="$(find "$work" -name 'libchdb.so' -type f | head -n 1)"
    [ -n "$found" ] || return 1
    if ! check "$found"; then
        say "The downloaded library has SHA-256 $(sha256 "$found"), not the pinned $pinned. It was not kept."
        return 1
    fi
    [ -n "$pinned" ] || say "No checksum is pinned for this platform; npm's own integrity check passed. SHA-256: $(sha256 "$found")"
    mv "$found" "$library"
    touch "$cache/checked"
}

fetched=no
for way in fetch_with_npm fetch_release; do
    if "$way" && unpack; then
        fetched=yes
        break
    fi
done
[ "$fetched" = yes ] || by_hand
printf '%s\n' "$library"
