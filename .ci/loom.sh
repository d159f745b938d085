#!/usr/bin/env bash
# The models of the lock-free protocols; see loom-tests/README.md. What they say of their size: `.ci/loom.sh -- --nocapture`.
set -euo pipefail
cd "$(dirname "$0")/.."

# Of its own: another RUSTFLAGS would rebuild everything in the usual one.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target/loom}"
trap 'echo "loom: ${SECONDS} s"' EXIT
RUSTFLAGS="--cfg loom -C debug-assertions=on" LOOM_MAX_PREEMPTIONS="${LOOM_MAX_PREEMPTIONS:-2}" cargo test -p evenweave-loom-tests --profile models "$@"
