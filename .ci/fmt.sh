#!/usr/bin/env bash
# The sources are formatted as rustfmt.toml says.
set -euo pipefail
cd "$(dirname "$0")/.."
start=$SECONDS
trap 'code=$?; echo "fmt: $([ $code = 0 ] && echo passed || echo FAILED), $((SECONDS - start)) s"' EXIT
cargo fmt --version >/dev/null 2>&1 || rustup component add rustfmt
cargo fmt --all --check
