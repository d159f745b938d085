#!/usr/bin/env bash
# Runs the models, then for up to 3 s each (or LOOM_SECONDS) within 3 preemptions and unbounded, and writes the table of claims in loom-tests/README.md from what they say of themselves and of the run.
# .ci/loom-table.sh NAME…: only the files named, as in lease_vs_lease, and their rows.
# .ci/loom-table.sh --check: runs no model, and fails where the table's words are not those of the models.
set -euo pipefail
cd "$(dirname "$0")/.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT
arguments=(--check)
if [ "${1:-}" != --check ]; then
    names=()
    for name in "$@"; do
        [ -f "loom-tests/tests/$name.rs" ] || { echo "loom-table: there is no loom-tests/tests/$name.rs" >&2; exit 2; }
        names+=(--test "$name")
    done
    arguments=("$log" "$@")
    # One model at a time: each has the machine for itself.
    .ci/loom.sh "${names[@]}" -- --nocapture --test-threads=1 | tee "$log"
    LOOM_SECONDS="${LOOM_SECONDS:-3}" .ci/loom-deep.sh "$@" | tee -a "$log"
fi
cargo run --quiet -p evenweave-loom-tests --bin loom-table -- "${arguments[@]}"
