#!/usr/bin/env bash
# What would be published: the library, the server, and the program with its library.
set -euo pipefail
cd "$(dirname "$0")/.."
start=$SECONDS
log=$(mktemp)
trap 'code=$?; rm -f "$log"; echo "package: $([ $code = 0 ] && echo passed || echo FAILED), $((SECONDS - start)) s"' EXIT
# All checks build this code already; `cargo publish --dry-run --workspace` builds it once more, out of the packages.
cargo publish --workspace --dry-run --no-verify --allow-dirty --locked 2>"$log" || { cat "$log" >&2; exit 1; }
grep -E 'Packag' "$log"
