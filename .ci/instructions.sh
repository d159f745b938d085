#!/usr/bin/env bash
# Instructions that the hot path takes, against testkit/benches/instructions.json; see docs/benchmarks.md.
# `.ci/instructions.sh --update` writes the counts of now instead. Needs valgrind.
set -euo pipefail
cd "$(dirname "$0")/.."
start=$SECONDS
trap 'code=$?; echo "instructions: $([ $code = 0 ] && echo passed || echo FAILED), $((SECONDS - start)) s"' EXIT
if ! command -v valgrind >/dev/null; then
    echo "instructions: they are counted by valgrind, which is not here; install it: apt-get install valgrind" >&2
    exit 1
fi
cargo bench --quiet --profile dist -p evenweave-testkit --bench instructions -- "$@"
# And what two workers share, which the program counts itself, optimised or not.
if [ "${1:-}" != --update ]; then
    CARGO_PROFILE_DEV_OPT_LEVEL=0 cargo test --quiet --workspace --features evenweave/sharing --test sharing
fi
