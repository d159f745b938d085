#!/usr/bin/env bash
# Runs the models, then for up to 3 s each (or LOOM_SECONDS) within 3 preemptions and unbounded, and writes the table of claims in loom-tests/README.md from what they say of themselves and of the run.
# .ci/loom-table.sh --check: runs no model, and fails where the table's words are not those of the models.
set -euo pipefail
cd "$(dirname "$0")/.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT
argument=--check
if [ "${1:-}" != --check ]; then
    [ $# = 0 ] || { echo "usage: .ci/loom-table.sh [--check]" >&2; exit 2; }
    argument=$log
    # One model at a time: each has the machine for itself.
    .ci/loom.sh -- --nocapture --test-threads=1 | tee "$log"
    LOOM_SECONDS="${LOOM_SECONDS:-3}" .ci/loom-deep.sh | tee -a "$log"
fi
cargo run --quiet -p evenweave-loom-tests --bin loom-table -- "$argument"
