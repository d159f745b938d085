#!/usr/bin/env bash
# The models for longer than .ci/loom.sh has: within 3 preemptions, then without a bound, each up to LOOM_SECONDS (60 if unset) and no
# longer. A line a model: executions, milliseconds, bound, and whether those were all of its executions or it was cut.
# .ci/loom-deep.sh NAME…: only the files named, as in lease_vs_lease.
set -euo pipefail
cd "$(dirname "$0")/.."

names=()
for name in "$@"; do
    [ -f "loom-tests/tests/$name.rs" ] || { echo "loom-deep: there is no loom-tests/tests/$name.rs" >&2; exit 2; }
    names+=(--test "$name")
done
export LOOM_MAX_DURATION="${LOOM_SECONDS:-60}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

run() {
    .ci/loom.sh "${names[@]}" -- --nocapture --test-threads=1 >"$log" 2>&1 || { cat "$log"; echo "loom-deep: FAILED" >&2; exit 1; }
    grep "^model " "$log"
}

LOOM_MAX_PREEMPTIONS=3 run
EVENWEAVE_UNBOUNDED=1 run
