#!/usr/bin/env bash
# The whole runtime under random schedules; see loom-tests/README.md. More of them, others, or one again:
#   .ci/shuttle.sh [--schedules N] [--seed FIRST] [--replay SEED]
set -euo pipefail
cd "$(dirname "$0")/.."

# As in loom.sh.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target/shuttle}"

usage() {
    echo "shuttle: $1; usage: .ci/shuttle.sh [--schedules N] [--seed FIRST] [--replay SEED], each a whole number" >&2
    exit 2
}
export EVENWEAVE_SCHEDULES=1000 EVENWEAVE_SEED=1
replay=
while [ $# -gt 0 ]; do
    [ $# -ge 2 ] || usage "$1 needs a value"
    [[ $2 =~ ^[0-9]{1,18}$ ]] || usage "$1 $2: not a whole number of at most 18 digits"
    case $1 in
        --schedules) EVENWEAVE_SCHEDULES=$2 ;;
        --seed) EVENWEAVE_SEED=$2 ;;
        --replay) replay=$2 ;;
        *) usage "unknown option $1" ;;
    esac
    shift 2
done

only=()
if [ -n "$replay" ]; then
    export EVENWEAVE_SCHEDULES=1 EVENWEAVE_SEED=$replay
    # Even numbers are for the random scheduler, odd ones for PCT.
    only=("$([ $((10#$replay % 2)) = 0 ] && echo random || echo pct)_schedules")
fi
trap 'echo "shuttle: ${SECONDS} s"' EXIT
RUSTFLAGS="--cfg shuttle -C debug-assertions=on" \
    cargo test -p evenweave-loom-tests --profile models --test shuttle_channels --test shuttle_runtime -- --nocapture "${only[@]}"
