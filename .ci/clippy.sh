#!/usr/bin/env bash
# No lint of the workspace, no warning.
set -euo pipefail
cd "$(dirname "$0")/.."
start=$SECONDS
trap 'code=$?; echo "clippy: $([ $code = 0 ] && echo passed || echo FAILED), $((SECONDS - start)) s"' EXIT
cargo clippy --version >/dev/null 2>&1 || rustup component add clippy
cargo clippy --workspace --all-targets --all-features -- -D warnings
