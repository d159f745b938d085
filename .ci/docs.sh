#!/usr/bin/env bash
# The documentation builds, private items included, and no link in it is broken.
set -euo pipefail
cd "$(dirname "$0")/.."
start=$SECONDS
trap 'code=$?; echo "docs: $([ $code = 0 ] && echo passed || echo FAILED), $((SECONDS - start)) s"' EXIT
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items
